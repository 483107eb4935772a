"""The kinematic mode of the live page: sliders set coordinates of joints, the mouse moves bodies; loops follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from linkwork.assembly.assemble import assemble
from linkwork.model import Altered
from linkwork.simulation.analysis.poses.pose_equations import Goal, PoseEquations
from linkwork.simulation.analysis.poses.pose_search import search
from linkwork.simulation.interaction.posing import Posing
from linkwork.simulation.results.scene.scene import ground_at
from linkwork.simulation.run import Simulation
from linkwork.simulation.starts.start import Start
from linkwork.simulation.structure.transfer import seen, transferred
from linkwork.viewer.staging import Stage

NEAR_ENOUGH, CLOSED = 1e-4, 1e-6  # of the size of the model, or rad: a dragged point to its goal, and loops


class KinematicMode:
    """Where bodies are by the coordinates that were asked for; the simulation stays where it is.

    >>> from linkwork.viewer.live.live_state import preview
    >>> sim = lw.Simulation(lw.gallery.pendulum.build(), "recursive")
    >>> mode = KinematicMode(sim, preview(lambda: lw.Simulation(lw.gallery.pendulum.build(), "recursive")))
    >>> mode.ask(0, 0.5)
    >>> mode.go({}), mode.posing.values()
    ('', [0.5])
    """

    def __init__(self, sim: Simulation, stage: Stage) -> None:
        model, self.stage, self.time = sim.system.model.built, stage, sim.time
        system = assemble(model)
        start = None  # after joints were attached or released: that of the model
        if sim.time > 0.0 and not isinstance(sim.moving.model, Altered):
            here = sim.stepper.place()
            moment = transferred(seen(sim.moving, sim.time, here.q, here.v, here.cut_q), system)
            start = Start(moment.q, np.zeros(system.nv), moment.cut_q, [])
        self.posing = Posing(system, start)
        grounds = {ground.path: ground for ground in model.all_grounds()}
        self.grounds = [grounds[name] for name in stage.moving_grounds]
        self.asked: dict[int, float] = {}
        self.pulls: dict[str, Any] = {}  # where bodies are dragged to, m, world
        self.moved = False

    def ask(self, number: int, value: float) -> None:
        """Note where a coordinate shall be; the last word counts."""
        self.asked[number] = value

    def go(self, held: Mapping[str, Any]) -> str:
        """Go where it was asked to; returns what was in the way. `held` are points of bodies, m, in their frames."""
        asked, self.asked, self.moved = self.asked, {}, True
        stops = []
        for number, value in asked.items():
            coordinate = self.posing.coordinates[number]
            stops.append(self.posing.move(coordinate.joint, coordinate.number, value))
        pulls, self.pulls = self.pulls, {}
        for body, goal in pulls.items():
            if body in held:
                self._drag(body, held[body], goal)
        return "; ".join(filter(None, stops))

    def _drag(self, body: str, at: Any, goal: Any) -> None:
        """Bring a point of a body as near to its goal as joints, loops and limits allow."""
        system, near = self.posing.system, self.posing.start
        aim = Goal(body, np.asarray(at, dtype=float), np.asarray(goal, dtype=float), None)
        found = search(PoseEquations(system, near, [aim], [], self.time), NEAR_ENOUGH, beside=())
        if found.gaps.broken <= CLOSED:
            self.posing.start = Start(found.q, np.zeros(system.nv), found.cut_q, [])

    def poses(self) -> Any:
        """Of all that moves, in the order of the stage."""
        frames = self.posing.frames()
        bodies = self.stage.names[: len(self.stage.names) - len(self.grounds)]
        found = [(*frames[name][0], *frames[name][1]) for name in bodies]
        for ground in self.grounds:
            pose = ground_at(ground, self.time)
            found.append((*pose.position, *pose.rotation))
        return np.array(found).reshape(-1, 7)
