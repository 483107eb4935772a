"""Actuators of MJCF: torques and forces that are inputs, and servos. All is told in units of the joint.

The force of an actuator is gain * control + bias, where bias = b0 + b1 * length + b2 * velocity, times its gear. With
springs and dampers that pull back (b1, b2 not positive) this is a servo, else it is a torque.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linkwork.formats.mjcf.constraints import fixed_terms
from linkwork.formats.mjcf.context import MjcfReading
from linkwork.model import Body, Frame, Joint, Soft


class ActuatorLaw(NamedTuple):
    """force = gain * control + constant - stiffness * length - damping * velocity, all before the gear."""

    gain: float
    constant: float
    stiffness: float
    damping: float
    limit: tuple[float, float] | None

    @property
    def servo(self) -> bool:
        """Whether it holds a place or a velocity."""
        return self.stiffness > 0.0 or self.damping > 0.0


def add_actuators(reading: MjcfReading) -> None:
    """All actuators."""
    m = reading.m
    for number in range(_count(m)):
        off = reading.disabled("actuation") or _group_off(m, number)
        if off:
            reading.ignore("actuator", number, "switched off by a flag; it is not in the model", matters=False)
            continue
        law = _law(reading, number)
        if law is None:
            continue
        kinds, kind = reading.compiled.mujoco.mjtTrn, int(m.actuator_trntype[number])
        target = int(m.actuator_trnid[number][0])
        at_joint = (int(kinds.mjTRN_JOINT), int(kinds.mjTRN_JOINTINPARENT))
        if kind not in at_joint and (m.actuator_armature[number] or m.actuator_damping[number]):
            reading.ignore("actuator", number, "its armature and damping do not act on one joint")
        if kind in at_joint:
            _on_joint(reading, number, law, target, float(m.actuator_gear[number][0]))
        elif kind == int(kinds.mjTRN_TENDON):
            _on_tendon(reading, number, law, target)
        elif kind == int(kinds.mjTRN_SITE) and m.actuator_trnid[number][1] < 0:
            _on_site(reading, number, law, target)
        else:
            reading.ignore("actuator", number, "what it acts on has no counterpart")


def _count(m: Any) -> int:
    return len(m.actuator_trntype)


def _group_off(m: Any, number: int) -> bool:
    group = int(m.actuator_group[number])
    return 0 <= group < 31 and bool(int(m.opt.disableactuator) >> group & 1)


def rotors(reading: MjcfReading, joint: int) -> tuple[float, float]:
    """Armature and damping that actuators add to a joint."""
    m = reading.m
    armature = damping = 0.0
    for number in range(_count(m)):
        if _drives(reading, number, joint):
            gear = float(m.actuator_gear[number][0])
            armature += gear**2 * float(m.actuator_armature[number])
            damping += gear**2 * float(m.actuator_damping[number])
    return armature, 0.0 if reading.disabled("damper") else damping


def _drives(reading: MjcfReading, number: int, joint: int) -> bool:
    """Whether an actuator acts on this joint."""
    m, kinds = reading.m, reading.compiled.mujoco.mjtTrn
    return int(m.actuator_trnid[number][0]) == joint and int(m.actuator_trntype[number]) in (
        int(kinds.mjTRN_JOINT),
        int(kinds.mjTRN_JOINTINPARENT),
    )


def _law(reading: MjcfReading, number: int) -> ActuatorLaw | None:
    """The law of an actuator, or None after telling why there is none."""
    m, mujoco = reading.m, reading.compiled.mujoco
    dynamics = int(m.actuator_dyntype[number])
    lagging = (int(mujoco.mjtDyn.mjDYN_FILTER), int(mujoco.mjtDyn.mjDYN_FILTEREXACT))
    if dynamics not in (int(mujoco.mjtDyn.mjDYN_NONE), *lagging):
        reading.ignore("actuator", number, "its activation follows the control in a way that has no counterpart")
        return None
    gain, bias = m.actuator_gainprm[number], m.actuator_biasprm[number]
    plain_gain = m.actuator_gaintype[number] == int(mujoco.mjtGain.mjGAIN_FIXED) or (
        m.actuator_gaintype[number] == int(mujoco.mjtGain.mjGAIN_AFFINE) and not np.any(gain[1:3])
    )
    straight = m.actuator_biastype[number] == int(mujoco.mjtBias.mjBIAS_AFFINE)
    if not plain_gain or not (straight or m.actuator_biastype[number] == int(mujoco.mjtBias.mjBIAS_NONE)):
        reading.ignore("actuator", number, "its force is a function that has no counterpart")
        return None
    b0, b1, b2 = (float(each) for each in bias[:3]) if straight else (0.0, 0.0, 0.0)
    if b1 > 0.0 or b2 > 0.0:
        reading.ignore("actuator", number, "its force grows with the deflection or the velocity")
        return None
    if dynamics in lagging:
        lag = float(m.actuator_dynprm[number][0])
        reading.approximate("actuator", number, f"follows its control at once here, with a lag of {lag:g} s in MuJoCo")
    if m.actuator_delay[number]:
        reading.approximate("actuator", number, "follows its control at once here, after a delay in MuJoCo")
    if np.any(m.actuator_dampingpoly[number]):
        reading.ignore("actuator", number, "a damping that grows with the velocity has no counterpart")
    limit = None
    if m.actuator_forcelimited[number]:
        limit = (float(m.actuator_forcerange[number][0]), float(m.actuator_forcerange[number][1]))
    return ActuatorLaw(float(gain[0]), b0, abs(b1), abs(b2), limit)


def _control(reading: MjcfReading, number: int) -> float:
    m = reading.m
    control = float(reading.start.ctrl[int(m.actuator_ctrladr[number])])
    if m.actuator_ctrllimited[number] and not reading.disabled("clampctrl"):
        low, high = m.actuator_ctrlrange[number]
        return float(min(max(control, low), high))
    return control


def _range(reading: MjcfReading, number: int, factor: float, offset: float, unit: str) -> str:
    """How the input follows from the control of MuJoCo."""
    m = reading.m
    told = f"{unit} = {factor:g} x control" + (f" + {offset:g}" if offset else "")
    if m.actuator_ctrllimited[number]:
        low, high = m.actuator_ctrlrange[number]
        told += f", control from {low:g} to {high:g}"
    if m.actuator_forcelimited[number]:
        low, high = m.actuator_forcerange[number]
        told += f", force from {low:g} to {high:g}"
    return told


def _on_joint(reading: MjcfReading, number: int, law: ActuatorLaw, target: int, gear: float) -> None:
    joint = reading.joints[target]
    if joint.nv != 1:
        reading.ignore("actuator", number, f"it drives a {joint.kind} joint, which has no counterpart")
        return
    if not gear:
        reading.ignore("actuator", number, "its gear is zero and it moves nothing", matters=False)
        return
    if law.servo:
        _servo(reading, number, law, joint, gear)
        return
    _input(reading, number, law, joint, gear, "")
    if law.constant:
        reading.approximate("actuator", number, "its bias is part of the input")


def _input(reading: MjcfReading, number: int, law: ActuatorLaw, joint: Joint, gear: float, extra: str) -> None:
    unit = "N" if joint.kind == "prismatic" else "N m"
    effort = gear * _clamped(law.gain * _control(reading, number) + law.constant, law.limit)
    name = reading.new_name("actuator", number, "torque", f"{joint.name} actuator")
    if extra:
        name = reading.free_name(f"{name} {extra}", "torque")
    reading.model.torque(name, joint, effort)
    told = _range(reading, number, gear * law.gain, gear * law.constant, unit)
    if reading.m.jnt_actfrclimited[_number(reading, joint)]:
        told += "; MuJoCo bounds it by actuatorfrcrange"
    reading.understand("actuator", number, f"input '{name}' in joint '{joint.path}': {told}")


def _number(reading: MjcfReading, joint: Joint) -> int:
    return next(number for number, made in reading.joints.items() if made is joint)


def _clamped(value: float, limit: tuple[float, float] | None) -> float:
    return value if limit is None else min(max(value, limit[0]), limit[1])


def _servo(reading: MjcfReading, number: int, law: ActuatorLaw, joint: Joint, gear: float) -> None:
    """gear (gain u + b0 - k gear q - c gear v) is a spring towards (gain u + b0) / (k gear)."""
    most = math.inf
    limits = [law.limit] if law.limit is not None else []
    scaled = [(abs(gear) * low, abs(gear) * high) for low, high in limits]
    at = _number(reading, joint)
    if reading.m.jnt_actfrclimited[at]:
        scaled.append((float(reading.m.jnt_actfrcrange[at][0]), float(reading.m.jnt_actfrcrange[at][1])))
        if sum(_drives(reading, each, at) for each in range(_count(reading.m))) > 1:
            reading.approximate("actuator", number, "actuatorfrcrange bounds each actuator of the joint by itself here")
    for low, high in scaled:
        if low != -high:
            reading.approximate("actuator", number, f"its force is bounded by {low:g} and {high:g}: here by the larger")
        most = min(most, max(abs(low), abs(high)))
    if most == 0.0:
        reading.ignore("actuator", number, "its force is bounded to zero", matters=False)
        return
    name = reading.new_name("actuator", number, "motor", f"{joint.name} actuator")
    pull = law.stiffness if law.stiffness else law.damping
    value = (law.gain * _control(reading, number) + law.constant) / (pull * gear)
    soft = Soft(stiffness=gear**2 * law.stiffness, damping=gear**2 * law.damping)
    torque = None if math.isinf(most) else most
    if law.stiffness:
        reading.model.motor(name, joint, position=value, softness=soft, max_torque=torque)
        unit, word = ("m" if joint.kind == "prismatic" else "rad"), "position"
    else:
        reading.model.motor(name, joint, velocity=value, softness=soft, max_torque=torque)
        unit, word = ("m/s" if joint.kind == "prismatic" else "rad/s"), "velocity"
    told = _range(reading, number, law.gain / (pull * gear), law.constant / (pull * gear), unit)
    reading.understand("actuator", number, f"{word} servo '{name}' of joint '{joint.path}': {told}")


def _on_tendon(reading: MjcfReading, number: int, law: ActuatorLaw, tendon: int) -> None:
    gear, terms = float(reading.m.actuator_gear[number][0]), fixed_terms(reading, tendon)
    if terms is None:
        reading.ignore("actuator", number, "it pulls a spatial tendon, which has no counterpart")
    elif len(terms) == 1:
        _on_joint(reading, number, law, terms[0][0], gear * terms[0][1])
    elif law.servo:
        reading.ignore("actuator", number, "a servo over several joints has no counterpart")
    else:
        for joint, coefficient in terms:
            made = reading.joints[joint]
            _input(reading, number, law, made, gear * coefficient, made.name)
        reading.approximate("actuator", number, f"one input for each of its {len(terms)} joints; set them together")


def _on_site(reading: MjcfReading, number: int, law: ActuatorLaw, site: int) -> None:
    """A force and a torque on a body at a site."""
    m = reading.m
    body: Body = reading.bodies[int(m.site_bodyid[site])]
    if law.servo:
        reading.ignore("actuator", number, "a servo at a site has no counterpart")
        return
    if reading.still(int(m.site_bodyid[site])):
        reading.ignore("actuator", number, "it acts on what does not move", matters=False)
        return
    frame = Frame(m.site_pos[site], m.site_quat[site])
    effort = _clamped(law.gain * _control(reading, number) + law.constant, law.limit)
    made = []
    for word, gear in (("force", m.actuator_gear[number][:3]), ("torque", m.actuator_gear[number][3:6])):
        size = math.sqrt(float(gear @ gear))
        if not size:
            continue
        name = reading.new_name("actuator", number, word, f"actuator {number}")
        axis = frame.direction(gear / size)
        if word == "force":
            reading.model.force(name, body, size * effort, at=frame.position, axis=axis)
        else:
            reading.model.torque(name, body, size * effort, axis=axis)
        unit = "N" if word == "force" else "N m"
        made.append(f"input '{name}': {_range(reading, number, size * law.gain, size * law.constant, unit)}")
    if len(made) == 1:
        reading.understand("actuator", number, f"{made[0]} on body '{body.path}'")
    else:
        reading.approximate("actuator", number, "; ".join(made) or "it has no gear and moves nothing")
