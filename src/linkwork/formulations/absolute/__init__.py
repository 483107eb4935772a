"""Absolute coordinates: free bodies, joints as constraint rows, successive projection."""
