"""RUNS: consistent start, stepping, recording; the trajectory that comes out, its certificate and its files."""
