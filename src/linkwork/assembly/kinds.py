"""A joint is two short lists of words: its motions, for the tree, and its parts, for a loop that it closes."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from linkwork.assembly.tables import Floats
from linkwork.model import Frame
from linkwork.spatial import codes

X, Y, Z = 0, 1, 2


class JointMotion(NamedTuple):
    """One motion of a joint: its code, the axis of the joint frame it goes about or along, its numbers in q and v."""

    code: int
    axis: int = Z
    nq: int = 1
    nv: int = 1


class JointRow(NamedTuple):
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
    motions: tuple[JointMotion, ...]
    parts: tuple[JointRow, ...]
    measures: tuple[Measure, ...]
    coordinate_units: tuple[str, ...]


TURN = JointMotion(codes.TURN)
COINCIDE = (JointRow(codes.ALONG, X), JointRow(codes.ALONG, Y), JointRow(codes.ALONG, Z))
IN_LINE = (JointRow(codes.ALONG, X), JointRow(codes.ALONG, Y))
IN_PLANE = (JointRow(codes.ALONG, Z),)
PARALLEL = (JointRow(codes.CROSSED, X, Z), JointRow(codes.CROSSED, Y, Z))
PERPENDICULAR = (JointRow(codes.CROSSED, Y, X),)
ANGLE = Measure(codes.ANGLE_Z)
SLIDING = Measure(codes.OFFSET)

KINDS = {
    "fixed": Kind((JointMotion(codes.WELD, Z, 0, 0),), COINCIDE + PARALLEL + PERPENDICULAR, (), ()),
    "revolute": Kind((TURN,), COINCIDE + PARALLEL, (ANGLE,), ("rad",)),
    "prismatic": Kind((JointMotion(codes.SLIDE),), IN_LINE + PARALLEL + PERPENDICULAR, (SLIDING,), ("m",)),
    "cylindrical": Kind((TURN, JointMotion(codes.SLIDE)), IN_LINE + PARALLEL, (ANGLE, SLIDING), ("rad", "m")),
    "screw": Kind(
        (JointMotion(codes.HELICAL),),
        IN_LINE + PARALLEL + (JointRow(codes.COUPLE),),
        (Measure(codes.ANGLE_SCREW),),
        ("rad",),
    ),
    "universal": Kind(
        (JointMotion(codes.TURN, X), JointMotion(codes.TURN, Y)),
        COINCIDE + (JointRow(codes.CROSSED, X, Y),),
        (Measure(codes.ANGLE_FIRST), Measure(codes.ANGLE_SECOND)),
        ("rad", "rad"),
    ),
    "ball": Kind((JointMotion(codes.SWING, Z, 4, 3),), COINCIDE, (Measure(codes.ATTITUDE, Z, 4, 3),), ("1",)),
    "planar": Kind(
        (JointMotion(codes.SLIDE, X), JointMotion(codes.SLIDE, Y), TURN),
        IN_PLANE + PARALLEL,
        (Measure(codes.OFFSET, X), Measure(codes.OFFSET, Y), ANGLE),
        ("m", "m", "rad"),
    ),
    "free": Kind(
        (JointMotion(codes.FREE, Z, 7, 6),),
        (),
        (
            Measure(codes.OFFSET, X),
            Measure(codes.OFFSET, Y),
            Measure(codes.OFFSET, Z),
            Measure(codes.ATTITUDE_OUTER, Z, 4, 3),
        ),
        ("m", "m", "m", "1"),
    ),
    "distance": Kind((), (JointRow(codes.DISTANCE),), (), ()),  # always a cut
}

# turns z of a link's frame onto x, y or z of the joint's frame
ONTO = (
    np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
    np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]),
    np.eye(3),
)
# the same, for a joint walked from b to a: the axis points back
BACK = np.diag([1.0, -1.0, -1.0])


def coordinates(kind: str, relative: Frame, pitch: float = 0.0) -> Floats:
    """The coordinates of a joint whose frame b stands at `relative` in its frame a; `pitch` of a screw in m/rad."""
    R = relative.matrix
    p = relative.position
    angle = math.atan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])
    turns = round((p[2] / pitch - angle) / (2.0 * math.pi)) if pitch else 0
    values: dict[str, list[float]] = {
        "fixed": [],
        "revolute": [angle],
        "prismatic": [p[2]],
        "cylindrical": [angle, p[2]],
        "screw": [angle + 2.0 * math.pi * turns],
        "universal": [math.atan2(R[2, 1], R[1, 1]), math.atan2(R[0, 2], R[0, 0])],
        "ball": list(relative.rotation),
        "planar": [p[0], p[1], angle],
        "free": [*p, *relative.rotation],
        "distance": [],
    }
    return np.array(values[kind], dtype=float)


def misfit(kind: str, relative: Frame, pitch: float = 0.0) -> tuple[float, float]:
    """How far (m, rad) `relative` is from anything such a joint can do."""
    rest = placed(kind, coordinates(kind, relative, pitch), pitch).inverse() @ relative
    w, x, y, z = rest.rotation.tolist()
    return math.hypot(*rest.position), 2.0 * math.atan2(math.hypot(x, y, z), abs(w))


def placed(kind: str, q: Floats, pitch: float = 0.0) -> Frame:
    """Where frame b of a joint stands in its frame a: the way back from `coordinates`."""
    if kind == "fixed":
        return Frame()
    if kind in ("ball", "free"):
        return Frame((0.0, 0.0, 0.0) if kind == "ball" else q[:3], q[-4:])
    if kind == "universal":
        return _turn(q[0], X) @ _turn(q[1], Y)
    if kind == "planar":
        return Frame((q[0], q[1], 0.0)) @ _turn(q[2], Z)
    along = {"prismatic": q[0], "cylindrical": q[-1], "screw": pitch * q[0]}.get(kind, 0.0)
    return Frame((0.0, 0.0, along)) @ _turn(0.0 if kind == "prismatic" else q[0], Z)


def _turn(angle: float, axis: int) -> Frame:
    quaternion = [math.cos(angle / 2), 0.0, 0.0, 0.0]
    quaternion[1 + axis] = math.sin(angle / 2)
    return Frame(rotation=quaternion)
