"""Frames: where something is and how it is turned, seen from an outer frame."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NoReturn, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.checked import Vector, VectorLike

RotationLike: TypeAlias = Sequence[float] | Sequence[Sequence[float]] | NDArray[Any]
Quaternion: TypeAlias = tuple[float, float, float, float]


class Frame:
    """A pose: `position` in metres and `rotation` as a quaternion w, x, y, z (or a 3x3 matrix), never changed.

    The rotation takes components in this frame to components in the outer frame. A quaternion is normalised.

    >>> hinge = lw.Frame(position=(1, 0, 0), rotation=(0, 0, 0, 1))  # one metre along x, turned half round z
    >>> hinge.point((1, 0, 0)).tolist()
    [0.0, 0.0, 0.0]
    >>> (hinge @ hinge.inverse()) == lw.Frame()
    True
    """

    __slots__ = ("position", "rotation")

    position: Vector
    rotation: Vector

    def __init__(self, position: VectorLike = (0.0, 0.0, 0.0), rotation: RotationLike = (1.0, 0.0, 0.0, 0.0)) -> None:
        self._fill(position, rotation, "Frame")

    def _fill(self, position: Any, rotation: Any, what: str) -> None:
        place = checked.vector(position, what, "position", 3, "metres")
        turn = np.array(_quaternion(rotation, what))
        turn.flags.writeable = False
        object.__setattr__(self, "position", place)
        object.__setattr__(self, "rotation", turn)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a Frame is never changed; make a new one instead of setting {name}")

    @classmethod
    def kept(cls, position: Sequence[float], rotation: Sequence[float]) -> Frame:
        """A frame from the numbers of another one, to the last bit: nothing is normalised again.

        >>> other = lw.Frame((1, 2, 3), (0.1, 0.2, 0.3, 0.4))
        >>> Frame.kept(other.position.tolist(), other.rotation.tolist()).rotation.tobytes() == other.rotation.tobytes()
        True
        """
        frame = object.__new__(cls)
        for name, values in (("position", position), ("rotation", rotation)):
            array = np.array(values, dtype=float)
            array.flags.writeable = False
            object.__setattr__(frame, name, array)
        return frame

    @classmethod
    def along(cls, axis: VectorLike, at: VectorLike = (0.0, 0.0, 0.0)) -> Frame:
        """The frame at `at` (metres) whose z points along `axis`, reached from the outer frame by the shortest turn.

        >>> lw.Frame.along((0, 0, 5)) == lw.Frame()
        True
        """
        x, y, z = checked.direction(axis, "Frame.along", "axis").tolist()
        away = x * x + y * y
        if z < 0.0 and away < 1e-32:  # straight back, as far as numbers tell: half a turn about x
            return cls(at, (0.0, 1.0, 0.0, 0.0))
        # 1 + z, written so that it keeps its digits when the axis points almost straight back
        return cls(at, (1.0 + z if z >= 0.0 else away / (1.0 - z), -y, x, 0.0))

    @classmethod
    def axes(cls, x: VectorLike, y: VectorLike, at: VectorLike = (0.0, 0.0, 0.0)) -> Frame:
        """The frame at `at` (metres) with its x along `x` and its y along `y`, which must be perpendicular.

        >>> lw.Frame.axes((0, 1, 0), (-1, 0, 0)).matrix.round(12).tolist()
        [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
        """
        first = checked.direction(x, "Frame.axes", "x")
        second = checked.direction(y, "Frame.axes", "y")
        cosine = float(first @ second)
        if abs(cosine) > checked.PERPENDICULAR:
            angle = math.degrees(math.acos(max(-1.0, min(1.0, cosine))))
            raise ModelError(f"Frame.axes: x and y are {angle:.6g} degrees apart; give two perpendicular directions")
        second = second - cosine * first
        second = second / math.sqrt(float(second @ second))
        return cls(at, np.column_stack((first, second, np.cross(first, second))))

    @property
    def matrix(self) -> Vector:
        """The rotation as a 3x3 matrix: its columns are the frame's axes in outer components."""
        w, x, y, z = self.rotation.tolist()
        return np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        )

    def __matmul__(self, inner: Frame) -> Frame:
        """`a @ b`: the frame b, known inside a, seen from where a is seen."""
        if not isinstance(inner, Frame):
            return NotImplemented
        a, b, c, d = self.rotation.tolist()
        w, x, y, z = inner.rotation.tolist()
        turn = (
            a * w - b * x - c * y - d * z,
            a * x + b * w + c * z - d * y,
            a * y - b * z + c * w + d * x,
            a * z + b * y - c * x + d * w,
        )
        length = math.hypot(*turn)  # always divided by: products must not wander from length one
        return Frame(self.point(inner.position), [part / length for part in turn])

    def inverse(self) -> Frame:
        """The outer frame seen from this one."""
        w, x, y, z = self.rotation.tolist()
        return Frame(-(self.matrix.T @ self.position), (w, -x, -y, -z))

    def point(self, x: VectorLike) -> Vector:
        """A point given in this frame, in outer coordinates (metres)."""
        result: Vector = self.position + self.matrix @ np.asarray(x, dtype=np.float64)
        return result

    def direction(self, x: VectorLike) -> Vector:
        """A direction given in this frame, in outer components."""
        result: Vector = self.matrix @ np.asarray(x, dtype=np.float64)
        return result

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Frame):
            return NotImplemented
        return np.array_equal(self.position, other.position) and np.array_equal(self.rotation, other.rotation)

    def __hash__(self) -> int:
        return hash((*self.position.tolist(), *self.rotation.tolist()))

    def __reduce__(self) -> tuple[type[Frame], tuple[list[float], list[float]]]:
        return Frame, (self.position.tolist(), self.rotation.tolist())

    def __repr__(self) -> str:
        place = ", ".join(f"{value:g}" for value in self.position)
        turn = ", ".join(f"{value:g}" for value in self.rotation)
        return f"Frame(position=({place}), rotation=({turn}))"


