"""Natural coordinates: points and unit vectors that bodies share."""
