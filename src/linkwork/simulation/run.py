"""`Simulation`, a model with a method, for stepping by hand. The loop is compiled; Python is entered once a chunk."""

from __future__ import annotations

import time as clock
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from os import PathLike
from typing import Any, Literal, Unpack

import numpy as np
from numpy.typing import ArrayLike

from linkwork._kernels.prepare import prepare
from linkwork.assembly.assemble import assemble
from linkwork.assembly.system import System
from linkwork.errors import ModelWarning
from linkwork.formulations.status import PAUSED
from linkwork.model import AttachOptions, Joint, Model, Soft
from linkwork.model.checked import VectorLike
from linkwork.simulation.analysis.choice.choose import USUAL
from linkwork.simulation.analysis.equilibrium import Equilibrium, placed, resting
from linkwork.simulation.analysis.hints.check import refuse_idle
from linkwork.simulation.analysis.hints.hints import warn_of_hints
from linkwork.simulation.analysis.poses.pose import Pose
from linkwork.simulation.inputs import Inputs
from linkwork.simulation.interaction.drag import drag
from linkwork.simulation.methods import driven_by_rows, positive, refuse_unsupported, resolve, wanted, whole
from linkwork.simulation.present import Present
from linkwork.simulation.reading import Readings
from linkwork.simulation.recording import CHUNK_SECONDS, next_chunk
from linkwork.simulation.results.judging.notebook import lines_in_cell
from linkwork.simulation.results.judging.warning import warn
from linkwork.simulation.results.scene.scene import RunScenes
from linkwork.simulation.sampled.controls import Controls
from linkwork.simulation.sampled.sampled_run import SampledRun, can_sample
from linkwork.simulation.starts.driven import DrivenStart
from linkwork.simulation.starts.reset import start_anew
from linkwork.simulation.stepping.failures import failure_of
from linkwork.simulation.stepping.fast_path import FastPath, fast_path
from linkwork.simulation.stepping.interrupt import Interrupt
from linkwork.simulation.stepping.lag import lag_applied
from linkwork.simulation.stepping.remote_links import letting_go
from linkwork.simulation.stepping.step_warnings import StepWarnings
from linkwork.simulation.stepping.stepper import Stepper
from linkwork.simulation.structure.changing import Structure
from linkwork.simulation.structure.events import Change
from linkwork.simulation.structure.planned import PlannedEvents, refuse_events_elsewhere
from linkwork.simulation.structure.snapshot import put_back, read_state, save_state


