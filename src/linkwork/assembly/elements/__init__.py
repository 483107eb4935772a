"""Force elements, joints that close loops, couplings and motors become tables."""
