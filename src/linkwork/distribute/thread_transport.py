"""A transport between two threads of this process: messages are handed over without a system call."""

from __future__ import annotations

import queue
import time
from typing import Any

from linkwork.distribute.transport import (
    FAILURE,
    FLOATS,
    TEXT,
    Floats,
    TransportEnd,
    byte_view,
    checked_timeout,
    encoded_text,
)

GONE = 0  # kind of the last message


class ThreadTransport(TransportEnd):
    """One end of two queues: what `thread_pair` gives."""

    def __init__(self, inbox: Any, outbox: Any, peer: str, timeout: float) -> None:
        self.peer, self.timeout = peer, timeout
        self._inbox, self._outbox = inbox, outbox
        self._next: tuple[int, Any] | None = None  # a message that was waited for and not yet received
        self.heard = time.monotonic()

    def _drop(self) -> None:
        self._outbox.put((GONE, None))

    def send(self, values: Floats) -> None:
        """Send a contiguous float64 array of any shape."""
        byte_view(values, writeable=False)
        self._open()
        self._outbox.put((FLOATS, values.copy()))

    def send_text(self, text: str) -> None:
        """Send a text of at most 1 MiB (UTF-8)."""
        encoded_text(text)
        self._open()
        self._outbox.put((TEXT, text))

    def send_failure(self, text: str) -> None:
        """Tell why this side cannot go on."""
        self._open()
        self._outbox.put((FAILURE, text))

    def wait(self, seconds: float) -> bool:
        """True as soon as something has come from the peer; False after so many seconds."""
        self._open()
        if self._next is None:
            try:
                self._next = self._inbox.get(timeout=max(seconds, 0.0)) if seconds > 0.0 else self._inbox.get_nowait()
            except queue.Empty:
                return False
        return True

    def receive(self, values: Floats) -> None:
        """Fill a contiguous float64 array with exactly as many numbers."""
        byte_view(values, writeable=True)
        found = self._received(FLOATS)
        self._check_count(found.size, values.size)
        values[...] = found.reshape(values.shape)

    def receive_text(self) -> str:
        """Receive a text."""
        return str(self._received(TEXT))

    def _received(self, expected: int) -> Any:
        if not self.wait(self._timeout):
            raise self._slow("did not answer")
        assert self._next is not None
        (kind, content), self._next = self._next, None
        self.heard = time.monotonic()
        if kind == GONE:
            raise self._gone()
        if kind == FAILURE:
            raise self._failure(bytearray(content, "utf-8"))
        if kind != expected:
            raise self._unexpected(kind, expected)
        return content


def thread_pair(timeout: float, *, names: tuple[str, str]) -> tuple[ThreadTransport, ThreadTransport]:
    """Two connected transports for two threads; `names` say what each end is called in the errors of the other.

    >>> whole, part = thread_pair(timeout=5, names=("whole", "part"))
    >>> whole.send_text("ready?")
    >>> part.receive_text()
    'ready?'
    >>> whole.close(), part.close()
    (None, None)
    """
    timeout = checked_timeout(timeout)
    first: Any = queue.SimpleQueue()
    second: Any = queue.SimpleQueue()
    return ThreadTransport(first, second, names[1], timeout), ThreadTransport(second, first, names[0], timeout)
