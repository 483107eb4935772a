"""The last sixty seconds of a live run: states to go back to, and what was done in between.

A state is kept after every second of running, and every message that changed the run with the step before which it
came. To go back to any moment, the state before it is put back and the messages and steps from there are done again:
the same numbers come out. What is kept needs no more than BYTES of memory: then every other state goes.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

import numpy as np

from linkwork.errors import OptionError
from linkwork.simulation.run import Simulation
from linkwork.simulation.structure.persistent import persistent_arrays
from linkwork.simulation.structure.snapshot import facts_of, put_back, refuse_forgetful

SECONDS = 60.0  # of watching that can be gone back
EVERY = 1.0  # s of watching between two states
BYTES = 64_000_000
MOST_MESSAGES = 20_000  # since the oldest state: a body that is dragged for minutes sends more
NEARLY = 1e-9  # part of a step


class PastState(NamedTuple):
    """A state that was kept."""

    steps: int  # until then
    serial: int  # messages until then
    clock: float  # s of watching until then
    time: float  # s, simulated
    dt: float  # s
    keys: list[str]  # that were held
    facts: dict[str, Any]
    arrays: dict[str, Any]

    @property
    def size(self) -> int:
        return sum(values.nbytes for values in self.arrays.values())


class PastMessage(NamedTuple):
    """A message that changed the run."""

    steps: int  # before it
    serial: int  # messages before it
    words: tuple[Any, ...]


class Timeline:
    """States and messages of one run; `clock` counts seconds of watching, not pauses."""

    def __init__(self) -> None:
        self.every = EVERY
        self.moments: deque[PastState] = deque()
        self.log: deque[PastMessage] = deque()
        self.serial = 0  # messages so far
        self.why = ""  # it cannot be gone back

    def due(self, clock: float) -> bool:
        """Whether a state should be kept now."""
        return not self.why and (not self.moments or clock - self.moments[-1].clock >= self.every)

    def keep(self, sim: Simulation, count: int, clock: float, dt: float, keys: list[str]) -> None:
        """Keep the present state; one in which a body is dragged is not kept, messages lead through it."""
        if sim.stepper.drags:
            return
        try:
            refuse_forgetful(sim)
        except OptionError as error:
            self.why = str(error)
        if sim.remote_links is not None:
            self.why = "components of it live elsewhere"
        if self.why:
            return
        found = {**persistent_arrays(sim.stepper), **sim.controls.memories()}
        arrays = {name: np.array(values) for name, values in found.items()}
        self.moments.append(PastState(count, self.serial, clock, sim.time, dt, list(keys), facts_of(sim), arrays))
        while len(self.moments) > 2 and clock - self.moments[1].clock > SECONDS:
            self.moments.popleft()
        if sum(moment.size for moment in self.moments) > BYTES:
            self.moments = deque(list(self.moments)[::2])
            self.every *= 2.0
        while self.log and self.log[0].serial < self.moments[0].serial:
            self.log.popleft()

    def note(self, count: int, words: tuple[Any, ...]) -> None:
        """A message that changed the run, after so many steps."""
        if not self.why:
            self.log.append(PastMessage(count, self.serial, words))
            self.serial += 1
            if len(self.log) > MOST_MESSAGES:  # no way leads from a state to here: go back to later ones only
                self.moments.clear()
                self.log.clear()

    def before(self, t: float) -> PastState:
        """The last state that was kept at or before a time, s."""
        if self.why:
            raise OptionError(f"this run cannot be rewound: {self.why}")
        found = [moment for moment in self.moments if moment.time <= t + NEARLY * moment.dt]
        if found:
            return found[-1]
        begin = f" than t = {self.moments[0].time:.4g} s" if self.moments else ""
        raise OptionError(f"the run cannot be rewound farther{begin}; give a later time")

    def since(self, moment: PastState) -> list[PastMessage]:
        """Messages after a state."""
        return [entry for entry in self.log if entry.serial >= moment.serial]

    def cut(self, count: int, serial: int) -> None:
        """Forget what came after so many steps and messages."""
        self.moments = deque(moment for moment in self.moments if moment.steps <= count and moment.serial <= serial)
        self.log = deque(entry for entry in self.log if entry.serial < serial)
        self.serial = serial


def restore(sim: Simulation, moment: PastState) -> None:
    """Put a new simulation of the same model, method and options where the state was kept."""
    put_back(sim, moment.facts, moment.arrays, "what was kept of this run")
