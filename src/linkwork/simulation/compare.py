"""Every method on one model, and a verdict: do those agree that should?

Each method runs with dt, dt / 2 and dt / 4. How far its two finest runs are apart tells its own error, the three
together its order. Two methods should agree to what their own errors allow; where they do not, one of them is wrong,
and the first time and place of the parting is named. Distances are those of joints and bodies, metres and radians
together; an angle is the same after a turn.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from linkwork.assembly.assemble import assemble
from linkwork.errors import ModelError, OptionError, RunError
from linkwork.model import Model
from linkwork.model.checked import shown
from linkwork.simulation.methods import ALL, IMPLICIT, IMPULSES, METHODS, known, positive, resolve
from linkwork.simulation.simulate import count_steps, simulate
from linkwork.simulation.trajectory import Trajectory

ROWS = 300  # times at which runs are compared, at most
SAFETY = 10.0  # own errors, times this, may lie between two methods
POOR = 0.05  # of the motion: a method whose own error is larger has not converged
ROUNDING = 1e-7  # of the motion: less than this is never a parting
EXACT = 1e-11  # of the motion: below it an order cannot be seen
COARSE, FINEST = 1e-2, 1e-12  # s, up to which a tolerance of Newton's iteration suits the step; the least that is asked
SLACK = 0.5  # of an order: fewer is told


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One method of a comparison. Seconds; distances in metres and radians together.

    >>> Entry(method="hybrid", dt=0.01, refused="singular").ran
    False
    """

    method: str
    integrator: str = ""
    dt: float = 0.0
    refused: str = ""
    """Why it did not run to the end; empty where it did."""
    refused_at: float | None = None
    error: float = math.nan
    """Own error: how far its runs with dt / 2 and dt / 4 are apart."""
    order: float | None = None
    """Order of convergence that was observed; None where rounding hides it."""
    expected_order: float = math.nan
    distance: float = math.nan
    """From the reference, both with dt / 4."""
    energy: float = math.nan
    """Worst energy balance with dt / 4, as a part of the energy that moved."""
    drift: float = math.nan
    cost: float = math.nan
    """Seconds of computing for a simulated second, with dt."""
    parted_at: float | None = None
    parted: str = ""
    """Column where it left the reference first."""
    allowed: float = math.nan
    """What the errors allowed there."""
    converged: bool = True
    """False where its own error is so large that its run says little."""

    @property
    def ran(self) -> bool:
        """True when it reached the end."""
        return not self.refused


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """What `lw.compare` found.

    >>> found = lw.compare(lw.gallery.double_four_bar.build(), until=0.2, dt=0.01, methods=["recursive", "hybrid"])
    >>> found.agree, found.reference
    (True, 'recursive')
    """

    model: str
    until: float
    matched: str
    reference: str
    entries: list[Entry]
    time: NDArray[Any] = field(repr=False)
    distances: dict[str, NDArray[Any]] = field(repr=False)
    """Distance of each method from the reference over time."""
    pairs: dict[str, dict[str, float]] = field(default_factory=dict, repr=False)
    """Largest distance of every two methods, with dt / 4."""

    @property
    def agree(self) -> bool:
        """False when a method parted from the reference by more than their errors allow."""
        return all(entry.parted_at is None for entry in self.entries)

    @property
    def verdict(self) -> str:
        """What was found, in words."""
        ran = [entry for entry in self.entries if entry.ran]
        sentences = []
        best = [e for e in ran if e.parted_at is None and e.converged and e.expected_order > 2.0]
        if self.reference and len(best) > 1:
            sentences.append(f"{_listed([e.method for e in best])} agree to {max(e.distance for e in best):.0e}")
        for entry in ran:
            if entry.parted_at is not None:
                sentences.append(
                    f"{entry.method} PARTS from {self.reference} at t = {entry.parted_at:.4g} s, first in "
                    f"'{entry.parted}', where their errors allow {entry.allowed:.0e}; it ends {entry.distance:.0e} away"
                )
            elif entry not in best or len(best) == 1:
                sentences.append(self._alone(entry))
        for entry in self.entries:
            if not entry.ran:
                when = "" if entry.refused_at is None else f" at t = {entry.refused_at:.4g} s"
                sentences.append(f"{entry.method} refused{when}: {entry.refused}")
        for entry in ran:
            if entry.converged and entry.order is not None and entry.order < entry.expected_order - SLACK:
                sentences.append(
                    f"{entry.method} converges at order {entry.order:.1f} and not {entry.expected_order:g} here"
                )
        return "; ".join(sentences)

    def _alone(self, entry: Entry) -> str:
        seen = "" if entry.order is None else f", order {entry.order:.1f}"
        if not entry.converged:
            return f"{entry.method} has not converged at this step, its own error is {entry.error:.0e}"
        if entry.method == self.reference:
            return f"{entry.method} has the smallest error of its own, {entry.error:.0e}{seen}"
        return f"{entry.method} is {entry.distance:.0e} from {self.reference}, its own error {entry.error:.0e}{seen}"

    def lines(self) -> list[str]:
        """The table to read, and the verdict."""
        heads = ("method", "dt (s)", "distance", "own error", "order", "energy", "drift", "s per s")
        rows: list[tuple[str, ...]] = [heads]
        for e in self.entries:
            name = f"{e.method}*" if e.method == self.reference else e.method
            if not e.ran:
                rows.append((name, "", "refused", "", "", "", "", ""))
                continue
            order = "-" if e.order is None else f"{e.order:.1f} of {e.expected_order:g}"
            numbers = [f"{x:.1e}" for x in (e.distance, e.error)]
            rows.append((name, f"{e.dt:.3g}", *numbers, order, f"{e.energy:.1e}", f"{e.drift:.1e}", f"{e.cost:.2e}"))
        widths = [max(len(row[k]) for row in rows) for k in range(len(heads))]
        table = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
        return [*table, "", f"verdict  {self.verdict}"]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def as_dict(self) -> dict[str, Any]:
        """Plain dictionary, ready for JSON."""

        def plain(value: Any) -> Any:
            return None if isinstance(value, float) and not math.isfinite(value) else value

        return {
            "model": self.model,
            "until": self.until,
            "matched": self.matched,
            "reference": self.reference,
            "agree": self.agree,
            "verdict": self.verdict,
            "methods": [{name: plain(value) for name, value in asdict(e).items()} for e in self.entries],
            "time": self.time.tolist(),
            "distances": {name: values.tolist() for name, values in self.distances.items()},
            "pairs": self.pairs,
        }

    def plot(self, file: str | PathLike[str] | None = None, show: bool = False) -> Any:
        """Draw the distances from the reference over time."""
        from linkwork.viewer.plots import plot_lines

        lines = {name: (self.time, away) for name, away in self.distances.items() if name != self.reference}
        return plot_lines(
            {f"distance from {self.reference} [m, rad]": lines},
            title=f"{self.model}: methods compared",
            logarithmic=True,
            file=file,
            show=show,
        )


