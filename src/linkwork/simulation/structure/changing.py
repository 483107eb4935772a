"""What a simulation does between steps: joints attached and released, by hand or as the model plans it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Any, Unpack

import numpy as np

from linkwork.assembly.assemble import assemble
from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats, Tables
from linkwork.errors import ModelError, OptionError, RunError
from linkwork.formulations.samples import Samples, State, make_samples, make_state
from linkwork.model import Altered, AttachOptions, Event, Joint, attached_joint, attached_name
from linkwork.model.checked import shown
from linkwork.simulation.methods import refuse_unsupported
from linkwork.simulation.results.observe import Observer
from linkwork.simulation.start import Start
from linkwork.simulation.structure.events import SAME, Change, Schedule, Snapshot, holds
from linkwork.simulation.structure.transfer import Moment, changed, impulse_at, met, seen, struck


def joint_place(joint: Joint) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    """Where an attached joint is, in the frame of its body a: position, m, and axis; and its frame in b."""
    assert joint.frame_a is not None
    assert joint.frame_b is not None
    return (
        tuple(map(float, joint.frame_a.position)),
        tuple(joint.frame_a.matrix[:, 2].tolist()),
        (*joint.frame_b.position.tolist(), *joint.frame_b.rotation.tolist()),
    )


class Changing(ABC):
    """The part of a `Simulation` that changes its structure; `system` stays as built, `moving` is what moves now."""

    method: Any
    system: System
    moving: System
    tables: Tables
    state: State
    inputs: Any
    workspace: Any
    steps: int
    ignored: list[str]
    remote_links: Any
    _border: Any
    _none: Samples
    _begin: float  # step n of length h ends at begin + n h
    _h: float
    _behind: Floats  # what velocities of the next step are behind those shown, for 1 s of step; whether that is to come
    _waiting: Floats
    changes: list[Change]
    """Joints attached and released so far."""
    impacts: float
    """Energy that this has cost, J."""

    time: Any
    q: Any
    v: Any

    @abstractmethod
    def _prepare(self, start: Start) -> Any: ...

    @abstractmethod
    def _own_tables(self, system: System) -> Tables: ...

    @abstractmethod
    def _present(self) -> Samples: ...

    @abstractmethod
    def _refresh(self) -> None: ...

    @abstractmethod
    def _forget(self) -> None: ...

    @abstractmethod
    def _behind_start(self, lags: dict[str, float] | None) -> AbstractContextManager[None]: ...

    @abstractmethod
    def _fall_behind(self, h: float) -> None: ...

    @abstractmethod
    def _loop(
        self, begin: float, first: int, steps: int, every: int, samples: Samples, dt: float | None = None
    ) -> tuple[int, int, int]: ...

    @abstractmethod
    def failure(self, status: int) -> RunError: ...

    def _plan(self, events: Iterable[Event]) -> None:
        self._schedule = Schedule(events)
        self._attached: dict[str, Joint] = {}
        self._released: dict[str, Joint] = {}
        self.changes, self.impacts = [], 0.0
        self._here: float | None = None  # within a step that is split: where its present part began, s

    # --- joints that come and go

    @property
    def attached(self) -> list[str]:
        """Names of the joints that are attached now."""
        return list(self._attached)

    def attach(
        self, a: Any, b: Any, joint: str, *, name: str | None = None, **options: Unpack[AttachOptions]
    ) -> Change:
        """Join b to a now, by a joint of the kind `joint`; velocities that it forbids vanish in an impulse.

        It is placed where the bodies are now: by `at` (m) and `axis` in the world, or by `frame_a` and `frame_b`, of
        which one suffices; a fixed joint needs neither. Returns what it did, which is also kept in `sim.changes`.

        >>> sim = lw.Simulation(lw.gallery.pendulum.build(), dt=0.01)
        >>> sim.step(50)
        >>> pin = sim.attach("ground", "bob", "ball", at=(0, 0, 0), name="second pin")
        >>> pin.energy < 1e-20, sim.attached
        (True, ['second pin'])
        >>> sim.release("second pin").what
        'released'
        """
        model = self.system.model
        word = "attached joint"
        body_a, body_b = model._body(a, word), model._body(b, word)
        called = attached_name(model, body_a, body_b, name)
        return self._attach(attached_joint(model, body_a, body_b, joint, called, options))

    def release(self, joint: Joint | str) -> Change:
        """Release a joint now, attached or of the model; velocities stay as they are, its forces end.

        >>> sim = lw.Simulation(lw.gallery.double_four_bar.build(), dt=0.01)
        >>> sim.step(5)
        >>> sim.release("right pin 2").joint
        'right pin 2'
        """
        name = joint.path if isinstance(joint, Joint) else joint
        if not isinstance(name, str):
            raise ModelError(f"release: {shown(joint)} is not a joint; give a joint or its name")
        if name in self._released:
            raise ModelError(f"release: joint '{name}' was released before; release another one")
        if name not in self._attached:
            held = self.system.model._joint(name, "release")
            if held.path not in {place.name for place in self.moving.joints + self.moving.cuts}:
                raise ModelError(f"release: joint '{held.path}' is not attached now; attach it first")
            return self._restructure("released", held, self._attached, {**self._released, held.path: held})
        held = self._attached[name]
        return self._restructure(
            "released", held, {key: each for key, each in self._attached.items() if each is not held}, self._released
        )

    def _attach(self, words: Joint) -> Change:
        name = words.path
        if name in self._attached:
            raise ModelError(f"attached joint '{name}': it is attached already; release it, or give another name=")
        taken = next(iter(self.system.model._look(words.path)), None)
        planned = any(event.joint is taken for event in self.system.model.all_events())
        if taken is not None and not planned:
            raise ModelError(
                f"attached joint '{name}': the name is taken by the {taken.word} '{taken.path}'; give another name="
            )
        joint = met(self._moment(), words)
        return self._restructure("attached", joint, {**self._attached, name: joint}, self._released)

    def _moment(self) -> Moment:
        return seen(self.moving, self.time, self.q.copy(), self.v.copy(), self.state.cut_q)

    def _restructure(self, what: str, joint: Joint, attached: dict[str, Joint], released: dict[str, Joint]) -> Change:
        """Go on with other joints; where that fails everything stays as it was."""
        if self.remote_links is not None or self._border is not None:
            raise OptionError(
                f"joint '{joint.path}' cannot be {what} while components live elsewhere; keep all parts in one process"
            )
        moment = changed(self._moment(), list(attached.values()), list(released.values()))
        refuse_unsupported(moment.system, self.method, self.ignored)
        impulse, lost, work = np.zeros(6), 0.0, 0.0
        if what == "attached":
            strike = struck(moment, joint.path)
            impulse, lost, work = impulse_at(moment, joint.path, strike.rows), strike.lost, strike.work
            moment = moment._replace(v=strike.v)
        kept = {name: getattr(self, name) for name in ("moving", "state", "tables", "workspace", "_none", "_pulls")}
        inputs, stored = self.moving.inputs, self._stored()
        try:
            self._go_on(moment, work - stored)
        except BaseException:
            for name, value in kept.items():
                setattr(self, name, value)
            self.inputs.rebuilt(inputs, self.tables.laws.law_param)
            raise
        self._attached, self._released = attached, released
        self.impacts += lost
        facts = (self.time, what, joint.path, joint.kind, joint.a.path, joint.b.path, tuple(impulse.tolist()), lost)
        self.changes.append(Change(*facts, *joint_place(joint)) if what == "attached" else Change(*facts))
        return self.changes[-1]

    def _go_on(self, moment: Moment, work: float) -> None:
        """Tables, memory and state of a moment; `work` and what is then in the springs was put in."""
        self._stand(moment.system, moment.q, moment.v, moment.cut_q)
        state = self.state
        # springs in joints come and go with what they hold
        state.y[-1] += work + self._stored()
        with self._behind_start(None):
            _, _, status = self._loop(self.time, -1, 1, 1, make_samples(state, 1))
        if status != 0:
            raise self.failure(status)

    def _stand(self, system: System, q: Floats, v: Floats, cut_q: Floats) -> None:
        """Tables, memory and state of another system; clock, accounts and inputs stay as they are."""
        y = np.concatenate([q, v, self.state.y[-2:]])
        state = make_state(system.tables, y, cut_q, self.state.push.shape[0] > 0)
        state.t[0], state.count[:], state.effort[:] = self.time, self.state.count, self.state.effort
        self.moving, self.state = system, state
        self.tables = self._own_tables(system)
        self.inputs.rebuilt(system.inputs, self.tables.laws.law_param)
        self.workspace = self._prepare(Start(q, v, cut_q, []))
        self._none = make_samples(state, 1)
        self._behind, self._waiting = np.zeros(system.nv), np.zeros(1)

    def _restore(self, model: Altered, y: Floats, cut_q: Floats) -> None:
        """Stand in a structure that a state was taken in; y and cut_q are of that state."""
        system = assemble(model, absolute=self.moving.absolute, floating=True, before=self.moving)
        nq, nv = system.nq, system.nv
        if y.size == nq + nv + 2 and cut_q.size == system.cut_start.size:
            self._stand(system, y[:nq].copy(), y[nq : nq + nv].copy(), cut_q.copy())

    def _stored(self) -> float:
        """Energy in the springs now, J."""
        _, accounts = Observer(self.moving, tables=self.tables).look(self._present(), 1)
        return float(accounts["springs"][0])

    # --- events that the model plans

    def _awake(self, event: Event) -> bool:
        """A condition is looked at while there is something to release."""
        return event.joint is not None or event.path in {place.name for place in self.moving.joints + self.moving.cuts}

    def _quiet(self, steps: int) -> int:
        return self._schedule.quiet(self._clock(), self._h, steps, self._awake)

    def _clock(self, steps: int = 0) -> float:
        """Time so many steps from now, s."""
        return self._begin + (self.steps + steps) * self._h

    def _happen(self, now: float, watched: bool = True) -> None:
        """Do what is due at this instant; conditions that are only looked at after whole steps unless `watched`."""
        due = self._schedule.take_timed(now, self._h)
        for event in list(self._schedule.watched):
            if (watched or event.within is not None) and self._awake(event) and holds(event, self):
                self._schedule.take(event)
                due.append(event)
        for event in due:
            if event.joint is None:
                self.release(event.path)
            else:
                self._attach(event.joint)

    def _eventful_step(self) -> int:
        """One step with what happens in it, at its end, or in between where it is then split. Returns a status."""
        dt = self._h
        here, end = self._clock(), self._clock(1)
        while here < end:
            self._here = here
            goal = self._schedule.next_time(end, dt)
            self._fall_behind(dt if goal - here >= dt * (1.0 - SAME) else goal - here)
            located = [event for event in self._schedule.watched if event.within is not None and self._awake(event)]
            before = Snapshot(self.state, self.workspace) if located else None
            status = self._go(here, goal)
            if status == 0 and before is not None and any(holds(event, self) for event in located):
                goal, status = self._locate(here, goal, located, before)
            if status != 0:
                return status
            whole_step = goal >= end - SAME * dt
            here = end if whole_step else goal
            self._happen(goal, watched=whole_step)
        self.steps, self._here = self.steps + 1, None
        return 0

    def _go(self, here: float, goal: float) -> int:
        """From one instant to another within a step. Returns a status."""
        dt = self._h
        if self.inputs.changed:
            self._refresh()
        if goal - here >= dt * (1.0 - SAME):  # the whole step, to the same bits as any other
            return self._loop(self._begin, self.steps, 1, self.steps + 2, self._none)[2]
        self._forget()
        status = self._loop(here, 0, 1, 2, self._none, goal - here)[2]
        self._forget()
        return status

    def _locate(self, here: float, goal: float, events: list[Event], before: Snapshot) -> tuple[float, int]:
        """The first instant, to within the finest of `within`, at which one of the conditions holds; goes there."""
        low, high = here, goal
        while high - low > min(event.within or 0.0 for event in events) and low < 0.5 * (low + high) < high:
            middle = 0.5 * (low + high)
            before.restore()
            status = self._go(here, middle)
            if status != 0:
                return middle, status
            if any(holds(event, self) for event in events):
                high = middle
            else:
                low = middle
        before.restore()
        return high, self._go(here, high)
