"""Methods with an explicit integrator: the compiled loop, loops by multipliers, `recursive`."""
