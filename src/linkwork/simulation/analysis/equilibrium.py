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
from linkwork.simulation.analysis.pose import Pose
from linkwork.simulation.methods import positive
from linkwork.simulation.results.warning import warn
from linkwork.simulation.start import Closure, consistent_start
from linkwork.spatial import codes

# all of them relative to the size of the model: angles in rad, ways in its lengths, forces in its forces
HAIR = 1e-6  # for differences
FARTHEST = 0.1  # in one step, until steps turn out as foreseen
ROUNDS = 100
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
    _check_laws(system)
    balance = _Balance(system)
    q, lam = consistent_start(system).q, np.zeros(system.rows)
    left, farthest = balance.at(q, lam), FARTHEST
    for rounds in range(ROUNDS):
        worst = float(np.max(np.abs(left[: system.nv]), initial=0.0))
        if worst <= tolerance * balance.force() and np.max(np.abs(left[system.nv :]), initial=0.0) < CLOSED:
            found = {place.name: q[place.q].copy() for place in system.joints}
            forces = np.abs(left[: system.nv] / balance.lengths)
            return Equilibrium(q, found, float(np.max(forces, initial=0.0)), rounds)
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


def resting(system: System, start: Any) -> Equilibrium | Pose:
    """The equilibrium to start from: found now, or found before and given; or a pose."""
    if isinstance(start, str) and start == "equilibrium":
        return equilibrium(system)
    if not isinstance(start, Equilibrium | Pose) or start.q.shape != system.q_start.shape:
        name = repr(system.model.name)
        raise OptionError(
            f"start must be 'equilibrium' or what lw.equilibrium({name}) or lw.reach({name}, …) gives, not "
            f"{shown(start)}; correct start="
        )
    return start


def placed(system: System, start: Any) -> System:
    """The system with an equilibrium or a pose as its start; what the model gives its cuts does not hold there."""
    found = resting(system, start)
    cut_q = found.cut_q if isinstance(found, Pose) else system.cut_start
    return replace(system, q_start=found.q, cut_start=cut_q, cut_q_given=np.zeros_like(system.cut_q_given))


class _Balance:
    """Forces left over and gaps of the loops, and their change with positions and multipliers.

    Ways are measured in lengths of the model (`lengths`), so that forces and torques are all J.
    """

    def __init__(self, system: System) -> None:
        self.system, self.closure = system, Closure(system)
        self.zero = np.zeros(system.nv)
        size = size_of(system.tables)
        self.lengths = np.where(_ways(system), size, 1.0)
        self.gaps = np.where(system.tables.cuts.row_kind == codes.CROSSED, 1.0, size)
        weight = float(system.tables.tree.link_mass.sum() * np.linalg.norm(system.model.gravity))
        self.weight = weight * size
        self.largest = 0.0

    def force(self) -> float:
        """What forces are compared with, J: the weight of all, or what there was more."""
        return max(self.weight, self.largest)

    def norm(self, left: Floats) -> float:
        """How much is left, without units."""
        nv = self.system.nv
        return float(np.hypot(np.linalg.norm(left[:nv]) / (self.force() or 1.0), np.linalg.norm(left[nv:])))

    def at(self, q: Floats, lam: Floats) -> Floats:
        """tau - G^T lam, the joint forces that would have to be put in, then the rows g."""
        self.closure.at(q, self.zero)
        tau = tree_forces(self.system, q, self.zero, self.zero)
        self.largest = max(self.largest, float(np.max(np.abs(self.lengths * tau), initial=0.0)))
        G = self.closure.G / self.gaps[:, None]
        return np.concatenate([self.lengths * (tau - G.T @ lam), self.closure.g / self.gaps])

    def step(self, q: Floats, lam: Floats, left: Floats, tolerance: float) -> tuple[Floats, Floats]:
        """The least change that Newton's method asks for, and the forces against which nothing pushes back.

        Loads and gaps are weighed like forces of the springs. Forces that nothing resists push the model along.
        """
        system, lengths = self.system, self.lengths
        nv, rows = system.nv, system.rows
        self.closure.at(q, self.zero)
        G = self.closure.G / self.gaps[:, None] * lengths
        K: Any = np.zeros((nv, nv))
        for k in range(nv):
            unit = np.zeros(nv)
            unit[k] = lengths[k]
            ahead, behind = (self.at(integrate(system, q, unit, h), lam)[:nv] for h in (HAIR, -HAIR))
            K[:, k] = (ahead - behind) / (2 * HAIR)
        weight = max(self.force(), float(np.max(np.abs(K), initial=0.0))) or 1.0
        J = np.block([[K, -weight * G.T], [weight * G, np.zeros((rows, rows))]])
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
        body = name.removesuffix(" free") if place.joint is None else place.joint.b.path
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
