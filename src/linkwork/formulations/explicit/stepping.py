"""The compiled loop of every method with an explicit integrator: stages, error control, recording.

    y   coordinates q, velocities v, and the two energy accounts (wasted, fed in), one flat vector
    f   its rate; the rate at the present state is kept, so it is the first stage of the next step

A step is some inner evaluations and one at the new state. All of them pass through one call in `advance`, so that the
long evaluation is compiled once. A method passes its own two kernels:

    evaluate(tables, method, w, state, t)   w.rate = rate of w.trial at time t; returns 0 or a status
    accept(tables, method, w, state, t)     the state moves to w.trial at time t (`take_trial`) and is stabilised
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwork._jit import kernel, small, written_out
from linkwork.formulations.convergence import ROUNDING, Measure, allowed, largest_part, left_after, measure, stalled
from linkwork.formulations.protocol import Effort, Method
from linkwork.formulations.samples import (
    EVALUATIONS,
    GAP,
    GAP_ROW,
    MOST_SWEEPS,
    REFUSED,
    RESIDUAL,
    SWEEPS,
    WORST_RESIDUAL,
    keep_sample,
)
from linkwork.formulations.status import (
    FLAT,
    NOT_CONVERGED,
    NOT_FINITE,
    OFF_GUIDE,
    PAUSED,
    SINGULAR,
    STUCK,
    TORN,
    TORN_APART,
)
from linkwork.mechanics.rows.guides import left_guide
from linkwork.mechanics.rows.rolling import falls_flat
from linkwork.mechanics.tree.motions import coordinate_rates, displace, normalize
from linkwork.numerics.arrays import copy, finite
from linkwork.numerics.runge_kutta import (
    CLASSIC,
    DORMAND_PRINCE,
    MIDPOINT,
    Tableau,
    adams_bashforth,
    adams_moulton,
    error_norm,
    finish,
    stage,
)

SEMI_IMPLICIT, RUNGE_KUTTA, ADAMS, ADAPTIVE, TRAPEZOIDAL = 0, 1, 2, 3, 4
INTEGRATORS = {
    "semi-implicit": (SEMI_IMPLICIT, MIDPOINT),
    "rk2": (RUNGE_KUTTA, MIDPOINT),
    "rk4": (RUNGE_KUTTA, CLASSIC),
    "abm4": (ADAMS, CLASSIC),
    "adaptive": (ADAPTIVE, DORMAND_PRINCE),
    "trapezoidal": (TRAPEZOIDAL, MIDPOINT),
}
ORDERS = {"semi-implicit": 1, "rk2": 2, "rk4": 4, "abm4": 4, "adaptive": 5, "trapezoidal": 2}
FIXED_POINTS = 50  # evaluations of a step by the trapezoidal rule
SETTLED = 1e-9  # of the accelerations: error that fixed points may leave
SMALLEST_STEP = 1e-12  # of the step between samples
MOST_PARTS = 5000  # of a step by the adaptive integrator, before it pauses

# slots of `persistent`
HISTORY, STEP_SIZE, PART_DONE = range(3)
# slots of `iteration`
LEFT, CHANGE, CONVERGED = range(3)


class ExplicitMethod(Method):
    """What the methods share that step in `advance`; their workspaces have the integrator's memory as `steps`."""

    orders: ClassVar[dict[str, int]] = ORDERS
    books_parts: ClassVar[bool] = True

    @property
    def effort(self) -> Effort:
        """Only the trapezoidal rule iterates, by fixed points."""
        return "iterations" if self.integrator == "trapezoidal" else ""

    def forget(self, workspace: Any) -> None:
        """Begin the history of Adams anew."""
        workspace.steps.persistent[HISTORY] = 0.0

    def unsettled(self, workspace: Any) -> Any:
        """(dof,) what the last fixed point changed."""
        steps = workspace.steps
        return (steps.rate - steps.f)[steps.measure.place.size : -2]


PERSISTENT_STEPS = ("steps.f", "steps.history", "steps.persistent")  # last rates, size of the adaptive step


class Stepping(NamedTuple):
    """Memory of the integrator."""

    scheme: int  # SEMI_IMPLICIT … TRAPEZOIDAL
    rtol: float  # of the adaptive integrator
    atol: float
    tableau: Tableau
    f: Any  # (y,) rate at the present state; written by `take_trial`, carried
    k: Any  # (stage, y) rates of the stages; written by `begin_step` and `advance`
    trial: Any  # (y,) where the next evaluation is made; written by `next_trial`
    rate: Any  # (y,) the rate there; written by `evaluate` of the method
    history: Any  # (4, y) rates of the last steps, newest first, for Adams; written by `begin_step`, carried
    persistent: Any  # (3,) rates in the HISTORY; adaptive: STEP_SIZE, s, and PART_DONE of a step, s; `advance`
    iteration: Any  # (3,) fixed points: what is LEFT, the last CHANGE (both in units), 1 if CONVERGED; `fixed_point`
    measure: Measure


