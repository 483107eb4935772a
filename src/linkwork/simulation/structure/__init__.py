"""Joints attached and released during a run; states to go on from."""
