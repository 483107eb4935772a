"""`kinematics`: the motion of a mechanism whose motors give every degree of freedom, without any force.

    g  rows of the loops, G      x - f  coordinates of the joints with motors less their laws, rows B

Positions by Newton's method on both together, from a prediction by velocities and accelerations so that the branch is
kept; velocities and accelerations from the same rows, S = (G, B). Everything is free of units as in `loop_forces`.
"""

from __future__ import annotations

import time as clock
from typing import Any

import numpy as np

from linkwork.assembly.assemble import assemble
from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats
from linkwork.errors import OptionError, RunError
from linkwork.formulations.samples import Samples, make_samples, make_state
from linkwork.mechanics.guides import left_guide
from linkwork.mechanics.size import size_of
from linkwork.model import Model
from linkwork.model.checked import shown
from linkwork.model.joint_kinds import KINDS
from linkwork.simulation.analysis.check import implied
from linkwork.simulation.analysis.dynamics import Accelerations, integrate
from linkwork.simulation.driven import driven_start
from linkwork.simulation.failures import off_guide
from linkwork.simulation.inverse.given_motion import GivenMotion, given_motions
from linkwork.simulation.inverse.loop_forces import DEAD, LoopForces
from linkwork.simulation.inverse.recorded_motion import derivative
from linkwork.simulation.methods import positive
from linkwork.simulation.results.certificate import Certificate, shortened
from linkwork.simulation.results.column_names import DRIFT
from linkwork.simulation.results.observe import Observer
from linkwork.simulation.results.rank_history import row_names
from linkwork.simulation.results.scene import scene_of
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.simulation.results.units import joint_units
from linkwork.simulation.run_certificate import model_hash, versions
from linkwork.simulation.simulate import count_steps
from linkwork.simulation.start import DEPENDENT

COLUMNS = ["*.position", "*.velocity", "*.acceleration", "*.rotation", "*.angular_velocity"]
CLOSED = 1e-13  # of the size of the model, or rad: a correction this small is rounding
GOOD = 1e-9  # what rows may be open by when no correction helps
ROUNDS = 12
FARTHEST = 0.1  # of the size, or rad: a correction of the prediction that is larger may lead to another branch
SMALLEST = 2.0**-14  # of dt


def kinematics(model: Model, until: float, dt: float) -> Trajectory:
    """Positions, velocities and accelerations, every `dt` up to `until` (s), of a mechanism that its motors drive.

    Every degree of freedom must have a rigid motor: `model.motor(name, joint, position=law)` or `velocity=`, without
    `max_torque` and `softness`; else the error names the motions that nothing drives. No force counts. The branch at
    the start is kept. A dead point, where the motors cannot tell where to go, is named with its time and joint. Laws
    made of numbers, cosines, steps and tables have exact derivatives; those of functions are formed by differences.

    Give the motion to `lw.required_forces` for the efforts of the motors.

    >>> model = lw.gallery.andrews.build(torque=0.0)
    >>> drive = model.motor("drive", "O", position=lw.Table((0, 1), (-0.0617138900142764496, 6.0)))
    >>> motion = lw.kinematics(model, until=0.01, dt=1e-3)
    >>> round(float(motion["O.velocity"][5]), 6), len(motion)
    (6.061714, 11)
    """
    if not isinstance(model, Model):
        raise OptionError(f"{shown(model)} is not a model; give a model with motors")
    positive("until", until, "s")
    positive("dt", dt, "s")
    begin = clock.perf_counter()
    run = _Run(assemble(model), float(until), float(dt))
    run.solve()
    return run.trajectory(clock.perf_counter() - begin)


