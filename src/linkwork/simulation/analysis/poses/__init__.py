"""Poses and paths of bodies, found from their targets."""
