"""URDF: robots as links and joints in XML."""
