"""Callers of a served component that mean no good: the server goes on, and nobody waits for them."""

from __future__ import annotations

import json
import math
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from attacks import wire
from attacks.wire import half_axle
from linkwork.distribute import callers as module
from linkwork.distribute.callers import Callers
from linkwork.distribute.listen import connect, listen
from linkwork.distribute.remote import MOST_PORTS, PROTOCOL, ask
from linkwork.distribute.server import RUNS, Session, serve
from linkwork.distribute.socket_transport import pair
from linkwork.distribute.transport import PeerError
from linkwork.gallery import car
from linkwork.simulation.stepping import failures
from linkwork.simulation.stepping.remote_links import COMMAND, RUN
from linkwork.simulation.stepping.workspaces import ready_components

DT = 1e-3


@contextmanager
def serving(**options: Any) -> Iterator[tuple[str, list[str]]]:
    """An address at which wheels are served, and what the server says."""
    ready_components()
    said: list[str] = []
    places = options.pop("places", 64)
    listener = listen(0, timeout=5)
    crowd = Callers(
        listener, lambda transport: Session(car.Wheel, transport, **options), say=said.append, places=places
    )

    def work() -> None:
        with suppress(PeerError):  # the listener was closed
            crowd.run()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield listener.address, said
    finally:
        listener.close()
        crowd.close()
        thread.join(10)
    assert not thread.is_alive()


def good(address: str) -> lw.Trajectory:
    return lw.simulate(half_axle(lw.Remote(address, timeout=20)), until=5 * DT, dt=DT, method="component")


def until(true: Callable[[], Any], seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    return bool(true())


# --- who holds up whom -------------------------------------------------------------------------------------


def test_silent_callers_hold_up_nobody() -> None:
    with serving() as (address, _):
        want = good(address)["guide.position"]
        host, _, port = address.rpartition(":")
        silent = [socket.create_connection((host, int(port))) for _ in range(100)]
        asked = [connect(address, timeout=5) for _ in range(5)]
        for each in asked[:3]:
            ask(each, {"verb": "describe"})
        assert np.array_equal(good(address)["guide.position"], want)
        for each in [*silent, *asked]:
            each.close()


def test_two_wholes_at_once() -> None:
    with serving() as (address, said):
        first = lw.Simulation(half_axle(lw.Remote(address, timeout=20)), "component", dt=DT)
        first.step(2)
        assert len(good(address)) == 6
        first.step(3)
        assert first["guide.position"] == good(address)["guide.position"][-1]
        first.close()
    assert said == []


def test_one_place_is_for_one_after_the_other() -> None:
    with serving(places=1) as (address, _):
        first = connect(address, timeout=5)
        ask(first, {"verb": "describe"})
        found: list[Any] = []
        thread = threading.Thread(target=lambda: found.append(good(address)))
        thread.start()
        time.sleep(0.3)
        assert found == []
        first.close()
        thread.join(20)
        assert len(found) == 1


def test_where_all_places_are_taken_the_silent_one_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GREETING_TIME", 0.5)
    with serving(places=2) as (address, _):
        idle = [connect(address, timeout=5) for _ in range(2)]
        for each in idle:
            ask(each, {"verb": "describe"})
        time.sleep(0.6)
        good(address)
        assert until(lambda: sum(each.wait(0.0) for each in idle) == 1)
        for each in idle:
            each.close()


def test_where_nobody_makes_room_the_caller_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GREETING_TIME", 0.3)
    monkeypatch.setattr(module.Callers, "_room", lambda self: 0)
    with serving() as (address, said):
        with pytest.raises(PeerError, match="it serves 0 others already; try again later"):
            lw.Remote(address, timeout=5)
        assert until(lambda: any("all 0 places are taken" in line for line in said))


def test_who_asks_nothing_is_let_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "GREETING_TIME", 0.2)
    with serving() as (address, said), closing(connect(address, timeout=5)) as silent:
        assert silent.wait(5)
        assert until(lambda: any("asked nothing within 0.2 s" in line for line in said))


