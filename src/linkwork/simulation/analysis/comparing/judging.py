"""From the runs of several methods to what may be said of them.

How far the two finest runs of a method are apart tells its own error, all three together its order. Gaps are kept as
two numbers, metres and radians, and judged as parts of the motion: of the largest length and the largest angle moved.
A mechanism of a millimetre is judged like one of a kilometre.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.simulation.analysis.comparing.agreement import SLACK, Agreement, Entry
from linkwork.simulation.results.columns.units import split_unit
from linkwork.simulation.results.judging.limits import BOUNDS
from linkwork.simulation.results.trajectory import Trajectory

# all as parts of the motion
SAFETY = 10.0  # own errors, times this, may lie between two methods
POOR = 0.05  # a method whose own error is larger has not converged; nor where dt makes twice that
FAR = 2.0 * POOR  # nobody agrees from farther away, whatever the errors
ROUNDING = 1e-7  # less than this is never a parting, and need not fall with the step
EXACT = 1e-11  # below it an order cannot be seen
STILL = 1e-3  # angles that move less than this part of the lengths are judged by that, and the other way round
REST = 1e-6  # of the size, and rad: where nothing moves

Gaps = dict[str, NDArray[Any]]  # a column: (row, 2), metres and radians


@dataclass
class Refined:
    """The three runs of a method, with dt, dt / 2 and dt / 4; or why there are none."""

    method: Any
    dt: float
    runs: list[Trajectory] = field(default_factory=list)
    refused: str = ""
    refused_at: float | None = None
    hint: str = ""

    @property
    def finest(self) -> Trajectory:
        return self.runs[-1]

    @property
    def cost(self) -> float:
        """Seconds of computing for a simulated second, with dt."""
        made = self.runs[0].certificate
        return made.wall_seconds / made.until


def judged(
    model: str, until: float, matched: str, found: dict[str, Refined], left_out: dict[str, list[str]]
) -> Agreement:
    """What the runs of all methods say together."""
    ran = {name: one for name, one in found.items() if not one.refused}
    judge = _Judge(ran)
    entries, distances = [], {}
    for name, one in found.items():
        facts: dict[str, Any] = {"method": name, "integrator": one.method.integrator, "dt": one.dt}
        if one.refused:
            entries.append(Entry(**facts, refused=one.refused, refused_at=one.refused_at, hint=one.hint))
            continue
        entries.append(Entry(**facts, **judge.facts(name)))
        distances[name] = judge.between(name, judge.reference).max(axis=1)
    pairs = {a: {b: float(judge.between(a, b).max(initial=0.0)) for b in ran if b != a} for a in ran}
    return Agreement(
        model=model,
        until=until,
        matched=matched,
        reference=judge.reference,
        entries=entries,
        time=ran[judge.reference].finest.time if ran else np.zeros(0),
        distances=distances,
        pairs=pairs,
        left_out=left_out,
    )


class _Judge:
    """Gaps between the runs of all methods that reached the end, and the method that they are measured from."""

    def __init__(self, ran: dict[str, Refined]) -> None:
        self.ran = ran
        common = set.intersection(*(set(one.finest.columns) for one in ran.values())) if ran else set()
        self.columns = sorted(common)  # those that all of them have
        self._between: dict[tuple[str, str], NDArray[Any]] = {}
        self.coarse = {name: _largest(_gaps(one.runs[0], one.runs[1], self.columns)) for name, one in ran.items()}
        self.own = {name: _largest(_gaps(one.runs[1], one.runs[2], self.columns)) for name, one in ran.items()}
        self.torn = {name: _torn(one) for name, one in ran.items()}
        self.reference, self.scales = "", np.ones(2)
        if ran:
            self.scales = self._motion(min(self.own, key=lambda name: float(self.own[name].max(initial=0.0))))
            self.reference = self._reference()

    def _motion(self, name: str) -> NDArray[Any]:
        """Largest length and largest angle moved, m and rad."""
        run = self.ran[name].finest
        first = {column: np.broadcast_to(run[column][:1], run[column].shape) for column in self.columns}
        moved = np.max([_gap(run[c], first[c], run.unit(c)).max(axis=0) for c in self.columns], axis=0, initial=0.0)
        size = run.certificate.size
        length = max(moved[0], STILL * size * moved[1], REST * size)
        angle = max(moved[1], STILL * min(1.0, moved[0] / size), REST)
        return np.array([length, angle])

    def _reference(self) -> str:
        """The one with the least error of its own; where it stands alone, one of those that part from it together."""
        sound = [name for name in self.ran if not self.torn[name]] or list(self.ran)
        errors = {name: self._part(self.own[name]) for name in sound}
        first = min(errors, key=lambda name: errors[name])
        away = {name: {other for other in sound if self.parting(name, other)[0] is not None} for name in sound}
        others = [name for name in away[first] if len(away[name]) < len(away[first])]
        return min(others, key=lambda name: (len(away[name]), errors[name])) if others else first

    def _part(self, gaps: NDArray[Any]) -> float:
        """The largest of the gaps, as a part of the motion."""
        return float((gaps / self.scales).max(initial=0.0))

    def between(self, a: str, b: str) -> NDArray[Any]:
        """Gaps between the finest runs of two methods over time: (row, 2)."""
        key = (min(a, b), max(a, b))
        if key not in self._between:
            self._between[key] = _largest(_gaps(self.ran[a].finest, self.ran[b].finest, self.columns))
        return self._between[key]

    def parting(self, a: str, b: str) -> tuple[int | None, float]:
        """The first row where two methods are farther apart than their errors allow, and what they allow there."""
        grown = [np.maximum.accumulate((self.own[name] / self.scales).max(axis=1)) for name in (a, b)]
        bound = SAFETY * (grown[0] + grown[1]) + ROUNDING
        beyond = np.flatnonzero((self.between(a, b) / self.scales).max(axis=1) > bound)
        return (int(beyond[0]), float(bound[beyond[0]])) if beyond.size else (None, math.nan)

    def facts(self, name: str) -> dict[str, Any]:
        """What an `Entry` tells of a method that ran."""
        one = self.ran[name]
        away, own = self.between(name, self.reference), self.own[name]
        coarse, fine, far = self._part(self.coarse[name]), self._part(own), self._part(away)
        promised = float(one.method.orders[one.method.integrator])
        order, hidden = _seen_order(coarse, fine, promised)
        falls = order is None or order > 0.0
        converged = fine <= POOR and max(coarse, far) <= FAR and falls
        made = [run.certificate for run in one.runs]
        found: dict[str, Any] = {
            "error": float(own.max(initial=0.0)),
            "error_relative": fine,
            "order": order,
            "order_hidden": hidden,
            "expected_order": promised,
            "distance": float(away.max(initial=0.0)),
            "distance_relative": far,
            "energy": made[-1].energy_balance_relative,
            "drift": max(each.worst_drift_position for each in made),
            "cost": one.cost,
            "converged": converged,
            "torn": self.torn[name],
            "doubts": tuple(made[0].doubts()),
            "hint": "" if converged else _remedy(one, max(coarse / FAR, fine / POOR, far / FAR), promised, falls),
        }
        row, allowed = self.parting(name, self.reference)
        if row is not None:
            gaps = _gaps(one.finest, self.ran[self.reference].finest, self.columns)
            worst = max(gaps, key=lambda column: float((gaps[column][row] / self.scales).max()))
            when = float(one.finest.time[row])
            found |= {"parted_at": when, "parted": worst.rpartition(".")[0], "allowed": allowed}
        return found


def _torn(one: Refined) -> str:
    """What the joints drift by, in words, where that is beyond the plain bound in one of the runs."""
    bound = {"drift": BOUNDS["drift"]}
    said = [(run.certificate.dt, words) for run in one.runs for words in run.certificate.broken(bound)]
    return f"with dt = {said[0][0]:g} s {said[0][1]}" if said else ""


def _seen_order(coarse: float, fine: float, promised: float) -> tuple[float | None, str]:
    """The order that the errors of two halvings show, as parts of the motion; why there is none to be seen."""
    if max(coarse, fine) <= EXACT:
        return None, ""
    order = math.log2(coarse / fine) if coarse > 0.0 < fine else math.copysign(math.inf, coarse - fine)
    if order <= 0.0:
        return (None, "") if fine <= ROUNDING else (order, "")
    if order > promised + 1.0 + SLACK:
        if coarse <= ROUNDING:
            return None, ""
        return None, f"dt is too coarse for it, its error falls from {coarse:.0e} to {fine:.0e} of the motion at once"
    return order, ""


def _remedy(one: Refined, excess: float, order: float, falls: bool) -> str:
    """What to try with a method that has not converged."""
    leave = "compare the others without it"
    if not falls:
        return f"look at its certificate, or {leave}"
    step = one.dt * excess ** (-1.0 / order)
    digit = 10.0 ** math.floor(math.log10(step))
    return f"try dt = {math.floor(step / digit) * digit:.1g} s, or {leave}"


def _gaps(a: Trajectory, b: Trajectory, columns: list[str]) -> Gaps:
    """How far two runs are apart at their common times, a column."""
    rows = min(len(a), len(b))
    return {name: _gap(a[name][:rows], b[name][:rows], a.unit(name)) for name in columns}


def _gap(a: NDArray[Any], b: NDArray[Any], unit: str) -> NDArray[Any]:
    """Gaps of a column in metres and radians; an angle is the same after a turn, as is a quaternion's negative."""
    rows = len(a)
    a, b = a.reshape(rows, -1), b.reshape(rows, -1)
    words = np.array(split_unit(unit, a.shape[1])) if a.shape[1] else np.zeros(0, str)
    lengths, angles, turns = (words == word for word in ("m", "rad", "1"))
    d = a - b
    turned = np.abs((d[:, angles] + math.pi) % (2.0 * math.pi) - math.pi).max(axis=1, initial=0.0)
    # half an angle
    half = np.minimum(np.linalg.norm(d[:, turns], axis=1), np.linalg.norm((a + b)[:, turns], axis=1))
    return np.column_stack([np.linalg.norm(d[:, lengths], axis=1), np.maximum(turned, 2.0 * half)])


def _largest(gaps: Gaps) -> NDArray[Any]:
    return np.max(list(gaps.values()), axis=0) if gaps else np.zeros((1, 2))
