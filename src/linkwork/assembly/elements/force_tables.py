"""Force elements become tables: for each kind of element one function that makes its row.

A row is a dictionary whose keys are the columns of `Forces` without the name of the table: the row of a gyroscope has
`link` and `momentum`, which become `rotor_link` and `rotor_momentum`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple, dataclass, field, fields
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias, get_type_hints

import numpy as np

from linkwork.assembly.elements.bushing_tables import bushing_row
from linkwork.assembly.elements.curve_tables import CurveTable
from linkwork.assembly.laws.law_tables import LawTable
from linkwork.assembly.laws.signals import Sight
from linkwork.assembly.reference import Reference
from linkwork.assembly.system import JointPlace
from linkwork.assembly.tables import Forces, Ints
from linkwork.errors import ModelError
from linkwork.model import (
    Body,
    Bushing,
    Calspan,
    Curve,
    Force,
    ForceElement,
    Frame,
    Joint,
    Model,
    Motor,
    PythonLaw,
    RoadPiece,
    Spring,
    Torque,
    TorsionSpring,
    Tyre,
)
from linkwork.model.forces.tyre import Gyroscope
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.model.laws.states import StateRate
from linkwork.spatial import codes

Row: TypeAlias = dict[str, Any]

ROAD_CODES = {
    "level": codes.LEVEL,
    "bump": codes.BUMP,
    "rise": codes.RISE,
    "ramp": codes.RAMP,
    "profile": codes.PROFILE,
    "surface": codes.SURFACE,
}


class ForceTable(NamedTuple):
    """What makes the elements of a table act: all zero, and -1 for every choice, and an element does nothing."""

    strength: tuple[str, ...] = ()  # columns of numbers
    choices: tuple[str, ...] = ()  # columns of curves and laws


TABLES = {
    "spring": ForceTable(("spring_k", "spring_c"), ("spring_elastic", "spring_viscous", "spring_law")),
    "coil": ForceTable(("coil_k", "coil_c")),
    "drive": ForceTable(),  # a law in a joint coordinate
    "load": ForceTable(),  # a law on a body
    "tyre": ForceTable(("tyre_k", "tyre_c"), ("tyre_side",)),
    "rotor": ForceTable(("rotor_momentum",)),
    "bushing": ForceTable(("bushing_k", "bushing_c")),
}
VECTORS = (  # columns with three numbers in a row
    *("spring_pa", "spring_pb", "spring_axis", "load_point", "load_axis", "tyre_point", "tyre_axis", "rotor_momentum"),
    *("bushing_pa", "bushing_pb"),
)
SHAPES: dict[str, tuple[int, ...]] = {  # of a row, in columns with several numbers
    **dict.fromkeys(VECTORS, (3,)),
    "bushing_Ra": (9,),
    "bushing_Rb": (9,),
    "bushing_basis": (6, 6),
    "bushing_k": (6,),
    "bushing_c": (6,),
}
OFFSETS = frozenset(("tyre_road",))  # columns with one number more than there are rows


@dataclass(frozen=True)
class Assembled:
    """What is known when the forces are assembled, and what their rows share: laws, curves, side laws, roads."""

    reference: Reference
    place: Mapping[int, tuple[int, Frame]]  # link and pose in it of bodies and grounds, by identity
    number: Mapping[int, int]  # of bodies, by identity
    joints: Mapping[str, JointPlace]  # those that hold now
    laws: LawTable
    nq: int
    nv: int
    curves: CurveTable = field(default_factory=CurveTable)
    sides: dict[Calspan, int] = field(default_factory=dict)
    roads: list[list[Row]] = field(default_factory=list)  # the pieces of the road of every tyre

    def coordinate(self, joint: Joint, k: int) -> tuple[int, int]:
        """Places of a joint's k-th rate and value, as `coordinate_of` says."""
        return coordinate_of(self.joints[joint.path], k, self.nq, self.nv)


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
    reference: Reference,
    place: dict[int, tuple[int, Frame]],
    bodies: list[Body],
    joints: dict[str, JointPlace],
    laws: LawTable,
    nq: int,
    nv: int,
    driven: bool,
) -> tuple[Forces, dict[str, tuple[str, int]]]:
    """The tables, and in which of them, at which row, every force element is, by name.

    `place` says where bodies went, by identity; `joints` where joints went, by name: only those that hold now. With
    `driven` motors that give way by a spring and damper are torques in their joints.
    """
    known = Assembled(reference, place, {id(body): k for k, body in enumerate(bodies)}, joints, laws, nq, nv)
    laws.sight = Sight(known.coordinate, lambda body: known.number[id(body)])
    tables: dict[str, list[Row]] = {table: [] for table in TABLES}
    found: dict[str, tuple[str, int]] = {}
    for joint in model.all_joints():
        tables["coil"] += joint_rows(joint, known)
    for force in model.all_forces():
        if force.in_joint is not None and force.in_joint.path not in joints:
            continue  # released, or not attached yet
        table, row = ROWS[type(force)](force, known)
        found[force.path] = (table, len(tables[table]))
        tables[table].append(row)
    for motor in model.all_drives() if driven else ():
        if isinstance(motor, Motor) and motor.servo and motor.joint.path in joints:
            coordinate, value = known.coordinate(motor.joint, motor.coordinate)
            found[motor.path] = ("drive", len(tables["drive"]))
            tables["drive"].append({"coordinate": coordinate, "q": value, "law": laws.servo(motor)})
    pieces = [piece for road in known.roads for piece in road]
    columns = {name: values for table, rows in tables.items() for name, values in _columns(table, rows).items()}
    forces = Forces(
        **columns,
        **_columns("road", pieces),
        tyre_road=np.concatenate([[0], np.cumsum([len(road) for road in known.roads])]).astype(np.int64),
        side=np.array([astuple(law) for law in known.sides], dtype=float).reshape(-1, len(fields(Calspan))),
        **known.curves.columns(),
    )
    return forces, found


