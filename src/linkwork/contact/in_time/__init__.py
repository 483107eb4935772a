"""What is met within a step, and where contacts go in it."""
