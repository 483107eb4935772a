"""What a run leaves behind: columns, energy, reactions, the certificate."""
