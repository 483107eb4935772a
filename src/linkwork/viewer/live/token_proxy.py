"""A proxy before the page for browsers on other hosts: it refuses requests without the token.

The first address holds the token; the proxy answers with a cookie and then passes bytes through, also those of sockets
that stay open. The page behind it listens on 127.0.0.1 only, and answers the proxy alone.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import secrets
import ssl
import threading
import time
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

from linkwork.errors import OptionError
from linkwork.viewer.live.origin_check import KEY, own
from linkwork.viewer.live.origin_check import REFUSED as FOREIGN

COOKIE, VISIT = "linkwork", "linkwork-visit"
MOST = 32_768  # bytes of the head of a request
PATIENCE = 10.0  # s for the first request
TRIES = 20  # ports after the one that was asked for
GUESSES = 10  # wrong tokens that an address may say within
MINUTE = 60.0  # s
ADDRESSES = 1000  # whose guesses are counted
STRANGERS = 64  # connections without a request yet; beyond that the oldest is closed
LATER = b"too many wrong tokens from this address: wait a minute\n"
REFUSED = b"this page needs its token: open the address that linkwork printed\n"


def credentials(head: str) -> tuple[str, dict[str, str]]:
    """The token in the address of a request, empty where there is none, and its cookies.

    >>> credentials("GET /?token=secret HTTP/1.1\\r\\n\\r\\n")
    ('secret', {})
    >>> credentials("GET http://[ HTTP/1.1\\r\\nCookie: a=1; b=2\\r\\n\\r\\n")
    ('', {'a': '1', 'b': '2'})
    """
    words = head.partition("\r\n")[0].split(" ")
    token = ""
    with contextlib.suppress(ValueError):  # no address at all
        token = parse_qs(urlsplit(words[1]).query).get("token", [""])[0] if len(words) == 3 else ""
    cookies: SimpleCookie = SimpleCookie()
    with contextlib.suppress(CookieError):
        cookies.load(headers_of(head).get("cookie", ""))
    return token, {name: entry.value for name, entry in cookies.items()}


def headers_of(head: str) -> dict[str, str]:
    """The headers of a request by their names in small letters.

    >>> headers_of("GET / HTTP/1.1\\r\\nHost: a:80\\r\\n\\r\\n")
    {'host': 'a:80'}
    """
    lines = (line.partition(":") for line in head.split("\r\n")[1:] if line)
    return {name.strip().lower(): value.strip() for name, _, value in lines}


def context_of(cert: str, key: str) -> ssl.SSLContext:
    """TLS with this certificate and its private key (PEM files)."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    try:
        context.load_cert_chain(cert, key, password=_no_passphrase)
    except (OSError, ValueError) as error:  # also those of ssl
        why = getattr(error, "reason", None) or getattr(error, "strerror", None) or error
        raise OptionError(
            f"cert= {cert!r} and key= {key!r} are no certificate and its private key ({why}); give two PEM files"
        ) from None
    return context


def _no_passphrase() -> str:
    raise ValueError("the key is encrypted")


def _same(a: str, b: str) -> bool:
    return hmac.compare_digest(a.encode(), b.encode())


class Guesses:
    """Recent wrong tokens by the address they came from: an address with many is refused for a while.

    >>> guesses = Guesses()
    >>> for _ in range(GUESSES):
    ...     guesses.wrong("10.0.0.7")
    >>> guesses.too_many("10.0.0.7"), guesses.too_many("10.0.0.8")
    (True, False)
    """

    def __init__(self) -> None:
        self._when: dict[str, list[float]] = {}

    def wrong(self, address: str) -> None:
        """Count one."""
        self._when[address] = [*self._when.pop(address, [])[1 - GUESSES :], time.monotonic()]
        if len(self._when) > ADDRESSES:
            del self._when[next(iter(self._when))]  # the one that was wrong longest ago

    def too_many(self, address: str) -> bool:
        """Whether so many wrong ones came from there within a minute."""
        when = self._when.get(address, [])
        return len(when) == GUESSES and time.monotonic() - when[0] < MINUTE