def test_who_thinks_for_too_long_is_let_go_and_comes_back() -> None:
    with serving(idle=0.2) as (address, said):
        remote = lw.Remote(address, timeout=5)
        assert until(
            lambda: any("sent no request for 0.2 s; the connection was closed" in line for line in said) or not said
        )
        time.sleep(0.4)
        run = lw.simulate(half_axle(remote), until=5 * DT, dt=DT, method="component")
        assert len(run) == 6
        sim = lw.Simulation(half_axle(lw.Remote(address, timeout=5)), "component", dt=DT)
        time.sleep(0.4)
        with pytest.raises(lw.RunError, match=r"component 'wheel' failed \(nothing was asked for 0.2 s"):
            sim.step(1)


def test_a_connection_serves_a_few_runs() -> None:
    with serving() as (address, _), closing(connect(address, timeout=5)) as transport:
        for _ in range(RUNS):
            ask(transport, {name: value for name, value in wire.PREPARE.items() if name != "protocol"})
            transport.receive(np.zeros(61))
            transport.send(np.zeros(6))
            transport.send(np.zeros(COMMAND))
        with pytest.raises(PeerError, match=f"one connection serves {RUNS} runs"):
            ask(transport, wire.PREPARE)


def test_refusals_cannot_fill_a_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOMENT", 3600.0)
    said: list[str] = []
    with closing(listen(0, timeout=1)) as listener:
        crowd = Callers(listener, lambda transport: Session(car.Wheel, transport), say=said.append)
        crowd._said = [-1e9] * module.LINES
        for k in range(1000):
            crowd._tell(f"refused: {k}")
        assert len(said) == module.LINES
        crowd._said[0] = -1e9
        crowd._tell("refused: again")
        assert said[-1] == f"refused: again (and {1000 - module.LINES} more before it)"


# --- numbers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wild", [math.nan, math.inf, 1e300])
@pytest.mark.parametrize("place", range(COMMAND))
def test_an_order_that_makes_no_sense_ends_the_run_and_not_the_server(place: int, wild: float) -> None:
    order = np.array([RUN, 0.0, 0.0, DT, 1.0])
    order[place] = wild
    here, there = pair(5.0)
    ended: list[BaseException] = []

    def work() -> None:
        try:
            serve(car.Wheel, there)
        except BaseException as error:
            ended.append(error)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    ask(here, wire.PREPARE)
    here.receive(np.zeros(61))
    here.send(np.zeros(6))
    here.send(order)
    with pytest.raises(PeerError, match="the order cannot be understood"):
        here.receive(np.zeros(61))
    thread.join(5)
    assert [type(error) for error in ended] == [PeerError]
    here.close()


