"""MESHES: surfaces of triangles from STL, OBJ, DAE and GLB files."""
