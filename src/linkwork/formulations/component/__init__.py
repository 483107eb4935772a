"""Components: D and r up through the hierarchy, tau back down; also in other processes."""
