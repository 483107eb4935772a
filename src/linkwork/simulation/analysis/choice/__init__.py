"""Which method and which step suit a model."""
