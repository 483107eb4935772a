"""OBJ files as triangles: corners (`v`) and faces (`f`); normals, textures and materials are left out."""

from __future__ import annotations

import itertools

import numpy as np

from linkwork.errors import ModelError
from linkwork.model.checked import Vector

MOST = 5_000_000  # triangles


def obj_triangles(content: bytes, what: str) -> Vector:
    """The corners of all triangles, (n, 3, 3), in the unit of the file; `what` names it in errors.

    Faces of more than three corners are split into triangles around their first corner.

    >>> obj_triangles(b"v 0 0 0\\nv 1 0 0\\nv 1 1 0\\nv 0 1 0\\nf 1 2 3 4\\n", "plate.obj").shape
    (2, 3, 3)
    """
    points: list[list[bytes]] = []
    faces: list[tuple[int, int, int]] = []
    place = "a corner"
    try:
        for number, line in enumerate(content.replace(b"\\\n", b" ").split(b"\n"), 1):
            if line.startswith((b"v ", b"v\t")):
                points.append(line.split()[1:4])
            elif line.startswith((b"f ", b"f\t")):
                place = f"line {number}: a face"
                around = [_corner(word, len(points)) for word in line.split()[1:]]
                faces += [(around[0], b, c) for b, c in itertools.pairwise(around[1:])]
                if len(faces) > MOST:
                    raise ModelError(f"{what}: has more than {MOST} triangles; export it with fewer")
        place = "a corner or face"
        corners = np.array(points, dtype=np.bytes_).astype(np.float64).reshape(-1, 3)
        indices = np.array(faces, dtype=np.int64).reshape(-1, 3)
        if indices.size and indices.max() >= len(corners):
            raise ValueError
    except (ValueError, OverflowError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{what}: {place} is not as OBJ writes it; export it again as OBJ") from None
    return corners[indices]


def _corner(word: bytes, known: int) -> int:
    """The number of a corner from 0 up, of `3`, `3/1/2` or, counted from the last one, `-1`."""
    number = int(word.split(b"/", 1)[0])
    index = number - 1 if number > 0 else known + number
    if number == 0 or index < 0:
        raise ValueError
    return index


def obj_bytes(triangles: Vector) -> bytes:
    """Triangles (n, 3, 3) as an OBJ file, to the last bit, each corner once.

    >>> print(obj_bytes(np.array([[(0.0, 0, 0), (1, 0, 0), (0, 0.1, 0)]])).decode())
    v 0.0 0.0 0.0
    v 1.0 0.0 0.0
    v 0.0 0.1 0.0
    f 1 2 3
    <BLANKLINE>
    """
    numbers: dict[tuple[str, ...], int] = {}
    faces = []
    for triangle in triangles.tolist():
        corners = [tuple(repr(x) for x in corner) for corner in triangle]
        faces.append("f " + " ".join(str(numbers.setdefault(corner, len(numbers) + 1)) for corner in corners))
    return "\n".join([*(f"v {' '.join(corner)}" for corner in numbers), *faces, ""]).encode()
