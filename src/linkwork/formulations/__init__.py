"""Methods: one paper, one file. Each prepares a workspace and runs a compiled loop."""
