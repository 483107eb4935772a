"""Bushings, elastic mounts between two bodies: the data, then the method of models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Never, TypeAlias

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.body import Body, Foreign, Ground
from linkwork.model.checked import Vector, VectorLike
from linkwork.model.container import Container
from linkwork.model.forces.force import ForceElement
from linkwork.model.frame import Frame
from linkwork.model.joints.joint_checks import place

BodyLike: TypeAlias = Body | str
SixLike: TypeAlias = VectorLike | Sequence[VectorLike]

AXES = ("along x", "along y", "along z", "about x", "about y", "about z")
EQUAL = 1e-9  # of an entry: what two that should be equal may differ by, and how far below zero an eigenvalue may be


@dataclass(frozen=True, eq=False, repr=False)
class Bushing(ForceElement):
    """An elastic mount between a and b with six axes: shifts along x, y, z of its frame on a, then turns about them.

    `stiffness` (N/m, N m/rad) and `damping` (N s/m, N m s/rad) are 6x6. It is unloaded where its frames on a and b
    coincide. Made by `model.bushing`.
    """

    a: Body
    b: Body
    at: Vector | None
    axis: Vector | None
    frame_a: Frame | None
    frame_b: Frame | None
    stiffness: Vector
    damping: Vector

    @property
    def about(self) -> str:
        """What it connects or acts on."""
        return f"{self.a.path} to {self.b.path}"


class BushingVerbs(Container):
    """The verb for bushings. Give bodies as objects or by name; it returns the new part."""

    def bushing(
        self,
        name: str,
        a: BodyLike,
        b: BodyLike,
        *,
        stiffness: SixLike | None = None,
        damping: SixLike | None = None,
        at: VectorLike | None = None,
        axis: VectorLike | None = None,
        frame_a: Frame | None = None,
        frame_b: Frame | None = None,
        **unknown: Never,
    ) -> Bushing:
        """A rubber bushing or an engine mount: b is held to a by springs and dampers along and about three axes.

        `stiffness` is six numbers, N/m along x, y, z and N m/rad about them, or a symmetric 6x6 matrix that couples
        them; `damping` likewise in N s/m and N m s/rad. The axes are those of its frame on a: it lies at the point `at`
        (m, in the coordinates of the model or subsystem), with the axes of these coordinates or with z along `axis`.
        Its frame on b coincides with it in the reference configuration, where the bushing is unloaded. Or give
        `frame_a` and `frame_b`, each in its body's frame, which coincide where it is unloaded.

        The turn is the rotation vector of b against a, so that a turn of any size up to half a turn about one axis
        twists with stiffness * angle. Columns: `name.force` and `name.torque` (N, N m, on b, at its point, world axes),
        `name.deflection` and `name.turn` (m, rad, of b against a, axes of its frame on a) and `name.power` (W, into the
        mechanism).

        >>> model = lw.Model("engine")
        >>> engine = model.body("engine", mass=120.0, shape=lw.Box((0.6, 0.5, 0.5)))
        >>> rubber = {"stiffness": (4e5, 4e5, 8e5, 2e4, 2e4, 1e4), "damping": (400, 400, 800, 20, 20, 10)}
        >>> mount = model.bushing("mount", model.ground, engine, at=(0, 0, -0.25), **rubber)
        >>> mount.stiffness.shape, float(mount.stiffness[2, 2])
        ((6, 6), 800000.0)
        """
        what = self._new("bushing", name)
        self._only_known("bushing", what, unknown)
        first, second = self._body(a, what), self._body(b, what)
        if first is second:
            raise ModelError(f"{what}: both its ends are on body '{first.path}'; give two different bodies")
        if all(isinstance(body, Ground) and not isinstance(body, Foreign) for body in (first, second)):
            raise ModelError(f"{what}: both '{first.path}' and '{second.path}' are grounds; let it hold a body")
        if stiffness is None and damping is None:
            raise ModelError(f"{what}: it has neither stiffness nor damping; give stiffness= or damping=")
        given = {"at": at, "axis": axis, "frame_a": frame_a, "frame_b": frame_b}
        placed = place(what, "ball", {option: value for option, value in given.items() if value is not None})
        amounts = six_by_six(stiffness, what, "stiffness"), six_by_six(damping, what, "damping")
        return self._keep(self.forces, Bushing(name, self, first, second, *placed, *amounts))


def six_by_six(value: Any, what: str, option: str) -> Vector:
    """Stiffness or damping as a symmetric 6x6 matrix that never feeds energy in; None is zero."""
    if value is None:
        return _kept(np.zeros((6, 6)))
    given = checked.array(value, what, option, "six numbers or a 6x6 matrix")
    if given.shape not in ((6,), (6, 6)):
        told = " x ".join(str(n) for n in given.shape) + (" numbers" if given.shape else "one number")
        raise ModelError(
            f"{what}: {option} is {told}; give {option}= six numbers, along x, y, z and about x, y, z, or a 6x6 matrix"
        )
    matrix = np.diag(given) if given.ndim == 1 else given
    diagonal = np.diag(matrix)
    if np.any(diagonal < 0.0):
        k = int(np.argmin(diagonal))
        raise ModelError(
            f"{what}: {option} {AXES[k]} is {diagonal[k]:g} but must not be negative; give zero or a positive {option}="
        )
    size = np.maximum(np.abs(matrix), np.abs(matrix.T))
    uneven = np.argwhere(np.abs(matrix - matrix.T) > EQUAL * size)
    if len(uneven):
        i, j = uneven[0]
        raise ModelError(
            f"{what}: {option} is not symmetric: entry [{i}, {j}] is {matrix[i, j]:g} and [{j}, {i}] is "
            f"{matrix[j, i]:g}; give {option}= a symmetric matrix"
        )
    matrix = 0.5 * (matrix + matrix.T)
    unit = np.where(diagonal > 0.0, np.sqrt(diagonal), 1.0)  # so that metres and radians compare
    values, vectors = np.linalg.eigh(matrix / np.outer(unit, unit))
    if values[0] < -EQUAL:
        way = vectors[:, 0] / unit
        told = ", ".join(f"{x:.3g}" for x in way / np.max(np.abs(way)))
        raise ModelError(
            f"{what}: {option} is not positive semidefinite: it feeds energy in along ({told}); give {option}= a "
            "matrix without negative eigenvalues"
        )
    return _kept(matrix)


def _kept(matrix: Vector) -> Vector:
    matrix = np.array(matrix, dtype=float)
    matrix.flags.writeable = False
    return matrix
