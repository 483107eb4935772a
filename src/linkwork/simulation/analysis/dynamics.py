"""Numbers underneath: dynamics of an assembled system at one state, for those who write their own loops.

Free joints: position then quaternion (w, x, y, z); linear then angular velocity, both in world axes at the body frame's
origin. Ball joints: quaternion; angular velocity in the axes of frame b. Others order them differently:

| engine | free joint, position | free joint, velocity | ball velocity |
|---|---|---|---|
| linkwork | p, w x y z | linear (world), angular (world) | b's axes |
| MuJoCo | p, w x y z | linear (world), angular (body) | body axes |
| Pinocchio | p, x y z w | linear (body), angular (body) | body axes |
| Drake | w x y z, p | angular (world), linear (world) | parent's axes |
"""

from __future__ import annotations

import difflib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats, Tables
from linkwork.errors import OptionError, RunError
from linkwork.formulations.explicit.recursive import Recursive, run
from linkwork.formulations.samples import make_samples, make_state
from linkwork.mechanics.tree.entry_points import moved
from linkwork.model import Body
from linkwork.model.checked import real, shown
from linkwork.simulation.analysis.bound_dynamics import bound
from linkwork.simulation.results.columns.plain import shortened


def checked_vector(value: ArrayLike, size: int, name: str) -> Floats:
    """So many finite numbers as floats, in an array of our own: kernels are compiled for arrays that can be written."""
    try:
        array = np.array(value, dtype=float, order="C")
    except (TypeError, ValueError, OverflowError):
        array = np.zeros((0, 0))
    if array.shape != (size,) or not np.isfinite(array).all():
        raise OptionError(
            f"{name} must be {size} finite number{'' if size == 1 else 's'}, not {shown(value)}; correct {name}"
        )
    return array


def checked_coordinates(system: System, q: ArrayLike) -> Floats:
    """q as floats; quaternions must have a length."""
    given: Any = system
    if not isinstance(given, System):
        raise OptionError(f"{shown(given)} is not an assembled system; give lw.assemble(model)")
    values = checked_vector(q, system.nq, "q")
    for joint in bound(system).turning:
        if not np.any(values[joint.q][-4:]):
            raise OptionError(f"the quaternion of joint '{joint.name}' in q is zero; give 1, 0, 0, 0 for no rotation")
    return values


def checked_time(value: float, name: str = "time") -> float:
    number = real(value)
    if number is None or not np.isfinite(number):
        raise OptionError(f"{name} must be a finite number of seconds, not {shown(value)}; correct {name}=")
    return number


def forward_dynamics(
    system: System, q: ArrayLike, v: ArrayLike, tau: ArrayLike | None = None, *, time: float = 0.0
) -> Floats:
    """Joint accelerations (rad/s2, m/s2) for coordinates q, velocities v and joint forces tau (N m, N).

    The model's own forces at `time` act too, and closed loops are kept by multipliers.

    >>> system = lw.assemble(lw.gallery.pendulum.build())
    >>> lw.forward_dynamics(system, q=[0.0], v=[0.0]).shape
    (1,)
    """
    q, v = checked_coordinates(system, q), checked_vector(v, system.nv, "v")
    tau = None if tau is None else checked_vector(tau, system.nv, "tau")
    system.faults.noted.clear()
    accelerations = bound(system).forward(q, v, tau, checked_time(time))
    if np.isnan(accelerations).any():
        fault = system.faults.noted[0] if system.faults.noted else None
        why = f"the law of {fault.part} fails: {fault.what}" if fault else "some joint moves nothing that has inertia"
        raise RunError(
            f"the accelerations of '{system.model.name}' cannot be computed in this state ({why}); correct the model, "
            "or give another state"
        )
    return accelerations.copy()


