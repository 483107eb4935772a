"""Events: joints attached and released during a run. Data only, with the checks of the arguments."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypedDict, cast

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.body import Body, Part, Rotor, shaft_name
from linkwork.model.checked import VectorLike
from linkwork.model.frame import Frame
from linkwork.model.joints.joint import Joint
from linkwork.model.joints.joint_checks import make_joint
from linkwork.model.joints.joint_kinds import ATTACHED, KINDS, JointKind

if TYPE_CHECKING:
    from linkwork.model.container import Container


class AttachOptions(TypedDict, total=False):
    """Where an attached joint is, and what it does; see `Joint` for the meaning of the others."""

    at: VectorLike | None
    axis: VectorLike | None
    frame_a: Frame | None
    frame_b: Frame | None
    damping: float
    stiffness: float
    rest: float
    pitch: float


@dataclass(frozen=True, eq=False, repr=False)
class Event(Part):
    """A change during a run, once: `joint` is attached or, if that is None, the joint of its name is released.

    It happens at `time` (s), or at the end of the step in which the function `when` of the simulation returns True;
    with `within` (s), within that time of the instant. Made by `model.attach` and `model.release`.
    """

    joint: Joint | None
    time: float | None
    when: Callable[[Any], bool] | None
    within: float | None

    @property
    def kind_of_name(self) -> str:
        """It has the name of its joint."""
        return "joint"

    @property
    def told(self) -> str:
        """The event in words."""
        return f"{'release' if self.joint is None else 'attachment'} of joint '{self.path}'"


def attached_joint(owner: Container, a: Body, b: Body, kind: Any, name: str, options: Mapping[str, Any]) -> Joint:
    """A joint in words, to be placed where its bodies are when it is attached; a side not given stays None."""
    if not isinstance(kind, str) or kind not in ATTACHED:
        known = ", ".join(f"'{word}'" for word in ATTACHED)
        hint = checked.did_you_mean(str(kind), ATTACHED) or f"; give one of {known}"
        raise ModelError(
            f"attached joint '{name}': {checked.shown(kind)} is no kind of joint that holds anything{hint}"
        )
    what = f"attached {kind} joint '{name}'"
    checked.unknown_options(options.keys() - AttachOptions.__annotations__.keys(), AttachOptions.__annotations__, what)
    given = {option: value for option, value in options.items() if value is not None}
    pitch = given.pop("pitch", 0.0)
    if KINDS[kind].has_pitch and not checked.number(pitch, what, "pitch"):
        raise ModelError(f"{what}: it has no pitch; give pitch= in metres per turn, or attach a 'revolute' joint")
    if pitch and not KINDS[kind].has_pitch:
        raise ModelError(f"{what}: only a screw has a pitch; remove pitch=")
    joint = make_joint(what, cast(JointKind, kind), name, owner, a, b, {**given, "cut": True}, float(pitch))
    return replace(joint, frame_a=given.get("frame_a"), frame_b=given.get("frame_b"))


def check_moment(what: str, time: Any, when: Any, within: Any) -> tuple[float | None, Any, float | None]:
    """When an event happens: at a time, or on a condition."""
    if (time is None) == (when is None):
        raise ModelError(f"{what}: {'both' if time is not None else 'neither'} of time= and when= given; give one")
    if within is not None:
        if when is None:
            raise ModelError(f"{what}: an event at a time happens exactly then; remove within=")
        within = checked.positive(within, what, "within", "seconds")
    if time is not None:
        return checked.not_negative(time, what, "time"), None, None
    if not callable(when) or not _takes_one(when):
        raise ModelError(
            f"{what}: when must be a function of the simulation that returns True or False, not {checked.shown(when)}; "
            "give when=lambda sim: sim['hand.position'][2] < 0.1, for example"
        )
    return None, when, within


def _takes_one(function: Any) -> bool:
    try:
        inspect.signature(function).bind(None)
    except TypeError:
        return False
    except ValueError:  # built in: nobody knows
        pass
    return True


def releasable(joint: Joint) -> Joint:
    """The joint; raises for the shaft of a rotor, which has no mass to fly with."""
    if isinstance(joint.b, Rotor) and joint.name == shaft_name(joint.b.name):
        raise ModelError(
            f"release: '{joint.path}' is the shaft of rotor '{joint.b.path}', which has no mass and so cannot be by "
            "itself; make it a body with mass= and inertia= on a revolute joint"
        )
    return joint
