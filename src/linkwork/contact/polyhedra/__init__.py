"""Polyhedra: axes, distance, depth and contact points."""
