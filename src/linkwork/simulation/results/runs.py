"""The runs of `lw.simulate_many` in order, with those that failed kept apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

from linkwork.errors import RunError, RunWarning
from linkwork.simulation.results.columns.plain import shortened
from linkwork.simulation.results.judging.warning import warn
from linkwork.simulation.results.trajectory import Trajectory

MOST = 3  # messages that a warning has


class Runs(Sequence[Trajectory]):
    """Runs in the order in which they were asked for; made by `lw.simulate_many`.

    `runs[k]` is the `Trajectory` of run k, with its certificate. If run k failed it raises `RunError`, whose `.run`
    holds what was recorded. `failures` has the errors of the runs that failed by their numbers, `good` the others.

    >>> model = lw.gallery.pendulum.build()
    >>> runs = lw.simulate_many([model, model], until=1.0, dt=0.01, method="recursive")
    >>> runs
    <Runs: 2, none failed>
    >>> runs[1]["pin.position"].shape, list(runs.good), runs.failures
    ((101,), [0, 1], {})
    """

    def __init__(self, found: Sequence[Trajectory | Exception]) -> None:
        self._found = list(found)

    @property
    def good(self) -> dict[int, Trajectory]:
        """The runs that reached their end, by number."""
        return {k: run for k, run in enumerate(self._found) if isinstance(run, Trajectory)}

    @property
    def failures(self) -> dict[int, Exception]:
        """The errors of the runs that failed, by number; `.run` of a `RunError` holds what was recorded."""
        return {k: error for k, error in enumerate(self._found) if isinstance(error, Exception)}

    @overload
    def __getitem__(self, which: int) -> Trajectory: ...
    @overload
    def __getitem__(self, which: slice) -> list[Trajectory]: ...
    def __getitem__(self, which: Any) -> Any:
        if isinstance(which, slice):
            return [self[k] for k in range(*which.indices(len(self)))]
        found = self._found[which]
        if not isinstance(found, Exception):
            return found
        number = which % len(self)
        raise RunError(
            f"run {number} of {len(self)} failed: {str(found).rstrip('.')}; runs.good has the runs that did not",
            **{name: getattr(found, name, None) for name in ("run", "time", "step", "culprit", "state")},
            save_state=found.save_state if isinstance(found, RunError) and found.has_state else None,
        ) from found

    def __len__(self) -> int:
        return len(self._found)

    def __repr__(self) -> str:
        return f"<Runs: {len(self)}, {len(self.failures) or 'none'} failed>"


def warn_of_runs(runs: Runs) -> None:
    """One `RunWarning` for all runs that failed, and one for all whose numbers are in doubt."""
    doubts = {k: doubts[0] for k, run in runs.good.items() if (doubts := run.certificate.doubts())}
    for found, words in ((runs.failures, "failed"), (doubts, "reached the end, but their numbers are in doubt")):
        if found:
            warn(f"{len(found)} of {len(runs)} runs {words}: {_listed(found)}", RunWarning)


def _listed(found: Mapping[int, object]) -> str:
    """What was found with its runs, that of several told once.

    >>> _listed({0: "cold", 2: "wet.", 5: "cold"})
    'runs 0, 5: cold; run 2: wet'
    """
    runs: dict[str, list[int]] = {}
    for k, what in found.items():
        runs.setdefault(str(what).rstrip("."), []).append(k)
    told = [f"{_named(numbers)}: {what}" for what, numbers in list(runs.items())[:MOST]]
    others = sorted(k for numbers in list(runs.values())[MOST:] for k in numbers)
    return "; ".join([*told, f"and {_named(others)}"] if others else told)


def _named(numbers: list[int]) -> str:
    return f"run{'s' if len(numbers) > 1 else ''} {shortened(list(map(str, numbers)))}"
