"""Surfaces that guide a point: planes, cylinders, spheres, and heights over a grid. Data only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.checked import Vector, VectorLike

SurfaceKind = Literal["plane", "cylinder", "sphere", "heights"]


@dataclass(frozen=True, eq=False, repr=False)
class GuideSurface:
    """A surface on which `model.surface` holds a point of a body, in the frame of the body that has it. Metres.

    Made by `GuideSurface.plane`, `.cylinder`, `.sphere` or `.heights`. The point may be on either side of it: it is
    held on the surface, it does not rest on it.

    >>> lw.GuideSurface.sphere(2.0)
    <guide surface: sphere>
    """

    kind: SurfaceKind
    center: Vector
    axis: Vector
    radius: float = 0.0
    x: Any = None  # (i,) rising
    y: Any = None  # (j,) rising
    cells: Any = None  # (i - 1, j - 1, 4, 4) powers of x - x[i] and y - y[j]
    z: Any = None  # (i, j) heights at x[i], y[j]

    @classmethod
    def plane(cls, normal: VectorLike, *, center: VectorLike = (0.0, 0.0, 0.0)) -> GuideSurface:
        """The plane through `center` (m) across `normal`.

        >>> lw.GuideSurface.plane((0, 0, 1))
        <guide surface: plane>
        """
        return cls._made("plane", normal, center)

    @classmethod
    def cylinder(cls, radius: float, axis: VectorLike, *, center: VectorLike = (0.0, 0.0, 0.0)) -> GuideSurface:
        """All points at `radius` (m) from the line through `center` along `axis`.

        >>> lw.GuideSurface.cylinder(0.2, (0, 0, 1))
        <guide surface: cylinder>
        """
        return cls._made("cylinder", axis, center, radius)

    @classmethod
    def sphere(cls, radius: float, *, center: VectorLike = (0.0, 0.0, 0.0)) -> GuideSurface:
        """All points at `radius` (m) from `center`.

        >>> lw.GuideSurface.sphere(2.0, center=(0, 0, 2)).radius
        2.0
        """
        return cls._made("sphere", (0.0, 0.0, 1.0), center, radius)

    @classmethod
    def heights(cls, x: VectorLike, y: VectorLike, z: Any) -> GuideSurface:
        """z over x and y, m: z[i][j] is the height at x[i], y[j]; between them a bicubic spline.

        Its slope and curvature are continuous. A run that leaves the grid stops with an error.

        >>> x = np.linspace(-1, 1, 9)
        >>> bowl = lw.GuideSurface.heights(x, x, 0.5 * (x[:, None] ** 2 + x**2))
        >>> round(float(bowl.height(0.3, 0.1)), 9)
        0.05
        """
        from scipy.interpolate import CubicSpline  # here, because it takes a third of a second

        what = "GuideSurface.heights"
        a, b = (checked.array(each, what, o, "a list of rising numbers") for each, o in ((x, "x"), (y, "y")))
        values = checked.array(z, what, "z", "a table of heights in metres")
        for axis, option in ((a, "x"), (b, "y")):
            if axis.ndim != 1 or len(axis) < 4 or (np.diff(axis) <= 0.0).any():
                raise ModelError(f"{what}: {option} must be four rising numbers or more; correct {option}=")
        if values.shape != (len(a), len(b)):
            raise ModelError(
                f"{what}: z must have {len(a)} rows of {len(b)} heights, one for each x and y, got shape {values.shape}"
            )
        along_x = CubicSpline(a, values).c[::-1]  # (power of x, i, j of a point)
        both = CubicSpline(b, along_x, axis=2).c[::-1]  # (power of y, j, power of x, i)
        cells = np.ascontiguousarray(np.transpose(both, (3, 1, 2, 0)))
        for numbers in (a, b, cells):
            numbers.flags.writeable = False
        return cls("heights", np.zeros(3), np.array((0.0, 0.0, 1.0)), 0.0, a, b, cells, values)

    @classmethod
    def _made(
        cls, kind: SurfaceKind, axis: VectorLike, center: VectorLike, radius: float | None = None
    ) -> GuideSurface:
        what = f"GuideSurface.{kind}"
        size = 0.0 if radius is None else checked.positive(radius, what, "radius", "metres")
        way = checked.direction(axis, what, "normal" if kind == "plane" else "axis")
        return cls(kind, checked.vector(center, what, "center", 3, "metres"), way, size)

    def height(self, x: float, y: float) -> float:
        """z (m) of a surface made by `heights`."""
        if self.kind != "heights":
            raise ModelError(f"a {self.kind} is not given by heights; only GuideSurface.heights has them")
        i, j = (
            min(max(int(np.searchsorted(axis, at, "right")) - 1, 0), len(axis) - 2)
            for axis, at in ((self.x, x), (self.y, y))
        )
        return float((x - self.x[i]) ** np.arange(4) @ self.cells[i, j] @ (y - self.y[j]) ** np.arange(4))

    @property
    def size(self) -> float:
        """How large it is, m; 0 for a plane."""
        return self.radius if self.kind != "heights" else float(max(np.ptp(self.x), np.ptp(self.y)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, GuideSurface) and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in self.__dataclass_fields__
        )

    def __hash__(self) -> int:
        return hash((self.kind, self.center.tobytes(), self.radius))

    def __repr__(self) -> str:
        return f"<guide surface: {self.kind}>"
