"""Bodies and joints of MJCF. A body with several joints hangs on a chain of bodies without mass, one joint each."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwork.formats.mjcf.actuators import rotors
from linkwork.formats.mjcf.context import MjcfReading
from linkwork.formats.mjcf.joint_springs import add_bushing, lost_of_joint, rotor_of_ball
from linkwork.formats.mjcf.meeting import MeetingGeoms
from linkwork.model import Body, Cone, Frame, Joint

VERBS = {2: "prismatic", 3: "revolute"}  # by MuJoCo's codes of joints
FREE, BALL, SLIDE, HINGE = 0, 1, 2, 3


def add_bodies(reading: MjcfReading, meeting: MeetingGeoms) -> None:
    """All bodies with their joints, parents first."""
    m = reading.m
    reading.bodies[0] = reading.model.ground
    for number in range(1, m.nbody):
        body = _body(reading, number)
        reading.bodies[number] = body
        joints = range(int(m.body_jntadr[number]), int(m.body_jntadr[number]) + int(m.body_jntnum[number]))
        parent = reading.bodies[int(m.body_parentid[number])]
        told = f"on '{parent.path}'"
        if not len(joints):
            _weld(reading, number, parent, body)
            told = f"fixed to '{parent.path}'"
        if m.body_mocapid[number] >= 0:
            reading.approximate("body", number, "a mocap body stands still here; in MuJoCo its user may move it")
        else:
            reading.understand("body", number, told)
        if m.body_gravcomp[number] and not reading.disabled("gravity"):
            _float(reading, number, body)
        place = reading.pose(number)
        if len(joints) and meeting.with_still_parent(number):  # bodies at one joint do not meet, but grounds and bodies
            parent, place = reading.model.ground, reading.world_pose(number)
        for k, joint in enumerate(joints):
            last = k == len(joints) - 1
            outer = body if last else _between(reading, number, joint)
            _joint(reading, joint, parent, outer, place)
            parent, place = outer, Frame()


def _body(reading: MjcfReading, number: int) -> Body:
    m = reading.m
    turn = Frame((0, 0, 0), m.body_iquat[number]).matrix
    mass = float(m.body_mass[number])
    moments = turn @ np.diag(m.body_inertia[number]) @ turn.T
    moments = (moments + moments.T) / 2 + rotor_of_ball(reading, number) * np.eye(3)
    name = reading.new_name("body", number, "body", f"body {number}")
    return reading.model.body(
        name, mass=mass, inertia=moments if mass > 0.0 else None, com=m.body_ipos[number] if mass > 0.0 else None
    )


def _between(reading: MjcfReading, number: int, joint: int) -> Body:
    """A body without mass between two joints of one body."""
    told = reading.compiled.name("body", number) or f"body {number}"
    name = reading.compiled.name("joint", joint) or f"joint {joint}"
    return reading.model.body(reading.free_name(f"{told} after {name}", "body"), mass=0.0)


def _weld(reading: MjcfReading, number: int, parent: Body, body: Body) -> None:
    name = reading.free_name(f"{body.name} weld", "joint")
    reading.model.fixed(name, parent, body, frame_a=reading.pose(number), frame_b=Frame())


def _float(reading: MjcfReading, number: int, body: Body) -> None:
    """A force against gravity at the centre of mass."""
    m = reading.m
    lift = -float(m.body_gravcomp[number]) * float(m.body_mass[number]) * np.array(m.opt.gravity)
    if not reading.still(number) and lift.any():
        name = reading.free_name(f"{body.name} gravcomp", "force")
        reading.model.force(name, body, tuple(lift.tolist()), at=m.body_ipos[number])


def _joint(reading: MjcfReading, number: int, a: Body, b: Body, place: Frame) -> None:
    """One joint, from a to b; `place` is the pose of b in a where the joint is at its reference."""
    m, kind = reading.m, int(reading.m.jnt_type[number])
    if kind == FREE:
        joint = _free(reading, number, a, b)
    elif kind == BALL:
        joint = _ball(reading, number, a, b, place)
    else:
        joint = _axial(reading, number, a, b, place)
    reading.joints[number] = joint
    dof = int(m.jnt_dofadr[number])
    told: list[str] = [joint.kind]
    told += [f"{word} {value:g}" for word, value in (("damping", joint.damping), ("armature", joint.armature)) if value]
    if joint.stiffness:
        told.append(f"stiffness {joint.stiffness:g} towards {joint.rest:g}")
    if joint.limits is not None:
        told.append("limits")
    reading.understand("joint", number, ", ".join(told))
    if m.dof_frictionloss[dof] and not (reading.disabled("frictionloss") or reading.disabled("constraint")):
        reading.approximate("joint", number, "friction: MuJoCo lets it creep, it is dry friction here")
    lost_of_joint(reading, number)


def _name(reading: MjcfReading, number: int) -> str:
    body = int(reading.m.jnt_bodyid[number])
    told = reading.compiled.name("body", body) or f"body {body}"
    return reading.new_name("joint", number, "joint", f"{told} joint")


def _common(reading: MjcfReading, number: int) -> dict[str, Any]:
    m, dof = reading.m, int(reading.m.jnt_dofadr[number])
    options: dict[str, Any] = {}
    damping = 0.0 if reading.disabled("damper") else float(m.dof_damping[dof])
    damping += rotors(reading, number)[1]
    if damping:
        options["damping"] = damping
    if m.dof_frictionloss[dof] and not (reading.disabled("frictionloss") or reading.disabled("constraint")):
        options["friction"] = float(m.dof_frictionloss[dof])
    return options


def _free(reading: MjcfReading, number: int, a: Body, b: Body) -> Joint:
    at, dof = int(reading.m.jnt_qposadr[number]), int(reading.m.jnt_dofadr[number])
    q, v = np.array(reading.start.qpos[at : at + 7]), np.array(reading.start.qvel[dof : dof + 6])
    v[3:] = Frame((0, 0, 0), q[3:]).matrix @ v[3:]  # in world axes here
    options = _common(reading, number)
    joint = reading.model.free(
        _name(reading, number), a, b, frame_a=Frame(), frame_b=Frame(), position=q, velocity=_rate(v), **options
    )
    add_bushing(reading, number, joint)
    return joint


def _ball(reading: MjcfReading, number: int, a: Body, b: Body, place: Frame) -> Joint:
    m, at, dof = reading.m, int(reading.m.jnt_qposadr[number]), int(reading.m.jnt_dofadr[number])
    point = Frame(m.jnt_pos[number])
    position = np.array(reading.start.qpos[at : at + 4])
    options = _common(reading, number)
    limits = _limits(reading, number)
    if limits is not None and limits[1] < math.pi:
        cone = Cone(turn=limits[1])
        if cone.excess(position.tolist()):
            reading.approximate("joint", number, f"starts with {cone.excess(position.tolist())}; its range is left out")
        else:
            options["limits"] = cone
    joint = reading.model.ball(
        _name(reading, number),
        a,
        b,
        frame_a=place @ point,
        frame_b=point,
        position=position,
        velocity=_rate(np.array(reading.start.qvel[dof : dof + 3])),
        **options,
    )
    add_bushing(reading, number, joint)
    return joint


def _axial(reading: MjcfReading, number: int, a: Body, b: Body, place: Frame) -> Joint:
    """A hinge or slide. Its coordinate counts as MuJoCo's does, from `ref` on."""
    m, kind = reading.m, int(reading.m.jnt_type[number])
    at, dof = int(m.jnt_qposadr[number]), int(m.jnt_dofadr[number])
    ref = float(m.qpos0[at])
    back = Frame((0, 0, -ref)) if kind == SLIDE else Frame(rotation=(math.cos(ref / 2), 0, 0, -math.sin(ref / 2)))
    frame = Frame.along(m.jnt_axis[number], m.jnt_pos[number])
    options = _common(reading, number)
    if m.jnt_stiffness[number] and not reading.disabled("spring"):
        options |= {"stiffness": float(m.jnt_stiffness[number]), "rest": float(m.qpos_spring[at])}
    armature = float(m.dof_armature[dof]) + rotors(reading, number)[0]
    if armature:
        options["armature"] = armature
    start = float(reading.start.qpos[at])
    limits = _limits(reading, number)
    if limits is not None:
        inside = min(max(start, limits[0]), limits[1])
        if inside != start:
            reading.approximate("joint", number, f"starts at {start:g}, beyond its limits; starts at {inside:g} here")
        options["limits"], start = limits, inside
    verb = getattr(reading.model, VERBS[kind])
    made: Joint = verb(
        _name(reading, number),
        a,
        b,
        frame_a=place @ frame @ back if ref else place @ frame,
        frame_b=frame,
        position=start,
        velocity=_rate(np.array(reading.start.qvel[dof : dof + 1])),
        **options,
    )
    return made


def _rate(v: Any) -> Any:
    """Velocities at the start; zero ones are not given."""
    return v if v.any() else None


def _limits(reading: MjcfReading, number: int) -> tuple[float, float] | None:
    m = reading.m
    if not m.jnt_limited[number] or reading.disabled("limit") or reading.disabled("constraint"):
        return None
    low, high = (float(each) for each in m.jnt_range[number])
    margin = float(m.jnt_margin[number])
    if margin and high - low > 2 * margin:
        reading.approximate("joint", number, f"margin {margin:g}: its limits are nearer by that")
        return low + margin, high - margin
    if not low < high:
        reading.ignore("joint", number, f"its limits {low:g} and {high:g} leave no motion")
        return None
    return low, high
