"""Force elements and laws as kernels."""
