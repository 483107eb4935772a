"""Meshes: surfaces of triangles, from a file or from memory."""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.errors import ModelError, ModelWarning
from linkwork.model import checked
from linkwork.model.checked import Vector, VectorLike
from linkwork.model.shapes.convex_parts import convex_parts
from linkwork.model.shapes.mended_mesh import Mended, mended
from linkwork.model.shapes.shapes import Faceted, Hull, solid_of

FARTHEST = 1e40  # m: the fifth power of it, which an inertia has, is still a number
CONVEX = 1e-3  # of its volume: a solid that fills its hull but for this is convex


@dataclass(frozen=True)
class Mesh(Faceted):
    """A closed surface of triangles, from an STL, OBJ, DAE or GLB file, or from `triangles` (n x 3 corners x 3, m).

    `scale` turns the file's unit into metres (0.001 for mm); three numbers scale x, y and z, and negative ones mirror.
    The mass properties are those of the solid inside: corners that lie together are one, triangles and shells that are
    inside out are turned, and small holes are filled, with a warning; `mended` tells what was done. A surface with
    larger holes can still be drawn: then give the body its mass=, inertia= and com=. For contact the mesh is split into
    convex pieces, whose union differs from it by at most the fraction `concavity` of its size; smaller values give more
    pieces. If the mesh is not convex, this needs the extra `mesh`. Two meshes are equal if their triangles are. If both
    a file and `triangles` are given, these are taken as the file's, scaled already, and it is not opened.

    >>> lw.Mesh("gear.stl", scale=0.001)  # doctest: +SKIP
    >>> corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    >>> round(lw.Mesh(triangles=lw.Hull(corners).triangles).volume, 6)
    0.166667
    """

    file: str | PathLike[str] | None = None
    scale: float | VectorLike = 1.0
    concavity: float = 0.05
    triangles: Vector = field(default=None, repr=False)  # type: ignore[arg-type]

    def __post_init__(self) -> None:
        super().__post_init__()
        given: Any = self.file
        if given is not None and not isinstance(given, (str, PathLike)):
            raise ModelError(f"Mesh: file is {checked.shown(given)} but must be a path; give the path of an STL file")
        if given is not None:
            object.__setattr__(self, "file", str(Path(given)))
        object.__setattr__(self, "scale", self._checked_scale())
        concavity = checked.positive(self.concavity, self._what, "concavity")
        if not 0.01 <= concavity <= 1.0:
            raise ModelError(f"{self._what}: concavity is {self.concavity!r}; give a fraction from 0.01 to 1")
        object.__setattr__(self, "concavity", concavity)
        triangles = self._read() if self.triangles is None else self._given()
        if not np.abs(triangles).max() < FARTHEST:
            raise ModelError(
                f"{self._what}: its corners are farther away than {FARTHEST:g} m; correct scale= or the file"
            )
        triangles.flags.writeable = False
        object.__setattr__(self, "triangles", triangles)

    def _checked_scale(self) -> float | tuple[float, ...]:
        """One positive number, or three that are not zero."""
        if checked.real(self.scale) is not None:
            return checked.positive(self.scale, self._what, "scale")
        factors = checked.vector(self.scale, self._what, "scale", 3, "metres per unit of the file")
        if not factors.all():
            raise ModelError(
                f"{self._what}: scale is {tuple(factors.tolist())}, which makes it flat; give positive "
                "numbers, or negative ones to mirror it"
            )
        return tuple(factors.tolist())

    def _read(self) -> Vector:
        """The triangles of the file in metres, counter-clockwise seen from outside where the file has them so."""
        if self.file is None:
            raise ModelError("Mesh: it has no triangles; give the path of an STL, OBJ, DAE or GLB file, or triangles=")
        from linkwork.formats.meshes.reading import read_mesh

        with np.errstate(over="ignore"):
            triangles: Vector = read_mesh(Path(self.file)) * np.asarray(self.scale)
        if np.prod(np.sign(self.scale)) < 0.0 and np.ndim(self.scale):
            triangles = np.ascontiguousarray(triangles[:, ::-1])
        return triangles

    def _given(self) -> Vector:
        """The triangles that the caller gave."""
        if self.file is None and self.scale != 1.0:
            raise ModelError("Mesh: triangles= are in metres already, and scale= is for files; leave it out")
        triangles = checked.array(self.triangles, self._what, "triangles", "an array of n x 3 corners x 3 metres")
        if triangles.ndim != 3 or triangles.shape[1:] != (3, 3) or len(triangles) == 0:
            raise ModelError(
                f"{self._what}: triangles have shape {triangles.shape}; give an array of n x 3 corners x 3, in metres"
            )
        return triangles

    @cached_property
    def digest(self) -> str:
        """A hash of the triangles: equal meshes have the same."""
        return hashlib.sha256(np.ascontiguousarray(self.triangles).tobytes()).hexdigest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mesh):
            return NotImplemented
        same = self.pose == other.pose and self.concavity == other.concavity
        return same and (self.triangles is other.triangles or self.digest == other.digest)

    def __hash__(self) -> int:
        return hash((self.pose, self.concavity, self.digest))

    @cached_property
    def _closed(self) -> Mended:
        """The surface as the boundary of a solid."""
        found = mended(self.triangles, self._what)
        if found.holes:
            told = f"{self._what} is mended: {found.told}; close it where it was made if that is not what you mean"
            warnings.warn(told, ModelWarning, stacklevel=4)
        return found

    @property
    def mended(self) -> str:
        """What was done to the surface before it enclosed a solid, in words; empty where nothing was.

        >>> lw.Mesh(triangles=lw.Hull([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]).triangles).mended
        ''
        """
        return self._closed.told

    @cached_property
    def _solid(self) -> tuple[float, Vector, Vector]:
        return solid_of(self._closed.triangles, self._what)

    @cached_property
    def parts(self) -> tuple[Hull, ...]:
        """The convex pieces that collide with other bodies.

        >>> len(lw.Mesh("gear.stl", scale=0.001).parts)  # doctest: +SKIP
        13
        """
        whole = Hull(self.triangles.reshape(-1, 3), pose=self.pose)
        full = self.volume > (1.0 - CONVEX) * whole.volume
        if full:
            return (whole,)
        pieces = convex_parts(self._closed.triangles, self.concavity, self._what)
        return tuple(Hull(points, pose=self.pose) for points in pieces)

    @property
    def _what(self) -> str:
        return "Mesh" if self.file is None else f"Mesh '{self.file}'"
