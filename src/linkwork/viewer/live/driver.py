"""The side of the live page that steps: a simulation in real time, and what each click does to it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any

import numpy as np

from linkwork.errors import ModelError, OptionError, RunError
from linkwork.simulation.interaction.drag import drag_forces
from linkwork.simulation.methods import positive
from linkwork.simulation.run import Simulation
from linkwork.viewer.live import shared_frame as slot
from linkwork.viewer.live.held_keys import HeldKeys
from linkwork.viewer.live.kinematic import KinematicMode
from linkwork.viewer.live.live_state import LiveState, method_label
from linkwork.viewer.live.page_data import modes_of
from linkwork.viewer.live.page_messages import MESSAGES
from linkwork.viewer.live.step_clock import LEAD, StepClock
from linkwork.viewer.live.timeline import Timeline, restore
from linkwork.viewer.scene_shapes import matrix

MOST_EVENTS = 50  # marks on the time line
STRENGTH = 50.0  # m/s2: a drag can lift five times the weight of all bodies
TURN = 5e-3  # s of computing between two looks at the clock and at messages
REPLAYED = ("input", "key", "dt", "release", "attach", "grab", "pull", "drop")  # to come to the same state again

Make = Callable[[str | None, float | None], Simulation]


class Driver:
    """Steps a simulation in real time, does what was clicked, and writes its state to the shared frame.

    With `waits` it stands until somebody looks. At `until` (s) it pauses once.
    """

    def __init__(
        self,
        page: Any,
        make: Make,
        sim: Simulation,
        state: LiveState,
        *,
        keys: Mapping[str, Mapping[str, float]] | None = None,
        stay: Collection[str] = (),
        until: float | None = None,
        waits: bool = False,
    ) -> None:
        self.page, self.make, self.sim, self.state = page, make, sim, state
        self.running, self.speed, self.dt = True, 1.0, sim.method.dt
        self.method: str | None = None  # another than the one it began with
        self.made_dt: float | None = None  # the step that it was made with, where that was asked for
        self.waits = waits
        self.until, self.ended = until, False
        self.clock = StepClock(self.dt, self.speed, time.perf_counter(), *LEAD)
        self.block = 1  # steps in one turn
        self.count = 0  # steps since the start
        self.watched, self.looked = 0.0, time.perf_counter()  # s of running, and until when they are counted
        self.timeline = Timeline()
        self.keys = HeldKeys(keys or {}, stay)
        self.fresh = True  # something to show
        self.told: dict[str, Any] = {"inputs": {}, "events": []}  # what the page knows
        self.plots = 0  # number of the list of columns that are plotted
        self.quiet = False  # nothing is told, while what was done is done again
        self.held: dict[str, Any] = {}  # points by which bodies are dragged, m, in their frames
        self.goals: dict[str, Any] = {}  # and where to, m, world
        self.strength = STRENGTH * sum(body.mass for body in sim.system.model.all_bodies())  # N, of a drag
        self.kinematic: KinematicMode | None = None

    def tell(self, *words: Any) -> None:
        """Send a message to the page."""
        if not self.quiet:
            self.page.send(*words)

    # --- stepping -----------------------------------------------------------------------------------------

    def go(self, now: float) -> float:
        """Take the steps that are due; returns when to call again."""
        if not self.running or self.waits:
            return now + 1.0
        due = min(self.clock.due(now), self.block, self._steps_left())
        if due:
            if not self._step(due):
                return now + 1.0
            end = time.perf_counter()
            self.clock.done(due, end)
            self.block = max(1, min(4 * self.block, int(due * TURN / max(end - now, 1e-7))))
            self.fresh = True
            self._end()
        return self.clock.wake(now)

    def _steps_left(self) -> int:
        """Until the end of the piece."""
        if self.until is None or self.ended:
            return self.block
        return max(1, math.ceil((self.until - self.sim.time) / self.dt - 1e-6))

    def _end(self) -> None:
        """Pause where the piece ends, once."""
        if self.until is not None and not self.ended and self.sim.time >= self.until - 1e-6 * self.dt:
            self.ended, self.running = True, False
            self.tell("note", f"the end of this piece, t = {self.sim.time:.4g} s: Run goes on, Reset begins anew")

    def _step(self, count: int) -> bool:
        try:
            self.sim.step(count, self.dt)
        except RunError as error:
            self.running, self.fresh = False, True
            self.state.failed = str(error)
            self.tell("note", f"{error} Reset begins anew.", "error")
            return False
        self.count += count
        return True

    def show(self) -> None:
        """Write the present state to the shared frame, if it is new."""
        now = time.perf_counter()
        if self.running and not self.waits:
            self.watched += now - self.looked
        self.looked = now
        if not self.fresh:
            return
        self.fresh = False
        self._tell_news()
        if self.kinematic is not None:
            self._show_pose(self.kinematic)
            return
        self.state.refresh()
        if self.state.rearranged:
            self.tell("joints", *self.state.changes())
        if self.state.light_changed():
            self.tell("trust", *self.state.light)
        contacts = self.state.contacts()
        head = self.state.head() | {
            slot.FACTOR: self.clock.factor if self.running else 0.0,
            slot.RUNNING: float(self.running),
            slot.LATE: float(self.clock.late),
            slot.STEPS: float(self.clock.steps),
            slot.CONTACT_COUNT: float(len(contacts)),
            slot.WATCHED: float(self.plots),
            slot.KINEMATIC: 0.0,
        }
        forces = drag_forces(self.sim.stepper) if self.held else {}
        drags = self._drags(self.state.poses(), forces)
        self.page.frame.write(head, self.state.poses(), self.state.forces(), contacts, self.state.plotted(), drags)
        if self.timeline.due(self.watched):
            self.timeline.keep(self.sim, self.count, self.watched, self.dt, self.keys.held)

    def _show_pose(self, mode: KinematicMode) -> None:
        """Write where sliders and the mouse have put the bodies to the shared frame."""
        if mode.asked or mode.pulls:
            self.tell("note", mode.go(self.held))
            self.tell("coordinates", mode.posing.values())
        head = {slot.TIME: mode.time, slot.RUNNING: 0.0, slot.CONTACT_COUNT: 0.0, slot.KINEMATIC: 1.0}
        poses = mode.poses()
        self.page.frame.write(head, poses, np.zeros_like(self.state.forces()), None, [], self._drags(poses, {}))

    def _drags(self, poses: Any, forces: dict[str, Any]) -> list[Any]:
        """What is dragged: the number of the thing, the point that is held, where to, and the force, N."""
        found = []
        for body, at in list(self.held.items())[: slot.MOST_DRAGS]:
            k = self.state.stage.index[body]
            held = poses[k, :3] + matrix(poses[k, 3:]) @ at
            found.append([k, *held, *self.goals[body], *forces.get(body, (0.0, 0.0, 0.0))])
        return found

    def _tell_news(self) -> None:
        """What the inputs are, and which joints were attached and released, where that has changed."""
        events = [(change.time, change.what, change.joint) for change in self.sim.changes[-MOST_EVENTS:]]
        for word, news in (("inputs", dict(self.sim.inputs)), ("events", events)):
            if news != self.told[word]:
                self.told[word] = news
                self.tell(word, news)

    # --- messages --------------------------------------------------------------------------------------------

    def receive(self, name: str, *values: Any) -> None:
        """Do what was clicked; the page shows what cannot be done."""
        if name not in MESSAGES:
            return
        self.fresh = True
        try:
            getattr(self, f"_{name}")(*values)
        except (ModelError, OptionError, RunError) as error:
            self.tell("note", str(error), "error")
            return
        if name in REPLAYED and self.kinematic is None:
            self.timeline.note(self.count, (name, *values))

    def _ready(self) -> None:
        """Somebody looks: the run that waited begins."""
        if self.waits:
            self.waits = False
            self._begin_clock()

    def _begin_clock(self) -> None:
        self.looked = time.perf_counter()
        self.clock.begin(self.dt, self.speed, self.looked)

    def _run(self, running: bool) -> None:
        if running:
            self._kinematic(False)
        self.running = running
        self._begin_clock()

    def _kinematic(self, on: bool) -> None:
        """Let sliders and the mouse move the mechanism, or go on from where they have put it."""
        mode, self.kinematic = self.kinematic, None
        if on:
            self._let_go()
            self.running = False
            self.kinematic = KinematicMode(self.sim, self.state.stage)
            self.tell("kinematic", True)
            self.tell("coordinates", self.kinematic.posing.values())
        elif mode is not None:
            self.held.clear()
            self.tell("note", "")
            self.tell("kinematic", False)
            if mode.moved:
                self._begin_at(mode)

    def _begin_at(self, mode: KinematicMode) -> None:
        """Start the simulation anew where the sliders have put it, with the inputs that it has."""
        inputs = dict(self.sim.inputs)
        self.sim.reset(joints=mode.posing.positions())
        self.sim.inputs.update(inputs)
        self.state.begin()
        self._begin_timeline()

    def _begin_timeline(self) -> None:
        self.timeline, self.count, self.ended = Timeline(), 0, False

    def _pose(self, number: int, value: float) -> None:
        if self.kinematic is not None:
            self.kinematic.ask(number, value)

    def _modes(self) -> None:
        """Find the modes about the equilibrium and send their shapes; the run pauses."""
        self.running = False
        self.tell("note", "looking for the equilibrium and the modes about it ...")
        facts = modes_of(self.sim.system.model)
        self.tell("note", "")
        self.tell("modes", facts)

    def _single(self, count: int = 1) -> None:
        self._kinematic(False)
        self.running = False
        if count > 0:
            self._step(count)

    def _speed(self, speed: float) -> None:
        self.speed = positive("speed", speed, "")
        self._begin_clock()

    def _input(self, name: str, value: float) -> None:
        self.sim.inputs[name] = value

    _lean = _input

    def _key(self, key: str, down: bool) -> None:
        for name, value in self.keys.turn(key, down).items():
            self.sim.inputs[name] = value

    def _watch(self, columns: list[str], number: int = 0) -> None:
        self.state.columns, self.plots = columns, number

    def _dt(self, dt: float) -> None:
        self.dt = positive("dt", dt, "seconds")
        self._begin_clock()

    def _method(self, name: str) -> None:
        self.tell("note", f"preparing {name} ...")
        self._anew(name)
        self.method = name
        self.tell("label", method_label(self.sim))
        self.tell("note", "")

    def _reset(self) -> None:
        self._anew(self.method)
        self.tell("note", "")
        if self.kinematic is not None:
            self._kinematic(True)

    def _anew(self, method: str | None) -> None:
        inputs = dict(self.sim.inputs)
        made = self.make(method, self.dt)
        made.inputs.update({name: value for name, value in inputs.items() if name in made.inputs})
        self.made_dt = self.dt
        self._take(made)
        self.clock = StepClock(self.dt, self.speed, time.perf_counter(), *LEAD)
        self._begin_timeline()

    def _take(self, made: Simulation) -> None:
        """Go on with another simulation."""
        self.sim.close()
        columns, self.sim = self.state.columns, made
        self.held.clear()
        self.state = LiveState(made, self.state.stage)
        self.state.columns = columns

    # --- going back -----------------------------------------------------------------------------------------

    def _rewind(self, t: float) -> None:
        """Stand where the run was at a time, s."""
        self.running = False
        self._go_back(t)

    def _branch(self, t: float) -> None:
        """Go on from where the run was at a time, s; what came after it is forgotten."""
        self._go_back(t)
        self._run(True)

    def _go_back(self, t: float) -> None:
        moment = self.timeline.before(min(t, self.sim.time))
        if self.kinematic is not None:
            self.kinematic = None
            self.tell("kinematic", False)
        down, before = self.keys.held, self.state
        made = self.make(self.method, self.made_dt)
        restore(made, moment)
        self._take(made)
        self.state.go_on(before)
        self.count, self.dt, self.keys.held = moment.steps, moment.dt, list(moment.keys)
        self.quiet = True
        try:
            serial = self._again(t, self.timeline.since(moment), moment.serial)
            self._let_go()
            for key in [key for key in self.keys.held if key not in down]:
                self._key(key, False)  # a key that was held then and is up now
        finally:
            self.quiet, self.keys.held = False, down
        self.timeline.cut(self.count, serial)
        self.ended = self.ended and self.until is not None and self.sim.time >= self.until
        self._begin_clock()

    def _again(self, t: float, entries: list[Any], serial: int) -> int:
        """Do again what was done until a time, s; returns how many messages that were."""
        for entry in entries:
            ahead, most = entry.steps - self.count, round((t - self.sim.time) / self.dt)
            if ahead >= most:
                break
            self._repeat(ahead)
            getattr(self, f"_{entry.words[0]}")(*entry.words[1:])
            serial = entry.serial + 1
        self._repeat(round((t - self.sim.time) / self.dt))
        return serial

    def _repeat(self, count: int) -> None:
        if count > 0:
            self.sim.step(count, self.dt)
            self.count += count

    # --- joints and bodies by hand ------------------------------------------------------------------------------

    def _release(self, joint: str) -> None:
        change = self.sim.release(joint)
        self.tell("note", f"'{change.joint}' was released at t = {change.time:.4g} s")

    def _attach(self, a: str, b: str, kind: str) -> None:
        options: dict[str, Any] = {}
        if kind != "fixed":
            options["at"] = tuple(self.sim[f"{b}.position"])
        change = self.sim.attach(a, b, kind, **options)
        self.tell("note", f"'{change.joint}' was attached at t = {change.time:.4g} s; {change.energy:.3g} J lost")

    def _grab(self, body: str, point: Any, goal: Any) -> None:
        """Pull the point of the body that was seen there."""
        pose = self._pose_of(body)
        self.held[body] = matrix(pose[3:]).T @ (np.asarray(point) - pose[:3])
        self._pull(body, goal)

    def _pose_of(self, body: str) -> Any:
        if self.kinematic is not None:
            return self.kinematic.poses()[self.state.stage.index[body]]
        return np.concatenate([self.sim[f"{body}.position"], self.sim[f"{body}.rotation"]])

    def _pull(self, body: str, goal: Any) -> None:
        if body not in self.held:
            return
        self.goals[body] = goal
        if self.kinematic is not None:
            self.kinematic.pulls[body] = goal
        else:
            try:
                self.sim.drag(body, goal, at=self.held[body], max_force=self.strength)
            except (ModelError, OptionError):
                del self.held[body]
                raise

    def _drop(self, body: str) -> None:
        if self.held.pop(body, None) is not None and self.kinematic is None:
            self.sim.drag(body, None)

    def _let_go(self) -> None:
        for body in list(self.held):
            self._drop(body)