class Simulation(Present):
    """A model with a method, ready to step.

    >>> sim = lw.Simulation(lw.gallery.pendulum.build(), method=lw.Recursive(integrator="rk4", dt=1e-3))
    >>> sim.step(100)
    >>> round(sim.time, 6)
    0.1

    `start` is "equilibrium", the result of `lw.equilibrium` or that of `lw.reach`: the positions at the start.
    `resume` is a file with a state from `sim.save`, `lw.stream` or a failed run of the command line. With the same
    method and options the simulation continues bit for bit, with others from the same positions and velocities.
    `sim.inputs["drive"] = 3.0` sets a force, torque or motor whose law is a number, from the next step on;
    `sim["pin.position"]` is what a run would record now, `sim.reader` reads many columns at once. `sim.attach` and
    `sim.release` change the structure, `sim.changes` lists these changes and those of the model's events.
    `sim.reset` starts again, also from other values; `sim.copy` makes another simulation in the same state. Nothing
    else can be set: `sim.q` and `sim.v` are read-only views.
    """

    def __init__(
        self,
        model: Model | System,
        method: Any = "auto",
        *,
        ignore: Sequence[str] = (),
        border: Any = None,
        ports: Sequence[str] = (),
        start: Equilibrium | Pose | Literal["equilibrium"] | None = None,
        resume: str | PathLike[str] | None = None,
        **options: Any,
    ) -> None:
        with letting_go(model):
            self._set_up(model, method, ignore, border, ports, start, resume, options)

    def _set_up(
        self,
        model: Model | System,
        method: Any,
        ignore: Sequence[str],
        border: Any,
        ports: Sequence[str],
        start: Equilibrium | Pose | Literal["equilibrium"] | None,
        resume: str | PathLike[str] | None,
        options: dict[str, Any],
    ) -> None:
        kept = None if resume is None else read_state(resume)
        if kept is not None and isinstance(method, str) and method in ("auto", kept[0]["method"]):
            method, options = kept[0]["method"], kept[0]["settings"] | options
        auto = isinstance(method, str) and method == "auto"
        if not auto:
            method, self.reason = resolve(method, options)
        system = model if isinstance(model, System) else assemble(model, floating=bool(ports))
        rest = None if start is None else resting(system, start, ignore)
        if rest is not None:
            system = placed(system, rest)
        if auto:
            method, self.reason = resolve(method, options, system, wanted(system, ignore))
        ignored = refuse_unsupported(system, method, ignore)
        if not system.driven and driven_by_rows(system, method, ignore):
            system = assemble(system.model, floating=bool(ports), driven=True, before=system)
            system = system if rest is None else placed(system, rest)
        refuse_idle(system)
        refuse_events_elsewhere(system.model, border)
        # who left the choice of the method to us is told when it proves wrong
        self._chosen = auto and options.keys() <= {"dt"} and type(method) is USUAL
        self._rest = rest
        self._chunk = 1  # steps between two looks at the keyboard
        self._fast: FastPath | None = None
        self._said: set[str] = set()  # warnings of steps, shared with copies
        self.inputs = Inputs({}, np.zeros((0, 1)), system.model)
        prepare(method.loop, method.name)
        self.stepper = Stepper(method, system, self.inputs, ignored=ignored, border=border, ports=ports)
        self.structure = Structure(self.stepper)
        self.readings = Readings(self.stepper)
        self.controls = Controls(self.stepper, self.readings)
        self.events = PlannedEvents(self.stepper, self.structure, self.controls)
        self.scenes = RunScenes(system.model)
        try:
            self._begin_at(self.stepper.first, 0.0)
            if border is None:
                warn_of_hints(system, self.start, method)
            if kept is not None:
                put_back(self, *kept, resume)
        except BaseException:
            self.close()
            raise

    def _begin_at(self, driven: DrivenStart, time: float) -> None:
        """Stand at a start, as a new simulation does: nothing has happened, all events are to come."""
        stepper = self.stepper
        stepper.begin(driven.start, time)
        self.step_warnings = StepWarnings(stepper, self._chosen, self._said)
        self.structure.begin()
        self.structure.note_jolts(driven.jolts, time)
        self.events.plan(self.system.model.all_events())
        self.notes = driven.notes
        for message in driven.warnings:
            warn(message, ModelWarning)
        with lag_applied(stepper, driven.lags):
            stepper.settle()
        self.controls.begin(time)
        self.events.happen(self, time)

    def save(self, file: str | PathLike[str]) -> None:
        """Save the present state in `file` (.npz): `lw.Simulation(model, resume=file)` continues bit for bit.

        It does not contain what Python functions store between calls. Remote components save their own part, if their
        owners allow it (`linkwork serve … --keep FOLDER`).

        >>> import tempfile, os.path
        >>> file = os.path.join(tempfile.mkdtemp(), "here.npz")
        >>> sim = lw.Simulation(lw.gallery.pendulum.build(), "recursive", dt=1e-3)
        >>> sim.step(10)
        >>> sim.save(file)
        >>> lw.Simulation(lw.gallery.pendulum.build(), resume=file).time == sim.time
        True
        """
        save_state(self, file)

    def reset(
        self,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        *,
        joints: Mapping[str, float | ArrayLike] | None = None,
        velocities: Mapping[str, float | ArrayLike] | None = None,
        time: float = 0.0,
    ) -> None:
        """Start again like a new simulation: at the start of the model, or at other start values.

        `joints` are start positions (rad, m) and `velocities` start velocities (rad/s, m/s) of joints by name; they are
        kept, loops are closed, and the rest stays as in the model where possible. `q` and `v` are all coordinates and
        velocities, laid out as `sim.q` and `sim.v`. `time` (s) sets the clock. Inputs have the numbers of the model
        again, all events are planned again (those before `time` happen at once), contacts and the energy ledger are
        empty, and nothing is dragged. If it raises, the simulation is unchanged.

        >>> sim = lw.Simulation(lw.gallery.double_four_bar.build(), dt=1e-3)
        >>> sim.step(100)
        >>> sim.reset(joints={"foot 1": 1.2}, velocities={"foot 1": 0.5})
        >>> sim.time, round(float(sim["foot 1.position"]), 12), round(float(sim["foot 2.velocity"]), 9)
        (0.0, 1.2, 0.5)
        """
        driven = start_anew(self.stepper, q, v, joints, velocities, time)
        stepper, others = (
            self.stepper.kept(),
            [(part, vars(part).copy()) for part in (self, self.structure, self.controls, self.events)],
        )
        try:
            self._begin_at(driven, float(time))
        except BaseException:
            self.stepper.go_back(stepper)
            for part, fields in others:
                vars(part).update(fields)
            raise

    def copy(self) -> Simulation:
        """Another simulation in the same state, which continues bit for bit and does not affect this one.

        The model and its tables are shared, and so are the model's Python functions: if one stores something between
        calls, both simulations see it.

        >>> sim = lw.Simulation(lw.gallery.pendulum.build(), dt=1e-3)
        >>> sim.step(100)
        >>> ahead = sim.copy()
        >>> ahead.step(50)
        >>> sim.step(50)
        >>> bool(sim["pin.position"] == ahead["pin.position"])
        True
        """
        other = copy(self)
        other.stepper = self.stepper.copied()
        other.inputs, other.readings = other.stepper.inputs, Readings(other.stepper)
        other.structure = self.structure.copied(other.stepper)
        other.controls = self.controls.copied(other.stepper, other.readings)
        other.events = self.events.copied(other.stepper, other.structure, other.controls)
        other.step_warnings, other._fast = self.step_warnings.copied(), None
        return other

    def __repr__(self) -> str:
        method = self.stepper.method
        name = self.stepper.system.model.name
        return f"<Simulation of '{name}' by {method.name}, dt {method.dt:g} s: t = {self.time:g} s, {self.steps} steps>"

    def _repr_html_(self) -> str:
        return lines_in_cell([repr(self)])

    def close(self) -> None:
        """End the connections to components elsewhere, and free FMUs; nothing to do where there are none."""
        self.stepper.close()
        self.controls.close()

    def step(self, steps: int = 1, dt: float | None = None) -> None:
        """Take `steps` steps of `dt` seconds, by default that of the method. Raises `RunError` if a step fails.

        The simulation is then in the state before the failed step and may continue with other inputs. If steps of
        methods with impulses are cut short and leave much unsettled, a `RunWarning` says so once.

        >>> sim = lw.Simulation(lw.gallery.pendulum.build(), dt=1e-3)
        >>> sim.step(10)
        >>> sim.step(2, dt=5e-3)
        >>> round(sim.time, 6)
        0.02
        """
        fast = self._fast
        if fast is None or dt is not None or not fast.step(steps):
            self._step(steps, dt)

    def _step(self, steps: int, dt: float | None) -> None:
        """The ordinary way of `step`."""
        stepper = self.stepper
        goal = stepper.steps + whole("steps", steps)
        stepper.set_step(stepper.method.dt if dt is None else positive("dt", dt, "seconds"))
        turns = stepper.state.cut_q.copy()
        with Interrupt() as interrupt:
            stepper.interrupt = interrupt
            while stepper.steps < goal:
                started = clock.perf_counter()
                if stepper.pulls is not None:
                    stepper.pulls.renew(self.readings)
                most = 1 if stepper.pulls is not None else min(self._chunk, goal - stepper.steps)
                count = self.events.quiet(self.step_warnings.unchecked(stepper, most))
                if count and can_sample(self):
                    sampled = SampledRun(self, stepper.spare)
                    count, status = sampled.go(self.events.unplanned(most), goal + 1)
                else:
                    status = stepper.advance(count, goal + 1, stepper.spare)[2] if count else self.events.step(self)
                if status != 0:
                    failed = failure_of(stepper, status)
                    stepper.take_back(turns)
                    if status == PAUSED:
                        raise KeyboardInterrupt
                    raise failed
                self.controls.happen()
                if self.events.stopped is not None:
                    break
                if interrupt.pressed:
                    break
                self.step_warnings.check_size(stepper)
                took = clock.perf_counter() - started
                self._chunk = max(self._chunk if took < CHUNK_SECONDS else 1, next_chunk(max(count, 1), took))
        if interrupt.pressed:
            raise KeyboardInterrupt
        self.step_warnings.check_sweeps(stepper)
        if self._fast is None or not self._fast.fits():
            self._fast = fast_path(self, took / count) if count else None

    def attach(
        self, a: Any, b: Any, joint: str, *, name: str | None = None, **options: Unpack[AttachOptions]
    ) -> Change:
        """Attach b to a now by a joint of the kind `joint`. An impulse removes the velocities that it does not allow.

        It is placed where the bodies are now: by `at` (m) and `axis` in the world, or by `frame_a` and `frame_b`, of
        which one suffices; a fixed joint needs neither. Returns the change, which is also in `sim.changes`.

        >>> sim = lw.Simulation(lw.gallery.pendulum.build(), dt=0.01)
        >>> sim.step(50)
        >>> pin = sim.attach("ground", "bob", "ball", at=(0, 0, 0), name="second pin")
        >>> pin.energy < 1e-20, sim.attached
        (True, ['second pin'])
        >>> sim.release("second pin").what
        'released'
        """
        return self.structure.attach(a, b, joint, name, options)

    def release(self, joint: Joint | str) -> Change:
        """Release a joint now, attached or of the model. Velocities do not change; its forces end.

        >>> sim = lw.Simulation(lw.gallery.double_four_bar.build(), dt=0.01)
        >>> sim.step(5)
        >>> sim.release("right pin 2").joint
        'right pin 2'
        """
        return self.structure.release(joint)

    def view(
        self,
        *,
        host: str = "127.0.0.1",
        port: int = 8080,
        token: str | None = None,
        cert: str | None = None,
        key: str | None = None,
        seconds: float | None = None,
    ) -> None:
        """Show this simulation moving in a browser, in real time, until Ctrl-C or for so many `seconds`.

        Prints its address; stepping begins when somebody looks. The page has run, pause, step, reset, speed, rewind,
        sliders for the inputs, another method or dt, plots; afterwards the simulation is where the page left it, unless
        it was reset or rewound there. `host` other than 127.0.0.1 asks those who look for the `token` (22 characters at
        least), which is made when not given; `cert` and `key` (PEM files) encrypt what they see. It needs the extra
        `view`.
        """
        from linkwork.viewer.live.live import view_simulation

        def make(method: str | None, dt: float | None) -> Simulation:
            chosen = replace(self.method, dt=dt) if dt is not None else self.method
            if method is not None and method != self.method.name:
                chosen = resolve(method, {"dt": dt or self.method.dt})[0]
            other = Simulation(self.system.model, chosen, ignore=self.ignored, start=self._rest)
            other.inputs.update(self.inputs)
            return other

        view_simulation(make, self, host=host, port=port, token=token, cert=cert, key=key, seconds=seconds)

    def drag(
        self,
        body: Any,
        to: VectorLike | None,
        *,
        at: VectorLike = (0.0, 0.0, 0.0),
        softness: Soft | None = None,
        max_force: float | None = None,
    ) -> None:
        """Pull the point `at` of a body (m, its frame) to the point `to` of the world with a spring, from now on.

        Another call moves the end of the spring; `to=None` ends it. `softness` is that of the spring (by default 3 Hz,
        damped), `max_force` its largest force in N. In methods with impulses it is a soft row; in others `step` sets
        its force before every step, never stiffer than the step allows (`lw.simulate` does not).

        >>> model = lw.Model("stone")
        >>> stone = model.body("stone", shape=lw.Sphere(0.1), mass=2.0)
        >>> sim = lw.Simulation(model, lw.Impulse(dt=0.01))
        >>> sim.drag("stone", to=(1, 0, 0))
        >>> sim.step(300)
        >>> bool(abs(sim["stone.position"][0] - 1.0) < 1e-3)
        True
        """
        drag(self.stepper, body, to, at, softness, max_force)
