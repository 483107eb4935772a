"""The checks of what a user says about a joint."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.body import Body, Foreign, Ground
from linkwork.model.checked import Vector
from linkwork.model.forces.soft import softness
from linkwork.model.frame import Frame, unit
from linkwork.model.joints.cone import WHOLE_TURN, Cone
from linkwork.model.joints.joint import Joint, JointOptions, Limits
from linkwork.model.joints.joint_kinds import KINDS, JointKind

if TYPE_CHECKING:
    from linkwork.model.container import Container


def refuse_pair(what: str, a: Body, b: Body) -> None:
    """A joint holds two different bodies, of which one can move."""
    if a is b:
        raise ModelError(f"{what}: it joins body '{a.path}' to itself; give two different bodies")
    if all(isinstance(body, Ground) and not isinstance(body, Foreign) for body in (a, b)):
        raise ModelError(
            f"{what}: both '{a.path}' and '{b.path}' are grounds, which no joint can move; join a body to a ground"
        )


def make_joint(
    what: str, kind: JointKind, name: str, owner: Container, a: Body, b: Body, options: Mapping[str, Any], pitch: float
) -> Joint:
    """A joint from checked bodies and unchecked options."""
    checked.unknown_options(options.keys() - JointOptions.__annotations__.keys(), JointOptions.__annotations__, what)
    refuse_pair(what, a, b)
    given = {option: value for option, value in options.items() if value is not None}
    at, axis, frame_a, frame_b = place(what, kind, given)
    position = start_values(what, kind, "position", KINDS[kind].nq, KINDS[kind].position, given.get("position"))
    limits = _limits(what, kind, given.get("limits"), position)
    limit_softness = softness(given.get("limit_softness"), what, "limit_softness")
    if limit_softness is not None and limits is None:
        raise ModelError(f"{what}: it has no limits that could be soft; give limits=, or remove limit_softness=")
    cut = given.get("cut", False)
    if not isinstance(cut, (bool, np.bool_)):
        raise ModelError(f"{what}: cut must be True or False, got {checked.shown(cut)}; correct cut=")
    if cut and kind == "free":
        raise ModelError(f"{what}: a free joint holds nothing and closes no loop; remove cut=")
    amounts: dict[str, float] = {
        option: checked.not_negative(given[option], what, option)
        for option in ("friction", "damping", "stiffness", "armature")
        if option in given
    }
    _refuse_meaningless(what, kind, amounts)
    rest = checked.number(given["rest"], what, "rest") if "rest" in given else 0.0
    if rest and not amounts.get("stiffness"):
        raise ModelError(f"{what}: it has no spring that could be unloaded at rest=; give stiffness=, or remove rest=")
    return Joint(
        name,
        owner,
        kind,
        a,
        b,
        at,
        axis,
        frame_a,
        frame_b,
        position,
        start_values(what, kind, "velocity", KINDS[kind].nv, KINDS[kind].velocity, given.get("velocity")),
        limits,
        rest=rest,
        pitch=pitch,
        cut=bool(cut),
        limit_softness=limit_softness,
        **amounts,
    )


def place(
    what: str, kind: JointKind, given: Mapping[str, Any]
) -> tuple[Vector | None, Vector | None, Frame | None, Frame | None]:
    """Either a point and an axis in the owner's coordinates, or two local frames."""
    needs_axis = KINDS[kind].needs_axis
    remedy = f"at={' and axis=' if needs_axis else ''}, or frame_a= and frame_b="
    local = [option for option in ("frame_a", "frame_b") if option in given]
    outer = [option for option in ("at", "axis") if option in given]
    if local and outer:
        raise ModelError(f"{what}: {outer[0]}= and {local[0]}= place it twice; give either {remedy}")
    if local:
        for option in local:
            if not isinstance(given[option], Frame):
                raise ModelError(
                    f"{what}: {option} must be a Frame; give {option}=lw.Frame(position=..., rotation=...)"
                )
        return None, None, given.get("frame_a", Frame()), given.get("frame_b", Frame())
    if not outer and kind == "fixed":
        return None, None, None, None
    if not outer and kind == "free":
        return None, None, Frame(), Frame()
    if "at" not in given and not (kind == "prismatic" and "axis" in given):  # a slide is the same wherever it is
        raise ModelError(f"{what}: its place is not known; give {remedy}")
    at = checked.vector(given["at"], what, "at", 3, "metres") if "at" in given else None
    if "axis" not in given:
        if needs_axis:
            raise ModelError(f"{what}: its axis is not known; give {remedy}")
        return at, None, None, None
    axis = _two_axes(what, given["axis"]) if kind == "universal" else checked.direction(given["axis"], what, "axis")
    return at, axis, None, None


