"""States of laws in a run: the column `name.state`; the slides that carry them are not shown."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.assembly.system import System
from linkwork.model import Model
from linkwork.model.laws.states import StateRate

UNIT = "1"  # nobody told the units of states


def states_of(model: Model) -> dict[str, list[StateRate]]:
    """The states of every law that has some, by the path of what it drives."""
    found: dict[str, list[StateRate]] = {}
    for force in model.all_forces():
        if isinstance(force, StateRate):
            found.setdefault(force.of.path, []).append(force)
    return found


def state_shapes(model: Model) -> dict[str, tuple[int, ...]]:
    """The columns of states, with the shape of a row."""
    return {f"{name}.state": () if len(states) == 1 else (len(states),) for name, states in states_of(model).items()}


def without_slides(system: System, shapes: dict[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    """The columns but for those of the slides that carry states."""
    states = [state for each in states_of(system.model).values() for state in each]
    hidden = {path for state in states for path in (state.joint.path, state.joint.b.path, state.path)}
    if not hidden:
        return shapes
    return {name: shape for name, shape in shapes.items() if name.rpartition(".")[0] not in hidden}


def state_values(system: System, found: dict[str, Any]) -> dict[str, Any]:
    """The columns of states, from the velocities of their slides."""
    made = {}
    for name, states in states_of(system.model).items():
        scales = [state.of.law.scale[state.index] for state in states]  # type: ignore[attr-defined]
        speeds = [found[f"{state.joint.path}.velocity"].reshape(-1) for state in states]
        made[f"{name}.state"] = np.stack([scale * speed for scale, speed in zip(scales, speeds, strict=True)], axis=1)
    return made
