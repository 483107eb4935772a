"""Every method on one model, and a verdict."""
