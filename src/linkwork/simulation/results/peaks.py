"""The largest and the smallest value of every column of a run, and when."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from linkwork.errors import OptionError
from linkwork.model.checked import shown
from linkwork.simulation.results.columns.components import full_name
from linkwork.simulation.results.columns.plain import shortened

if TYPE_CHECKING:
    from linkwork.simulation.results.trajectory import Trajectory

HEAD = ("column", "unit", "smallest", "at t", "largest", "at t")


class Peak(NamedTuple):
    """The largest and the smallest value of a column or component, each with its time (s); the first of equal ones.

    >>> run = lw.simulate(lw.gallery.pendulum.build(), until=1.0, dt=0.01, method="recursive")
    >>> peak = run.peaks("bob.position.z")[0]
    >>> peak.name, peak.unit, bool(peak.largest == run["bob.position.z"].max())
    ('bob.position.z', 'm', True)
    """

    name: str
    unit: str
    largest: float
    largest_at: float
    smallest: float
    smallest_at: float


class Peaks:
    """A table of peaks, by number or by the name of a column or component; made by `run.peaks`.

    >>> run = lw.simulate(lw.gallery.pendulum.build(), until=1.0, dt=0.01, method="recursive")
    >>> table = run.peaks("bob.position")
    >>> len(table), table["bob.position.z"].unit
    (3, 'm')
    """

    def __init__(self, peaks: list[Peak]) -> None:
        self._peaks = peaks

    @overload
    def __getitem__(self, which: int | str) -> Peak: ...
    @overload
    def __getitem__(self, which: slice) -> list[Peak]: ...
    def __getitem__(self, which: Any) -> Any:
        if not isinstance(which, str):
            return self._peaks[which]
        for peak in self._peaks:
            if peak.name == full_name(which):
                return peak
        known = shortened([peak.name for peak in self._peaks])
        raise OptionError(f"there is no peak of {shown(which)} in this table; give one of {known}")

    def __iter__(self) -> Iterator[Peak]:
        return iter(self._peaks)

    def __len__(self) -> int:
        return len(self._peaks)

    def lines(self) -> list[str]:
        """The table in readable lines."""
        cells = [HEAD] + [
            (
                peak.name,
                peak.unit,
                *(f"{x:.6g}" for x in (peak.smallest, peak.smallest_at, peak.largest, peak.largest_at)),
            )
            for peak in self._peaks
        ]
        widths = [max(len(row[k]) for row in cells) for k in range(len(HEAD))]
        text = []
        for row in cells:
            words = [
                cell.ljust(width) if k < 2 else cell.rjust(width)
                for k, (cell, width) in enumerate(zip(row, widths, strict=True))
            ]
            text.append("  ".join(words))
        return text

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def __repr__(self) -> str:
        return f"<Peaks of {len(self)} columns>"


def peaks_of(run: Trajectory, columns: tuple[str, ...]) -> Peaks:
    """See `Trajectory.peaks`."""
    if len(run) == 0:
        raise OptionError(f"the run of '{run.model_name}' has no samples and so no peaks; run it again")
    names = [name for pattern in columns for name in run.matching(pattern)] if columns else run.names
    found = [
        _peak(full_name(label), unit, values, run.time)
        for name in dict.fromkeys(names)
        for label, unit, values in run.components(name)
    ]
    return Peaks(found)


def _peak(name: str, unit: str, values: Any, time: Any) -> Peak:
    if np.isnan(values).all():
        nothing = float("nan")
        return Peak(name, unit, nothing, nothing, nothing, nothing)
    high, low = int(np.nanargmax(values)), int(np.nanargmin(values))
    return Peak(name, unit, float(values[high]), float(time[high]), float(values[low]), float(time[low]))
