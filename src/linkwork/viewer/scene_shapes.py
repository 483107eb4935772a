"""Shapes of a scene, which are plain data (see `simulation.results.scene`): as solids, and questions about them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwork.model import Frame
from linkwork.simulation.results.scene.shape_facts import shape_from
from linkwork.viewer.canvas import BRIGHTEST
from linkwork.viewer.solids import Floats, Solid, quads, rod, solid


def body_shapes(body: dict[str, Any]) -> list[dict[str, Any]]:
    """The shape of a body, and those that colliders add; its visuals where it has some."""
    own = [] if body["shape"] is None else [body["shape"]]
    return [*own, *body.get("more", []), *body.get("visuals", [])]


def scene_solid(shapes: list[dict[str, Any]]) -> Solid:
    """Shapes as one solid, in the frame of their body.

    >>> len(scene_solid([{"kind": "box", "size": [1, 1, 1], "position": [0, 0, 0], "rotation": [1, 0, 0, 0]}]).corners)
    12
    """
    made = Solid(np.zeros((0, 3, 3)), np.zeros(0, dtype=np.int64))
    for shape in shapes:
        if shape["kind"] in ("rod", "pin"):
            ends = np.array(shape["from"], dtype=float), np.array(shape["to"], dtype=float)
            made = made + rod(*ends, shape["radius"], closed=shape["kind"] == "pin")
        elif shape["kind"] == "mesh":
            corners = mesh_corners(shape)
            mesh = Solid(corners, np.zeros(len(corners), dtype=np.int64))
            made = made + mesh.moved(Frame(shape["position"], shape["rotation"]))
        else:
            known = shape_from(shape)
            assert known is not None, shape["kind"]
            made = made + solid(known)
    return made


def mesh_corners(shape: dict[str, Any]) -> Floats:
    """Corners of the triangles of a mesh, (n, 3, 3), in its own frame."""
    if "faces" not in shape:
        return np.asarray(shape["triangles"], dtype=float)
    points, faces = np.asarray(shape["points"], dtype=float), np.asarray(shape["faces"], dtype=np.int64)
    return np.asarray(points.reshape(-1, 3)[faces.reshape(-1, 3)])


def parts_by_colour(
    shapes: list[dict[str, Any]], colour: Sequence[float]
) -> list[tuple[Sequence[float], list[dict[str, Any]]]]:
    """Shapes by their colours (red, green, blue, opacity from 0 to 1); `colour` is that of those that have none.

    >>> ball = {"kind": "sphere", "radius": 1.0, "position": [0, 0, 0], "rotation": [1, 0, 0, 0]}
    >>> [(c, len(found)) for c, found in parts_by_colour([ball, {**ball, "colour": [1, 0, 0, 1]}, ball], (0, 0, 1, 1))]
    [((0, 0, 1, 1), 2), ((1, 0, 0, 1), 1)]
    """
    found: dict[tuple[float, ...], list[dict[str, Any]]] = {}
    for facts in shapes:
        found.setdefault(tuple(facts.get("colour", colour)), []).append(facts)
    return [(key, some) for key, some in found.items() if key[3] > 0.0]


def coloured_solids(shapes: list[dict[str, Any]], colour: Any) -> list[tuple[Any, Solid]]:
    """Shapes as solids for a canvas, each with its colour; `colour` (red, green, blue) is that of those without."""
    own = (*colour, 1.0)
    return [
        (found if found == own else (*np.divide(found[:3], BRIGHTEST), found[3]), scene_solid(some))
        for found, some in parts_by_colour(shapes, own)
    ]


def matrix(q: Any) -> Floats:
    """The rotation matrix of a quaternion, w first."""
    w, x, y, z = (float(part) for part in q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def outside(facts: dict[str, Any], point: Any) -> bool:
    """Whether a point of the body lies outside its shape.

    >>> ball = {"kind": "sphere", "radius": 1.0, "position": [0, 0, 0], "rotation": [1, 0, 0, 0]}
    >>> outside(ball, [0, 0, 0.9]), outside(ball, [0, 0, 1.1])
    (False, True)
    """
    p = np.abs(matrix(facts["rotation"]).T @ np.subtract(point, facts["position"]))
    match facts["kind"]:
        case "box":
            beyond = float(np.max(p - np.asarray(facts["size"]) / 2))
        case "cylinder":
            beyond = max(math.hypot(p[0], p[1]) - facts["radius"], p[2] - facts["length"] / 2)
        case "capsule":
            beyond = math.hypot(p[0], p[1], max(0.0, p[2] - facts["length"] / 2)) - facts["radius"]
        case "sphere":
            beyond = float(np.linalg.norm(p)) - facts["radius"]
        case _:
            return False
    return beyond > 1e-9


def sheet(plane: dict[str, Any], centre: Any, half: float) -> dict[str, Any]:
    """The part of a plane that lies under a point: a square, `half` as wide to each side and as far as the point is.

    It is seen from its front alone, and transparent from behind.

    >>> level = {"kind": "plane", "position": [0, 0, 1.0], "rotation": [1, 0, 0, 0]}
    >>> sheet(level, (5, 0, 2), 1.0)["triangles"][0]
    [[3.0, -2.0, 0.0], [7.0, -2.0, 0.0], [7.0, 2.0, 0.0]]
    """
    x, y, high = matrix(plane["rotation"]).T @ np.subtract(centre, plane["position"])
    half += abs(high)
    a, b, c, d = ([float(x + i * half), float(y + j * half), 0.0] for i, j in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
    return {**plane, "kind": "mesh", "triangles": [[a, b, c], [a, c, d]], "front": True}


def is_floor(facts: dict[str, Any], floor: float | None, tolerance: float = 1e-9) -> bool:
    """Whether a shape is the level plane at the height of the floor, m, where there is one.

    >>> level = {"kind": "plane", "position": [0, 0, 1.0], "rotation": [1, 0, 0, 0]}
    >>> is_floor(level, 1.0), is_floor(level, 0.0), is_floor(level, None)
    (True, False, False)
    """
    level = facts["kind"] == "plane" and matrix(facts["rotation"])[2, 2] > 1 - 1e-12
    return bool(level and floor is not None and abs(facts["position"][2] - floor) < tolerance)


def facing(sheet: dict[str, Any], towards: Floats, pose: Frame | None = None) -> float:
    """How far a sheet is turned towards a viewer in a direction: 1 fully, 0 edge on; `pose` is that of its body."""
    normal = matrix(sheet["rotation"])[:, 2]
    return float((normal if pose is None else pose.matrix @ normal) @ towards)


def seen_from(facts: dict[str, Any], towards: Floats, pose: Frame | None = None) -> bool:
    """Whether a shape is seen by a viewer in a direction: all but sheets from behind."""
    return not facts.get("front") or facing(facts, towards, pose) > 0.0


def road_grid(road: dict[str, Any]) -> Floats:
    """The points of a strip of road, (across, along, 3).

    >>> road_grid({"x": [0.0, 1.0], "y": [0.0], "z": [[0.0, 0.1]]}).tolist()
    [[[0.0, 0.0, 0.0], [1.0, 0.0, 0.1]]]
    """
    x, y = np.meshgrid(road["x"], road["y"])
    return np.stack([x, y, np.asarray(road["z"], dtype=float)], axis=-1)


def road_mesh(road: dict[str, Any]) -> dict[str, Any]:
    """A strip of road as a mesh in the world."""
    triangles = quads(road_grid(road), 0).corners[:, ::-1].tolist()
    return {"kind": "mesh", "triangles": triangles, "position": [0.0] * 3, "rotation": [1.0, 0.0, 0.0, 0.0]}
