"""Where bodies meet: from shapes and poses to a table of contacts."""
