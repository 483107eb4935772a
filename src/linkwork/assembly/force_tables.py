"""Force elements become tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.assembly.law_tables import LawTable
from linkwork.assembly.system import JointPlace
from linkwork.assembly.tables import Forces
from linkwork.errors import ModelError
from linkwork.model import Body, Force, Frame, Joint, Model, PythonLaw, Spring, Torque, TorsionSpring


def force_tables(
    model: Model,
    place: dict[int, tuple[int, Frame]],
    bodies: list[Body],
    joints: dict[str, JointPlace],
    laws: LawTable,
    nq: int,
    nv: int,
) -> Forces:
    """`place` says where bodies went, by identity; `joints` where joints went, by name: only those that hold now."""
    springs: list[Any] = []
    coils: list[Any] = []
    drives: list[Any] = []
    loads: list[Any] = []
    number = {id(body): k for k, body in enumerate(bodies)}

    def coordinate(joint: Joint, k: int) -> tuple[int, int]:
        """Places of the joint's k-th rate and k-th value among all coordinates; -1 where it has no single value."""
        at = joints[joint.path]
        turns = joint.kind == "ball" or (joint.kind == "free" and k > 2)
        value = -1 if turns else at.q.start + k
        if at.is_cut:
            return nv + at.v.start + k, -1 if value < 0 else nq + value
        return at.v.start + k, value

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
            springs.append((link_a, link_b, *points, force.stiffness, force.damping, force.length))
        elif isinstance(force, TorsionSpring):
            c, value = coordinate(force.joint, 0)
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
            drives.append((c, value, row))
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
            loads.append((number.get(id(body), -1), link, point, axis, isinstance(force, Torque), in_body, vector, row))

    def column(rows: list[Any], k: int, kind: type = float) -> Any:
        return np.array([row[k] for row in rows], dtype=np.int64 if kind is int else float)

    def points_of(rows: list[Any], k: int) -> Any:
        return np.array([row[k] for row in rows], dtype=float).reshape(-1, 3)

    return Forces(
        spring_a=column(springs, 0, int),
        spring_b=column(springs, 1, int),
        spring_pa=points_of(springs, 2),
        spring_pb=points_of(springs, 3),
        spring_k=column(springs, 4),
        spring_c=column(springs, 5),
        spring_length=column(springs, 6),
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
    )
