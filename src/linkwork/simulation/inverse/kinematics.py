"""`kinematics`: the motion of a mechanism whose motors give every degree of freedom, without any force.

The rows of loops, motors and gears are followed by the compiled loop of `formulations.kinematics`; where a step of it
proves too long it is cut into parts, and where that does not help this file finds out why.
"""

from __future__ import annotations

import time as clock
from typing import Any

import numpy as np

from linkwork.assembly.assemble import assemble
from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats
from linkwork.errors import ModelError, OptionError, RunError
from linkwork.formulations.kinematics import DONE, FREE_MOTION, LEFT_GUIDE, follow_rows, row_motion
from linkwork.formulations.samples import make_samples, make_state
from linkwork.mechanics.size import size_of
from linkwork.model import Model, Motor, PythonLaw, Rolling, RollingPair
from linkwork.model.checked import shown
from linkwork.model.laws.laws import law_value
from linkwork.simulation.inverse.loop_forces import DEAD, LoopForces
from linkwork.simulation.inverse.stateless import stateless
from linkwork.simulation.methods import positive
from linkwork.simulation.results.columns.column_names import DRIFT
from linkwork.simulation.results.columns.observe import Observer
from linkwork.simulation.results.columns.plain import shortened
from linkwork.simulation.results.columns.units import joint_units
from linkwork.simulation.results.judging.certificate import Certificate
from linkwork.simulation.results.judging.rank_history import row_names
from linkwork.simulation.results.judging.run_certificate import model_hash, versions
from linkwork.simulation.results.scene.scene import scene_of
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.simulation.simulate import count_steps
from linkwork.simulation.starts.driven import driven_start
from linkwork.simulation.starts.mobility import implied
from linkwork.simulation.starts.start import Closure, Start
from linkwork.simulation.stepping.failures import off_guide

COLUMNS = ["*.position", "*.velocity", "*.acceleration", "*.rotation", "*.angular_velocity"]
SMALLEST = 2.0**-14  # of dt
JUMP = 1e-3  # of the size, or rad, in so short a time