class TokenProxy:
    """Listens on `host` and passes requests with the token on to a port of this machine, with the key of the page
    there. `tls` (certificate and key, PEM files) makes it speak HTTPS.
    """

    def __init__(
        self, host: str, port: int, inner: int, token: str, key: str, tls: tuple[str, str] | None = None
    ) -> None:
        self.inner, self.token, self.key = inner, token, key
        self.visit = secrets.token_urlsafe(16)  # a cookie that stays valid while others guess
        self.guesses = Guesses()
        self.secure = "; Secure" if tls else ""
        self._context = None if tls is None else context_of(*tls)
        self._strangers: dict[asyncio.StreamWriter, None] = {}  # oldest first
        self.loop = asyncio.new_event_loop()
        self.loop.set_exception_handler(lambda loop, context: None)
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.port = asyncio.run_coroutine_threadsafe(self._open(host, port), self.loop).result(PATIENCE)

    async def _open(self, host: str, port: int) -> int:
        for tried in range(TRIES):
            try:
                server = await asyncio.start_server(
                    self._meet, host, port and port + tried, limit=MOST, ssl=self._context, **self._limits()
                )
            except OSError:
                if port == 0 or tried == TRIES - 1:
                    raise
                continue
            self.server = server
            return int(server.sockets[0].getsockname()[1])
        raise AssertionError

    def _limits(self) -> dict[str, Any]:
        return {} if self._context is None else {"ssl_handshake_timeout": PATIENCE}

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._strangers) >= STRANGERS:
            oldest = next(iter(self._strangers))
            del self._strangers[oldest]
            oldest.transport.abort()
        self._strangers[writer] = None
        # a bad request must not print on the owner's terminal
        with contextlib.suppress(Exception):
            raw = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
            welcome = await self._asked(raw.decode("latin-1"), writer)
            self._strangers.pop(writer, None)
            if welcome:
                await self._through(raw, reader, writer)
        self._strangers.pop(writer, None)
        with contextlib.suppress(Exception):
            writer.close()

    async def _asked(self, head: str, writer: asyncio.StreamWriter) -> bool:
        """Whether a request may pass; a refused one has been answered."""
        token, cookies = credentials(head)
        given, headers = cookies.get(COOKIE, ""), headers_of(head)
        visitor = _same(cookies.get(VISIT, ""), self.visit)
        address = str((writer.get_extra_info("peername") or ("",))[0])
        if not visitor and (token or given) and self.guesses.too_many(address):
            await _answer(writer, "429 Too Many Requests", "Content-Type: text/plain\r\n", LATER)
            return False
        if visitor or _same(given, self.token):
            if own(headers.get("host"), headers.get("origin")):
                return True
            await _answer(writer, "403 Forbidden", "Content-Type: text/plain\r\n", FOREIGN.encode())
        elif _same(token, self.token):
            kept = f"HttpOnly; SameSite=Strict; Path=/{self.secure}"
            cookie = "".join(
                f"Set-Cookie: {name}={value}; {kept}\r\n" for name, value in ((COOKIE, self.token), (VISIT, self.visit))
            )
            await _answer(writer, "303 See Other", f"Location: /\r\n{cookie}")
        else:
            if token or given:
                self.guesses.wrong(address)
            await _answer(writer, "403 Forbidden", "Content-Type: text/plain\r\n", REFUSED)
        return False

    async def _through(self, raw: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", self.inner)
        first, _, rest = raw.partition(b"\r\n")
        inner_writer.write(first + f"\r\n{KEY}: {self.key}\r\n".encode() + rest)
        asking = asyncio.ensure_future(_pass(reader, inner_writer))
        answering = asyncio.ensure_future(_pass(inner_reader, writer))
        await asyncio.wait([asking, answering], return_when=asyncio.FIRST_COMPLETED)
        if asking.done() and not answering.done():  # it has sent all, and may still read
            with contextlib.suppress(OSError):
                inner_writer.write_eof()
            await asyncio.wait([answering], timeout=PATIENCE)
        for one in (asking, answering):
            one.cancel()
        inner_writer.close()


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while block := await reader.read(65_536):
            writer.write(block)
            await writer.drain()


async def _answer(writer: asyncio.StreamWriter, status: str, lines: str, body: bytes = b"") -> None:
    head = f"HTTP/1.1 {status}\r\n{lines}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    writer.write(head.encode("latin-1") + body)
    await writer.drain()
