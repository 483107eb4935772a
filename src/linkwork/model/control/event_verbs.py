"""The two methods of models and subsystems that change their structure during a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Unpack

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.container import Container, described
from linkwork.model.control.event import AttachOptions, Event, attached_joint, check_moment, releasable
from linkwork.model.joints.joint import Joint
from linkwork.model.joints.joint_verbs import BodyLike


class EventVerbs(Container):
    """Plan changes during a run. `Simulation.attach` and `release` make them at once."""

    def attach(
        self,
        a: BodyLike,
        b: BodyLike,
        joint: str,
        *,
        name: str | None = None,
        time: float | None = None,
        when: Callable[[Any], bool] | None = None,
        within: float | None = None,
        **options: Unpack[AttachOptions],
    ) -> Joint:
        """Plan to attach b to a by a joint of the kind `joint`, at `time` (s) or on the condition `when`.

        The joint is placed at the present poses of the bodies: by `at` (m) and `axis` in the owner's coordinates, or by
        `frame_a` and `frame_b`. If one frame is left out, it is placed where the other one is at that moment; a fixed
        joint needs neither. An impulse removes the velocities that the joint does not allow; its energy is "impacts" in
        the ledger. `when` is a function of the `Simulation`, evaluated after each step; `within` (s) locates the
        instant more precisely. The joint is called `name`, by default "a to b". Its columns are zero while it is not
        attached.

        >>> model = lw.Model("catch")
        >>> ball = model.body("ball", mass=1.0, shape=lw.Sphere(0.1))
        >>> grip = model.attach(model.ground, ball, "fixed", name="grip", when=lambda sim: sim["ball.position"][2] < -1)
        >>> model.release(grip, time=2.0)
        >>> [event.told for event in model.events]
        ["attachment of joint 'grip'", "release of joint 'grip'"]
        """
        word = "attached joint"
        called = attached_name(self, self._body(a, word), self._body(b, word), name)
        what = f"{word} '{self.inner_path(called)}'"
        moment = check_moment(what, time, when, within)
        planned = attached_joint(self, self._body(a, what), self._body(b, what), joint, called, options)
        taken = next(iter(self._called(called)), None)
        if taken is None:
            self._names[called] = planned
        elif not any(event.joint is taken for event in self.events):
            raise ModelError(f"{what}: the name is taken by the {taken.word} '{taken.path}'; choose another name=")
        elif taken.word != planned.kind:
            raise ModelError(
                f"{what}: it is planned as a {taken.word} joint and as a {planned.kind} joint; "
                "choose another name= for one of them"
            )
        self.events.append(Event(called, self, planned, *moment))
        return planned

    def release(
        self,
        joint: Joint | str,
        *,
        time: float | None = None,
        when: Callable[[Any], bool] | None = None,
        within: float | None = None,
    ) -> None:
        """Plan to release a joint, attached or of the model, at `time` (s) or on the condition `when`.

        Velocities do not change. Forces that act in the joint end with it. `when` is evaluated only while the joint is
        attached.

        >>> model = lw.Model("drop")
        >>> stone = model.body("stone", mass=1.0, shape=lw.Sphere(0.1))
        >>> hook = model.fixed("hook", "ground", stone)
        >>> model.release(hook, time=0.5)
        """
        held = releasable(self._joint(joint, "release"))
        what = f"release of '{held.path}'"
        self.events.append(Event(held.name, held.owner, None, *check_moment(what, time, when, within)))


def attached_name(owner: Container, a: Any, b: Any, name: str | None) -> str:
    """The name of an attached joint: the given one, or both of its bodies'."""
    if name is None:
        return f"{a.name} to {b.name}"
    return checked.part_name(name, f"attached joint in {described(owner)}")
