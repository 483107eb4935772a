"""Live plots on the page: one chart for each chosen column, the last seconds of it."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from linkwork.viewer.colours import COLOURS
from linkwork.viewer.live.shared_frame import MOST_PLOTTED, PLOTTED_COUNT, TIME, FrameData

POINTS = 900  # of a curve: 15 s at 60 a second
MOST = 4  # charts
DASHES = ((), (8, 4), (2, 3), (8, 3, 2, 3))  # distinct in print and for colour-blind readers


class Charts:
    """Charts in a place of the panel; `columns` holds the labels of each column's components, and the unit."""

    def __init__(self, gui: Any, place: Any, columns: dict[str, tuple[list[str], str]]) -> None:
        self.gui, self.place, self.columns = gui, place, columns
        self.names: list[str] = []
        self.handles: list[Any] = []
        self.rows: deque[Any] = deque(maxlen=POINTS)

    def add(self, name: str) -> bool:
        """One more chart, if there is room."""
        width = sum(len(self.columns[each][0]) for each in [*self.names, name])
        if name in self.names or len(self.names) >= MOST or width > MOST_PLOTTED:
            return False
        labels, unit = self.columns[name]
        self.rows.clear()  # numbers move to other places
        series: list[dict[str, Any]] = [{"label": "t [s]"}]
        for k, label in enumerate(labels):
            dash = DASHES[k // len(COLOURS) % len(DASHES)]
            series.append({"label": label or name, "stroke": COLOURS[k % len(COLOURS)], "width": 2, "dash": dash})
        with self.place:
            handle = self.gui.add_uplot(
                tuple(np.zeros(1) for _ in series),
                tuple(series),
                title=f"{name} [{unit}]" if unit and unit != "1" else name,
                scales={"x": {"time": False}, "y": {"auto": True}},
                axes=({"size": 30}, {"size": 58}),
                legend={"show": len(labels) > 1},
                aspect=1.7,
            )
        self.names.append(name)
        self.handles.append(handle)
        return True

    def clear(self) -> None:
        """Remove all charts."""
        for handle in self.handles:
            handle.remove()
        self.names, self.handles = [], []
        self.rows.clear()

    def keep(self, seen: FrameData) -> None:
        """Remember the numbers of a picture; a time before the last one begins anew."""
        t = float(seen.head[TIME])
        if seen.head[PLOTTED_COUNT] != sum(len(self.columns[name][0]) for name in self.names):
            return  # the driver has not received the choice yet
        if self.rows and t < self.rows[-1][0]:
            self.rows.clear()
        if not self.rows or t > self.rows[-1][0]:
            self.rows.append((t, seen.plotted))

    def draw(self) -> None:
        """Draw what is remembered."""
        if len(self.rows) < 2 or not self.handles:
            return
        t = np.array([row[0] for row in self.rows])
        values = np.array([row[1] for row in self.rows])
        first = 0
        for name, handle in zip(self.names, self.handles, strict=True):
            width = len(self.columns[name][0])
            handle.data = (t, *(values[:, first + k] for k in range(width)))
            first += width
