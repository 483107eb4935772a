"""Cylinders, ellipsoids, spheres and capsules."""
