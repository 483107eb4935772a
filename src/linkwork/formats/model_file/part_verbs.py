"""The verbs of a model, called with the values of a table; a few parts can be told to the last bit in files alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from linkwork.errors import ModelError
from linkwork.model.contact.collider import Plane
from linkwork.model.container import put_part
from linkwork.model.forces.rotor import as_rotor
from linkwork.model.subsystem import Parts


def make_part(container: Parts, verb: str, said: Mapping[str, Any]) -> None:
    """Add the part that a table describes."""
    if verb == "plane" and "pose" in said:
        _plane(container, said)
    elif verb in ("rolling", "rolling_pair") and ("frame_a" in said or "frame_b" in said):
        _rolling(container, verb, said)
    elif verb == "body" and "rotor" in said:
        _rotor(container, said)
    else:
        getattr(container, verb)(**said)


def _rotor(container: Parts, said: Mapping[str, Any]) -> None:
    """A rotor by its inertia; its shaft is a joint of the file."""
    rest = {key: value for key, value in said.items() if key != "rotor"}
    surplus = [key for key in rest if key not in ("name", "shape", "position", "rotation")]
    if surplus:
        raise ModelError(f"rotor '{said['name']}': it has no {surplus[0]}; remove {surplus[0]}")
    made = container.body(**rest, mass=0.0)
    put_part(container, container.bodies, as_rotor(made, said["rotor"]))


def _plane(container: Parts, said: Mapping[str, Any]) -> None:
    """A plane by its frame, whose z is the normal."""
    rest = {key: value for key, value in said.items() if key != "pose"}
    if "at" in said or "normal" in said:
        raise ModelError(f"plane '{said['name']}': pose and at or normal place it twice; give one of them")
    made = container.plane(**rest)
    put_part(container, container.colliders, replace(made, shape=Plane(pose=said["pose"])))


def _rolling(container: Parts, verb: str, said: Mapping[str, Any]) -> None:
    """Wheels by the frames of their axes, z along them."""
    placed = [key for key in ("axis", "normal", "axis_a", "axis_b", "at_a", "at_b") if key in said]
    frames = {key: said[key] for key in ("frame_a", "frame_b") if key in said}
    if placed or len(frames) < 2:
        raise ModelError(
            f"{verb} '{said['name']}': it is not placed once; give frame_a and frame_b, or axes and points"
        )
    made = getattr(container, verb)(**{key: value for key, value in said.items() if key not in frames})
    put_part(container, container.joints, replace(made, **frames))
