"""Damaged requests and hostile visitors at the server of the live page, while a good visitor is served.

All on 127.0.0.1. A request is answered or refused; a visitor that has shown the token is let through at once.
"""

from __future__ import annotations

import asyncio
import json
import random
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from attacks.damaging import flipped, mutated
from attacks.wire import HELLO, LATE, PATIENCE, _drip, _environment, _hold
from linkwork.viewer.live.gate import VISIT, Gate
from linkwork.viewer.live.web_server import ServedFile, WebServer

TOKEN = "a-token-of-twenty-two-letters"
PAGE = b"hello"
ODD = (
    b"GET http://[ HTTP/1.1\r\n\r\n",
    b"GET //[?token=x HTTP/1.1\r\nOrigin: http://[\r\n\r\n",
    b"GET /?token=%ff%00 HTTP/1.1\r\nCookie: linkwork=\xff; \x00\r\n\r\n",
    b"\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost\r\n:\r\n\r\n",
    b"GET /" + b"a" * 40_000,
)


async def _leave(line: Any) -> None:
    await line.close(1000, "nobody is here")


class Guarded:
    """The server with a page that is always the same, in a thread of its own."""

    def __init__(self, tls: tuple[str, str] | None = None) -> None:
        self.gate = Gate(TOKEN, tls is not None)
        self.web = WebServer({"/": ServedFile("text/plain", PAGE)}, _leave, self.gate, tls)
        self.loop = asyncio.new_event_loop()
        self.loop.set_exception_handler(lambda *_: None)
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        opening = asyncio.run_coroutine_threadsafe(self.web.open("127.0.0.1", 0), self.loop)
        self.server, self.port = opening.result(10.0)
        self.good = request("/", f"Cookie: {VISIT}={self.gate.visit}")

    def __enter__(self) -> Guarded:
        return self

    def __exit__(self, *_: Any) -> None:
        self.loop.call_soon_threadsafe(self.server.close)

    def said(self, data: bytes, tls: ssl.SSLContext | None = None) -> bytes:
        """All that is answered, until the server ends the connection."""
        heard = b""
        sock = socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)
        if tls is not None:
            sock = tls.wrap_socket(sock, server_hostname="127.0.0.1")
        with sock:
            with suppress(OSError):
                sock.sendall(data)
                if tls is None and not data.endswith(b"\r\n\r\n"):
                    sock.shutdown(socket.SHUT_WR)  # no more will come
            with suppress(ConnectionError):
                while block := sock.recv(65536):
                    heard += block
        return heard


def request(path: str, *lines: str) -> bytes:
    """A request as a browser makes it."""
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: localhost", "Connection: close", *lines, "", ""]).encode()


def requests(count: int) -> tuple[Counter[str], list[str]]:
    """`count` damaged requests, one after the other, and good ones between them."""
    outcomes, bad = Counter[str](), []
    with Guarded() as guarded:
        for k in range(count):
            chance = random.Random(f"page {k}")
            whole = chance.choice(
                [guarded.good, request(f"/?token={TOKEN}"), request("/", f"Cookie: linkwork={TOKEN}")]
            )
            data = chance.choice(ODD) if k % 10 == 0 else (flipped if k % 2 else mutated)(whole, chance)
            try:
                guarded.said(data)
                outcome = "answered"
                if k % 20 == 0 and not guarded.said(guarded.good).endswith(PAGE):
                    outcome = "lost"
            except TimeoutError:
                outcome = "hang"
            except OSError as error:
                outcome = f"raw exception: {error}"
            outcomes[outcome.partition(":")[0]] += 1
            if outcome != "answered":
                bad.append(f"page {k}: {outcome}")
    return outcomes, bad


def _says(data: bytes) -> Callable[[socket.socket, threading.Event], None]:
    def act(sock: socket.socket, stop: threading.Event) -> None:
        sock.sendall(data)
        _hold(sock, stop)

    return act


def _guess(sock: socket.socket, stop: threading.Event) -> None:
    sock.sendall(request(f"/?token={random.randrange(10**9)}"))
    _hold(sock, stop)


HOSTILE: dict[str, Callable[[socket.socket, threading.Event], None]] = {
    "silent": _hold,
    "silent again": _hold,
    "slow": lambda sock, stop: _drip(sock, request("/"), stop),
    "slow guess": lambda sock, stop: _drip(sock, request("/?token=x"), stop),
    "garbage": _says(random.Random(1).randbytes(30_000)),
    "endless head": _says(b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000),
    "half TLS": _says(HELLO),
    "half a request": _says(b"GET / HT"),
    "no token": _says(request("/")),
    "knocks and leaves": lambda sock, stop: None,
    "another site": _says(request("/", "Origin: http://evil.example")),
    **{f"guess {k}": _guess for k in range(4)},
    **{f"odd {k}": _says(data) for k, data in enumerate(ODD[:5])},
}


def besiege(port: int) -> None:
    """All hostile visitors at once, until the standard input ends; then prints how often each has called."""
    stop, called = threading.Event(), Counter[str]()

    def attack(name: str) -> None:
        while not stop.is_set():
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=5) as sock:
                called[name] += 1
                HOSTILE[name](sock, stop)
            stop.wait(0.02)

    threads = [threading.Thread(target=attack, args=(name,)) for name in HOSTILE]
    for thread in threads:
        thread.start()
    print("begun", flush=True)
    sys.stdin.read()
    stop.set()
    for thread in threads:
        thread.join()
    print(json.dumps(called), flush=True)


def visitors(rounds: int) -> tuple[Counter[str], list[str], float]:
    """A good visitor, again and again, while twenty hostile ones call; also its largest delay, s."""
    outcomes, bad, largest = Counter[str](), [], 0.0
    with Guarded() as guarded:
        command = [sys.executable, "-c", f"from attacks.page import besiege; besiege({guarded.port})"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen(command, **pipes, text=True, env=_environment()) as enemy:
            assert enemy.stdout is not None
            enemy.stdout.readline()
            for k in range(rounds):
                time.sleep(0.02)
                began = time.monotonic()
                try:
                    heard = guarded.said(guarded.good)
                except OSError as error:
                    heard = repr(error).encode()
                delay = time.monotonic() - began
                largest = max(largest, delay)
                outcome = "lost" if not heard.endswith(PAGE) else "late" if delay > LATE else "served"
                outcomes[outcome] += 1
                if outcome != "served":
                    bad.append(f"good visitor {k}: {outcome} ({delay:.2f} s)")
            told, _ = enemy.communicate()
        called = json.loads(told)
        if len(called) < len(HOSTILE):
            bad.append(f"lost: {sorted(set(HOSTILE) - set(called))} never called")
        outcomes["hostile calls survived"] = sum(called.values())
    return outcomes, bad, largest


def main(count: int) -> tuple[Counter[str], list[str]]:
    """`count` damaged requests, and a tenth of it good visits among twenty hostile visitors."""
    total, worst = requests(count)
    outcomes, bad, largest = visitors(max(10, count // 10))
    print(f"  page: {dict(total)}; {dict(outcomes)}, largest delay of a good visit {largest:.3f} s", flush=True)
    return total + outcomes, worst + bad


if __name__ == "__main__":
    print(main(int(sys.argv[1])))
