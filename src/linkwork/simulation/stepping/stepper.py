"""`Stepper`, what a simulation steps: a system, its method, the present state and the clock. The loop is compiled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from typing import Any

import numpy as np

from linkwork.assembly.assemble import assemble
from linkwork.assembly.energy_parts import accounts_for
from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats, Tables
from linkwork.errors import OptionError
from linkwork.formulations import status as codes
from linkwork.formulations.explicit.stepping import MOST_PARTS
from linkwork.formulations.protocol import Bound, Method
from linkwork.formulations.samples import REFUSED, Samples, State, copy_sample, make_samples, make_state
from linkwork.simulation.analysis.choice.stiffness import OperatingPoint
from linkwork.simulation.analysis.hints.check import refuse_lone_rotors, refuse_singular, refuse_weightless
from linkwork.simulation.inputs import Inputs
from linkwork.simulation.interaction.drag import Drag
from linkwork.simulation.interaction.pull import Pulls, with_loads
from linkwork.simulation.methods import resolve
from linkwork.simulation.starts.driven import DrivenStart, start_with_motors
from linkwork.simulation.starts.start import Start, absolute_start, refuse_beyond_limits
from linkwork.simulation.stepping.failures import failure_of
from linkwork.simulation.stepping.interrupt import Interrupt
from linkwork.simulation.stepping.lag import apply_lag
from linkwork.simulation.stepping.remote_links import RUN, RemoteLinks, remote_parts
from linkwork.simulation.stepping.workspaces import make_workspace
from linkwork.simulation.structure.persistent import checked_arrays, persistent_arrays

MARK_STEPS = 16  # between two states that are kept to look back at
MOST_PAUSES = 200  # of one step, each after a few thousand parts of it: then it is stuck
FAIR_TRIAL = 3  # pauses after which a step is stuck where too many of its parts were refused
OFF_TICK = 1e-3  # of a step: by rounding, the clock is off by less, and by more within a step
IN_VAIN = 0.25  # of the parts: accuracy alone makes the adaptive integrator refuse a tenth


class Stepper:
    """A system with a method: tables, memory of the method, present state and clock.

    `system` stays as built, `began` is the same in the coordinates that move, `moving` is what moves now: another one
    once a joint was attached or released. `begin` must be called first, and may be called again.
    """

    state: State
    tables: Tables
    moving: System
    start: Start
    workspace: Any
    """Memory of the method."""
    spare: Samples
    """Room for a row that nobody reads."""
    steps: int
    """Steps since the start; -1 before the start itself is computed."""
    h: float
    """Length of a step, s; step n ends at origin + n h."""
    origin: float
    here: float | None
    """Within a step that is split by events: where its present part began, s."""
    lag: Floats
    """What velocities before the next step are behind those shown, for 1 s of step (see `lag`)."""
    lag_waits: Floats
    """Whether that is still to be applied: 1 or 0."""
    marks: list[OperatingPoint]
    """States to look back at when a step fails: the start, and some steps ago."""
    drags: dict[str, Drag]
    """Bodies that are dragged."""
    pulls: Pulls | None
    """Their forces, in methods without impulses."""

    def __init__(
        self,
        method: Method,
        system: System,
        inputs: Inputs,
        *,
        ignored: Sequence[str] = (),
        border: Any = None,
        ports: Sequence[str] = (),
    ) -> None:
        self.method, self.system, self.inputs, self.ignored = method, system, inputs, list(ignored)
        self.border, self.ports = border, ports  # where this model is a component of somebody else's
        self.remote_links: RemoteLinks | None = None
        self.interrupt: Interrupt | None = None
        self.at_pause: Callable[[], object] | None = None  # called now and then within a long step
        self.first = self.consistent_start(system)
        # the coordinates that move: those of the tree, or of every body by itself
        absolute = method.coordinates == "absolute"
        filled = method.needs != "natural coordinates"
        self.began = assemble(system.model, absolute=True, driven=system.driven, filled=filled) if absolute else system
        # while the compiled loop runs; asked and set in one go, between two calls, where no other thread gets a turn
        self.busy = False

    # --- the start

    def consistent_start(self, system: System, time: float = 0.0) -> DrivenStart:
        """A consistent start of the system with its start values, and those of motors where the method has them."""
        return start_with_motors(self.method, system, time, self.ignored)

    def begin(self, start: Start, time: float) -> None:
        """Stand at a start, with new tables, inputs, memory and clock; `settle` then computes the first row."""
        if "limits" in self.method.supports:
            refuse_beyond_limits(self.system, start)
        y, cut_q = np.concatenate([start.q, start.v, np.zeros(self.began.tables.tree.accounts)]), start.cut_q
        if self.began.absolute:
            y, cut_q = absolute_start(self.system, start, self.began, time)
            if self.method.impulses:
                refuse_lone_rotors(self.began, self.method.name)
            refuse_weightless(self.began, y[: self.began.nq], y[self.began.nq :][: self.began.nv], cut_q, time)
        self.start, self.moving, self.drags = start, self.began, {}
        self._make_tables()
        self.inputs.begin(self.moving.inputs, self.tables.laws.law_param)
        self._make_workspace(start)
        self.state = make_state(self.moving.tables, y, cut_q, self.method.impulses)
        self.state.t[0] = time
        self.moving.faults.noted.clear()
        self.steps, self.here = -1, None
        self.origin, self.h = time, self.method.dt
        self._make_room()
        tables = self.tables if self.moving is self.system else self.system.tables
        self.marks = [OperatingPoint(self.system, tables, start.q, start.v, start.cut_q, time)]

    def settle(self) -> None:
        """Compute accelerations and forces of the start itself, row 0; raises where that cannot be."""
        status = self.advance(1, 1, make_samples(self.state, 1))[2]
        if status >= codes.SINGULAR:
            refuse_singular(self.moving, status - codes.SINGULAR)
        if status != 0:
            self.steps = 0
            raise failure_of(self, status)

    # --- the present state

    @property
    def time(self) -> float:
        """Time of the present state, s."""
        return float(self.state.t[0])

    @property
    def q(self) -> Floats:
        """Coordinates, rad and m; a view that cannot be written to."""
        return self._part(0, self.moving.nq)

    @property
    def v(self) -> Floats:
        """Velocities, rad/s and m/s; a view that cannot be written to."""
        return self._part(self.moving.nq, self.moving.nq + self.moving.nv)

    def _part(self, first: int, last: int) -> Floats:
        view: Floats = self.state.y[first:last]
        view.flags.writeable = False
        return view

    def place(self) -> Start:
        """Coordinates and velocities of the present state, copied."""
        return Start(self.q.copy(), self.v.copy(), self.state.cut_q.copy(), [])

    def present(self) -> Samples:
        """The present state as a row."""
        samples, laws = make_samples(self.state, 1), self.tables.laws
        self.state.inputs[:] = laws.law_param[laws.input_law, 0]
        copy_sample(self.state, samples, 0)
        return samples

    # --- the clock

    def time_after(self, steps: int = 0) -> float:
        """Time so many steps from now by the clock, s."""
        return self.origin + (self.steps + steps) * self.h

    def set_step(self, h: float) -> None:
        """Steps are of length h (s) from now on."""
        if h != self.h:
            self.origin, self.h = self.time - self.steps * h, h
            self.forget()

    def set_method_step(self, dt: float) -> None:
        """Steps of the method itself are of dt (s) from now on."""
        self.method, _ = resolve(self.method, {"dt": dt})
        self.set_step(self.method.dt)

    # --- steps

    def advance(self, steps: int, every: int, samples: Samples) -> tuple[int, int, int]:
        """Take steps, and keep every so many of them: steps done, rows kept, and a status, 0 where all went well."""
        if self.busy:
            raise OptionError(
                f"the simulation of '{self.system.model.name}' is being stepped by another thread; give each "
                "thread one of its own (sim.copy()), or let them take turns"
            )
        self.busy = True
        try:
            if self.steps >= 0:
                apply_lag(self, self.h)
            if self.inputs.changed:
                self.refresh()
            self.mark()
            done, kept, status = self.run(self.origin, self.steps, steps, every, samples)
            self.steps += done
            return done, kept, status
        finally:
            self.busy = False

    def mark(self) -> None:
        """Now and then, keep this state to look back at, the one before it and the start."""
        time = self.time
        if self.steps >= 0 and time - self.marks[-1].time > MARK_STEPS * self.h:
            y, nq, nv = self.state.y.copy(), self.moving.nq, self.moving.nv
            here = OperatingPoint(self.moving, self.tables, y[:nq], y[nq : nq + nv], self.state.cut_q.copy(), time)
            self.marks = [self.marks[0], *self.marks[1:][-1:], here]

    def refresh(self) -> None:
        """Compute accelerations and forces of the present state anew: inputs or forces have changed."""
        self.inputs.changed = False
        self.forget()
        self.run(self.time, -1, 1, 1, self.spare)

    def count_steps(self, turns: Floats) -> None:
        """After an exception that hides how steps ended: as many are done as the clock of the state tells.

        A step that was left half-way has failed; `turns` are as in `take_back`.
        """
        count = (self.time - self.origin) / self.h
        if abs(count - round(count)) < OFF_TICK:
            self.steps = round(count)
        else:
            self.take_back(turns)

    def forget(self) -> None:
        """Integrators with a memory begin anew."""
        self.method.forget(self.workspace)

    def run(
        self, begin: float, first: int, steps: int, every: int, samples: Samples, dt: float | None = None
    ) -> tuple[int, int, int]:
        """The compiled loop; components elsewhere run theirs in step (they settle the start by themselves)."""
        dt = self.h if dt is None else dt
        if self.remote_links is not None and self.steps >= 0:
            self.remote_links.command(RUN, begin, first, dt, steps)
        done = kept = pauses = refused = 0
        while True:
            left = Samples(*(each[kept:] for each in samples)) if kept else samples
            more, further, status = self.method.run(
                tables=self.tables,
                workspace=self.workspace,
                state=self.state,
                begin=begin,
                first=first + done,
                dt=dt,
                steps=steps - done,
                every=every,
                samples=left,
            )
            done, kept = done + more, kept + further
            if status != codes.PAUSED or (self.interrupt is not None and self.interrupt.pressed):
                return done, kept, status
            # the adaptive integrator pauses within long steps, so that Ctrl-C gets a turn
            pauses = 1 if more else pauses + 1
            if self.at_pause is not None:
                self.at_pause()
            if pauses == 1:
                refused = int(self.state.count[REFUSED])
            if pauses == MOST_PAUSES or self._gets_nowhere(pauses - 1, refused):
                return done, kept, codes.STUCK

    def bound_loop(self) -> Bound:
        """The compiled loop with the present tables, memory and state, for steps that nobody keeps."""
        return self.method.bind(self.tables, self.workspace, self.state, self.spare)

    def _gets_nowhere(self, pauses: int, refused: int) -> bool:
        """Whether so many pauses show that most of the work is in vain: something other than accuracy limits the parts
        of the step, such as stiffness or noise in the accelerations. `refused` were refused before them.
        """
        new = int(self.state.count[REFUSED]) - refused
        return pauses >= FAIR_TRIAL and new > IN_VAIN * pauses * MOST_PARTS

    def take_back(self, turns: Floats) -> None:
        """After a step that failed: the state before it; `turns` are coordinates of cuts, less than half a turn ago."""
        state = self.state
        elsewhere = self.here is not None or remote_parts(self.moving.model)  # others have gone on
        if elsewhere or not np.isfinite(state.last).all():
            return
        state.y[:], state.cut_q[:], state.t[0] = state.last, turns, self.time_after()
        for numbers in (state.vd, state.cut_rate, state.cut_force, state.push, state.contact_force, state.drive):
            numbers[:] = 0.0
        old = self.workspace
        self._make_workspace(self.place())
        self.method.inherit(self.workspace, old)
        self.moving.faults.noted.clear()
        self.inputs.changed = True

    # --- other tables and memory

    def switch_system(self, system: System, q: Floats, v: Floats, cut_q: Floats) -> None:
        """Tables, memory and state of another system; clock, accounts and inputs stay as they are."""
        refuse_weightless(system, q, v, cut_q, self.time)
        accounts = self.state.y[self.moving.nq + self.moving.nv :]
        y = np.concatenate([q, v, accounts_for(system.tables.tree, accounts)])
        state = make_state(system.tables, y, cut_q, self.method.impulses)
        state.t[0], state.count[:], state.solver_stats[:] = self.time, self.state.count, self.state.solver_stats
        before, self.moving, self.state = self.moving, system, state
        self.rebuild(Start(q, v, cut_q, []), before)
        self._make_room()

    def rebuild(self, start: Start, before: System | None = None) -> None:
        """Tables and memory anew, for what moves and what is dragged now; `before` is what moved before, if another."""
        old, held = self.tables.laws, (before or self.moving).held
        self._make_tables()
        self.inputs.rebuilt(self.moving.inputs, self.tables.laws.law_param)
        new = self.tables.laws
        for path, place in self.moving.held.items():  # readings of sensors stay
            new.law_param[new.input_law[place], 0] = old.law_param[old.input_law[held[path]], 0]
        self._make_workspace(start)

    def _make_tables(self) -> None:
        """Tables with inputs of their own, and with forces on the bodies that are dragged."""
        tables, self.pulls = self.moving.tables, None
        laws = tables.laws
        self.tables = tables._replace(laws=laws._replace(law_param=laws.law_param.copy()))
        if "contact" in self.ignored:  # no two colliders meet
            colliders = tables.colliders
            self.tables = self.tables._replace(
                colliders=colliders._replace(can_collide=np.zeros_like(colliders.can_collide))
            )
        if self.drags and not self.method.impulses:
            self.tables, first = with_loads(self.moving, self.tables, self.drags)
            self.pulls = Pulls(self, self.drags, first)

    def _make_workspace(self, start: Start) -> None:
        self.workspace, links = make_workspace(self, start)
        self.remote_links = links or self.remote_links

    def _make_room(self) -> None:
        """Room for what is as large as the state."""
        self.spare = make_samples(self.state, 1)
        self.lag, self.lag_waits = np.zeros(self.moving.nv), np.zeros(1)

    # --- going back, copying, closing

    def kept(self) -> tuple[dict[str, Any], Inputs]:
        """What to `go_back` to when another structure or start fails; numbers in arrays are not copied."""
        return vars(self).copy(), self.inputs.kept()

    def go_back(self, to: tuple[dict[str, Any], Inputs]) -> None:
        """Be what `kept` gave."""
        fields, inputs = to
        vars(self).update(fields)
        self.inputs.go_back(inputs)

    def copied(self) -> Stepper:
        """Another one in the same state: what is never changed is shared, all arrays of the state are its own."""
        if self.remote_links is not None or self.border is not None:
            raise OptionError(f"'{self.system.model.name}' cannot be copied, as components of it live elsewhere")
        other = copy(self)
        other.busy, other.drags = False, dict(self.drags)
        other._make_tables()
        other.inputs = self.inputs.copied(other.tables.laws.law_param)
        other._make_workspace(self.place())
        other.state = State(*(numbers.copy() for numbers in self.state))
        other._make_room()
        for values, found in checked_arrays(other, persistent_arrays(self)):
            values[...] = found
        if self.pulls is not None and other.pulls is not None:
            other.pulls.go_on(self.pulls)
        return other

    def close(self) -> None:
        """End the connections to components elsewhere."""
        if self.remote_links is not None:
            self.remote_links.close()
            self.remote_links = None
