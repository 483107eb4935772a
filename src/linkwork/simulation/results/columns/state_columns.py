"""States of laws in a run: the column `name.state`; the slides that carry them are not shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from linkwork.model import Model
from linkwork.model.laws.states import StateRate
from linkwork.simulation.results.columns.column import Column, Seen, row_shape

UNIT = "1"  # nobody told the units of states


def states_of(model: Model) -> dict[str, list[StateRate]]:
    """The states of every law that has some, by the path of what it drives."""
    found: dict[str, list[StateRate]] = {}
    for force in model.all_forces():
        if isinstance(force, StateRate):
            found.setdefault(force.of.path, []).append(force)
    return found


def hidden_parts(model: Model) -> set[str]:
    """Names of the slides that carry states, with their bodies and forces."""
    states = [state for each in states_of(model).values() for state in each]
    return {path for state in states for path in (state.joint.path, state.joint.b.path, state.path)}


def state_columns(model: Model, known: Mapping[str, Column]) -> Iterator[Column]:
    """The columns of states, from the velocities of their slides among the known columns."""
    for name, states in states_of(model).items():
        scales = [state.of.law.scale[state.index] for state in states]  # type: ignore[attr-defined]
        slides = [known[f"{state.joint.path}.velocity"] for state in states]

        def read(seen: Seen, scales: list[float] = scales, slides: list[Column] = slides) -> Any:
            speeds = [slide.read(seen).reshape(-1) for slide in slides]
            return np.stack([scale * speed for scale, speed in zip(scales, speeds, strict=True)], axis=1)

        yield Column(f"{name}.state", row_shape(len(states)), UNIT, read)
