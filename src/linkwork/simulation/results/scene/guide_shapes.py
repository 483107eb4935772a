"""Curves and surfaces that hold points as shapes for the eye: a thin wire, a sheet."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwork.model import Frame, GuideCurve, GuideSurface, Joint, Slot, SurfaceJoint

THIN = 0.005  # radius of a wire, of the extent of its curve
ROUND = 6  # corners of a wire
MOST = 240  # points along a curve
SIDE = 33  # points along a side of a sheet


def guide_facts(joint: Joint, frame_a: Frame) -> dict[str, Any] | None:
    """The wire or sheet of a joint as a shape of its body a; None for a joint without one.

    >>> model = lw.Model("wire")
    >>> bead = model.body("bead", mass=0.1, shape=lw.Sphere(0.02))
    >>> slot = model.slot("wire", "ground", bead, lw.GuideCurve.line((0, 0, 0), (1, 0, 0)))
    >>> len(guide_facts(slot, slot.frame_a)["triangles"])
    12
    """
    if isinstance(joint, Slot):
        triangles = wire(joint.curve)
    elif isinstance(joint, SurfaceJoint) and joint.surface.kind == "heights":
        triangles = landscape(joint.surface)
    else:
        return None
    pose = {"position": [float(x) for x in frame_a.position], "rotation": [float(x) for x in frame_a.rotation]}
    return {"kind": "mesh", "triangles": triangles.tolist(), "guide": joint.path, **pose}


def held_on_guide(joint: Joint, frame_a: Frame) -> list[float] | None:
    """The point of a slot nearest to the centre of mass of its body a, in its frame; None for other joints."""
    if not isinstance(joint, Slot):
        return None
    curve = joint.curve
    nearest = curve.point(curve.nearest(frame_a.inverse().point(joint.a.com)))
    return [float(x) for x in frame_a.point(nearest)]


def wire(curve: GuideCurve) -> Any:
    """Triangles (triangle, corner, 3) of a thin tube along a curve."""
    pieces = curve.pieces
    bent = len(pieces.span) > 1 or bool(np.any(pieces.bend[:, 2:]))
    parts = max(1, min(8, MOST // len(pieces.span))) if bent else 1
    centres, rings = [], []
    around = np.linspace(0.0, 2.0 * math.pi, ROUND, endpoint=False)
    for k, h in enumerate(pieces.span):
        last = k + 1 == len(pieces.span)
        for j in range(parts + 1 if last else parts):
            first, second = (
                (1 - j / parts) * pieces.normal[k, e] + j / parts * pieces.normal[k, e + 1] for e in (0, 2)
            )
            centres.append(curve.piece_point(k, float(h) * j / parts))
            rings.append(np.outer(np.cos(around), first) + np.outer(np.sin(around), second))
    middle = np.array(centres)
    radius = THIN * float(np.linalg.norm(np.ptp(middle, axis=0)))
    return _skin(middle[:, None] + radius * np.array(rings), around=True)


def landscape(surface: GuideSurface) -> Any:
    """Triangles of a field of heights."""
    x, y = (np.linspace(axis[0], axis[-1], SIDE) for axis in (surface.x, surface.y))
    return _skin(np.array([[(a, b, surface.height(float(a), float(b))) for b in y] for a in x]), around=False)


def _skin(grid: Any, around: bool) -> Any:
    """Triangles between the points of a grid (row, column, 3); `around`: its last column meets the first."""
    if around:
        grid = np.concatenate([grid, grid[:, :1]], axis=1)
    a, b, c, d = grid[:-1, :-1], grid[1:, :-1], grid[1:, 1:], grid[:-1, 1:]
    return np.concatenate([np.stack([a, b, c], axis=2), np.stack([a, c, d], axis=2)]).reshape(-1, 3, 3)
