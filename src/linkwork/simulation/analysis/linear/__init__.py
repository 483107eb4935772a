"""Slopes: linear models, modes, frequency responses, sensitivities."""
