"""The global method: natural coordinates, points and unit vectors."""
