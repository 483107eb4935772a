"""FILES: what other programs write and read."""