def _two_axes(what: str, axes: Any) -> Vector:
    """The two axes of a universal joint, (2, 3), exactly perpendicular."""
    given = checked.array(axes, what, "axis", "two directions (first, second)")
    if given.shape != (2, 3):
        raise ModelError(
            f"{what}: a universal joint turns about two axes; give axis=((1, 0, 0), (0, 1, 0)), for example"
        )
    first, second = (checked.direction(row, what, "axis") for row in given)
    if abs(float(first @ second)) > checked.PERPENDICULAR:
        raise ModelError(f"{what}: its two axes are not perpendicular; give axis=(first, second) at a right angle")
    if abs(float(first @ second)) > checked.UNIT:
        second = second - float(first @ second) * first
        second = second / np.linalg.norm(second)
    result = np.array((first, second))
    result.flags.writeable = False
    return result


def start_values(
    what: str, kind: JointKind, option: str, count: int, meaning: str, value: Any
) -> tuple[float, ...] | None:
    """A start position or velocity; quaternions are normalised."""
    if value is None:
        return None
    if count == 0:
        raise ModelError(f"{what}: a fixed joint has no {option}; remove {option}=")
    start = checked.array(value, what, option, meaning)
    if start.shape != (count,) and not (count == 1 and start.shape == ()):
        raise ModelError(
            f"{what}: {option} of a {kind} joint is {meaning} ({count} number{'s' if count > 1 else ''}), "
            f"got {start.size}; correct {option}="
        )
    numbers = tuple(np.atleast_1d(start).tolist())
    if option == "position" and KINDS[kind].has_quaternion:
        w, x, y, z = numbers[-4:]
        return numbers[:-4] + unit((w, x, y, z), what, option)
    return numbers


def _limits(what: str, kind: JointKind, value: Any, position: tuple[float, ...] | None) -> Limits | None:
    """(low, high) for joints with one coordinate, one pair per coordinate for others."""
    if value is None:
        return None
    if isinstance(value, Cone):
        return _cone(what, kind, value, position)
    count = KINDS[kind].nv
    if kind == "ball":
        raise ModelError(f"{what}: limits of a ball joint are a cone; give limits=lw.Cone(0.5, twist=0.3), for example")
    if not count or KINDS[kind].has_quaternion:
        raise ModelError(f"{what}: a {kind} joint has no limits; remove limits=, or use another kind of joint")
    if count == 1:
        pairs: tuple[tuple[float, float], ...] = (_pair(what, value),)
    else:
        if isinstance(value, str) or not hasattr(value, "__len__") or len(value) != count:
            raise ModelError(
                f"{what}: a {kind} joint has {count} coordinates; give limits= with {count} pairs (low, high)"
            )
        pairs = tuple((-math.inf, math.inf) if pair is None else _pair(what, pair) for pair in value)
    for start, (low, high) in zip(position or (), pairs, strict=False):
        if not low <= start <= high:
            raise ModelError(
                f"{what}: it starts at {start:g}, outside its limits {low:g} to {high:g}; correct position= or limits="
            )
    return pairs[0] if count == 1 else pairs


def _cone(what: str, kind: JointKind, cone: Cone, position: tuple[float, ...] | None) -> Cone:
    """The limits of a ball or universal joint."""
    if kind not in ("ball", "universal"):
        raise ModelError(f"{what}: a {kind} joint has no cone; give limits=(low, high), or use a ball joint")
    if kind == "universal" and (cone.twist != WHOLE_TURN or cone.turn < math.inf):
        raise ModelError(f"{what}: a universal joint only swings; leave out twist= and turn= of its cone")
    if position is not None:
        excess = cone.excess(position)
        if excess:
            raise ModelError(f"{what}: it starts with {excess}; correct position= or limits=")
    return cone


def _pair(what: str, value: Any) -> tuple[float, float]:
    try:
        low, high = (
            checked.real(default if side is None else side)
            for side, default in zip(value, (-math.inf, math.inf), strict=True)
        )
    except (TypeError, ValueError):
        low = high = None
    if low is None or high is None or math.isnan(low) or math.isnan(high):
        raise ModelError(
            f"{what}: limits must be a pair of numbers (low, high), got {checked.shown(value)}; correct limits="
        )
    if low >= high:
        raise ModelError(
            f"{what}: its lower limit {low:g} is not below its upper limit {high:g}; give limits=(low, high)"
        )
    return low, high


def _refuse_meaningless(what: str, kind: JointKind, amounts: Mapping[str, float]) -> None:
    """Nothing is accepted and then ignored."""
    for option, amount in amounts.items():
        if amount == 0.0:
            continue
        if kind == "fixed":
            raise ModelError(f"{what}: a fixed joint does not move and has no {option}; remove {option}=")
        if KINDS[kind].has_quaternion and option == "stiffness":
            raise ModelError(
                f"{what}: a {kind} joint has no single position to spring back to; remove stiffness= and use spring()"
            )
        if KINDS[kind].has_quaternion and option == "armature":
            raise ModelError(
                f"{what}: a {kind} joint has no axis for a rotor; remove armature= and add it to the body's inertia"
            )
