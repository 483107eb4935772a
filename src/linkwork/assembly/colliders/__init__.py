"""Colliders become tables."""
