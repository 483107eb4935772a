"""`Simulation`, a model with a method, for stepping by hand. The loop is compiled; Python is entered once a chunk."""

from __future__ import annotations

import time as clock
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from os import PathLike
from threading import Lock
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from linkwork.assembly.assemble import assemble
from linkwork.assembly.natural import natural
from linkwork.assembly.partition import partition
from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats, Tables
from linkwork.errors import ModelWarning, OptionError, RunError, RunWarning
from linkwork.formulations.explicit import stepping
from linkwork.formulations.explicit.recursive import Recursive
from linkwork.formulations.explicit.stepping import HISTORY
from linkwork.formulations.impulse.rows import LAST_STEP
from linkwork.formulations.samples import STEPS_CUT, Samples, State, make_samples, make_state
from linkwork.mechanics.observation import Observation
from linkwork.model import Model, Soft
from linkwork.model.checked import VectorLike
from linkwork.simulation.analysis.check import refuse_idle, refuse_singular
from linkwork.simulation.analysis.equilibrium import Equilibrium, resting
from linkwork.simulation.analysis.hints import warn_of_hints
from linkwork.simulation.analysis.reactions import Reactions, present_reactions
from linkwork.simulation.analysis.stiffness import Moment, Watch, remedy, told
from linkwork.simulation.driven import DrivenStart, behind, driven_start
from linkwork.simulation.failures import failure_of
from linkwork.simulation.hierarchy import joint_components
from linkwork.simulation.inputs import Inputs
from linkwork.simulation.interaction.contacts import Touching, touching
from linkwork.simulation.interaction.drag import Drag, checked_drag, place_drags
from linkwork.simulation.interaction.pull import Pulls, with_loads
from linkwork.simulation.interrupt import Interrupt
from linkwork.simulation.methods import IMPULSES, positive, refuse_unsupported, resolve, wanted, whole
from linkwork.simulation.reading import Reader, Reading
from linkwork.simulation.recording import CHUNK_SECONDS, next_chunk
from linkwork.simulation.remote_links import RUN, RemoteLinks, letting_go, remote_parts
from linkwork.simulation.reset import start_anew
from linkwork.simulation.results.certificate import POOR_IMPULSES
from linkwork.simulation.results.unsettled import Unsettled
from linkwork.simulation.results.warning import warn
from linkwork.simulation.start import Start, absolute_start, consistent_start, refuse_beyond_limits
from linkwork.simulation.structure.changing import Changing
from linkwork.simulation.structure.events import SAME, Change
from linkwork.simulation.structure.snapshot import copied, put_back, read_state, save_state
from linkwork.simulation.structure.transfer import seen

CUT_STEPS = 10  # steps cut short that are looked at before anything is said of them

MARK_STEPS = 16  # between two states that are kept to look back at
MOST_PAUSES = 200  # of one step, each after a few thousand parts of it: then it is stuck


