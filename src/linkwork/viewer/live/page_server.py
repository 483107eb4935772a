"""The process of the live page: a viser server, which ends with the process that started it."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import signal
import sys
import threading
import warnings
from typing import Any

from linkwork.viewer.live.origin_check import checking_requests, here, through_proxy
from linkwork.viewer.live.panel import Panel
from linkwork.viewer.live.shared_frame import SharedFrame
from linkwork.viewer.live.token_proxy import TokenProxy

NICE = 10  # the page gives way to the process that steps


def main() -> None:
    """The process of the page: the first line says what to show, the others are messages; it ends with them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that steps
    # viser has a banner; the address is the other side's to print
    out, sys.stdout = sys.stdout, open(os.devnull, "w")  # noqa: SIM115
    warnings.filterwarnings("ignore", message="Queued a")  # a page that was just closed
    lock = threading.Lock()  # clicks come in threads

    def send(*message: Any) -> None:
        with lock, contextlib.suppress(OSError, ValueError):
            out.write(json.dumps(message, default=lambda value: value.tolist()) + "\n")
            out.flush()

    facts = json.loads(sys.stdin.readline())[0]
    show = facts["show"]
    frame = SharedFrame(len(show["bodies"]), len(show["joints"]), facts["frame"])
    try:
        serve(show, frame, send, facts["host"], facts["port"], facts["token"], facts["tls"])
    finally:
        frame.close()
        frame.remove()  # the other side may have been killed
    os._exit(0)  # threads of the server may still be at work


def serve(
    show: dict[str, Any], frame: SharedFrame, send: Any, host: str, port: int, token: str | None, tls: Any = None
) -> None:
    """Serve the page until the other side hangs up. `show` is what `page_data` made."""
    import viser

    if hasattr(os, "nice"):
        os.nice(NICE)  # this thread, and those that it will start
    try:
        inner = ("127.0.0.1", 0) if token else (host, port)
        key = secrets.token_urlsafe(16)
        with checking_requests(through_proxy(key) if token else here):
            server = viser.ViserServer(host=inner[0], port=inner[1], verbose=False)
        reached = TokenProxy(host, port, server.get_port(), token, key, tls).port if token else server.get_port()
    except OSError as error:
        send("failed", f"cannot listen on {host}:{port} ({error.strerror or error}); give another port")
        return
    panel = Panel(server, show, frame, send)
    send("ready", reached)
    send("watch", list(panel.charts.names))
    for line in sys.stdin:
        panel.receive(*json.loads(line))
    panel.close()
    server.stop()