def kinematics(model: Model, until: float, dt: float) -> Trajectory:
    """Positions, velocities and accelerations, every `dt` up to `until` (s), of a mechanism that its motors drive.

    Every degree of freedom must have a rigid motor: `model.motor(name, joint, position=law)` or `velocity=`, without
    `max_torque` and `softness`; else the error names the motions that nothing drives. No force counts. The branch at
    the start is kept. A dead point, where the motors cannot tell where to go, is named with its time and joint. Laws
    made of numbers, cosines, steps and tables have exact derivatives; so have functions that return their rate and
    acceleration too, of others they are formed by differences. Gears, racks, differentials and cams are followed.

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
    for motor in (drive for drive in model.all_drives() if isinstance(drive, Motor)):
        if not motor.rigid:
            raise OptionError(
                f"motor '{motor.path}' gives way, so that it does not tell where joint '{motor.joint.path}' is; leave "
                "out its max_torque= and softness="
            )
    for joint in model.all_joints():
        if isinstance(joint, (Rolling, RollingPair)):
            raise OptionError(
                f"rolling joint '{joint.path}' ties velocities and not positions, so that motors do not tell where "
                "things are; integrate the motion with lw.simulate, or use model.rack or model.gear for it"
            )
    run = _Run(assemble(stateless(model), driven=True), float(until), float(dt))
    run.solve()
    return run.trajectory(clock.perf_counter() - begin)


class _Run:
    def __init__(self, system: System, until: float, dt: float) -> None:
        steps = count_steps(until, dt)
        self.system, self.dt = system, until / steps
        self.times: Floats = np.linspace(0.0, until, steps + 1)
        if system.foreign:
            raise OptionError(f"components of '{system.model.name}' live elsewhere; give a model with all its parts")
        self.motors = [each.part for each in system.coupled if isinstance(each.part, Motor)]
        self.loops = LoopForces(system)
        start = _start(system, dt)
        self.motion = row_motion(system.tables, start.q, start.cut_q, 0.0)
        self._look(0.0)
        self.redundant = implied(self.loops.closure.G)
        state = make_state(system.tables, np.zeros(system.nq + system.nv + system.tables.tree.accounts), start.cut_q)
        self.samples = make_samples(state, len(self.times))
        self.between = make_samples(state, 2)
        self.observer = Observer(system, COLUMNS)

    def solve(self) -> None:
        """All rows, one after the other."""
        first = 0
        while True:
            status, first = follow_rows(self.system.tables, self.motion, self.times, first, self.samples)
            if status == DONE:
                break
            if status == FREE_MOTION:
                raise self._free(first)
            if status == LEFT_GUIDE:
                culprit, what, hint = off_guide(self.system, self.motion.cut_q)
                t = float(self.times[first])
                raise RunError(
                    f"'{self.system.model.name}' stopped at t = {t:.6g} s: {what}; {hint}", time=t, culprit=culprit
                )
            self._reach(float(self.times[first - 1]), float(self.times[first]))
        if self.system.faults.noted:
            fault = self.system.faults.noted[0]
            raise RunError(f"the law of {fault.part} fails: {fault.what}; correct it", culprit=fault.part)

    def _reach(self, begin: float, end: float) -> None:
        """From one time to the next, in parts where the prediction is far off."""
        t, h, motion = begin, 0.5 * (end - begin), self.motion
        while t < end:
            after = end if end - t <= h * (1.0 + 1e-9) else t + h
            if follow_rows(self.system.tables, motion, np.array([t, after]), 0, self.between)[0] == DONE:
                t, h = after, 2.0 * h
                continue
            h *= 0.5
            if h < SMALLEST * self.dt:
                raise self._blocked(t)

    def _look(self, t: float) -> None:
        """`loops` go to where the motion stands."""
        self.loops.closure.cut_q[:] = self.motion.cut_q
        self.loops.at(self.motion.q, np.zeros(self.system.nv), t)

    def _blocked(self, t: float) -> RunError:
        name = self.system.model.name
        for each in self.system.coupled:
            law = each.part.position if isinstance(each.part, Motor) else None
            most = JUMP * (size_of(self.system.tables) if each.slides else 1.0)
            if law is not None and abs(law_value(law, t + 2.0 * SMALLEST * self.dt) - law_value(law, t)) > most:
                return RunError(
                    f"motor '{each.part.path}' of '{name}' jumps at t = {t:.6g} s; give a law without jumps", time=t
                )
        self._look(t)
        drives = shortened([f"'{motor.path}'" for motor in self.motors]) or "none"
        loops = [r for r in range(self.system.rows) if self._motor_of(r) is None]
        if len(self.motors) > self.system.nv - np.linalg.matrix_rank(self.loops.G[loops], tol=DEAD):
            return self._contradiction(t, drives)
        _, _, V = np.linalg.svd(self.loops.G)
        joint = self.loops.names(V[-1:].T)[0]
        place = next(p for p in self.system.joints if p.name == joint)
        here = shortened([f"{x:.4g}" for x in self.motion.q[place.q]])
        return RunError(
            f"{drives} cannot move '{name}' beyond t = {t:.6g} s: joint '{joint}' is in a dead point at {here} "
            f"{joint_units(place.kind)['position']}; drive another joint, or turn back before it",
            time=t,
            culprit=joint,
        )

    def _motor_of(self, row: int) -> Motor | None:
        """The motor that a row belongs to."""
        part = self.system.coupled[row - self.system.first_coupled].part if row >= self.system.first_coupled else None
        return part if isinstance(part, Motor) else None

    def _contradiction(self, t: float, drives: str) -> RunError:
        return RunError(
            f"no position of '{self.system.model.name}' closes its loops where its motors want it after t = {t:.6g} s "
            f"({drives}): they contradict each other, or ask for more than the loops allow; correct their laws",
            time=t,
        )

    def _free(self, k: int) -> OptionError | RunError:
        """What moves freely in row k."""
        name, t = self.system.model.name, float(self.times[k])
        self._look(t)
        S = self.loops.G
        _, sizes, V = np.linalg.svd(S) if S.size else (None, np.zeros(0), np.eye(self.system.nv))
        rank = min(int(np.sum(sizes > DEAD * sizes.max(initial=0.0))), self.system.nv - 1)
        free = shortened([f"'{joint}'" for joint in self.loops.names(V[rank:].T)])
        if k == 0:
            return OptionError(
                f"the motors of '{name}' do not give its whole motion: nothing drives {free}, or the start is a dead "
                "point; give each of them a motor with position= or velocity=, or start elsewhere"
            )
        return RunError(
            f"'{name}' is in a dead point at t = {t:.6g} s: its motors do not tell where {free} goes; drive "
            "another joint, or keep away from it",
            time=t,
        )

    def trajectory(self, seconds: float) -> Trajectory:
        """The rows as a run; no force, no energy."""
        system, model, samples, count = self.system, self.system.model, self.samples, len(self.times)
        notes = [f"rates of motor '{motor.path}' formed by differences" for motor in self.motors if _formed(motor)]
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
            evaluations=int(self.motion.rounds[0]),
            wall_seconds=seconds,
            size=size_of(system.tables),
            drift_relative=float(accounts["drift relative"].max()),
            degrees_of_freedom=len(self.motors),
            loops=len(system.cuts),
            rank_min=system.nv - len(self.motors),
            rank_max=system.nv - len(self.motors),
            redundant_rows=row_names(system, self.redundant),
            notes=notes,
            versions=versions(),
            model_hash=model_hash(system),
            parts_hash=model_hash(system, start=False),
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


def _start(system: System, dt: float) -> Start:
    """Where the motors want it; where that cannot be, as the model is built, to find out why."""
    try:
        return driven_start(system, 0.0, dt).start
    except ModelError:
        free = driven_start(assemble(system.model, before=system), 0.0, dt).start
        closure = Closure(system)
        closure.mount()
        closure.at(free.q, np.zeros(system.nv))
        return free._replace(cut_q=closure.mounted())


def _formed(motor: Motor) -> bool:
    """Whether its law is a function that does not tell its rates."""
    law = motor.velocity if motor.position is None else motor.position
    return isinstance(law, PythonLaw) and np.size(law.function(0.0)) == 1
