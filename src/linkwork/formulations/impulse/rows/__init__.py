"""The table of rows of a step, and products with it."""
