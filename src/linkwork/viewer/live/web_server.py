"""The server of the page: a few documents, and a socket for visitors, behind the gate."""

from __future__ import annotations

import gzip
import logging
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any, NamedTuple

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from linkwork.viewer.live.gate import Answer, Asked, Gate, context_of

SOCKET = "/live"
LARGEST = 16_384  # bytes of a message from a page
PATIENCE = 10.0  # s for a request
ALIVE = 5.0  # s between two questions whether a visitor is still there, and for its answer
TRIES = 20  # ports after the one that was asked for
STRANGERS = 64  # connections without a request yet; beyond that the oldest is closed
NOTHING = "there is nothing here: open the address that linkwork printed\n"
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' blob:; style-src 'unsafe-inline'; img-src data: blob: 'self'; "
    "connect-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
COMMON = (
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
    ("Connection", "close"),
)


class ServedFile(NamedTuple):
    """What is served at a path."""

    kind: str  # its media type
    content: bytes


Meet = Callable[[ServerConnection], Awaitable[None]]


class Line(ServerConnection):
    """A connection that counts as a stranger until it has asked for something."""

    strangers: dict[Line, None]  # of the server, oldest first

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.strangers) >= STRANGERS:
            oldest = next(iter(self.strangers))
            del self.strangers[oldest]
            oldest.transport.abort()
        self.strangers[self] = None

    def connection_lost(self, exc: Exception | None) -> None:
        self.strangers.pop(self, None)
        super().connection_lost(exc)


class WebServer:
    """Serves documents by their paths, and `meet` gets every socket; `tls` are a certificate and its key (PEM)."""

    def __init__(
        self, documents: dict[str, ServedFile], meet: Meet, gate: Gate, tls: tuple[str, str] | None = None
    ) -> None:
        self.documents, self.meet, self.gate = documents, meet, gate
        self.context = None if tls is None else context_of(*tls)
        self.packed = {path: gzip.compress(made.content, 6) for path, made in documents.items()}
        self.strangers: dict[Line, None] = {}
        logging.getLogger("websockets").setLevel(logging.CRITICAL)  # nothing of it is for the owner's terminal

    async def open(self, host: str, port: int) -> tuple[Server, int]:
        """Listen; the next free port where this one is taken."""
        made = type("KnownLine", (Line,), {"strangers": self.strangers})
        limits: dict[str, Any] = (
            {} if self.context is None else {"ssl": self.context, "ssl_handshake_timeout": PATIENCE}
        )
        for tried in range(TRIES):
            try:
                server = await serve(
                    self.meet,
                    host,
                    port and port + tried,
                    create_connection=made,
                    process_request=self._asked,
                    compression=None,
                    open_timeout=PATIENCE,
                    ping_interval=ALIVE,
                    ping_timeout=ALIVE,
                    close_timeout=1.0,
                    max_size=LARGEST,
                    max_queue=16,
                    server_header=None,
                    **limits,
                )
            except OSError:
                if port == 0 or tried == TRIES - 1:
                    raise
                continue
            return server, int(server.sockets[0].getsockname()[1])
        raise AssertionError

    def _asked(self, connection: ServerConnection, request: Request) -> Response | None:
        assert isinstance(connection, Line)
        self.strangers.pop(connection, None)
        headers = request.headers
        address = str((connection.remote_address or ("",))[0])
        try:
            asked = Asked(request.path, headers.get("Host"), headers.get("Origin"), headers.get_all("Cookie"), address)
        except LookupError:  # a header that is there twice
            return _response(Answer(403, NOTHING))
        answer = self.gate.answer(asked)
        if answer is not None:
            return _response(answer)
        path = request.path.partition("?")[0]
        if path == SOCKET:
            return None if "Upgrade" in headers else _response(Answer(404, NOTHING))
        made = self.documents.get(path)
        if made is None:
            return _response(Answer(404, NOTHING))
        packed = any("gzip" in line for line in headers.get_all("Accept-Encoding"))
        body = self.packed[path] if packed else made.content
        more = (("Content-Type", made.kind), ("Content-Security-Policy", POLICY))
        return _whole(200, (*more, ("Content-Encoding", "gzip")) if packed else more, body)


def _response(answer: Answer) -> Response:
    return _whole(answer.status, (("Content-Type", "text/plain; charset=utf-8"), *answer.headers), answer.text.encode())


def _whole(status: int, headers: tuple[tuple[str, str], ...], body: bytes) -> Response:
    made = Headers([*headers, *COMMON, ("Content-Length", str(len(body)))])
    return Response(status, HTTPStatus(status).phrase, made, body)
