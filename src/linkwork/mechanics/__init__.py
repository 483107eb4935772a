"""What every method shares: motions, parts, kinematics, tree dynamics, forces, energy."""
