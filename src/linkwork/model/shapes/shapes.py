"""Shapes: they define the mass properties, the picture and the contact surface of a body."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.checked import Vector, VectorLike
from linkwork.model.frame import Frame
from linkwork.model.shapes.thin_mesh import thinned

FLAT = 1e-12  # of the cube around it: a hull with less volume has none


@dataclass(frozen=True)
class Shape:
    """The base of all shapes: a `pose` in the body frame, a `volume` and the distribution of mass."""

    pose: Frame = field(default=Frame(), kw_only=True)

    def __post_init__(self) -> None:
        if not isinstance(self.pose, Frame):
            raise ModelError(f"{self._what}: pose must be a Frame; give pose=lw.Frame(position=..., rotation=...)")

    @property
    def _what(self) -> str:
        return type(self).__name__

    @property
    def volume(self) -> float:
        """Volume in cubic metres."""
        raise self._no_mass()

    @property
    def com(self) -> Vector:
        """Centre of mass in the body frame, metres."""
        return self.pose.point(self._own_com())

    def inertia_per_mass(self) -> Vector:
        """Inertia of one kilogram about the shape's own centre of mass, in body axes, square metres (3x3)."""
        R = self.pose.matrix
        inertia: Vector = R @ self._own_inertia() @ R.T
        return (inertia + inertia.T) / 2

    def _own_com(self) -> Vector:
        return np.zeros(3)

    def _own_inertia(self) -> Vector:
        raise self._no_mass()

    def _no_mass(self) -> ModelError:
        return ModelError(f"{self._what}: it is no body and has no mass; put it on a ground by model.collider")


@dataclass(frozen=True)
class Box(Shape):
    """A box centred on its frame; `size` holds the full lengths along x, y, z in metres.

    >>> lw.Box((1, 2, 3)).volume
    6.0
    """

    size: VectorLike

    def __post_init__(self) -> None:
        super().__post_init__()
        sides = checked.vector(self.size, "Box", "size", 3, "metres")
        if sides.min() <= 0.0:
            raise ModelError(
                f"Box: size is {tuple(sides.tolist())} but all three lengths must be positive; correct size="
            )
        object.__setattr__(self, "size", tuple(sides.tolist()))

    @property
    def volume(self) -> float:
        """Volume in cubic metres."""
        return float(self.size[0] * self.size[1] * self.size[2])

    def _own_inertia(self) -> Vector:
        x, y, z = (float(side) ** 2 / 12 for side in self.size)
        return np.diag((y + z, x + z, x + y))


@dataclass(frozen=True)
class Sphere(Shape):
    """A solid ball centred on its frame; `radius` in metres.

    >>> round(lw.Sphere(1.0).volume, 6)
    4.18879
    """

    radius: float

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "radius", checked.positive(self.radius, "Sphere", "radius", "metres"))

    @property
    def volume(self) -> float:
        """Volume in cubic metres."""
        return 4 / 3 * math.pi * self.radius**3

    def _own_inertia(self) -> Vector:
        result: Vector = 0.4 * self.radius**2 * np.eye(3)
        return result


@dataclass(frozen=True)
class Ellipsoid(Shape):
    """A solid ellipsoid centred on its frame; `radii` holds half its lengths along x, y, z in metres.

    >>> lw.Ellipsoid((1, 1, 1)).volume == lw.Sphere(1).volume
    True
    """

    radii: VectorLike

    def __post_init__(self) -> None:
        super().__post_init__()
        half = checked.vector(self.radii, "Ellipsoid", "radii", 3, "metres")
        if half.min() <= 0.0:
            raise ModelError(
                f"Ellipsoid: radii are {tuple(half.tolist())} but all three must be positive; correct radii="
            )
        object.__setattr__(self, "radii", tuple(half.tolist()))

    @property
    def volume(self) -> float:
        """Volume in cubic metres."""
        return 4 / 3 * math.pi * float(self.radii[0] * self.radii[1] * self.radii[2])

    def _own_inertia(self) -> Vector:
        x, y, z = (float(half) ** 2 / 5 for half in self.radii)
        return np.diag((y + z, x + z, x + y))

    def facets(self, around: int) -> tuple[Vector, Any]:
        """Points on it (n x 3, metres, in its frame) and triangles between them, for pictures.

        >>> points, faces = lw.Ellipsoid((1, 2, 3)).facets(8)
        >>> points.shape, faces.shape
        ((40, 3), (48, 3))
        """
        turn = np.arange(around) * 2 * math.pi / around
        up = np.linspace(-math.pi / 2, math.pi / 2, around // 2 + 1)[:, None]
        ball = np.stack([np.cos(up) * np.cos(turn), np.cos(up) * np.sin(turn), np.sin(up) + 0 * turn], axis=-1)
        a = np.arange(ball.size // 3).reshape(ball.shape[:2])
        b = np.roll(a, -1, axis=1)
        # no triangle has two corners at a pole
        lower = np.stack((a[1:-1], b[1:-1], b[2:]), axis=-1)
        upper = np.stack((a[:-2], b[1:-1], a[1:-1]), axis=-1)
        faces = np.concatenate([lower.reshape(-1, 3), upper.reshape(-1, 3)])
        return (ball * np.array(self.radii)).reshape(-1, 3), faces


@dataclass(frozen=True)
class Cylinder(Shape):
    """A cylinder along z, centred on its frame, hollow when `inner_radius` is given; all in metres.

    >>> lw.Cylinder(0.02, 1.0, inner_radius=0.01).com.tolist()
    [0.0, 0.0, 0.0]
    """

    radius: float
    length: float
    inner_radius: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "radius", checked.positive(self.radius, "Cylinder", "radius", "metres"))
        object.__setattr__(self, "length", checked.positive(self.length, "Cylinder", "length", "metres"))
        inner = checked.not_negative(self.inner_radius, "Cylinder", "inner_radius", "metres")
        if inner >= self.radius:
            raise ModelError(
                f"Cylinder: inner_radius {inner:g} leaves no wall inside radius {self.radius:g}; "
                "give inner_radius= smaller than radius="
            )
        object.__setattr__(self, "inner_radius", inner)

    @property
    def volume(self) -> float:
        """Volume in cubic metres."""
        return math.pi * (self.radius**2 - self.inner_radius**2) * self.length

    def _own_inertia(self) -> Vector:
        about = (self.radius**2 + self.inner_radius**2) / 2
        across = about / 2 + self.length**2 / 12
        return np.diag((across, across, about))


@dataclass(frozen=True)
class Capsule(Shape):
    """A cylinder along z with a half ball on each end; `length` is that of the cylinder, without the caps (metres).

    >>> lw.Capsule(radius=0.1, length=0.0).volume == lw.Sphere(0.1).volume
    True
    """

    radius: float
    length: float

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "radius", checked.positive(self.radius, "Capsule", "radius", "metres"))
        object.__setattr__(self, "length", checked.not_negative(self.length, "Capsule", "length", "metres"))

    @property
    def volume(self) -> float:
        """Volume in cubic metres."""
        return 4 / 3 * math.pi * self.radius**3 + math.pi * self.radius**2 * self.length

    def _own_inertia(self) -> Vector:
        r, length = self.radius, self.length
        caps, middle = 4 / 3 * r, length  # volumes, both divided by pi r^2
        about = caps * 0.4 * r**2 + middle * r**2 / 2
        across = caps * (0.4 * r**2 + length**2 / 4 + 3 / 8 * length * r) + middle * (r**2 / 4 + length**2 / 12)
        return np.diag((across, across, about)) / (caps + middle)


