"""A model that stands at its start, and the image of its memory: what an instance of the FMU begins with."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork._kernels.code_lookup import symbol_of
from linkwork._kernels.kernel import EntryPoint
from linkwork.assembly.system import System
from linkwork.formats.fmi.memory_image import MemoryImage
from linkwork.formulations.protocol import Method
from linkwork.mechanics.observation import observe
from linkwork.simulation.inputs import Inputs
from linkwork.simulation.reading import Reading
from linkwork.simulation.stepping.lag import lag_applied
from linkwork.simulation.stepping.stepper import Stepper

NUMBERS = 5  # of a call of the loop: begin, first, dt, steps, every
RESULTS = 3  # steps done, samples kept, status


@dataclass
class StartImage:
    """The image before the first evaluation, and where things are in it."""

    stepper: Stepper
    reading: Reading
    memory: MemoryImage
    loop: EntryPoint
    loop_block: int
    loop_numbers: int
    loop_results: int
    observe_block: int

    @property
    def system(self) -> System:
        """What moves."""
        return self.stepper.moving

    @property
    def entries(self) -> list[str]:
        """Names of the compiled functions that it calls: the loop and the observation."""
        return [self.loop.name, observe.name]

    @property
    def symbols(self) -> tuple[str, str]:
        """The C functions of the loop and of the observation."""
        return symbol_of(self.loop), symbol_of(observe)


def start_stepper(method: Method, system: System, ignored: list[str], ports: Sequence[str] = ()) -> Stepper:
    """A stepper at the start of a system; nothing is evaluated. `ports` are the bodies at the border of a component."""
    stepper = Stepper(method, system, Inputs({}, np.zeros((0, 1)), system.model), ignored=ignored, ports=ports)
    stepper.begin(stepper.first.start, 0.0)
    with lag_applied(stepper, stepper.first.lags):
        pass
    return stepper


def start_image(stepper: Stepper) -> StartImage:
    """The image of a stepper that stands at its start."""
    reading = Reading(stepper, None)
    observer = reading.observer
    loop, arguments = _loop_call(stepper)
    samples = reading.samples._replace(inputs=stepper.state.inputs[None])  # those that were held in the last step
    observed = (
        *(stepper.tables, observer.scratch, observer.view, samples, 1),
        reading.observation,
    )
    memory = MemoryImage(arguments, observed, stepper.lag)
    loop_block, places, results = memory.add_call(arguments, RESULTS)
    observe_block, _, _ = memory.add_call(observed, 0)
    numbers = places[-1 - NUMBERS]  # before the samples
    return StartImage(stepper, reading, memory, loop, loop_block, numbers, results, observe_block)


def _loop_call(stepper: Stepper) -> tuple[EntryPoint, tuple[Any, ...]]:
    """The compiled loop of the method, and its arguments; the numbers among them are set at each call."""
    method = stepper.method
    if method.impulses:  # its workspace has the tables
        assert method.loop is not None
        module = importlib.import_module(method.loop)
        return module.run, (stepper.workspace, stepper.state, 0.0, 0, 0.0, 0, 1, stepper.spare)
    call: Any = stepper.bound_loop()
    arguments, _ = call.kept
    return call.entry, arguments
