"""What the rows of each kind demand."""
