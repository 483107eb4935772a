"""The side of the live page that steps: a simulation in real time, and what each click does to it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from linkwork.errors import ModelError, OptionError, RunError
from linkwork.simulation.methods import positive
from linkwork.simulation.run import Simulation
from linkwork.viewer.live import shared_frame as slot
from linkwork.viewer.live.kinematic import KinematicMode
from linkwork.viewer.live.live_state import LiveState
from linkwork.viewer.live.step_clock import StepClock
from linkwork.viewer.scene_shapes import matrix

STRENGTH = 50.0  # m/s2: a drag can lift five times the weight of all bodies
TURN = 5e-3  # s of computing between two looks at the clock and at messages

Make = Callable[[str | None, float | None], Simulation]


def method_label(sim: Simulation) -> str:
    """Method and integrator, for the page."""
    return f"{sim.method.name}, {sim.method.integrator}"


class Driver:
    """Steps a simulation in real time, does what was clicked, and writes its state to the shared frame."""

    def __init__(self, page: Any, make: Make, sim: Simulation, state: LiveState) -> None:
        self.page, self.make, self.sim, self.state = page, make, sim, state
        self.running, self.speed, self.dt = True, 1.0, sim.method.dt
        self.method: str | None = None  # another than the one it began with
        self.clock = StepClock(self.dt, self.speed, time.perf_counter())
        self.block = 1  # steps in one turn
        self.fresh = True  # something to show
        self.held: dict[str, Any] = {}  # points by which bodies are dragged, m, in their frames
        masses = sum(body.mass for body in sim.system.model.all_bodies())
        self.strength = STRENGTH * masses  # N, of a drag
        self.kinematic: KinematicMode | None = None

    # --- stepping -----------------------------------------------------------------------------------------

    def go(self, now: float) -> float:
        """Take the steps that are due; returns when to call again."""
        if not self.running:
            return now + 1.0
        due = min(self.clock.due(now), self.block)
        if due:
            if not self._step(due):
                return now + 1.0
            end = time.perf_counter()
            self.clock.done(due, end)
            self.block = max(1, min(4 * self.block, int(due * TURN / max(end - now, 1e-7))))
            self.fresh = True
        return self.clock.wake(now)

    def _step(self, count: int) -> bool:
        try:
            self.sim.step(count, self.dt)
        except RunError as error:
            self.running = False
            self.page.send("note", f"{error} Reset begins anew.")
            self.fresh = True
            return False
        return True

    def show(self) -> None:
        """Write the present state to the shared frame, if it is new."""
        if not self.fresh:
            return
        self.fresh = False
        if self.kinematic is not None:
            self._show_pose(self.kinematic)
            return
        self.state.refresh()
        if self.state.rearranged:
            self.page.send("joints", *self.state.changes())
        contacts = self.state.contacts()
        head = self.state.head() | {
            slot.FACTOR: self.clock.factor if self.running else 0.0,
            slot.RUNNING: float(self.running),
            slot.LATE: float(self.clock.late),
            slot.STEPS: float(self.sim.steps),
            slot.CONTACT_COUNT: float(len(contacts)),
        }
        self.page.frame.write(head, self.state.poses(), self.state.forces(), contacts, self.state.plotted())

    def _show_pose(self, mode: KinematicMode) -> None:
        """Write where the sliders have put the bodies to the shared frame."""
        if mode.asked:
            self.page.send("note", mode.go())
            self.page.send("coordinates", mode.posing.values())
        head = {slot.TIME: mode.time, slot.RUNNING: 0.0, slot.CONTACT_COUNT: 0.0}
        self.page.frame.write(head, mode.poses(), np.zeros_like(self.state.forces()))

    # --- messages --------------------------------------------------------------------------------------------

    def receive(self, name: str, *values: Any) -> None:
        """Do what was clicked; the page shows what cannot be done."""
        self.fresh = True
        try:
            getattr(self, f"_{name}")(*values)
        except (ModelError, OptionError, RunError) as error:
            self.page.send("note", str(error))

    def _run(self, running: bool) -> None:
        if running:
            self._kinematic(False)
        self.running = running
        self.clock.begin(self.dt, self.speed, time.perf_counter())

    def _kinematic(self, on: bool) -> None:
        """Let sliders move the mechanism, or go on from where they have put it."""
        mode, self.kinematic = self.kinematic, None
        if on:
            self.running = False
            self.kinematic = KinematicMode(self.sim, self.state.stage)
            self.page.send("coordinates", self.kinematic.posing.values())
        elif mode is not None:
            self.page.send("note", "")
            self.page.send("kinematic", False)
            if mode.moved:
                self._begin_at(mode)

    def _begin_at(self, mode: KinematicMode) -> None:
        """Start the simulation anew where the sliders have put it, with the inputs that it has."""
        inputs = dict(self.sim.inputs)
        self.sim.reset(joints=mode.posing.positions())
        self.sim.inputs.update(inputs)
        self.state.first = None  # of the energy balance

    def _pose(self, number: int, value: float) -> None:
        if self.kinematic is not None:
            self.kinematic.ask(number, value)

    def _single(self, count: int = 1) -> None:
        self._kinematic(False)
        self.running = False
        if count > 0:
            self._step(count)

    def _speed(self, speed: float) -> None:
        self.speed = positive("speed", speed, "")
        self.clock.begin(self.dt, self.speed, time.perf_counter())

    def _input(self, name: str, value: float) -> None:
        self.sim.inputs[name] = value

    def _watch(self, columns: list[str]) -> None:
        self.state.columns = columns

    def _dt(self, dt: float) -> None:
        self.dt = positive("dt", dt, "seconds")
        self.clock.begin(self.dt, self.speed, time.perf_counter())

    def _method(self, name: str) -> None:
        self.page.send("note", f"preparing {name} ...")
        self._anew(name)
        self.method = name
        self.page.send("label", method_label(self.sim))
        self.page.send("note", "")

    def _reset(self) -> None:
        self._anew(self.method)
        self.page.send("note", "")
        if self.kinematic is not None:
            self._kinematic(True)

    def _anew(self, method: str | None) -> None:
        inputs = dict(self.sim.inputs)
        made = self.make(method, self.dt)
        self.sim.close()
        made.inputs.update({name: value for name, value in inputs.items() if name in made.inputs})
        columns, self.sim = self.state.columns, made
        self.held.clear()
        self.state = LiveState(made, self.state.stage)
        self.state.columns = columns
        self.clock = StepClock(self.dt, self.speed, time.perf_counter())

    def _release(self, joint: str) -> None:
        change = self.sim.release(joint)
        self.page.send("note", f"'{change.joint}' was released at t = {change.time:.4g} s")

    def _grab(self, body: str, point: Any, goal: Any) -> None:
        """Pull the point of the body that was seen there."""
        place, turn = self.sim[f"{body}.position"], self.sim[f"{body}.rotation"]
        self.held[body] = matrix(turn).T @ (np.asarray(point) - place)
        self._pull(body, goal)

    def _pull(self, body: str, goal: Any) -> None:
        if body in self.held:
            self.sim.drag(body, goal, at=self.held[body], max_force=self.strength)

    def _drop(self, body: str) -> None:
        if self.held.pop(body, None) is not None:
            self.sim.drag(body, None)

    def _attach(self, a: str, b: str, kind: str) -> None:
        options: dict[str, Any] = {}
        if kind != "fixed":
            options["at"] = tuple(self.sim[f"{b}.position"])
        change = self.sim.attach(a, b, kind, **options)
        self.page.send("note", f"'{change.joint}' was attached at t = {change.time:.4g} s; {change.energy:.3g} J lost")