def _columns(table: str, rows: Sequence[Row]) -> dict[str, Any]:
    """The columns of one table of `Forces` from its rows."""
    found = {}
    for name, dtype in _dtypes(table).items():
        word = name.removeprefix(f"{table}_")
        values = np.array([row[word] for row in rows], dtype=dtype)
        found[name] = values.reshape(-1, *SHAPES[name]) if name in SHAPES else values
    return found


@lru_cache
def _dtypes(table: str) -> dict[str, type[np.int64] | type[float]]:
    """The columns of one table of `Forces` and what their numbers are; to find out takes a millisecond."""
    names = [name for name in Forces._fields if name.startswith(f"{table}_") and name not in OFFSETS]
    kinds = get_type_hints(Forces)
    return {name: np.int64 if kinds[name] == Ints else float for name in names}


# --- the row of each kind of element


def joint_rows(joint: Joint, known: Assembled) -> list[Row]:
    """The damping and stiffness that a joint has by itself: a coil for each coordinate."""
    if not (joint.damping or joint.stiffness):
        return []
    places = [known.coordinate(joint, k) for k in range(joint.nv)]
    amounts = {"k": joint.stiffness, "c": joint.damping, "rest": joint.rest}
    return [{"coordinate": c, "q": value if joint.stiffness else -1, **amounts} for c, value in places]


def spring_row(spring: Spring, known: Assembled) -> tuple[str, Row]:
    (link_a, pose_a), (link_b, pose_b) = known.place[id(spring.a)], known.place[id(spring.b)]
    (stiffness, elastic), (damping, viscous) = (
        known.curves.either(spring.stiffness),
        known.curves.either(spring.damping),
    )
    return "spring", {
        "a": link_a,
        "b": link_b,
        "pa": pose_a.point(spring.at_a),
        "pb": pose_b.point(spring.at_b),
        "k": stiffness,
        "c": damping,
        "length": spring.length,
        "elastic": elastic,
        "viscous": viscous,
        "law": -1 if spring.law is None else one_number(known.laws, spring),
        "guided": spring.axis is not None,
        "axis": np.zeros(3) if spring.axis is None else pose_a.matrix @ spring.axis,
    }


def coil_row(spring: TorsionSpring, known: Assembled) -> tuple[str, Row]:
    c, value = known.coordinate(spring.joint, 0)
    return "coil", {"coordinate": c, "q": value, "k": spring.stiffness, "c": spring.damping, "rest": spring.angle}


