"""`equilibrium`: where a model would stay at rest, by Newton's method on the forces and the loops together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.assembly.assemble import assemble
from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats
from linkwork.errors import OptionError, RunError
from linkwork.model import Model
from linkwork.model.checked import shown
from linkwork.simulation.numbers import integrate, inverse_dynamics
from linkwork.simulation.start import Closure, consistent_start

HAIR = 1e-6  # rad, m: for differences
FARTHEST = 0.1  # rad, m in one step
ROUNDS = 100
CLOSED = 1e-11  # rad, m: what loops may be open by
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


def equilibrium(model: Model | System, *, tolerance: float = 1e-6) -> Equilibrium:
    """The position of rest nearest to the start, at t = 0: all forces balance, to `tolerance` N and N m.

    Where nothing pushes back, as along a level road, the model stays where it starts.

    >>> model = lw.Model("scales")
    >>> pan = model.body("pan", mass=2.0, inertia=0)
    >>> guide = model.prismatic("guide", "ground", pan, at=(0, 0, 0), axis=(0, 0, 1), stiffness=981.0)
    >>> round(float(lw.equilibrium(model).positions["guide"][0]), 9)
    -0.02
    """
    system = model if isinstance(model, System) else assemble(model)
    balance = _Balance(system)
    q, lam = consistent_start(system).q, np.zeros(system.rows)
    left = balance.at(q, lam)
    for rounds in range(ROUNDS):
        worst = float(np.max(np.abs(left[: system.nv]), initial=0.0))
        if worst < tolerance and np.max(np.abs(left[system.nv :]), initial=0.0) < CLOSED:
            found = {place.name: q[place.q].copy() for place in system.joints}
            return Equilibrium(q, found, worst, rounds)
        step = balance.step(q, lam, left)
        move, loads = step[: system.nv], step[system.nv :]
        part = min(1.0, FARTHEST / max(float(np.max(np.abs(move), initial=0.0)), 1e-300))
        q, lam = integrate(system, q, move, part), lam + part * loads
        left = balance.at(q, lam)
    culprit = system.dof_name(int(np.argmax(np.abs(left[: system.nv]))))
    raise RunError(
        f"no position of rest of '{system.model.name}' was found: {worst:.3g} N or N m are left in joint '{culprit}'; "
        "start nearer to it, or let a damped run come to rest",
        culprit=culprit,
    )


def resting(system: System, start: Any) -> Equilibrium:
    """The equilibrium to start from: found now, or found before and given."""
    if isinstance(start, str) and start == "equilibrium":
        return equilibrium(system)
    if not isinstance(start, Equilibrium) or start.q.shape != system.q_start.shape:
        raise OptionError(
            f"start must be 'equilibrium' or what lw.equilibrium({system.model.name!r}) gives, not {shown(start)}; "
            "correct start="
        )
    return start


class _Balance:
    """Forces left over and gaps of the loops, and their change with positions and multipliers."""

    def __init__(self, system: System) -> None:
        self.system, self.closure = system, Closure(system)
        self.zero = np.zeros(system.nv)

    def at(self, q: Floats, lam: Floats) -> Floats:
        """tau - G^T lam, the joint forces that would have to be put in, then the rows g."""
        self.closure.at(q, self.zero)
        tau = inverse_dynamics(self.system, q, self.zero, self.zero)
        return np.concatenate([tau - self.closure.G.T @ lam, self.closure.g])

    def step(self, q: Floats, lam: Floats, left: Floats) -> Floats:
        """The least change that Newton's method asks for; loads and gaps are weighed like forces of the springs."""
        system = self.system
        nv, rows = system.nv, system.rows
        self.closure.at(q, self.zero)
        G = self.closure.G.copy()
        K: Any = np.zeros((nv, nv))
        for k in range(nv):
            unit = np.zeros(nv)
            unit[k] = 1.0
            ahead, behind = (self.at(integrate(system, q, unit, h), lam)[:nv] for h in (HAIR, -HAIR))
            K[:, k] = (ahead - behind) / (2 * HAIR)
        weight = max(1.0, float(np.max(np.abs(K), initial=0.0)))
        J = np.block([[K, -weight * G.T], [weight * G, np.zeros((rows, rows))]])
        wanted = -np.concatenate([left[:nv], weight * left[nv:]])
        step: Floats = np.linalg.lstsq(J, wanted, rcond=SMALL)[0]
        step[nv:] *= weight
        return step
