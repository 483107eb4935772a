"""PICTURES: plots of recorded runs. They see a trajectory, never a method."""
