"""The algorithms of trees: motions, kinematics, inertias, dynamics, test impulses."""
