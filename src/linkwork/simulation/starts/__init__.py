"""Consistent starts: positions and velocities that satisfy loops, motors and wheels."""
