"""Mutated messages each way between a whole and a component elsewhere, and hostile callers while good ones are served.

All on 127.0.0.1. A message is answered, or refused in one sentence; the server goes on; nobody waits for a stranger.
"""

from __future__ import annotations

import json
import math
import os
import random
import socket
import struct
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from functools import lru_cache
from typing import Any

import numpy as np

import linkwork as lw
from attacks.damaging import flipped, mutated
from attacks.workers import MEMORY, counted, memory
from linkwork.distribute.listen import connect
from linkwork.distribute.remote import PROTOCOL
from linkwork.distribute.server import serve
from linkwork.distribute.socket_transport import SocketTransport, pair
from linkwork.distribute.transport import (
    CLIENT_GREETING,
    FLOATS,
    HEADER,
    MAGIC,
    TEXT,
    VERSION,
    PeerError,
)
from linkwork.gallery import car
from linkwork.simulation.stepping.remote_links import END, RUN

DT = 1e-3  # s
LATE = 1.0  # s by which a good caller may be delayed
PATIENCE = 10.0  # s for the server to end what makes no sense
WILD = (math.nan, math.inf, -math.inf, 1e308, -1e300, 1e-308)
AT_ONCE = 4  # mutated conversations


# --- messages ----------------------------------------------------------------------------------------------


def _message(kind: int, count: int, payload: bytes, version: int = VERSION) -> bytes:
    return HEADER.pack(MAGIC, version, kind, count) + payload


def _text(facts: Any) -> bytes:
    data = json.dumps(facts).encode()
    return _message(TEXT, len(data), data)


