"""`verify`: check a component from outside, through nothing but its ports, whoever owns it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.assembly.partition import message_size
from linkwork.assembly.tables import Floats
from linkwork.distribute.remote import ask
from linkwork.distribute.server import serve
from linkwork.distribute.socket_transport import pair
from linkwork.distribute.transport import PeerError, Transport
from linkwork.errors import ModelError, OptionError, RunError
from linkwork.formulations.component.remote_border import PORT
from linkwork.model import Frame, Subsystem
from linkwork.model.checked import shown
from linkwork.model.control.stepped import Stepped
from linkwork.simulation.stepping.remote_links import END, RUN
from linkwork.simulation.stepping.workspaces import ready_components

DT = 1e-6  # s: so short that forces inside the component do next to nothing
GRAVITY = 9.81  # m/s2
TURN = Frame(rotation=(0.8, 0.36, -0.24, 0.42))  # any other placement


@dataclass(frozen=True)
class Verdict:
    """What `verify` found: one line a check, and whether all of them hold."""

    component: str
    ports: list[str]
    checks: dict[str, tuple[bool, str]] = field(default_factory=dict)

    @property
    def good(self) -> bool:
        """True when every check holds."""
        return all(holds for holds, _ in self.checks.values())

    def lines(self) -> list[str]:
        """The verdict in readable lines."""
        text = [f"{self.component}: ports {', '.join(self.ports)}; {'good' if self.good else 'NOT good'}"]
        for what, (holds, found) in self.checks.items():
            text.append(f"  {'holds' if holds else 'FAILS'}  {what}: {found}")
        return text

    def __str__(self) -> str:
        return "\n".join(self.lines())


@dataclass(frozen=True)
class _Report:
    R: Floats  # (port, 3, 3)
    p: Floats  # (port, 3)
    v: Floats  # (port * 6,) linear, angular
    r: Floats  # (port * 6,)
    D: Floats  # (port * 6, port * 6)


def verify(component: Subsystem | Stepped, *, tolerance: float = 1e-9, timeout: float = 60.0) -> Verdict:
    """Check a component, a subsystem or a `Remote`, through its ports alone; `tolerance` is relative.

    D must be finite, symmetric and positive semidefinite; the work at the ports must agree with D; and D and the effect
    of gravity must rotate with the component. Other causes of motion, such as a road or wind, belong to the world and
    are not compared. An `lw.FMU` is stepped a few times: its numbers must be finite, repeat to the last bit, and go on
    from a state that it wrote. Of one that carries a component, D is looked at as well.

    >>> print(lw.verify(lw.gallery.car.Damper()).good)
    True
    """
    if isinstance(component, Stepped):
        return Verdict(*component.verified())
    if not isinstance(component, Subsystem):
        raise OptionError(f"{shown(component)} is no component; give a subsystem, such as lw.gallery.car.Damper()")
    ready_components()
    ports, still, floating = _probe(component, Frame(), timeout, None)
    rng = np.random.default_rng(0)
    push = rng.normal(size=6 * len(ports))
    _, pushed, _ = _probe(component, Frame(), timeout, push)
    _, turned, turned_floating = _probe(component, TURN, timeout, None)
    at, D = still[0], still[0].D
    checks, size = _of_response(at, tolerance), float(np.max(np.abs(D))) or 1.0
    # power: a push over one short step gives the ports the velocity D push dt, and so the energy push D push dt^2 / 2
    gained = (pushed[1].v - pushed[0].v) - (still[1].v - still[0].v)
    work, promised = 0.5 * DT * float(push @ gained), 0.5 * DT * DT * float(push @ D @ push)
    short = abs(work - promised) / promised if promised > 0 else abs(work)
    checks["power at the ports"] = (short < 1e-4, f"work of a short push off by {short:.1e}")
    Q = np.kron(np.eye(2 * len(ports)), TURN.matrix)
    bent = float(np.max(np.abs(turned[0].D - Q @ D @ Q.T))) / size
    fall, fall_turned = at.r - floating[0].r, turned[0].r - turned_floating[0].r  # what gravity does
    scale = max(GRAVITY, float(np.max(np.abs(fall))))
    bent = max(bent, float(np.max(np.abs(fall_turned - Q @ fall))) / scale)
    checks["same in any place"] = (bent < 1e3 * tolerance, f"off by {bent:.1e} when turned")
    return Verdict(_name(component), ports, checks)


def response_checks(message: Floats, count: int, tolerance: float = 1e-9) -> dict[str, tuple[bool, str]]:
    """What the report of a component with `count` ports must be by itself; `tolerance` is relative."""
    return _of_response(_read(message, count), tolerance)


def _of_response(at: _Report, tolerance: float) -> dict[str, tuple[bool, str]]:
    D = at.D
    size = float(np.max(np.abs(D))) or 1.0
    finite = all(np.isfinite(value).all() for value in (at.R, at.p, at.v, at.r, D))
    skew = float(np.max(np.abs(D - D.T))) / size
    lowest = float(np.linalg.eigvalsh((D + D.T) / 2)[0]) / size if finite else -np.inf
    return {
        "numbers": (finite, "all finite" if finite else "some are not finite"),
        "symmetry of D": (skew < tolerance, f"off by {skew:.1e}"),
        "D not negative": (lowest > -tolerance, f"lowest eigenvalue {lowest:.1e} of the largest entry"),
    }


def _name(component: Subsystem) -> str:
    return getattr(component, "component", "") or type(component).__name__


def _probe(
    component: Any, place: Frame, timeout: float, push: Floats | None
) -> tuple[list[str], list[_Report], list[_Report]]:
    """Ports of the component, and its reports at the start and after one short step with `push` at its ports.

    First with gravity, which turns with the component, then without.
    """
    thread = None
    if hasattr(component, "transport"):
        transport: Transport = component.renew()
    else:
        transport, other = pair(timeout)
        kind, parameters = type(component), component.parameters
        thread = threading.Thread(target=_serve, args=(lambda: kind(**parameters), other), daemon=True)
        thread.start()
    try:
        names = [port["name"] for port in ask(transport, {"verb": "describe"})["ports"]]
        tau = np.zeros(6 * len(names)) if push is None else push
        with_gravity, without = (_short_run(transport, place, gravity, tau) for gravity in (GRAVITY, 0.0))
        return names, with_gravity, without
    finally:
        transport.close()
        if thread is not None:
            thread.join(timeout)


def _short_run(transport: Transport, place: Frame, gravity: float, tau: Floats) -> list[_Report]:
    """Reports at the start and after one short step with the forces tau at the ports."""
    down = place.direction((0.0, 0.0, -gravity))
    ask(
        transport,
        {
            "verb": "prepare",
            "position": place.position.tolist(),
            "rotation": place.rotation.tolist(),
            "gravity": [float(g) for g in down],
            "integrator": "semi-implicit",
            "dt": DT,
            "stabilize": False,
            "rank_tolerance": 1e-10,
        },
    )
    count = tau.size // 6
    message = np.zeros(message_size(count))
    reports = []
    for step in range(2):
        if step:
            transport.send(np.array([RUN, 0.0, 0.0, DT, 1.0]))
        transport.receive(message)
        reports.append(_read(message, count))
        transport.send(tau)
    transport.send(np.array([END, 0.0, 0.0, 0.0, 0.0]))
    return reports


def _serve(make: Callable[[], Subsystem], transport: Transport) -> None:
    with suppress(PeerError, ModelError, OptionError, RunError):  # this side is told as well
        serve(make, transport)


def _read(message: Floats, count: int) -> _Report:
    rows = message[1 : 1 + PORT * count].reshape(count, PORT).copy()
    D = message[1 + PORT * count :].reshape(6 * count, 6 * count).copy()
    return _Report(rows[:, :9].reshape(-1, 3, 3), rows[:, 9:12], rows[:, 12:18].ravel(), rows[:, 18:24].ravel(), D)
