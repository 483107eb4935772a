"""What the owner of a component does for a whole elsewhere: describe the ports, then step in time with it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from linkwork.assembly.law_errors import told_of
from linkwork.assembly.reference import Reference
from linkwork.distribute.keep import Keep
from linkwork.distribute.remote import PROTOCOL
from linkwork.distribute.transport import PeerError, Transport
from linkwork.errors import ModelError, OptionError, RunError
from linkwork.formulations.component import Components
from linkwork.formulations.record import make_rows
from linkwork.model import Frame, Model, Subsystem
from linkwork.simulation.carriers import COMMAND, END, KEEP, RESTORE, Border
from linkwork.simulation.numbers import forward_kinematics
from linkwork.simulation.run import Simulation

NAME = "component"


def serve(make: Callable[[], Subsystem], transport: Transport, *, name: str = "", keep: Keep | None = None) -> None:
    """Serve one whole over `transport` until it ends; `make` gives a fresh component, `keep` a folder for its states.

    Raises `PeerError` when the whole is lost and `RunError` when the component itself cannot go on, of which the whole
    is told. Nothing is left running.
    """
    try:
        _answer(make, transport, name, keep)
    finally:
        transport.close()


def _answer(make: Callable[[], Subsystem], transport: Transport, name: str, keep: Keep | None) -> None:
    ports: list[str] = []
    while True:
        try:
            _patiently(transport)
            question = _question(transport.receive_text())
            if question["verb"] == "describe":
                ports, answer = describe(make, name)
                _reply(transport, {**answer, "keeps": keep is not None})
                continue
            method = Components(
                integrator=question["integrator"],
                dt=question["dt"],
                stabilize=question["stabilize"],
                rank_tolerance=question["rank_tolerance"],
            )
            model = _placed(make, question["position"], question["rotation"], question["gravity"])
        except PeerError:
            if ports:  # somebody had a look and left
                return
            raise
        except Exception as error:  # whatever the maker of the component does, the whole is told
            told = str(error) if isinstance(error, (ModelError, OptionError, RunError)) else told_of(error)
            _reply(transport, {"error": f"the component cannot be used: {told}"})
            return
        _reply(transport, {})
        if not _step(model, method, ports, transport, keep):
            return


def _question(text: str) -> dict[str, Any]:
    """What the whole asks, if it can be understood."""
    try:
        question = json.loads(text)
    except ValueError:
        question = None
    if not isinstance(question, dict) or question.get("protocol") != PROTOCOL:
        raise OptionError(f"this side speaks protocol {PROTOCOL}; install the same linkwork on both")
    if question.get("verb") not in ("describe", "prepare"):
        raise OptionError(f"it cannot do {question.get('verb')!r}; install the same linkwork on both")
    return question


def _patiently(transport: Transport) -> None:
    """Between two questions the whole may think as long as it likes; that it ends is noticed."""
    while not transport.wait(1.0):
        pass


def _reply(transport: Transport, answer: dict[str, Any]) -> None:
    transport.send_text(json.dumps({"protocol": PROTOCOL, **answer}))


def _placed(make: Callable[[], Subsystem], position: Any, rotation: Any, gravity: Any) -> Model:
    model = Model(NAME, gravity=gravity)
    model.add(NAME, make(), position=position, rotation=rotation)
    return model


def describe(make: Callable[[], Subsystem], name: str = "") -> tuple[list[str], dict[str, Any]]:
    """Bodies behind the ports, and what the whole may know: names, start poses and velocities, reference poses."""
    model = _placed(make, (0, 0, 0), (1, 0, 0, 0), (0, 0, 0))
    component = model.subsystems[NAME]
    if not component.ports:
        raise ModelError(
            f"component {type(component).__name__} has no port; name its border bodies with self.port(...)"
        )
    sim = Simulation(model, Components(), ports=[body.path for body in component.ports.values()])
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
    return [body.path for _, body in chosen], {"component": name or type(component).__name__, "ports": ports}


def _step(model: Model, method: Components, ports: list[str], transport: Transport, keep: Keep | None) -> bool:
    """One run; True when the whole has ended it, so that another may come, and False when the whole was lost."""
    border = Border(transport)
    try:
        return _follow(model, method, ports, border, keep)
    except (ModelError, OptionError, RunError) as error:
        if not border.lost:
            transport.send_failure(str(error))
        raise


def _follow(model: Model, method: Components, ports: list[str], border: Border, keep: Keep | None) -> bool:
    """Step as the whole says, until it ends the run or is lost."""
    sim = Simulation(model, method, border=border, ports=ports)
    command = np.zeros(COMMAND)
    rows = make_rows(sim.state, 1)
    while not border.lost:
        _patiently(border.transport)
        border.transport.receive(command)
        if command[0] == END:
            return True
        if command[0] in (KEEP, RESTORE):
            said = "it keeps no states" if keep is None else keep.obey(sim, command)
            _reply(border.transport, {"refused": said} if said else {})
            continue
        begin, first, h, steps = float(command[1]), int(command[2]), float(command[3]), int(command[4])
        if first < 0:
            sim.workspace.steps.carried[0] = 0.0
        every = abs(first) + steps + 2
        done, _, status = method.run(sim.tables, sim.workspace, sim.state, begin, first, h, steps, every, rows)
        sim.steps = max(sim.steps, first + done)
        if status != 0 and not border.lost:
            raise sim.failure(status)
    return False
