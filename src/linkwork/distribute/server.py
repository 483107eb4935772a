"""What the owner of a component does for a whole elsewhere: describe the ports, then step in time with it."""

from __future__ import annotations

import json
import math
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing, suppress
from typing import Any, TypeAlias

import numpy as np

from linkwork.assembly.law_errors import told_of
from linkwork.assembly.reference import Reference
from linkwork.assembly.tables import Floats
from linkwork.distribute.kept_states import Keep
from linkwork.distribute.remote import PROTOCOL, read
from linkwork.distribute.transport import PeerError, Transport
from linkwork.errors import ModelError, OptionError, RunError
from linkwork.formulations.component.component import Components
from linkwork.formulations.protocol import Method
from linkwork.model import Frame, Model, Subsystem
from linkwork.model.checked import shown
from linkwork.simulation.analysis.dynamics import forward_kinematics
from linkwork.simulation.controls import refuse_late
from linkwork.simulation.failures import failure_of
from linkwork.simulation.methods import resolve
from linkwork.simulation.remote_links import COMMAND, END, KEEP, MARKS, RESTORE, RUN, SAMPLE, Border, finite
from linkwork.simulation.run import Simulation

Description: TypeAlias = tuple[list[str], dict[str, Any]]

NAME = "component"
RUNS = 16  # over one connection
PATIENCE = 1.0  # s to wait for others' components to be built, before building at the same time
OPTIONS = ("integrator", "dt", "stabilize", "rank_tolerance")  # of the method, as the whole says

_building = threading.Lock()  # one at a time, so that those who step have most of the processor


class Session:
    """One whole that is served over `transport`; `make` gives a fresh component, `keep` a folder for its states.

    Whoever is silent for `idle` seconds between two questions is let go. `described` is what `describe` has found,
    where that is known already. `asked` tells whether anything was asked that could be understood.
    """

    def __init__(
        self,
        make: Callable[[], Subsystem],
        transport: Transport,
        *,
        name: str = "",
        keep: Keep | None = None,
        idle: float = math.inf,
        described: Description | None = None,
    ) -> None:
        self.make, self.transport, self.name, self.keep, self.idle = make, transport, name, keep, idle
        self.described = described
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
                _reply(transport, {**self._description()[1], "keeps": self.keep is not None})
                return True
            self.runs += 1
            if self.runs > RUNS:
                raise OptionError(f"one connection serves {RUNS} runs; connect again")
            method, _ = resolve("component", {name: question[name] for name in OPTIONS})
            model = _placed(self.make, question["position"], question["rotation"], question["gravity"])
            ports, _ = self._description()
        except PeerError:
            if self.asked:  # somebody had a look and left
                return False
            raise
        except Exception as error:  # whatever the maker of the component does, the whole is told
            _reply(transport, {"error": f"the component cannot be used: {_told(error)}"})
            return False
        _reply(transport, {})
        return _step(model, method, ports, transport, self.keep, self.idle)

    def _description(self) -> Description:
        self.described = self.described or describe(self.make, self.name)
        return self.described


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
    return str(error) if isinstance(error, (ModelError, OptionError, RunError)) else told_of(error)


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
    if not component.ports:
        raise ModelError(
            f"component {type(component).__name__} has no port; name its border bodies with self.port(...)"
        )
    sim = Simulation(model, Components(), ports=[body.path for body in component.ports.values()])
    refuse_late(sim.system)
    poses = forward_kinematics(sim.system, sim.start.q)
    order = {body: k for k, body in enumerate(sim.moving.body_names)}
    chosen = sorted(component.ports.items(), key=lambda item: order[item[1].path])
    reference = Reference(model)
    ports = []
    for port, body in chosen:
        # how its frame's origin moves, by the velocity of its centre of mass
        motion = sim.v[6 * order[body.path] :][:6]
        start = Frame(*poses[body.path])
        velocity = motion[:3] - np.cross(motion[3:], start.direction(sim.moving.centre(body)))
        ports.append(
            {
                "name": port,
                "position": start.position.tolist(),
                "rotation": start.rotation.tolist(),
                "velocity": velocity.tolist(),
                "angular_velocity": motion[3:].tolist(),
                "at": reference.of(body).position.tolist(),
                "turned": reference.of(body).rotation.tolist(),
            }
        )
    sim.close()
    facts = {"component": name or type(component).__name__, "ports": ports, "samples": sim.controls.periods()}
    return [body.path for _, body in chosen], facts


def _step(model: Model, method: Method, ports: list[str], transport: Transport, keep: Keep | None, idle: float) -> bool:
    """One run; True when the whole has ended it, so that another may come, and False when the whole was lost."""
    turn = ExitStack()
    border = Border(transport, turn.close)
    try:
        with turn:
            if _building.acquire(timeout=PATIENCE):
                turn.callback(_building.release)
            sim = Simulation(model, method, border=border, ports=ports)
        with closing(sim.controls):
            return _follow(sim, border, keep, idle)
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


def _follow(sim: Simulation, border: Border, keep: Keep | None, idle: float) -> bool:
    """Step as the whole says, until it ends the run or is lost."""
    command, stepper = np.zeros(COMMAND), sim.stepper
    while not border.lost:
        _patiently(border.transport, idle)
        border.transport.receive(command)
        if command[0] == END:
            return True
        if command[0] in (KEEP, RESTORE):
            said = "it keeps no states" if keep is None else keep.obey(sim, command)
            _reply(border.transport, {"refused": said} if said else {})
            continue
        if command[0] == SAMPLE:
            _reply(border.transport, _sampled(sim))
            continue
        begin, first, h, steps = _run_ordered(command, border.transport)
        if first < 0:
            stepper.forget()
        every = abs(first) + steps + 2
        done, _, status = stepper.run(begin, first, steps, every, stepper.spare, h)
        stepper.steps = max(stepper.steps, first + done)
        if status != 0 and not border.lost:
            raise failure_of(stepper, status)
    return False


def _sampled(sim: Simulation) -> dict[str, Any]:
    """Call what is due; the answer to the whole, which then has accelerations found anew on both sides."""
    try:
        sim.controls.happen()
    except (ModelError, OptionError) as error:
        return {"refused": str(error)}
    changed, sim.inputs.changed = sim.inputs.changed, False
    return {"changed": changed}


def _run_ordered(command: Floats, transport: Transport) -> tuple[float, int, float, int]:
    """Begin (s), first step, length of a step (s) and number of steps; `PeerError` where they make no sense."""
    what, begin, first, h, steps = (float(number) for number in command)
    counts = first.is_integer() and steps.is_integer() and -1.0 <= first < MARKS and 0.0 <= steps < MARKS
    if what != RUN or not finite(command) or not counts or not h > 0.0:
        transport.send_failure("the order cannot be understood; install the same linkwork on both sides")
        raise PeerError(transport.peer, "gives an order that cannot be understood")
    return begin, int(first), h, int(steps)
