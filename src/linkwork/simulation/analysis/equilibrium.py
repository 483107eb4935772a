"""`equilibrium`: where a model would stay at rest, by Newton's method on the forces and the loops together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwork.assembly.assemble import assemble
from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats
from linkwork.errors import ModelWarning, OptionError, RunError
from linkwork.mechanics.size import size_of
from linkwork.model import Model
from linkwork.model.checked import shown
from linkwork.simulation.analysis.dynamics import integrate, tree_forces
from linkwork.simulation.analysis.holds import HELD, Hold, find_holds
from linkwork.simulation.analysis.poses.pose import Pose
from linkwork.simulation.methods import positive
from linkwork.simulation.results.judging.warning import warn
from linkwork.simulation.starts.driven import driven_start
from linkwork.simulation.starts.start import Closure, consistent_start
from linkwork.spatial import codes

# all of them relative to the size of the model: angles in rad, ways in its lengths, forces in its forces
HAIR = 1e-6  # for differences
FARTHEST = 0.1  # in one step, until steps turn out as foreseen
ROUNDS = 100
STEP = 1e-3  # s: over which laws of motors are looked at for jumps
CHANGES = 4  # of the state of each motor or stop
CLOSED = 1e-11  # what loops may be open by
SMALL = 1e-10  # singular values below this part of the largest count as zero: where nothing pushes back


@dataclass(frozen=True)
class Equilibrium:
    """A position at rest: `q` of the tree joints, `positions` of the joints by name, and the largest force left over.

    `force` is in N and N m. Give it to `lw.simulate(model, start=…)`: the run begins there, with the model's start
    velocities.
    """

    q: Floats
    positions: dict[str, Floats]
    force: float
    rounds: int


def equilibrium(model: Model | System, *, tolerance: float = 1e-9) -> Equilibrium:
    """The rest position nearest to the start, at t = 0: all forces balance, within the fraction `tolerance` of them.

    Motors hold their joints at their position of t = 0, those of velocities where the model starts; servos give way
    by their stiffness, and a motor with `max_torque` gives way where that is not enough. Stops of joints bear. Dry
    friction does not: the forces balance without it. Contacts are left out, and gears stand in the middle of
    their play, both with a warning.

    In directions without any force, as along a level road, the model stays where it starts. A body that is pushed but
    not held has no rest position: the error names it.

    >>> model = lw.Model("scales")
    >>> pan = model.body("pan", mass=2.0, inertia=0)
    >>> guide = model.prismatic("guide", "ground", pan, at=(0, 0, 0), axis=(0, 0, 1), stiffness=981.0)
    >>> round(float(lw.equilibrium(model).positions["guide"][0]), 9)
    -0.02
    """
    positive("tolerance", tolerance, "")
    system = model if isinstance(model, System) else assemble(model)
    if "contact" in system.features:
        warn(
            f"the equilibrium of '{system.model.name}' is found without contacts; run it until it settles instead",
            ModelWarning,
        )
    for each in system.coupled:
        if each.play:
            warn(
                f"the equilibrium of '{system.model.name}' is found with {each.part.word} '{each.part.path}' in the "
                "middle of its play; run it until it settles instead",
                ModelWarning,
            )
    return at_rest(system, tolerance)


def at_rest(system: System, tolerance: float = 1e-9, ignored: Any = ()) -> Equilibrium:
    """The equilibrium of a system; features that are `ignored` hold nothing."""
    _check_laws(system)
    if not system.driven and "motors" not in ignored and system.features & {"rigid motors", "servos"}:
        system = assemble(system.model, floating=True, driven=True, before=system)
    start = driven_start(system, 0.0, STEP).start if system.driven else consistent_start(system)
    balance = _Balance(system, find_holds(system, np.concatenate([start.q, start.cut_q]), ignored))
    q, lam = start.q, np.zeros(system.rows + len(balance.holds))
    rounds = 0
    for _ in range(CHANGES * (1 + len(balance.holds))):
        q, lam, more = _solved(balance, q, lam, tolerance)
        rounds += more
        wrong, hold = max(((balance.change(k, q, lam), k) for k in range(len(balance.holds))), default=(0.0, -1))
        if wrong == 0.0:
            found = {place.name: q[place.q].copy() for place in system.joints}
            left = balance.at(q, lam)[: system.nv]
            return Equilibrium(q, found, float(np.max(np.abs(left / balance.lengths), initial=0.0)), rounds)
        lam = balance.turned(hold, lam)
    culprit = balance.holds[hold].name
    raise RunError(
        f"no position of rest of '{system.model.name}' was found: {culprit} holds and gives way in turn; start nearer "
        "to it, or let a damped run come to rest",
        culprit=culprit,
    )


def _solved(balance: _Balance, q: Floats, lam: Floats, tolerance: float) -> tuple[Floats, Floats, int]:
    """Positions and loads in balance, and the rounds it took; all holds keep their states."""
    system = balance.system
    left, farthest = balance.at(q, lam), FARTHEST
    for rounds in range(ROUNDS):
        worst = float(np.max(np.abs(left[: system.nv]), initial=0.0))
        if worst <= tolerance * balance.force() and np.max(np.abs(left[system.nv :]), initial=0.0) < CLOSED:
            return q, lam, rounds
        step, alone = balance.step(q, lam, left, tolerance)
        move, loads = step[: system.nv], step[system.nv :]
        part = min(1.0, farthest / max(float(np.max(np.abs(move), initial=0.0)), 1e-300))
        q, lam = integrate(system, q, part * move * balance.lengths, 1.0), lam + part * loads
        before, left = left, balance.at(q, lam)
        foreseen = balance.norm(left) < (1.0 - 0.5 * part) * balance.norm(before)
        farthest = 2.0 * farthest if foreseen else FARTHEST
    culprit, why = balance.told(alone if np.any(alone) else left[: system.nv], bool(np.any(alone)))
    raise RunError(f"no position of rest of '{system.model.name}' was found: {why}", culprit=culprit)


def _check_laws(system: System) -> None:
    """Raise for laws with states; warn where something that is sampled does not take part."""
    model = system.model
    for column, told in system.late.items():
        raise OptionError(
            f"the law of {told} sees '{column}' of the last step, and an equilibrium has no steps; run '{model.name}' "
            "until it settles instead"
        )
    for body in model.all_bodies():
        if body.hidden:
            raise OptionError(
                f"'{model.name}' has a law with states of its own ('{body.name}'), which are not zero at rest; "
                "run it until it settles instead"
            )
    sampled = next(iter((*model.all_controllers(), *model.all_sensors())), None)
    if sampled is not None:
        without = f"the {sampled.word} '{sampled.path}' and the like"
        why = "inputs have the numbers of the model"
        warn(f"the equilibrium of '{model.name}' is found without {without}; {why}", ModelWarning)


def resting(system: System, start: Any, ignored: Any = ()) -> Equilibrium | Pose:
    """The equilibrium to start from: found now, or found before and given; or a pose."""
    if isinstance(start, str) and start == "equilibrium":
        return at_rest(system, ignored=ignored)
    if not isinstance(start, Equilibrium | Pose) or start.q.shape != system.q_start.shape:
        name = repr(system.model.name)
        raise OptionError(
            f"start must be 'equilibrium' or what lw.equilibrium({name}) or lw.reach({name}, …) gives, not "
            f"{shown(start)}; correct start="
        )
    return start


def placed(system: System, found: Equilibrium | Pose) -> System:
    """The system with an equilibrium or a pose as its start; what the model gives its cuts does not hold there."""
    cut_q = found.cut_q if isinstance(found, Pose) else system.cut_start
    return replace(system, q_start=found.q, cut_start=cut_q, cut_q_given=np.zeros_like(system.cut_q_given))


class _Balance:
    """Forces left over and gaps of the loops, and their change with positions and multipliers.

    Ways are measured in lengths of the model (`lengths`), so that forces and torques are all J. Behind the rows of the
    loops stands one for each motor of limited torque and each stop; where it does not hold, its load is zero.
    """

    def __init__(self, system: System, holds: list[Hold]) -> None:
        self.system, self.closure, self.holds = system, Closure(system), holds
        self.zero = np.zeros(system.nv)
        self.size = size_of(system.tables)
        self.lengths = np.where(_ways(system), self.size, 1.0)
        self.spans = [self.size if each.slides else 1.0 for each in holds]
        self.gaps = np.where(system.tables.cuts.row_kind == codes.CROSSED, 1.0, self.size)
        weight = float(system.tables.tree.link_mass.sum() * np.linalg.norm(system.model.gravity))
        self.weight = weight * self.size
        self.largest = 0.0

    def force(self) -> float:
        """What forces are compared with, J: the weight of all, or what there was more."""
        return max(self.weight, self.largest)

    def norm(self, left: Floats) -> float:
        """How much is left, without units."""
        nv = self.system.nv
        return float(np.hypot(np.linalg.norm(left[:nv]) / (self.force() or 1.0), np.linalg.norm(left[nv:])))

    def rows(self, q: Floats, lam: Floats) -> tuple[Floats, Floats, Floats]:
        """(row,) gaps, (row, nv) their change with the velocities, (row,) with their own loads; as parts of the size.

        `closure` must be at q.
        """
        rows = self.system.rows
        g, G = np.zeros(lam.size), np.zeros((lam.size, self.system.nv))
        gives = np.zeros(lam.size)
        g[:rows], G[:rows] = self.closure.g / self.gaps, self.closure.G / self.gaps[:, None]
        for r, (hold, span) in enumerate(zip(self.holds, self.spans, strict=True), rows):
            at, along = hold.row(self.closure, q)
            if hold.state == HELD:
                gives[r] = 1.0 / (hold.stiffness * span**2)
                g[r], G[r] = (at - hold.value) / span + gives[r] * lam[r], along / span
        return g, G, gives

    def at(self, q: Floats, lam: Floats) -> Floats:
        """tau - G^T lam, the joint forces that would have to be put in, then the rows g."""
        self.closure.at(q, self.zero)
        tau = tree_forces(self.system, q, self.zero, self.zero)
        self.largest = max(self.largest, float(np.max(np.abs(self.lengths * tau), initial=0.0)))
        for hold in self.holds:
            if hold.push:
                tau = tau - hold.push * hold.row(self.closure, q)[1]
        g, G, _ = self.rows(q, lam)
        return np.concatenate([self.lengths * (tau - G.T @ lam), g])

    def change(self, k: int, q: Floats, lam: Floats) -> float:
        """By how much hold k does what it cannot."""
        hold, span = self.holds[k], self.spans[k]
        self.closure.at(q, self.zero)
        effort = lam[self.system.rows + k] / span
        return hold.change(hold.row(self.closure, q)[0], effort, span, self.force() / span)

    def turned(self, k: int, lam: Floats) -> Floats:
        """Hold k takes its other state; the loads to go on from."""
        r = self.system.rows + k
        self.holds[k].turn(float(lam[r]))
        lam = lam.copy()
        lam[r] = 0.0
        return lam

    def step(self, q: Floats, lam: Floats, left: Floats, tolerance: float) -> tuple[Floats, Floats]:
        """The least change that Newton's method asks for, and the forces against which nothing pushes back.

        Loads and gaps are weighed like forces of the springs. Forces that nothing resists push the model along.
        """
        system, lengths = self.system, self.lengths
        nv = system.nv
        self.closure.at(q, self.zero)
        _, G, gives = self.rows(q, lam)
        G = G * lengths
        K: Any = np.zeros((nv, nv))
        for k in range(nv):
            unit = np.zeros(nv)
            unit[k] = lengths[k]
            ahead, behind = (self.at(integrate(system, q, unit, h), lam)[:nv] for h in (HAIR, -HAIR))
            K[:, k] = (ahead - behind) / (2 * HAIR)
        weight = max(self.force(), float(np.max(np.abs(K), initial=0.0))) or 1.0
        idle = [system.rows + k for k, hold in enumerate(self.holds) if hold.state != HELD]
        own = weight**2 * gives
        own[idle] = weight  # no load
        J = np.block([[K, -weight * G.T], [weight * G, np.diag(own)]])
        wanted = -np.concatenate([left[:nv], weight * left[nv:]])
        step: Floats = np.linalg.lstsq(J, wanted, rcond=SMALL)[0]
        alone = (wanted - J @ step)[:nv]
        if np.max(np.abs(alone), initial=0.0) <= tolerance * self.force():
            alone = np.zeros(nv)
        else:
            step[:nv] += FARTHEST * alone / np.max(np.abs(alone))
        step[nv:] *= weight
        return step, alone

    def told(self, forces: Floats, unresisted: bool) -> tuple[str, str]:
        """The joint in which the most is left, and why that is so."""
        system = self.system
        k = int(np.argmax(np.abs(forces)))
        name, unit = system.dof_name(k), "N" if _ways(system)[k] else "N m"
        amount = f"{abs(forces[k]) / self.lengths[k]:.3g} {unit}"
        place = next(place for place in system.joints if place.name == name)
        if not unresisted:
            return name, f"{amount} are left in joint '{name}'; start nearer to it, or let a damped run come to rest"
        if place.kind != "free":
            return name, (
                f"in joint '{name}' nothing pushes back against {amount}, so that it would move on and on; "
                "hold it by a spring, stiffness= or another joint, or remove what pushes"
            )
        body = place.body if place.joint is None else place.joint.b.path
        e = k - place.v.start
        way = f"{'along' if e < 3 else 'about'} {'-' if forces[k] < 0.0 else ''}{'xyz'[e % 3]}"
        return name, (
            f"nothing holds body '{body}', {amount} push it {way} and nothing pushes back in '{name}'; "
            "hold it by a joint or springs, or remove what pushes"
        )


def _ways(system: System) -> Any:
    """(nv,) bool: which velocities are in m/s."""
    tree = system.tables.tree
    motion = tree.link_motion[tree.dof_link]
    first = np.arange(system.nv) - tree.link_v[tree.dof_link]
    return (motion == codes.SLIDE) | ((motion == codes.FREE) & (first < 3))
