"""TLS in which both sides show a certificate: the context, the handshake, and what its failures mean."""

from __future__ import annotations

import os
import socket
import ssl
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

from linkwork.distribute.transport import PeerError
from linkwork.errors import OptionError

FilePath: TypeAlias = str | os.PathLike[str]


def tls_context(
    cert: FilePath | None, key: FilePath | None, ca: FilePath | None, *, server: bool
) -> ssl.SSLContext | None:
    """TLS in which both sides show a certificate, or None where no file is given."""
    files = {"cert": cert, "key": key, "ca": ca}
    missing = [f"{name}=" for name, file in files.items() if file is None]
    if len(missing) == len(files):
        return None
    if missing:
        raise OptionError(f"TLS needs cert=, key= and ca= together; {' and '.join(missing)} is missing")
    for name, file in files.items():
        _check_readable(name, file)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.verify_mode = ssl.CERT_REQUIRED
    context.options |= ssl.OP_NO_RENEGOTIATION
    if server:
        context.num_tickets = 0  # nobody resumes a session
    try:
        context.load_cert_chain(os.fspath(cert or ""), os.fspath(key or ""), password=_no_passphrase)
    except ssl.SSLError as error:
        if "MISMATCH" in (error.reason or ""):
            raise OptionError(f"key: {str(key)!r} does not belong to the certificate {str(cert)!r}") from error
        raise OptionError(
            f"cert: {str(cert)!r} and key: {str(key)!r} must be PEM files ({system_words(error)})"
        ) from error
    try:
        context.load_verify_locations(cafile=os.fspath(ca or ""))
    except ssl.SSLError as error:
        raise OptionError(f"ca: {str(ca)!r} must be a PEM file with certificates ({system_words(error)})") from error
    return context


def _no_passphrase() -> NoReturn:
    raise OptionError("key: the private key is encrypted; give one without passphrase, readable by you alone")


def _check_readable(name: str, file: Any) -> None:
    try:
        with Path(file).open("rb") as opened:
            opened.read(1)
    except TypeError:
        raise OptionError(f"{name} must be the path of a PEM file, not {file!r}") from None
    except OSError as error:
        raise OptionError(f"{name}: {str(file)!r} cannot be read ({system_words(error)}); give a PEM file") from error
    except ValueError as error:  # with a letter that no name of a file can have
        raise OptionError(f"{name}: {str(file)!r} cannot be read ({error}); give a PEM file") from None


def with_tls(
    context: ssl.SSLContext,
    sock: socket.socket,
    peer: str,
    timeout: float,
    deadline: float,
    host: str | None = None,
) -> ssl.SSLSocket:
    """The socket with TLS on top, both certificates checked as far as this side can; closed where that fails."""
    wrapped = context.wrap_socket(sock, server_side=host is None, server_hostname=host, do_handshake_on_connect=False)
    try:
        wrapped.settimeout(max(deadline - time.monotonic(), 1e-3))
        wrapped.do_handshake()
    except TimeoutError:
        wrapped.close()
        raise PeerError(
            peer,
            f"did not finish the TLS handshake within {timeout:g} s; it may be busy, or not speak TLS: check the port",
        ) from None
    except ssl.SSLError as error:
        leave(wrapped)
        raise PeerError(peer, tls_problem(error, host)) from error
    except OSError as error:
        wrapped.close()
        raise PeerError(
            peer, f"has closed the connection during the TLS handshake ({system_words(error)}); check the port"
        ) from error
    except BaseException:
        wrapped.close()
        raise
    return wrapped


def tls_problem(error: ssl.SSLError, host: str | None = None) -> str:
    """What a failed handshake means and what to do, in words."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return _certificate_problem(error, host)
    reason = (error.reason or "").upper()
    for sign, meaning in _REASONS:
        if sign in reason:
            return meaning
    return f"the TLS connection failed ({system_words(error)}); check the port, and cert, key and ca on both sides"


_REASONS = (
    ("PEER_DID_NOT_RETURN", "showed no certificate and was refused; give it cert=, key= and ca="),
    ("ALERT_CERTIFICATE_EXPIRED", "refuses the certificate of this side, which has expired; make a new one"),
    ("ALERT_CERTIFICATE_REQUIRED", "wants a certificate of this side; give cert=, key= and ca="),
    (
        "UNKNOWN_CA",
        "refuses the certificate of this side: the authority it trusts has not signed it; check cert and ca",
    ),
    ("CERTIFICATE", "refuses the certificate of this side; check cert here and ca there"),
    ("PROTOCOL_VERSION", "has no version of TLS in common with this side (1.2 or newer is needed)"),
    ("UNSUPPORTED_PROTOCOL", "has no version of TLS in common with this side (1.2 or newer is needed)"),
    ("WRONG_VERSION_NUMBER", "does not speak TLS; check the port, and that both sides are given cert=, key= and ca="),
    ("HTTP_REQUEST", "does not speak TLS but HTTP; check the port"),
    ("RECORD", "does not speak TLS; check the port, and that both sides are given cert=, key= and ca="),
)


def _certificate_problem(error: ssl.SSLCertVerificationError, host: str | None) -> str:
    if error.verify_code == 10:
        return "its certificate has expired; make a new one there"
    if error.verify_code == 9:
        return "its certificate is not valid yet; check the clocks of both hosts"
    if error.verify_code in (62, 64):
        return f"its certificate is not for host {host!r}; connect by the name it was made for, or make another"
    if error.verify_code in (2, 18, 19, 20, 21):
        return "its certificate was not signed by the authority in ca; check ca here and cert there"
    return f"its certificate is not good ({error.verify_message}); make a new one there"


def system_words(error: BaseException) -> str:
    """What the system says, short."""
    if isinstance(error, ssl.SSLError):
        return (error.reason or error.strerror or str(error)).replace("_", " ").lower()
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


def leave(sock: socket.socket) -> None:
    """Close after a refusal without tearing away what was said last: take what still comes, for a moment."""
    with suppress(OSError), sock:
        socket.socket.shutdown(sock, socket.SHUT_WR)
        sock.settimeout(0.1)
        for _ in range(16):
            if not socket.socket.recv(sock, 4096):
                break
