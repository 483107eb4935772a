"""What a comparison of methods found: a line for each of them, one of three outcomes, and the words for it."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from os import PathLike
from typing import Any

from numpy.typing import NDArray

AGREE, DISAGREE, NOT_SHOWN = "agree", "disagree", "not shown"  # outcomes
SLACK = 0.5  # of an order: fewer is told


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One method of a comparison. Seconds; distances in metres and radians together.

    >>> Entry(method="hybrid", dt=0.01, refused="singular").standing
    'refused'
    """

    method: str
    integrator: str = ""
    dt: float = 0.0
    refused: str = ""
    """Why it did not run to the end; empty where it did."""
    refused_at: float | None = None
    error: float = math.nan
    """Own error: how far its runs with dt / 2 and dt / 4 are apart."""
    error_relative: float = math.nan
    """The same as a part of the motion: of lengths by the largest length moved, of angles by the largest angle."""
    order: float | None = None
    """Order of convergence that was observed; None where it cannot be seen, `order_hidden` says why."""
    order_hidden: str = ""
    expected_order: float = math.nan
    distance: float = math.nan
    """From the reference, both with dt / 4."""
    distance_relative: float = math.nan
    """The same as a part of the motion."""
    energy: float = math.nan
    """Worst energy balance with dt / 4, as a part of the energy that moved."""
    drift: float = math.nan
    """Worst drift of its three runs."""
    cost: float = math.nan
    """Seconds of computing for a simulated second, with dt."""
    parted_at: float | None = None
    parted: str = ""
    """Column where it left the reference first."""
    allowed: float = math.nan
    """What the errors allowed there, as a part of the motion."""
    converged: bool = True
    """False where its own error is so large, or falls so little, that its run says little."""
    torn: str = ""
    """What its joints drifted by, where that is beyond bounds."""
    doubts: tuple[str, ...] = ()
    """What the certificate of its run with dt says against itself."""
    hint: str = ""
    """What to try, where it refused or has not converged."""

    @property
    def ran(self) -> bool:
        """True when it reached the end."""
        return not self.refused

    @property
    def standing(self) -> str:
        """One of "agrees", "parts", "in doubt" (its joints drift), "not converged" and "refused".

        >>> Entry(method="maximal", distance=9.5, converged=False).standing
        'not converged'
        """
        if not self.ran:
            return "refused"
        if not self.converged:
            return "not converged"
        if self.torn:
            return "in doubt"
        return "agrees" if self.parted_at is None else "parts"

    @property
    def order_words(self) -> str:
        """The order beside that which is expected; "unclear" or "-" where it cannot be seen.

        >>> Entry(method="impulse", order=2.0, expected_order=1.0).order_words
        '2.0 of 1'
        """
        if self.order is None:
            return "unclear" if self.order_hidden else "-"
        return f"{self.order:.1f} of {self.expected_order:g}"


