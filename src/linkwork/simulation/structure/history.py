"""Joints that came and went, as plain data: what rebuilds the structure of a simulation that is started again.

The tables of a structure depend on the model, on the joints attached (with their frames, to the last bit) and on those
released, not on the way there. So these are enough, with the events that are to come and the record of the others.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from linkwork.errors import OptionError
from linkwork.model import Altered, Frame, Joint, attached_joint
from linkwork.model.container import find_body, find_joint
from linkwork.model.names import last
from linkwork.simulation.structure.events import Change

if TYPE_CHECKING:
    from linkwork.simulation.run import Simulation

OPTIONS = ("damping", "stiffness", "rest", "pitch")


def history_of(sim: Simulation) -> dict[str, Any]:
    """What has happened to the structure, and what is still to happen."""
    events = list(sim.system.model.all_events())
    place = {id(event): k for k, event in enumerate(events)}
    structure, schedule = sim.structure, sim.events.schedule
    return {
        "attached": [_told(joint) for joint in structure.attached.values()],
        "released": list(structure.released),
        "changes": [change.as_dict() for change in structure.changes],
        "impacts": structure.impacts,
        "timed": [place[id(event)] for event in schedule.timed],
        "watched": [place[id(event)] for event in schedule.watched if id(event) in place],
        "resting": [place[id(event)] for event in schedule.resting if id(event) in place],
    }


def _told(joint: Joint) -> dict[str, Any]:
    assert joint.frame_a is not None
    assert joint.frame_b is not None
    frames = [[frame.position.tolist(), frame.rotation.tolist()] for frame in (joint.frame_a, joint.frame_b)]
    options = {name: getattr(joint, name) for name in OPTIONS}
    return {"name": joint.path, "kind": joint.kind, "a": joint.a.path, "b": joint.b.path, "frames": frames, **options}


def _joint(sim: Simulation, told: dict[str, Any]) -> Joint:
    """The joint as it was attached: one that the model plans, or one attached by hand."""
    frame_a, frame_b = (Frame.kept(*numbers) for numbers in told["frames"])
    model = sim.system.model
    for event in model.all_events():
        if event.joint is not None and event.joint.path == told["name"]:
            return replace(event.joint, at=None, axis=None, frame_a=frame_a, frame_b=frame_b)
    a, b = (find_body(model, told[end], "attached joint") for end in ("a", "b"))
    options = {name: told[name] for name in OPTIONS if told[name]}
    joint = attached_joint(model, a, b, told["kind"], last(told["name"]), {**options, "frame_a": frame_a})
    return replace(joint, frame_a=frame_a, frame_b=frame_b)


def put_back_history(sim: Simulation, facts: dict[str, Any], file: Any) -> Altered | None:
    """The record and the plan are those of the history; returns the model with its joints, where there were changes."""
    events = list(sim.system.model.all_events())
    resting = facts.get("resting", [])
    if max([*facts["timed"], *facts["watched"], *resting], default=-1) >= len(events):
        raise OptionError(f"{file} was taken of a model that plans other events; start from it with that model")
    structure, schedule = sim.structure, sim.events.schedule
    schedule.timed = [events[k] for k in facts["timed"]]
    schedule.watched = [events[k] for k in facts["watched"]]
    schedule.resting = [events[k] for k in resting]
    structure.changes = [Change.from_dict(change) for change in facts["changes"]]
    structure.impacts = facts["impacts"]
    if all(change.what in ("jolted", "happened") for change in structure.changes):
        return None
    structure.attached = {told["name"]: _joint(sim, told) for told in facts["attached"]}
    structure.released = {name: find_joint(sim.system.model, name, "release") for name in facts["released"]}
    return Altered(sim.system.model, list(structure.attached.values()), list(structure.released.values()))
