"""Force elements become tables."""

from __future__ import annotations

from dataclasses import astuple, fields
from typing import Any

import numpy as np

from linkwork.assembly.curve_tables import CurveTable
from linkwork.assembly.law_tables import LawTable
from linkwork.assembly.system import JointPlace
from linkwork.assembly.tables import Forces
from linkwork.errors import ModelError
from linkwork.model import (
    Body,
    Calspan,
    Curve,
    Force,
    Frame,
    Gyroscope,
    Joint,
    Model,
    PythonLaw,
    RoadPiece,
    Spring,
    Torque,
    TorsionSpring,
    Tyre,
)
from linkwork.model.joint_kinds import KINDS
from linkwork.spatial import codes

ROAD_CODES = {
    "level": codes.LEVEL,
    "bump": codes.BUMP,
    "rise": codes.RISE,
    "ramp": codes.RAMP,
    "profile": codes.PROFILE,
    "surface": codes.SURFACE,
}


def coordinate_of(at: JointPlace, k: int, nq: int, nv: int) -> tuple[int, int]:
    """Places of a joint's k-th rate and k-th value among all coordinates; -1 where it has no single value."""
    kind = KINDS[at.kind]
    turns = kind.has_quaternion and kind.units.rate[k] == "rad"
    value = -1 if turns else at.q.start + k
    if at.is_cut:
        return nv + at.v.start + k, -1 if value < 0 else nq + value
    return at.v.start + k, value