def stepping(method: Any, tables: Any) -> Stepping:
    """Memory for a method with options integrator, rtol, atol and the tables of one system."""
    units = measure(tables)
    size = units.place.size + units.unit.size + tables.tree.accounts
    scheme, tableau = INTEGRATORS[method.integrator]
    return Stepping(
        scheme,
        float(method.rtol),
        float(method.atol),
        tableau,
        np.zeros(size),
        np.zeros((tableau.b.size, size)),
        np.zeros(size),
        np.zeros(size),
        np.zeros((4, size)),
        np.zeros(3),
        np.zeros(3),
        units,
    )


@kernel
def inner_count(w):
    """Evaluations of a step before the one at its end."""
    scheme = w.scheme
    if scheme == SEMI_IMPLICIT:
        return 0
    if scheme == ADAMS and w.persistent[HISTORY] > 3.0:
        return 1
    if scheme == TRAPEZOIDAL:
        return FIXED_POINTS
    return w.tableau.b.size - 1


@kernel
def next_trial(tree, w, y, s, inner, h):
    """w.trial = where evaluation s = 1 … inner + 1 of a step of h is made; returns its time as a part of h."""
    scheme = w.scheme
    nv = tree.dof_link.size
    nq = y.size - nv - tree.accounts
    if h == 0.0:
        copy(y, w.trial)
    elif scheme == SEMI_IMPLICIT:
        # (7), (9) of MST17: velocities first, positions with the new velocities
        for k in range(nq, y.size):
            w.trial[k] = y[k] + h * w.f[k]
        displace(tree, y, w.trial[nq : nq + nv], h, w.trial)
        return 1.0
    elif scheme == TRAPEZOIDAL:
        fixed_point(tree, w, y, s, nq, h)
        return 1.0
    elif scheme == ADAMS and w.persistent[HISTORY] > 3.0:
        if s == 1:
            adams_bashforth(y, h, w.history, w.trial)
        else:
            adams_moulton(y, h, w.rate, w.history, w.trial)
    elif s <= inner:
        stage(w.tableau, s, y, h, w.k, w.trial)
        return w.tableau.c[s]
    else:
        finish(w.tableau, y, h, w.k, w.trial)
    if s > inner:
        normalize(tree, w.trial)
    return 1.0


@kernel
def fixed_point(tree, w, y, s, nq, h):
    """w.trial by the trapezoidal rule from the last evaluation's rate; the first guess is one step by the present rate.

    w.iteration: how much it differs from the guess before it.
    """
    nv = tree.dof_link.size
    m = w.measure
    delta = w.k[1][:nv]
    copy(w.trial, w.k[0])
    for k in range(nv):
        end = w.f[nq + k] if s == 1 else w.rate[nq + k]
        w.trial[nq + k] = y[nq + k] + 0.5 * h * (w.f[nq + k] + end)
        delta[k] = 0.5 * h * (y[nq + k] + w.trial[nq + k])
    for k in range(nq + nv, y.size):
        w.trial[k] = y[k] + 0.5 * h * (w.f[k] + (w.f[k] if s == 1 else w.rate[k]))
    displace(tree, y, delta, 1.0, w.trial)
    if s == 1:
        w.iteration[CHANGE] = 0.0
        w.iteration[CONVERGED] = 0.0
        return
    change = 0.0
    for k in range(nq):
        change = max(change, abs(w.trial[k] - w.k[0, k]) / m.place[k])
    for k in range(nv):
        change = max(change, h * abs(w.trial[nq + k] - w.k[0, nq + k]) / m.unit[k])
    finest = ROUNDING * (1.0 + largest_part(w.trial[:nq], m.place))
    enough = max(finest, allowed(m, SETTLED, y[nq : nq + nv], w.f[nq : nq + nv], delta, h))
    w.iteration[LEFT] = left_after(change, w.iteration[CHANGE])
    w.iteration[CONVERGED] = 1.0 if w.iteration[LEFT] <= enough or stalled(change, w.iteration[CHANGE], finest) else 0.0
    w.iteration[CHANGE] = change


@kernel
def begin_step(w):
    """The present rate is the first stage, and the newest of the history."""
    if w.scheme != SEMI_IMPLICIT:
        copy(w.f, w.k[0])
    if w.scheme == ADAMS:
        for i in range(w.f.size):
            w.history[3, i] = w.history[2, i]
            w.history[2, i] = w.history[1, i]
            w.history[1, i] = w.history[0, i]
            w.history[0, i] = w.f[i]
        w.persistent[HISTORY] = min(w.persistent[HISTORY] + 1.0, 4.0)


@small
def store_rate(tree, w, state, q, v, power, failed):
    """Complete w.rate, whose accelerations are found: rates of q at v, and the energy accounts.

    `power` are what is wasted and fed in (W). Returns the status of an evaluation: `failed` is 0 or 1 + a link without
    inertia.
    """
    n = w.rate.size - power.size
    if w.scheme != SEMI_IMPLICIT:
        coordinate_rates(tree, q, v, w.rate)
    for k in range(power.size):
        w.rate[n + k] = power[k]
    state.count[EVALUATIONS] += 1
    return SINGULAR + failed - 1 if failed > 0 else 0


