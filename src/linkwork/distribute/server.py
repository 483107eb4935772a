"""What the owner of a component does for a whole elsewhere: describe the ports, then step in time with it."""

from __future__ import annotations

import json
import math
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import ExitStack, suppress
from typing import Any, TypeAlias

import numpy as np

from linkwork.assembly.laws.law_errors import describe_exception
from linkwork.assembly.tables import Floats
from linkwork.distribute.kept_states import Keep
from linkwork.distribute.port_description import described_ports
from linkwork.distribute.remote import PROTOCOL, read
from linkwork.distribute.transport import PeerError, Transport
from linkwork.errors import ModelError, OptionError, RunError
from linkwork.formulations.protocol import Method
from linkwork.model import Model, Subsystem
from linkwork.model.checked import shown
from linkwork.simulation.methods import resolve
from linkwork.simulation.run import Simulation
from linkwork.simulation.stepping.failures import failure_of
from linkwork.simulation.stepping.remote_links import COMMAND, END, KEEP, MARKS, RESTORE, RUN, SAMPLE, Border, finite

Description: TypeAlias = tuple[list[str], dict[str, Any]]

NAME = "component"
REFUSED = "the component cannot be used: "
RUNS = 16  # over one connection
PATIENCE = 1.0  # s to wait for others' components to be built, before building at the same time
OPTIONS = ("integrator", "dt", "stabilize", "rank_tolerance")  # of the method, as the whole says

_building = threading.Lock()  # one at a time, so that those who step have most of the processor


class ComponentRun(ABC):
    """One run of a component, which steps as the whole says. `settle` and `advance` exchange reports for forces."""

    @abstractmethod
    def settle(self) -> None:
        """Evaluate the start."""

    @abstractmethod
    def advance(self, begin: float, first: int, h: float, steps: int) -> None:
        """Steps of `h` seconds from the one numbered `first` on; -1 evaluates the present state. Raises `RunError`."""

    @abstractmethod
    def obey(self, command: Floats) -> str:
        """Keep the present state, or go back to one; why that cannot be, in words, or nothing."""

    def sample(self) -> dict[str, Any]:
        """Call the sensors and controllers that are due: what went wrong ("refused"), or whether inputs "changed"."""
        return {"changed": False}

    @abstractmethod
    def close(self) -> None:
        """Free it."""


class Component(ABC):
    """What a session serves: a subsystem of this process, or an FMU that carries one."""

    @abstractmethod
    def description(self) -> dict[str, Any]:
        """What the whole may know: the name, the ports, and whether states are kept."""

    @abstractmethod
    def prepare(self, question: dict[str, Any]) -> Callable[[Border], ComponentRun]:
        """What begins a run with the border that is given; raises for what was asked and cannot be."""


class Session:
    """One whole that is served over `transport`; `make` gives a fresh subsystem, or is another kind of component.

    Of a subsystem `keep` is a folder for its states, and `described` what `describe` has found, where that is known
    already. Whoever is silent for `idle` seconds between two questions is let go. `asked` tells whether anything was
    asked that could be understood.
    """

    def __init__(
        self,
        make: Callable[[], Subsystem] | Component,
        transport: Transport,
        *,
        name: str = "",
        keep: Keep | None = None,
        idle: float = math.inf,
        described: Description | None = None,
    ) -> None:
        self.component = make if isinstance(make, Component) else SubsystemComponent(make, name, keep, described)
        self.transport, self.idle = transport, idle
        self.asked, self.runs = False, 0

    def run(self) -> None:
        """Answer until the whole ends, or is lost; see `serve`."""
        try:
            while self._answer():
                pass
        finally:
            self.transport.close()

    def _answer(self) -> bool:
        """Answer one question, with the run that may follow; True when another may come."""
        transport = self.transport
        try:
            _patiently(transport, self.idle)
            question = _question(transport.receive_text())
            self.asked = True
            if question["verb"] == "describe":
                _reply(transport, self.component.description())
                return True
            self.runs += 1
            if self.runs > RUNS:
                raise OptionError(f"one connection serves {RUNS} runs; connect again")
            begin = self.component.prepare(question)
        except PeerError:
            if self.asked:  # somebody had a look and left
                return False
            raise
        except Exception as error:  # whatever the maker of the component does, the whole is told
            _reply(transport, {"error": f"{REFUSED}{_told(error)}"})
            return False
        _reply(transport, {})
        return _step(begin, transport, self.idle)


class SubsystemComponent(Component):
    """A subsystem, made anew for each run."""

    def __init__(
        self, make: Callable[[], Subsystem], name: str, keep: Keep | None, described: Description | None
    ) -> None:
        self.make, self.name, self.keep, self.described = make, name, keep, described

    def _description(self) -> Description:
        self.described = self.described or describe(self.make, self.name)
        return self.described

    def description(self) -> dict[str, Any]:
        """Its ports."""
        return {**self._description()[1], "keeps": self.keep is not None}

    def prepare(self, question: dict[str, Any]) -> Callable[[Border], ComponentRun]:
        """A model that holds it alone, placed as the whole says."""
        method, _ = resolve("component", {name: question[name] for name in OPTIONS})
        model = _placed(self.make, question["position"], question["rotation"], question["gravity"])
        ports, _ = self._description()
        return lambda border: SubsystemRun(model, method, ports, self.keep, border)


