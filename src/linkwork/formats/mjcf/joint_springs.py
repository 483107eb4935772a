"""What MJCF says of a joint beside its axis: springs of balls, rotors of balls, and what has no counterpart."""

from __future__ import annotations

import numpy as np

from linkwork.formats.mjcf.context import MjcfReading
from linkwork.model import Frame, Joint

FREE, BALL = 0, 1  # MuJoCo's codes of joints


def rotor_of_ball(reading: MjcfReading, body: int) -> float:
    """Armature of a ball joint in a body that does not move: there it is inertia of the body, alike about all axes."""
    m = reading.m
    if m.body_jntnum[body] != 1 or not reading.still(int(m.body_parentid[body])) or m.body_mass[body] <= 0.0:
        return 0.0
    joint = int(m.body_jntadr[body])
    return float(m.dof_armature[m.jnt_dofadr[joint]]) if m.jnt_type[joint] == BALL else 0.0


def add_bushing(reading: MjcfReading, number: int, joint: Joint) -> None:
    """The spring of a ball or free joint: towards one attitude, and of a free one to one place."""
    m, stiffness = reading.m, float(reading.m.jnt_stiffness[number])
    if not stiffness or reading.disabled("spring"):
        return
    at = int(m.jnt_qposadr[number])
    assert joint.frame_a is not None
    assert joint.frame_b is not None
    if m.jnt_type[number] == FREE:
        there, shift = Frame(m.qpos_spring[at : at + 3], m.qpos_spring[at + 3 : at + 7]), stiffness
    else:
        there, shift = Frame((0, 0, 0), m.qpos_spring[at : at + 4]), 0.0
    reading.model.bushing(
        reading.free_name(f"{joint.name} spring", "bushing"),
        joint.a,
        joint.b,
        frame_a=joint.frame_a @ there,
        frame_b=joint.frame_b,
        stiffness=np.array([shift] * 3 + [stiffness] * 3),
    )


def lost_of_joint(reading: MjcfReading, number: int) -> None:
    """Tell what of a joint is not in the model."""
    m, dof, kind = reading.m, int(reading.m.jnt_dofadr[number]), int(reading.m.jnt_type[number])
    body = int(m.jnt_bodyid[number])
    if np.any(m.jnt_stiffnesspoly[number]) or np.any(m.dof_dampingpoly[dof]):
        reading.ignore("joint", number, "a stiffness or damping that grows with the deflection has no counterpart")
    if m.jnt_springyield[number]:
        reading.ignore("joint", number, "springyield: springs that yield have no counterpart")
    if kind in (FREE, BALL) and m.dof_armature[dof] and not (kind == BALL and rotor_of_ball(reading, body)):
        where = "of a free joint" if kind == FREE else "of a ball joint on a body that moves"
        reading.ignore("joint", number, f"armature {where} has no counterpart")