def compare(
    model: Model,
    *,
    until: float,
    methods: Sequence[Any] | None = None,
    dt: float = 1e-3,
    matched: str = "dt",
    progress: Callable[[str], None] | None = None,
) -> Agreement:
    """Run `model` to `until` (s) by every method that supports it, or by `methods`, and say whether they agree.

    All take the same `dt` (s); with `matched="cost"` the cheaper ones take smaller steps, so that all cost the same.
    `progress` is told the name of the method that runs.

    >>> found = lw.compare(lw.gallery.double_four_bar.build(), until=0.2, dt=0.01, methods=["recursive", "hybrid"])
    >>> [entry.method for entry in found.entries]
    ['recursive', 'hybrid']
    """
    until, dt = positive("until", until, "seconds"), positive("dt", dt, "seconds")
    known(matched, ("dt", "cost"), f"unknown matched {matched!r}")
    system = assemble(model)
    if methods is not None and (isinstance(methods, str) or not isinstance(methods, Iterable)):
        raise OptionError(
            f"methods must list methods such as ['recursive', 'hybrid'], not {shown(methods)}; correct methods="
        )
    chosen = [resolve(method, {})[0] for method in (list(ALL) if methods is None else methods)]
    names = [method.name for method in chosen]
    if len(chosen) < 2 or len(set(names)) < len(names):
        raise OptionError("compare needs two methods or more, each once; correct methods=")
    if methods is None:
        chosen = [method for method in chosen if not system.features - method.supports]
        names = [method.name for method in chosen]
    if len(chosen) < 2:
        one = f"only {names[0]!r} supports" if names else "no method supports"
        raise OptionError(
            f"{one} what model '{model.name}' has ({', '.join(sorted(system.features))}); nothing to compare"
        )
    wanted = dict.fromkeys(names, count_steps(until, dt))
    found = _all(model, until, chosen, wanted, progress)
    costs = {name: one.cost for name, one in found.items() if one.cost is not None}
    if matched == "cost" and len(costs) > 1:
        most = max(costs.values())
        rows = _rows(wanted[names[0]])
        for name, cost in costs.items():
            wanted[name] = rows * math.ceil(wanted[name] * min(most / max(cost, 1e-12), 100.0) / rows)
        again = [method for method in chosen if method.name in costs and costs[method.name] < most]
        found |= _all(model, until, again, wanted, progress, rows)
    return _judged(model.name, until, matched, found)


