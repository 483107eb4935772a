"""The columns that a page can plot: the most telling ones first, thinned, as far as there is room for them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwork.simulation.results.trajectory import Trajectory
from linkwork.viewer.replay.packing import Packer
from linkwork.viewer.staging import Stage

ROWS = 600  # of a column
ROOM = 260_000  # bytes of all columns, deflated as far as can be told before
PRECISION = 2.0**-18  # of the range of a column
LEDGERS = ("total", "kinetic", "potential", "springs", "dissipated", "work", "balance")
# last words of names in the order of how much they tell
ORDER = ("position", "force", "torque", "effort", "load", "value", "velocity", "reaction", "length", "angular_velocity")


def plotted(run: Trajectory, stage: Stage, packer: Packer, room: int = ROOM) -> dict[str, Any]:
    """`columns` by name with labels, unit and data, their times, and how many were left out."""
    rows = np.unique(np.linspace(0, len(run) - 1, min(len(run), ROWS)).astype(int))
    later = np.concatenate([[True], np.diff(run.time[rows]) > 0.0])  # an event has two rows at one time
    rows = rows[later]
    columns: dict[str, Any] = {}
    shown = {name for body in stage.names for name in (f"{body}.position", f"{body}.rotation")}
    left_out = 0
    spent = 0.0
    for name in _in_order(run, stage):
        told = _told(run, name)
        if name in shown:
            columns[name] = told  # the poses have them
            continue
        values = np.asarray(run[name], dtype=float)[rows].reshape(len(rows), -1)
        spent += _size(values)
        if spent > room:
            left_out += 1
            continue
        span = np.ptp(np.nan_to_num(values, posinf=0.0, neginf=0.0), axis=0)
        steps = np.maximum(PRECISION * span, 1e-300)
        columns[name] = {**told, "data": packer.smooth(values, steps)}
    return {"columns": columns, "columnTime": packer.plain(run.time[rows], "f8"), "leftOut": left_out}


def _told(run: Trajectory, name: str) -> dict[str, Any]:
    """Labels of the components, and the unit."""
    if name in run.columns:
        parts = run.components(name)
        labels = [label.removeprefix(name).lstrip(".") for label, _, _ in parts]
        units = [unit for _, unit, _ in parts]
        same = len(set(units)) == 1
        return {"labels": labels, "unit": units[0] if same else "", **({} if same else {"units": units})}
    return {"labels": [""], "unit": "J" if name.startswith("energy") else ""}


def _size(values: Any) -> float:
    """Bytes that columns will take, about: two for each number that is not constant, less where it is smooth."""
    moving = int(np.count_nonzero(np.ptp(np.nan_to_num(values), axis=0) > 0.0))
    return 1.5 * len(values) * moving + 24


def _in_order(run: Trajectory, stage: Stage) -> list[str]:
    ledgers = [f"energy.{name}" for name in LEDGERS] + ["drift.position"]
    springs = {f"{spring['name']}.force" for spring in stage.scene["springs"]}

    def rank(name: str) -> tuple[int, int]:
        last = name.rpartition(".")[2]
        if name in springs:
            return (0, 0)
        place = ORDER.index(last) if last in ORDER else len(ORDER)
        return (1, place) if last != "acceleration" else (1, math.inf)  # type: ignore[return-value]

    return [name for name in ledgers if name in run] + sorted(run.columns, key=rank)
