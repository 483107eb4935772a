"""The whole state of a simulation as arrays: what starts it again later, to the last bit.

A file holds the state, the numbers of the inputs and what the method carries from step to step (`carried`); all else is
made anew from the model. So the next step is the step it would have been, and a file is never more than data.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.assembly.assemble import assemble
from linkwork.assembly.energy_parts import accounts_for
from linkwork.errors import ModelError, OptionError
from linkwork.model.checked import LARGEST
from linkwork.simulation.results.judging.run_certificate import model_hash
from linkwork.simulation.starts.start import Start, absolute_start
from linkwork.simulation.stepping.failures import failure_of
from linkwork.simulation.stepping.remote_links import remote_parts
from linkwork.simulation.storage.npz import DAMAGES, reason
from linkwork.simulation.structure.history import history_of, put_back_history
from linkwork.simulation.structure.persistent import checked_arrays, persistent_arrays
from linkwork.simulation.structure.transfer import assembled_like, seen, transferred

if TYPE_CHECKING:
    from linkwork.simulation.run import Simulation

FORMAT = "linkwork state"
VERSION = 2
WHOLE, COORDINATES = "whole", "coordinates"
ARRAYS = ("state.y", "state.cut_q")


def facts_of(sim: Simulation, kind: str = WHOLE) -> dict[str, Any]:
    """What must fit where the state is put back, and the clock."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "kind": kind,
        "model": sim.system.model.name,
        "model_hash": model_hash(sim.system),
        "method": sim.method.name,
        "settings": asdict(sim.method),
        "steps": sim.steps,
        "begin": sim.stepper.origin,
        "h": sim.stepper.h,
        "time": sim.time,
        "absolute": sim.moving.absolute,
        "filled": sim.moving.fills,
        "history": history_of(sim),
        "changed": sim.inputs.changed,
    }


def refuse_forgetful(sim: Simulation) -> None:
    """What components elsewhere do not keep, and what pulls at a body by hand, would be missing from the state."""
    forgetful = [remote.path for remote in remote_parts(sim.system.model) if not remote.keeps]
    why = ""
    if forgetful:
        why = f"component '{forgetful[0]}' lives elsewhere and keeps no states; let its owner serve it with --keep"
    for told, instance in sim.controls.elements.items():
        if instance.forgetful:
            why = f"{told} {instance.forgetful}"
    if sim.stepper.drags:
        why = f"body '{next(iter(sim.stepper.drags))}' is dragged in it; let it go first"
    if why:
        raise OptionError(f"the state of '{sim.system.model.name}' cannot be kept for a later start, as {why}")


def state_arrays(sim: Simulation, turn: int | None = None, **more: Any) -> dict[str, Any]:
    """The present state as it goes to a file, with `more` facts; components elsewhere keep theirs at the same moment.

    States of the same `turn` replace each other there. A component that is lost meanwhile ends the run.
    """
    facts, states = {**facts_of(sim), **more}, {}
    if sim.remote_links is not None:
        facts["elsewhere"] = sim.remote_links.keep(turn)
        if sim.remote_links.lost:
            raise failure_of(sim.stepper, 0)
        states = sim.remote_links.states(facts["elsewhere"])
    elif remote_parts(sim.system.model):
        raise OptionError(f"the connections of '{sim.system.model.name}' to its components elsewhere are closed")
    memories = {**sim.controls.memories(), **states}
    return {"metadata": np.array(json.dumps(facts)), **persistent_arrays(sim.stepper), **memories}


def save_state(sim: Simulation, file: str | PathLike[str]) -> None:
    """Write the present state to `.npz`."""
    from linkwork.simulation.storage.files import check_path, write_arrays

    refuse_forgetful(sim)
    path = check_path(file, (".npz",))
    write_arrays(path, state_arrays(sim))


def refuse_without_elements(sim: Simulation, file: Any) -> None:
    """Coordinates alone do not tell where an FMU stood."""
    for told in sim.controls.elements:
        raise OptionError(f"{file} has no state of {told}; run from the start")


def save_coordinates(sim: Simulation, y: Any, time: float | None, file: str | PathLike[str]) -> None:
    """Write coordinates and velocities y at `time` (s) alone: what is left of a run that failed."""
    from linkwork.simulation.storage.files import check_path, write_arrays

    refuse_forgetful(sim)
    if remote_parts(sim.system.model):
        raise OptionError(
            f"the last state of '{sim.system.model.name}' is gone, as its components elsewhere have gone on; "
            "run from the start"
        )
    if not np.isfinite(y).all():
        raise OptionError(f"the last state of '{sim.system.model.name}' is not finite; run it from the start")
    facts = {**facts_of(sim, COORDINATES), "time": time}
    path = check_path(file, (".npz",))
    cut_q = np.nan_to_num(sim.state.cut_q, posinf=0.0, neginf=0.0)  # where to look for the angles of the cuts
    write_arrays(path, {"metadata": np.array(json.dumps(facts)), "state.y": y, "state.cut_q": cut_q})


MOST = 2**53  # steps of a run
FACTS: dict[str, Any] = {
    "version": int,
    "kind": str,
    "model": str,
    "model_hash": str,
    "method": str,
    "settings": dict,
    "steps": int,
    "begin": (int, float),
    "h": (int, float),
    "time": (int, float, type(None)),
    "absolute": bool,
    "history": dict,
}


