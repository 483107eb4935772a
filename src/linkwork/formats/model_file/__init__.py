"""Model files: mechanisms in TOML and JSON, in and out, to the last bit."""