@small
def take_trial(w, state, t):
    """The state moves to w.trial at time t, and w.rate is its rate."""
    nv = state.vd.size
    nq = w.measure.place.size
    copy(w.trial, state.y)
    copy(w.rate, w.f)
    for k in range(nv):
        state.vd[k] = w.f[nq + k]
    state.t[0] = t


@small
def next_part(w, span, left):
    """Adaptive integrator: size of the next part of a step of `span`, and whether it takes all that is left."""
    if not w.persistent[STEP_SIZE] > 0.0:
        w.persistent[STEP_SIZE] = 0.01 * span
    if w.persistent[STEP_SIZE] < left * (1.0 - 1e-12):
        return w.persistent[STEP_SIZE], False
    return left, True


@small
def control_error(w, state, status, size, last):
    """Adaptive integrator: choose the size of the next part; False where this one has to be made again."""
    error = 1e9
    if status == 0:
        measured = w.measure.place.size + w.measure.unit.size  # without the energy accounts
        error = error_norm(w.tableau, state.y, w.trial, size, w.k, w.rate, w.rtol, w.atol, measured)
    if not error <= 1.0:
        state.count[REFUSED] += 1
        w.persistent[STEP_SIZE] = size * (max(0.2, 0.9 * error**-0.2) if math.isfinite(error) else 0.2)
        return False
    if not last or error > 0.1:
        w.persistent[STEP_SIZE] = size * min(5.0, 0.9 * max(error, 1e-10) ** -0.2)
    return True


@small
def record_iteration(w, state, count):
    """Effort of the fixed-point iteration of a step."""
    state.solver_stats[SWEEPS] = count
    state.solver_stats[RESIDUAL] = w.iteration[LEFT]
    state.solver_stats[MOST_SWEEPS] = max(state.solver_stats[MOST_SWEEPS], state.solver_stats[SWEEPS])
    state.solver_stats[WORST_RESIDUAL] = max(state.solver_stats[WORST_RESIDUAL], state.solver_stats[RESIDUAL])


@written_out
def advance(evaluate, accept, tables, method, w, state, begin, first, h, steps, every, samples):
    """`steps` steps of h from the step numbered `first` of a run that began at time `begin`; every `every`-th is kept.

    first = -1 evaluates the start: its rate, reactions and accounts. Returns steps done, samples kept, status. After a
    failure `state.last` is the last good state.
    """
    scheme = w.scheme
    kept = 0
    method.tree.since[0] = state.t[0]
    for n in range(first + 1, first + steps + 1):
        done = w.persistent[PART_DONE]  # not 0 after a pause
        if done == 0.0:
            copy(state.y, state.last)
        parts = 0
        span = h if n > 0 else 0.0
        start = begin + (n - 1) * h if n > 0 else begin
        while True:
            # one step, or with the adaptive integrator one of several
            size = span - done
            last = True
            if scheme == ADAPTIVE and n > 0:
                w.persistent[PART_DONE] = done
                if parts == MOST_PARTS:
                    return n - 1 - first, kept, PAUSED
                parts += 1
                size, last = next_part(w, span, size)
            inner = 0
            if n > 0:
                begin_step(w)
                inner = inner_count(w)
            status = 0
            for s in range(1, inner + 2):
                t = start + done + size * next_trial(tables.tree, w, state.y, s, inner, size)
                if scheme == TRAPEZOIDAL and n > 0:
                    if w.iteration[CONVERGED] == 1.0:
                        break  # w.rate is the rate of this trial
                    if s > inner:
                        status = NOT_CONVERGED
                        break
                status = evaluate(tables, method, w, state, t)
                if status != 0:
                    break
                if s <= inner and scheme != TRAPEZOIDAL:
                    copy(w.rate, w.k[s])
            if scheme == TRAPEZOIDAL and n > 0:
                record_iteration(w, state, s - 1.0)
            if scheme == ADAPTIVE and n > 0 and not control_error(w, state, status, size, last):
                if w.persistent[STEP_SIZE] < SMALLEST_STEP * span:
                    return n - 1 - first, kept, status if status != 0 else STUCK
                continue
            if status != 0:
                return n - 1 - first, kept, status
            done = span if last else done + size
            accept(tables, method, w, state, begin + n * h if last else start + done)
            if not (finite(state.y) and finite(state.vd)):
                return n - 1 - first, kept, NOT_FINITE
            if state.drift[GAP] > TORN_APART:
                return n - 1 - first, kept, TORN
            if left_guide(tables.cuts, state.cut_q) >= 0:
                return n - 1 - first, kept, OFF_GUIDE
            row = falls_flat(tables.cuts, method.tree, size)
            if row >= 0:
                state.drift[GAP_ROW] = row
                return n - 1 - first, kept, FLAT
            if last:
                break
        w.persistent[PART_DONE] = 0.0
        if n % every == 0:
            keep_sample(tables.laws, state, samples, kept)
            kept += 1
    return steps, kept, 0
