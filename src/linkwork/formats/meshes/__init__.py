"""MESHES: surfaces of triangles from STL, OBJ and DAE files."""
