"""What bodies share through their joints: points, directions, whole orientations, everything.

Natural coordinates (CD03, after García de Jalón) are points and unit vectors that belong to several bodies at once, so
that the joint between them needs no equation. Here it is found out who shares what, from the rows of the joints:

    d·x, d·y, d·z          one point                 x·z', y·z'          one direction
    x·z', y·z', y·x'       one orientation: links of a *fleet* turn together (sliders and their guides)
    all six                links of a *raft* are one rigid body

A raft has its own axes (those of its fleet) and its own origin. Where sharing would contradict itself (a body with two
places for one point, two grounds for one direction) the joint keeps its rows instead.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

import numpy as np

from linkwork.assembly.tables import Cuts, Floats, Tree
from linkwork.spatial import codes

SAME = 1e-9  # m, or of a unit vector: two places this close are one


class Words(NamedTuple):
    """What the rows of one joint say."""

    point: bool
    axis: bool  # z of both frames is one direction
    turn: bool  # and so are x and y


class Shared:
    """A point or direction, by the rafts or fleets that have it: where each of them sees it."""

    def __init__(self, group: int, local: Floats) -> None:
        self.local = {group: local}
        self.merged: Shared | None = None

    def root(self) -> Shared:
        """The one that this has become part of."""
        found = self
        while found.merged is not None:
            found = found.merged
        return found


class Pool:
    """All points, or all directions; a direction may be seen from either end."""

    def __init__(self, ground: list[int], either_end: bool) -> None:
        self.ground = ground  # of each group, or -1
        self.either_end = either_end
        self.of_group: list[list[Shared]] = [[] for _ in ground]

    def find(self, group: int, local: Floats) -> tuple[Shared, float]:
        """What the group has there, made if need be; -1 where it is seen from the other end."""
        for shared in self.of_group[group]:
            if np.abs(shared.local[group] - local).max() < SAME:
                return shared, 1.0
            if self.either_end and np.abs(shared.local[group] + local).max() < SAME:
                return shared, -1.0
        shared = Shared(group, local)
        self.of_group[group].append(shared)
        return shared, 1.0

    def unite(self, a: tuple[int, Floats], b: tuple[int, Floats]) -> Shared | None:
        """Both groups share it from now on; None where that contradicts what they share already."""
        (one, sign_a), (other, sign_b) = self.find(*a), self.find(*b)
        if one is other:
            return one if sign_a == sign_b else None
        grounds = {self.ground[g] for shared in (one, other) for g in shared.local if self.ground[g] >= 0}
        if set(one.local) & set(other.local) or len(grounds) > 1:
            return None
        if len(one.local) < len(other.local):
            one, other = other, one
        for group, local in other.local.items():
            one.local[group] = local * sign_a * sign_b
            mine = self.of_group[group]
            mine[mine.index(other)] = one
        other.merged = one
        return one


class Sharing(NamedTuple):
    """Who shares what. Rotations take link axes to those of the fleet; places are origins of links in their raft."""

    orientation_group: list[int]  # (link,)
    rigid_group: list[int]  # (link,)
    rotation: list[Any]  # (link,) 3 x 3
    place: list[Any]  # (link,) 3
    orientation_group_links: list[list[int]]
    rigid_group_links: list[list[int]]
    orientation_group_ground: list[int]  # the ground link in it, or -1
    rigid_group_ground: list[int]
    points: Pool
    directions: Pool
    joint_point: list[Shared | None]  # (cut,) the point that the joint shares
    joint_axis: list[Shared | None]  # (cut,)
    joint_turns: list[bool]  # (cut,) both bodies are of one fleet by this joint
    joint_holds: list[bool]  # (cut,) both are of one raft by this joint
    equations: list[int]  # rows of the joints that remain


def words(cuts: Cuts, c: int) -> Words:
    """What joint c says."""
    rows = range(int(cuts.cut_row[c]), int(cuts.cut_row[c + 1]))
    said = {(int(cuts.row_kind[r]), int(cuts.row_i[r]), int(cuts.row_j[r])) for r in rows}
    along = {i for kind, i, _ in said if kind == codes.ALONG}
    axis = {(codes.CROSSED, 0, 2), (codes.CROSSED, 1, 2)} <= said
    return Words(along == {0, 1, 2}, axis, axis and (codes.CROSSED, 1, 0) in said)


def share(tree: Tree, cuts: Cuts) -> Sharing:
    """Find out what the bodies share; every link but the grounds carries one body."""
    links, joints = len(tree.link_parent), len(cuts.cut_a)
    said = [words(cuts, c) for c in range(joints)]
    frames = [(_matrix(cuts.cut_Ra[c]), cuts.cut_pa[c], _matrix(cuts.cut_Rb[c]), cuts.cut_pb[c]) for c in range(joints)]
    ends = list(zip(cuts.cut_a.tolist(), cuts.cut_b.tolist(), strict=True))

    rotation: list[Any] = [np.eye(3)] * links

    def turn(c: int, forward: bool) -> Any:
        """Rotation of the far link of joint c, from that of the near one."""
        (a, b), (R_a, _, R_b, _) = ends[c], frames[c]
        return rotation[a] @ R_a @ R_b.T if forward else rotation[b] @ R_b @ R_a.T

    turning = [c for c in range(joints) if said[c].turn]
    orientation_group, orientation_group_links, turns = _gather(tree, ends, turning, rotation, turn)

    place: list[Any] = [np.zeros(3)] * links

    def move(c: int, forward: bool) -> Any:
        (a, b), (_, p_a, _, p_b) = ends[c], frames[c]
        step = rotation[a] @ p_a - rotation[b] @ p_b
        return place[a] + step if forward else place[b] - step

    holding = [c for c in turning if turns[c] and said[c].point]
    rigid_group, rigid_group_links, holds = _gather(tree, ends, holding, place, move)

    orientation_group_ground = [group[0] if group[0] < tree.grounds else -1 for group in orientation_group_links]
    rigid_group_ground = [group[0] if group[0] < tree.grounds else -1 for group in rigid_group_links]
    directions, points = Pool(orientation_group_ground, True), Pool(rigid_group_ground, False)
    joint_axis: list[Shared | None] = [None] * joints
    joint_point: list[Shared | None] = [None] * joints
    equations: list[int] = []
    for c, ((a, b), (R_a, p_a, R_b, p_b)) in enumerate(zip(ends, frames, strict=True)):
        spoken = {codes.ALONG: said[c].point and holds.get(c, False), codes.CROSSED: turns.get(c, False)}
        if said[c].axis and not said[c].turn:
            z_a, z_b = rotation[a] @ R_a[:, 2], rotation[b] @ R_b[:, 2]
            if orientation_group[a] == orientation_group[b] and np.abs(z_a - z_b).max() < SAME:
                spoken[codes.CROSSED] = True  # the fleet sees to it
            else:
                joint_axis[c] = directions.unite((orientation_group[a], z_a), (orientation_group[b], z_b))
                spoken[codes.CROSSED] = joint_axis[c] is not None
        if said[c].point and not spoken[codes.ALONG]:
            x_a, x_b = place[a] + rotation[a] @ p_a, place[b] + rotation[b] @ p_b
            if rigid_group[a] == rigid_group[b] and np.abs(x_a - x_b).max() < SAME:
                spoken[codes.ALONG] = True
            else:
                joint_point[c] = points.unite((rigid_group[a], x_a), (rigid_group[b], x_b))
                spoken[codes.ALONG] = joint_point[c] is not None
        for r in range(int(cuts.cut_row[c]), int(cuts.cut_row[c + 1])):
            if not spoken.get(int(cuts.row_kind[r]), False):
                equations.append(r)
    return Sharing(
        orientation_group,
        rigid_group,
        rotation,
        place,
        orientation_group_links,
        rigid_group_links,
        orientation_group_ground,
        rigid_group_ground,
        points,
        directions,
        joint_point,
        joint_axis,
        [turns.get(c, False) for c in range(joints)],
        [holds.get(c, False) for c in range(joints)],
        equations,
    )


def _matrix(nine: Any) -> Any:
    return np.array(nine, dtype=float).reshape(3, 3)


def _gather(
    tree: Tree, ends: list[tuple[int, int]], joints: list[int], where: list[Any], far: Any
) -> tuple[list[int], list[list[int]], dict[int, bool]]:
    """Groups of links that these joints hold together, grounds first; `where` is filled in, walking by `far`.

    Says for each joint whether it does so: one that comes to an end placed elsewhere does not.
    """
    at: dict[int, list[int]] = {}
    for c in joints:
        for link in ends[c]:
            at.setdefault(link, []).append(c)
    links = len(tree.link_parent)
    group = [-1] * links
    groups: list[list[int]] = []
    good: dict[int, bool] = {}
    for root in range(links):
        if group[root] >= 0:
            continue
        group[root] = len(groups)
        groups.append([root])
        waiting = deque([root])
        while waiting:
            link = waiting.popleft()
            for c in at.get(link, ()):
                if c in good:
                    continue
                a, b = ends[c]
                other = b if link == a else a
                if group[other] < 0 and other >= tree.grounds:
                    where[other] = far(c, link == a)
                    group[other] = group[root]
                    groups[-1].append(other)
                    waiting.append(other)
                    good[c] = True
                else:
                    good[c] = group[other] == group[root] and np.abs(far(c, link == a) - where[other]).max() < SAME
    return group, groups, good
