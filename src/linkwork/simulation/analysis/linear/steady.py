"""Steady motions: a spinning rotor, a car in a bend, a rolling disc. Such a motion looks the same at any time.

    d_i(q)   ways to move the whole state that its dynamics do not notice: a joint turned on, a place further along a
             road, a body turned about the vertical or about its own axis; velocities go along as D_i v
    c        how fast the state goes along them: v = sum c_i d_i(q), and its accelerations are sum c_i D_i v

Which combinations of ways are not noticed is found by the slopes of the accelerations at a few states beside the start.
Then Newton's method finds q, and where need be c, so that accelerations, loops and rates of rows fit. Small motions are
seen in axes that go along: the rate of a displacement d is less by sum c_i D_i d.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from linkwork.assembly.system import JointPlace, System
from linkwork.assembly.tables import Floats, Tables
from linkwork.errors import OptionError, RunError
from linkwork.mechanics.size import dof_units, row_units, size_of
from linkwork.model import Frame
from linkwork.simulation.analysis.dynamics import Accelerations, integrate
from linkwork.simulation.analysis.linear.slopes import Slopes
from linkwork.simulation.analysis.reduced import reduced
from linkwork.simulation.starts.start import Closure

ASIDE = 0.05  # rad, or of the size: how far states are beside the start at which ways are looked at
GAP = 2e-4  # the same for states in which loops are open
IMPURE = 1e-6  # of a combination of ways: rounding
UNNOTICED = 1e-8  # of the slopes: what a way changes by less is not noticed
HAIR = 1e-6  # for differences
FARTHEST = 0.1  # in one step
ROUNDS = 60
HALVED = 10  # times: a step that leads nowhere
STILL = 1e-10  # of what accelerates: what is left of it in a steady motion
SURE = 1e-9  # rad, or of the size: a last step beyond which rounding alone is left
SMALL = 1e-9  # singular values below this part of the largest count as zero
LATER = (0.1, 0.3)  # rad, or of the size: so much further laws of time show; motors count their ways from the start
PARTS = 400  # of the way there
STAYS = 1e-6  # of what accelerates
NO_RATE = 1e-9  # of the largest rate: not told


@dataclass(frozen=True)
class _Way:
    along: Callable[[Floats], Floats]  # by q: (nv,)
    turning: Floats  # (nv, nv)
    outer: bool  # about an axis of the frame that a body moves in, not its own


class Steady:
    """A steady motion near a start: coordinates `q`, velocities `v`, and how all displacements turn with it.

    >>> model = lw.Model("spinning rod")
    >>> rod = model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1))
    >>> pin = model.revolute("pin", model.ground, rod, at=(0, 0, 0), axis=(0, 0, 1), velocity=3.0)
    >>> system = lw.assemble(model)
    >>> steady = Steady(system, system.tables, 0.0, system.q_start, system.v_start, system.cut_start)
    >>> steady.v.tolist(), steady.told()
    ([3.0], 'pin 3 rad/s')
    """

    def __init__(self, system: System, tables: Tables, time: float, q: Floats, v: Floats, cut_q: Floats) -> None:
        self.system, self.tables, self.time, self.cut_q = system, tables, time, cut_q
        self._closure = Closure(system, time)
        self._accelerations = Accelerations(system, cut_q=cut_q)
        self._unit = dof_units(system.tables)
        self._row_unit = row_units(system.tables)
        gravity = float(np.linalg.norm(system.model.gravity)) / size_of(system.tables)
        speed = float(np.max(np.abs(v) / self._unit, initial=0.0))
        self._pace = max(gravity, speed**2) or 1.0
        self._ways = _all_ways(system)
        self._free = self._unnoticed(q, v)  # columns: combinations of ways
        self._rates = self._fitting(q, v)  # of the ways
        self.q, self._rates = self._found(q, self._rates)
        self.v = self._velocities(self.q, self._rates)
        self._refuse_time()

    @property
    def turning(self) -> Floats:
        """(nv, nv) by which displacements and velocities turn with the motion, 1/s."""
        return np.asarray(np.tensordot(self._rates, np.array([way.turning for way in self._ways]), 1))

    def later(self, angle: float = LATER[-1]) -> tuple[Floats, Floats]:
        """Coordinates when the fastest joint has moved by `angle` (rad, or the size), and how displacements turned."""
        from scipy.linalg import expm  # here, because it takes a third of a second

        seconds = self._span(angle)
        q, h = self.q, seconds / PARTS
        for _ in range(PARTS):
            half = integrate(self.system, q, self._velocities(q, self._rates), 0.5 * h)
            q = integrate(self.system, q, self._velocities(half, self._rates), h)
        return q, np.asarray(expm(seconds * self.turning))

    def _span(self, angle: float) -> float:
        return angle / (float(np.max(np.abs(self.v) / self._unit, initial=0.0)) or 1.0)

    def told(self) -> str:
        """Which joints move, and how fast."""
        v, found = self.v, []
        fastest = float(np.max(np.abs(v) / self._unit, initial=0.0))
        for place in self.system.joints:
            some = v[place.v]
            if np.max(np.abs(some) / self._unit[place.v], initial=0.0) > NO_RATE * fastest:
                amounts = ", ".join(f"{each:.6g}" if abs(each) > NO_RATE * fastest else "0" for each in some)
                words = "" if some.size > 1 else " m/s" if self._unit[place.v.start] != 1.0 else " rad/s"
                found.append(f"{place.name} {amounts}{words}")
        return "; ".join(found) or "all at rest"

    def _velocities(self, q: Floats, rates: Floats) -> Floats:
        return np.asarray(sum((c * way.along(q) for c, way in zip(rates, self._ways, strict=True)), np.zeros(self._nv)))

    @property
    def _nv(self) -> int:
        return self.system.nv

    def _refuse_time(self) -> None:
        """Raise where the motion does not stay steady, as forces change with time."""
        for angle in LATER:
            try:
                left = self._left(self.later(angle)[0], self._rates, self.time + self._span(angle))
                left[self._nv : self._nv + self.system.rows] = 0.0
            except RunError:
                left = np.ones(1)
            if np.max(np.abs(left), initial=0.0) > STAYS:
                raise OptionError(
                    f"forces or motors of '{self.system.model.name}' change with time, so that no motion is steady; "
                    "give them constant laws, or use at='start'"
                )

    def _at(self, q: Floats, v: Floats, time: float) -> Floats:
        found = self._accelerations.at(q, v, time, self.tables, self.time)
        if found is None or not np.isfinite(found).all():
            raise RunError(f"'{self.system.model.name}' has no steady motion near its start; start it nearer to one")
        return found

    def _unnoticed(self, q: Floats, v: Floats) -> Floats:
        """Combinations of ways that change no acceleration: (way, combination)."""
        from scipy.linalg import qr  # here, because it takes a third of a second

        slopes = Slopes(self.system, self.cut_q, time=self.time, tables=self.tables)
        noticed = []
        for near, fast in self._beside(q, v):
            moves = np.array([way.along(near) for way in self._ways]).T
            rates = np.array([way.turning @ fast for way in self._ways]).T
            found = slopes.along(near, fast, slopes.directions(near, moves, rates)).accelerations
            a = self._at(near, fast, self.time)
            found = (found - np.array([way.turning @ a for way in self._ways]).T) / self._unit[:, None]
            lengths = np.max(np.abs(moves) / self._unit[:, None], axis=0)
            noticed.append(found / np.maximum(lengths, 1.0))
        changes = np.vstack(noticed)
        changes = changes / np.maximum(np.max(np.abs(changes), axis=1, initial=0.0), self._pace)[:, None]
        _, sizes, V = np.linalg.svd(changes)
        found = V[int(np.sum(sizes > UNNOTICED)) :].T
        if not found.size:
            return found
        pure = found @ np.linalg.inv(found[qr(found.T, pivoting=True)[2][: found.shape[1]]])
        return np.where(np.abs(pure) > IMPURE, pure, 0.0)

    def _beside(self, q: Floats, v: Floats) -> Iterator[tuple[Floats, Floats]]:
        """The start and states beside it: along motions that loops allow, and a little along all others."""
        random = np.random.default_rng(0)
        speed = ASIDE * float(np.sqrt(self._pace))
        N = reduced(self.system, q, time=self.time).null_space
        yield q, v
        for way, size in ((N, ASIDE), (N, ASIDE), (np.diag(self._unit), GAP)):
            moved, sped = (way @ random.standard_normal((way.shape[1], 2))).T
            moved, sped = (
                each / max(float(np.max(np.abs(each / self._unit), initial=0.0)), 1e-300) for each in (moved, sped)
            )
            yield integrate(self.system, q, size * moved, 1.0), v + speed * sped

    def _fitting(self, q: Floats, v: Floats) -> Floats:
        """Rates of the ways that come nearest to a velocity; bodies turn about axes of their own where they can."""
        along = np.array([way.along(q) for way in self._ways]).T / self._unit[:, None]
        outer = np.array([way.outer for way in self._ways])
        rates = np.zeros(len(self._ways))
        if not self._free.size:
            return rates
        _, sizes, V = np.linalg.svd(self._free[outer])
        own = self._free @ V[int(np.sum(sizes > UNNOTICED)) :].T
        for some in (own, self._free):
            left = v / self._unit - along @ rates
            rates = rates + some @ np.linalg.lstsq(along @ some, left, rcond=SMALL)[0]
        return rates

    def _found(self, q: Floats, rates: Floats) -> tuple[Floats, Floats]:
        """Newton's method, first at the given rates, then with the nearest ones."""
        for loose in (np.zeros((len(self._ways), 0)), self._free):
            q, rates, left, found = self._solved(q, rates, loose)
            if found:
                return q, rates
        raise RunError(f"no steady motion of '{self.system.model.name}' was found near its start: {self._why(left)}")

    def _why(self, left: Floats) -> str:
        worst = int(np.argmax(np.abs(left)))
        if worst >= self._nv:
            row = self.system.row_name((worst - self._nv) % self.system.rows)
            return f"{row} does not hold in it; start it nearer to one"
        unit = "rad/s2" if self._unit[worst] == 1.0 else "m/s2"
        amount = abs(left[worst]) * self._pace * self._unit[worst]
        return (
            f"joint '{self.system.dof_name(worst)}' still accelerates by {amount:.3g} {unit}; start it nearer to a "
            "steady motion, or add what drives and brakes it, so that it keeps its speed"
        )

    def _solved(self, q: Floats, rates: Floats, loose: Floats) -> tuple[Floats, Floats, Floats, bool]:
        """Where the steps lead, what is left there, and whether that is rounding."""
        nv, farthest, found = self._nv, FARTHEST, False
        left = self._left(q, rates)
        for _ in range(ROUNDS):
            J = self._slopes(q, rates, loose)
            step = np.linalg.lstsq(J, -left, rcond=SMALL)[0]
            largest = float(np.max(np.abs(step), initial=0.0))
            fits = np.linalg.norm(J @ step + left) < 0.5 * np.linalg.norm(left)
            found = bool(np.max(np.abs(left), initial=0.0) <= STILL or (largest <= SURE and fits))
            part = min(1.0, farthest / max(largest, 1e-300))
            for _ in range(HALVED):
                nearer = integrate(self.system, q, part * step[:nv] * self._unit, 1.0)
                other = rates + part * loose @ step[nv:]
                after = self._left(nearer, other)
                if np.linalg.norm(after) < (1.0 - 1e-3 * part) * np.linalg.norm(left):
                    break
                part *= 0.5
            else:
                break
            q, rates, left, farthest = nearer, other, after, max(FARTHEST, 2.0 * part * largest)
        return q, rates, left, found

    def _left(self, q: Floats, rates: Floats, time: float | None = None) -> Floats:
        """What is left of accelerations, gaps and rates of rows, without units."""
        v = self._velocities(q, rates)
        turning = np.tensordot(rates, np.array([way.turning for way in self._ways]), 1)
        self._closure.time = self.time if time is None else time
        a = (self._at(q, v, self._closure.time) - turning @ v) / self._unit / self._pace
        self._closure.cut_q[:] = self.cut_q
        self._closure.at(q, v)
        rows = np.concatenate([self._closure.g, self._closure.gd / np.sqrt(self._pace)])
        return np.concatenate([a, rows / np.tile(self._row_unit, 2)])

    def _slopes(self, q: Floats, rates: Floats, loose: Floats) -> Floats:
        columns = []
        for k in range(self._nv):
            unit = np.zeros(self._nv)
            unit[k] = self._unit[k]
            ends = [self._left(integrate(self.system, q, unit, h), rates) for h in (-HAIR, HAIR)]
            columns.append((ends[1] - ends[0]) / (2.0 * HAIR))
        for way in loose.T:
            ends = [self._left(q, rates + h * way) for h in (-HAIR, HAIR)]
            columns.append((ends[1] - ends[0]) / (2.0 * HAIR))
        return np.array(columns).T


