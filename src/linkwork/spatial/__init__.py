"""Geometry on small tuples: vectors, rotations, quaternions, inertias. Knows no body number."""
