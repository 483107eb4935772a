"""Inverse dynamics: joint forces for accelerations, of trees and through closed loops."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats
from linkwork.errors import OptionError, RunWarning
from linkwork.model.checked import did_you_mean, shown
from linkwork.simulation.analysis.dynamics import (
    Accelerations,
    checked_coordinates,
    checked_time,
    checked_vector,
    tree_forces,
)
from linkwork.simulation.inverse.loop_forces import LoopForces
from linkwork.simulation.results.columns.plain import shortened

OPENING = 1e-6  # of the accelerations: what the loops may contradict them by


def inverse_dynamics(
    system: System,
    q: ArrayLike,
    v: ArrayLike,
    a: ArrayLike,
    *,
    time: float = 0.0,
    at: Sequence[str] | None = None,
    loops: str = "closed",
) -> Floats:
    """Joint forces (N m, N) that, added to the model's own, give the accelerations a; (nv,), those of the tree joints.

    Of a tree they are unique. Closed loops carry a part of the forces, and only as many numbers are unique as there are
    degrees of freedom: without `at` you get the joint forces of least norm, forces times the size of the model measured
    against torques. With `at`, names of tree joints, they act in these joints alone and are unique where these have as
    many coordinates as there are degrees of freedom; more of them share by least norm. A motion that the model makes by
    itself needs none: the answer is zero. Accelerations that would open the loops are moved to the nearest that do not,
    with a warning. `loops="open"` is recursive Newton-Euler of the tree as if its loops were cut.

    For whole motions, actuators in joints that close loops, and reactions, use `lw.required_forces`.

    >>> system = lw.assemble(lw.gallery.pendulum.build())
    >>> tau = lw.inverse_dynamics(system, q=[0.3], v=[1.0], a=[0.0])
    >>> bool(abs(lw.forward_dynamics(system, [0.3], [1.0], tau)[0]) < 1e-12)
    True
    """
    q, v, a = checked_coordinates(system, q), checked_vector(v, system.nv, "v"), checked_vector(a, system.nv, "a")
    if loops not in ("closed", "open"):
        raise OptionError(f"loops must be 'closed' or 'open', not {shown(loops)}; correct loops=")
    if at is None and (loops == "open" or system.rows == 0):
        return tree_forces(system, q, v, a, time)
    if loops == "open":
        raise OptionError("at= chooses the joints that move closed loops; leave it out, or give loops='closed'")
    chosen = _dofs(system, at)
    forces = LoopForces(system)
    forces.at(q, v, checked_time(time))
    allowed = Accelerations(system).at(q, v, checked_time(time)) if system.rows else None
    if allowed is not None:
        pace = forces.pace(v, a, allowed)
        a, change = forces.closed(a, allowed)
        opening = change / pace
        if opening > OPENING:
            warnings.warn(
                f"the accelerations given for '{system.model.name}' would open its loops ({opening:.2g} of the largest "
                "is off); the nearest that keep them closed were taken; give accelerations that fit the loops",
                RunWarning,
                stacklevel=2,
            )
    tau = tree_forces(system, q, v, a, time)
    count = np.ones(len(chosen))
    found = forces.shares(tau, np.eye(system.nv)[chosen], forces.dof[chosen], count)
    if found.rank < forces.free.shape[1]:
        free = shortened([f"'{name}'" for name in forces.names(found.stuck)])
        raise OptionError(
            f"forces in the joints of at= cannot give '{system.model.name}' these accelerations: they do not move "
            f"{free}; name further joints in at="
        )
    needed = np.zeros(system.nv)
    needed[chosen] = found.efforts
    return needed


def _dofs(system: System, at: Sequence[str] | None) -> list[int]:
    """Degrees of freedom of the joints `at`; all where nothing is said."""
    if at is None:
        return list(range(system.nv))
    names = [at] if isinstance(at, str) else list(at)
    if not names:
        raise OptionError(f"at=[] names no joint of '{system.model.name}'; name the joints that act")
    places = {place.name: place for place in system.joints if place.v.stop > place.v.start}
    found: list[int] = []
    for name in names:
        if name not in places:
            hint = did_you_mean(str(name), places) or f"; give one of {shortened(list(places))}"
            raise OptionError(f"'{system.model.name}' has no tree joint {shown(name)} that moves{hint}")
        found += range(places[name].v.start, places[name].v.stop)
    return list(dict.fromkeys(found))
