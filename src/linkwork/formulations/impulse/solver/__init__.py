"""Impulses of the rows: sweeps, direct solution, Coulomb's law for all contacts at once."""
