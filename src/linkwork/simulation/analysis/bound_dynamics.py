"""`lw.dynamics`: dynamics of one system, bound once and called often; microseconds a call, nothing checked."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats
from linkwork.errors import OptionError
from linkwork.formulations.explicit.recursive import Recursive, run
from linkwork.formulations.samples import make_samples, make_state
from linkwork.mechanics.forces.laws import law_scratch
from linkwork.mechanics.tree.entry_points import masses, placed_joint_forces, placed_point_rows, placed_poses
from linkwork.mechanics.tree.workspace import tree_work
from linkwork.model.checked import shown
from linkwork.model.joints.joint_kinds import KINDS

KEPT = 4  # systems whose memory is kept for the checked functions


class Dynamics:
    """Dynamics of an assembled system, for loops of your own: memory is made once, and nothing is checked.

    Every answer is an array of this object, which the next call of the same function overwrites: copy what you keep.
    q, v, a and tau are numpy arrays as in `lw.forward_dynamics`; wrong lengths raise numpy's error, wrong numbers give
    wrong numbers. One object serves one thread. Made by `lw.dynamics`.
    """

    def __init__(self, system: System) -> None:
        nq, nv, tables = system.nq, system.nv, system.tables
        self.system = system
        self.turning = [p for p in system.joints if KINDS[p.kind].has_quaternion]
        self.q, self.v, self.a, self.tau = np.zeros(nq), np.zeros(nv), np.zeros(nv), np.zeros(nv)
        work = tree_work(tables)
        given = (0.0, law_scratch(tables.laws), np.zeros(4))
        self._standing = (tables, work, given, self.q, np.zeros(nv))
        self._loops = make_state(tables, np.zeros(1), system.cut_start)
        found = (self.q, self.v, self._loops.cut_q, self._loops.cut_rate)
        powers = np.zeros(tables.tree.accounts)
        self._inverse = placed_joint_forces.bind(tables, work, (*given, powers), found, self.a, self.tau)
        self.M = np.zeros((nv, nv))
        self._masses = masses.bind(*self._standing, np.zeros((len(system.link_names), 10)), self.M)
        self.body_poses = np.zeros((len(system.body_names), 7))
        self._poses = placed_poses.bind(*self._standing, self.body_poses)
        self._bodies = {name: k for k, name in enumerate(system.body_names)}
        self._point, self.J = np.zeros(3), np.zeros((6, nv))
        self._rows: dict[int, Any] = {}
        self.extra = np.zeros(nv)
        workspace = Recursive(stabilize=False).prepare(tables)._replace(extra=self.extra)
        self._state = make_state(tables, np.zeros(nq + nv + tables.tree.accounts), system.cut_start)
        self._here_q, self._here_v = self._state.y[:nq], self._state.y[nq : nq + nv]
        self._run = run.bind(tables, workspace, self._state, 0.0, -1, 1.0, 1, 2, make_samples(self._state, 1))

    def forward(self, q: Floats, v: Floats, tau: Floats | None = None, time: float = 0.0) -> Floats:
        """Accelerations (nv,) under tau and the model's own forces; closed loops are kept. nan where there are none.

        >>> arm = lw.dynamics(lw.assemble(lw.gallery.pendulum.build()))
        >>> arm.forward(np.array([0.3]), np.array([0.0])).round(6).tolist()
        [-2.899053]
        """
        self._here_q[:] = q
        self._here_v[:] = v
        self.extra[:] = 0.0 if tau is None else tau
        if self._loops.cut_q.size:
            self._state.cut_q[:] = self.system.cut_start
        if self._run(time, -1, 1.0, 1, 2)[2] != 0:
            self._state.vd[:] = np.nan
        found: Floats = self._state.vd
        return found

    def inverse(self, q: Floats, v: Floats, a: Floats, time: float = 0.0) -> Floats:
        """Joint forces (nv,) that, added to the model's own, give the accelerations a; loops are as if cut.

        >>> arm = lw.dynamics(lw.assemble(lw.gallery.pendulum.build()))
        >>> arm.inverse(np.array([0.3]), np.zeros(1), np.zeros(1)).round(6).tolist()
        [2.899053]
        """
        self.q[:] = q
        self.v[:] = v
        self.a[:] = a
        self._inverse(time)
        return self.tau

    def mass(self, q: Floats) -> Floats:
        """Mass matrix of the tree, (nv, nv)."""
        self.q[:] = q
        self._masses(0.0)
        return self.M

    def poses(self, q: Floats, time: float = 0.0) -> Floats:
        """World position (m) and quaternion of every body, (body, 7), in the order of `system.body_names`."""
        self.q[:] = q
        self._poses(time)
        return self.body_poses

    def jacobian(self, q: Floats, body: str, point: ArrayLike = (0.0, 0.0, 0.0)) -> Floats:
        """(6, nv): angular velocity of a body, then velocity of its point (m, body frame), world axes."""
        b = self._bodies[body]
        rows = self._rows.get(b)
        if rows is None:
            rows = self._rows[b] = placed_point_rows.bind(*self._standing, b, self._point, self.J)
        self.q[:] = q
        self._point[:] = point
        rows(0.0)
        return self.J


def dynamics(system: System) -> Dynamics:
    """Dynamics of an assembled system, bound: `.forward .inverse .mass .jacobian .poses` in microseconds, unchecked.

    >>> arm = lw.dynamics(lw.assemble(lw.gallery.puma.build()))
    >>> q, v = np.zeros(arm.system.nq), np.zeros(arm.system.nv)
    >>> tau = arm.inverse(q, v, np.zeros(arm.system.nv))
    >>> bool(np.abs(arm.forward(q, v, tau)).max() < 1e-9)
    True
    """
    given: Any = system
    if not isinstance(given, System):
        raise OptionError(f"{shown(given)} is not an assembled system; give lw.assemble(model)")
    return Dynamics(system)


_kept = threading.local()


def bound(system: System) -> Dynamics:
    """The same for the checked functions; that of the last systems of this thread is kept."""
    lately: deque[Dynamics] | None = getattr(_kept, "lately", None)
    if lately is None:
        lately = _kept.lately = deque(maxlen=KEPT)
    for each in lately:
        if each.system is system:
            return each
    made = dynamics(system)
    lately.append(made)
    return made
