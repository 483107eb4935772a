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
from linkwork.formulations.impulse.rows.rows import LAST_STEP, LAWS_KNOWN
from linkwork.mechanics.accounts import DISSIPATED, SUPPLIED, book, clear_power, last_up_to
from linkwork.spatial.codes import RATE
from linkwork.spatial.vectors import dot, load_pair

NOW, LAST, BEFORE = range(3)  # of steps


class GivenLoads(NamedTuple):
    """Loads of laws; empty where there are none."""

    tau: Any  # (3, dof) N or N m, of NOW, the LAST step, and the one BEFORE
    wrench: Any  # (3, link, 6) as in `TreeWork`: torque, force, in the link's own axes; N m, N
    # W, accounts of power
    fed: Any  # (3, account) at the present velocities, by the loads of NOW, the LAST step, and the one BEFORE
    last_fed: Any  # (account,) by the loads of the last step, at the velocities of then
    wasted: Any  # (2, account) by tyres, NOW and in the LAST step


def make_given_loads(tables: Any) -> GivenLoads:
    """Room for them."""
    some = bool(tables.forces.drive_law.size + tables.forces.load_law.size)
    nv, links = tables.tree.dof_link.size, tables.tree.link_parent.size
    accounts = tables.tree.accounts
    return GivenLoads(
        np.zeros((3, nv if some else 0)),
        np.zeros((3, links if some else 0, 6)),
        np.zeros((3, accounts)),
        np.zeros(accounts),
        np.zeros((2, accounts)),
    )


@small
def note_joint_forces(given, work):
    """Before laws act: the joint forces that are there already."""
    for k in range(given.tau.shape[1]):
        given.tau[NOW, k] = work.tau[k]


@small
def power_of(given, tree, work, v, which):
    """given.fed: power of the loads of a step at the present velocities, W."""
    fed = given.fed[which]
    clear_power(fed)
    for k in range(given.tau.shape[1]):
        book(fed, tree.link_part[tree.dof_link[k]], SUPPLIED, given.tau[which, k] * v[k])
    loads = given.wrench[which]
    for i in range(loads.shape[0]):
        n, f = load_pair(loads, i)
        if dot(n, n) + dot(f, f) > 0.0:
            w, u = load_pair(work.velocity, i)
            book(fed, tree.link_part[i], SUPPLIED, dot(w, n) + dot(u, f))


@small
def note_given(given, tables, work, v, power):
    """After laws have acted: their loads, their `power` (W), and that of older loads at the present velocities.

    Older loads go along with their bodies. What drives states of laws does no work.
    """
    forces = tables.forces
    for k in range(power.size):
        given.fed[NOW, k] = power[k]
    power_of(given, tables.tree, work, v, LAST)
    power_of(given, tables.tree, work, v, BEFORE)
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


@small
def note_tyres(given, power):
    """After tyres have acted: what they waste, of all `power` (W)."""
    for k in range(DISSIPATED, power.size, 2):
        given.wasted[NOW, k] = power[k]


@kernel
def add_given_work(given, persistent, h, work):
    """Add to the accounts `work`, J: of laws in a step of h as far as it is known, and what is now of the last one.

    The same of what tyres waste.
    """
    fed = given.fed
    for k in range(work.size):
        work[k] += h * fed[NOW, k]
        if persistent[LAWS_KNOWN] > 0.0:
            work[k] += 0.5 * persistent[LAST_STEP] * (fed[LAST, k] - given.last_fed[k])
        if persistent[LAWS_KNOWN] > 1.0:
            work[k] += 0.25 * h * (fed[NOW, k] - 2.0 * fed[LAST, k] + fed[BEFORE, k])
        work[k] += 0.5 * persistent[LAST_STEP] * (given.wasted[NOW, k] - given.wasted[LAST, k])
        given.last_fed[k] = fed[NOW, k]
        given.wasted[LAST, k] = given.wasted[NOW, k]
    persistent[LAWS_KNOWN] = min(persistent[LAWS_KNOWN] + 1.0, 2.0)
    for k in range(given.tau.shape[1]):
        given.tau[BEFORE, k] = given.tau[LAST, k]
        given.tau[LAST, k] = given.tau[NOW, k]
    for i in range(given.wrench.shape[1]):
        for e in range(6):
            given.wrench[BEFORE, i, e] = given.wrench[LAST, i, e]
            given.wrench[LAST, i, e] = given.wrench[NOW, i, e]
