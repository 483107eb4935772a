"""Recorded runs as one HTML file."""
