"""Meeting over TCP: one side listens, the other connects; beyond this machine only with mutual TLS.

Both sides greet with an empty message first, so that a wrong port, another version or a refused certificate is told
by `connect` and `accept` and not in the middle of a run. With TLS each side shows a certificate that the authority
`ca` has signed; the connecting side also checks that it is the one of the host it asked for.
"""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
import ssl
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeAlias

from linkwork.distribute.socket_transport import SocketTransport, ready
from linkwork.distribute.tls import FilePath, leave, system_words, tls_context, tls_problem, with_tls
from linkwork.distribute.transport import (
    CLIENT_GREETING,
    HEADER,
    MAGIC,
    SERVER_GREETING,
    VERSION,
    PeerError,
    checked_timeout,
    foreign,
    read_header,
)
from linkwork.errors import OptionError

_Address: TypeAlias = tuple[socket.AddressFamily, Any]

RETRY = 0.05  # s between two attempts to reach somebody who does not listen yet
GREETING_TIME = 10.0  # s; so long at most may a stranger take to say who it is


def connect(
    address: str,
    *,
    timeout: float,
    cert: FilePath | None = None,
    key: FilePath | None = None,
    ca: FilePath | None = None,
) -> SocketTransport:
    """Connect to a listener at "host:port"; where nobody listens yet, try again until the timeout (seconds).

    Hosts other than this one (127.0.0.0/8, ::1, localhost) need `cert`, `key` and `ca`: PEM files with the own
    certificate, its private key, and the authority that has signed the certificate of the other side.

    >>> listener = listen(0, timeout=5)
    >>> meeting = threading.Thread(target=lambda: listener.accept().close())
    >>> meeting.start()
    >>> transport = connect(f"127.0.0.1:{listener.port}", timeout=5)
    >>> transport.peer == f"127.0.0.1:{listener.port}"
    True
    >>> transport.close(), meeting.join(), listener.close()
    (None, None, None)
    """
    timeout = checked_timeout(timeout)
    deadline = time.monotonic() + timeout
    host, port = split(address)
    context = tls_context(cert, key, ca, server=False)
    if context is None and not is_loopback(host):
        raise OptionError(
            f"connecting to {address!r}, another host, needs TLS; give cert=, key= and ca= (or use 127.0.0.1)"
        )
    sock = _reach(host, port, address, timeout, deadline, secured=context is not None)
    try:
        if context is not None:
            sock = with_tls(context, sock, address, timeout, deadline, host=host)
        _greet_listener(sock, address, timeout, deadline)
        return SocketTransport(sock, address, timeout)
    except OSError as error:
        sock.close()
        raise PeerError(address, f"{_CLOSED} ({system_words(error)})") from error
    except BaseException:
        sock.close()
        raise


def listen(
    port: int,
    *,
    timeout: float,
    host: str = "127.0.0.1",
    cert: FilePath | None = None,
    key: FilePath | None = None,
    ca: FilePath | None = None,
) -> Listener:
    """Listen on a port (0: a free one, see `.port`); on this machine only, unless another `host` is given with TLS.

    `timeout` (seconds) bounds `accept` and every call of the transports that come out of it. `cert`, `key` and `ca` are
    PEM files: own certificate, its private key, and the authority that has signed those of the clients.

    >>> listener = listen(0, timeout=5)
    >>> listener.port > 0
    True
    >>> listener.close()
    """
    timeout = checked_timeout(timeout)
    _check_port(port, lowest=0)
    context = tls_context(cert, key, ca, server=True)
    if context is None and not is_loopback(host):
        raise OptionError(
            f"listening on {host!r}, which others can reach, needs TLS; give cert=, key= and ca= (or host='127.0.0.1')"
        )
    return Listener(_bound(host, port, timeout, secured=context is not None), context, timeout)


