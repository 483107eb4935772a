"""Shapes and meshes: mass properties, pictures and contact surfaces."""
