"""Models as FMUs: co-simulation and model exchange, FMI 2.0 and 3.0, on the library of kernels. No Python inside."""
