"""Implicit methods in joint coordinates: the trapezoidal rule with Newton's iteration."""