class _Run:
    def __init__(self, system: System, until: float, dt: float) -> None:
        steps = count_steps(until, dt)
        self.system, self.dt = system, until / steps
        self.times: Floats = np.linspace(0.0, until, steps + 1)
        if system.foreign:
            raise OptionError(f"components of '{system.model.name}' live elsewhere; give a model with all its parts")
        self.loops = LoopForces(system)
        start = driven_start(system, 0.0, dt).start
        self.q, self.cut_q = start.q.copy(), start.cut_q.copy()
        here = {
            place.name: float((self.cut_q if place.is_cut else self.q)[place.q][0])
            for place in (*system.joints, *system.cuts)
            if place.q.stop > place.q.start
        }
        self.given = given_motions(system, dt, here)
        size = size_of(system.tables)
        slides = [KINDS[g.place.kind].slides_only for g in self.given]
        self.unit = np.where(slides, size, 1.0)
        self.v, self.a = np.zeros(system.nv), np.zeros(system.nv)
        self.accelerations = Accelerations(system)
        self.formed = False  # accelerations by differences, where the model has no inertia to ask
        state = make_state(system.tables, np.zeros(system.nq + system.nv + 2), self.cut_q)
        self.samples = make_samples(state, len(self.times))
        self.observer = Observer(system, COLUMNS)
        self.rounds = 0
        self.ranks: list[int] = []

    def solve(self) -> None:
        """All rows, one after the other."""
        if not self._newton(0.0, self.q):
            raise self._contradiction(0.0)
        self._rates(0, 0.0)
        for k in range(1, len(self.times)):
            self._reach(float(self.times[k - 1]), float(self.times[k]))
            self._rates(k, float(self.times[k]))

    def _reach(self, begin: float, end: float) -> None:
        """From one time to the next, in parts where the prediction is far off."""
        t, h = begin, end - begin
        while end - t > 1e-9 * self.dt:
            h = min(h, end - t)
            after = end if end - t - h <= 1e-9 * self.dt else t + h
            ahead = integrate(self.system, self.q, self.v + 0.5 * h * self.a, h)
            kept = self.cut_q.copy()
            if self._newton(after, ahead, FARTHEST):
                t = after
                if t != end:
                    self._velocities(t)
                    self.a[:] = 0.0
                h *= 2.0
                continue
            self.cut_q[:] = kept
            h *= 0.5
            if h < SMALLEST * self.dt:
                raise self._blocked(t)

    def _blocked(self, t: float) -> RunError:
        name = self.system.model.name
        moved = [g for g, unit in zip(self.given, self.unit, strict=True) if self._jumps(g, t, float(unit))]
        if moved:
            return RunError(
                f"motor '{moved[0].motor.path}' of '{name}' jumps at t = {t:.6g} s; give a law without jumps", time=t
            )
        self._at(t, self.q)
        if len(self.given) > self.system.nv - self.loops.rank:
            return self._contradiction(t)
        _, _, V = np.linalg.svd(self._rows())
        joint = self.loops.names(V[-1:].T)[0]
        drives = shortened([f"'{g.motor.path}'" for g in self.given])
        place = next(p for p in self.system.joints if p.name == joint)
        here = shortened([f"{x:.4g}" for x in self.q[place.q]])
        return RunError(
            f"{drives} cannot move '{name}' beyond t = {t:.6g} s: joint '{joint}' is in a dead point at {here} "
            f"{joint_units(place.kind)['position']}; drive another joint, or turn back before it",
            time=t,
            culprit=joint,
        )

    def _contradiction(self, t: float) -> RunError:
        names = shortened([f"'{given.motor.path}'" for given in self.given]) or "none"
        return RunError(
            f"no position of '{self.system.model.name}' closes its loops where its motors want it after t = {t:.6g} s "
            f"({names}): they contradict each other, or ask for more than the loops allow; correct their laws",
            time=t,
        )

    def _jumps(self, given: GivenMotion, t: float, unit: float) -> bool:
        step = abs(given.at(t + SMALLEST * self.dt)[0] - given.at(t)[0])
        return step > 1e-3 * unit

    def _at(self, t: float, q: Floats, v: Floats | None = None) -> None:
        self.loops.closure.cut_q[:] = self.cut_q
        self.loops.at(q, np.zeros(self.system.nv) if v is None else v, t)

    def _rows(self) -> Floats:
        """S: rows of the loops, then of the motors, without units."""
        closure, identity = self.loops.closure, np.eye(self.system.nv)
        B = [closure.directions[g.place.v.start] if g.place.is_cut else identity[g.place.v.start] for g in self.given]
        motors = np.array(B).reshape(-1, self.system.nv) * self.loops.dof / self.unit[:, None]
        return np.vstack([self.loops.G, motors])

    def _newton(self, t: float, q: Floats, farthest: float = np.inf) -> bool:
        """Move q and cut_q onto the rows at t; False where that does not converge, or goes too far."""
        wanted = np.array([given.at(t)[0] for given in self.given])
        cut_q, gone, last = self.cut_q.copy(), 0.0, np.inf
        for _ in range(ROUNDS):
            self.rounds += 1
            self.loops.closure.cut_q[:] = cut_q
            self.loops.at(q, np.zeros(self.system.nv), t)
            closure = self.loops.closure
            cut_q = closure.cut_q.copy()
            now = np.array([float((cut_q if g.place.is_cut else q)[g.place.q.start]) for g in self.given])
            gaps = np.concatenate([closure.g / self.loops.row, (now - wanted) / self.unit])
            step = np.linalg.lstsq(self._rows(), -gaps, rcond=DEPENDENT)[0] if gaps.size else np.zeros(len(self.v))
            size = float(np.max(np.abs(step), initial=0.0))
            gone += size
            if gone > farthest or not np.isfinite(size):
                return False
            if size <= CLOSED or (size >= 0.5 * last and size < GOOD):
                if float(np.max(np.abs(gaps), initial=0.0)) > GOOD:
                    return False
                self.q, self.cut_q = q, cut_q
                return True
            last = size
            q = integrate(self.system, q, self.loops.dof * step, 1.0)
        return False

    def _velocities(self, t: float) -> Floats:
        """Velocities where the run stands, and S there; refuses where something moves freely."""
        self._at(t, self.q)
        closure, S = self.loops.closure, self._rows()
        still = [closure.cut_rate[g.place.v.start] if g.place.is_cut else 0.0 for g in self.given]  # by moving grounds
        rates = np.array([g.at(t)[1] for g in self.given]) - np.array(still)
        self.v = self.loops.dof * _solved(S, np.concatenate([-closure.gd / self.loops.row, rates / self.unit]))
        return S

    def _rates(self, k: int, t: float) -> None:
        """Velocities and accelerations of row k, which is kept."""
        S = self._velocities(t)
        if left_guide(self.system.tables.cuts, self.cut_q) >= 0:
            culprit, what, hint = off_guide(self.system, self.cut_q)
            raise RunError(
                f"'{self.system.model.name}' stopped at t = {t:.6g} s: {what}; {hint}", time=t, culprit=culprit
            )
        self._refuse_free(k, t, S)
        self.ranks.append(self.loops.rank)
        if k == 0:
            self.redundant = implied(self.loops.closure.G)
        allowed = self.accelerations.at(self.q, self.v, t) if self.system.nv else np.zeros(0)
        samples, nq = self.samples, self.system.nq
        self._at(t, self.q, self.v)
        samples.t[k], samples.y[k, :nq], samples.y[k, nq : nq + len(self.v)] = t, self.q, self.v
        for given in self.given:
            given.passed(t)
        samples.cut_q[k], samples.cut_rate[k] = self.cut_q, self.loops.closure.cut_rate[: samples.cut_rate.shape[1]]
        if allowed is None:
            self.formed = True
            return
        samples.vd[k] = allowed
        cut = self._cut_accelerations(k) if any(g.place.is_cut for g in self.given) else np.zeros(0)
        now = [float((cut if g.place.is_cut else allowed)[g.place.v.start]) for g in self.given]
        lacking = np.array([g.at(t)[2] for g in self.given]) - np.array(now)
        change = _solved(S, np.concatenate([np.zeros(self.system.rows), lacking / self.unit]))
        self.a = allowed + self.loops.dof * change
        samples.vd[k] = self.a

    def _cut_accelerations(self, k: int) -> Floats:
        """Second rates of the cuts' coordinates in row k."""
        one = Samples(*(values[k : k + 1] for values in self.samples))
        found: Floats = self.observer.see(one, 1).cut_acceleration[0]
        return found

    def _refuse_free(self, k: int, t: float, S: Floats) -> None:
        name = self.system.model.name
        _, sizes, V = np.linalg.svd(S) if S.size else (None, np.zeros(0), np.eye(self.system.nv))
        rank = int(np.sum(sizes > (DEAD if k else DEPENDENT) * sizes.max(initial=0.0)))
        if rank == self.system.nv:
            return
        free = shortened([f"'{joint}'" for joint in self.loops.names(V[rank:].T)])
        if k == 0:
            raise OptionError(
                f"the motors of '{name}' do not give its whole motion: nothing drives {free}, or the start is a dead "
                "point; give each of them a motor with position= or velocity=, or start elsewhere"
            )
        raise RunError(
            f"'{name}' is in a dead point at t = {t:.6g} s: its motors do not tell where {free} goes; drive "
            "another joint, or keep away from it",
            time=t,
        )

    def trajectory(self, seconds: float) -> Trajectory:
        """The rows as a run; no force, no energy."""
        system, model, samples, count = self.system, self.system.model, self.samples, len(self.times)
        notes = [f"rates of motor '{g.motor.path}' formed by differences" for g in self.given if g.formed]
        if self.formed:
            nq = system.nq
            samples.vd[:] = derivative(self.times, samples.y[:, nq : nq + system.nv])
            notes.append("accelerations formed from velocities by a cubic spline")
        columns, accounts = self.observer.look(samples, count)
        drift = {name: accounts[f"drift {name}"] for name in DRIFT}
        worst: dict[str, Any] = {f"worst_drift_{name}": float(values.max()) for name, values in drift.items()}
        worst |= {f"final_drift_{name}": float(values[-1]) for name, values in drift.items()}
        end = float(self.times[-1])
        certificate = Certificate(
            method="kinematics",
            dt=self.dt,
            until=end,
            reached=end,
            steps=count - 1,
            evaluations=self.rounds,
            wall_seconds=seconds,
            size=size_of(system.tables),
            drift_relative=float(accounts["drift relative"].max()),
            degrees_of_freedom=len(self.given),
            loops=len(system.cuts),
            rank_min=min(self.ranks),
            rank_max=max(self.ranks),
            redundant_rows=row_names(system, self.redundant),
            notes=notes,
            versions=versions(),
            model_hash=model_hash(system),
            **worst,
        )
        return Trajectory(
            self.times,
            columns,
            self.observer.units(),
            {},
            drift,
            certificate=certificate,
            model_name=model.name,
            scene=scene_of(model, end, columns),
        )


def _solved(S: Floats, wanted: Floats) -> Floats:
    if not S.size:
        return np.zeros(S.shape[1])
    return np.asarray(np.linalg.lstsq(S, wanted, rcond=DEPENDENT)[0], dtype=float)