def _all_ways(system: System) -> list[_Way]:
    return [way for place in system.joints for way in _Joint(place, system.nv).ways()]


class _Joint:
    """Ways to move one joint."""

    def __init__(self, place: JointPlace, nv: int) -> None:
        self.kind, self.nv, self.v, self.q = place.kind, nv, place.v.start, place.q.start
        self.count = place.v.stop - place.v.start

    def ways(self) -> list[_Way]:
        none = np.zeros((self.nv, self.nv))
        if self.kind == "free":
            return [way for e in np.eye(3) for way in self._of_free(e, none)]
        if self.kind == "ball":
            return [way for e in np.eye(3) for way in self._of_ball(e, none)]
        found = [_Way(partial(self._put, e, 0), none, outer=False) for e in np.eye(self.count)]
        if self.kind == "planar":
            turning = none.copy()
            turning[self.v, self.v + 1], turning[self.v + 1, self.v] = -1.0, 1.0
            found.append(_Way(self._turned, turning, outer=True))
        return found

    def _of_free(self, e: Floats, none: Floats) -> list[_Way]:
        turning = none.copy()
        for k in (self.v, self.v + 3):
            turning[k : k + 3, k : k + 3] = _cross(e)
        return [
            _Way(partial(self._put, e, 0), none, outer=False),
            _Way(partial(self._about, e), turning, outer=True),
            _Way(lambda q: self._put(self._matrix(q, 3) @ e, 3, q), none, outer=False),
        ]

    def _of_ball(self, e: Floats, none: Floats) -> list[_Way]:
        turning = none.copy()
        turning[self.v : self.v + 3, self.v : self.v + 3] = -_cross(e)  # velocities are those in its own axes
        return [
            _Way(lambda q: self._put(self._matrix(q, 0).T @ e, 0, q), none, outer=True),
            _Way(partial(self._put, e, 0), turning, outer=False),
        ]

    def _put(self, numbers: Any, first: int, q: Floats) -> Floats:
        d = np.zeros(self.nv)
        d[self.v + first : self.v + first + len(numbers)] = numbers
        return d

    def _about(self, e: Floats, q: Floats) -> Floats:
        return self._put(np.concatenate([np.cross(e, q[self.q : self.q + 3]), e]), 0, q)

    def _turned(self, q: Floats) -> Floats:
        return self._put([-q[self.q + 1], q[self.q], 1.0], 0, q)

    def _matrix(self, q: Floats, first: int) -> Any:
        return Frame(rotation=q[self.q + first : self.q + first + 4]).matrix


def _cross(e: Floats) -> Floats:
    """The matrix of e x."""
    return np.asarray(np.cross(e, np.eye(3)).T)