class Listener:
    """What `listen` gives: `port` is where it listens, `accept()` waits for the next peer."""

    def __init__(self, sock: socket.socket, context: ssl.SSLContext | None, timeout: float) -> None:
        self._sock = sock
        self._context = context
        self.timeout = timeout
        self.host: str = sock.getsockname()[0]
        self.port: int = sock.getsockname()[1]

    @property
    def address(self) -> str:
        """Where it listens, as "host:port"."""
        return _joined(self.host, self.port)

    def wait(self, seconds: float) -> bool:
        """True as soon as somebody knocks; False after so many seconds."""
        return ready(self._open(), seconds)

    def accept(self) -> SocketTransport:
        """The next peer, greeted; PeerError when nobody comes within the timeout or the one who comes is refused.

        After a refusal the listener is as good as before. Whoever comes is given ten seconds (or the timeout, if that
        is shorter) to identify himself.
        """
        return self.greet(*self.knock())

    def knock(self) -> tuple[socket.socket, str]:
        """The socket of the next caller, of whom nothing is known yet, and its address; see `greet`."""
        sock = self._open()
        sock.settimeout(self.timeout)
        try:
            caller, where = sock.accept()
        except TimeoutError:
            raise PeerError(
                self.address,
                f"no connection within {self.timeout:g} s; start the other side, or give a longer timeout",
            ) from None
        except OSError as error:
            raise PeerError(self.address, f"cannot accept anybody ({error.strerror or error})") from error
        return caller, _joined(where[0], where[1])

    def greet(self, caller: socket.socket, peer: str) -> SocketTransport:
        """A caller that has knocked, once greeted; PeerError when it is refused. Threads may greet several at once."""
        patience = min(self.timeout, GREETING_TIME)
        deadline = time.monotonic() + patience
        try:
            caller.settimeout(patience)
            caller.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._context is not None:
                caller = with_tls(self._context, caller, peer, patience, deadline)
            _greet_caller(caller, peer, patience, deadline)
            return SocketTransport(caller, peer, self.timeout)
        except PeerError:
            leave(caller)
            raise
        except OSError as error:
            caller.close()
            raise PeerError(peer, f"{_CLOSED} ({system_words(error)})") from error
        except BaseException:
            caller.close()
            raise

    def close(self) -> None:
        """Listen no more; transports that were accepted stay. Closing twice does no harm."""
        self._sock.close()

    def _open(self) -> socket.socket:
        if self._sock.fileno() < 0:
            raise PeerError(self.address, "the listener is closed; listen again")
        return self._sock


# --- addresses -----------------------------------------------------------------------------------------


