"""Stepping: the state, the clock, the compiled loop, and what may stop it."""
