"""`floquet`: small motions about a periodic one, by what becomes of each of them within one period.

    x        displacements and velocities of the independent coordinates, as in `linearise`
    Phi      x after a period = Phi x: exact slopes of a whole run to its start
    mu       multipliers, the eigenvalues of Phi: where one is larger than 1 the motion does not stay

A periodic motion is found from a start nearby by Newton's method: a step x with (Phi - 1) x = -(end - start).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from linkwork._kernels.duals import SLOPES, lift
from linkwork.assembly.assemble import assemble
from linkwork.assembly.laws.dual_laws import DualLaws
from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats
from linkwork.errors import ModelError, OptionError, RunError
from linkwork.formulations.explicit.recursive import Recursive, run
from linkwork.formulations.samples import make_samples, make_state
from linkwork.mechanics.size import dof_units
from linkwork.mechanics.tree.motions import coordinate_rates
from linkwork.model import Model
from linkwork.model.checked import shown
from linkwork.model.joints.joint_kinds import KINDS, QUATERNIONS
from linkwork.simulation.analysis.dynamics import integrate
from linkwork.simulation.analysis.equilibrium import Equilibrium
from linkwork.simulation.analysis.linear.linearise import (
    LinearPoint,
    carried_along,
    dof_label,
    point_of,
    simulation_at,
    ways_of,
)
from linkwork.simulation.analysis.linear.slopes import Slopes, warn_of_rough
from linkwork.simulation.analysis.poses.pose import Pose
from linkwork.simulation.methods import positive

Complexes = NDArray[np.complex128]
GROWS = 1e-6  # of 1: a multiplier that is larger by less may be rounding, as a double one has half of the digits
CLOSED = 1e-9  # rad, or of the size, and such velocities: a motion that repeats
REPEATS = 1e-5  # the same for a motion that is given as periodic
ROUNDS = 30
FARTHEST = 0.2  # rad, or of the size, in one step of the search
SMALL = 1e-9  # singular values below this part of the largest count as zero
UNNOTICED = 1e-9  # of the slopes: a displacement that nothing notices
FEWEST = 100  # steps in a period


@dataclass(frozen=True)
class Floquet:
    """Small motions about a periodic one of `period` seconds.

    `multipliers` say by what each of them has grown after a period, largest first, complex where it swings; `monodromy`
    is the matrix whose eigenvalues they are, for the `states`. `shapes[:, k]` are the states of multiplier k at the
    start of a period, which is at `q` and `v`.
    """

    model_name: str
    about: str
    period: float
    states: list[str]
    monodromy: Floats
    multipliers: Complexes
    shapes: Complexes = field(repr=False)
    q: Floats = field(repr=False)  # where the period starts
    v: Floats = field(repr=False)

    @property
    def exponents(self) -> Complexes:
        """Growth (1/s) and frequency (rad/s, but for whole turns in a period) of each multiplier."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.multipliers.astype(complex)) / self.period)

    @property
    def stable(self) -> bool:
        """Whether no multiplier is larger than 1."""
        return bool(np.all(np.abs(self.multipliers) <= 1.0 + GROWS))

    def __str__(self) -> str:
        verdict = "stable" if self.stable else "not stable"
        lines = [
            f"'{self.model_name}' about {self.about} of {self.period:.6g} s: {verdict}",
            f"{'size':>12} {'angle':>8}  after a period",
        ]
        for mu in self.multipliers:
            size = abs(mu)
            word = "grows" if size > 1.0 + GROWS else "stays" if size >= 1.0 - GROWS else "decays"
            lines.append(f"{size:12.6g} {np.degrees(np.angle(mu)):7.1f}°  {word}")
        return "\n".join(lines)


