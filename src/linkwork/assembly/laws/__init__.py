"""Laws become tables, functions of the user C functions."""