@pytest.mark.parametrize("first", [np.full(6, math.nan), np.zeros(7), None])
def test_no_cause_is_looked_for_where_the_whole_is_lost(first: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """That would take longer than the component itself, and blame the component."""
    asked: list[Any] = []
    monkeypatch.setattr(failures, "steps_too_large", lambda *args, **options: asked.append(args))
    here, there = pair(5.0)
    thread = threading.Thread(target=serve, args=(car.Wheel, there), daemon=True)
    thread.start()
    ask(here, wire.PREPARE)
    here.receive(np.zeros(61))
    if first is not None:
        here.send(first)
    here.close()
    thread.join(5)
    assert not thread.is_alive()
    assert asked == []


@pytest.mark.parametrize("name", ["position", "rotation", "gravity", "dt", "rank_tolerance", "integrator", "stabilize"])
@pytest.mark.parametrize("wild", ["NaN", "Infinity", "1e300", "1e999", '"x"', "[" * 5000 + "]" * 5000, "{}"])
def test_a_question_that_makes_no_sense_is_told(name: str, wild: str) -> None:
    here, there = pair(5.0)
    thread = threading.Thread(target=serve, args=(car.Wheel, there), daemon=True)
    thread.start()
    text = json.dumps({**wire.PREPARE, name: "HERE"}).replace('"HERE"', wild)
    here.send_text(text)
    assert "the component cannot be used" in json.loads(here.receive_text())["error"]
    thread.join(5)
    assert not thread.is_alive()
    here.close()


class Lying:
    """The transport of a component that sends one wild number in a report."""

    def __init__(self, transport: Any, after: int, place: int, wild: float) -> None:
        self._transport, self._left, self._place, self._wild = transport, after, place, wild

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def send(self, values: Any) -> None:
        self._left -= 1
        if self._left == 0:
            values = values.copy()
            values[self._place] = self._wild
        self._transport.send(values)


@pytest.mark.parametrize("wild", [math.nan, -math.inf, 1e308, -1e60])
@pytest.mark.parametrize(("after", "place"), [(1, 5), (40, 13), (40, 20), (41, 60)])
def test_a_component_that_sends_a_wild_number_is_named(after: int, place: int, wild: float) -> None:
    ready_components()
    here, there = pair(5.0)
    with np.errstate(all="ignore"):
        thread = threading.Thread(
            target=lambda: suppressed(lambda: serve(car.Wheel, Lying(there, after, place, wild))), daemon=True
        )
        thread.start()
        with pytest.raises(
            lw.RunError, match=r"component 'wheel' failed \(it sends numbers that are not fin"
        ) as caught:
            lw.simulate(half_axle(lw.Remote(transport=here)), until=0.1, dt=DT, method="component")
    assert caught.value.culprit == "wheel"
    if caught.value.run is not None:
        assert wire._finite(caught.value.run)
    thread.join(5)
    assert not thread.is_alive()


def suppressed(work: Callable[[], Any]) -> None:
    with suppress(PeerError, lw.RunError):
        work()


# --- texts -------------------------------------------------------------------------------------------------

PORT = {
    "name": "ring",
    "position": [0, 0, 0],
    "rotation": [1, 0, 0, 0],
    "velocity": [0, 0, 0],
    "angular_velocity": [0, 0, 0],
    "at": [0, 0, 0],
    "turned": [1, 0, 0, 0],
}


def described(answer: dict[str, Any]) -> lw.Remote:
    """What a component is taken for that describes itself so."""
    here, there = pair(5.0)
    there.send_text(json.dumps({"protocol": PROTOCOL, "component": "Wheel", **answer}))
    try:
        return lw.Remote(transport=here)
    finally:
        there.close()


def test_words_of_a_peer_are_fit_for_a_terminal() -> None:
    assert described({"component": "Wheel\x1b[2J\n\u202e", "ports": [PORT]}).component == "Wheel [2J"
    with pytest.raises(PeerError) as caught:
        described({"error": "no\x1b]0;owned\x07\r\nway"})
    assert str(caught.value) == "part: no ]0;owned way"
    here, there = pair(5.0)
    there.send_failure("over \x1b[31m there\n" * 1000)
    with pytest.raises(PeerError) as caught:
        here.receive(np.zeros(1))
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 2100


@pytest.mark.parametrize(
    ("ports", "words"),
    [
        ([{**PORT, "name": f"p{k}"} for k in range(MOST_PORTS + 1)], "offers more than 256 ports"),
        ([PORT, PORT], "two ports of the same name"),
        ([{**PORT, "name": "a\x1bb"}], "breaks the line"),
        ([{**PORT, "name": ["x"]}], "a name must be"),
        ([{**PORT, "velocity": [0, 0]}], "velocity must be 3 numbers"),
        ([{**PORT, "velocity": [0, 0, math.nan]}], "NaN is not finite"),
        ([{**PORT, "angular_velocity": [0, 0, 1e308]}], "beyond all bounds"),
        ([{**PORT, "position": [0, 0, 10**120]}], "cannot be understood"),
        ("ring", "cannot be understood"),
        (5, "cannot be understood"),
    ],
)
def test_ports_that_make_no_sense(ports: Any, words: str) -> None:
    with pytest.raises(PeerError, match=words):
        described({"ports": ports})


def test_an_answer_that_is_nested_too_deeply() -> None:
    here, there = pair(5.0)
    there.send_text("[" * 100_000)
    with pytest.raises(PeerError, match="cannot be understood"):
        lw.Remote(transport=here)
    there.close()
