"""Other engines, for comparison."""