@dataclass
class _Runs:
    """The three runs of a method, or why there are none."""

    method: Any
    dt: float
    runs: list[Trajectory] = field(default_factory=list)
    refused: str = ""
    refused_at: float | None = None
    cost: float | None = None


def _rows(steps: int) -> int:
    """The largest number of rows, at most ROWS, that divides the steps."""
    return max(k for k in range(1, min(ROWS, steps) + 1) if steps % k == 0)


def _all(
    model: Model,
    until: float,
    chosen: list[Any],
    wanted: dict[str, int],
    progress: Callable[[str], None] | None,
    rows: int | None = None,
) -> dict[str, _Runs]:
    found = {}
    for method in chosen:
        if progress is not None:
            progress(method.name)
        steps = wanted[method.name]
        one = found[method.name] = _Runs(method, until / steps)
        every = steps // (rows or _rows(steps))
        try:
            for k in (1, 2, 4):
                finer, _ = resolve(method, {"dt": until / (k * steps)})
                one.runs.append(_converged(model, until, finer, k * every))
        except RunError as error:
            one.refused, one.refused_at = _reason(error), error.time
        except (ModelError, OptionError) as error:
            one.refused = str(error).rstrip(".")
        else:
            one.cost = one.runs[0].certificate.wall_seconds / until
    return found


def _converged(model: Model, until: float, method: Any, every: int) -> Trajectory:
    """The run, with Newton's iteration so far that what it leaves is small beside the error of the step."""
    columns = ["*.position", "*.rotation"]
    if method.name in IMPLICIT:
        enough = max(FINEST, method.tolerance * (method.dt / COARSE) ** 2)
        try:
            tight, _ = resolve(method, {"tolerance": min(method.tolerance, enough)})
            return simulate(model, until=until, method=tight, every=every, record=columns)
        except RunError:  # rounding may not let it come so far
            pass
    return simulate(model, until=until, method=method, every=every, record=columns)


def _reason(error: RunError) -> str:
    """What went wrong, without when and without what to try."""
    words = str(error).partition("): ")[2] or str(error)
    return words.partition(";")[0].rstrip(".")


