"""Which requests the page answers: not those of other sites, which a browser lets reach ports of its own machine.

A browser sends with each request the name it asked for (Host) and, for sockets, the site of the page that asks
(Origin). A foreign page has another Origin; one whose name was made to point to this machine has another Host.
"""

from __future__ import annotations

import contextlib
import hmac
import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

HERE = ("127.0.0.1", "localhost", "::1")
KEY = "X-Linkwork-Proxy"  # by which the proxy makes itself known to the page behind it
NOTHING = "there is nothing here: open the address that linkwork printed\n"
REFUSED = "this page is not for other sites: open the address that linkwork printed\n"


def own(host: str | None, origin: str | None) -> bool:
    """Whether a request comes from the page itself, or from a program that is no browser.

    >>> own("localhost:8080", "http://localhost:8080"), own("localhost:8080", None)
    (True, True)
    >>> own("localhost:8080", "http://localhost:8888"), own("localhost:8080", "null"), own(None, None)
    (False, False, False)
    >>> own("localhost:8080", "http://[")
    False
    """
    if host is None or origin is None:
        return host is not None
    try:
        return urlsplit(origin).netloc.lower() == host.strip().lower()
    except ValueError:  # no address at all
        return False


def named(host: str | None) -> bool:
    """Whether the host of a request, with or without its port, is a name of this machine for itself.

    >>> named("127.0.0.1:8080"), named("[::1]:8080"), named("evil.example:8080")
    (True, True, False)
    """
    try:
        return urlsplit(f"//{(host or '').strip()}").hostname in HERE
    except ValueError:
        return False


def here(headers: Mapping[str, str]) -> bool:
    """Whether this is a request of our own page, asked for by a name of this machine."""
    return named(headers.get("Host")) and own(headers.get("Host"), headers.get("Origin"))


def through_proxy(key: str) -> Callable[[Mapping[str, str]], bool]:
    """A rule: only requests through the proxy, which alone knows the key."""
    return lambda headers: hmac.compare_digest(headers.get(KEY, "").encode(), key.encode())


@contextlib.contextmanager
def checking_requests(welcome: Callable[[Mapping[str, str]], bool]) -> Iterator[None]:
    """Servers of websockets that are opened here refuse requests whose headers are not welcome.

    viser has no such option, so its way to `websockets` is led through here while it opens; that it went is checked.
    """
    server: Any = importlib.import_module("websockets.asyncio.server")
    opened, plain = [], server.serve

    def serve(handler: Any, *place: Any, process_request: Any = None, **options: Any) -> Any:
        def asked(connection: Any, request: Any) -> Any:
            try:
                known = welcome(request.headers)
            except LookupError:  # a header that is there twice
                known = False
            if not known:
                return connection.respond(403, REFUSED)
            try:
                return None if process_request is None else process_request(connection, request)
            except (OSError, ValueError):  # an address that cannot be the name of a file
                return connection.respond(404, NOTHING)

        opened.append(place)
        return plain(handler, *place, process_request=asked, **options)

    server.serve = serve
    try:
        yield
    finally:
        server.serve = plain
    if not opened:
        raise RuntimeError("this viser opens its page in a way that cannot be guarded; install viser 1.1")
