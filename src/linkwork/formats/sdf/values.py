"""Values of SDF: what stands as text inside an element, and poses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager

from linkwork.errors import ModelError
from linkwork.formats.xml_tree import XmlElement
from linkwork.model.frame import Frame

NO_LIMIT = 1e16  # what is as large as this means infinite in the older versions


def text_of(element: XmlElement, tag: str, default: str = "") -> str:
    """The text of a child, without blanks at its ends."""
    child = element.one(tag)
    return default if child is None else child.text.strip()


def number_of(element: XmlElement, tag: str, default: float) -> float:
    """The number in a child; it may be infinite where it says so."""
    child = element.one(tag)
    if child is None:
        return default
    try:
        value = math.nan if "_" in child.text else float(child.text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        child.wrong(f"its text is '{child.text.strip()[:60]}' but must be one number; correct it")
    return math.copysign(math.inf, value) if abs(value) >= NO_LIMIT else value


def finite_of(element: XmlElement, tag: str, default: float) -> float:
    """The finite number in a child."""
    child = element.one(tag)
    return default if child is None else child.own_numbers(1)[0]


def vector_of(element: XmlElement, tag: str, default: tuple[float, ...]) -> tuple[float, ...]:
    """The finite numbers in a child, as many as the default has."""
    child = element.one(tag)
    return default if child is None else child.own_numbers(len(default))


def flag(text: str, element: XmlElement) -> bool:
    """True or false from a text."""
    word = text.strip().lower()
    if word not in ("true", "false", "1", "0"):
        element.wrong(f"'{text.strip()[:60]}' is neither true nor false; correct it")
    return word in ("true", "1")


def flag_of(element: XmlElement, tag: str, default: bool = False) -> bool:
    """True or false in a child."""
    child = element.one(tag)
    return default if child is None else flag(child.text, child)


def raw_pose(pose: XmlElement | None) -> Frame:
    """The numbers of a <pose>, in whatever frame they are given."""
    if pose is None:
        return Frame()
    degrees, form = degrees_and_format(pose)
    if not pose.text.split():
        return Frame()
    if form == "quat_xyzw":
        x, y, z, qx, qy, qz, qw = pose.own_numbers(7)
        with saying(pose):
            return Frame((x, y, z), (qw, qx, qy, qz))
    x, y, z, *angles = pose.own_numbers(6)
    roll, pitch, yaw = (math.radians(angle) if degrees else angle for angle in angles)
    with saying(pose):
        return Frame((x, y, z), quaternion(roll, pitch, yaw))


def degrees_and_format(pose: XmlElement) -> tuple[bool, str]:
    """Whether the angles of a <pose> are in degrees, and how its rotation is written."""
    form = pose.get("rotation_format", "euler_rpy") or "euler_rpy"
    if form not in ("euler_rpy", "quat_xyzw"):
        pose.wrong(f"rotation_format '{form[:40]}' is not known; give euler_rpy or quat_xyzw")
    return flag(pose.get("degrees", "false") or "false", pose), form


def quaternion(roll: float, pitch: float, yaw: float) -> tuple[float, float, float, float]:
    """Of turns about the fixed axes x, y, z, one after the other (rad).

    >>> quaternion(0.0, 0.0, 0.0)
    (1.0, 0.0, 0.0, 0.0)
    """
    (cr, sr), (cp, sp), (cy, sy) = ((math.cos(angle / 2), math.sin(angle / 2)) for angle in (roll, pitch, yaw))
    return (
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    )


@contextmanager
def saying(element: XmlElement) -> Iterator[None]:
    """Refusals of the model name the place in the file too."""
    try:
        yield
    except ModelError as error:
        if str(error).startswith(f"{element.file}, line "):
            raise
        element.wrong(str(error))
