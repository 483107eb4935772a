"""What a step leaves: loads, energy, and what contacts did that they should not."""
