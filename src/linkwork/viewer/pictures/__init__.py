"""Plots, still pictures and films."""