def floquet(
    model: Model | System,
    period: float,
    *,
    at: str | Equilibrium | Pose = "periodic",
    dt: float = 1e-3,
    integrator: str = "rk4",
) -> Floquet:
    """Multipliers of a motion that repeats after `period` (s): one turn of a crank, a support that shakes.

    `at` is "periodic" (the motion is found from the model's start values, which must be near it; the default), "start"
    (it begins with these), "equilibrium" (the model rests and its parameters swing), or what `lw.equilibrium` or
    `lw.reach` gave. The run takes steps of about `dt` seconds by method "recursive". Joints may have made whole turns
    after a period, and what nothing notices, as a place along a road, need not repeat.

    With controllers or sensors a period is a whole number of their samples, the motion begins at the model's start, and
    slopes are differences of runs; numbers that they hold and remember are states too.

    >>> model = lw.Model("fan", gravity=(0, 0, 0))
    >>> wheel = model.body("wheel", mass=1.0, inertia=(1, 1, 1))
    >>> pin = model.revolute("pin", model.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1), velocity=6.0, damping=0.5)
    >>> push = model.torque("push", pin, 3.0)
    >>> round(float(abs(lw.floquet(model, 2 * np.pi / 6.0).multipliers[1])), 6)  # exp(-0.5 T)
    0.592385
    """
    positive("period", period, "s")
    positive("dt", dt, "s")
    if isinstance(at, str) and at not in ("periodic", "start", "equilibrium"):
        raise OptionError(
            "at= must be 'periodic', 'start', 'equilibrium', or what lw.equilibrium or lw.reach gives, not "
            f"{shown(at)}; correct at="
        )
    search = isinstance(at, str) and at == "periodic"
    system = model if isinstance(model, System) else assemble(model)
    for event in system.model.all_events():
        raise OptionError(
            f"'{system.model.name}' has the {event.word} '{event.path}', which slopes of a period do not go through; "
            "leave it out"
        )
    if any(True for _ in (*system.model.all_controllers(), *system.model.all_sensors())):
        return _sampled(system, period, "start" if search else at, dt, integrator)
    point = point_of(system, "start" if search else at)
    turn = _Period(point, period, max(FEWEST, round(period / dt)), integrator)
    found = turn.repeated() if search else turn.once(point.q, point.v)
    if not search and found.gap > REPEATS:
        raise OptionError(
            f"'{point.system.model.name}' does not repeat after {period:g} s: joint '{found.joint}' is off by "
            f"{found.gap:.2g}; correct period=, or give at='periodic' to look for the start of a motion that does"
        )
    warn_of_rough(turn.laws)
    about = "a periodic motion" if search or at == "start" else f"{point.about} over a period"
    return _floquet(point, about, period, found.states, found.Phi, found.q, found.v)


def _floquet(
    point: LinearPoint, about: str, period: float, states: list[str], Phi: Floats, q: Floats, v: Floats
) -> Floquet:
    values, vectors = np.linalg.eig(Phi)
    order = np.argsort(-np.abs(values), kind="stable")
    ordered = values[order].astype(complex), vectors[:, order].astype(complex)
    return Floquet(point.system.model.name, about, period, states, Phi, *ordered, q, v)


def _sampled(system: System, period: float, at: Any, dt: float, integrator: str) -> Floquet:
    """The same with controllers and sensors: what they hold and remember are states too."""
    from linkwork.simulation.analysis.linear.sampled_map import SampledMap  # here, because runs look at linear models

    steps = max(1, round(period / dt))
    sim, about = simulation_at(system, at, Recursive(dt=period / steps, integrator=integrator), sampled=True)
    stepper = sim.stepper
    point = LinearPoint(
        stepper.moving, stepper.tables, sim.q.copy(), sim.v.copy(), stepper.state.cut_q.copy(), sim.time, about
    )
    kept = SampledMap(sim, point, period, steps, partial(_apart, point.system))
    Phi = kept.matrix()
    unnoticed = np.abs(Phi - np.eye(len(Phi))).max(axis=0) <= 1e3 * UNNOTICED * np.abs(Phi).max()
    off = np.where(unnoticed, 0.0, np.abs(kept.away) / kept.unit)
    if off.max() > REPEATS:
        name = kept.names[int(np.argmax(off))]
        raise OptionError(
            f"'{system.model.name}' does not repeat after {period:g} s: '{name}' is off by {off.max():.2g}; give at= a "
            "state in which controllers and forces balance, such as 'equilibrium', with inputs as they are there"
        )
    return _floquet(point, f"{about}, sampled,", period, kept.names, Phi, point.q, point.v)


