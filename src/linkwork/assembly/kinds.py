"""A joint is two short lists of words: its motions, for the tree, and its parts, for a loop that it closes."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from linkwork.assembly.tables import Floats
from linkwork.model import Frame
from linkwork.spatial import codes

X, Y, Z = 0, 1, 2


class Motion(NamedTuple):
    """One motion of a joint: its code, the axis of the joint frame it goes about or along, its numbers in q and v."""

    code: int
    axis: int = Z
    nq: int = 1
    nv: int = 1


class Part(NamedTuple):
    """One row: code, axis of frame a, axis of frame b."""

    code: int
    i: int = Z
    j: int = Z


class Measure(NamedTuple):
    """A coordinate read off the two frames of a joint that closes a loop."""

    code: int
    axis: int = Z
    nq: int = 1
    nv: int = 1


class Kind(NamedTuple):
    motions: tuple[Motion, ...]
    parts: tuple[Part, ...]
    measures: tuple[Measure, ...]
    coordinate_units: tuple[str, ...]


TURN = Motion(codes.TURN)
COINCIDE = (Part(codes.ALONG, X), Part(codes.ALONG, Y), Part(codes.ALONG, Z))
IN_LINE = (Part(codes.ALONG, X), Part(codes.ALONG, Y))
IN_PLANE = (Part(codes.ALONG, Z),)
PARALLEL = (Part(codes.CROSSED, X, Z), Part(codes.CROSSED, Y, Z))
PERPENDICULAR = (Part(codes.CROSSED, Y, X),)
ANGLE = Measure(codes.ANGLE_Z)
SLIDING = Measure(codes.OFFSET)

KINDS = {
    "fixed": Kind((Motion(codes.WELD, Z, 0, 0),), COINCIDE + PARALLEL + PERPENDICULAR, (), ()),
    "revolute": Kind((TURN,), COINCIDE + PARALLEL, (ANGLE,), ("rad",)),
    "prismatic": Kind((Motion(codes.SLIDE),), IN_LINE + PARALLEL + PERPENDICULAR, (SLIDING,), ("m",)),
    "cylindrical": Kind((TURN, Motion(codes.SLIDE)), IN_LINE + PARALLEL, (ANGLE, SLIDING), ("rad", "m")),
    "screw": Kind(
        (Motion(codes.HELICAL),),
        IN_LINE + PARALLEL + (Part(codes.COUPLE),),
        (Measure(codes.ANGLE_SCREW),),
        ("rad",),
    ),
    "universal": Kind(
        (Motion(codes.TURN, X), Motion(codes.TURN, Y)),
        COINCIDE + (Part(codes.CROSSED, X, Y),),
        (Measure(codes.ANGLE_FIRST), Measure(codes.ANGLE_SECOND)),
        ("rad", "rad"),
    ),
    "ball": Kind((Motion(codes.SWING, Z, 4, 3),), COINCIDE, (Measure(codes.ATTITUDE, Z, 4, 3),), ("1",)),
    "planar": Kind(
        (Motion(codes.SLIDE, X), Motion(codes.SLIDE, Y), TURN),
        IN_PLANE + PARALLEL,
        (Measure(codes.OFFSET, X), Measure(codes.OFFSET, Y), ANGLE),
        ("m", "m", "rad"),
    ),
    "free": Kind(
        (Motion(codes.FREE, Z, 7, 6),),
        (),
        (
            Measure(codes.OFFSET, X),
            Measure(codes.OFFSET, Y),
            Measure(codes.OFFSET, Z),
            Measure(codes.ATTITUDE_OUTER, Z, 4, 3),
        ),
        ("m", "m", "m", "1"),
    ),
}

# turns z of a link's frame onto x, y or z of the joint's frame
ONTO = (
    np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
    np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
    np.eye(3),
)
# the same, for a joint walked from b to a: the axis points back
BACK = np.diag([1.0, -1.0, -1.0])


def coordinates(kind: str, relative: Frame) -> Floats:
    """The coordinates of a joint whose frame b stands at `relative` in its frame a."""
    R = relative.matrix
    p = relative.position
    angle = math.atan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])
    values: dict[str, list[float]] = {
        "fixed": [],
        "revolute": [angle],
        "prismatic": [p[2]],
        "cylindrical": [angle, p[2]],
        "screw": [angle],
        "universal": [math.atan2(R[2, 1], R[1, 1]), math.atan2(R[0, 2], R[0, 0])],
        "ball": list(relative.rotation),
        "planar": [p[0], p[1], angle],
        "free": [*p, *relative.rotation],
    }
    return np.array(values[kind], dtype=float)
