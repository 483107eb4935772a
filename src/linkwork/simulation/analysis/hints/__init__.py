"""Checks of a model, and what in it looks like a mistake."""
