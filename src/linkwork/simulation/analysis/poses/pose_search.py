"""The search for a pose: Gauss-Newton steps of least motion, damped after Levenberg.

A step s moves the targets' gaps r as near to zero as it can, loops and held joints (H s = -h) and limits come first:

    min |r + J s|^2 + mu |s|^2      H s = -h      low <= c + C s <= high

mu is a factor times |r|^2, so that near a solution convergence is quadratic, also where joints are redundant.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwork.assembly.tables import Floats
from linkwork.simulation.analysis.dynamics import integrate
from linkwork.simulation.analysis.poses.pose_equations import Gaps, PoseEquations

# angles in rad, ways in sizes of the model
CLOSED = 1e-12  # what loops may be open by
FARTHEST = 0.5  # in one step: keeps the branch
ROUNDS = 200
STALE = 12  # steps that gain nothing
GAIN = 1e-3  # of what is left
FACTOR = 1e-2  # of the damping, at the beginning
DEPENDENT = 1e-9  # singular values below this part of the largest count as zero
HEAVIEST = 100.0  # loops and limits come to weigh so much more than targets where steps gain nothing
SMALL = 1e-9  # part of the largest multiplier: less is none
BESIDE = (0.02, 0.4, 1.2, 2.0)  # how far beside the search is taken up again where it leads nowhere


class Found(NamedTuple):
    """Where a search ended."""

    q: Floats
    cut_q: Floats
    gaps: Gaps
    reached: bool
    iterations: int
    pushing: list[int]  # limits that hold it back there, by their numbers


def search(equations: PoseEquations, tolerance: float, beside: Sequence[float] = BESIDE) -> Found:
    """The pose from the one nearby; where that leads nowhere, from places beside it, always the same ones."""
    near, dofs = equations.near.q, np.arange(equations.system.nv)
    best = _descend(equations, near, tolerance)
    count = best.iterations
    for n, far in enumerate(beside):
        if best.reached:
            break
        way = far * np.cos((n + 1.0) * dofs + n) * equations.free * equations.lengths
        found = _descend(equations, integrate(equations.system, near if n else best.q, way, 1.0), tolerance)
        count += found.iterations
        if found.reached or _merit(found.gaps) < (1.0 - GAIN) * _merit(best.gaps):
            best = found
    return best._replace(iterations=count)


def _descend(equations: PoseEquations, q: Floats, tolerance: float) -> Found:
    """Steps as long as they lead on."""
    equations.begin()
    here, factor, stale, weight = equations.at(q), FACTOR, 0, 1.0
    pushing: list[int] = []
    polished, count = False, 0  # one step more once it is there
    while True:
        reached = here.missed <= max(tolerance, here.rounding) and here.broken <= max(CLOSED, here.rounding)
        done = reached and (polished or max(here.missed, here.broken) <= here.rounding)
        if done or stale > STALE or count == ROUNDS:
            break
        polished, count = reached, count + 1
        move, pushing = _step(here, equations, factor * float(here.aim @ here.aim))
        longest = float(np.abs(move).max(initial=0.0))
        part = min(1.0, FARTHEST / longest) if longest > 0.0 else 0.0
        there = integrate(equations.system, q, part * move * equations.lengths, 1.0)
        ahead = equations.at(there)
        before, after = _merit(here, weight), _merit(ahead, weight)
        stale = stale + 1 if after > (1.0 - GAIN) * before else 0
        if after < before:
            foreseen = after < (1.0 - 0.5 * part) * before
            q, here, factor = there, ahead, factor * (0.2 if foreseen else 1.0)
        else:
            factor, weight = max(10.0 * factor, 1e-6), min(3.0 * weight, HEAVIEST)
    here = equations.at(q)
    return Found(q, equations.closure.cut_q.copy(), here, reached, count, pushing)


def _merit(gaps: Gaps, weight: float = HEAVIEST) -> float:
    return float(gaps.aim @ gaps.aim + weight * weight * (gaps.hard @ gaps.hard + gaps.beyond @ gaps.beyond))


def _step(gaps: Gaps, equations: PoseEquations, damping: float) -> tuple[Floats, list[int]]:
    """The damped step, and the limits that hold it back: those it would pass, until they would have to pull."""
    bounds = equations.bounds / equations.stop_lengths[:, None]
    active: dict[int, int] = {}  # limit: 0 at its lower end, 1 at its upper end
    for _ in range(4 * len(equations.stops) + 1):
        chosen = list(active)
        ends = np.array([bounds[k, end] for k, end in active.items()])
        E = np.vstack([gaps.hard_rows, gaps.stop_rows[chosen]])
        move, multipliers = _least_squares(gaps, E, np.concatenate([gaps.hard, gaps.stop[chosen] - ends]), damping)
        pushes = multipliers[gaps.hard.size :] * np.array([1.0 if end else -1.0 for end in active.values()])
        ahead = gaps.stop + gaps.stop_rows @ move
        passed = np.maximum(bounds[:, 0] - ahead, ahead - bounds[:, 1])
        passed[chosen] = 0.0
        worst = int(np.argmax(passed)) if passed.size else 0
        weak = int(np.argmin(pushes)) if chosen else 0
        if passed.size and passed[worst] > gaps.rounding:
            active[worst] = int(ahead[worst] > bounds[worst, 1])
        elif chosen and pushes[weak] < -max(SMALL * np.abs(pushes).max(), gaps.rounding):
            del active[chosen[weak]]
        else:
            break
    most = np.abs(pushes).max(initial=0.0)
    pushing = [k for k, push in zip(chosen, pushes, strict=True) if push > SMALL * most]
    return move * equations.free, pushing


def _least_squares(gaps: Gaps, E: Any, e: Any, damping: float) -> tuple[Floats, Floats]:
    """The step with E s = -e, nearest to the targets, and the multipliers of E: how hard each row holds it back."""
    r, J = gaps.aim, gaps.aim_rows
    U, S, V = np.linalg.svd(E) if E.size else (np.eye(len(E)), np.zeros(0), np.eye(J.shape[1]))
    rank = int(np.sum(DEPENDENT * S.max(initial=0.0) < S))
    move = -V[:rank].T @ ((U[:, :rank].T @ e) / S[:rank])
    N = V[rank:].T
    left = r + J @ move
    u, s, v = np.linalg.svd(J @ N, full_matrices=False)
    useful = s > DEPENDENT * np.linalg.norm(J)
    s, u, v = s[useful], u[:, useful], v[useful]
    move = move - N @ (v.T @ (s / (s * s + damping) * (u.T @ left)))
    pull = J.T @ (r + J @ move) + damping * move
    return move, -(U[:, :rank] @ ((V[:rank] @ pull) / S[:rank]))
