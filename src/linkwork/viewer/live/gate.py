"""Who may see the live page: not pages of other sites, and on other hosts only those who know the token.

A browser sends with each request the name it asked for (Host) and, for sockets, the site of the page that asks
(Origin). A foreign page has another Origin; one whose name was made to point to this machine has another Host. With a
token, the first address holds it; the answer is a cookie.
"""

from __future__ import annotations

import contextlib
import hmac
import secrets
import ssl
import time
from collections.abc import Iterable
from http.cookies import CookieError, SimpleCookie
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

from linkwork.errors import OptionError

HERE = ("127.0.0.1", "localhost", "::1")
COOKIE, VISIT = "linkwork", "linkwork-visit"
GUESSES = 10  # wrong tokens that an address may say within
MINUTE = 60.0  # s
ADDRESSES = 1000  # whose guesses are counted
FOREIGN = "this page is not for other sites: open the address that linkwork printed\n"
LATER = "too many wrong tokens from this address: wait a minute\n"
REFUSED = "this page needs its token: open the address that linkwork printed\n"


class Asked(NamedTuple):
    """What a request says of who asks."""

    path: str
    host: str | None
    origin: str | None
    cookies: Iterable[str]  # its lines of cookies
    address: str  # of the other side


class Answer(NamedTuple):
    """What is answered instead of the page."""

    status: int
    text: str
    headers: tuple[tuple[str, str], ...] = ()


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


def said_token(path: str) -> str:
    """The token in the address of a request, empty where there is none.

    >>> said_token("/?token=secret"), said_token("//[?token=x")
    ('secret', '')
    """
    try:
        return parse_qs(urlsplit(path).query).get("token", [""])[0]
    except ValueError:  # no address at all
        return ""


def cookies_of(lines: Iterable[str]) -> dict[str, str]:
    """Cookies by their names.

    >>> cookies_of(["a=1; b=2"])
    {'a': '1', 'b': '2'}
    """
    found: SimpleCookie = SimpleCookie()
    for line in lines:
        with contextlib.suppress(CookieError):
            found.load(line)
    return {name: entry.value for name, entry in found.items()}


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


class Gate:
    """Lets requests through, or answers them.

    >>> gate = Gate(None)
    >>> gate.answer(Asked("/", "localhost:8080", None, (), "127.0.0.1")) is None
    True
    >>> gate.answer(Asked("/", "evil.example", None, (), "127.0.0.1")).status
    403
    """

    def __init__(self, token: str | None, secure: bool = False) -> None:
        self.token = token
        self.visit = secrets.token_urlsafe(16)  # a cookie that stays valid while others guess
        self.guesses = Guesses()
        self.kept = "; HttpOnly; SameSite=Strict; Path=/" + ("; Secure" if secure else "")

    def answer(self, asked: Asked) -> Answer | None:
        """None where the request may pass."""
        if self.token is None:
            return None if named(asked.host) and own(asked.host, asked.origin) else Answer(403, FOREIGN)
        token, cookies = said_token(asked.path), cookies_of(asked.cookies)
        given = cookies.get(COOKIE, "")
        visitor = _same(cookies.get(VISIT, ""), self.visit)
        if not visitor and (token or given) and self.guesses.too_many(asked.address):
            return Answer(429, LATER)
        if visitor or _same(given, self.token):
            return None if own(asked.host, asked.origin) else Answer(403, FOREIGN)
        if _same(token, self.token):
            cookie = tuple(
                ("Set-Cookie", f"{name}={value}{self.kept}")
                for name, value in ((COOKIE, self.token), (VISIT, self.visit))
            )
            return Answer(303, "", (("Location", "/"), *cookie))
        if token or given:
            self.guesses.wrong(asked.address)
        return Answer(403, REFUSED)


def _same(a: str, b: str) -> bool:
    return hmac.compare_digest(a.encode(), b.encode())