class _Turn(NamedTuple):
    """What one period from a start leads to."""

    q: Floats  # where it starts
    v: Floats
    Phi: Floats
    states: list[str]
    away: Floats  # (states,) end less start
    gap: float  # the largest of them, without units
    joint: str  # where it is
    step: Floats  # displacements (nv,) and velocities (nv,) behind each other, towards a start that repeats


class _Period:
    """One period of a model, from any start."""

    def __init__(self, point: LinearPoint, period: float, steps: int, integrator: str) -> None:
        self.point, self.system, self.steps = point, point.system, steps
        self.h, self.period = period / steps, period
        self.method = Recursive(dt=self.h, integrator=integrator)
        self.unit = dof_units(self.system.tables)
        self.slopes = Slopes(self.system, point.cut_q, time=point.time, tables=point.tables)
        self.laws = DualLaws(self.system, point.tables)

    def repeated(self) -> _Turn:
        """The start of a motion that repeats, near the model's."""
        found = self.once(self.point.q, self.point.v)
        for _ in range(ROUNDS):
            if found.gap <= CLOSED:
                return found
            moved, sped = np.split(found.step, 2)
            most = float(max(np.max(np.abs(each / self.unit), initial=0.0) for each in (moved, sped * self.period)))
            part = min(1.0, FARTHEST / max(most, 1e-300))
            for _ in range(6):
                start = self._closed(integrate(self.system, found.q, part * moved, 1.0), found.v + part * sped)
                other = self.once(*start)
                if other.gap < found.gap:
                    break
                part *= 0.5
            if not other.gap < 0.999 * found.gap:
                break
            found = other
        if found.gap <= 1e3 * CLOSED:
            return found
        raise RunError(
            f"no motion of '{self.system.model.name}' that repeats after {self.period:g} s was found near its start: "
            f"joint '{found.joint}' is off by {found.gap:.2g}; start it nearer to one, or correct period=",
            culprit=found.joint,
        )

    def _closed(self, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        """The state moved onto the loops."""
        system = replace(self.system, q_start=q, v_start=v, cut_start=self.point.cut_q)
        point = point_of(system, "start")
        return point.q, point.v

    def once(self, q: Floats, v: Floats) -> _Turn:
        point = self.point._replace(q=q, v=v)
        ways = ways_of(point)
        N, P, free, places = ways
        f, p = len(free), len(places)
        if not p:
            raise ModelError(f"'{self.system.model.name}' has no degrees of freedom to move in; see lw.check(model)")
        moves = np.hstack([P, np.zeros((len(P), f))])
        rates = np.hstack([carried_along(point, self.slopes, ways), N])
        ways_y = self.slopes.directions(q, moves, rates)
        end_q, end_v, ends = self._run(q, v, ways_y.q, ways_y.v)
        Phi = np.vstack([_displacements(self.system, end_q, ends[: q.size])[places], ends[q.size :][free]])
        apart = _apart(self.system, q, end_q)
        away = np.concatenate([apart[places], (end_v - v)[free]])
        unnoticed = np.abs(Phi - np.eye(p + f)).max(axis=0) <= UNNOTICED * np.abs(Phi).max()
        away[:p][unnoticed[:p]] = 0.0
        unit = np.concatenate([self.unit[places], self.unit[free] / self.period])
        size = np.abs(away) / unit
        k = int(np.argmax(size))
        label = dof_label(self.system, [*places, *free][k])
        step = np.linalg.lstsq((Phi - np.eye(p + f)) / unit[:, None] * unit, -away / unit, rcond=SMALL)[0] * unit
        whole = np.concatenate([moves @ step, rates @ step])
        kinds = ((k, "position") for k in places), ((k, "velocity") for k in free)
        names = [f"{dof_label(self.system, k)}.{what}" for k, what in chain(*kinds)]
        return _Turn(q, v, Phi, names, away, float(size[k]), label, whole)

    def _run(self, q: Floats, v: Floats, dq: Floats, dv: Floats) -> tuple[Floats, Floats, Floats]:
        """The end of a period, and its slopes along directions of the start, (q and v, direction)."""
        found = []
        for first in range(0, dq.shape[1], SLOPES):
            some = slice(first, min(first + SLOPES, dq.shape[1]))
            y, slopes = self._batch(q, v, dq[:, some], dv[:, some])
            found.append(slopes[:, : some.stop - first])
        return y[: q.size], y[q.size : q.size + v.size], np.hstack(found)

    def _batch(self, q: Floats, v: Floats, dq: Floats, dv: Floats) -> tuple[Floats, Floats]:
        plain = self.point.tables
        work = self.method.prepare(plain)
        begin = np.zeros(q.size + v.size + plain.tree.accounts)
        begin[: q.size], begin[q.size : q.size + v.size] = q, v
        state = make_state(plain, begin, self.point.cut_q)
        state.t[0] = self.point.time
        tables, work, state, rows = lift((plain, work, state, make_samples(state, 2)))
        tables = self.laws.put_in(tables)
        n = dq.shape[1]
        state.y["d"][: q.size, :n], state.y["d"][q.size : q.size + v.size, :n] = dq, dv
        status = run(tables, work, state, self.point.time, -1, self.h, 1, 1, rows)[2]
        if status == 0:
            state.row[0] = 1
            status = run(tables, work, state, self.point.time, 0, self.h, self.steps, self.steps, rows)[2]
        self.laws.check()
        if status != 0:
            raise RunError(
                f"the run of '{self.system.model.name}' stopped at t = {float(state.t['v'][0]):.6g} s, before a period "
                "was over; simulate it alone to see why"
            )
        m = q.size + v.size
        return state.y["v"][:m].copy(), state.y["d"][:m].copy()


def _displacements(system: System, q: Floats, dq: Floats) -> Floats:
    """Displacements in the units of v for slopes of the coordinates."""
    rates = np.zeros((q.size, system.nv))
    for k in range(system.nv):
        unit, out = np.zeros(system.nv), np.zeros(q.size + system.nv)
        unit[k] = 1.0
        coordinate_rates(system.tables.tree, q, unit, out)
        rates[:, k] = out[: q.size]
    return np.asarray(np.linalg.pinv(rates) @ dq)


def _apart(system: System, q: Floats, end: Floats) -> Floats:
    """From q to the end, in the units of v; whole turns do not count."""
    attitudes, angles = _turning(system)
    end = end.copy()
    for at in attitudes:  # an attitude and its negative are one
        end[at : at + 4] *= np.sign(end[at : at + 4] @ q[at : at + 4])
    d = _displacements(system, q, (end - q)[:, None])[:, 0]
    d[angles] = (d[angles] + np.pi) % (2.0 * np.pi) - np.pi
    return d


def _turning(system: System) -> tuple[list[int], list[int]]:
    """Where attitudes begin among the coordinates, and which velocities are rates of angles that may turn round."""
    attitudes, angles = [], []
    for place in system.joints:
        q, v = place.q.start, place.v.start
        for motion in KINDS[place.kind].motions:
            if motion.word == "turn":
                angles.append(v)
            q, v = q + motion.nq, v + motion.nv
            if motion.word in QUATERNIONS:
                attitudes.append(q - 4)
    return attitudes, angles
