"""Joints that close loops become tables: their frames, their rows, their coordinates, the dofs that move them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from linkwork.assembly.elements.coupling_tables import NO_COUPLINGS, Coupled, with_couplings
from linkwork.assembly.elements.guide_tables import GuideTable
from linkwork.assembly.kinds import MEASURE_CODES, ROW_CODES, coordinates
from linkwork.assembly.reference import Reference
from linkwork.assembly.system import JointPlace
from linkwork.assembly.tables import Cuts, Tree
from linkwork.errors import ModelError
from linkwork.model import Distance, Frame, Joint, Rolling, RollingPair, Slot, SurfaceJoint
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.spatial import codes


def cut_tables(
    joints: Iterable[Joint],
    reference: Reference,
    place: Mapping[int, tuple[int, Frame]],
    tree: Tree,
    coupled: Sequence[Coupled] = (),
) -> tuple[Cuts, list[JointPlace], dict[str, Any]]:
    """The tables of these joints and couplings, where each joint is, and start values; `place`: where bodies went."""
    table = _CutTable(reference, place, tree)
    table.driven = {id(each.terms[0].joint) for each in coupled if isinstance(each.terms[0].joint, Distance)}
    for joint in joints:
        table.add(joint)
    measured = {id(joint.joint): joint.last for joint in table.places}
    for joint in (term.joint for each in coupled for term in each.terms):
        if id(joint) not in measured:
            measured[id(joint)] = len(table.ends["a"])
            table.add(joint, in_tree=True)
    start = table.start_values([each.offset for each in coupled])
    return with_couplings(table.cuts(), coupled, measured, tree), table.places, start


def pitch_per_radian(joint: Joint | None) -> float:
    """Metres per radian of a screw."""
    return 0.0 if joint is None else joint.pitch / (2.0 * math.pi)


class _CutTable:
    def __init__(self, reference: Reference, place: Mapping[int, tuple[int, Frame]], tree: Tree) -> None:
        self.reference, self.place, self.tree = reference, place, tree
        self.places: list[JointPlace] = []
        self.ends: dict[str, list[Any]] = {name: [] for name in ("a", "b", "Ra", "pa", "Rb", "pb")}
        self.rows: list[tuple[int, int, int, float]] = []
        self.measures: list[tuple[int, int, int, int]] = []
        self.path: list[tuple[int, float]] = []
        self.guides = GuideTable()
        self.driven: set[int] = set()  # rods whose length a motor gives
        self.starts: dict[str, list[int]] = {name: [0] for name in ("row", "measure", "path")}
        self.start: dict[str, list[Any]] = {name: [] for name in ("q", "q_given", "v", "v_given")}

    def add(self, joint: Joint, in_tree: bool = False) -> None:
        """One joint more; one of the tree only for its coordinate."""
        kind, (frame_a, frame_b) = KINDS[joint.kind], self.reference.frames(joint)
        (link_a, pose_a), (link_b, pose_b) = self.place[id(joint.a)], self.place[id(joint.b)]
        at_b = pose_b @ frame_b
        q0, v0 = len(self.start["q"]), len(self.start["v"])
        self._add_ends(link_a, pose_a @ frame_a, link_b, at_b)
        if id(joint) in self.driven:
            self.measures.append((codes.LENGTH, 0, q0, v0))
            for name, value in (("q", self._length(joint)), ("q_given", False), ("v", 0.0), ("v_given", False)):
                self.start[name].append(value)
        elif not in_tree:
            self._add_rows(joint)
        self._add_measures(joint, q0, v0)
        self._add_start(joint, frame_a, frame_b, in_tree)
        self.path += _path(self.tree, link_a, link_b)
        if not in_tree:
            self.places.append(
                JointPlace(
                    joint,
                    joint.path,
                    joint.kind,
                    True,
                    slice(q0, q0 + kind.nq),
                    slice(v0, v0 + kind.nv),
                    (),
                    len(self.places),
                    False,
                    (at_b.matrix, at_b.position),
                    link_b,
                )
            )
        for name, items in (("row", self.rows), ("measure", self.measures), ("path", self.path)):
            self.starts[name].append(len(items))

    def _length(self, joint: Joint) -> float:
        assert isinstance(joint, Distance)
        return rod_length(joint, self.reference)

    def _add_ends(self, link_a: int, at_a: Frame, link_b: int, at_b: Frame) -> None:
        self.ends["a"].append(link_a)
        self.ends["b"].append(link_b)
        for side, pose in (("a", at_a), ("b", at_b)):
            self.ends["R" + side].append(pose.matrix.ravel())
            self.ends["p" + side].append(pose.position)

    def _add_rows(self, joint: Joint) -> None:
        if isinstance(joint, Slot | SurfaceJoint):
            guide, size = self.guides.add(joint, len(self.start["q"]))
            self.rows += [(ROW_CODES[row.word], row.i, guide, size) for row in KINDS[joint.kind].rows]
            return
        size = row_size(joint, self.reference)
        self.rows += [(ROW_CODES[row.word], row.i, row.j, size) for row in KINDS[joint.kind].rows]

    def _add_measures(self, joint: Joint, q: int, v: int) -> None:
        for m in KINDS[joint.kind].measures:
            axis = self.guides.last_curve if m.word == "arc length" else m.axis
            self.measures.append((MEASURE_CODES[m.word], axis, q, v))
            q, v = q + m.nq, v + m.nv

    def _add_start(self, joint: Joint, frame_a: Frame, frame_b: Frame, in_tree: bool) -> None:
        """Start values: the user's, else those of the reference configuration; those of a joint `in_tree` follow it."""
        a, b = self.reference.of(joint.a) @ frame_a, self.reference.of(joint.b) @ frame_b
        there = start_position(joint, a.inverse() @ b)
        self.start["q"].extend(there if joint.position is None else joint.position)
        self.start["q_given"].extend([joint.position is not None and not in_tree] * joint.nv)
        self.start["v"].extend([0.0] * joint.nv if joint.velocity is None else joint.velocity)
        self.start["v_given"].extend([joint.velocity is not None and not in_tree] * joint.nv)

    def cuts(self) -> Cuts:
        """The tables, without couplings."""
        return Cuts(
            cut_a=np.array(self.ends["a"], dtype=np.int64),
            cut_b=np.array(self.ends["b"], dtype=np.int64),
            cut_Ra=np.array(self.ends["Ra"], dtype=float).reshape(-1, 9),
            cut_pa=np.array(self.ends["pa"], dtype=float).reshape(-1, 3),
            cut_Rb=np.array(self.ends["Rb"], dtype=float).reshape(-1, 9),
            cut_pb=np.array(self.ends["pb"], dtype=float).reshape(-1, 3),
            cut_row=np.array(self.starts["row"], dtype=np.int64),
            cut_measure=np.array(self.starts["measure"], dtype=np.int64),
            row_kind=_column(self.rows, 0, int),
            row_i=_column(self.rows, 1, int),
            row_j=_column(self.rows, 2, int),
            row_pitch=_column(self.rows, 3),
            measure_kind=_column(self.measures, 0, int),
            measure_axis=_column(self.measures, 1, int),
            measure_q=_column(self.measures, 2, int),
            measure_rate=_column(self.measures, 3, int),
            path_start=np.array(self.starts["path"], dtype=np.int64),
            path_dof=_column(self.path, 0, int),
            path_sign=_column(self.path, 1),
            guides=self.guides.tables(),
            **NO_COUPLINGS,
        )

    def start_values(self, offsets: list[float]) -> dict[str, Any]:
        """The start values of `System`; the `offsets` of couplings come after those of cuts."""
        return {
            "cut_start": np.array(self.start["q"] + offsets, dtype=float),
            "cut_q_given": np.array(self.start["q_given"], dtype=bool),
            "cut_v_start": np.array(self.start["v"], dtype=float),
            "cut_v_given": np.array(self.start["v_given"], dtype=bool),
        }


