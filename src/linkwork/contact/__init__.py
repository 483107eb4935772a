"""Collision detection: shapes and poses become a table of contacts."""