def _judged(model: str, until: float, matched: str, found: dict[str, _Runs]) -> Agreement:
    ran = {name: one for name, one in found.items() if not one.refused}
    # columns that all of them have
    common = set.intersection(*(set(one.runs[0].names) for one in ran.values())) if ran else set()
    columns = sorted(name for name in common if not name.startswith(("energy.", "drift.", "solver.")))
    own = {name: _gaps(one.runs[1], one.runs[2], columns) for name, one in ran.items()}
    least = {name: float(_largest(gaps).max(initial=0.0)) for name, gaps in own.items()}
    reference = min(least, key=lambda name: least[name]) if least else ""
    motion = max((float(np.ptp(ran[reference].runs[2][c], axis=0).max()) for c in columns), default=0.0) if ran else 0.0
    entries, distances = [], {}
    for name, one in found.items():
        kind = one.method
        facts: dict[str, Any] = {"method": name, "integrator": kind.integrator, "dt": one.dt}
        if one.refused:
            entries.append(Entry(**facts, refused=one.refused, refused_at=one.refused_at))
            continue
        first = _largest(_gaps(one.runs[0], one.runs[1], columns))
        error = _largest(own[name])
        coarse, fine = float(first.max(initial=0.0)), float(error.max(initial=0.0))
        gaps = _gaps(one.runs[2], ran[reference].runs[2], columns)
        away = _largest(gaps)
        bound = np.maximum.accumulate(error) + np.maximum.accumulate(_largest(own[reference]))
        bound = SAFETY * bound + ROUNDING * max(motion, 1e-3)
        beyond = np.flatnonzero(away > bound)
        made = one.runs[2].certificate
        facts |= {
            "error": fine,
            "order": math.log2(coarse / fine) if fine > EXACT * max(motion, 1e-3) else None,
            "expected_order": float(_order(kind)),
            "distance": float(away.max(initial=0.0)),
            "energy": made.energy_balance_relative,
            "drift": made.worst_drift_position,
            "cost": one.cost,
            "converged": fine <= POOR * motion or fine <= ROUNDING,
        }
        if beyond.size:
            row = int(beyond[0])
            worst = max(gaps, key=lambda column: gaps[column][row])
            when = float(one.runs[2].time[row])
            facts |= {"parted_at": when, "parted": worst.rpartition(".")[0], "allowed": float(bound[row])}
        entries.append(Entry(**facts))
        distances[name] = away
    time = ran[reference].runs[2].time if ran else np.zeros(0)
    last = {name: one.runs[2] for name, one in ran.items()}
    pairs = {
        a: {b: float(_largest(_gaps(run, last[b], columns)).max(initial=0.0)) for b in last if b != a}
        for a, run in last.items()
    }
    return Agreement(
        model=model,
        until=until,
        matched=matched,
        reference=reference,
        entries=entries,
        time=time,
        distances=distances,
        pairs=pairs,
    )


def _order(method: Any) -> int:
    """The order that its integrator promises."""
    if method.name in METHODS:
        return int(method.orders[method.integrator])
    return 1 if method.name in IMPULSES else 2


def _gaps(a: Trajectory, b: Trajectory, columns: list[str]) -> dict[str, NDArray[Any]]:
    """How far two runs are apart at their common times, a column."""
    rows = min(len(a), len(b))
    return {name: _gap(a[name][:rows], b[name][:rows], a.unit(name)) for name in columns}


def _gap(a: NDArray[Any], b: NDArray[Any], unit: str) -> NDArray[Any]:
    d = (a - b).reshape(len(a), -1)
    gap: NDArray[Any] = np.linalg.norm(d, axis=1)
    if unit == "rad":
        gap = np.abs((d + math.pi) % (2.0 * math.pi) - math.pi).max(axis=1)
    elif d.shape[1] == 4:  # a quaternion and its negative are one rotation; half an angle
        gap = 2.0 * np.minimum(gap, np.linalg.norm(a + b, axis=1))
    return gap


def _largest(gaps: dict[str, NDArray[Any]]) -> NDArray[Any]:
    return np.max(list(gaps.values()), axis=0) if gaps else np.zeros(1)


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