def start_position(joint: Joint, relative: Frame) -> Any:
    """Coordinates of a joint whose frame b stands at `relative` in its frame a."""
    if isinstance(joint, Slot):
        return [joint.curve.nearest(relative.position)]
    return coordinates(joint.kind, relative, pitch_per_radian(joint))


def row_size(joint: Joint, reference: Reference) -> float:
    """`row_pitch` of the rows of a joint."""
    match joint:
        case Distance():
            return rod_length(joint, reference)
        case Rolling():
            return joint.radius
        case RollingPair():
            return joint.share
    return pitch_per_radian(joint)


def rod_length(rod: Distance, reference: Reference) -> float:
    """Metres; where the user gave none, the distance in the reference configuration."""
    if rod.length is not None:
        return rod.length
    a, b = reference.frames(rod)
    ends = reference.of(rod.a).point(a.position), reference.of(rod.b).point(b.position)
    length = float(np.linalg.norm(ends[1] - ends[0]))
    if length < 1e-9:
        raise ModelError(
            f"distance joint '{rod.path}': its ends on '{rod.a.path}' and '{rod.b.path}' are at one place; "
            "give length=, correct at_a= and at_b=, or use ball()"
        )
    return length


def _column(rows: Iterable[tuple[Any, ...]], k: int, kind: type = float) -> Any:
    return np.array([row[k] for row in rows], dtype=np.int64 if kind is int else float)


def _path(tree: Tree, a: int, b: int) -> list[tuple[int, float]]:
    """Dofs between the two links: +1 on the way to b, -1 on the way to a; what both share cancels."""

    def way(link: int) -> list[int]:
        links = []
        while link >= tree.grounds:
            links.append(link)
            link = int(tree.link_parent[link])
        return links

    to_a, to_b = way(a), way(b)
    shared = set(to_a) & set(to_b)
    path = []
    for links, sign in ((to_b, 1.0), (to_a, -1.0)):
        wanted = {link for link in links if link not in shared}
        path += [(k, sign) for k, link in enumerate(tree.dof_link) if int(link) in wanted]
    return sorted(path)