@dataclass(frozen=True, kw_only=True)
class Agreement:
    """What `lw.compare` found.

    >>> found = lw.compare(lw.gallery.double_four_bar.build(), until=0.2, dt=0.01, methods=["recursive", "hybrid"])
    >>> found.agree, found.outcome, found.reference
    (True, 'agree', 'recursive')
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
    left_out: dict[str, list[str]] = field(default_factory=dict)
    """Methods that were not asked, and what the model has that they do not support."""

    @property
    def outcome(self) -> str:
        """One of three: "agree", "disagree", and "not shown", where some method says too little to tell.

        Methods agree when two or more ran, and every one that ran has converged, holds its joints and is as near to
        the reference as their errors allow. They disagree when one that has converged is farther away than that. Those
        that refused count for neither.
        """
        standings = [entry.standing for entry in self.entries if entry.ran]
        if "parts" in standings:
            return DISAGREE
        return AGREE if len(standings) > 1 and set(standings) == {"agrees"} else NOT_SHOWN

    @property
    def agree(self) -> bool:
        """True when the outcome is "agree"."""
        return self.outcome == AGREE

    @property
    def verdict(self) -> str:
        """The outcome and what was found, in words."""
        return f"{self.outcome}: {'; '.join(self.sentences())}"

    def sentences(self) -> list[str]:
        """What was found, a sentence each."""
        said = self._agreeing()
        for entry in self.entries:
            if entry.standing == "parts":
                said.append(
                    f"{entry.method} PARTS from {self.reference} at t = {entry.parted_at:.4g} s, first in "
                    f"'{entry.parted}', where their errors allow {entry.allowed:.0e} of the motion; "
                    f"it ends {entry.distance:.0e} away"
                )
        said += [self._not_converged(entry) for entry in self.entries if entry.standing == "not converged"]
        for entry in self.entries:
            if entry.standing == "in doubt":
                said.append(f"{entry.method} is IN DOUBT, no statement: {entry.torn}")
        said += [_refusal(entry) for entry in self.entries if not entry.ran]
        alike: dict[str, list[str]] = {}
        for name, features in self.left_out.items():
            alike.setdefault(", ".join(features), []).append(name)
        said += [f"left out, as the model has {features}: {', '.join(names)}" for features, names in alike.items()]
        for entry in self.entries:
            if entry.standing != "agrees":
                continue
            if entry.order is not None and entry.order < entry.expected_order - SLACK:
                seen, promised = f"{entry.order:.1f}", f"{entry.expected_order:g}"
                said.append(f"{entry.method} converges at order {seen} and not {promised} here")
            elif entry.order_hidden:
                said.append(f"the order of {entry.method} is unclear: {entry.order_hidden}")
        for entry in self.entries:
            if entry.doubts:
                said.append(f"the certificate of {entry.method} with dt = {entry.dt:g} s: {'; '.join(entry.doubts)}")
        return said

    def _agreeing(self) -> list[str]:
        """Those that stand: the precise ones together, the others one by one."""
        good = [entry for entry in self.entries if entry.standing == "agrees"]
        best = [entry for entry in good if entry.expected_order > 2.0]
        if len(best) < 2:
            best = []
        said = []
        if best:
            said.append(f"{_listed([e.method for e in best])} agree to {max(e.distance for e in best):.0e}")
        for entry in good:
            if entry in best:
                continue
            seen = "" if entry.order is None else f", order {entry.order:.1f}"
            where = f"is {entry.distance:.0e} from {self.reference}, its own error {entry.error:.0e}"
            if entry.method == self.reference:
                where = f"has the smallest error of its own, {entry.error:.0e}"
            said.append(f"{entry.method} {where}{seen}")
        return said

    def _not_converged(self, entry: Entry) -> str:
        where = "" if entry.method == self.reference else f", {entry.distance:.0e} from {self.reference}"
        order = entry.order
        falls = f" and does not fall with the step (order {order:.1f})" if order is not None and order <= 0 else ""
        return (
            f"{entry.method} has NOT CONVERGED at dt = {entry.dt:g} s, no statement: its own error is "
            f"{entry.error:.0e}, {entry.error_relative:.0e} of the motion{falls}{where}; {entry.hint}"
        )

    def lines(self) -> list[str]:
        """The table to read, and the verdict."""
        heads = ("method", "dt (s)", "distance", "own error", "order", "energy", "drift", "s per s", "standing")
        rows: list[tuple[str, ...]] = [heads]
        for e in self.entries:
            name = f"{e.method}*" if e.method == self.reference else e.method
            if not e.ran:
                rows.append((name, f"{e.dt:.3g}", "", "", "", "", "", "", e.standing))
                continue
            a, b, c, d, f = (f"{x:.1e}" for x in (e.distance, e.error, e.energy, e.drift, e.cost))
            rows.append((name, f"{e.dt:.3g}", a, b, e.order_words, c, d, f, e.standing))
        rows += [(name, *[""] * 7, "left out") for name in self.left_out]
        widths = [max(len(row[k]) for row in rows) for k in range(len(heads))]
        table = ["  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in rows]
        return [*table, "", f"verdict  {self.outcome.upper()}", *(f"         {words}" for words in self.sentences())]

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def as_dict(self) -> dict[str, Any]:
        """Plain dictionary, ready for JSON."""

        def plain(value: Any) -> Any:
            return None if isinstance(value, float) and not math.isfinite(value) else value

        methods = [{name: plain(value) for name, value in asdict(e).items()} for e in self.entries]
        return {
            "model": self.model,
            "until": self.until,
            "matched": self.matched,
            "reference": self.reference,
            "agree": self.agree,
            "outcome": self.outcome,
            "verdict": self.verdict,
            "methods": [facts | {"standing": e.standing} for facts, e in zip(methods, self.entries, strict=True)],
            "left_out": self.left_out,
            "time": self.time.tolist(),
            "distances": {name: values.tolist() for name, values in self.distances.items()},
            "pairs": self.pairs,
        }

    def plot(self, file: str | PathLike[str] | None = None, show: bool = False) -> Any:
        """Draw the distances from the reference over time."""
        from linkwork.viewer.pictures.plots import plot_lines

        lines = {name: (self.time, away) for name, away in self.distances.items() if name != self.reference}
        return plot_lines(
            {f"distance from {self.reference} [m, rad]": lines},
            title=f"{self.model}: methods compared",
            logarithmic=True,
            file=file,
            show=show,
        )


def _refusal(entry: Entry) -> str:
    when = "" if entry.refused_at is None else f" at t = {entry.refused_at:.4g} s"
    return f"{entry.method} refused{when}: {entry.refused}{f'; {entry.hint}' if entry.hint else ''}"


def _listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]
