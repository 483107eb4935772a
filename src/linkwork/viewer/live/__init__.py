"""The live page: a server process, and the side that steps."""
