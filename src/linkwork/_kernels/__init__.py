"""Compiled kernels: how arguments are packed, where machine code comes from, and how it is made."""
