"""Limits, dry friction and motors become tables."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from linkwork.assembly.elements.force_tables import coordinate_of
from linkwork.assembly.laws.law_tables import LawTable
from linkwork.assembly.reference import Reference
from linkwork.assembly.system import JointPlace
from linkwork.assembly.tables import Drives
from linkwork.errors import ModelError
from linkwork.model import Cone, Frame, Joint, Model, Motor, Soft
from linkwork.spatial import codes


def drive_tables(
    model: Model,
    reference: Reference,
    place: Mapping[int, tuple[int, Frame]],
    joints: dict[str, JointPlace],
    laws: LawTable,
    nq: int,
    nv: int,
    driven: bool,
) -> Drives:
    """`place` says where bodies went, `joints` where joints went, by name.

    With `driven` motors that hold rigidly are couplings instead.
    """
    limits: list[Any] = []
    frictions: list[Any] = []
    motors: list[Any] = []

    def coordinate(joint: Joint, k: int = 0) -> tuple[int, int]:
        return coordinate_of(joints[joint.path], k, nq, nv)

    for joint in model.all_joints():
        for k, (low, high) in enumerate(joint.coordinate_limits):
            if low > -math.inf or high < math.inf:
                limits.append((*coordinate(joint, k), low, high, softness_row(joint.limit_softness)))
        if joint.friction and joint.kind != "ball":
            frictions.extend((coordinate(joint, k)[0], joint.friction) for k in range(joint.nv))
    motor_of: dict[tuple[int, int], Motor] = {}
    for drive in model.all_drives():
        if not isinstance(drive, Motor) or drive.joint.path not in joints:
            continue  # a joint that was released takes its drives along
        other = motor_of.setdefault((id(drive.joint), drive.coordinate), drive)
        if other is not drive:
            raise ModelError(
                f"motors '{other.path}' and '{drive.path}' both drive joint '{drive.joint.path}'; remove one of them"
            )
        if drive.drives_rod or (driven and (drive.rigid or drive.servo)):
            continue  # it is a coupling, or a torque
        law = drive.velocity if drive.position is None else drive.position
        assert law is not None
        row, vector = laws.add(law, drive)
        if vector and laws.kind[row] != codes.FUNCTION:  # a function may give its rates too
            raise ModelError(f"motor '{drive.path}': its law has three numbers; give it one")
        servo = drive.position is not None
        motors.append(
            (*coordinate(drive.joint, drive.coordinate), row, servo, drive.max_torque, softness_row(drive.softness))
        )

    def column(rows: list[Any], k: int, kind: type = float, width: int = 0) -> Any:
        values = np.array([row[k] for row in rows], dtype=np.int64 if kind is int else float)
        return values.reshape(-1, width) if width else values

    return Drives(
        limit_coordinate=column(limits, 0, int),
        limit_q=column(limits, 1, int),
        limit_low=column(limits, 2),
        limit_high=column(limits, 3),
        limit_soft=column(limits, 4, width=3),
        friction_coordinate=column(frictions, 0, int),
        friction_most=column(frictions, 1),
        motor_coordinate=column(motors, 0, int),
        motor_q=column(motors, 1, int),
        motor_law=column(motors, 2, int),
        motor_servo=column(motors, 3, int),
        motor_most=column(motors, 4),
        motor_soft=column(motors, 5, width=3),
        **ball_tables(model, reference, place, joints),
    )


def ball_tables(
    model: Model, reference: Reference, place: Mapping[int, tuple[int, Frame]], joints: Mapping[str, JointPlace]
) -> dict[str, Any]:
    """Cones of ball and universal joints, and the dry friction of ball joints."""
    cones = [joint for joint in model.all_joints() if isinstance(joint.limits, Cone)]
    ball_frictions = [joint for joint in model.all_joints() if joint.kind == "ball" and joint.friction]
    bounds = [joint.limits for joint in cones if isinstance(joint.limits, Cone)]
    ends: dict[str, list[Any]] = {"Ra": [], "Rb": []}
    moves = []
    for joint in cones:
        for end, body, frame in zip(ends, (joint.a, joint.b), reference.frames(joint), strict=True):
            ends[end].append((place[id(body)][1] @ frame).matrix.ravel())
        in_tree = codes.BY_TURN if joint.kind == "ball" else codes.BY_ANGLES
        moves.append(codes.BY_BODIES if joints[joint.path].is_cut else in_tree)

    def links(of: list[Joint], end: str) -> Any:
        return np.array([place[id(getattr(joint, end))][0] for joint in of], dtype=np.int64)

    return {
        "cone_a": links(cones, "a"),
        "cone_b": links(cones, "b"),
        "cone_Ra": np.array(ends["Ra"], dtype=float).reshape(-1, 9),
        "cone_Rb": np.array(ends["Rb"], dtype=float).reshape(-1, 9),
        "cone_moves": np.array(moves, dtype=np.int64),
        "cone_swing": np.array([cone.swing for cone in bounds], dtype=float),
        "cone_low": np.array([cone.twist[0] for cone in bounds], dtype=float),
        "cone_high": np.array([cone.twist[1] for cone in bounds], dtype=float),
        "cone_turn": np.array([cone.turn for cone in bounds], dtype=float),
        "cone_soft": np.array([softness_row(joint.limit_softness) for joint in cones], dtype=float).reshape(-1, 3),
        "ball_friction_a": links(ball_frictions, "a"),
        "ball_friction_b": links(ball_frictions, "b"),
        "ball_friction_most": np.array([joint.friction for joint in ball_frictions], dtype=float),
    }


def softness_row(softness: Soft | None) -> list[float]:
    """Kind and two numbers, as the tables have them."""
    if softness is None:
        return [codes.RIGID, 0.0, 0.0]
    if softness.bedding is not None:
        return [codes.BEDDED, softness.bedding, softness.damping_ratio or 0.0]
    if softness.hertz is not None and softness.damping_ratio is not None:
        return [codes.SWINGING, softness.hertz, softness.damping_ratio]
    return [codes.SPRING, softness.stiffness or 0.0, softness.damping or 0.0]
