"""The compiled loop of the methods with a trapezoidal rule of their own: whole steps, halved where they must be."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np

from linkwork._jit import kernel, written_out
from linkwork.formulations.protocol import Effort, Method
from linkwork.formulations.samples import GAP, GAP_ROW, REFUSED, RESIDUAL, SWEEPS, keep_sample
from linkwork.formulations.status import FLAT, OFF_GUIDE, TORN, TORN_APART
from linkwork.mechanics.counts import count_cut_q, count_q
from linkwork.mechanics.rows.guides import left_guide
from linkwork.mechanics.rows.rolling import falls_flat
from linkwork.numerics.arrays import copy

HALVES = 64  # a step is cut into no more parts than this
PENALTY_RATIO = 3e5  # h^2/4 alpha of a row over the mass that it holds: less, and the multipliers converge slowly


class ImplicitMethod(Method):
    """What the methods share that have a trapezoidal rule of their own."""

    orders: ClassVar[dict[str, int]] = {"trapezoidal": 2}
    integrator: ClassVar[str] = "trapezoidal"
    implicit: ClassVar[bool] = True
    books_parts: ClassVar[bool] = True
    effort: ClassVar[Effort] = "iterations"

    def unsettled(self, workspace: Any) -> Any:
        """(dof,) the last increment of a step that was refused."""
        return workspace.f


def chosen_penalties(penalty: float | None, alpha: Any) -> dict[str, Any]:
    """The least and the largest penalty of the last step, where they were left to the method."""
    used = alpha[alpha > 0.0]
    return {"penalties": [float(used.min()), float(used.max())]} if penalty is None and used.size else {}


class Kept(NamedTuple):
    """What a refused step goes back to; written by `keep_state`. Arrays as in `State`."""

    y: Any
    vd: Any
    lam: Any  # (row,) multipliers, N or N m
    cut_q: Any


def kept(tables: Any) -> Kept:
    """Room for the state of a method with these tables."""
    nv, cuts = tables.tree.dof_link.size, tables.cuts
    return Kept(
        y=np.zeros(count_q(tables.tree) + nv + tables.tree.accounts),
        vd=np.zeros(nv),
        lam=np.zeros(cuts.row_kind.size),
        cut_q=np.zeros(count_cut_q(cuts)),
    )


@kernel
def keep_state(state, lam, kept):
    """Copy the state before a step."""
    copy(state.y, kept.y)
    copy(state.vd, kept.vd)
    copy(lam, kept.lam)
    copy(state.cut_q, kept.cut_q)


@kernel
def restore_state(state, lam, kept):
    """The state as it was before the step."""
    copy(kept.y, state.y)
    copy(kept.vd, state.vd)
    copy(kept.lam, lam)
    copy(kept.cut_q, state.cut_q)


@written_out
def advance(begin, step, tables, w, lam, kept, state, start, first, h, steps, every, samples):
    """`steps` steps of h from the step numbered `first` of a run that began at `start`; see `stepping.advance`.

    `begin(tables, w, state, t)` evaluates the start; `step(tables, w, state, t, h, parts)` makes one step that ends at
    t, and where it returns a status it is tried again in parts: halves, quarters … down to 1/64. `lam` are its carried
    multipliers.
    """
    done_rows = 0
    w.newton.tree.since[0] = state.t[0]
    for n in range(first + 1, first + steps + 1):
        copy(state.y, state.last)
        state.solver_stats[SWEEPS] = 0.0
        state.solver_stats[RESIDUAL] = 0.0
        status = 0
        if n == 0:
            status = begin(tables, w, state, start)
        else:
            before = start + (n - 1) * h
            done = 0
            parts = 1
            while done < parts:
                keep_state(state, lam, kept)
                # whole steps end where the run's clock says
                end = start + n * h if done + 1 == parts else before + h * (done + 1) / parts
                status = step(tables, w, state, end, h / parts, parts)
                if status == 0:
                    done += 1
                    continue
                restore_state(state, lam, kept)
                state.count[REFUSED] += 1
                if parts == HALVES:
                    break
                done *= 2
                parts *= 2
        if status == 0 and state.drift[GAP] > TORN_APART:
            status = TORN
        if status == 0 and left_guide(tables.cuts, state.cut_q) >= 0:
            status = OFF_GUIDE
        flat = falls_flat(tables.cuts, w.newton.tree, h)
        if status == 0 and flat >= 0:
            state.drift[GAP_ROW] = flat
            status = FLAT
        if status != 0:
            return n - 1 - first, done_rows, status
        if n % every == 0:
            keep_sample(tables.laws, state, samples, done_rows)
            done_rows += 1
    return steps, done_rows, 0
