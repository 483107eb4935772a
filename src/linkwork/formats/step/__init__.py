"""STEP assemblies: solids become bodies, and geometry tells which joints hold them."""
