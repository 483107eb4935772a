"""Joints of SDF: their place, axes, limits and dynamics. Joints that close a loop are joints as all others."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linkwork.formats.naming import fitting
from linkwork.formats.sdf.building import Build, Hinge
from linkwork.formats.sdf.poses import at_home, child_of
from linkwork.formats.sdf.scopes import HERE, Item, Scope
from linkwork.formats.sdf.values import finite_of, flag_of, number_of, saying, text_of
from linkwork.formats.xml_tree import XmlElement
from linkwork.model import Body, Ground
from linkwork.model.checked import PERPENDICULAR, Vector
from linkwork.model.checked import direction as unit_vector

ONE_AXIS = {"revolute": "revolute", "continuous": "revolute", "prismatic": "prismatic", "screw": "screw"}
TWO_AXES = ("universal", "revolute2")
KNOWN = (*ONE_AXIS, *TWO_AXES, "ball", "fixed", "gearbox")
JOINT_AXES_OF_MODEL = (1, 4)  # up to this version axes are given in the frame of the model


class Axis(NamedTuple):
    """An axis in the coordinates of the container, and the keywords of a joint about it."""

    direction: Vector
    options: dict[str, Any]
    limits: tuple[float, float]

    @property
    def free(self) -> bool:
        """Whether it has no limits."""
        return self.limits == (-math.inf, math.inf)


def read_joint(build: Build, scope: Scope, joint: Item, start: float) -> None:
    """Make the joint of an element; `start` is its position at the start."""
    kind = joint.element.need("type")
    if kind not in KNOWN:
        told = f"joints of type '{kind[:40]}' are not known"
        build.receipt.ignore(f"joint '{joint.name[:80]}'", joint.place, told)
        joint.element.read_whole()
        return
    parent = text_of(joint.element, "parent")
    if not parent:
        joint.element.wrong("it has no parent; add <parent> with the name of a link, or world")
    a = build.body(scope, at_home(joint, parent), joint.element)
    b = build.body(scope, child_of(joint), joint.element)
    _skip_physics(build, joint)
    if kind == "gearbox":
        return
    if isinstance(a, Ground) and isinstance(b, Ground):
        told = "both sides are fixed to the world"
        build.receipt.ignore(f"joint '{joint.name[:80]}'", joint.place, told, matters=False)
        joint.element.read_whole()
        return
    if a is b:
        joint.element.wrong(f"its parent and its child are both on '{a.name}'; correct one of them")
    _make(build, scope, joint, kind, a, b, start)
    build.receipt.understand(f"joint '{joint.name[:80]}'", joint.place, kind)


def _make(build: Build, scope: Scope, joint: Item, kind: str, a: Body, b: Body, start: float) -> None:
    container = build.holders[scope].container
    name = fitting(container, joint.name, "joint", build.receipt, joint.place)
    at = build.pose(scope, joint).position
    if kind in TWO_AXES:
        _two_axes(build, scope, joint, name, a, b, at)
        return
    if kind in ("ball", "fixed"):
        options = _without_axis(build, joint, kind)
        with saying(joint.element):
            getattr(container, kind)(name, a, b, at=at, **options)
        return
    axis = _axis(build, scope, joint, "axis", kind)
    if axis.limits[0] == axis.limits[1] == 0.0:
        build.receipt.approximate(f"joint '{joint.name[:80]}'", joint.place, "both limits are zero: a fixed joint")
        with saying(joint.element):
            container.fixed(name, a, b, at=at)
        return
    options = axis.options | ({"position": start} if start else {})
    if kind == "screw":
        options["pitch"] = _pitch(build, joint)
        if not axis.free:
            build.receipt.approximate(f"joint '{joint.name[:80]}'", joint.place, "limits of a screw are taken in rad")
    if kind == "continuous" and not axis.free:
        build.receipt.approximate(f"joint '{joint.name[:80]}'", joint.place, "continuous: its limits are left out")
    elif not axis.free:
        options["limits"] = axis.limits
    with saying(joint.element):
        made = getattr(container, ONE_AXIS[kind])(name, a, b, at=at, axis=axis.direction, **options)
    build.hinges[scope, joint.name] = Hinge(made, build.to_world(scope, made.axis), start)


def _without_axis(build: Build, joint: Item, kind: str) -> dict[str, Any]:
    """The axes that a ball or a weld says without having one: a ball takes their damping."""
    options: dict[str, Any] = {}
    for tag in ("axis", "axis2"):
        axis = joint.element.one(tag)
        if axis is None:
            continue
        said = _dynamics(build, joint, axis) if kind == "ball" else {}
        bounded = kind == "ball" and math.isfinite(max(_limits(build, joint, axis), key=lambda side: -abs(side)))
        options |= {name: value for name, value in said.items() if name in ("damping", "friction")}
        axis.read_whole()
        if bounded or "stiffness" in said:
            told = "a ball has no stops and no spring here"
            build.receipt.ignore(f"<{tag}> of joint '{joint.name[:80]}'", joint.file.place(axis), told)
    return options


def _two_axes(build: Build, scope: Scope, joint: Item, name: str, a: Body, b: Body, at: Vector) -> None:
    """A cardan where the axes are perpendicular and alike, else two hinges and a body without mass between them."""
    container = build.holders[scope].container
    first, second = (_axis(build, scope, joint, tag, "revolute") for tag in ("axis", "axis2"))
    units = [axis.direction for axis in (first, second)]
    if first.options == second.options and abs(float(units[0] @ units[1])) <= PERPENDICULAR:
        free = first.free and second.free
        limits: dict[str, Any] = {} if free else {"limits": [first.limits, second.limits]}
        with saying(joint.element):
            container.universal(name, a, b, at=at, axis=(units[0], units[1]), **limits, **first.options)
        return
    between = fitting(container, f"{joint.name} cross", "body", build.receipt, joint.place)
    outer = fitting(container, f"{joint.name} 2", "joint", build.receipt, joint.place)
    build.receipt.approximate(
        f"joint '{joint.name[:80]}'",
        joint.place,
        f"two hinges, '{name}' and '{outer}', with the body '{between}' without mass between them: the same motion",
    )
    frame = build.pose(scope, joint)
    with saying(joint.element):
        cross = container.body(between, mass=0.0, position=frame.position, rotation=frame.rotation)
        for axis, label, inner, far in ((first, name, a, cross), (second, outer, cross, b)):
            stops: dict[str, Any] = {} if axis.free else {"limits": axis.limits}
            container.revolute(label, inner, far, at=at, axis=axis.direction, **stops, **axis.options)


def axis_direction(build: Build, scope: Scope, joint: Item, axis: XmlElement | None) -> Vector:
    """The direction of an <axis> in the coordinates of the container."""
    xyz = None if axis is None else axis.one("xyz")
    vector: Vector = np.array((0.0, 0.0, 1.0))
    if xyz is not None:
        with saying(joint.element):
            vector = unit_vector(xyz.own_numbers(3), f"<{axis.tag if axis else 'axis'}>", "xyz")
    of_model = joint.file.version <= JOINT_AXES_OF_MODEL
    if axis is not None and axis.one("use_parent_model_frame") is not None:
        of_model = flag_of(axis, "use_parent_model_frame") or of_model
    named = "" if xyz is None else xyz.get("expressed_in", "") or ""
    if named or of_model:
        frame = at_home(joint, named or HERE)
        return build.direction(scope, frame, vector, joint.element)
    return build.pose(scope, joint).direction(vector)


def _axis(build: Build, scope: Scope, joint: Item, tag: str, kind: str) -> Axis:
    element = joint.element.one(tag)
    direction = axis_direction(build, scope, joint, element)
    if element is None:
        joint.element.wrong(f"it has no <{tag}>; add one")
    if finite_of(element, "initial_position", 0.0):
        build.receipt.ignore(
            f"<initial_position> of joint '{joint.name[:80]}'", joint.place, "the poses of the links place it"
        )
    element.one("mimic")
    return Axis(direction, _dynamics(build, joint, element), _limits(build, joint, element))


def _dynamics(build: Build, joint: Item, axis: XmlElement) -> dict[str, Any]:
    """Damping, friction and spring."""
    dynamics = axis.one("dynamics")
    if dynamics is None:
        return {}
    values = {name: finite_of(dynamics, name, 0.0) for name in ("damping", "friction")}
    values["stiffness"] = finite_of(dynamics, "spring_stiffness", 0.0)
    rest = finite_of(dynamics, "spring_reference", 0.0)
    if values["damping"] < 0.0:
        told = "a negative damping means one that adapts; it is not known here"
        build.receipt.ignore(f"<damping> of joint '{joint.name[:80]}'", joint.file.place(dynamics), told)
        values["damping"] = 0.0
    if values["stiffness"]:
        values["rest"] = rest
    return {name: value for name, value in values.items() if value}


def _limits(build: Build, joint: Item, axis: XmlElement) -> tuple[float, float]:
    limit = axis.one("limit")
    if limit is None:
        return (-math.inf, math.inf)
    what, place = f"joint '{joint.name[:80]}'", joint.file.place(limit)
    low, high = number_of(limit, "lower", -math.inf), number_of(limit, "upper", math.inf)
    if low > high or (low == high and low != 0.0):
        limit.wrong(f"its lower limit {low:g} is not below its upper limit {high:g}; correct them")
    for tag, none, told in (
        ("effort", -1.0, "say max_torque= where you add a motor"),
        ("velocity", -1.0, "speeds are not limited"),
    ):
        value = number_of(limit, tag, none)
        if value >= 0.0 and math.isfinite(value):
            build.receipt.ignore(f"<{tag}> of {what}", place, f"{value:g}; {told}", matters=False)
    for tag in ("stiffness", "dissipation"):
        if limit.one(tag) is not None and math.isfinite(min(-low, high)):
            build.receipt.approximate(f"<{tag}> of the stops of {what}", place, "the stops are rigid here")
    return low, high


def _pitch(build: Build, joint: Item) -> float:
    """Metres for a whole turn; the older number is radians for a metre, positive for a left-handed thread."""
    element = joint.element
    older = finite_of(element, "thread_pitch", 1.0)
    if element.one("screw_thread_pitch") is not None:
        pitch = finite_of(element, "screw_thread_pitch", 1.0)
    elif older:
        pitch = -2.0 * math.pi / older
    else:
        element.wrong("its thread_pitch is zero and would never turn; correct it")
    if not pitch:
        element.wrong("its screw_thread_pitch is zero and would never move; correct it, or make the joint revolute")
    build.receipt.understand(f"thread of joint '{joint.name[:80]}'", joint.place, f"{pitch:g} m for a turn")
    return pitch


def _skip_physics(build: Build, joint: Item) -> None:
    """Settings of other solvers; a motor in them matters."""
    physics = joint.element.one("physics")
    if physics is None:
        return
    place = joint.file.place(physics)
    ode = physics.one("ode")
    driven = ode is not None and number_of(ode, "max_force", 0.0) > 0.0
    physics.read_whole()
    what = f"<physics> of joint '{joint.name[:80]}'"
    told = "it drives the joint; add a motor" if driven else "settings of another solver"
    build.receipt.ignore(what, place, told, matters=driven)