def _numbers(values: Any) -> bytes:
    data = np.asarray(values, dtype="<f8").tobytes()
    return _message(FLOATS, len(data) // 8, data)


GREETING = _message(CLIENT_GREETING, 0, b"")
DESCRIBE = {"protocol": PROTOCOL, "verb": "describe"}
PREPARE = {
    "protocol": PROTOCOL,
    "verb": "prepare",
    "position": [0.0, 0.0, 0.0],
    "rotation": [1.0, 0.0, 0.0, 0.0],
    "gravity": [0.0, 0.0, -9.81],
    "integrator": "semi-implicit",
    "dt": DT,
    "stabilize": False,
    "rank_tolerance": 1e-10,
}


def _conversation() -> list[bytes]:
    """What a whole says to the wheel: it looks, prepares, runs one step with forces, and ends."""
    push = _numbers(np.linspace(-1.0, 1.0, 6))
    order = _numbers([RUN, 0.0, 0.0, DT, 1.0])
    return [GREETING, _text(DESCRIBE), _text(PREPARE), push, order, push, _numbers([END, 0.0, 0.0, 0.0, 0.0])]


def _damaged(message: bytes, chance: random.Random) -> bytes:
    """A message with a bit or a piece changed, or with one wild number."""
    how = chance.randrange(3)
    if how == 0 and len(message) >= HEADER.size + 8:
        if message[HEADER.size : HEADER.size + 1] == b"{":
            facts = json.loads(message[HEADER.size :])
            facts[chance.choice(list(facts))] = chance.choice([*WILD, None, -1, 10**30, "\x1b[2J", [], {}, [1e308] * 3])
            return _text(facts)
        place = HEADER.size + 8 * chance.randrange((len(message) - HEADER.size) // 8)
        return message[:place] + struct.pack("<d", chance.choice(WILD)) + message[place + 8 :]
    return flipped(message, chance) if how == 1 else mutated(message, chance)


def _said(address: str, messages: list[bytes]) -> bytes:
    """All that the server answers to these messages, until it ends the connection."""
    host, _, port = address.rpartition(":")
    heard = b""
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as sock:
        with suppress(OSError):  # it may refuse before all is said
            sock.sendall(b"".join(messages))
            sock.shutdown(socket.SHUT_WR)
        try:
            while block := sock.recv(65536):
                heard += block
        except ConnectionError:
            pass
    return heard


# --- to the server -----------------------------------------------------------------------------------------


def _environment() -> dict[str, str]:
    """Of a process that finds what this one finds."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


class Server:
    """`linkwork serve car:Wheel` in a process of its own."""

    def __init__(self, *options: str) -> None:
        command = [sys.executable, "-m", "linkwork.cli", "serve", "car:Wheel", *options]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(command, **pipes, text=True, env=_environment())
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if " at " not in line:  # it ends: what it says, and its exit code, tell why
            said = self.process.communicate()[1]
            raise RuntimeError(f"the server did not start (exit code {self.process.returncode}): {line}{said}")
        self.address = line.split(" at ")[1].strip()
        self.said: list[str] = []
        self.memory = memory("VmRSS", self.process.pid)
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self.process.stderr is not None
        self.said.extend(self.process.stderr)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: Any) -> None:
        self.process.kill()
        self.process.wait()

    def faults(self) -> list[str]:
        """What a server must not do: end, take much memory, or show a traceback or a raw control character."""
        found = ["crash: the server has ended"] if self.process.poll() is not None else []
        if memory("VmHWM", self.process.pid) - self.memory > MEMORY:
            found.append("memory: of the server")
        return found + [
            f"raw exception: {line.strip()}"
            for line in self.said
            if "Traceback" in line or not line.strip().isprintable()
        ]


def to_server(count: int) -> tuple[Counter[str], list[str]]:
    """`count` conversations with one damaged message each; a good one between them must be answered to the last bit."""
    outcomes, bad = Counter[str](), []
    with Server("--timeout", "5") as server:
        good = _conversation()
        want = _said(server.address, good)

        def work(first: int) -> None:
            for k in range(first, count, AT_ONCE):
                chance = random.Random(f"to the server {k}")
                place = chance.randrange(len(good))
                try:
                    heard = _said(server.address, [*good[:place], _damaged(good[place], chance), *good[place + 1 :]])
                    outcome = "answered" if len(heard) >= len(want) else "refused"
                    if k % 50 == 0 and _said(server.address, good) != want:
                        outcome = "wrong numbers"
                except TimeoutError:
                    outcome = "hang"
                except OSError:
                    outcome = "crash"
                outcomes[outcome] += 1
                if outcome not in ("answered", "refused"):
                    bad.append(f"to the server {k}: {outcome}")

        threads = [threading.Thread(target=work, args=(first,)) for first in range(AT_ONCE)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        bad += server.faults()
    return outcomes, bad


# --- to the whole ------------------------------------------------------------------------------------------


def _hand_on(near: socket.socket, far: socket.socket, heard: list[bytes]) -> None:
    """What `near` says goes to `far`, until it ends, and is kept."""
    with suppress(OSError):
        while block := near.recv(65536):
            heard.append(block)
            far.sendall(block)
    with suppress(OSError):
        far.shutdown(socket.SHUT_WR)


def _split(stream: bytes) -> list[bytes]:
    """The messages of a stream."""
    found = []
    while stream:
        _, _, kind, count = HEADER.unpack_from(stream)
        size = HEADER.size + count * (8 if kind == FLOATS else 1)
        found.append(stream[:size])
        stream = stream[size:]
    return found


def half_axle(remote: lw.Remote) -> lw.Model:
    model = lw.Model("half axle")
    beam = model.body("beam", mass=30.0, shape=lw.Box((1.0, 0.1, 0.1)), position=(-0.5, 0, 0.35))
    model.prismatic("guide", model.ground, beam, axis=(0, 0, 1))
    wheel = model.add("wheel", remote, position=(-1, 0, 0))
    model.revolute("axle", beam, wheel.ring, at=(-1, 0, 0.35), axis=(1, 0, 0))
    return model


@lru_cache
def _answers() -> tuple[bytes, ...]:
    """What the wheel says in a short run, message by message."""
    heard: list[bytes] = []
    here, there = pair(60.0)
    near, far = socket.socketpair()  # whole | near far | component
    whole = SocketTransport(near, "the wheel", 60.0)
    here._sock.setblocking(True)
    far.setblocking(True)
    threads = [
        threading.Thread(target=serve, args=(car.Wheel, there), daemon=True),
        threading.Thread(target=_hand_on, args=(here._sock, far, heard), daemon=True),
        threading.Thread(target=_hand_on, args=(far, here._sock, []), daemon=True),
    ]
    for thread in threads:
        thread.start()
    lw.simulate(half_axle(lw.Remote(transport=whole)), until=3 * DT, dt=DT, method="component")
    for thread in threads[:2]:
        thread.join(10)
    return tuple(_split(b"".join(heard)))


def _play(sock: socket.socket, messages: list[bytes]) -> None:
    with suppress(OSError), sock:
        sock.sendall(b"".join(messages))
        sock.shutdown(socket.SHUT_WR)
        while sock.recv(65536):
            pass


def _damaged_answer(seed: int) -> str:
    """A run whose component answers with one damaged message."""
    chance = random.Random(f"to the whole {seed}")
    answers = list(_answers())
    place = min(chance.randrange(len(answers)), chance.randrange(len(answers)))
    answers[place] = _damaged(answers[place], chance)
    ours, theirs = socket.socketpair()
    playing = threading.Thread(target=_play, args=(theirs, answers), daemon=True)
    playing.start()
    transport = SocketTransport(ours, "the wheel", 5.0)
    try:
        remote = lw.Remote(transport=transport)
        if "ring" not in remote.ports:
            return "answered"  # with another name
        run = lw.simulate(half_axle(remote), until=3 * DT, dt=DT, method="component")
    except PeerError as error:
        return "refused" if str(error).isprintable() else "raw exception: control characters"
    except (lw.ModelError, lw.OptionError, lw.RunError) as error:
        said = isinstance(error, lw.RunError) and error.run is not None
        if said and not _finite(error.run):
            return "not finite"
        return "refused" if str(error).isprintable() else "raw exception: control characters"
    finally:
        transport.close()
        playing.join(5)
    return "answered" if _finite(run) else "not finite"


def _finite(run: lw.Trajectory) -> bool:
    return all(np.isfinite(run[name]).all() for name in [*run.names, "energy.balance", "drift.position"])


def to_whole(count: int) -> tuple[Counter[str], list[str]]:
    """`count` runs whose component answers with one damaged message."""
    return counted(_damaged_answer, range(count), warm=1)


# --- hostile callers ---------------------------------------------------------------------------------------


def _drip(sock: socket.socket, data: bytes, stop: threading.Event) -> None:
    for byte in data:
        sock.sendall(bytes([byte]))
        if stop.wait(0.05):
            return


def _hold(sock: socket.socket, stop: threading.Event) -> None:
    """Say nothing, until the other side has enough of it."""
    sock.settimeout(0.2)
    while not stop.is_set():
        try:
            if not sock.recv(65536):
                return
        except TimeoutError:
            continue


def _part(messages: int) -> Callable[[socket.socket, threading.Event], None]:
    """Speaks so many messages and leaves."""
    return lambda sock, stop: sock.sendall(b"".join(_conversation()[:messages]))


def _then_silent(messages: int) -> Callable[[socket.socket, threading.Event], None]:
    def act(sock: socket.socket, stop: threading.Event) -> None:
        sock.sendall(b"".join(_conversation()[:messages]))
        _hold(sock, stop)

    return act


def _instead(place: int, message: bytes) -> Callable[[socket.socket, threading.Event], None]:
    """Speaks well, then something else."""

    def act(sock: socket.socket, stop: threading.Event) -> None:
        sock.sendall(b"".join(_conversation()[:place]) + message)
        _hold(sock, stop)

    return act


def _flood(sock: socket.socket, stop: threading.Event) -> None:
    """Asks for one run after the other."""
    good = _conversation()
    sock.sendall(b"".join(good[:2]))
    while not stop.wait(0.02):
        sock.sendall(b"".join(good[2:]))
        sock.setblocking(False)
        with suppress(BlockingIOError):
            while sock.recv(65536):
                pass
        sock.setblocking(True)


HELLO = bytes.fromhex("16030100c8010000c40303") + bytes(64)  # TLS, begun and left
HOSTILE: dict[str, Callable[[socket.socket, threading.Event], None]] = {
    "silent": _hold,
    "silent after the greeting": _then_silent(1),
    "silent after a question": _then_silent(2),
    "silent in a run": _then_silent(4),
    "slow greeting": lambda sock, stop: _drip(sock, GREETING, stop),
    "slow question": lambda sock, stop: (_part(1)(sock, stop), _drip(sock, _text(DESCRIBE), stop))[0],
    "garbage": lambda sock, stop: sock.sendall(random.Random(1).randbytes(100_000)),
    "huge text": _instead(1, HEADER.pack(MAGIC, VERSION, TEXT, 1 << 62)),
    "huge numbers": _instead(3, HEADER.pack(MAGIC, VERSION, FLOATS, 1 << 62)),
    "half TLS": lambda sock, stop: (sock.sendall(HELLO), _hold(sock, stop))[0],
    "no number in a question": _instead(2, _text({**PREPARE, "dt": math.nan})),
    "no number in the forces": _instead(3, _numbers([math.nan] * 6)),
    "wild forces": _instead(3, _numbers([1e308] * 6)),
    "wild order": _instead(4, _numbers([RUN, 0.0, 1e300, DT, 1e300])),
    "endless order": _instead(4, _numbers([RUN, 0.0, 0.0, DT, 1e15])),
    "another version": lambda sock, stop: (sock.sendall(_message(CLIENT_GREETING, 0, b"", 99)), _hold(sock, stop))[0],
    "deep question": _instead(1, _text(None)[:0] + _message(TEXT, 200_000, b"[" * 200_000)),
    "leaves after each": lambda sock, stop: _part(random.randrange(1, 7))(sock, stop),
    "knocks and leaves": lambda sock, stop: None,
    "flood": _flood,
}


def _attack(name: str, address: str, stop: threading.Event, called: Counter[str]) -> None:
    """Call again and again, as one that means no good."""
    host, _, port = address.rpartition(":")
    while not stop.is_set():
        with suppress(OSError), socket.create_connection((host, int(port)), timeout=5) as sock:
            called[name] += 1
            HOSTILE[name](sock, stop)
        stop.wait(0.02)


def besiege(address: str) -> None:
    """All hostile callers at once, until the standard input ends; then prints how often each has called."""
    stop, called = threading.Event(), Counter[str]()
    threads = [threading.Thread(target=_attack, args=(name, address, stop, called)) for name in HOSTILE]
    for thread in threads:
        thread.start()
    print("begun", flush=True)
    sys.stdin.read()
    stop.set()
    for thread in threads:
        thread.join()
    print(json.dumps(called), flush=True)


def _call(address: str) -> tuple[float, bytes]:
    """How long a good caller takes, from its knock to the end of its run, and what it got."""
    began = time.monotonic()
    with closing(connect(address, timeout=PATIENCE)) as transport:
        remote = lw.Remote(transport=transport)
        run = lw.simulate(half_axle(remote), until=20 * DT, dt=DT, method="component")
    return time.monotonic() - began, run["guide.position"].tobytes()


def callers(rounds: int) -> tuple[Counter[str], list[str], float]:
    """Good callers, one after the other, while twenty hostile ones call; also the largest delay of a good one, s."""
    outcomes, bad, largest = Counter[str](), [], 0.0
    with Server("--timeout", "5") as server:
        _call(server.address)
        alone = [_call(server.address) for _ in range(5)]
        usual, want = float(np.median([took for took, _ in alone])), alone[0][1]
        command = [sys.executable, "-c", f"from attacks.wire import besiege; besiege({server.address!r})"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen(command, **pipes, text=True, env=_environment()) as enemy:
            assert enemy.stdout is not None
            enemy.stdout.readline()
            for k in range(rounds):
                try:
                    took, got = _call(server.address)
                except (PeerError, lw.RunError) as error:
                    outcomes["lost"] += 1
                    bad.append(f"good caller {k}: lost: {error}")
                    continue
                delay = took - usual
                largest = max(largest, delay)
                outcome = "wrong numbers" if got != want else "late" if delay > LATE else "served"
                outcomes[outcome] += 1
                if outcome != "served":
                    bad.append(f"good caller {k}: {outcome} ({delay:.2f} s)")
            told, _ = enemy.communicate()
            called = json.loads(told)
        if len(called) < len(HOSTILE):
            bad.append(f"lost: {sorted(set(HOSTILE) - set(called))} never called")
        outcomes["hostile calls survived"] = sum(called.values())
        bad += server.faults()
    return outcomes, bad, largest


def main(count: int) -> tuple[Counter[str], list[str]]:
    """`count` damaged messages each way, and a hundredth of it good callers among twenty hostile ones."""
    total, worst = Counter[str](), []
    for attack in (to_server, to_whole):
        outcomes, bad = attack(count)
        print(f"  {attack.__name__}: {dict(outcomes)}", flush=True)
        total += outcomes
        worst += bad
    outcomes, bad, largest = callers(max(3, count // 100))
    print(f"  callers: {dict(outcomes)}, largest delay of a good one {largest:.3f} s", flush=True)
    return total + outcomes, worst + bad


if __name__ == "__main__":
    print(main(int(sys.argv[1])))
