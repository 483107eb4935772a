"""Constraint rows: joints that close loops, couplings, given motions, guides, rolling wheels."""
