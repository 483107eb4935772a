"""Questions about a model: check, compare, equilibrium, reactions, stiffness, the choice of a method."""
