"""Joints that came and went, as plain data: what rebuilds the structure of a simulation that is started again.

The tables of a structure depend on the model, on the joints attached (with their frames, to the last bit) and on those
released, not on the way there. So these are enough, with the events that are to come and the record of the others.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from linkwork.errors import OptionError
from linkwork.model import Altered, Frame, Joint, attached_joint
from linkwork.model.names import last
from linkwork.simulation.structure.events import Change

if TYPE_CHECKING:
    from linkwork.simulation.run import Simulation

OPTIONS = ("damping", "stiffness", "rest", "pitch")


def history_of(sim: Simulation) -> dict[str, Any]:
    """What has happened to the structure, and what is still to happen."""
    events = list(sim.system.model.all_events())
    place = {id(event): k for k, event in enumerate(events)}
    return {
        "attached": [_told(joint) for joint in sim._attached.values()],
        "released": list(sim._released),
        "changes": [change.as_dict() for change in sim.changes],
        "impacts": sim.impacts,
        "timed": [place[id(event)] for event in sim._schedule.timed],
        "watched": [place[id(event)] for event in sim._schedule.watched],
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
    a, b = (model._body(told[end], "attached joint") for end in ("a", "b"))
    options = {name: told[name] for name in OPTIONS if told[name]}
    joint = attached_joint(model, a, b, told["kind"], last(told["name"]), {**options, "frame_a": frame_a})
    return replace(joint, frame_a=frame_a, frame_b=frame_b)


def put_back_history(sim: Simulation, facts: dict[str, Any], file: Any) -> Altered | None:
    """The record and the plan are those of the history; returns the model with its joints, where there were changes."""
    events = list(sim.system.model.all_events())
    if max([*facts["timed"], *facts["watched"]], default=-1) >= len(events):
        raise OptionError(f"{file} was taken of a model that plans other events; start from it with that model")
    sim._schedule.timed = [events[k] for k in facts["timed"]]
    sim._schedule.watched = [events[k] for k in facts["watched"]]
    sim.changes = [Change.from_dict(change) for change in facts["changes"]]
    sim.impacts = facts["impacts"]
    if all(change.what == "jolted" for change in sim.changes):
        return None
    sim._attached = {told["name"]: _joint(sim, told) for told in facts["attached"]}
    sim._released = {name: sim.system.model._joint(name, "release") for name in facts["released"]}
    return Altered(sim.system.model, list(sim._attached.values()), list(sim._released.values()))
