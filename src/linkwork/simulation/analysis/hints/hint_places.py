"""Places and steps that look like a mistake: joints far from what they join, steps longer than what swings."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from linkwork.assembly.system import JointPlace, System
from linkwork.assembly.tables import Floats, Tree
from linkwork.model import Body, TorsionSpring
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.simulation.analysis.hints.hint_words import gyration, shape_gyration, thin
from linkwork.spatial.codes import FREE, SWING, SWING_BACK, TURN

FAR = 5.0  # of what both bodies reach to: a joint so far from both is misplaced
FARTHER = 50.0  # of its shape: so far a single body stands from none of its joints
OUTER = math.sqrt(3.0)  # of the radius of gyration: how far a rod reaches
FEW = 1.0  # rad of a swing, or of a turn, in one step


class End(NamedTuple):
    """A joint on one of the links it joins: a point and a direction in the link's frame."""

    place: JointPlace
    link: int
    point: Floats
    axis: Floats

    def away(self, centre: Floats) -> float:
        """How far a centre is from the joint, m: from its axis where it has one."""
        lever = centre - self.point
        if KINDS[self.place.kind].about_axis:  # its place along the axis means nothing
            lever = lever - (lever @ self.axis) * self.axis
        return float(np.linalg.norm(lever))


class Links:
    """What is known of the links of a system: centres of mass, joints, and how far a link reaches from its centre."""

    def __init__(self, system: System) -> None:
        self.system, self.tree = system, system.tables.tree
        self.ends = list(_ends(system))
        self.on: dict[int, list[End]] = {}  # the same, by link
        for end in self.ends:
            self.on.setdefault(end.link, []).append(end)
        mass = self.tree.link_mass
        self.centre = self.tree.link_h / np.where(mass > 0.0, mass, 1.0)[:, None]
        self.bodies: dict[int, list[Body]] = {}
        named = {body.path: body for body in system.model.all_bodies()}
        for name, link in zip(system.body_names, self.tree.body_link, strict=True):
            if name in named:
                self.bodies.setdefault(int(link), []).append(named[name])

    def moves(self, link: int) -> bool:
        """Whether the link has mass and is no ground."""
        return link >= self.tree.grounds and self.tree.link_mass[link] > 0.0

    def own(self, link: int) -> float:
        """How far the bodies of a link reach by themselves, by their inertia or their shape, m."""
        sizes = [0.0]
        for body in self.bodies.get(link, []):
            sizes.append(gyration(body))
            drawn = shape_gyration(body)
            if drawn is not None and body.shape is not None:
                sizes += [drawn, float(np.linalg.norm(body.shape.com - body.com))]
        return OUTER * max(sizes)

    def reach(self, link: int, but: JointPlace) -> float:
        """How far a link reaches from its centre, m: its own size and its other joints."""
        others = [end.away(self.centre[link]) for end in self.on.get(link, []) if end.place is not but]
        return max([self.own(link), *others])


def _ends(system: System) -> Iterator[End]:
    tree, cuts = system.tables.tree, system.tables.cuts
    for place in system.joints:
        if place.links and _has_place(place):
            first = place.links[0]
            yield End(place, int(tree.link_parent[first]), tree.link_p[first], _matrix(tree.link_R[first])[:, 2])
            yield End(place, place.last, np.zeros(3), np.array((0.0, 0.0, 1.0)))
    for place in system.cuts:
        c = place.last
        if _has_place(place):
            yield End(place, int(cuts.cut_a[c]), cuts.cut_pa[c], _matrix(cuts.cut_Ra[c])[:, 2])
            yield End(place, int(cuts.cut_b[c]), cuts.cut_pb[c], _matrix(cuts.cut_Rb[c])[:, 2])


def _has_place(place: JointPlace) -> bool:
    """Whether a joint that moves has a point or an axis on its bodies."""
    kind = KINDS[place.kind]
    return kind.about_axis or (kind.holds_point and kind.nv > 0)


def _matrix(row: Any) -> Floats:
    return np.asarray(row).reshape(3, 3)


def far_joints(links: Links) -> Iterator[str]:
    """Joints that are far from both of their bodies, or beyond all reason from one of them."""
    for one, other in zip(links.ends[::2], links.ends[1::2], strict=True):
        held = [end for end in (one, other) if links.moves(end.link)]
        ways = [end.away(links.centre[end.link]) for end in held]
        if len(held) == 2:
            reaches = [links.reach(end.link, end.place) for end in held]
            if min(reaches) > 0.0 and min(ways) > FAR * max(reaches):
                names = " and ".join(f"'{links.bodies[end.link][0].path}'" for end in held if end.link in links.bodies)
                yield f"{_joint(one.place)} is {min(ways):.3g} m from both its bodies {names}: is its place right?"
                continue
        for end, way in zip(held, ways, strict=True):
            bodies = links.bodies.get(end.link, [])
            if way > FARTHER * links.own(end.link) and any(shape_gyration(body) is not None for body in bodies):
                yield (
                    f"{_joint(end.place)} is {way:.3g} m from body '{bodies[0].path}', whose shape reaches "
                    f"{links.own(end.link):.2g} m: is its place right?"
                )
                break