class Faceted(Shape):
    """A shape bounded by triangles (n x 3 corners x 3, metres, in its frame)."""

    triangles: Vector

    @property
    def volume(self) -> float:
        """Volume in cubic metres."""
        return self._solid[0]

    def _own_com(self) -> Vector:
        return self._solid[1]

    def _own_inertia(self) -> Vector:
        return self._solid[2]

    def drawn(self, most: int) -> tuple[list[Any], list[Any]]:
        """Points and faces for pictures, with at most so many triangles.

        >>> points, faces = lw.Hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]).drawn(1000)
        >>> len(points), len(faces)
        (4, 4)
        """
        if most not in self._drawn:
            points, faces = thinned(self.triangles, most)
            self._drawn[most] = points.tolist(), faces.tolist()
        return self._drawn[most]

    @cached_property
    def _drawn(self) -> dict[int, tuple[list[Any], list[Any]]]:
        return {}

    @cached_property
    def _solid(self) -> tuple[float, Vector, Vector]:
        return solid_of(self.triangles, self._what)


@dataclass(frozen=True)
class Hull(Faceted):
    """The convex solid around `points` (n x 3, metres, in the shape's frame): stones, wedges, gems.

    >>> wedge = lw.Hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
    >>> round(wedge.volume, 6), wedge.com.tolist()
    (0.166667, [0.25, 0.25, 0.25])
    """

    points: Any
    triangles: Vector = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        given = checked.array(self.points, "Hull", "points", "a list of points x, y, z in metres")
        if given.ndim != 2 or given.shape[1] != 3 or len(given) < 4:
            raise ModelError(f"Hull: points have shape {given.shape}; give four or more points of three numbers each")
        object.__setattr__(self, "points", tuple(tuple(point) for point in given.tolist()))
        object.__setattr__(self, "triangles", hull_triangles(given))


def solid_of(corners: Vector, what: str) -> tuple[float, Vector, Vector]:
    """Volume, centre of mass, inertia per mass about it, by the divergence theorem: tetrahedra from one point."""
    origin = corners.reshape(-1, 3).mean(axis=0)
    a, b, c = (corners[:, k] - origin for k in range(3))
    areas = np.cross(b - a, c - a)
    if np.abs(areas.sum(axis=0)).max() > 1e-6 * np.abs(areas).sum():
        raise ModelError(
            f"{what}: the surface has holes and encloses no volume; "
            "close it, or give the body mass=, inertia= and com= itself"
        )
    six_volumes = np.einsum("ni,ni->n", a, np.cross(b, c))
    volume = float(six_volumes.sum()) / 6
    size = float(np.ptp(corners.reshape(-1, 3), axis=0).max())
    if abs(volume) <= 1e-12 * size**3:
        raise ModelError(f"{what}: the surface encloses no volume; correct the file or its triangles' order")
    com = np.einsum("n,ni->i", six_volumes, a + b + c) / (24 * volume)
    # second moments of a tetrahedron with one corner at the origin: det/120 (sum x xT + (sum x)(sum x)T)
    second = sum(np.einsum("n,ni,nj->ij", six_volumes, x, x) for x in (a, b, c, a + b + c)) / (120 * volume)
    spread = second - np.outer(com, com)
    inertia: Vector = np.trace(spread) * np.eye(3) - spread
    return abs(volume), com + origin, inertia


def hull_triangles(points: Vector) -> Vector:
    """Corners of the triangles around a cloud of points, counter-clockwise seen from outside, (n, 3, 3)."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        hull = ConvexHull(points)
    except QhullError:
        hull = None
    if hull is None or hull.volume < FLAT * float(np.ptp(points, axis=0).max()) ** 3:
        raise ModelError("Hull: the points lie in a plane and enclose nothing; give points all around it")
    corners: Vector = points[hull.simplices]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.einsum("ni,ni->n", normals, hull.equations[:, :3]) < 0.0
    corners[inward] = corners[inward][:, ::-1]
    return corners
