"""Numbers, names and poses as URDF writes them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any
from xml.sax.saxutils import quoteattr

from linkwork.model import Frame


def attribute(text: str) -> str:
    """A text in quotes."""
    return quoteattr(text)


def numbers(values: Iterable[Any]) -> str:
    """Numbers with all digits that count, with blanks between them.

    >>> numbers([0.1, -0.0, 2.0])
    '0.1 0 2'
    """
    return " ".join(_told(float(value)) for value in values)


def _told(value: float) -> str:
    text = repr(value + 0.0)  # no minus zero
    return text[:-2] if text.endswith(".0") else text


def pose(frame: Frame) -> str:
    """An <origin>: place, and turns about the fixed axes x, y, z.

    >>> pose(Frame((1, 2, 3)))
    '<origin xyz="1 2 3" rpy="0 0 0"/>'
    """
    return f'<origin xyz="{numbers(frame.position)}" rpy="{numbers(angles(frame))}"/>'


def angles(frame: Frame) -> tuple[float, float, float]:
    """Roll, pitch and yaw of a rotation; what is exact where these are not unique stays exact."""
    R = frame.matrix
    yaw = math.atan2(R[1, 0], R[0, 0])
    s, c = math.sin(yaw), math.cos(yaw)
    pitch = math.atan2(-R[2, 0], c * R[0, 0] + s * R[1, 0])
    roll = math.atan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return roll, pitch, yaw
