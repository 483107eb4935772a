"""Recorded runs on the live page: the rows at the time of the bar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwork.viewer.live import shared_frame as slot
from linkwork.viewer.staging import Stage, holds

FRAME = 1.0 / 60.0  # s between two pictures


class Player:
    """Recorded runs with a time bar."""

    def __init__(self, stages: Sequence[Stage]) -> None:
        self.stages = list(stages)
        self.page: Any = None
        begin = min(float(stage.run.time[0]) for stage in stages)
        end = max(float(stage.run.time[-1]) for stage in stages)
        self.span = (begin, max(end, begin + 1e-9))
        self.time, self.running, self.speed, self.loop = begin, True, 1.0, True
        self.joints = {id(stage): stage.joints() for stage in stages}
        self.columns: list[str] = []
        self.last: float | None = None
        self.fresh = True

    def rows(self) -> list[int]:
        """The row of each run at the present time."""
        return [stage.row(self.time) for stage in self.stages]

    def go(self, now: float) -> float:
        """Move on with the clock; returns when to call again."""
        passed = 0.0 if self.last is None else now - self.last
        self.last = now
        if self.running:
            self.fresh = True
            self.time += self.speed * passed
            if self.time > self.span[1]:
                self.time = self.span[0] if self.loop else self.span[1]
                self.running = self.loop
        return now + FRAME

    def show(self) -> None:
        """Write the rows of this time to the shared frame, if they are new."""
        if not self.fresh:
            return
        self.fresh = False
        rows = self.rows()
        run, row = self.stages[0].run, rows[0]
        head = {slot.TIME: self.time, slot.RUNNING: float(self.running)}
        for place, column in (
            (slot.ENERGY, "energy.total"),
            (slot.BALANCE, "energy.balance"),
            (slot.DRIFT, "drift.position"),
        ):
            head[place] = float(run[column][row]) if column in run else 0.0
        poses = np.concatenate([stage.poses([k])[0] for stage, k in zip(self.stages, rows, strict=True)])
        forces: list[Any] = []
        for stage, k in zip(self.stages, rows, strict=True):
            for joint in self.joints[id(stage)]:
                column = f"{joint['name']}.reaction"
                there = column in stage.run and holds(joint["span"], self.time)
                forces.append(np.nan_to_num(stage.run[column][k, :3]) if there else np.zeros(3))
        plotted = [value for name in self.columns for value in np.nan_to_num(run[name][row]).reshape(-1)]
        self.page.frame.write(head, poses, forces or None, None, plotted[: slot.MOST_PLOTTED])

    def receive(self, name: str, *values: Any) -> None:
        """Do what was clicked."""
        self.fresh = True
        run, row = self.stages[0].run, self.rows()[0]
        if name == "run":
            self.running = bool(values[0])
            if self.running and self.time >= self.span[1]:
                self.time = self.span[0]
        elif name == "speed":
            self.speed = float(values[0])
        elif name == "loop":
            self.loop = bool(values[0])
        elif name == "watch":
            self.columns = list(values[0])
        elif name == "reset":
            self.time = self.span[0]
        elif name == "single":
            self.running = False
            self.time = float(run.time[min(max(row + int(values[0]), 0), len(run) - 1)])
        elif name == "time":
            self.running, self.time = False, float(np.clip(values[0], *self.span))
