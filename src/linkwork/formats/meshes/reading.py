"""Triangles from a mesh file, by its ending."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from linkwork.errors import ModelError
from linkwork.formats.meshes.dae import dae_triangles
from linkwork.formats.meshes.glb import glb_triangles
from linkwork.formats.meshes.obj import obj_triangles
from linkwork.formats.meshes.stl import stl_triangles
from linkwork.formats.sources import read_bytes
from linkwork.model.checked import Vector

LARGEST = 256 * 1024 * 1024  # bytes of a file
KINDS: dict[str, tuple[str, Callable[[bytes, str], Vector]]] = {
    ".stl": ("an STL file", stl_triangles),
    ".obj": ("an OBJ file", obj_triangles),
    ".dae": ("a DAE file", dae_triangles),
    ".glb": ("a GLB file", glb_triangles),
}
OTHERS = (".gltf", ".ply", ".3ds", ".fbx", ".off", ".x3d", ".wrl", ".usd", ".usdz", ".step", ".stp", ".iges")


def read_mesh(file: Path) -> Vector:
    """The corners of all triangles, (n, 3, 3), in the unit of the file; a DAE file's own unit is turned into metres.

    A file of another ending is read as STL, except those of other formats.
    """
    what = f"Mesh '{file}'" if str(file).isprintable() else f"Mesh {str(file)!r}"
    if file.suffix.lower() in OTHERS:
        raise ModelError(
            f"{what}: files with the ending '{file.suffix}' are not read; export it as STL, OBJ, DAE or GLB"
        )
    wanted, triangles = KINDS.get(file.suffix.lower(), KINDS[".stl"])
    try:
        content = read_bytes(file, wanted, LARGEST)
    except ModelError as error:
        raise ModelError(f"Mesh {error}") from None
    with np.errstate(all="ignore"):  # what is not finite is refused below
        corners = triangles(content, what)
    if len(corners) == 0 or not np.isfinite(corners).all():
        again = wanted.split()[1]
        raise ModelError(f"{what}: holds no triangles or numbers that are not finite; export it again as {again}")
    return corners
