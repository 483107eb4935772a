"""Work of laws on joints and bodies, whose forces act along the mean of the velocities before and after the step.

    F_n    loads of laws at the start of step n        v_n  v_n+1    velocities before and after it

The impulse of F_n does h F_n . (v_n + v_n+1) / 2. The second part is known when the next step begins. To that comes
h (F_n+1 - 2 F_n + F_n-1) . v_n+1 / 4, of second order for what is smooth. Where a law makes its force jump to and fro
from step to step, as a damper does that is too strong for the step, it is as large as the work, and the balance tells.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.formulations.impulse.rows import FED, FED_BEFORE, FED_BY_LAST, LAST_FED, LAST_STEP, LAWS_KNOWN
from linkwork.mechanics.forces import last_up_to
from linkwork.spatial.codes import RATE
from linkwork.spatial.vectors import dot, load_pair

NOW, LAST, BEFORE = range(3)  # of steps


class GivenLoads(NamedTuple):
    """Loads of laws; empty where there are none."""

    tau: Any  # (3, dof) N or N m, of NOW, the LAST step, and the one BEFORE
    wrench: Any  # (3, link, 6) as in `TreeWork`: torque, force, in the link's own axes; N m, N


def make_given_loads(tables: Any) -> GivenLoads:
    """Room for them."""
    some = bool(tables.forces.drive_law.size + tables.forces.load_law.size)
    nv, links = tables.tree.dof_link.size, tables.tree.link_parent.size
    return GivenLoads(np.zeros((3, nv if some else 0)), np.zeros((3, links if some else 0, 6)))


@small
def note_joint_forces(given, work):
    """Before laws act: the joint forces that are there already."""
    for k in range(given.tau.shape[1]):
        given.tau[NOW, k] = work.tau[k]


@small
def power_of(given, work, v, which):
    """Power of the loads of a step at the present velocities, W."""
    P = 0.0
    for k in range(given.tau.shape[1]):
        P += given.tau[which, k] * v[k]
    loads = given.wrench[which]
    for i in range(loads.shape[0]):
        n, f = load_pair(loads, i)
        if dot(n, n) + dot(f, f) > 0.0:
            w, u = load_pair(work.velocity, i)
            P += dot(w, n) + dot(u, f)
    return P


@small
def note_given(given, tables, work, v, fed_in, carried):
    """After laws have acted: their loads, power `fed_in` (W), and the power of older loads at the present velocities.

    Older loads go along with their bodies. What drives states of laws does no work.
    """
    forces = tables.forces
    carried[FED] = fed_in
    carried[FED_BY_LAST] = power_of(given, work, v, LAST)
    carried[FED_BEFORE] = power_of(given, work, v, BEFORE)
    for k in range(given.tau.shape[1]):
        given.tau[NOW, k] = work.tau[k] - given.tau[NOW, k]
    for i in range(given.wrench.shape[1]):
        for e in range(6):
            given.wrench[NOW, i, e] = work.wrench[i, e]
    for s in range(forces.drive_law.size):
        k = forces.drive_coordinate[s]
        if tables.laws.law_kind[forces.drive_law[s]] != RATE:
            continue
        if k < v.size:
            given.tau[NOW, k] = 0.0
        else:
            m = last_up_to(tables.cuts.measure_rate, k - v.size)
            i = tables.cuts.cut_b[last_up_to(tables.cuts.cut_measure, m)]
            for e in range(6):
                given.wrench[NOW, i, e] = 0.0


@kernel
def given_work(given, carried, h):
    """Work of laws, J, in a step of h as far as it is known, and what is known now of that of the last step."""
    fed = h * carried[FED]
    if carried[LAWS_KNOWN] > 0.0:
        fed += 0.5 * carried[LAST_STEP] * (carried[FED_BY_LAST] - carried[LAST_FED])
    if carried[LAWS_KNOWN] > 1.0:
        fed += 0.25 * h * (carried[FED] - 2.0 * carried[FED_BY_LAST] + carried[FED_BEFORE])
    carried[LAST_FED] = carried[FED]
    carried[LAWS_KNOWN] = min(carried[LAWS_KNOWN] + 1.0, 2.0)
    for k in range(given.tau.shape[1]):
        given.tau[BEFORE, k] = given.tau[LAST, k]
        given.tau[LAST, k] = given.tau[NOW, k]
    for i in range(given.wrench.shape[1]):
        for e in range(6):
            given.wrench[BEFORE, i, e] = given.wrench[LAST, i, e]
            given.wrench[LAST, i, e] = given.wrench[NOW, i, e]
    return fed
