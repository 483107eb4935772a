"""A gate before the page, for those who look from other hosts: who does not know the token is sent away.

The first address holds the token; the gate answers with a cookie and then hands bytes through, also those of sockets
that stay open. It stands before a page that listens on 127.0.0.1 only, and answers nobody but the gate.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import threading
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from linkwork.viewer.guard import KEY, own
from linkwork.viewer.guard import REFUSED as FOREIGN

COOKIE = "linkwork"
MOST = 32_768  # bytes of the head of a request
PATIENCE = 10.0  # s to say who one is
TRIES = 20  # ports after the one that was asked for
REFUSED = b"this page needs its token: open the address that linkwork printed\n"


def known(head: str, token: str) -> tuple[bool, bool]:
    """Whether the head of a request holds the token in its address, and in its cookie.

    >>> known("GET /?token=secret HTTP/1.1\\r\\n\\r\\n", "secret")
    (True, False)
    >>> known("GET / HTTP/1.1\\r\\nCookie: linkwork=secret\\r\\n\\r\\n", "secret")
    (False, True)
    """
    words = head.partition("\r\n")[0].split(" ")
    query = parse_qs(urlsplit(words[1]).query) if len(words) == 3 else {}
    cookies: SimpleCookie = SimpleCookie()
    with contextlib.suppress(CookieError):
        cookies.load(headers_of(head).get("cookie", ""))
    given = cookies[COOKIE].value if COOKIE in cookies else ""
    return _same(query.get("token", [""])[0], token), _same(given, token)


def headers_of(head: str) -> dict[str, str]:
    """The headers of a request by their names in small letters.

    >>> headers_of("GET / HTTP/1.1\\r\\nHost: a:80\\r\\n\\r\\n")
    {'host': 'a:80'}
    """
    lines = (line.partition(":") for line in head.split("\r\n")[1:] if line)
    return {name.strip().lower(): value.strip() for name, _, value in lines}


def _same(a: str, b: str) -> bool:
    return hmac.compare_digest(a.encode(), b.encode())


class Gate:
    """Listens on `host` and hands those who know the token through to a port of this machine, with the key of the page
    there.
    """

    def __init__(self, host: str, port: int, inner: int, token: str, key: str) -> None:
        self.inner, self.token, self.key = inner, token, key
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        self.port = asyncio.run_coroutine_threadsafe(self._open(host, port), self.loop).result(PATIENCE)

    async def _open(self, host: str, port: int) -> int:
        for tried in range(TRIES):
            try:
                server = await asyncio.start_server(self._meet, host, port and port + tried, limit=MOST)
            except OSError:
                if port == 0 or tried == TRIES - 1:
                    raise
                continue
            self.server = server
            return int(server.sockets[0].getsockname()[1])
        raise AssertionError

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            raw = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)
            head = raw.decode("latin-1")
            by_address, by_cookie = known(head, self.token)
            headers = headers_of(head)
            if by_cookie and not own(headers.get("host"), headers.get("origin")):
                await _answer(writer, "403 Forbidden", "Content-Type: text/plain\r\n", FOREIGN.encode())
            elif by_cookie:
                await self._through(raw, reader, writer)
            elif by_address:
                cookie = f"{COOKIE}={self.token}; HttpOnly; SameSite=Strict; Path=/"
                await _answer(writer, "303 See Other", f"Location: /\r\nSet-Cookie: {cookie}\r\n")
            else:
                await _answer(writer, "403 Forbidden", "Content-Type: text/plain\r\n", REFUSED)
        writer.close()

    async def _through(self, raw: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", self.inner)
        first, _, rest = raw.partition(b"\r\n")
        inner_writer.write(first + f"\r\n{KEY}: {self.key}\r\n".encode() + rest)
        both = [asyncio.ensure_future(_pass(*ends)) for ends in ((reader, inner_writer), (inner_reader, writer))]
        await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        for one in both:
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
