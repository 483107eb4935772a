"""The process of the live page: serves the page and its frames; it ends with the process that started it."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import gc
import json
import os
import signal
import sys
import threading
import time
from typing import Any

from linkwork.viewer.live.gate import Gate
from linkwork.viewer.live.on_time import MESSAGES, OnTime
from linkwork.viewer.live.past_frames import EVERY
from linkwork.viewer.live.shared_frame import SharedFrame, packed
from linkwork.viewer.live.visitors import Visitors
from linkwork.viewer.live.web_server import ServedFile, WebServer

NICE = 2  # the page gives way to the process that steps
BEAT = 0.5  # s between two words that the server is there
FRAME, LOOK = 1 / 60, 0.002  # s between two frames, and between two looks for one that is due
GONE = 1001  # the reason for closing when the run ends, by RFC 6455


def main() -> None:
    """The process of the page: the first line says what to show, the others are messages; it ends with them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the process that steps
    out = sys.stdout

    def send(*message: Any) -> None:
        with contextlib.suppress(OSError, ValueError):
            out.write(json.dumps(message) + "\n")
            out.flush()

    if hasattr(os, "nice"):
        os.nice(NICE)
    facts = json.loads(sys.stdin.readline())[0]
    frame = SharedFrame(facts["things"], facts["joints"], facts["frame"])
    try:
        asyncio.run(serve(facts, frame, send))
    finally:
        frame.close()
        frame.remove()  # the other side may have been killed
    os._exit(0)  # the thread that reads may still wait


async def serve(facts: dict[str, Any], frame: SharedFrame, send: Any) -> None:
    """Serve the page until the other side hangs up."""
    loop, ended = asyncio.get_running_loop(), asyncio.Event()
    loop.set_exception_handler(lambda *_: None)  # what a bad visitor does is not for the owner's terminal
    visitors = Visitors(facts["names"], send)
    documents = {path: ServedFile(kind, base64.b64decode(text)) for path, (kind, text) in facts["documents"].items()}
    tls, place = facts["tls"], (facts["host"], facts["port"])
    web = WebServer(documents, visitors.meet, Gate(facts["token"], tls is not None), tls)
    del documents, facts["documents"]
    try:
        server, port = await web.open(*place)
    except OSError as error:
        send("failed", f"cannot listen on {place[0]}:{place[1]} ({error.strerror or error}); give another port")
        return
    send("ready", port)

    def listen() -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(visitors.tell, *json.loads(line))
        loop.call_soon_threadsafe(ended.set)

    threading.Thread(target=listen, daemon=True).start()
    gc.collect()
    gc.freeze()
    tasks = [asyncio.ensure_future(follow(frame, visitors)), asyncio.ensure_future(beat(visitors))]
    await ended.wait()
    for task in tasks:
        task.cancel()
    server.close(code=GONE, reason="the run has ended")
    with contextlib.suppress(TimeoutError):
        await asyncio.wait_for(server.wait_closed(), 1.0)


async def follow(frame: SharedFrame, visitors: Visitors) -> None:
    """Show every new state of the shared frame to those who look; where nobody does, keep some for who comes later."""
    seen, soon = 0.0, False  # 0: nothing was written yet
    on_time = OnTime(MESSAGES)
    while True:
        on_time.look(time.perf_counter())
        await asyncio.sleep(LOOK if soon else FRAME - 2 * LOOK if visitors.all else EVERY)
        soon = bool(visitors.all)
        if frame.sequence != seen:
            picture = frame.read()
            seen, soon = float(picture.head[0]), False
            visitors.show(packed(picture))


async def beat(visitors: Visitors) -> None:
    """Say now and then that the server is there; where nothing moves a page could not know."""
    while True:
        await asyncio.sleep(BEAT)
        visitors.tell("here")
