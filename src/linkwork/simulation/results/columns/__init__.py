"""Columns: their names, components and units, and how kept states become them."""
