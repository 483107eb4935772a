"""Transports: how the two ends of a sealed component exchange numbers and short texts.

A message is a header of 16 bytes (magic, version of the protocol, kind, count) and its payload. Numbers travel as
little-endian float64 straight out of the sender's array and straight into the receiver's: nothing is unpickled, and no
peer can make this side allocate more than one text of 1 MiB. Over MPI the tag carries the header.

A transport serves one thread at a time, and questions alternate with answers. Every call returns or raises within the
timeout. After a failure both ends are out of step, so that the connection is closed and stays closed. Here is what
`socket_transport` and `mpi_transport` share.
"""

from __future__ import annotations

import math
import os
import struct
import time
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import OptionError

Floats: TypeAlias = NDArray[np.float64]

MAGIC = b"LWRK"
VERSION = 1
HEADER = struct.Struct("<4sHHQ")  # magic, version, kind, count (numbers, or bytes of a text)
FLOATS, TEXT, FAILURE, FAREWELL, CLIENT_GREETING, SERVER_GREETING = 1, 2, 3, 4, 5, 6
KIND_NAMES = {FLOATS: "numbers", TEXT: "text", FAILURE: "a failure", FAREWELL: "a farewell"}
TEXT_LIMIT = 1 << 20  # bytes
SPIN = 1e-4 if (os.cpu_count() or 1) > 1 else 0.0  # s; who answers sooner is awaited awake
LONGEST_TIMEOUT = 1e6  # s; the system's own timers end a little above

FLOAT64 = np.dtype("<f8")
NOTHING = memoryview(bytearray())


class PeerError(Exception):
    """The other side of a connection is missing, does not answer, has another version, or is not the expected one.

    `peer` is its name or address; the message says what happened and what to do.

    >>> error = PeerError("127.0.0.1:5000", "no server is listening there; start the component first")
    >>> error.peer
    '127.0.0.1:5000'
    >>> print(error)
    127.0.0.1:5000: no server is listening there; start the component first
    """

    def __init__(self, peer: str, message: str) -> None:
        message = one_line(message)  # it may hold words of the peer
        super().__init__(peer, message)
        self.peer = peer
        self.message = message

    def __str__(self) -> str:
        return f"{self.peer}: {self.message}"


class Transport(Protocol):
    """One end of a connection: `peer` names the other end, `timeout` (s, may be changed) bounds every call.

    >>> from linkwork.distribute.socket_transport import pair
    >>> whole, part = pair(timeout=5)
    >>> whole.send(np.array([1.0, 2.0]))
    >>> values = np.empty(2)
    >>> part.receive(values)
    >>> values.tolist()
    [1.0, 2.0]
    >>> whole.close(), part.close()
    (None, None)
    """

    peer: str
    timeout: float

    def send(self, values: Floats) -> None:
        """Send a contiguous float64 array of any shape."""

    def receive(self, values: Floats) -> None:
        """Fill a contiguous float64 array with exactly as many numbers; after an error it holds nothing of meaning."""

    def send_text(self, text: str) -> None:
        """Send a text of at most 1 MiB (UTF-8)."""

    def receive_text(self) -> str:
        """Receive a text of at most 1 MiB."""

    def send_failure(self, text: str) -> None:
        """Tell why this side cannot go on: whatever the other side receives next raises PeerError with this text."""

    def wait(self, seconds: float) -> bool:
        """True as soon as something (a message, or the end) has come from the peer; False after so many seconds."""

    def close(self) -> None:
        """End the connection; the other side notices. Closing twice does no harm."""


def checked_timeout(timeout: float, name: str = "timeout") -> float:
    """A timeout in seconds, positive and finite."""
    if not isinstance(timeout, int | float | np.number) or isinstance(timeout, bool):
        raise OptionError(f"{name} must be a number of seconds, not {timeout!r}")
    seconds = float(timeout)
    if not math.isfinite(seconds) or not 0 < seconds <= LONGEST_TIMEOUT:
        raise OptionError(f"{name} must be above 0 s and at most {LONGEST_TIMEOUT:g} s, not {timeout!r}")
    return seconds


def read_header(header: bytes | bytearray, peer: str) -> tuple[int, int]:
    """Kind and count of a message that has the right magic and version."""
    magic, version, kind, count = HEADER.unpack_from(header)
    if magic != MAGIC:
        raise PeerError(peer, foreign(bytes(header)))
    if version != VERSION:
        raise PeerError(
            peer,
            f"speaks version {version} of the protocol and this side version {VERSION}; "
            "install the same version of linkwork on both sides",
        )
    return kind, count


