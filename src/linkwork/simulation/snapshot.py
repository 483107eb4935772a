"""The whole state of a simulation as arrays: what starts it again later, to the last bit.

All memory of a method is in arrays, in named tuples inside named tuples (the state, the workspace, the numbers of the
laws). They are taken as they are and put back as they are; so the next step is the step it would have been.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import OptionError
from linkwork.simulation.history import history_of, put_back_history
from linkwork.simulation.recording import model_hash

if TYPE_CHECKING:
    from linkwork.simulation.run import Simulation

FORMAT = "linkwork state"
WHOLE, COORDINATES = "whole", "coordinates"


def arrays_of(sim: Simulation) -> dict[str, Any]:
    """Every array that the next step reads, by where it is; they are the simulation's own, not copies."""
    found = {"laws": sim.tables.laws.law_param}
    for name, place in (("state", sim.state), ("workspace", sim.workspace)):
        found |= dict(_inside(name, place))
    return found


def _inside(name: str, place: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(place, np.ndarray):
        yield name, place
    elif hasattr(place, "_fields"):
        for field in place._fields:
            yield from _inside(f"{name}.{field}", getattr(place, field))
    elif isinstance(place, tuple):
        for k, each in enumerate(place):
            yield from _inside(f"{name}.{k}", each)


def facts_of(sim: Simulation, kind: str = WHOLE) -> dict[str, Any]:
    """What must fit where the state is put back, and the clock."""
    return {
        "format": FORMAT,
        "version": 1,
        "kind": kind,
        "model": sim.system.model.name,
        "model_hash": model_hash(sim.system),
        "method": sim.method.name,
        "settings": asdict(sim.method),
        "steps": sim.steps,
        "begin": sim._begin,
        "h": sim._h,
        "time": sim.time,
        "history": history_of(sim),
    }


def refuse_parts_elsewhere(sim: Simulation) -> None:
    """What components elsewhere remember, and what pulls at a body by hand, is not in the arrays."""
    why = "components of it live elsewhere; let it run in one piece" if sim.carriers is not None else ""
    if sim._drags:
        why = f"body '{next(iter(sim._drags))}' is dragged in it; let it go first"
    if why:
        raise OptionError(f"the state of '{sim.system.model.name}' cannot be kept for a later start, as {why}")


def state_arrays(sim: Simulation) -> dict[str, Any]:
    """The present state as it goes to a file."""
    return {"metadata": np.array(json.dumps(facts_of(sim))), **arrays_of(sim)}


def save_state(sim: Simulation, file: str | PathLike[str]) -> None:
    """Write the present state to `.npz`."""
    from linkwork.simulation.files import check_path, write_arrays

    refuse_parts_elsewhere(sim)
    path = check_path(file, (".npz",))
    write_arrays(path, state_arrays(sim))


def save_coordinates(sim: Simulation, y: Any, time: float | None, file: str | PathLike[str]) -> None:
    """Write coordinates and velocities y at `time` (s) alone: what is left of a run that failed."""
    from linkwork.simulation.files import check_path, write_arrays

    refuse_parts_elsewhere(sim)
    if not np.isfinite(y).all():
        raise OptionError(f"the last state of '{sim.system.model.name}' is not finite; run it from the start")
    facts = {**facts_of(sim, COORDINATES), "time": time}
    path = check_path(file, (".npz",))
    cut_q = np.nan_to_num(sim.state.cut_q, posinf=0.0, neginf=0.0)  # where to look for the angles of the cuts
    write_arrays(path, {"metadata": np.array(json.dumps(facts)), "state.y": y, "state.cut_q": cut_q})


def read_state(file: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Facts and arrays of a state, from what `Simulation.save`, a failed run or `lw.stream` wrote."""
    from linkwork.simulation.files import read_arrays

    facts, arrays = read_arrays(file)
    if facts.get("format") != FORMAT:
        raise OptionError(f"{file} holds no state to start from; give what sim.save, a failed run or lw.stream wrote")
    return facts, arrays


def put_back(sim: Simulation, facts: dict[str, Any], arrays: dict[str, Any], file: Any) -> None:
    """The simulation stands where the state was taken."""
    refuse_parts_elsewhere(sim)
    if facts["model_hash"] != model_hash(sim.system):
        raise OptionError(
            f"{file} is a state of another model ('{facts['model']}', or other numbers in it) than "
            f"'{sim.system.model.name}'; start from it with the model that it was taken of"
        )
    if facts["method"] != sim.method.name:
        raise OptionError(f"{file} is a state of method {facts['method']!r}; go on with that method")
    altered = put_back_history(sim, facts["history"], file)
    if altered is not None:
        sim._restore(altered, arrays["state.y"], arrays["state.cut_q"])
    if arrays["state.y"].shape != sim.state.y.shape:
        raise OptionError(f"{file} has other coordinates than '{sim.system.model.name}'; run from the start")
    if facts["kind"] == COORDINATES:
        sim.state.y[:] = arrays["state.y"]
        sim.state.cut_q[:] = arrays["state.cut_q"]
        sim.steps, sim._begin = -1, facts["time"]
        sim._settle()
        return
    if facts["settings"] != asdict(sim.method):
        other = [name for name, value in asdict(sim.method).items() if facts["settings"].get(name) != value]
        taken = ", ".join(f"{name}={facts['settings'].get(name)!r}" for name in other)
        raise OptionError(
            f"{file} was taken with {taken}; go on with the same, so that the run is the one it would have been"
        )
    mine = arrays_of(sim)
    for name, values in mine.items():
        if name not in arrays or arrays[name].shape != values.shape:
            raise OptionError(f"{file} does not fit this version of linkwork ({name}); run from the start")
        values[...] = arrays[name]
    sim.steps, sim._begin, sim._h = int(facts["steps"]), float(facts["begin"]), float(facts["h"])
