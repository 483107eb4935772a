"""Nodes of natural coordinates as links see them, and the joints that pass forces between the members of a node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwork.assembly.natural.sharing import Sharing
from linkwork.assembly.tables import Cuts, Floats, Ints


class NaturalNode(NamedTuple):
    """A point or a unit vector."""

    is_point: bool
    link: int
    local: Floats
    links: frozenset[int]  # all that have it


def members_of(nodes: Sequence[NaturalNode], grounds: int) -> tuple[list[tuple[int, int]], dict[tuple[int, int], int]]:
    """(node, link) of every member, by link, and their numbers."""
    found = [(k, link) for k, node in enumerate(nodes) for link in node.links if link >= grounds]
    found.sort(key=lambda member: (member[1], member[0]))
    return found, {member: k for k, member in enumerate(found)}


def shares_of(
    cuts: Cuts,
    sharing: Sharing,
    nodes: Sequence[NaturalNode],
    shared: Mapping[Any, int],
    number: Mapping[tuple[int, int], int],
) -> tuple[list[int], ...]:
    """Joint, node and members on its two sides, wherever a joint passes a force between members of a node.

    `shared` are the nodes of what joints share; `number` are the numbers of the members.
    """
    s = sharing
    of_rigid_group: dict[int, list[int]] = {}
    of_orientation_group: dict[int, list[int]] = {}
    for k, node in enumerate(nodes):
        if node.is_point:
            for group in sorted({s.rigid_group[link] for link in node.links}):
                of_rigid_group.setdefault(group, []).append(k)
        else:
            for group in sorted({s.orientation_group[link] for link in node.links}):
                of_orientation_group.setdefault(group, []).append(k)
    found: tuple[list[int], ...] = ([], [], [], [])
    for c in range(len(cuts.cut_a)):
        a, b = int(cuts.cut_a[c]), int(cuts.cut_b[c])
        at: list[int] = []
        if s.joint_holds[c]:
            at += of_rigid_group.get(s.rigid_group[b], [])
        if s.joint_turns[c]:
            at += of_orientation_group.get(s.orientation_group[b], [])
        at += [shared[id(each.root())] for each in (s.joint_point[c], s.joint_axis[c]) if each is not None]
        for k in at:
            for column, value in zip(found, (c, k, number.get((k, a), -1), number.get((k, b), -1)), strict=True):
                column.append(value)
    return found


def independent(members: int, share_a: list[int], share_b: list[int]) -> Ints:
    """1 for every member but one of each group that no ground holds."""
    parent = list(range(members + 1))  # the last one is the ground

    def root(k: int) -> int:
        while parent[k] != k:
            parent[k] = parent[parent[k]]
            k = parent[k]
        return k

    for a, b in zip(share_a, share_b, strict=True):
        parent[root(a if a >= 0 else members)] = root(b if b >= 0 else members)
    seen = {root(members)}
    free = np.ones(members, dtype=np.int64)
    for k in range(members):
        if root(k) not in seen:
            seen.add(root(k))
            free[k] = 0
    return free