def foreign(start: bytes) -> str:
    """What to say about a message that does not begin as ours do."""
    if start[:2] == b"\x16\x03":
        return "speaks TLS and this side does not; give cert=, key= and ca= on both sides or on neither"
    if start[:2] == b"\x15\x03":
        return "wants TLS; give cert=, key= and ca=, or check the port"
    return f"does not speak linkwork's protocol (it sent {start!r}); check the port"


def byte_view(values: Floats, *, writeable: bool) -> memoryview:
    """The bytes of a contiguous array of little-endian float64."""
    if not isinstance(values, np.ndarray) or values.dtype != FLOAT64 or not values.flags.c_contiguous:
        raise TypeError("a transport takes C-contiguous arrays of (little-endian) float64 only")
    if writeable and not values.flags.writeable:
        raise TypeError("a transport cannot receive into a read-only array")
    return values.data.cast("B") if values.size else NOTHING


def encoded_text(text: str) -> bytes:
    """The bytes of a text that is not too long to be sent."""
    data = text.encode("utf-8")
    if len(data) > TEXT_LIMIT:
        raise OptionError(f"a text for another process may have {TEXT_LIMIT} bytes at most, not {len(data)}")
    return data


def one_line(text: str, limit: int = 2000) -> str:
    """What a peer said, fit for a terminal: one line without control characters.

    >>> one_line("red \\x1b[31malert\\n")
    'red [31malert'
    """
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


class TransportEnd:
    """What all transports share: the refusals, and that a failure ends the connection."""

    peer: str
    _timeout: float
    _ended: str = ""  # why; empty while open

    @property
    def timeout(self) -> float:
        """Longest time in seconds that any call may take."""
        return self._timeout

    @timeout.setter
    def timeout(self, timeout: float) -> None:
        self._timeout = checked_timeout(timeout)

    def _drop(self) -> None:
        """Let go of the connection, so that the other side notices."""
        raise NotImplementedError

    def close(self) -> None:
        if not self._ended:
            self._ended = "the connection was closed on this side"
            self._drop()

    def _open(self) -> None:
        if self._ended:
            raise PeerError(self.peer, f"{self._ended}; connect again")

    def _give_up(self, message: str) -> PeerError:
        """Close, and the error to raise."""
        if not self._ended:
            self._ended = "the connection was given up after an earlier failure"
            self._drop()
        return PeerError(self.peer, message)

    def _slow(self, doing: str) -> PeerError:
        return self._give_up(
            f"{doing} within {self._timeout:g} s; it may hang, be busy or be gone: look there, or give a longer timeout"
        )

    def _gone(self, error: OSError | None = None, *, within: bool = False) -> PeerError:
        where = " in the middle of a message" if within else ""
        cause = f" ({error.strerror or error})" if error is not None else ""
        return self._give_up(f"has closed the connection{where}{cause}; its own output may say why")

    def _unexpected(self, kind: int, expected: int) -> PeerError:
        name = KIND_NAMES.get(kind, f"a message of unknown kind {kind}")
        return self._give_up(
            f"the other side sends {name} where {KIND_NAMES[expected]} should come; "
            "both sides must run the same version of linkwork"
        )

    def _check_count(self, count: int, expected: int) -> None:
        if count != expected:
            raise self._give_up(
                f"the other side sends {count} numbers where {expected} were expected; "
                "both sides must run the same version of the component"
            )

    def _check_length(self, length: int) -> None:
        if length > TEXT_LIMIT:
            raise self._give_up(
                f"the other side sends a text of {length} bytes where {TEXT_LIMIT} are the most; "
                "both sides must run the same version of linkwork"
            )

    def _failure(self, data: bytearray) -> PeerError:
        return self._give_up(f"the other side cannot go on: {data.decode('utf-8', 'replace')}")

    def _decoded(self, data: bytearray) -> str:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            raise self._give_up("the other side sends a text that is not UTF-8; check what runs there") from None


def let_others_run() -> None:
    """Give other threads and processes a turn."""
    if hasattr(os, "sched_yield"):
        os.sched_yield()
    else:
        time.sleep(0)
