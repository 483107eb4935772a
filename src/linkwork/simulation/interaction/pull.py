"""Dragging in methods without impulses: the spring is a force on the body that is set anew before every step.

A force that waits for its step can feed energy in, when it is stiffer than the step allows. It therefore asks the
mechanism first: the step is tried with a small force along each axis, which gives the mobility W (m/s per N s) of the
point that is held, with all its joints and loops. The spring is then  F = W^-1 (w^2 (goal - x) - 2 z w u)  with w h
bounded, as soft or softer than asked for: along every direction it moves as that oscillator does, whatever hangs on it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats, Tables
from linkwork.model import Frame
from linkwork.simulation.interaction.drag import Drag
from linkwork.simulation.structure.events import Snapshot
from linkwork.spatial import codes

if TYPE_CHECKING:
    from linkwork.simulation.reading import Readings
    from linkwork.simulation.stepping.stepper import Stepper

FASTEST = 0.3  # radians of the oscillation in one step
TRIAL = 1e-2  # m/s^2 times the mass of the body: the force that is tried
LEAST = 100.0  # h of the largest mobility, up to all of it: what gives way less is held as if by so much, since in a
# long step the body turns and what was held there gives way
RENEW = 5e-3  # s after which the mobility is asked for again; meanwhile it turns with the body


def with_loads(system: System, tables: Tables, drags: dict[str, Drag]) -> tuple[Tables, int]:
    """Tables with a constant force more on each dragged body, and the first of their laws; three laws for each."""
    forces, laws, tree = tables.forces, tables.laws, tables.tree
    first, n = laws.law_kind.size, len(drags)
    bodies = np.array([system.body_names.index(name) for name in drags], dtype=np.int64)
    turns = tree.body_R[bodies].reshape(-1, 3, 3)
    points = tree.body_p[bodies] + np.einsum("bij,bj->bi", turns, np.array([drag.at for drag in drags.values()]))
    zero, one = np.zeros(n, dtype=np.int64), np.ones(n, dtype=np.int64)
    more = {
        "load_body": bodies,
        "load_link": tree.body_link[bodies],
        "load_point": points,
        "load_axis": np.zeros((n, 3)),
        "load_is_torque": zero,
        "load_in_body": zero,
        "load_is_vector": one,
        "load_law": first + 3 * np.arange(n, dtype=np.int64),
    }
    forces = forces._replace(**{name: np.concatenate([getattr(forces, name), new]) for name, new in more.items()})
    laws = laws._replace(
        law_kind=np.concatenate([laws.law_kind, np.full(3 * n, codes.CONSTANT, dtype=np.int64)]),
        law_input=np.concatenate([laws.law_input, np.zeros(3 * n, dtype=np.int64)]),
        law_param=np.concatenate([laws.law_param, np.zeros((3 * n, 4))]),
        law_start=np.concatenate([laws.law_start, np.full(3 * n, laws.law_start[-1], dtype=np.int64)]),
        law_address=np.concatenate([laws.law_address, np.zeros(3 * n, dtype=np.int64)]),
    )
    return tables._replace(forces=forces, laws=laws), first


class Pulls:
    """The springs of one stepper, whose forces stand in its tables from law `first` on."""

    def __init__(self, stepper: Stepper, drags: dict[str, Drag], first: int) -> None:
        self.stepper, self.drags, self.first = stepper, drags, first
        self.bodies = [stepper.moving.body_names.index(name) for name in drags]
        masses = {body.path: body.mass for body in stepper.system.model.all_bodies()}
        self.masses = [masses[name] or 1.0 for name in drags]
        self.mobilities: list[Floats] = []
        self.asked = 0.0  # when, s

    def go_on(self, from_there: Pulls) -> None:
        """With what others have found of the same bodies."""
        self.mobilities, self.asked = list(from_there.mobilities), from_there.asked

    def renew(self, readings: Readings) -> None:
        """Set the forces for the step that comes, by what `readings` show."""
        h = self.stepper.h
        fresh = not self.mobilities or self.stepper.time - self.asked > RENEW - 0.5 * h
        if fresh:
            self.mobilities, self.asked = [], self.stepper.time
        for k, drag in enumerate(self.drags.values()):
            x, u, R = self._point(k, readings)
            if fresh:
                self.mobilities.append(R.T @ self._mobility(k, readings) @ R)
            W = R @ self.mobilities[k] @ R.T
            self._set(k, pull(W, np.asarray(drag.to) - x, u, drag, h))

    def _set(self, k: int, force: Any) -> None:
        rows = slice(self.first + 3 * k, self.first + 3 * k + 3)
        self.stepper.tables.laws.law_param[rows, 0] = force
        self.stepper.inputs.changed = True

    def _point(self, k: int, readings: Readings) -> tuple[Floats, Floats, Floats]:
        """Where the held point is, its velocity, and how the body stands; world axes."""
        body = readings.see().body[0, self.bodies[k]]
        R = Frame((0, 0, 0), body[3:7]).matrix
        arm = R @ np.asarray(list(self.drags.values())[k].at, dtype=float)
        return body[:3] + arm, body[7:10] + np.cross(body[10:13], arm), R

    def _mobility(self, k: int, readings: Readings) -> Floats:
        """How the velocity of the point answers to an impulse along each axis, by steps that are taken back."""
        stepper, kept = self.stepper, self.stepper.tables.laws.law_param.copy()
        before = Snapshot(stepper.state, stepper.workspace)
        force = TRIAL * self.masses[k] * 9.81
        answers = []
        try:
            for axis in (None, 0, 1, 2):
                self._set(k, [force * (axis == j) for j in range(3)])
                stepper.refresh()
                status = stepper.run(stepper.origin, stepper.steps, 1, stepper.steps + 2, stepper.spare)[2]
                answers.append(self._point(k, readings)[1] if status == 0 else np.full(3, math.nan))
                before.restore()
        finally:
            before.restore()
            stepper.tables.laws.law_param[:] = kept
            stepper.inputs.changed = True
        W = np.array([(answer - answers[0]) / (force * stepper.h) for answer in answers[1:]])
        W = (W + W.T) / 2
        return W if np.isfinite(W).all() else np.eye(3) / self.masses[k]


def pull(W: Floats, d: Floats, u: Floats, drag: Drag, h: float) -> Floats:
    """Force (N) on a point with mobility W at distance d from its goal, with velocity u, in steps of h.

    >>> from linkwork.simulation.interaction.drag import GENTLE
    >>> free = np.eye(3) / 2.0  # a free body of 2 kg
    >>> pull(free, np.array([1.0, 0, 0]), np.zeros(3), Drag(0, 0, GENTLE, np.inf), 1e-3).round(1).tolist()
    [710.6, 0.0, 0.0]
    """
    soft = drag.softness
    values, axes = np.linalg.eigh(W)
    largest = float(values[-1])
    if not largest > 0.0:
        return np.zeros(3)  # nothing moves there
    mass = 1.0 / np.maximum(values, min(1.0, LEAST * h) * largest)
    if soft.hertz is not None:
        w = np.full(3, 2 * math.pi * soft.hertz)
        c = 2.0 * float(soft.damping_ratio or 0.0) * w
    else:
        w = np.sqrt(float(soft.stiffness or 0.0) / mass)
        c = float(soft.damping or 0.0) / mass
    w, c = np.minimum(w, FASTEST / h), np.minimum(c, 2 * FASTEST / h)
    F = axes @ (mass * (w**2 * (axes.T @ d) - c * (axes.T @ u)))
    size = float(np.linalg.norm(F))
    return np.asarray(F if size <= drag.most else F * (drag.most / size))
