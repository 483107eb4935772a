"""What the live page needs to draw a simulation and to drive it, as plain data; see `Source` in page/source."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.model import Model
from linkwork.viewer.colours import rgb
from linkwork.viewer.replay.replay import TINTS, view_of
from linkwork.viewer.staging import Stage

LOOKS = 12  # poses of the preview, by which the first view is chosen


def page_data(stage: Stage, label: str, columns: dict[str, tuple[list[str], list[str]]], **more: Any) -> dict[str, Any]:
    """The data of the page; `more` are its controls."""
    rows = np.unique(np.linspace(0, len(stage.run) - 1, LOOKS).round().astype(int))
    run = {
        "label": label,
        "tint": rgb(TINTS[0], 0.2).round(4).tolist(),
        "bodies": stage.bodies(),
        "pins": stage.pins(),
        "joints": stage.joints(),
        "springs": stage.springs(),
        "tyres": stage.tyres(),
        "roads": stage.roads(),
        "events": [],
        "columns": {name: _told(*facts) for name, facts in columns.items()},
        "touching": any(name.endswith(".contact_force") for name in columns),
        "preview": [[float(f"{x:.7g}") for x in row] for row in stage.poses(rows).reshape(len(rows), -1)],
    }
    show = {
        "mode": "live",
        "title": stage.run.model_name,
        "speed": 1.0,
        "playing": True,
        "view": view_of([stage]),
        "weight": 0.0,
        "until": None,
        "inputs": [],
        "plots": [],
        "methods": [],
        "method": "",
        "steps": [],
        "step": 0.0,
        "keys": {},
        "stay": [],
        "changing": [],
        "coordinates": [],
        "kinematic": False,
        "runs": [run],
    }
    made: dict[str, Any] = plain({**show, **more})
    return made


def _told(labels: list[str], units: list[str]) -> dict[str, Any]:
    """A column as the page takes it: one unit, or one for each component."""
    same = len(set(units)) == 1
    return {"labels": labels, "unit": units[0] if same else "", **({} if same else {"units": units})}


def names_of(show: dict[str, Any]) -> dict[str, Any]:
    """What messages of the page may be about."""
    (run,) = show["runs"]
    return {
        "input": [each["name"] for each in show["inputs"]],
        "key": list(show["keys"]),
        "method": show["methods"],
        "body": [body["name"] for body in run["bodies"] if not body["ground"]],
        "columns": list(run["columns"]),
        "coordinates": len(show["coordinates"]),
    }


def modes_of(model: Model) -> dict[str, Any]:
    """Small motions of a model about its equilibrium, to be chosen and shown."""
    from linkwork.simulation.analysis.linear.linearise import linearise  # scipy takes a third of a second
    from linkwork.viewer.mode_shapes import ModeShapes

    facts: dict[str, Any] = plain(ModeShapes(linearise(model).modes()).facts())
    return facts


def plain(value: Any) -> Any:
    """Numbers and arrays of numpy as those of Python, all the way down.

    >>> plain({"a": (np.float64(1.0), np.zeros(2))})
    {'a': [1.0, [0.0, 0.0]]}
    """
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value.tolist() if isinstance(value, np.ndarray | np.generic) else value
