"""The linearised system at a state: small motions about it, in coordinates that the loops leave free, and their modes.

    q, v     the state; displacements d of q are in the units of v, rotations by the exponential map
    Z        (dof, f) motions that the loops allow, Z^T M Z = 1
    x, w     d = Z x and its rate: the coordinates of small motions
    A        d/dt (x, w) = A (x, w)

Accelerations are differentiated by central differences, with closed loops and all force elements in them. A motion of
the loops carries velocities along: G v = 0 must still hold where q is displaced.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats, Tables
from linkwork.errors import RunError
from linkwork.mechanics.size import size_of
from linkwork.simulation.analysis.dynamics import Accelerations, integrate, mass_matrix
from linkwork.simulation.starts.mobility import DEPENDENT
from linkwork.simulation.starts.start import Closure
from linkwork.spatial import codes

Complexes = NDArray[np.complex128]

STEP = 1e-6  # rad, or of the size of the model; of velocities the same of a typical one
SINGULAR = 1e-14  # of the largest: where eigenvalues of the scaled mass matrix end
WHOLE = 150  # degrees of freedom: larger systems are asked for their fastest modes only
FASTEST = 2  # so many of them
ROUNDS = 20  # of their iteration
NEAR = 0.02  # relative error at which it ends


class Linear:
    """Small motions about the state (q, v) of a system, at a time (s).

    `eigenvalues` (1/s) are those of all modes, or in `method="fastest"` of a few of the fastest, which large systems
    get by themselves; `motions[:, k]` are the velocities of the tree's joints in mode k, complex, of any size.

    >>> model = lw.Model("block on a spring", gravity=(0, 0, 0))
    >>> block = model.body("block", mass=2.0, shape=lw.Sphere(0.1))
    >>> rail = model.prismatic("rail", model.ground, block, axis=(1, 0, 0), stiffness=1800.0)
    >>> system = lw.assemble(model)
    >>> abs(Linear(system, system.q_start, system.v_start).eigenvalues).round(6).tolist()
    [30.0, 30.0]
    """

    def __init__(
        self,
        system: System,
        q: Floats,
        v: Floats,
        *,
        time: float = 0.0,
        cut_q: Floats | None = None,
        tables: Tables | None = None,
        step: float = STEP,
        whole: bool | None = None,
    ) -> None:
        self.system, self.q, self.v, self.time, self.step = system, q, v, time, step
        self.tables = system.tables if tables is None else tables
        self._cut_q = system.cut_start if cut_q is None else cut_q
        self._accelerations = Accelerations(system, cut_q=self._cut_q)
        size = size_of(system.tables)
        self.unit = np.where(_slides(system), size, 1.0)  # of each degree of freedom: m, or one radian
        pace = np.sqrt(np.linalg.norm(system.model.gravity) / size) or 1.0
        self._speed = max(float(pace), float(np.max(np.abs(v) / self.unit, initial=0.0)))
        self.mass = mass_matrix(system, q)
        self.complete = system.nv <= WHOLE if whole is None else whole
        self.eigenvalues: Complexes
        self.motions: Complexes
        self.eigenvalues, self.motions = self._modes() if self.complete else self._fastest()

    def by_position(self, d: Floats, tables: Tables | None = None) -> Floats:
        """Change of the accelerations with q along d."""
        largest = float(np.max(np.abs(d) / self.unit, initial=0.0))
        if largest == 0.0:
            return np.zeros(self.system.nv)
        h = self.step / largest
        ends = [self._at(integrate(self.system, self.q, d, side), self.v, tables) for side in (-h, h)]
        return (ends[1] - ends[0]) / (2.0 * h)

    def by_velocity(self, d: Floats, tables: Tables | None = None) -> Floats:
        """Change of the accelerations with v along d."""
        largest = float(np.max(np.abs(d) / self.unit, initial=0.0))
        if largest == 0.0:
            return np.zeros(self.system.nv)
        h = self.step * self._speed / largest
        ends = [self._at(self.q, self.v + side * d, tables) for side in (-h, h)]
        return (ends[1] - ends[0]) / (2.0 * h)

    def change(self, k: int, tables: Tables | None = None) -> Complexes:
        """Change of the accelerations with mode k, whose velocities are `motions[:, k]`."""
        w, value = self.motions[:, k], self.eigenvalues[k]
        d = w / value if value else np.zeros_like(w)
        parts = (
            (factor, self.by_position(np.ascontiguousarray(x), tables) + self.by_velocity(y, tables))
            for factor, x, y in ((1.0, d.real, w.real.copy()), (1j, d.imag, w.imag.copy()))
        )
        return np.asarray(sum(factor * part for factor, part in parts))

    def _at(self, q: Floats, v: Floats, tables: Tables | None) -> Floats:
        found = self._accelerations.at(q, v, self.time, self.tables if tables is None else tables)
        if found is None or not np.isfinite(found).all():
            raise RunError(f"'{self.system.model.name}' cannot be linearised in this state; give another one")
        return found

    def _modes(self) -> tuple[Complexes, Complexes]:
        """All of them, by the matrix A."""
        root = self._inertia_root()
        closure = Closure(self.system, self.time)
        closure.cut_q[:] = self._cut_q
        closure.at(self.q, self.v)
        left, sizes, right = np.linalg.svd(closure.G @ root)
        rank = int(np.sum(sizes > DEPENDENT * max(sizes.max(initial=0.0), 1e-300)))
        Z = root @ right[rank:].T
        back = root @ right[:rank].T @ (left[:, :rank] / sizes[:rank]).T  # velocities that change the rates of rows
        weigh = Z.T @ self.mass
        f = Z.shape[1]
        A = np.zeros((2 * f, 2 * f))
        A[:f, f:] = np.eye(f)
        for k in range(f):
            z = np.ascontiguousarray(Z[:, k])
            along = -back @ self._row_rates(closure, z)
            A[:f, k] = weigh @ turned_rates(self.tables.tree, self.v, z)
            A[f:, k] = weigh @ (self.by_position(z) + self.by_velocity(along))
            A[f:, f + k] = weigh @ self.by_velocity(z)
        values, vectors = np.linalg.eig(A)
        return values.astype(complex), Z @ vectors[f:].astype(complex)

    def _fastest(self) -> tuple[Complexes, Complexes]:
        """The modes with the largest eigenvalues, by Arnoldi's iteration. What loops do to velocities is left out."""
        from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigs  # here, because it takes a while

        n = self.system.nv
        begin = np.random.default_rng(0).standard_normal(2 * n)
        stiff = self.by_position(self._allowed(self.unit * begin[:n])) / self.unit
        pace = max(self._speed, float(np.sqrt(np.linalg.norm(stiff) / np.linalg.norm(begin[:n]))))

        def times(x: Floats) -> Floats:
            d, w = self._allowed(self.unit * x[:n]), self._allowed(self.unit * pace * x[n:])
            rate = self._allowed(self.by_position(d) + self.by_velocity(w))
            return np.concatenate(
                [(w + turned_rates(self.tables.tree, self.v, d)) / self.unit, rate / (self.unit * pace)]
            )

        operator = LinearOperator((2 * n, 2 * n), matvec=times, dtype=float)
        try:
            values, vectors = eigs(operator, k=FASTEST, which="LM", v0=begin, tol=NEAR, maxiter=ROUNDS)
        except ArpackNoConvergence as found:
            values, vectors = found.eigenvalues, found.eigenvectors
        return values, self.unit[:, None] * vectors[n:]

    def _allowed(self, d: Floats) -> Floats:
        """The part of a motion that the loops allow: what the forces that it takes without them do with them."""
        size = float(np.max(np.abs(d) / self.unit, initial=0.0))
        if not self.system.rows or size == 0.0:
            return d
        tau = self.mass @ d / size
        ends = []
        for factor in (0.0, 1.0):
            self._accelerations.tau[:] = factor * tau
            ends.append(self._at(self.q, self.v, None))
        self._accelerations.tau[:] = 0.0
        return np.asarray((ends[1] - ends[0]) * size)

    def _inertia_root(self) -> Floats:
        """X with X^T M X = 1; metres and radians are brought together first."""
        scale = 1.0 / np.sqrt(np.maximum(np.diag(self.mass), 1e-300))
        values, vectors = np.linalg.eigh(self.mass * np.outer(scale, scale))
        return np.asarray(
            scale[:, None] * vectors / np.sqrt(np.maximum(values, SINGULAR * np.max(values, initial=0.0)))
        )

    def _row_rates(self, closure: Closure, z: Floats) -> Floats:
        """Change of the rows' rates when q is moved along z and v stays."""
        if not closure.gd.size or not self.v.any():
            return np.zeros(closure.gd.size)
        h = self.step / float(np.max(np.abs(z) / self.unit))
        ends = []
        for side in (-h, h):
            closure.at(integrate(self.system, self.q, z, side), self.v)
            ends.append(closure.gd.copy())
        return np.asarray((ends[1] - ends[0]) / (2.0 * h))


def _slides(system: System) -> NDArray[np.bool_]:
    """Which degrees of freedom are in metres."""
    tree = system.tables.tree
    found = np.zeros(system.nv, dtype=bool)
    for i in range(tree.grounds, tree.link_parent.size):
        if tree.link_motion[i] in (codes.SLIDE, codes.FREE):
            m = tree.link_v[i]
            found[m : m + (1 if tree.link_motion[i] == codes.SLIDE else 3)] = True
    return found


def turned_rates(tree: Any, v: Floats, d: Floats) -> Floats:
    """Rate of a displacement d by the rotations of the state itself, beside that by the change of velocities."""
    rate = np.zeros(d.size)
    for i in range(tree.grounds, tree.link_parent.size):
        motion, m = tree.link_motion[i], tree.link_v[i]
        if motion in (codes.SWING, codes.SWING_BACK):  # d in the axes that turn
            rate[m : m + 3] = -np.cross(v[m : m + 3], d[m : m + 3])
        elif motion == codes.FREE:  # d in the axes that stay
            rate[m + 3 : m + 6] = np.cross(v[m + 3 : m + 6], d[m + 3 : m + 6])
    return rate