def torque_row(torque: Torque, known: Assembled) -> tuple[str, Row]:
    """A drive where it acts in a joint, a load where it acts on a body."""
    joint = torque.target
    if not isinstance(joint, Joint):
        return load_row(torque, known)
    row, vector = known.laws.add(torque.law, torque)
    if vector:
        raise ModelError(
            f"torque '{torque.path}' in joint '{joint.path}': its law returns three numbers; "
            "let it return one, with one torque for each coordinate="
        )
    c, value = known.coordinate(joint, torque.coordinate)
    if value < 0 and isinstance(torque.law, PythonLaw) and torque.law.arity == 3:
        raise ModelError(
            f"torque '{torque.path}' in joint '{joint.path}': its law asks for a position, but turns of "
            f"a {joint.kind} joint have not one angle; let it depend on t alone, or act on a body"
        )
    return "drive", {"coordinate": c, "q": value, "law": row}


def state_row(state: StateRate, known: Assembled) -> tuple[str, Row]:
    """The rate of a state of a law, on its slide."""
    owner, root = state.owner, state.owner
    while root.owner is not None:
        root = root.owner
    gravity = float(root.gravity @ owner.world.matrix[:, 0]) if isinstance(root, Model) else 0.0
    c, value = known.coordinate(state.joint, 0)
    return "drive", {"coordinate": c, "q": value, "law": known.laws.rate(state, gravity)}


def load_row(force: Force | Torque, known: Assembled) -> tuple[str, Row]:
    """A force or torque on a body."""
    body = force.body if isinstance(force, Force) else force.target
    assert isinstance(body, Body)
    link, pose = known.place[id(body)]
    row, vector = known.laws.add(force.law, force)
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
    return "load", {
        "body": known.number.get(id(body), -1),
        "link": link,
        "point": pose.point(force.at) if isinstance(force, Force) else pose.position,
        "axis": np.zeros(3) if force.axis is None else np.array(force.axis, dtype=float),
        "is_torque": isinstance(force, Torque),
        "in_body": force.frame == "body",
        "is_vector": vector,
        "law": row,
    }


def tyre_row(tyre: Tyre, known: Assembled) -> tuple[str, Row]:
    link, pose = known.place[id(tyre.body)]
    known.roads.append([road_row(piece, tyre, known.laws, known.curves) for piece in tyre.road.pieces()])
    return "tyre", {
        "link": link,
        "point": pose.point(tyre.at),
        "axis": pose.matrix @ tyre.axis,
        "radius": tyre.radius,
        "k": tyre.stiffness,
        "c": tyre.damping,
        "side": -1 if tyre.side is None else known.sides.setdefault(tyre.side, len(known.sides)),
    }


def rotor_row(gyroscope: Gyroscope, known: Assembled) -> tuple[str, Row]:
    link, pose = known.place[id(gyroscope.body)]
    return "rotor", {"link": link, "momentum": gyroscope.momentum * (pose.matrix @ gyroscope.axis)}


ROWS: dict[type[ForceElement], Callable[[Any, Assembled], tuple[str, Row]]] = {
    Spring: spring_row,
    TorsionSpring: coil_row,
    Torque: torque_row,
    Force: load_row,
    Tyre: tyre_row,
    Gyroscope: rotor_row,
    Bushing: bushing_row,
    StateRate: state_row,
}


def one_number(laws: LawTable, spring: Spring) -> int:
    """Row of the law of a spring, which must give one number."""
    assert spring.law is not None
    row, vector = laws.add(spring.law, spring)
    if vector:
        raise ModelError(f"spring '{spring.path}': its law returns three numbers; let it return one, the pull in N")
    return row


def road_row(piece: RoadPiece, tyre: Tyre, laws: LawTable, curves: CurveTable) -> Row:
    """One piece of a road as numbers."""
    content, length = -1, piece.length
    if isinstance(piece.content, Curve):
        content = curves.add(piece.content)
    elif piece.content is not None:
        surface = piece.kind == "surface"
        content, slopes = laws.add(piece.content, tyre, motion=not surface)
        length = float(slopes) if surface else length
    return {
        "kind": ROAD_CODES[piece.kind],
        "from": piece.at,
        "length": length,
        "height": piece.height,
        "content": content,
    }