def pose(position: VectorLike | None, rotation: RotationLike | None, what: str) -> Frame:
    """A Frame whose refusals name the part it is for; what is not given is zero."""
    frame = Frame.__new__(Frame)
    frame._fill(
        (0.0, 0.0, 0.0) if position is None else position, (1.0, 0.0, 0.0, 0.0) if rotation is None else rotation, what
    )
    return frame


def _quaternion(rotation: Any, what: str) -> Quaternion:
    """A unit quaternion from a quaternion or a 3x3 matrix."""
    given = checked.array(rotation, what, "rotation", "a quaternion w, x, y, z or a 3x3 matrix")
    if given.shape == (3, 3):
        return unit(_from_matrix(given, what), what)
    if given.shape != (4,):
        raise ModelError(
            f"{what}: rotation must be a quaternion w, x, y, z or a 3x3 matrix, "
            f"got numbers of shape {given.shape}; correct rotation="
        )
    w, x, y, z = given.tolist()
    return unit((w, x, y, z), what)


def unit(quaternion: Quaternion, what: str, option: str = "rotation") -> Quaternion:
    """The quaternion at length one."""
    length = math.hypot(*quaternion)
    if length < 1e-150:
        raise ModelError(f"{what}: the quaternion of {option} is zero; give (1, 0, 0, 0) for no rotation")
    w, x, y, z = quaternion
    if abs(length - 1.0) <= checked.UNIT:
        return (w, x, y, z)
    return (w / length, x / length, y / length, z / length)


def _from_matrix(R: Vector, what: str) -> Quaternion:
    """The quaternion of a rotation matrix, from its largest component for accuracy."""
    if np.abs(R.T @ R - np.eye(3)).max() > 1e-6 or np.linalg.det(R) < 0.0:
        raise ModelError(
            f"{what}: the rotation matrix is not a rotation; give a right-handed matrix with "
            "perpendicular unit columns, or a quaternion w, x, y, z"
        )
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = R.tolist()
    candidates = (1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz)
    largest = max(range(4), key=candidates.__getitem__)
    if largest == 0:
        return (candidates[0], zy - yz, xz - zx, yx - xy)
    if largest == 1:
        return (zy - yz, candidates[1], xy + yx, xz + zx)
    if largest == 2:
        return (xz - zx, xy + yx, candidates[2], yz + zy)
    return (yx - xy, xz + zx, yz + zy, candidates[3])
