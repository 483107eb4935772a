"""A consistent start: positions and velocities moved onto the loops by the least change; given values are held."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.assembly.system import JointPlace, System
from linkwork.assembly.tables import Floats
from linkwork.errors import ModelError
from linkwork.mechanics.attitudes import body_quaternion, body_signs, turn_links
from linkwork.mechanics.forces.laws import law_scratch
from linkwork.mechanics.rows.closure import close_at
from linkwork.mechanics.tree.workspace import tree_work
from linkwork.model import Cone, Foreign, Frame
from linkwork.simulation.analysis.dynamics import forward_kinematics, integrate, mass_matrix
from linkwork.simulation.starts.mobility import DEPENDENT
from linkwork.simulation.starts.rolling import refuse_flat_discs, refuse_unlike_wheels
from linkwork.simulation.starts.start_words import (
    cannot_close,
    cannot_move,
    closing,
    given_joints,
    of_components,
    told_values,
)
from linkwork.spatial import codes

CLOSED = 1e-11  # m or rad, relative to the size of the mechanism where that is larger than 1 m
NEARLY = 2e-3  # rad or m: start values rounded by hand may be moved this far
FARTHEST = 0.3  # rad or m in one correction: keeps the branch
ROUNDS = 200
STUCK = 1e-12  # rad or m: a correction this small leads nowhere
NUDGE = 0.02  # rad or m
OF_VELOCITIES = (codes.SLIP, codes.TANGENT)


class Start(NamedTuple):
    q: Floats
    v: Floats
    cut_q: Floats
    moved: list[str]  # joints whose given start values were rounded and have been moved a little


class Closure:
    """The loop equations of a system at one instant, as dense matrices."""

    def __init__(self, system: System, time: float = 0.0) -> None:
        self.system = system
        self.tables = system.tables
        self.work = tree_work(self.tables)
        for ground in system.model.all_grounds():
            if isinstance(ground, Foreign):  # it starts as its owner has it
                link, place = system.foreign[ground.path], ground.owner.world
                turn = (place @ ground.start).matrix.T
                self.work.velocity[link, :3] = turn @ place.direction(ground.angular_velocity)
                self.work.velocity[link, 3:] = turn @ place.direction(ground.velocity)
        self.cut_q = system.cut_start.copy()
        self.cut_rate = np.zeros(system.cut_v_start.size + 4)
        rows = system.rows
        self.g, self.gd = np.zeros(rows), np.zeros(rows)
        self.W, self.G = np.zeros((rows, 6)), np.zeros((rows, system.nv))
        self.of_positions = ~np.isin(self.tables.cuts.row_kind, OF_VELOCITIES)  # rows that forbid positions
        # rows of the given start values of cuts: one for each of their rates
        self.directions = np.zeros((system.cut_v_start.size, system.nv))
        self.loose = np.flatnonzero(system.loose)
        self.time, self.told, self.out = time, law_scratch(self.tables.laws), np.zeros(4)
        # joints of the tree that couplings measure: their place in q, and among the cut coordinates
        tree, cuts = self.tables.tree, self.tables.cuts
        dofs = cuts.path_dof[cuts.path_start[len(system.cuts)] : cuts.path_start[len(cuts.cut_a)]]
        self.in_q = tree.link_q[tree.dof_link[dofs]]
        self.in_cut_q = cuts.measure_q[cuts.cut_measure[len(system.cuts)] : cuts.cut_measure[len(cuts.cut_a)]]

    def mount(self) -> None:
        """Gears are mounted anew: what their terms add up to is not known yet."""
        self.cut_q[self.cut_q.size - len(self.system.coupled) :] = [each.offset for each in self.system.coupled]

    def mounted(self) -> Floats:
        """The cut coordinates, with what the terms of gears add up to here, and where given rates begin."""
        cuts, found = self.tables.cuts, self.cut_q.copy()
        for j, each in enumerate(self.system.coupled):
            if np.isnan(found[cuts.coupling_q[j]]):
                terms = range(int(cuts.coupling_term[j]), int(cuts.coupling_term[j + 1]))
                places = [int(cuts.measure_q[cuts.term_measure[e]]) for e in terms]
                found[cuts.coupling_q[j]] = sum(
                    term.factor * found[k] for term, k in zip(each.terms, places, strict=True)
                )
        return found

    def at(self, q: Floats, v: Floats) -> None:
        """Fill g, gd, G and the cut coordinates at (q, v)."""
        self.cut_q[self.in_cut_q] = q[self.in_q]
        self.work.since[0] = self.time
        close_at(
            self.tables,
            self.work,
            (self.time, self.told, self.out),
            (q, v, self.cut_q, self.cut_rate),
            (self.g, self.gd, self.W, self.G, self.directions),
        )

    def leave_play(self) -> None:
        """What has play holds nothing within it, nor where its teeth just touch: zeros in gd and G, after `at`."""
        if self.loose.size:
            idle = self.loose[np.abs(self.g[self.loose]) < CLOSED * self.size()]
            self.gd[idle], self.G[idle] = 0.0, 0.0

    def size(self) -> float:
        """Extent of the mechanism, m; at least 1."""
        p = self.work.pose_p
        return max(1.0, float(np.max(np.ptp(p, axis=0))))


def refuse_beyond_limits(system: System, start: Start) -> None:
    """No joint starts beyond its rigid stops, which would throw it back."""
    for places, numbers in ((system.joints, start.q), (system.cuts, start.cut_q)):
        for place in places:
            if place.joint is None or place.joint.limits is None or place.joint.limit_softness is not None:
                continue
            if isinstance(place.joint.limits, Cone):
                refuse_beyond_cone(place, place.joint.limits, numbers[place.q])
                continue
            for at, (low, high) in zip(numbers[place.q], place.joint.coordinate_limits, strict=True):
                if not low - NEARLY <= at <= high + NEARLY:
                    raise ModelError(
                        f"{place.kind} joint '{place.name}': the mechanism starts with it at {at:.4g}, outside its "
                        f"limits {low:g} to {high:g}; give it another position=, move its bodies, or correct limits="
                    )


def refuse_beyond_cone(place: JointPlace, cone: Cone, at: Any) -> None:
    """No joint starts beyond its cone."""
    excess = cone.excess(at, NEARLY)
    if excess:
        raise ModelError(
            f"{place.kind} joint '{place.name}': the mechanism starts with {excess}; give it another position=, move "
            "its bodies, or correct limits="
        )


def consistent_start(system: System, time: float = 0.0) -> Start:
    """Start values that close every loop; refuses with the loop, the gap and the joint when there are none.

    What gears add up to is taken from where they start.
    """
    closure = Closure(system, time)
    closure.mount()
    q, v = system.q_start.copy(), system.v_start.copy()
    if system.rows == 0:
        return Start(q, v, closure.cut_q, [])
    held = system.q_given
    closed, q_closed = _close(system, closure, q, ~held)
    moved: list[str] = []
    if not closed and held.any():
        # the others fit as well as they can by now; what is left is the rounding of the given values, or worse
        closure = Closure(system, time)
        closure.mount()
        closed, q_closed = _close(system, closure, q_closed, np.ones_like(held))
        if closed:
            moved = _moved(system, q, q_closed)
    if not closed:
        refuse_flat_discs(closure)
        raise ModelError(cannot_close(system, closure.g))
    refuse_flat_discs(closure)
    v_closed = _closed_velocities(system, closure, q_closed, v)
    refuse_unlike_wheels(closure, q_closed)
    changed = np.flatnonzero(
        (np.abs(v_closed - v) > 1e-9 * max(1.0, float(np.max(np.abs(v), initial=0.0)))) & system.v_given
    )
    moved += dict.fromkeys(f"{system.dof_name(int(k))} (velocity)" for k in changed)
    return Start(q_closed, v_closed, closure.mounted(), moved)


def closed_again(system: System, time: float = 0.0) -> Start | None:
    """The loops closed at rest, from start values close to it; None where they do not close.

    Gears stay mounted as the start values of the cuts have them.
    """
    closure = Closure(system, time)
    if system.rows == 0:
        return Start(system.q_start, np.zeros(system.nv), closure.cut_q, [])
    closed, q = _close(system, closure, system.q_start, ~system.q_given, leave_closed=True)
    return Start(q, np.zeros(system.nv), closure.cut_q.copy(), []) if closed else None


def _given_gaps(system: System, closure: Closure, rates: bool) -> tuple[Floats, Floats]:
    """What the start values given at cuts are off by, and their rows."""
    given = np.flatnonzero(system.cut_v_given if rates else system.cut_q_given)
    if rates:
        gaps = closure.cut_rate[given] - system.cut_v_start[given]
    else:
        gaps = np.zeros(system.cut_v_start.size)
        for place in system.cuts:
            wanted, found = system.cut_start[place.q], closure.cut_q[place.q]
            gaps[place.v] = _turn_between(wanted, found) if place.kind == "ball" else found - wanted
        gaps = gaps[given]
    return gaps, closure.directions[given]


def _turn_between(wanted: Any, found: Any) -> Any:
    """Rotation vector, in the axes that turn, from the wanted quaternion to the found one."""
    w, x = wanted[0], -wanted[1:]
    scalar = w * found[0] - x @ found[1:]
    vector = w * found[1:] + found[0] * x + np.cross(x, found[1:])
    return 2.0 * vector * (1.0 if scalar >= 0.0 else -1.0)


def _close(
    system: System, closure: Closure, q0: Floats, free: Any, *, leave_closed: bool = False
) -> tuple[bool, Floats]:
    """Newton with least change in the free coordinates: whether the loops close, and q; `closure` stays there.

    With `leave_closed` rows that hold well enough ask for no change: a loop that lies flat would wander otherwise.
    """
    q = q0.copy()
    zero = np.zeros(system.nv)
    best = np.inf
    stale = 0
    nudged = False
    for _ in range(ROUNDS):
        closure.at(q, zero)
        extra, rows = _given_gaps(system, closure, False)
        gaps = np.concatenate([closure.g, extra])
        worst = float(np.max(np.abs(gaps)))
        if worst < CLOSED * closure.size():
            return True, q
        stale = stale + 1 if worst > 0.5 * best else 0
        best = min(best, worst)
        if stale > 30:
            break
        if leave_closed:
            gaps[np.abs(gaps) < CLOSED * closure.size()] = 0.0
        J = np.vstack([closure.G * closure.of_positions[:, None], rows])[:, free]
        if J.shape[1] == 0:
            break
        step = np.zeros(system.nv)
        step[free] = -np.linalg.lstsq(J, gaps, rcond=DEPENDENT)[0]
        longest = float(np.max(np.abs(step)))
        if longest < STUCK:
            if nudged:
                break
            # laid out flat, a loop shows no way to close: look a little beside, always the same way
            nudged = True
            step[free] = NUDGE * np.cos(np.arange(step[free].size))
            longest = NUDGE
        q = integrate(system, q, step, min(1.0, FARTHEST / longest))
    closure.at(q, zero)
    return False, q


def _moved(system: System, before: Floats, after: Floats) -> list[str]:
    """Given start values that had to move; too far is a contradiction."""
    moved = []
    for place in system.joints:
        if place.joint is None or place.joint.position is None:
            continue
        change = float(np.max(np.abs(after[place.q] - before[place.q]), initial=0.0))
        if change > NEARLY:
            was, now = told_values(before[place.q]), told_values(after[place.q])
            raise ModelError(
                f"start positions contradict each other: joint '{place.name}' was given {was} but "
                f"{closing(system, place.name)} close at {now}; give fewer of the start positions of "
                f"{given_joints(system)}, or values that fit together{of_components(system)}"
            )
        if change > CLOSED:
            moved.append(place.name)
    return moved


def _closed_velocities(system: System, closure: Closure, q: Floats, v0: Floats) -> Floats:
    """Velocities on the loops: the given ones held, the others changed by the least kinetic energy."""
    held = system.v_given

    v = v0.copy()
    for free in (~held, np.ones_like(held)):
        closure.at(q, v)
        closure.leave_play()
        extra, rows = _given_gaps(system, closure, True)
        rates = np.concatenate([closure.gd, extra])
        J = np.vstack([closure.G, rows])[:, free]
        if J.shape[1]:
            root = _inertia_root(system, q, free)
            v[free] -= root @ np.linalg.lstsq(J @ root, rates, rcond=DEPENDENT)[0]
        closure.at(q, v)
        closure.leave_play()
        extra, _ = _given_gaps(system, closure, True)
        left = np.concatenate([closure.gd, extra])
        size = max(1.0, float(np.max(np.abs(v), initial=0.0))) * closure.size()
        if np.max(np.abs(left)) < 1e-9 * size:
            break
        if not held.any():
            break
    change = np.abs(v - v0) * held
    worst = int(np.argmax(change)) if change.size else 0
    wrong = change.size and change[worst] > NEARLY * max(1.0, float(np.max(np.abs(v0))))
    if wrong or np.max(np.abs(left)) >= 1e-9 * size:
        raise ModelError(cannot_move(closure, v0, v, worst, left))
    closure.at(q, v)
    return v


def _inertia_root(system: System, q: Floats, free: Any) -> Any:
    """X with X^T M X = 1 in the free coordinates: metres and radians weigh as they move mass, however axes lie."""
    values, vectors = np.linalg.eigh(mass_matrix(system, q)[np.ix_(free, free)])
    return vectors / np.sqrt(np.maximum(values, 1e-12 * max(values[-1], 1e-12)))


def absolute_start(system: System, start: Start, absolute: System, time: float = 0.0) -> tuple[Floats, Floats]:
    """The same start in absolute coordinates: y with two empty accounts, and the coordinates of the joints."""
    poses = forward_kinematics(system, start.q, time=time)
    q, v = absolute.q_start.copy(), absolute.v_start.copy()
    closure = Closure(system, time)
    closure.at(start.q, start.v)
    turn_links(system.tables.tree, closure.work, start.q)
    signs = body_signs(system.tables)
    for place, body in zip(absolute.joints, (body for body in system.model.all_bodies()), strict=True):
        x, e = poses[body.path]
        pose = Frame(x, e)
        b = system.body_names.index(body.path)
        e = body_quaternion(system.tables.tree, closure.work, signs, b, tuple(pose.matrix.ravel()))
        link = int(system.tables.tree.body_link[b])
        w, u = closure.work.pose_v[link, :3], closure.work.pose_v[link, 3:]
        centre = pose.point(absolute.centre(body))
        q[place.q] = [*centre, *e]
        v[place.v] = [*(u + np.cross(w, centre - closure.work.pose_p[link])), *w]
    cut_q = absolute.cut_start.copy()
    found = {place.name: start.q[place.q] for place in system.joints}
    found |= {place.name: start.cut_q[place.q] for place in system.cuts}
    for place in absolute.cuts:
        cut_q[place.q] = found[place.name]
    count = len(absolute.coupled)
    cut_q[cut_q.size - count :] = start.cut_q[start.cut_q.size - count :]
    return np.concatenate([q, v, np.zeros(absolute.tables.tree.accounts)]), cut_q
