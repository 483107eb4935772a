"""Transports over connected stream sockets: TCP, TLS, or a pair inside one machine."""

from __future__ import annotations

import selectors
import socket
import ssl
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from linkwork.distribute.transport import (
    FAILURE,
    FLOATS,
    HEADER,
    LONGEST_TIMEOUT,
    MAGIC,
    NOTHING,
    SPIN,
    TEXT,
    TEXT_LIMIT,
    VERSION,
    Floats,
    PeerError,
    TransportEnd,
    byte_view,
    checked_timeout,
    encoded_text,
    let_others_run,
    read_header,
)

_RECORD = 1 << 14  # bytes; what TLS puts into one record


class SocketTransport(TransportEnd):
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
        view = byte_view(values, writeable=False)
        self._send(FLOATS, values.size, view)

    def send_text(self, text: str) -> None:
        """Send a text of at most 1 MiB (UTF-8)."""
        data = encoded_text(text)
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
        view = byte_view(values, writeable=True)
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
        kind, count, _, deadline = self._begin(NOTHING)
        if kind == FAILURE:
            raise self._failure(self._rest_of_text(count, NOTHING, deadline))
        if kind != TEXT:
            raise self._unexpected(kind, TEXT)
        return self._decoded(self._rest_of_text(count, NOTHING, deadline))

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
                let_others_run()
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