class Accelerations:
    """Joint accelerations at one state after the other, by memory made once; closed loops are kept by multipliers.

    `tau` are joint forces beside the model's own; `cut_q` coordinates of the joints that close loops, near the states.

    >>> system = lw.assemble(lw.gallery.pendulum.build())
    >>> Accelerations(system).at(np.zeros(1), np.zeros(1)).shape
    (1,)
    """

    def __init__(self, system: System, tau: Floats | None = None, cut_q: Floats | None = None) -> None:
        self.tables = system.tables
        self.cut_q = system.cut_start if cut_q is None else cut_q
        self.tau = np.zeros(system.nv) if tau is None else tau
        self.workspace = Recursive(stabilize=False).prepare(self.tables)._replace(extra=self.tau)
        self.state = make_state(self.tables, np.zeros(system.nq + system.nv + system.tables.tree.accounts), self.cut_q)
        self.rows = make_samples(self.state, 1)

    def at(
        self, q: Floats, v: Floats, time: float = 0.0, tables: Tables | None = None, since: float | None = None
    ) -> Floats | None:
        """At q, v and a time (s), with other `tables` of the same system where given; None where there are none.

        Motors that have velocities have moved on `since` a time (s) at which `cut_q` held; by default it holds now.
        """
        self.state.t[0] = time if since is None else since
        self.state.y[: q.size], self.state.y[q.size : q.size + v.size] = q, v
        self.state.cut_q[:] = self.cut_q
        used = self.tables if tables is None else tables
        _, _, status = run(used, self.workspace, self.state, time, -1, 1.0, 1, 2, self.rows)
        return self.state.vd.copy() if status == 0 else None


def tree_forces(system: System, q: Floats, v: Floats, a: Floats, time: float = 0.0) -> Floats:
    """Joint forces (N m, N) that, added to the model's own, give the tree the accelerations a; loops are left open."""
    return bound(system).inverse(q, v, a, checked_time(time)).copy()


def mass_matrix(system: System, q: ArrayLike) -> Floats:
    """Mass matrix of the tree, (nv, nv), rotor inertias included.

    >>> system = lw.assemble(lw.gallery.pendulum.build())
    >>> lw.mass_matrix(system, [0.0]).shape
    (1, 1)
    """
    q = checked_coordinates(system, q)
    return bound(system).mass(q).copy()


def forward_kinematics(system: System, q: ArrayLike, *, time: float = 0.0) -> dict[str, tuple[Floats, Floats]]:
    """World position (m) and quaternion (w, x, y, z) of every body's frame, by name.

    >>> system = lw.assemble(lw.gallery.pendulum.build())
    >>> sorted(lw.forward_kinematics(system, [0.0]))
    ['bob']
    """
    q = checked_coordinates(system, q)
    out = bound(system).poses(q, checked_time(time)).copy()
    return {name: (row[:3], row[3:]) for name, row in zip(system.body_names, out, strict=True)}


def jacobian(system: System, q: ArrayLike, body: Any, point: ArrayLike = (0.0, 0.0, 0.0)) -> Floats:
    """(6, nv): angular velocity of `body`, then velocity of its `point` (m, body frame), world axes, per unit of v.

    >>> system = lw.assemble(lw.gallery.pendulum.build())
    >>> lw.jacobian(system, [0.0], "bob").shape
    (6, 1)
    """
    q = checked_coordinates(system, q)
    name = body_name(system, body)
    return bound(system).jacobian(q, name, checked_vector(point, 3, "point")).copy()


def body_name(system: System, body: Any) -> str:
    """The full name of a body of this system."""
    if isinstance(body, Body) and not any(body is each for each in system.model.all_bodies()):
        raise OptionError(f"body '{body.path}' does not belong to model '{system.model.name}'; give one of its bodies")
    name = body.path if isinstance(body, Body) else body
    if name not in system.body_names:
        close = difflib.get_close_matches(str(name), system.body_names, 3)
        remedy = (
            f"did you mean {' or '.join(map(repr, close))}?" if close else f"give one of {shortened(system.body_names)}"
        )
        raise OptionError(f"model '{system.model.name}' has no body {shown(name)}; {remedy}")
    return str(name)


def integrate(system: System, q: ArrayLike, v: ArrayLike, dt: float) -> Floats:
    """q moved along v for dt seconds; rotations by the exponential map, so that quaternions stay of unit length.

    >>> system = lw.assemble(lw.gallery.pendulum.build())
    >>> round(float(lw.integrate(system, [0.1], [2.0], 0.01)[0]), 12)
    0.12
    """
    q, v = checked_coordinates(system, q), checked_vector(v, system.nv, "v")
    out = q.copy()
    moved(system.tables.tree, q, v, checked_time(dt, "dt"), out)
    return out
