"""Motion in, forces out: driven mechanisms, inverse dynamics and required forces, through closed loops."""
