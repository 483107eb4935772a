"""Who touches whom, and who may sleep."""
