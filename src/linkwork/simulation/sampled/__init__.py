"""Controllers and sensors: what is called between steps."""