def read_state(file: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Facts and arrays of a state, from what `Simulation.save`, a failed run or `lw.stream` wrote."""
    from linkwork.simulation.storage.files import read_arrays

    facts, arrays = read_arrays(file)
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise OptionError(f"{file} holds no state to start from; give what sim.save, a failed run or lw.stream wrote")
    wrong = [name for name, kind in FACTS.items() if not isinstance(facts.get(name, ...), kind)]
    wrong += [name for name in ARRAYS if name not in arrays]
    if wrong:
        raise OptionError(f"{file} is no whole state, {wrong[0]} is not in it or is damaged; give another file")
    if facts["version"] != VERSION:
        raise OptionError(f"{file} is a state of another version of linkwork; go on with that version, or run again")
    clock = [facts[name] for name in ("begin", "h", "time") if facts[name] is not None]
    if not all(abs(each) < LARGEST for each in clock) or not -1 <= facts["steps"] < MOST or not facts["h"] > 0.0:
        raise OptionError(f"{file} is no whole state, its clock is damaged; give another file")
    return facts, arrays


def put_back(sim: Simulation, facts: dict[str, Any], arrays: dict[str, Any], file: Any) -> None:
    """The simulation stands where the state was taken; by another method or option in its positions and velocities."""
    try:
        _put_back(sim, facts, arrays, file)
    except (OptionError, ModelError):
        raise
    except DAMAGES as error:
        raise OptionError(f"{file} is damaged{reason(error)}; give another file, or run from the start") from error


def _put_back(sim: Simulation, facts: dict[str, Any], arrays: dict[str, Any], file: Any) -> None:
    stepper = sim.stepper
    refuse_forgetful(sim)
    if facts["model_hash"] != model_hash(sim.system):
        others = assemble(sim.system.model, floating=True, driven=not sim.system.driven, before=sim.system)
        if facts["model_hash"] == model_hash(others):
            raise OptionError(
                f"{file} was made by method '{facts['method']}', which takes the motors of '{facts['model']}' "
                f"otherwise than '{sim.method.name}'; go on with that method, or one of its kind"
            )
        raise OptionError(
            f"{file} is a state of another model ('{facts['model']}', or other numbers in it) than "
            f"'{sim.system.model.name}'; start from it with the model that it was taken of"
        )
    altered = put_back_history(sim, facts["history"], file)
    y, cut_q = arrays["state.y"], arrays["state.cut_q"]
    if facts["absolute"] != sim.moving.absolute or facts.get("filled", False) != sim.moving.fills:
        y, cut_q = other_coordinates(sim, altered or sim.system.model, facts, y, cut_q)
    if altered is not None:
        sim.structure.restore(altered, y, cut_q)
    if y.shape != sim.state.y.shape or cut_q.shape != sim.state.cut_q.shape:
        raise OptionError(f"{file} has other coordinates than '{sim.system.model.name}'; run from the start")
    if facts["kind"] == WHOLE and facts["method"] == sim.method.name and facts["settings"] == asdict(sim.method):
        for values, found in checked_arrays(stepper, arrays):
            values[...] = found
        stepper.steps, stepper.origin, stepper.h = int(facts["steps"]), float(facts["begin"]), float(facts["h"])
        sim.controls.put_back(arrays, stepper.time)
        sim.inputs.changed = facts.get("changed", True) is True
        if sim.remote_links is not None:
            sim.remote_links.restore(facts.get("elsewhere", {}), arrays, file)
        return
    if stepper.remote_links is not None or stepper.border is not None:
        raise OptionError(
            f"{file} was made by other options than those given now, and parts of '{sim.system.model.name}' live "
            "elsewhere, which go on as they were only; give the same options"
        )
    if facts["kind"] != WHOLE:
        refuse_without_elements(sim, file)
    stepper.state.y[:] = y
    stepper.state.cut_q[:] = cut_q
    stepper.state.last[:] = y
    stepper.lag_waits[0] = 0.0
    stepper.steps, stepper.origin = -1, facts["time"]
    stepper.state.t[0] = facts["time"]  # given rates are summed up from there on
    if facts["kind"] == WHOLE:
        sim.controls.put_back(arrays, float(facts["time"]))
        sim.controls.hold(arrays)
    stepper.settle()


def other_coordinates(sim: Simulation, model: Any, facts: dict[str, Any], y: Any, cut_q: Any) -> tuple[Any, Any]:
    """A state in the coordinates of this simulation: of joints, or of bodies about the same centres."""
    time, mine = float(facts["time"]), sim.moving
    absolute, filled = facts["absolute"], facts.get("filled", False)
    taken = assemble(model, absolute=absolute, floating=True, driven=mine.driven, filled=filled, before=mine)
    if model is not sim.system.model:
        mine = assembled_like(model, mine)
    nq, nv = taken.nq, taken.nv
    moment = seen(taken, time, y[:nq].copy(), y[nq : nq + nv].copy(), cut_q)
    if mine.absolute:
        found, cut_q = absolute_start(taken, Start(moment.q, moment.v, moment.cut_q, []), mine, time)
        return np.concatenate([found[: mine.nq + mine.nv], accounts_for(mine.tables.tree, y[nq + nv :])]), cut_q
    moment = transferred(moment, mine)
    return np.concatenate([moment.q, moment.v, accounts_for(mine.tables.tree, y[nq + nv :])]), moment.cut_q