def split(address: str) -> tuple[str, int]:
    """Host and port of "host:port" or "[IPv6]:port".

    >>> split("127.0.0.1:5000"), split("[::1]:5000")
    (('127.0.0.1', 5000), ('::1', 5000))
    """
    host, colon, port = address.rpartition(":") if isinstance(address, str) else ("", "", "")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        host = ""
    if not colon or not host or not (port.isascii() and port.isdigit()):
        raise OptionError(f"address {address!r} must be 'host:port', such as '127.0.0.1:5000' or '[::1]:5000'")
    return host, _check_port(int(port), lowest=1)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine by its very name: 127.0.0.0/8, ::1 or localhost.

    >>> is_loopback("127.0.0.1"), is_loopback("0.0.0.0"), is_loopback("example.org")
    (True, False, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _joined(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _check_port(port: int, *, lowest: int) -> int:
    if isinstance(port, bool) or not isinstance(port, int) or not lowest <= port <= 65535:
        raise OptionError(f"port must be a whole number from {lowest} to 65535, not {port!r}")
    return port


def _resolved(
    host: str, port: int, seconds: float, *, secured: bool, refuse: Callable[[str], Exception]
) -> list[_Address]:
    """Addresses of a host, IPv4 first. The system's resolver knows no timeout: it is left behind when time is up."""
    answer: list[Any] = []

    def ask() -> None:
        try:
            answer.append(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError) as error:
            answer.append(error)

    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(max(seconds, 0.0))
    if not answer:
        raise refuse(f"host {host!r} was not found within {seconds:.3g} s; check its name, or give its number")
    if isinstance(answer[0], Exception):
        raise refuse(f"host {host!r} is unknown ({system_words(answer[0])}); check its name")
    found = sorted(((item[0], item[4]) for item in answer[0]), key=lambda pair: pair[0] != socket.AF_INET)
    if not secured:  # a hosts file may say anything of localhost
        found = [(family, where) for family, where in found if ipaddress.ip_address(where[0]).is_loopback]
    if not found:
        raise refuse(f"host {host!r} is not this machine here; use 127.0.0.1, or give cert=, key= and ca=")
    return found


# --- reaching and being reached ------------------------------------------------------------------------


def _reach(host: str, port: int, address: str, timeout: float, deadline: float, *, secured: bool) -> socket.socket:
    """A connected socket; refusals are taken for "not yet" until the time is up."""
    addresses = _resolved(
        host, port, deadline - time.monotonic(), secured=secured, refuse=lambda text: PeerError(address, text)
    )
    while True:
        refused = False
        for position, (family, where) in enumerate(addresses):
            sock = socket.socket(family, socket.SOCK_STREAM)
            try:
                left = deadline - time.monotonic()
                sock.settimeout(max(left / (len(addresses) - position), 1e-3))
                sock.connect(where)
                if sock.getsockname() != sock.getpeername():  # a free port may by chance be connected to itself
                    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    return sock
                refused = True
            except ConnectionRefusedError:
                refused = True
            except TimeoutError:
                problem = f"does not answer within {timeout:g} s; check the address, the network and the firewall"
            except OSError as error:
                problem = f"cannot be reached ({system_words(error)}); check the address and the network"
            except BaseException:
                sock.close()
                raise
            sock.close()
        if not refused:
            raise PeerError(address, problem)
        if time.monotonic() + RETRY >= deadline:
            raise PeerError(
                address,
                f"no server is listening there (tried for {timeout:g} s); start the component there, or check the port",
            )
        time.sleep(RETRY)


def _bound(host: str, port: int, timeout: float, *, secured: bool) -> socket.socket:
    if not host:
        raise OptionError("host must be named; '0.0.0.0' means all addresses of this machine")
    family, where = _resolved(host, port, timeout, secured=secured, refuse=OptionError)[0]
    sock = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(where)
        sock.listen(128)
    except OSError as error:
        sock.close()
        advice = {
            errno.EADDRINUSE: "another program listens there; take another port, or 0 for a free one",
            errno.EACCES: "ports below 1024 are reserved; take another port, or 0 for a free one",
            errno.EADDRNOTAVAIL: "this machine has no such address; use 127.0.0.1, or 0.0.0.0 for all",
        }.get(error.errno or 0, "take another host or port")
        raise OptionError(f"cannot listen on {_joined(host, port)} ({system_words(error)}): {advice}") from error
    return sock


# --- greetings -----------------------------------------------------------------------------------------


def _greet_listener(sock: socket.socket, peer: str, timeout: float, deadline: float) -> None:
    with suppress(OSError):  # refused already: the answer says why
        sock.sendall(HEADER.pack(MAGIC, VERSION, CLIENT_GREETING, 0))
    _check_greeting(_greeting(sock, peer, timeout, deadline), SERVER_GREETING, peer)


def _greet_caller(sock: socket.socket, peer: str, timeout: float, deadline: float) -> None:
    greeting = _greeting(sock, peer, timeout, deadline)
    with suppress(OSError):  # also to one of another version, who shall learn of ours
        sock.sendall(HEADER.pack(MAGIC, VERSION, SERVER_GREETING, 0))
    _check_greeting(greeting, CLIENT_GREETING, peer)


def _greeting(sock: socket.socket, peer: str, timeout: float, deadline: float) -> bytes:
    start = b""
    try:
        while len(start) < HEADER.size:
            sock.settimeout(max(deadline - time.monotonic(), 1e-3))
            more = sock.recv(HEADER.size - len(start))
            if not more:
                break
            start += more
    except TimeoutError:
        raise PeerError(
            peer,
            f"did not greet within {timeout:g} s; it may serve somebody else, or not be linkwork: check the port",
        ) from None
    except ssl.SSLError as error:
        raise PeerError(peer, tls_problem(error)) from error
    except OSError as error:
        raise PeerError(peer, f"{_CLOSED} ({system_words(error)})") from error
    if len(start) < HEADER.size:
        raise PeerError(peer, foreign(start) if start else _CLOSED)
    return start


_CLOSED = "has closed the connection instead of greeting; check the port, and that both sides use TLS or neither does"


def _check_greeting(greeting: bytes, expected: int, peer: str) -> None:
    kind, _ = read_header(greeting, peer)
    if kind != expected:
        raise PeerError(peer, "does not greet as it should: both sides connect, or both listen; check the port")
