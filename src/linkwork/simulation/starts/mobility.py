"""Mobility: which rows of the loops others imply, how many freedoms they leave, and why there may be none."""

from __future__ import annotations

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from linkwork.assembly.system import JointPlace, System
from linkwork.assembly.tables import Floats
from linkwork.model import Motor
from linkwork.model.joints.joint_kinds import KINDS

DEPENDENT = 1e-9  # singular values below this part of the largest count as zero
SAME = 1e-6  # rad, and part of the distance between two hinges: closer than that their axes are one
NEARLY = 0.25  # rad, and part of that distance: so close their axes are meant to be one


def implied(G: Floats, count: int | None = None) -> list[int]:
    """Rows of G that the rows before them imply; so many of them that imply each other most, where a `count` is given.

    >>> implied(np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [1.0, 1.0]]))
    [1, 3]
    """
    lengths = np.linalg.norm(G, axis=1)
    largest = float(lengths.max(initial=0.0)) or 1.0
    left = np.zeros(len(G))  # of each row, without what the rows before it span
    basis, found = np.zeros((min(G.shape), G.shape[1])), 0
    for r, row in enumerate(G):
        rest = row.copy()
        for _ in range(2):  # twice is enough to stay orthogonal
            rest -= (basis[:found] @ rest) @ basis[:found]
        left[r] = np.linalg.norm(rest) / max(lengths[r], DEPENDENT / 1e-7 * largest)
        if left[r] > 1e-7 and found < len(basis):
            basis[found] = rest / np.linalg.norm(rest)
            found += 1
    if count is None:
        return [int(r) for r in np.flatnonzero(left <= 1e-7)]
    return sorted(int(r) for r in np.argsort(left, kind="stable")[:count])


def stuck(closure: Any) -> str:
    """Why nothing can move where a `Closure` stands, in words; "" where something can, or where motors hold it."""
    system: System = closure.system
    states = sum(joint.hidden for joint in system.model.all_joints())
    unmoved = [row for row, each in enumerate(system.coupled, system.first_coupled) if isinstance(each.part, Motor)]
    G = np.delete(closure.G, [*unmoved, *closure.loose], axis=0)
    if system.nv <= states or len(G) < system.nv - states or system.foreign:
        return ""
    if system.nv - states > len(G) - len(implied(G)):
        return ""
    told = "nothing can move at the start: the loops leave 0 degrees of freedom"
    for cut in system.cuts:
        why = _misaligned(_hinges(closure, cut))
        if why:
            return f"{told}, {why}"
    return f"{told}; are the axes and places of the joints right?"


class _Hinge(NamedTuple):
    name: str
    axis: Floats  # in the world
    point: Floats  # m


def _hinges(closure: Any, cut: JointPlace) -> list[_Hinge]:
    """The hinges of the loop that a joint closes."""
    system: System = closure.system
    cuts, work = closure.tables.cuts, closure.work
    along = cuts.path_dof[cuts.path_start[cut.last] : cuts.path_start[cut.last + 1]]
    names = {system.dof_name(int(k)) for k in along}
    found = []
    for place in (*(each for each in system.joints if each.name in names), cut):
        if not (KINDS[place.kind].about_axis and KINDS[place.kind].nv == 1 and KINDS[place.kind].angles):
            continue
        link = int(cuts.cut_b[cut.last]) if place.is_cut else place.last
        R, p = work.pose_R[link].reshape(3, 3), work.pose_p[link]
        if place.is_cut:
            p, R = p + R @ cuts.cut_pb[cut.last], R @ cuts.cut_Rb[cut.last].reshape(3, 3)
        found.append(_Hinge(place.name, R[:, 2], p))
    return found


def _misaligned(hinges: list[_Hinge]) -> str:
    """What keeps the hinges of a loop from moving, where it looks like a mistake."""
    for one, other in combinations(hinges, 2):
        way = other.point - one.point
        far = float(np.linalg.norm(way))
        angle = float(np.linalg.norm(np.cross(one.axis, other.axis)))
        names = f"the axes of hinges '{one.name}' and '{other.name}'"
        if SAME < angle < NEARLY and len(hinges) == 2:
            return f"since {names} are {np.degrees(np.arcsin(angle)):.3g} degrees apart; align them"
        off = float(np.linalg.norm(way - (way @ one.axis) * one.axis))
        if angle <= SAME and SAME * far < off < NEARLY * far:
            return f"since {names} are parallel but {off:.3g} m apart; put them in line"
    for one in hinges:
        others = [each for each in hinges if each is not one]
        if len(others) > 1 and all(_parallel(others[0], each) for each in others) and not _parallel(one, others[0]):
            return f"since hinge '{one.name}' is not parallel to the others of its loop; correct its axis"
    return ""


def _parallel(one: _Hinge, other: _Hinge) -> bool:
    return bool(np.linalg.norm(np.cross(one.axis, other.axis)) <= SAME)