class SubsystemRun(ComponentRun):
    """A simulation of the subsystem alone."""

    def __init__(self, model: Model, method: Method, ports: list[str], keep: Keep | None, border: Border) -> None:
        self.model, self.method, self.ports, self.keep, self.border = model, method, ports, keep, border
        self.sim: Any = None

    def settle(self) -> None:
        """Build it, and evaluate its start."""
        with ExitStack() as turn:
            if _building.acquire(timeout=PATIENCE):
                turn.callback(_building.release)
            self.border.begun = turn.close
            self.sim = Simulation(self.model, self.method, border=self.border, ports=self.ports)

    def advance(self, begin: float, first: int, h: float, steps: int) -> None:
        """The compiled loop."""
        stepper = self.sim.stepper
        if first < 0:
            stepper.forget()
        every = abs(first) + steps + 2
        done, _, status = stepper.run(begin, first, steps, every, stepper.spare, h)
        stepper.steps = max(stepper.steps, first + done)
        if status != 0 and not self.border.lost:
            raise failure_of(stepper, status)

    def obey(self, command: Floats) -> str:
        """By the folder of its owner."""
        return "it keeps no states" if self.keep is None else self.keep.obey(self.sim, command)

    def sample(self) -> dict[str, Any]:
        """Call what is due; the whole then has accelerations found anew on both sides."""
        try:
            self.sim.controls.happen()
        except (ModelError, OptionError) as error:
            return {"refused": str(error)}
        changed, self.sim.inputs.changed = self.sim.inputs.changed, False
        return {"changed": changed}

    def close(self) -> None:
        """Free what was sampled."""
        if self.sim is not None:
            self.sim.controls.close()


def serve(
    make: Callable[[], Subsystem],
    transport: Transport,
    *,
    name: str = "",
    keep: Keep | None = None,
    idle: float = math.inf,
) -> None:
    """Serve one whole over `transport` until it ends; `make` gives a fresh component, `keep` a folder for its states.

    Raises `PeerError` when the whole is lost, or silent for `idle` seconds between two questions, and `RunError` when
    the component itself cannot go on, of which the whole is told. Nothing is left running.
    """
    Session(make, transport, name=name, keep=keep, idle=idle).run()


def _told(error: Exception) -> str:
    return str(error) if isinstance(error, (ModelError, OptionError, RunError)) else describe_exception(error)


def _question(text: str) -> dict[str, Any]:
    """What the whole asks, if it can be understood."""
    try:
        question = read(text)
    except ValueError:
        question = None
    if not isinstance(question, dict) or question.get("protocol") != PROTOCOL:
        raise OptionError(f"this side speaks protocol {PROTOCOL}; install the same linkwork on both")
    if question.get("verb") not in ("describe", "prepare"):
        raise OptionError(f"it cannot do {shown(question.get('verb'))}; install the same linkwork on both")
    return question


def _patiently(transport: Transport, idle: float) -> None:
    """Between two questions the whole may think for a while, `idle` seconds; that it ends is noticed."""
    end = time.monotonic() + idle
    while not transport.wait(min(1.0, max(end - time.monotonic(), 0.0))):
        if time.monotonic() >= end:
            with suppress(PeerError):
                transport.send_failure(f"nothing was asked for {idle:g} s, so that it serves others now; connect again")
            raise PeerError(transport.peer, f"sent no request for {idle:g} s; the connection was closed")


def _reply(transport: Transport, answer: dict[str, Any]) -> None:
    transport.send_text(json.dumps({"protocol": PROTOCOL, **answer}))


def _placed(make: Callable[[], Subsystem], position: Any, rotation: Any, gravity: Any) -> Model:
    model = Model(NAME, gravity=gravity)
    model.add(NAME, make(), position=position, rotation=rotation)
    return model


def describe(make: Callable[[], Subsystem], name: str = "") -> Description:
    """Bodies behind the ports, and what the whole may know: names, start poses and velocities, reference poses."""
    model = _placed(make, (0, 0, 0), (1, 0, 0, 0), (0, 0, 0))
    component = model.subsystems[NAME]
    bodies, ports, samples = described_ports(model, component)
    return bodies, {"component": name or type(component).__name__, "ports": ports, "samples": samples}


def _step(begin: Callable[[Border], ComponentRun], transport: Transport, idle: float) -> bool:
    """One run; True when the whole has ended it, so that another may come, and False when the whole was lost."""
    border = Border(transport)
    run = None
    try:
        run = begin(border)
        run.settle()
        return _follow(run, border, idle)
    except PeerError:
        raise
    except Exception as error:
        if border.lost:  # before the first step: nobody is left to be told
            return False
        told = _told(error)
        with suppress(PeerError):
            transport.send_failure(told)
        if isinstance(error, (ModelError, OptionError, RunError)):
            raise
        raise RunError(f"the component failed ({told})") from error
    finally:
        if run is not None:
            run.close()


def _follow(run: ComponentRun, border: Border, idle: float) -> bool:
    """Step as the whole says, until it ends the run or is lost."""
    command = np.zeros(COMMAND)
    while not border.lost:
        _patiently(border.transport, idle)
        border.transport.receive(command)
        if command[0] == END:
            return True
        if command[0] in (KEEP, RESTORE):
            said = run.obey(command)
            _reply(border.transport, {"refused": said} if said else {})
            continue
        if command[0] == SAMPLE:
            _reply(border.transport, run.sample())
            continue
        run.advance(*_run_ordered(command, border.transport))
    return False


def _run_ordered(command: Floats, transport: Transport) -> tuple[float, int, float, int]:
    """Begin (s), first step, length of a step (s) and number of steps; `PeerError` where they make no sense."""
    what, begin, first, h, steps = (float(number) for number in command)
    counts = first.is_integer() and steps.is_integer() and -1.0 <= first < MARKS and 0.0 <= steps < MARKS
    if what != RUN or not finite(command) or not counts or not h > 0.0:
        transport.send_failure("the order cannot be understood; install the same linkwork on both sides")
        raise PeerError(transport.peer, "gives an order that cannot be understood")
    return begin, int(first), h, int(steps)
