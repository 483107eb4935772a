"""Who looks at the live page: each visitor gets the newest frame and every message, as fast as it can take them.

A visitor that sends what no page of ours sends, or too much of it, or takes too long, is closed with a reason. What a
visitor holds (keys, sticks, bodies) is let go when it leaves.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
import time
from collections import deque
from collections.abc import Callable
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

from linkwork.viewer.live.page_messages import Malformed, checked, known
from linkwork.viewer.live.past_frames import PastFrames

MOST_VISITORS = 32
SLOW = 5.0  # s that a visitor may take for one message, and that one message of it may take
LEAVING = 1.0  # s for its leave
BURST, RATE = 400.0, 200.0  # messages at once, and in a second
WAITING = 1000  # messages that wait for a visitor
WRONG, MUCH, FULL, TEXT = 1008, 1008, 1013, 1003  # reasons for closing, by the numbers of RFC 6455
KEPT = ("label", "joints", "kinematic", "coordinates", "inputs", "trust", "events")  # the last of each is for newcomers

Send = Callable[..., None]


class Closing(Exception):
    """A visitor has to leave: a code of RFC 6455, and the reason in words."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code, self.reason = code, reason


class Visitor:
    """One socket with what still has to be sent to it."""

    def __init__(self, line: ServerConnection) -> None:
        self.line = line
        self.words: deque[str] = deque()
        self.frame: bytes | None = None
        self.past: deque[bytes] = deque()  # frames from before it came
        self.wake = asyncio.Event()
        self.keys: set[str] = set()
        self.bodies: set[str] = set()
        self.leaning: set[str] = set()  # inputs that a stick of it holds
        self.watched: list[str] = []
        self.allowance, self.since = BURST, asyncio.get_running_loop().time()

    def tell(self, text: str) -> None:
        """Send a message as soon as possible."""
        if len(self.words) < WAITING:  # one that takes nothing is closed by `deliver`
            self.words.append(text)
        self.wake.set()

    def show(self, frame: bytes) -> None:
        """Send a frame, unless a newer one comes before that is possible."""
        self.frame = frame
        self.wake.set()

    async def deliver(self) -> None:
        """Send what there is, for ever."""
        while True:
            await self.wake.wait()
            self.wake.clear()
            while self.words or self.past or self.frame is not None:
                if self.words:
                    await self._send(self.words.popleft())
                elif self.past:
                    await self._send(self.past.popleft())
                else:
                    frame, self.frame = self.frame, None
                    assert frame is not None
                    await self._send(frame)

    async def _send(self, message: str | bytes) -> None:
        try:
            async with asyncio.timeout(SLOW):
                await self.line.send(message)
        except TimeoutError:
            raise Closing(MUCH, "too slow: a frame was not taken in time") from None

    async def receive(self) -> list[Any]:
        """The next message."""
        parts: list[str | bytes] = []
        clock = asyncio.get_running_loop().time
        try:
            async with asyncio.timeout(None) as limit:
                async for part in self.line.recv_streaming():
                    if not parts:
                        limit.reschedule(clock() + SLOW)
                    parts.append(part)
        except TimeoutError:
            raise Closing(WRONG, "too slow: a message did not end") from None
        now = clock()
        self.allowance = min(BURST, self.allowance + RATE * (now - self.since)) - 1.0
        self.since = now
        if self.allowance < 0.0:
            raise Closing(MUCH, "too many messages")
        if any(isinstance(part, bytes) for part in parts):
            raise Closing(TEXT, "messages are text")
        try:
            return checked("".join(map(str, parts)))
        except Malformed as error:
            raise Closing(WRONG, str(error)) from None


class Visitors:
    """All who look, and what they hold together. `send` goes to the side that steps; `names` are what there is."""

    def __init__(self, names: dict[str, Any], send: Send) -> None:
        self.names, self.send = names, send
        self.all: set[Visitor] = set()
        self.run = secrets.token_hex(8)  # another one when the server was started anew
        self.kept: dict[str, str] = {}
        self.past = PastFrames()
        self.watched: list[str] = []
        self.number = 0  # of the present list of columns

    def tell(self, *words: Any) -> None:
        """A message of the stepping side, to all."""
        text = json.dumps(words)
        if words[0] in KEPT:
            self.kept[words[0]] = text
        for visitor in self.all:
            visitor.tell(text)

    def show(self, frame: bytes) -> None:
        """A new frame, to all."""
        self.past.add(frame, time.monotonic())
        for visitor in self.all:
            visitor.show(frame)

    async def meet(self, line: ServerConnection) -> None:
        """Serve one visitor until it leaves, or has to."""
        if len(self.all) >= MOST_VISITORS:
            await line.close(FULL, f"{MOST_VISITORS} visitors are here already")
            return
        visitor = Visitor(line)
        visitor.tell(json.dumps(["welcome", self.run]))
        visitor.tell(json.dumps(["watched", self.number, self.watched]))
        for text in self.kept.values():
            visitor.tell(text)
        visitor.past.extend(self.past)
        visitor.tell(json.dumps(["past", len(visitor.past)]))
        self.all.add(visitor)
        try:
            await self._serve(visitor)
        finally:
            self.all.discard(visitor)
            self._let_go(visitor)

    async def _serve(self, visitor: Visitor) -> None:
        tasks = [asyncio.ensure_future(visitor.deliver()), asyncio.ensure_future(self._listen(visitor))]
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        for task in tasks:
            task.cancel()
        for task in done:
            error = task.exception()
            if isinstance(error, Closing):
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(visitor.line.close(error.code, error.reason), LEAVING)
                visitor.line.transport.abort()  # where its buffer is full nothing else ends it
            elif error is not None and not isinstance(error, ConnectionClosed):
                with contextlib.suppress(ConnectionClosed):
                    await visitor.line.close(1011, "an error of the page")

    async def _listen(self, visitor: Visitor) -> None:
        while True:
            words = await visitor.receive()
            problem = known(words, self.names)
            if problem:
                visitor.tell(json.dumps(["note", problem]))
            else:
                self._heard(visitor, words)

    def _heard(self, visitor: Visitor, words: list[Any]) -> None:
        word, *values = words
        if word == "watch":
            visitor.watched = values[0]
            self._watch()
            return
        if word == "key":
            key, down = values
            before = any(key in each.keys for each in self.all)
            (visitor.keys.add if down else visitor.keys.discard)(key)
            if before == any(key in each.keys for each in self.all):
                return  # it was held already, or another visitor still holds it
        elif word == "lean":
            (visitor.leaning.add if values[1] else visitor.leaning.discard)(values[0])
            words = ["input", *values]
        elif word == "grab":
            visitor.bodies.add(values[0])
        elif word == "drop":
            visitor.bodies.discard(values[0])
        self.send(*words)

    def _watch(self) -> None:
        """What all of them watch together; frames say by the number which list they go by."""
        union = list(dict.fromkeys(name for visitor in self.all for name in visitor.watched))
        if union != self.watched:
            self.watched, self.number = union, self.number + 1
            self.tell("watched", self.number, self.watched)
            self.send("watch", union, self.number)

    def _let_go(self, visitor: Visitor) -> None:
        """What it held."""
        others = {key for each in self.all for key in each.keys}
        for key in visitor.keys - others:
            self.send("key", key, False)
        for name in visitor.leaning:
            self.send("input", name, 0.0)
        for body in visitor.bodies - {body for each in self.all for body in each.bodies}:
            self.send("drop", body)
        self._watch()