def force_tables(
    model: Model,
    place: dict[int, tuple[int, Frame]],
    bodies: list[Body],
    joints: dict[str, JointPlace],
    laws: LawTable,
    nq: int,
    nv: int,
) -> tuple[Forces, dict[str, tuple[str, int]]]:
    """The tables, and in which of them, at which row, every force element is, by name.

    `place` says where bodies went, by identity; `joints` where joints went, by name: only those that hold now.
    """
    springs: list[Any] = []
    coils: list[Any] = []
    drives: list[Any] = []
    loads: list[Any] = []
    tyres: list[Any] = []
    roads: list[list[Any]] = []
    rotors: list[Any] = []
    sides: dict[Calspan, int] = {}
    curves = CurveTable()
    rows: dict[str, tuple[str, int]] = {}
    number = {id(body): k for k, body in enumerate(bodies)}

    def coordinate(joint: Joint, k: int) -> tuple[int, int]:
        return coordinate_of(joints[joint.path], k, nq, nv)

    for joint in model.all_joints():
        at = joints[joint.path]
        if joint.damping or joint.stiffness:
            for k in range(at.v.stop - at.v.start):
                c, value = coordinate(joint, k)
                coils.append((c, value if joint.stiffness else -1, joint.stiffness, joint.damping, joint.rest))
    for force in model.all_forces():
        acts_in = force.target if isinstance(force, Torque) else getattr(force, "joint", None)
        if isinstance(acts_in, Joint) and acts_in.path not in joints:
            continue  # released, or not attached yet
        if isinstance(force, Spring):
            (link_a, pose_a), (link_b, pose_b) = place[id(force.a)], place[id(force.b)]
            points = pose_a.point(force.at_a), pose_b.point(force.at_b)
            (stiffness, elastic), (damping, viscous) = curves.either(force.stiffness), curves.either(force.damping)
            axis = np.zeros(3) if force.axis is None else pose_a.matrix @ force.axis
            law = -1 if force.law is None else one_number(laws, force)
            guided = force.axis is not None
            rows[force.path] = ("spring", len(springs))
            springs.append(
                (link_a, link_b, *points, stiffness, damping, force.length, elastic, viscous, law, guided, axis)
            )
        elif isinstance(force, TorsionSpring):
            c, value = coordinate(force.joint, 0)
            rows[force.path] = ("coil", len(coils))
            coils.append((c, value, force.stiffness, force.damping, force.angle))
        elif isinstance(force, Torque) and isinstance(force.target, Joint):
            row, vector = laws.add(force.law, force)
            if vector:
                raise ModelError(
                    f"torque '{force.path}' in joint '{force.target.path}': its law returns three numbers; "
                    "let it return one, with one torque for each coordinate="
                )
            c, value = coordinate(force.target, force.coordinate)
            if value < 0 and isinstance(force.law, PythonLaw) and force.law.arity == 3:
                raise ModelError(
                    f"torque '{force.path}' in joint '{force.target.path}': its law asks for a position, but turns of "
                    f"a {force.target.kind} joint have not one angle; let it depend on t alone, or act on a body"
                )
            rows[force.path] = ("drive", len(drives))
            drives.append((c, value, row))
        elif isinstance(force, Tyre):
            link, pose = place[id(force.body)]
            side = -1
            if force.side is not None:
                sides[force.side] = side = sides.get(force.side, len(sides))
            roads.append([road_row(piece, force, laws, curves) for piece in force.road.pieces()])
            centre, axis = pose.point(force.at), pose.matrix @ force.axis
            rows[force.path] = ("tyre", len(tyres))
            tyres.append((link, centre, axis, force.radius, force.stiffness, force.damping, side))
        elif isinstance(force, Gyroscope):
            link, pose = place[id(force.body)]
            rows[force.path] = ("rotor", len(rotors))
            rotors.append((link, force.momentum * (pose.matrix @ force.axis)))
        else:
            assert isinstance(force, (Force, Torque))
            body = force.body if isinstance(force, Force) else force.target
            assert isinstance(body, Body)
            link, pose = place[id(body)]
            row, vector = laws.add(force.law, force)
            if vector is False and force.axis is None:
                raise ModelError(
                    f"{force.word} '{force.path}' on body '{body.path}': its law returns one number without a "
                    "direction; give axis=(x, y, z), or let the law return three numbers"
                )
            if vector and force.axis is not None:
                raise ModelError(
                    f"{force.word} '{force.path}' on body '{body.path}': its law returns three numbers and has an axis "
                    "besides; remove axis=, or let the law return one number"
                )
            in_body = force.frame == "body"
            axis = np.zeros(3) if force.axis is None else np.array(force.axis, dtype=float)
            point = pose.point(force.at) if isinstance(force, Force) else pose.position
            rows[force.path] = ("load", len(loads))
            loads.append((number.get(id(body), -1), link, point, axis, isinstance(force, Torque), in_body, vector, row))

    def column(rows: list[Any], k: int, kind: type = float) -> Any:
        return np.array([row[k] for row in rows], dtype=np.int64 if kind is int else float)

    pieces = [piece for road in roads for piece in road]

    def points_of(rows: list[Any], k: int) -> Any:
        return np.array([row[k] for row in rows], dtype=float).reshape(-1, 3)

    forces = Forces(
        spring_a=column(springs, 0, int),
        spring_b=column(springs, 1, int),
        spring_pa=points_of(springs, 2),
        spring_pb=points_of(springs, 3),
        spring_k=column(springs, 4),
        spring_c=column(springs, 5),
        spring_length=column(springs, 6),
        spring_elastic=column(springs, 7, int),
        spring_viscous=column(springs, 8, int),
        spring_law=column(springs, 9, int),
        spring_guided=column(springs, 10, int),
        spring_axis=points_of(springs, 11),
        coil_coordinate=column(coils, 0, int),
        coil_q=column(coils, 1, int),
        coil_k=column(coils, 2),
        coil_c=column(coils, 3),
        coil_rest=column(coils, 4),
        drive_coordinate=column(drives, 0, int),
        drive_q=column(drives, 1, int),
        drive_law=column(drives, 2, int),
        load_body=column(loads, 0, int),
        load_link=column(loads, 1, int),
        load_point=points_of(loads, 2),
        load_axis=points_of(loads, 3),
        load_is_torque=column(loads, 4, int),
        load_in_body=column(loads, 5, int),
        load_is_vector=column(loads, 6, int),
        load_law=column(loads, 7, int),
        tyre_link=column(tyres, 0, int),
        tyre_point=points_of(tyres, 1),
        tyre_axis=points_of(tyres, 2),
        tyre_radius=column(tyres, 3),
        tyre_k=column(tyres, 4),
        tyre_c=column(tyres, 5),
        tyre_side=column(tyres, 6, int),
        tyre_road=np.concatenate([[0], np.cumsum([len(road) for road in roads])]).astype(np.int64),
        side=np.array([astuple(law) for law in sides], dtype=float).reshape(-1, len(fields(Calspan))),
        road_kind=column(pieces, 0, int),
        road_from=column(pieces, 1),
        road_length=column(pieces, 2),
        road_height=column(pieces, 3),
        road_content=column(pieces, 4, int),
        rotor_link=column(rotors, 0, int),
        rotor_momentum=points_of(rotors, 1),
        **curves.columns(),
    )
    return forces, rows


def one_number(laws: LawTable, spring: Spring) -> int:
    """Row of the law of a spring, which must give one number."""
    assert spring.law is not None
    row, vector = laws.add(spring.law, spring)
    if vector:
        raise ModelError(f"spring '{spring.path}': its law returns three numbers; let it return one, the pull in N")
    return row


def road_row(piece: RoadPiece, tyre: Tyre, laws: LawTable, curves: CurveTable) -> tuple[int, float, float, float, int]:
    """One piece of a road as numbers: kind, from, length, height, law or curve."""
    content, length = -1, piece.length
    if isinstance(piece.content, Curve):
        content = curves.add(piece.content)
    elif piece.content is not None:
        surface = piece.kind == "surface"
        content, slopes = laws.add(piece.content, tyre, motion=not surface)
        length = float(slopes) if surface else length
    return ROAD_CODES[piece.kind], piece.at, length, piece.height, content
