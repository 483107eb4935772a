"""Sequential impulses: every constraint is a row of one table."""
