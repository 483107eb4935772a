"""Any matrix, any right-hand side: factorisations, minimum norm, Runge-Kutta, multistep."""