def light_lengths(links: Links) -> Iterator[str]:
    """Bodies without a shape that are long and weigh nothing."""
    for link, bodies in links.bodies.items():
        points = [end.point for end in links.on.get(link, [])]
        across = max((float(np.linalg.norm(point - links.centre[link])) for point in points), default=0.0)
        for body in bodies:
            told = thin(body, across)
            if told is not None:
                yield told


def _joint(place: JointPlace) -> str:
    return f"{place.kind} joint '{place.name}'"


def coarse_steps(system: System, v: Floats, dt: float, slowest: tuple[str, float] | None) -> Iterator[str]:
    """Steps in which a joint turns far at its start, or that are long for the `slowest_swing`."""
    tree = system.tables.tree
    for place in system.joints:
        motion = tree.link_motion[place.last] if place.links else 0
        rates = v[place.v]
        if motion in (FREE, SWING, SWING_BACK):
            speed = float(np.linalg.norm(rates[-3:]))
        else:
            turning = [int(tree.link_v[i]) for i in place.links if tree.link_motion[i] == TURN]
            speed = float(np.max(np.abs(v[turning]), initial=0.0))
        if speed * dt > FEW:
            what = f"body '{place.body}'" if place.joint is None else _joint(place)
            yield f"{what} turns by {speed * dt:.2g} rad in a step of dt = {dt:g} s at its start: is dt= in seconds?"
    if slowest is not None and slowest[1] * dt > FEW:
        name, rate = slowest
        period = 2.0 * math.pi / rate
        yield (
            f"joint '{name}' swings once in about {period:.2g} s, and nothing swings more slowly: dt = {dt:g} s is too "
            f"coarse to follow it; take dt = {_rounded(period / 50.0):g} s or less"
        )


def _rounded(x: float) -> float:
    """One digit of it."""
    return float(f"{x:.0e}")


def slowest_swing(system: System, q: Floats) -> tuple[str, float] | None:
    """The joint that swings most slowly by its weight or its spring, and how fast (rad/s), roughly.

    Each is taken with all that hangs on it, as if nothing else moved and no loop held it.
    """
    tree = system.tables.tree
    coils = (force for force in system.model.all_forces() if isinstance(force, TorsionSpring))
    springs = {coil.joint.path: coil.stiffness for coil in coils}
    turned = _orientations(tree, q)
    mass, moment, inertia = _hanging(tree, q)
    found: tuple[str, float] | None = None
    for place in system.joints:
        for i in place.links:
            if tree.link_motion[i] != TURN or not mass[i] > 0.0:
                continue
            pull = float(np.linalg.norm(np.cross(tree.gravity, turned[i][:, 2])))  # across the axis
            stiffness = pull * float(np.hypot(*moment[i][:2])) + springs.get(place.name, 0.0)
            if place.joint is not None and len(place.links) == 1:
                stiffness += place.joint.stiffness
            about = float(inertia[i][2, 2]) + float(tree.dof_armature[tree.link_v[i]])
            if not (stiffness > 0.0 and about > 0.0):
                continue
            rate = math.sqrt(stiffness / about)
            if found is None or rate < found[1]:
                found = place.name, rate
    return found


def _relative(tree: Tree, i: int, q: Floats) -> tuple[Floats, Floats]:
    """Rotation and origin of link i in its parent."""
    R, p, k, motion = _matrix(tree.link_R[i]), tree.link_p[i], int(tree.link_q[i]), int(tree.link_motion[i])
    if motion in (SWING, SWING_BACK, FREE):
        first = k + 3 if motion == FREE else k
        turn = _turn(q[first : first + 4])
        return R @ (turn.T if motion == SWING_BACK else turn), p + R @ q[k : k + 3] if motion == FREE else p
    if not (tree.link_turn[i] or tree.link_slide[i]):
        return R, p
    c, s = math.cos(tree.link_turn[i] * q[k]), math.sin(tree.link_turn[i] * q[k])
    spin = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    return R @ spin, p + tree.link_slide[i] * q[k] * R[:, 2]


def _turn(quaternion: Floats) -> Floats:
    w, x, y, z = quaternion
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.eye(3) + 2.0 * w * K + 2.0 * K @ K)


def _orientations(tree: Tree, q: Floats) -> list[Floats]:
    """Rotations of all links in the world, grounds in their reference poses."""
    found = [_matrix(row) for row in tree.ground_R]
    for i in range(tree.grounds, tree.link_parent.size):
        found.append(found[int(tree.link_parent[i])] @ _relative(tree, i, q)[0])
    return found


def _hanging(tree: Tree, q: Floats) -> tuple[Floats, Floats, Floats]:
    """Mass, first moment and inertia about the origin of each link with all that hangs on it, in its axes."""
    xx, yy, zz, xy, xz, yz = tree.link_I.T
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]).transpose(2, 0, 1).copy()
    mass, moment = tree.link_mass.copy(), tree.link_h.copy()
    for i in range(tree.link_parent.size - 1, tree.grounds - 1, -1):
        j = int(tree.link_parent[i])
        R, p = _relative(tree, i, q)
        h, I = R @ moment[i], R @ inertia[i] @ R.T
        mass[j] += mass[i]
        moment[j] += h + mass[i] * p
        cross = 2.0 * float(h @ p) * np.eye(3) - np.outer(h, p) - np.outer(p, h)
        inertia[j] += I + cross + mass[i] * (float(p @ p) * np.eye(3) - np.outer(p, p))
    return mass, moment, inertia
