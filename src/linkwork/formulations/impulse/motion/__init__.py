"""Motion without impulses, and what laws do along it."""
