"""Kinds of joints as numbers: the codes of their motions, rows and measures; coordinates read off frames, and back."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwork.assembly.tables import Floats
from linkwork.model import Frame
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.spatial import codes

MOTION_CODES = {
    "weld": codes.WELD,
    "turn": codes.TURN,
    "slide": codes.SLIDE,
    "helical": codes.HELICAL,
    "swing": codes.SWING,
    "free": codes.FREE,
}
ROW_CODES = {
    "along": codes.ALONG,
    "crossed": codes.CROSSED,
    "couple": codes.COUPLE,
    "distance": codes.DISTANCE,
    "across": codes.ACROSS,
    "surface": codes.ON_SURFACE,
    "rim": codes.RIM,
    "slip": codes.SLIP,
    "tangent": codes.TANGENT,
}
MEASURE_CODES = {
    "angle": codes.ANGLE_Z,
    "offset": codes.OFFSET,
    "arc length": codes.ARC_LENGTH,
    "screw angle": codes.ANGLE_SCREW,
    "first angle": codes.ANGLE_FIRST,
    "second angle": codes.ANGLE_SECOND,
    "attitude": codes.ATTITUDE,
    "outer attitude": codes.ATTITUDE_OUTER,
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
    readings = [_reading(measure.word, measure.axis, relative, pitch) for measure in KINDS[kind].measures]
    return np.concatenate([np.zeros(0), *readings])


def _reading(word: str, axis: int, relative: Frame, pitch: float) -> Any:
    """The numbers of one measure."""
    R, p = relative.matrix, relative.position
    if word == "offset":
        return [p[axis]]
    if word == "first angle":
        return [math.atan2(R[2, 1], R[1, 1])]
    if word == "second angle":
        return [math.atan2(R[0, 2], R[0, 0])]
    if word in ("attitude", "outer attitude"):
        return relative.rotation
    angle = math.atan2(R[1, 0] - R[0, 1], R[0, 0] + R[1, 1])
    turns = round((p[2] / pitch - angle) / (2.0 * math.pi)) if word == "screw angle" and pitch else 0
    return [angle + 2.0 * math.pi * turns]


def misfit(kind: str, relative: Frame, pitch: float = 0.0) -> tuple[float, float]:
    """How far (m, rad) `relative` is from anything such a joint can do."""
    rest = placed(kind, coordinates(kind, relative, pitch), pitch).inverse() @ relative
    w, x, y, z = rest.rotation.tolist()
    return math.hypot(*rest.position), 2.0 * math.atan2(math.hypot(x, y, z), abs(w))


def placed(kind: str, q: Floats, pitch: float = 0.0) -> Frame:
    """Where frame b of a joint stands in its frame a: the way back from `coordinates`."""
    frame, first = Frame(), 0
    for motion in KINDS[kind].motions:
        frame = frame @ _moved(motion.word, motion.axis, q[first : first + motion.nq], pitch)
        first += motion.nq
    return frame


def _moved(word: str, axis: int, q: Floats, pitch: float) -> Frame:
    """Where one motion leads."""
    if word == "weld":
        return Frame()
    if word in ("swing", "free"):
        return Frame((0.0, 0.0, 0.0) if word == "swing" else q[:3], q[-4:])
    along = {"slide": q[0], "helical": pitch * q[0]}.get(word, 0.0)
    angle = 0.0 if word == "slide" else q[0]
    position, quaternion = np.zeros(3), np.zeros(4)
    position[axis] = along
    quaternion[0], quaternion[1 + axis] = math.cos(angle / 2), math.sin(angle / 2)
    return Frame(position, quaternion)
