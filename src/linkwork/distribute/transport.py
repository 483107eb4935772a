"""Transports: how the two ends of a sealed component exchange numbers and short texts.

A message is a header of 16 bytes (magic, version of the protocol, kind, count) and its payload. Numbers travel as
little-endian float64 straight out of the sender's array and straight into the receiver's: nothing is unpickled, and no
peer can make this side allocate more than one text of 1 MiB. Over MPI the tag carries the header.

A transport serves one thread at a time, and questions alternate with answers. Every call returns or raises within the
timeout. After a failure both ends are out of step, so that the connection is closed and stays closed.
"""

from __future__ import annotations

import math
import os
import selectors
import socket
import ssl
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol, TypeAlias

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

_FLOAT64 = np.dtype("<f8")
_NOTHING = memoryview(bytearray())
_RECORD = 1 << 14  # bytes; what TLS puts into one record


class PeerError(Exception):
    """The other side of a connection is missing, slow, of another version, or not who it should be.

    `peer` is its name or address; the message says what happened and what to do.

    >>> error = PeerError("127.0.0.1:5000", "nobody listens there; start the component first")
    >>> error.peer
    '127.0.0.1:5000'
    >>> print(error)
    127.0.0.1:5000: nobody listens there; start the component first
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


def _view(values: Floats, *, writeable: bool) -> memoryview:
    """The bytes of a contiguous array of little-endian float64."""
    if not isinstance(values, np.ndarray) or values.dtype != _FLOAT64 or not values.flags.c_contiguous:
        raise TypeError("a transport takes C-contiguous arrays of (little-endian) float64 only")
    if writeable and not values.flags.writeable:
        raise TypeError("a transport cannot receive into a read-only array")
    return values.data.cast("B") if values.size else _NOTHING


def _encoded(text: str) -> bytes:
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


class _End:
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


class SocketTransport(_End):
    """A transport over a connected stream socket: TCP, TLS (an `ssl.SSLSocket`), or one of a `socketpair`.

    It owns the socket from now on. A transport without TLS may be handed to a process that `multiprocessing` spawns;
    the sender then closes its own copy.
    """

    def __init__(self, sock: socket.socket, peer: str, timeout: float) -> None:
        self.peer = peer
        self.timeout = timeout
        self._sock = sock
        sock.setblocking(False)
        if sock.family in (socket.AF_INET, socket.AF_INET6):
            _watch(sock, self._timeout)
        self.heard = time.monotonic()  # when the last message came
        self._header = bytearray(HEADER.size)
        # TLS and some systems cannot gather header and payload: what is short is put together here instead.
        self._gathers = hasattr(sock, "sendmsg") and not isinstance(sock, ssl.SSLSocket)
        self._frame = bytearray(0 if self._gathers else _RECORD)

    def __reduce__(self) -> tuple[Any, ...]:
        return SocketTransport, (self._sock, self.peer, self._timeout)

    def _drop(self) -> None:
        self._sock.close()

    def interrupt(self) -> None:
        """End the connection from another thread: the call that is under way fails as if the peer had gone."""
        with suppress(OSError):
            socket.socket.shutdown(self._sock, socket.SHUT_RDWR)

    def wait(self, seconds: float) -> bool:
        """True as soon as something (a message, or the end) has come from the peer; False after so many seconds."""
        self._open()
        if isinstance(self._sock, ssl.SSLSocket) and self._sock.pending():
            return True
        return ready(self._sock, seconds)

    # --- sending ---------------------------------------------------------------------------------------

    def send(self, values: Floats) -> None:
        """Send a contiguous float64 array of any shape."""
        view = _view(values, writeable=False)
        self._send(FLOATS, values.size, view)

    def send_text(self, text: str) -> None:
        """Send a text of at most 1 MiB (UTF-8)."""
        data = _encoded(text)
        self._send(TEXT, len(data), memoryview(data))

    def send_failure(self, text: str) -> None:
        """Tell why this side cannot go on: whatever the other side receives next raises PeerError with this text."""
        data = text.encode("utf-8", "replace")[:TEXT_LIMIT]
        self._send(FAILURE, len(data), memoryview(data))

    def _send(self, kind: int, count: int, payload: memoryview) -> None:
        self._open()
        deadline = time.monotonic() + self._timeout
        HEADER.pack_into(self._header, 0, MAGIC, VERSION, kind, count)
        end = HEADER.size + len(payload)
        try:
            if self._gathers:
                sent = self._now_or_later(self._sock.sendmsg, (self._header, payload), True, deadline)
                if sent < end:
                    self._send_rest(memoryview(self._header)[sent:], deadline)
                    self._send_rest(payload[max(sent - HEADER.size, 0) :], deadline)
            elif end <= _RECORD:
                self._frame[: HEADER.size] = self._header
                self._frame[HEADER.size : end] = payload
                self._send_rest(memoryview(self._frame)[:end], deadline)
            else:
                self._send_rest(memoryview(self._header), deadline)
                self._send_rest(payload, deadline)
        except TimeoutError:
            raise self._slow("did not take a message") from None
        except OSError as error:
            raise self._gone(error) from error
        except BaseException:
            self._give_up("")
            raise

    def _send_rest(self, view: memoryview, deadline: float) -> None:
        while len(view):
            view = view[self._now_or_later(self._sock.send, view, True, deadline) :]

    # --- receiving -------------------------------------------------------------------------------------

    def receive(self, values: Floats) -> None:
        """Fill a contiguous float64 array with exactly as many numbers; after an error it holds nothing of meaning."""
        view = _view(values, writeable=True)
        kind, count, got, deadline = self._begin(view)
        if kind == FAILURE:
            raise self._failure(self._rest_of_text(count, view[:got], deadline))
        if kind != FLOATS:
            raise self._unexpected(kind, FLOATS)
        self._check_count(count, values.size)
        if got < len(view):
            self._receive_rest(view[got:], deadline)

    def receive_text(self) -> str:
        """Receive a text of at most 1 MiB."""
        kind, count, _, deadline = self._begin(_NOTHING)
        if kind == FAILURE:
            raise self._failure(self._rest_of_text(count, _NOTHING, deadline))
        if kind != TEXT:
            raise self._unexpected(kind, TEXT)
        return self._decoded(self._rest_of_text(count, _NOTHING, deadline))

    def _rest_of_text(self, count: int, start: memoryview, deadline: float) -> bytearray:
        self._check_length(count)
        data = bytearray(count)
        had = min(len(start), count)
        data[:had] = start[:had]
        self._receive_rest(memoryview(data)[had:], deadline)
        return data

    def _begin(self, payload: memoryview) -> tuple[int, int, int, float]:
        """Kind and count of the next message, bytes of its payload already in place, and the deadline."""
        self._open()
        deadline = time.monotonic() + self._timeout
        header = memoryview(self._header)
        try:
            if self._gathers:
                got = self._now_or_later(self._gather, (header, payload), False, deadline)
            else:
                got = self._now_or_later(self._sock.recv_into, header, False, deadline)
        except TimeoutError:
            raise self._slow("did not answer") from None
        except OSError as error:
            raise self._gone(error) from error
        except BaseException:
            self._give_up("")
            raise
        if got == 0:
            raise self._gone()
        if got < HEADER.size:
            self._receive_rest(header[got:], deadline)
        try:
            kind, count = read_header(self._header, self.peer)
        except PeerError as error:
            raise self._give_up(error.message) from None
        self.heard = time.monotonic()
        return kind, count, max(got - HEADER.size, 0), deadline

    def _receive_rest(self, view: memoryview, deadline: float) -> None:
        try:
            while len(view):
                got = self._now_or_later(self._sock.recv_into, view, False, deadline)
                if got == 0:
                    raise self._gone(within=True)
                view = view[got:]
        except TimeoutError:
            raise self._slow("stopped in the middle of a message and did not go on") from None
        except OSError as error:
            raise self._gone(error, within=True) from error
        except BaseException:
            self._give_up("")
            raise

    def _gather(self, buffers: tuple[memoryview, memoryview]) -> int:
        return self._sock.recvmsg_into(buffers)[0]

    def _now_or_later(self, transfer: Callable[[Any], int], what: Any, writing: bool, deadline: float) -> int:
        """Bytes moved, as soon as some can be. Who answers at once is not slept over: waking up would take longer."""
        spinning = 0.0
        while True:
            try:
                return transfer(what)
            except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError) as error:
                if isinstance(error, ssl.SSLError):
                    writing = isinstance(error, ssl.SSLWantWriteError)
            now = time.monotonic()
            spinning = spinning or now + SPIN
            if now < spinning:
                _let_others_run()
            elif now >= deadline or not ready(self._sock, deadline - now, writing=writing):
                raise TimeoutError


def ready(sock: socket.socket, seconds: float, *, writing: bool = False) -> bool:
    """Whether a socket can be read (or written, or has ended) within so many seconds."""
    with _Selector() as selector:
        selector.register(sock, selectors.EVENT_WRITE if writing else selectors.EVENT_READ)
        return bool(selector.select(min(max(seconds, 0.0), LONGEST_TIMEOUT)))


# Unlike the others, these two need no descriptor of their own.
_Selector: Any = getattr(selectors, "PollSelector", selectors.SelectSelector)


def _watch(sock: socket.socket, timeout: float) -> None:
    """Send at once, and notice within half a minute that the other host is gone, however long the timeout."""
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    settings = {
        "TCP_KEEPIDLE": 10,  # s of silence before the first probe
        "TCP_KEEPALIVE": 10,  # the same, by its name elsewhere
        "TCP_KEEPINTVL": 5,
        "TCP_KEEPCNT": 3,
        "TCP_USER_TIMEOUT": int(1000 * max(timeout, 25.0)),  # ms that something sent may stay unconfirmed
    }
    for name, value in settings.items():
        option = getattr(socket, name, None)
        if option is not None:
            sock.setsockopt(socket.IPPROTO_TCP, option, value)


def pair(timeout: float, *, names: tuple[str, str] = ("whole", "part")) -> tuple[SocketTransport, SocketTransport]:
    """Two connected transports inside this process, for threads or for a process that is spawned.

    `timeout` in seconds; `names` say what each end is called in the errors of the other.

    >>> whole, part = pair(timeout=5)
    >>> whole.send_text("ready?")
    >>> part.receive_text()
    'ready?'
    >>> whole.close(), part.close()
    (None, None)
    """
    timeout = checked_timeout(timeout)
    first, second = socket.socketpair()
    return SocketTransport(first, names[1], timeout), SocketTransport(second, names[0], timeout)


# --- MPI -----------------------------------------------------------------------------------------------


def mpi() -> Any:
    """The module mpi4py.MPI, imported only when asked for."""
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError, OSError) as error:  # a missing MPI library comes as RuntimeError
        raise OptionError(
            f'MPI cannot be used here ({one_line(str(error), 200)}); pip install "linkwork[mpi]"'
        ) from error
    return MPI


_TAG = 1 << 14  # tags up to 32767 are good everywhere
_KINDS = 16
_meetings: dict[tuple[int, int], int] = {}  # communicator, rank -> connections so far
_unfinished: list[Any] = []  # requests and buffers given up, which MPI may still touch


def _tag(kind: int) -> int:
    return _TAG + _KINDS * VERSION + kind


class MpiTransport(_End):
    """A transport to another rank of an MPI communicator (`None`: all ranks that `mpiexec` has started).

    There may be one transport between two ranks of a communicator at a time, and nothing else may be sent between
    them; duplicate the communicator where that does not hold. An MPI process that gives up ends with `comm.Abort(1)`:
    leaving in order would wait for the others.
    """

    def __init__(self, comm: Any, rank: int, timeout: float) -> None:
        self._mpi = mpi()
        self._comm = self._mpi.COMM_WORLD if comm is None else comm
        self.peer = f"rank {rank}"
        self.timeout = timeout
        size, own = self._comm.Get_size(), self._comm.Get_rank()
        if not 0 <= rank < size or rank == own:
            raise OptionError(
                f"rank {rank} cannot be the peer of rank {own}: ranks run from 0 to {size - 1} and differ; "
                "start enough of them with mpiexec -n"
            )
        self._rank = int(rank)
        self._status = self._mpi.Status()
        both = self._comm.py2f(), self._rank
        self._meeting = _meetings[both] = _meetings.get(both, 0) + 1
        self._heard = False  # anything of this connection yet
        self._left = False  # the peer has said farewell, or cannot hear ours

    def _drop(self) -> None:
        if not self._left:
            data = struct.pack("<Q", self._meeting)
            with suppress(self._mpi.Exception):  # nobody may be left to hear it
                request = self._comm.Isend([data, len(data), self._mpi.BYTE], self._rank, _tag(FAREWELL))
                _unfinished.append((request, data))

    def send(self, values: Floats) -> None:
        """Send a contiguous float64 array of any shape."""
        _view(values, writeable=False)
        self._send(FLOATS, [values, values.size, self._mpi.DOUBLE])

    def send_text(self, text: str) -> None:
        """Send a text of at most 1 MiB (UTF-8)."""
        data = _encoded(text)
        self._send(TEXT, [data, len(data), self._mpi.BYTE])

    def send_failure(self, text: str) -> None:
        """Tell why this side cannot go on: whatever the other side receives next raises PeerError with this text."""
        data = text.encode("utf-8", "replace")[:TEXT_LIMIT]
        self._send(FAILURE, [data, len(data), self._mpi.BYTE])

    def receive(self, values: Floats) -> None:
        """Fill a contiguous float64 array with exactly as many numbers; after an error it holds nothing of meaning."""
        _view(values, writeable=True)
        kind, tag, deadline = self._begin()
        if kind != FLOATS:
            raise self._unexpected(kind, FLOATS)
        self._check_count(self._status.Get_count(self._mpi.BYTE) // _FLOAT64.itemsize, values.size)
        self._finish(self._comm.Irecv, [values, values.size, self._mpi.DOUBLE], tag, deadline)

    def receive_text(self) -> str:
        """Receive a text of at most 1 MiB."""
        kind, tag, deadline = self._begin()
        if kind != TEXT:
            raise self._unexpected(kind, TEXT)
        return self._decoded(self._text(tag, deadline))

    def _text(self, tag: int, deadline: float) -> bytearray:
        count = self._status.Get_count(self._mpi.BYTE)
        self._check_length(count)
        data = bytearray(count)
        self._finish(self._comm.Irecv, [data, count, self._mpi.BYTE], tag, deadline)
        return data

    def wait(self, seconds: float) -> bool:
        """True as soon as something (a message, or the end) has come from the peer; False after so many seconds."""
        self._open()
        try:
            return self._until(self._arrived, time.monotonic() + seconds)
        except self._mpi.Exception as error:
            raise self._broken(error) from error

    def _send(self, kind: int, message: list[Any]) -> None:
        self._open()
        self._finish(self._comm.Isend, message, _tag(kind), time.monotonic() + self._timeout)

    def _arrived(self) -> bool:
        """A message is there, or the peer has left; the farewell of an earlier connection of the two is neither."""
        while not self._left and self._comm.Iprobe(self._rank, self._mpi.ANY_TAG, self._status):
            if self._status.Get_tag() != _tag(FAREWELL):
                return True
            data = bytearray(8)
            self._comm.Recv([data, len(data), self._mpi.BYTE], self._rank, _tag(FAREWELL))
            self._left = self._heard or struct.unpack("<Q", data)[0] == self._meeting
        return self._left

    def _begin(self) -> tuple[int, int, float]:
        """Kind and tag of the next message (its size is in the status), and the deadline."""
        self._open()
        deadline = time.monotonic() + self._timeout
        try:
            there = self._until(self._arrived, deadline)
        except self._mpi.Exception as error:
            raise self._broken(error) from error
        except BaseException:
            self._give_up("")
            raise
        if not there:
            raise self._slow("did not answer")
        if self._left:
            raise self._gone()
        self._heard = True
        tag: int = self._status.Get_tag()
        version, kind = divmod(tag - _TAG, _KINDS)
        if version != VERSION:
            raise self._give_up(
                f"sends messages with tag {tag}, which are not of version {VERSION} of the protocol; install the same "
                "version of linkwork on all ranks, and leave the communicator to it"
            )
        if kind == FAILURE:
            raise self._failure(self._text(tag, deadline))
        return kind, tag, deadline

    def _finish(self, start: Callable[[Any, int, int], Any], message: list[Any], tag: int, deadline: float) -> None:
        """Start a transfer and see it through; a buffer that MPI still holds when time is up is kept."""
        request = None
        try:
            request = start(message, self._rank, tag)
            done = self._until(request.Test, deadline)
        except self._mpi.Exception as error:
            raise self._broken(error) from error
        except BaseException:
            _unfinished.append((request, message))
            self._give_up("")
            raise
        if not done:
            _unfinished.append((request, message))
            raise self._slow("did not see a message through")

    def _broken(self, error: Exception) -> PeerError:
        self._left = True
        return self._give_up(f"MPI reports: {one_line(str(error), 200)}; the rank may have ended")

    def _until(self, done: Callable[[], bool], deadline: float) -> bool:
        """Ask again and again: without a pause for a millisecond, then with pauses of a tenth of the time spent."""
        start = 0.0
        while not done():
            now = time.monotonic()
            start = start or now
            if now >= deadline:
                return False
            if now - start < 10 * SPIN:
                _let_others_run()
            else:
                time.sleep(min((now - start) / 10, 1e-3, deadline - now))
        return True


def _let_others_run() -> None:
    if hasattr(os, "sched_yield"):
        os.sched_yield()
    else:
        time.sleep(0)
