"""The kinematic mode of the live page: sliders set coordinates of joints; loops and gears follow."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.assembly.assemble import assemble
from linkwork.model import Altered
from linkwork.simulation.interaction.posing import Posing
from linkwork.simulation.results.scene import ground_at
from linkwork.simulation.run import Simulation
from linkwork.simulation.start import Start
from linkwork.simulation.structure.transfer import carried, seen
from linkwork.viewer.staging import Stage


class KinematicMode:
    """Where bodies are by the coordinates that were asked for; the simulation stays where it is.

    >>> from linkwork.viewer.live.live_state import preview
    >>> sim = lw.Simulation(lw.gallery.pendulum.build(), "recursive")
    >>> mode = KinematicMode(sim, preview(lambda: lw.Simulation(lw.gallery.pendulum.build(), "recursive")))
    >>> mode.ask(0, 0.5)
    >>> mode.go(), mode.posing.values()
    ('', [0.5])
    """

    def __init__(self, sim: Simulation, stage: Stage) -> None:
        model, self.stage, self.time = sim.system.model.built, stage, sim.time
        system = assemble(model)
        start = None  # after joints were attached or released: that of the model
        if sim.time > 0.0 and not isinstance(sim.moving.model, Altered):
            here = sim.stepper.place()
            moment = carried(seen(sim.moving, sim.time, here.q, here.v, here.cut_q), system)
            start = Start(moment.q, np.zeros(system.nv), moment.cut_q, [])
        self.posing = Posing(system, start)
        grounds = {ground.path: ground for ground in model.all_grounds()}
        self.grounds = [grounds[name] for name in stage.moving_grounds]
        self.asked: dict[int, float] = {}
        self.moved = False

    def ask(self, number: int, value: float) -> None:
        """Note where a coordinate shall be; the last word counts."""
        self.asked[number] = value

    def go(self) -> str:
        """Go where it was asked to; returns what was in the way."""
        asked, self.asked, self.moved = self.asked, {}, True
        stops = []
        for number, value in asked.items():
            coordinate = self.posing.coordinates[number]
            stops.append(self.posing.move(coordinate.joint, coordinate.number, value))
        return "; ".join(filter(None, stops))

    def poses(self) -> Any:
        """Of all that moves, in the order of the stage."""
        frames = self.posing.frames()
        bodies = self.stage.names[: len(self.stage.names) - len(self.grounds)]
        found = [(*frames[name][0], *frames[name][1]) for name in bodies]
        for ground in self.grounds:
            pose = ground_at(ground, self.time)
            found.append((*pose.position, *pose.rotation))
        return np.array(found).reshape(-1, 7)