class Simulation(Changing):
    """A model with a method, ready to step.

    >>> sim = lw.Simulation(lw.gallery.pendulum.build(), method=lw.Recursive(integrator="rk4", dt=1e-3))
    >>> sim.step(100)
    >>> round(sim.time, 6)
    0.1

    `start` is "equilibrium" or what `lw.equilibrium` found: the positions to begin with. `resume` is a file with a
    state that `sim.save`, `lw.stream` or a failed run of the command line kept: go on there, by
    the same method and options to the last bit, by others in its positions and velocities.
    `sim.inputs["drive"] = 3.0` sets a force, torque or motor whose law is a number, from the next step on;
    `sim["pin.position"]` is what a run would record now, `sim.reader` reads many columns at once. `sim.attach` and
    `sim.release` change the structure, `sim.changes` lists what they and the model's events did. `sim.reset` begins
    anew, there or elsewhere, `sim.copy` makes another in the same state. Nothing else of a simulation is to be set:
    `sim.q` and `sim.v` are views that cannot be written to.
    """

    def __init__(
        self,
        model: Model | System,
        method: Any = "auto",
        *,
        ignore: Sequence[str] = (),
        border: Any = None,
        ports: Sequence[str] = (),
        start: Equilibrium | Literal["equilibrium"] | None = None,
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
        start: Equilibrium | Literal["equilibrium"] | None,
        resume: str | PathLike[str] | None,
        options: dict[str, Any],
    ) -> None:
        kept = None if resume is None else read_state(resume)
        if kept is not None and isinstance(method, str) and method in ("auto", kept[0]["method"]):
            method, options = kept[0]["method"], kept[0]["settings"] | options
        self._busy = Lock()  # while the compiled loop runs
        self._interrupt: Interrupt | None = None
        self._border, self._ports = border, ports  # where this model is a component of somebody else's
        self._rest = start
        self._drags: dict[str, Drag] = {}
        self.remote_links: RemoteLinks | None = None
        ours = isinstance(method, str) and method == "auto"
        if not ours:
            self.method, self.reason = resolve(method, options)
        self.system = model if isinstance(model, System) else assemble(model, floating=bool(ports))
        if start is not None:
            self.system = replace(self.system, q_start=resting(self.system, start).q)
        if ours:
            self.method, self.reason = resolve(method, options, self.system, wanted(self.system, ignore))
        self.ignored = refuse_unsupported(self.system, self.method, ignore)
        refuse_idle(self.system)
        self._refuse_events_elsewhere()
        # who left the choice of the method to us is told when it proves wrong
        self._chosen = ours and options.keys() <= {"dt"} and self.method.name == Recursive.name
        self._first = self._started(self.system)
        # the coordinates that move: those of the tree, or of every body by itself
        absolute = self.method.coordinates == "absolute"
        self._began = assemble(self.system.model, absolute=True) if absolute else self.system
        self._chunk = 16  # steps between two looks at the keyboard
        self._look: Reading | None = None
        self.inputs = Inputs({}, np.zeros((0, 1)), self.system.model)
        try:
            self._begin_at(self._first, 0.0)
            if border is None:
                warn_of_hints(self.system, self.start, self.method)
            if kept is not None:
                put_back(self, *kept, resume)
        except BaseException:
            self.close()
            raise

    def _started(self, system: System, time: float = 0.0) -> DrivenStart:
        """A consistent start of the system with its start values, and those of motors where the method has them."""
        if not {"motors", "repeaters"} <= self.method.supports:
            return DrivenStart(consistent_start(system, time), [], [], [], {})
        return driven_start(system, time, self.method.dt, self.ignored)

    def _begin_at(self, driven: DrivenStart, time: float) -> None:
        """Stand at a start: tables, inputs, memory, plan and clock of a new simulation."""
        start = driven.start
        if "limits" in self.method.supports:
            refuse_beyond_limits(self.system, start)
        y, cut_q = np.concatenate([start.q, start.v, [0.0, 0.0]]), start.cut_q
        if self._began.absolute:
            y, cut_q = absolute_start(self.system, start, self._began, time)
        self.start, self.moving, self._drags = start, self._began, {}
        self.tables = self._own_tables(self.moving)
        self.inputs.begin(self.moving.inputs, self.tables.laws.law_param)
        self.workspace = self._prepare(start)
        self.state: State = make_state(self.moving.tables, y, cut_q, getattr(self.method, "pushes", False))
        self.moving.faults.clear()
        self.steps = -1
        # steps cut short, which a warning tells once
        grounds = self.moving.tables.tree.grounds
        self._unsettled = Unsettled(self.method.epsilon, grounds) if self.method.name in IMPULSES else None
        self._cut = 0.0  # of them, those that were looked at
        self._begin, self._h = time, self.method.dt  # step n of length h ends at begin + n h
        self._none = make_samples(self.state, 1)
        self._behind, self._waiting = np.zeros(self.moving.nv), np.zeros(1)
        self.watch = Watch() if self._chosen else None
        # states to look back at when a step fails: the start, and some steps ago
        tables = self.tables if self.moving is self.system else self.system.tables
        self.marks = [Moment(self.system, tables, start.q, start.v, start.cut_q, time)]
        self._plan(self.system.model.all_events())
        self._jolt(driven, time)
        self.state.t[0] = time
        with self._behind_start(driven.lags):
            self._settle()
        self._happen(time)

    @contextmanager
    def _behind_start(self, lags: dict[str, float] | None) -> Iterator[None]:
        """While this lasts velocities are those before a step with impulses, to which its loads belong."""
        if self.method.name not in IMPULSES:
            yield
            return
        state, v, h = self.state, self.state.y[self.moving.nq : -2], self._h
        shown = Start(self.q.copy(), v.copy(), state.cut_q.copy(), [])
        self._behind[:] = behind(self.moving, shown, lags, self.time, h) / h
        self._waiting[0] = float(self._behind.any())
        v += self._behind * h
        yield
        v[:] = shown.v
        state.cut_rate[:] = seen(self.moving, self.time, *shown[:3]).cut_rate[: state.cut_rate.size]

    def _fall_behind(self, h: float) -> None:
        """Velocities are those before a step of h: the first one, one of a new structure or of another length."""
        if self.method.name not in IMPULSES:
            return
        v, last = self.state.y[self.moving.nq : -2], float(self.workspace.carried[LAST_STEP])
        if self._waiting[0]:
            v += self._behind * h
            self._waiting[0] = 0.0
        elif last > 0.0 and abs(last - h) > SAME * h:
            v += behind(self.moving, Start(self.q.copy(), v.copy(), self.state.cut_q, []), None, self.time, h)

    def _jolt(self, driven: DrivenStart, time: float) -> None:
        """Note what motors did to the start, which the start values know already."""
        self.notes = driven.notes
        for place, impulse, energy in driven.jolts:
            assert place.joint is not None
            ends = place.joint.a.path, place.joint.b.path
            self.changes.append(Change(time, "jolted", place.name, place.kind, *ends, tuple(impulse.tolist()), energy))
            self.state.y[-1] += energy
        for message in driven.warnings:
            warn(message, ModelWarning)

    def _refuse_events_elsewhere(self) -> None:
        event = next(self.system.model.all_events(), None)
        if event is not None and (self._border is not None or remote_parts(self.system.model)):
            raise OptionError(
                f"model '{self.system.model.name}' plans the {event.told}, which cannot happen while components live "
                "elsewhere; keep all parts in one process, or remove the event"
            )

    def _settle(self) -> None:
        """The start itself is row 0."""
        _, _, status = self._advance(1, 1, make_samples(self.state, 1))
        if status >= stepping.SINGULAR:
            refuse_singular(self.moving, status - stepping.SINGULAR, self.method.name)
        if status != 0:
            self.steps = 0
            raise self.failure(status)

    def _prepare(self, start: Start) -> Any:
        if self.method.name == "global":
            return self.method.prepare(self.tables, natural(self.tables))
        if self.method.name != "component":
            workspace = self.method.prepare(self.tables)
            if self._drags and hasattr(workspace, "drags"):
                place_drags(self.moving, workspace.drags, self._drags)
            return workspace
        if self.method.coordinates == "joint":
            return joint_components(self.moving, self.tables, start, self.method)
        parts, _ = partition(self.moving, self._ports)
        workspace = self.method.prepare(self.moving.tables, parts)
        remotes = remote_parts(self.moving.model)
        if remotes:
            ready_components()  # nobody shall wait for this side's compiler
            for remote in remotes:
                remote.prepare(self.method, self.moving.model.gravity)
            self.remote_links = RemoteLinks(remotes, parts, workspace.remote_border)
            workspace = workspace._replace(remote_border=self.remote_links.remote_border)
        if self._border is not None:
            workspace = workspace._replace(remote_border=self._border.connect(workspace.remote_border))
        return workspace

    def _own_tables(self, system: System) -> Tables:
        """Tables with inputs of this simulation, and with forces on the bodies that are dragged."""
        laws, self._pulls = system.tables.laws, None
        tables = system.tables._replace(laws=laws._replace(law_param=laws.law_param.copy()))
        if not self._drags or self.method.name in IMPULSES:
            return tables
        tables, first = with_loads(system, tables, self._drags)
        self._pulls = Pulls(self, self._drags, first)
        return tables

    def _drag_anew(self, drags: dict[str, Drag]) -> None:
        """Other bodies are dragged: other forces in the tables, and memory made for them."""
        self._drags = drags
        self.tables = self._own_tables(self.moving)
        self.inputs.rebuilt(self.moving.inputs, self.tables.laws.law_param)
        self.workspace = self._prepare(Start(self.q.copy(), self.v.copy(), self.state.cut_q.copy(), []))
        self._refresh()

    def save(self, file: str | PathLike[str]) -> None:
        """Keep the whole present state in `file` (.npz): `lw.Simulation(model, resume=file)` goes on to the last bit.

        What a Python function keeps to itself between calls is not in it. Components elsewhere keep their part where
        they are, if their owners let them (`linkwork serve … --keep FOLDER`).

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
        """Begin anew, as a new simulation would: at the start of the model, or at other start values.

        `joints` are start positions (rad, m) and `velocities` start velocities (rad/s, m/s) of joints by name; they are
        held, loops close, and the rest is as the model says where that fits. `q` and `v` are all coordinates and
        velocities, laid out as `sim.q` and `sim.v`. `time` (s) is where the clock begins. Inputs have the numbers of
        the model again, events are planned anew (those before `time` happen at once), contacts and the ledger of
        energy are empty, nothing is dragged. Where it fails everything stays as it was.

        >>> sim = lw.Simulation(lw.gallery.double_four_bar.build(), dt=1e-3)
        >>> sim.step(100)
        >>> sim.reset(joints={"foot 1": 1.2}, velocities={"foot 1": 0.5})
        >>> sim.time, round(float(sim["foot 1.position"]), 12), round(float(sim["foot 2.velocity"]), 9)
        (0.0, 1.2, 0.5)
        """
        driven = start_anew(self, q, v, joints, velocities, time)
        kept, inputs = self.__dict__.copy(), self.inputs.kept()
        try:
            self._begin_at(driven, float(time))
        except BaseException:
            self.__dict__.update(kept)
            self.inputs.go_back(inputs)
            raise

    def copy(self) -> Simulation:
        """Another simulation in the same state, which goes on to the last bit and leaves this one alone.

        The model and what was assembled of it are shared, and so are the model's Python functions: what one keeps to
        itself between calls is known to both simulations.

        >>> sim = lw.Simulation(lw.gallery.pendulum.build(), dt=1e-3)
        >>> sim.step(100)
        >>> ahead = sim.copy()
        >>> ahead.step(50)
        >>> sim.step(50)
        >>> bool(sim["pin.position"] == ahead["pin.position"])
        True
        """
        return copied(self)

    def close(self) -> None:
        """End the connections to components elsewhere; nothing to do where there are none."""
        if self.remote_links is not None:
            self.remote_links.close()
            self.remote_links = None

    @property
    def time(self) -> float:
        """Time of the present state, s."""
        return float(self.state.t[0])

    @property
    def q(self) -> Floats:
        """Coordinates, rad and m: of the joints of the tree as in `lw.assemble`, or of every body by itself.

        A view that follows the steps and cannot be written to: `sim.reset(q=…)` sets coordinates, with loops closed.
        """
        return self._part(0, self.moving.nq)

    @q.setter
    def q(self, _: Any) -> None:
        raise OptionError("coordinates are not set alone, as loops and contacts belong to them; use sim.reset(q=...)")

    @property
    def v(self) -> Floats:
        """Velocities, rad/s and m/s, that belong to `q`; a view like it, set by `sim.reset(v=…)`."""
        return self._part(self.moving.nq, self.moving.nq + self.moving.nv)

    @v.setter
    def v(self, _: Any) -> None:
        raise OptionError("velocities are not set alone, as loops and contacts belong to them; use sim.reset(v=...)")

    def _part(self, first: int, last: int) -> Floats:
        view: Floats = self.state.y[first:last]
        view.flags.writeable = False
        return view

    @property
    def solver(self) -> dict[str, float]:
        """How hard the last step was, where the method iterates: as in `Trajectory.solver`; `cut` tells of this step.

        >>> sim = lw.Simulation(lw.gallery.peaucellier.build(), lw.Impulse(dt=0.01))
        >>> sim.step(10)
        >>> sim.solver["sweeps"], sim.solver["cut"]  # its loops are solved for directly
        (1.0, 0.0)
        """
        sweeps, residual, rows = (float(number) for number in self.state.effort[:3])
        if self.method.name in IMPULSES:
            cut = float(residual > self.method.epsilon)
            return {"sweeps": sweeps, "residual": residual, "rows": rows, "cut": cut}
        return {"iterations": sweeps, "residual": residual} if self.method.integrator == "trapezoidal" else {}

    def step(self, steps: int = 1, dt: float | None = None) -> None:
        """Take `steps` steps of `dt` seconds, the method's own if not given; raises `RunError` where they cannot go on.

        The simulation then stands where it was before the step that failed: with other inputs it may go on. Steps of
        methods with impulses that are cut short, and leave much, are told once by a `RunWarning`.

        >>> sim = lw.Simulation(lw.gallery.pendulum.build(), dt=1e-3)
        >>> sim.step(10)
        >>> sim.step(2, dt=5e-3)
        >>> round(sim.time, 6)
        0.02
        """
        goal = self.steps + whole("steps", steps)
        self._take(self.method.dt if dt is None else positive("dt", dt, "seconds"))
        turns = self.state.cut_q.copy()
        with Interrupt() as interrupt:
            self._interrupt = interrupt
            while self.steps < goal:
                started = clock.perf_counter()
                if self._pulls is not None:
                    self._pulls.renew()
                count = self._quiet(1 if self._pulls is not None else min(self._chunk, goal - self.steps))
                status = self._advance(count, goal + 1, self._none)[2] if count else self._eventful_step()
                if status != 0:
                    failed = self.failure(status)
                    self._take_back(turns)
                    if status == stepping.PAUSED:
                        raise KeyboardInterrupt
                    raise failed
                if interrupt.pressed:
                    raise KeyboardInterrupt
                self._reconsider()
                took = clock.perf_counter() - started
                self._chunk = max(self._chunk if took < CHUNK_SECONDS else 1, next_chunk(max(count, 1), took))
        if self.state.effort[STEPS_CUT] > self._cut:
            self._look_at_cut()

    def _look_at_cut(self) -> None:
        """Warn, once, when steps that were cut short leave much of their impulses; of one alone nothing is said."""
        self._cut = self.state.effort[STEPS_CUT]
        if self._unsettled is None:
            return
        self._unsettled.add(self._present(), 1, self._h)
        left, share = self._unsettled.among_cut, self._cut / max(self.steps, 1)
        if self._unsettled.cut >= CUT_STEPS and left * share > POOR_IMPULSES:
            self._unsettled = None
            warn(
                f"steps of '{self.system.model.name}' are cut short by their number of sweeps, {int(self._cut)} of "
                f"{self.steps} by t = {self.time:.4g} s, and leave {left:.2g} of their impulses unsettled; give more "
                "iterations=, and look for drives that contradict each other",
                RunWarning,
            )

    def _reconsider(self) -> None:
        """Warn, once, when steps that we chose prove too large on the way."""
        found = None if self.watch is None else self.watch.look(self)
        if found is not None:
            self.watch = None
            warn(f"'{self.system.model.name}': {told(self, found)}; {remedy(self, found)}", RunWarning)

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

        Prints its address. The page has run, pause, step, reset, speed, sliders for the inputs, another method or dt,
        plots; afterwards the simulation is where the page left it, unless it was reset there. `host` other than
        127.0.0.1 asks those who look for the `token` (22 characters at least), which is made when not given; `cert` and
        `key` (PEM files) encrypt what they see. Needs the extra `view`.
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
        """Pull the point `at` of a body (m, its frame) to the point `to` of the world by a spring, from now on.

        Called again it moves the other end of the spring; `to=None` lets go. `softness` is that of the spring (3 Hz,
        damped, if not given), `max_force` its strength in N. Methods with impulses hold it as a soft row; in others
        `step` sets its force anew before every step, never stiffer than the step allows (`lw.simulate` does not).

        >>> model = lw.Model("stone")
        >>> stone = model.body("stone", shape=lw.Sphere(0.1), mass=2.0)
        >>> sim = lw.Simulation(model, lw.Impulse(dt=0.01))
        >>> sim.drag("stone", to=(1, 0, 0))
        >>> sim.step(300)
        >>> bool(abs(sim["stone.position"][0] - 1.0) < 1e-3)
        True
        """
        rows = self.method.name in IMPULSES
        if self.remote_links is not None or (self.method.name == "component" and self.method.coordinates == "joint"):
            where = "while components live elsewhere" if self.remote_links is not None else "in joint coordinates"
            raise OptionError(f"method {self.method.name!r} cannot drag bodies {where}; use method 'impulse'")
        if not rows:
            self._drag_by_force(body, to, at, softness, max_force)
            return
        if to is None:
            self._drags.pop(self.system.model._body(body, "drag").path, None)
        else:
            name, spring = checked_drag(self.system, body, to, at, softness, max_force)
            if len({*self._drags, name}) > self.workspace.drags.link.size:
                raise OptionError(f"drag of body '{name}': as many bodies as can be are dragged already; let one go")
            self._drags[name] = spring
        place_drags(self.moving, self.workspace.drags, self._drags)

    def _drag_by_force(self, body: Any, to: Any, at: Any, softness: Any, max_force: Any) -> None:
        if to is None:
            name = self.system.model._body(body, "drag").path
            if name in self._drags:
                self._drag_anew({key: each for key, each in self._drags.items() if key != name})
            return
        name, spring = checked_drag(self.system, body, to, at, softness, max_force)
        held = self._drags.get(name)
        if held is not None and np.array_equal(held.at, spring.at):
            self._drags[name] = spring
        else:
            self._drag_anew({**self._drags, name: spring})

    def contacts(self) -> Touching:
        """Where bodies press on each other in the last step: names, points, normals, forces (N), depths of overlap.

        A run records the sum for each body that can touch others as its column "contact_force".

        >>> model = lw.Model("stone")
        >>> floor = model.plane("floor")
        >>> stone = model.body("stone", shape=lw.Sphere(0.1), mass=2.0, position=(0, 0, 0.1), material=lw.Material())
        >>> sim = lw.Simulation(model, lw.Impulse(dt=0.01))
        >>> sim.step(10)
        >>> sim.contacts().bodies, sim.contacts().forces.round(2).tolist()
        ([('floor', 'stone')], [[0.0, 0.0, 19.62]])
        """
        if not hasattr(self.workspace, "contacts"):
            return Touching.none()
        return touching(self.moving, self.workspace.contacts, float(self.workspace.carried[LAST_STEP]), self._h)

    def reactions(self) -> Reactions:
        """What every joint carries now, and which components of that are unique; the least where they are not.

        >>> model = lw.Model("door")
        >>> door = model.body("door", mass=20.0, shape=lw.Box((0.8, 0.04, 2.0)), position=(0.4, 0, 0))
        >>> for name, z in (("lower", -0.8), ("upper", 0.8)):
        ...     hinge = model.revolute(name, model.ground, door, at=(0, 0, z), axis=(0, 0, 1))
        >>> found = lw.Simulation(model).reactions()
        >>> found.redundant, found["upper"].force.round(1).tolist()[2], found["lower"].force.round(1).tolist()[2]
        (5, 98.1, 98.1)
        """
        return present_reactions(self)

    def __getitem__(self, name: str) -> Any:
        """The present value of what a run records as a column, such as sim["pin.position"]; also "time".

        What joints do is read from the state (about 1 us). Poses, springs and reactions take an observation of all that
        moves (5 to 20 us): read many of them by one `sim.reader`. Of the two quaternions of a rotation it is the one
        nearer to what was read last.
        """
        return self._reading()[name]

    def reader(self, columns: Sequence[str]) -> Reader:
        """A function that returns the present values of many columns in one array: for controllers.

        >>> sim = lw.Simulation(lw.gallery.double_four_bar.build(), dt=1e-3)
        >>> read = sim.reader(["left pin 1.position", "left pin 1.velocity", "coupler 1.position"])
        >>> sim.step(10)
        >>> read().shape, read.slices["coupler 1.position"]
        ((5,), slice(2, 5, None))
        """
        return Reader(self, columns)

    def _reading(self) -> Reading:
        """Where the columns are; made anew when state or tables are other arrays."""
        look = self._look
        if look is None or look.state is not self.state or look.tables is not self.tables:
            look = self._look = Reading(self, look)
        return look

    def _seen(self) -> Observation:
        """What the present state shows, by number; the next look overwrites it."""
        observation: Observation = self._reading().see()
        return observation

    def _present(self) -> Samples:
        """The present state as a row."""
        samples = make_samples(self.state, 1)
        for name in Samples._fields:
            getattr(samples, name)[0] = getattr(self.state, name)
        return samples

    def _take_back(self, turns: Floats) -> None:
        """After a step that failed: the state before it; `turns` are coordinates of cuts, less than half a turn ago."""
        state = self.state
        elsewhere = self._here is not None or remote_parts(self.moving.model)  # others have gone on
        if elsewhere or not np.isfinite(state.last).all():
            return
        state.y[:], state.cut_q[:], state.t[0] = state.last, turns, self._clock()
        for numbers in (state.vd, state.cut_rate, state.cut_force, state.push, state.touch, state.drive):
            numbers[:] = 0.0
        old = self.workspace
        self.workspace = self._prepare(Start(self.q.copy(), self.v.copy(), turns.copy(), []))
        if self.method.name in IMPULSES:
            self.workspace.rows.offset[:] = old.rows.offset
        self.moving.faults.clear()
        self.inputs.changed = True

    def _take(self, h: float) -> None:
        """Steps are of length h from now on."""
        if h != self._h:
            self._begin, self._h = self.time - self.steps * h, h
            self._forget()

    def _advance(self, steps: int, every: int, samples: Samples) -> tuple[int, int, int]:
        """Run the compiled loop; keeps steps counted from the start of the simulation."""
        if not self._busy.acquire(blocking=False):
            raise OptionError(
                f"the simulation of '{self.system.model.name}' is being stepped by another thread; give each "
                "thread one of its own (sim.copy()), or let them take turns"
            )
        try:
            if self.steps >= 0:
                self._fall_behind(self._h)
            if self.inputs.changed:
                self._refresh()
            self._mark()
            done, kept, status = self._loop(self._begin, self.steps, steps, every, samples)
            self.steps += done
            return done, kept, status
        finally:
            self._busy.release()

    def _mark(self) -> None:
        """Keep this state, the one before it and the start."""
        if self.steps >= 0 and self.time - self.marks[-1].time > MARK_STEPS * self._h:
            q, v, cut_q = self.q.copy(), self.v.copy(), self.state.cut_q.copy()
            here = Moment(self.moving, self.tables, q, v, cut_q, self.time)
            self.marks = [self.marks[0], *self.marks[1:][-1:], here]

    def _refresh(self) -> None:
        """The rate kept from the last step knows the old inputs, and so do those before it."""
        self.inputs.changed = False
        self._forget()
        self._loop(self.time, -1, 1, 1, self._none)

    def _forget(self) -> None:
        """Integrators with a memory begin anew."""
        if hasattr(self.workspace, "steps"):
            self.workspace.steps.carried[HISTORY] = 0.0

    def _loop(
        self, begin: float, first: int, steps: int, every: int, samples: Samples, dt: float | None = None
    ) -> tuple[int, int, int]:
        """The compiled loop; components elsewhere run theirs in step (they settle the start by themselves)."""
        dt = self._h if dt is None else dt
        if self.remote_links is not None and self.steps >= 0:
            self.remote_links.command(RUN, begin, first, dt, steps)
        done = kept = pauses = 0
        while True:
            left = Samples(*(each[kept:] for each in samples)) if kept else samples
            more, further, status = self.method.run(
                self.tables, self.workspace, self.state, begin, first + done, dt, steps - done, every, left
            )
            done, kept, pauses = done + more, kept + further, 0 if more else pauses + 1
            if status != stepping.PAUSED or (self._interrupt is not None and self._interrupt.pressed):
                return done, kept, status
            # the adaptive integrator pauses within long steps, so that Ctrl-C gets a turn
            if pauses == MOST_PAUSES:
                return done, kept, stepping.STUCK

    def failure(self, status: int) -> RunError:
        """What a status other than 0 means, in words."""
        return failure_of(self, status)


@lru_cache(maxsize=1)
def ready_components() -> None:
    """Compile the loop of method "component", or load it, now: who waits for an answer has a timeout."""
    model = Model("block")
    model.body("block", mass=1.0, inertia=(1.0, 1.0, 1.0))
    Simulation(model, "component")
