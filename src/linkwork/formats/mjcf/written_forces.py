"""Forces and drives in the words of MJCF: tendons, actuators and couplings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwork.formats.mjcf.markup import Markup
from linkwork.formats.mjcf.writing import MjcfWriting
from linkwork.model import (
    Bushing,
    Constant,
    Coupling,
    Force,
    Frame,
    Ground,
    Joint,
    Motor,
    Spring,
    Torque,
    TorsionSpring,
)

QUICK = 100.0  # 1/s: how fast a servo acts that stands for a rigid motor
POWERS = 5  # coefficients of a polynomial of MJCF


def write_forces(writing: MjcfWriting) -> None:
    """All forces; what is a control starts with the value of its law."""
    for force in writing.model.all_forces():
        if isinstance(force, Spring):
            _spring(writing, force)
        elif isinstance(force, TorsionSpring):
            _coil(writing, force)
        elif isinstance(force, Torque) and isinstance(force.target, Joint):
            _joint_torque(writing, force, force.target)
        elif isinstance(force, (Torque, Force)):
            _body_force(writing, force)
        elif isinstance(force, Bushing) and _is_ball_spring(writing, force):
            writing.said(force, "stiffness of its ball joint")
        else:
            writing.lost(force, "it has no counterpart in MJCF")


def _spring(writing: MjcfWriting, spring: Spring) -> None:
    numbers: Any = (spring.stiffness, spring.damping)
    if not all(isinstance(each, float) for each in numbers) or spring.axis is not None or spring.law is not None:
        writing.lost(spring, "curves, laws and axes of springs have no counterpart in MJCF")
        return
    tendon = Markup(
        "spatial",
        name=writing.names.of("tendon", spring),
        stiffness=numbers[0] or None,
        damping=numbers[1] or None,
        springlength=spring.length,
    )
    for end, body, at in ((" a", spring.a, spring.at_a), (" b", spring.b, spring.at_b)):
        tendon.add(Markup("site", site=writing.site(spring, end, body, Frame(at))))
    writing.section("tendon").add(tendon)
    writing.said(spring, "a tendon between two sites")


def _is_ball_spring(writing: MjcfWriting, bushing: Bushing) -> bool:
    """A bushing that turns a ball joint back to its zero, alike about all axes, is the stiffness of that joint."""
    stiffness = float(bushing.stiffness[3, 3])
    if bushing.damping.any() or not np.array_equal(bushing.stiffness, np.diag([0, 0, 0, *[stiffness] * 3])):
        return False
    for joint in writing.model.all_joints():
        element = writing.joint_elements.get((id(joint), 0))
        if joint.kind == "ball" and element is not None and (joint.a, joint.b) == (bushing.a, bushing.b):
            turns = [
                [frame.rotation for frame in frames]
                for frames in (writing.tree.reference.mount(bushing), writing.tree.reference.frames(joint))
            ]
            if np.allclose(turns[0], turns[1], rtol=0, atol=1e-14):
                element.attributes["stiffness"] = element.attributes.get("stiffness", 0.0) + stiffness
                return True
    return False


def _coil(writing: MjcfWriting, coil: TorsionSpring) -> None:
    if writing.coordinate(coil.joint, 0) is None:
        writing.lost(coil, "its joint closes a loop, where MJCF has no springs")
    else:
        writing.said(coil, "stiffness and damping of its joint")


def _control(writing: MjcfWriting, part: Any, law: Any) -> float:
    """The value of a law at the start; what is not constant is told."""
    if isinstance(law, Constant) and law.size == 1:
        assert isinstance(law.value, float)
        return law.value
    writing.lost(part, "its law is no constant number, MJCF has controls; set them while stepping")
    return 0.0


def _joint_torque(writing: MjcfWriting, torque: Torque, joint: Joint) -> None:
    name = writing.coordinate(joint, torque.coordinate)
    if name is None:
        writing.lost(torque, f"MJCF has no motor in a {joint.kind} joint, or in one that closes a loop")
        return
    _motor(writing, torque, _control(writing, torque, torque.law), joint=name)


def _motor(writing: MjcfWriting, part: Any, value: float, **target: Any) -> None:
    writing.section("actuator").add(Markup("motor", name=writing.names.of("actuator", part), **target))
    writing.controls.append(value)
    if value:
        writing.near(part, "a control: MuJoCo starts it at zero, the keyframe 'start' sets it")
    else:
        writing.said(part, "a control")


def _body_force(writing: MjcfWriting, part: Torque | Force) -> None:
    body: Any = part.body if isinstance(part, Force) else part.target
    if isinstance(part, Force) and _is_lift(writing, part):
        return
    if part.axis is None or part.frame != "body" or isinstance(body, Ground):
        writing.lost(part, "forces and torques in world axes have no counterpart in MJCF")
        return
    at = part.at if isinstance(part, Force) else np.zeros(3)
    site = writing.site(part, "", body, Frame(at))
    nothing = np.zeros(3)
    gear = (part.axis, nothing) if isinstance(part, Force) else (nothing, part.axis)
    _motor(writing, part, _control(writing, part, part.law), site=site, gear=np.concatenate(gear))


def _is_lift(writing: MjcfWriting, force: Force) -> bool:
    """A constant force against gravity at the centre of mass is `gravcomp` of its body."""
    gravity, body, law = writing.model.gravity, force.body, force.law
    if not isinstance(law, Constant) or law.size != 3 or force.frame != "world" or not gravity.any():
        return False
    value = np.asarray(law.value, dtype=float)
    weight = body.mass * np.asarray(gravity, dtype=float)
    part = -float(value @ weight) / float(weight @ weight) if body.mass else 0.0
    if not part or not np.allclose(value, -part * weight, rtol=1e-12, atol=0) or not np.array_equal(force.at, body.com):
        return False
    element = writing.bodies[id(body)]
    before = element.attributes.get("gravcomp", 0.0)
    element.attributes["gravcomp"] = before + part
    writing.said(force, "gravcomp of its body")
    return True


def write_drives(writing: MjcfWriting) -> None:
    """Motors and couplings."""
    for drive in writing.model.all_drives():
        if isinstance(drive, Motor):
            _servo(writing, drive)
        else:
            _coupling(writing, drive)


def _servo(writing: MjcfWriting, motor: Motor) -> None:
    name = writing.coordinate(motor.joint, motor.coordinate)
    if name is None:
        writing.lost(motor, "MJCF has no motor in a joint that closes a loop, or in a rod")
        return
    law = motor.velocity if motor.position is None else motor.position
    value = _control(writing, motor, law)
    stiffness = damping = 0.0
    if motor.softness is not None and motor.softness.hertz is None:
        stiffness, damping = motor.softness.stiffness or 0.0, motor.softness.damping or 0.0
    else:
        inertia = writing.start.inertia.get(motor.joint.path, 1.0) or 1.0
        fast = QUICK if motor.softness is None else 2 * math.pi * float(motor.softness.hertz or 1.0)
        ratio = 1.0 if motor.softness is None else float(motor.softness.damping_ratio or 0.0)
        stiffness, damping = inertia * fast**2, 2 * ratio * inertia * fast
        writing.near(motor, f"a servo with stiffness {stiffness:.4g} and damping {damping:.4g}")
    most = None if math.isinf(motor.max_torque) else (-motor.max_torque, motor.max_torque)
    told: dict[str, Any] = {"name": writing.names.of("actuator", motor), "joint": name}
    if most is not None:
        told |= {"forcelimited": "true", "forcerange": most}
    if motor.position is not None:
        writing.section("actuator").add(Markup("position", **told, kp=stiffness, kv=damping))
    else:
        writing.section("actuator").add(Markup("velocity", **told, kv=damping))
    writing.controls.append(value)
    if value:
        writing.near(motor, "its target is a control: MuJoCo starts it at zero, the keyframe 'start' sets it")
    elif motor.softness is not None and motor.softness.hertz is None:
        writing.said(motor, "a servo")


def _coupling(writing: MjcfWriting, coupling: Coupling) -> None:
    names = [writing.coordinate(term.joint, term.coordinate) for term in coupling.whole]
    if any(name is None for name in names):
        writing.lost(coupling, "MJCF couples joints of one coordinate that close no loop")
        return
    if coupling.backlash:
        writing.lost(coupling, "backlash has no counterpart in MJCF")
    first, *others = coupling.whole
    curves = [term for term in coupling.whole if term.curve is not None]
    name = writing.names.of("equality", coupling)
    if len(others) == 1 and first.curve is None:
        poly = _polynomial(writing, coupling)
        if poly is None:
            writing.lost(coupling, "its curve is no polynomial of the fourth degree, which is all that MJCF has")
            return
        tied = Markup("joint", name=name, joint1=names[0], joint2=names[1], polycoef=poly)
        writing.section("equality").add(tied)
    elif not curves:
        tendon = Markup("fixed", name=writing.names.of("tendon", coupling))
        for term, joint in zip(coupling.whole, names, strict=True):
            tendon.add(Markup("joint", joint=joint, coef=term.factor))
        writing.section("tendon").add(tendon)
        held = Markup("tendon", name=name, tendon1=tendon.attributes["name"])
        held.attributes["polycoef"] = [_total(writing, coupling), 0.0, 0.0, 0.0, 0.0]
        writing.section("equality").add(held)
    else:
        writing.lost(coupling, "several joints and a curve have no counterpart in MJCF")
        return
    writing.near(coupling, "a constraint between joints, which gives way in MuJoCo")


def _total(writing: MjcfWriting, coupling: Coupling) -> float:
    """What the terms add up to."""
    if coupling.counted:
        return coupling.offset
    start = writing.start.position
    return sum(term.factor * float(start[term.joint.path][term.coordinate]) for term in coupling.whole)


def _polynomial(writing: MjcfWriting, coupling: Coupling) -> list[float] | None:
    """Coefficients of q1 over q2 for two terms."""
    first, second = coupling.whole
    poly = np.zeros(POWERS)
    if second.curve is None:
        poly[0], poly[1] = _total(writing, coupling), -second.factor
    else:
        curve = second.curve.curve
        if len(curve.pieces) != 1 or second.curve.period:
            return None
        inner = np.polynomial.Polynomial([-float(curve.origins[0]), 1.0])
        shifted: Any = np.polynomial.Polynomial(curve.pieces[0])(inner).coef
        if np.any(shifted[POWERS:]):
            return None
        shifted = shifted[:POWERS]
        poly[: shifted.size] = -second.factor * shifted
        poly[0] += coupling.offset if coupling.counted else 0.0
    return [float(each) for each in poly / first.factor]
