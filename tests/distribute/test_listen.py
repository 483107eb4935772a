"""Meeting over TCP and TLS: who may, who may not, and what is said. All of it on 127.0.0.1."""

import datetime
import os
import socket
import ssl
import subprocess
import sys
import threading
import time
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
import pytest

import linkwork
from linkwork.distribute import listen as module
from linkwork.distribute.listen import connect, is_loopback, listen, split
from linkwork.distribute.transport import CLIENT_GREETING, HEADER, MAGIC, SERVER_GREETING, VERSION, PeerError
from linkwork.errors import OptionError

trustme = pytest.importorskip("trustme", reason="trustme, which makes the certificates, is not installed")

SOURCE = Path(linkwork.__file__).parent.parent
SLACK = 2.0  # s that a loaded machine may add to a timeout
NOW = datetime.datetime.now(datetime.UTC)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Files for TLS by name: a good certificate, and others that are wrong in one way each."""
    folder = tmp_path_factory.mktemp("certificates")
    authority, stranger = trustme.CA(), trustme.CA()
    authority.cert_pem.write_to_path(folder / "authority.pem")
    stranger.cert_pem.write_to_path(folder / "stranger.pem")
    made = {
        "good": authority.issue_cert("127.0.0.1", "localhost", "::1"),
        "other": authority.issue_cert("127.0.0.1"),
        "foreign": stranger.issue_cert("127.0.0.1"),
        "elsewhere": authority.issue_cert("wheel.example.org"),
        "expired": authority.issue_cert("127.0.0.1", not_after=NOW - datetime.timedelta(days=1)),
        "early": authority.issue_cert("127.0.0.1", not_before=NOW + datetime.timedelta(days=2)),
    }
    for name, certificate in made.items():
        (folder / f"{name}.cert").write_bytes(b"".join(pem.bytes() for pem in certificate.cert_chain_pems))
        certificate.private_key_pem.write_to_path(folder / f"{name}.key")

    def named(name, ca="authority"):
        return {"cert": folder / f"{name}.cert", "key": folder / f"{name}.key", "ca": folder / f"{ca}.pem"}

    return named


class Accepting:
    """Accepts one caller in a thread; keeps the transport or the refusal."""

    def __init__(self, listener):
        self.listener = listener
        self.transport = None
        self.refusal = None
        self.thread = threading.Thread(target=self._accept)
        self.thread.start()

    def _accept(self):
        try:
            self.transport = self.listener.accept()
        except PeerError as error:
            self.refusal = error

    def done(self):
        self.thread.join(30)
        assert not self.thread.is_alive()
        return self.transport


def meet(timeout=5.0, server=None, client=None, host="127.0.0.1"):
    """Both ends of a connection, each by its own files."""
    listener = listen(0, timeout=timeout, **(server or {}))
    try:
        accepting = Accepting(listener)
        ours = connect(f"{host}:{listener.port}", timeout=timeout, **(client or {}))
        return ours, accepting.done()
    finally:
        listener.close()


def refused(server, client, timeout=5.0):
    """What either side says when both try to meet and must not."""
    listener = listen(0, timeout=timeout, **server)
    accepting = Accepting(listener)
    try:
        with pytest.raises(PeerError) as caught:
            connect(f"127.0.0.1:{listener.port}", timeout=timeout, **client)
        accepting.done()
        assert accepting.transport is None
        assert caught.value.peer == f"127.0.0.1:{listener.port}"
        assert accepting.refusal.peer.startswith("127.0.0.1:")
        return caught.value.message, accepting.refusal.message
    finally:
        accepting.thread.join(30)
        listener.close()


def round_trip(ours, theirs, sizes=(0, 1, 36, 2046, 2047, 100_000)):
    random = np.random.default_rng(3)
    for size in sizes:
        values = random.integers(0, 1 << 64, size=size, dtype=np.uint64).view(np.float64)
        for sender, receiver in ((ours, theirs), (theirs, ours)):
            sending = threading.Thread(target=sender.send, args=(values,))
            sending.start()
            back = np.zeros(size)
            receiver.receive(back)
            sending.join()
            assert back.tobytes() == values.tobytes()
    ours.send_text("Gelenk ä")
    assert theirs.receive_text() == "Gelenk ä"


# --- TCP on this machine -------------------------------------------------------------------------------


def test_tcp_round_trips_and_settings():
    ours, theirs = meet()
    with closing(ours), closing(theirs):
        round_trip(ours, theirs)
        for end in (ours, theirs):
            assert end._sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            assert end._sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
            assert end.timeout == 5
        assert not ours.wait(0)
        theirs.close()
        with pytest.raises(PeerError, match="has closed the connection"):
            ours.receive(np.empty(1))


def test_localhost_by_name():
    ours, theirs = meet(host="localhost")
    with closing(ours), closing(theirs):
        round_trip(ours, theirs, sizes=(3,))


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 here")
def test_ipv6():
    try:
        listener = listen(0, host="::1", timeout=5)
    except OptionError as error:
        pytest.skip(f"no IPv6 here: {error}")
    with closing(listener):
        assert listener.address == f"[::1]:{listener.port}"
        accepting = Accepting(listener)
        with closing(connect(listener.address, timeout=5)) as ours, closing(accepting.done()) as theirs:
            round_trip(ours, theirs, sizes=(3,))


def test_one_listener_serves_one_after_the_other():
    with closing(listen(0, timeout=5)) as listener:
        for _ in range(3):
            accepting = Accepting(listener)
            with closing(connect(listener.address, timeout=5)) as ours, closing(accepting.done()) as theirs:
                round_trip(ours, theirs, sizes=(6,))


def test_waiting_for_callers():
    with closing(listen(0, timeout=5)) as listener:
        assert not listener.wait(0)
        assert not listener.wait(0.05)
        knocking = socket.create_connection(("127.0.0.1", listener.port))
        assert listener.wait(5)
        knocking.close()
        with pytest.raises(PeerError, match="instead of greeting"):
            listener.accept()


OTHER_PROCESS = """
import sys
import numpy as np
from linkwork.distribute.listen import listen
listener = listen(0, timeout=60)
print(listener.port, flush=True)
transport = listener.accept()
listener.close()
assert transport.receive_text() == "hello"
values = np.empty(36)
for _ in range(200):
    transport.receive(values)
    transport.send(values)
transport.send(values[:3])
if sys.argv[1] == "die":
    transport._sock.sendall(b"LWRK")
    import os
    os._exit(3)
"""


@pytest.mark.parametrize("end", ["close", "die"])
def test_two_processes(end):
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    command = [sys.executable, "-c", OTHER_PROCESS, end]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as child:
        try:
            port = int(child.stdout.readline())
            random = np.random.default_rng(0)
            with closing(connect(f"127.0.0.1:{port}", timeout=60)) as transport:
                transport.send_text("hello")
                back = np.empty(36)
                for _ in range(200):
                    values = random.normal(size=36)
                    transport.send(values)
                    transport.receive(back)
                    assert back.tobytes() == values.tobytes()
                transport.receive(back[:3])
                with pytest.raises(PeerError, match="middle of a message" if end == "die" else "has closed"):
                    transport.receive(back)
            assert child.wait(30) == (3 if end == "die" else 0)
        finally:
            child.kill()


def test_connecting_before_somebody_listens():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    found = []

    def late():
        time.sleep(0.3)
        with closing(listen(port, timeout=20)) as listener:
            found.append(listener.accept())

    listening = threading.Thread(target=late)
    listening.start()
    with closing(connect(f"127.0.0.1:{port}", timeout=20)) as ours:
        listening.join()
        with closing(found[0]) as theirs:
            round_trip(ours, theirs, sizes=(3,))


def test_nobody_listens():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))  # bound, so that nobody else takes it, and not listening
        port = free.getsockname()[1]
        started = time.monotonic()
        with pytest.raises(
            PeerError, match=r"no server is listening there \(tried for 0.3 s\); start the component"
        ) as caught:
            connect(f"127.0.0.1:{port}", timeout=0.3)
        assert 0.2 < time.monotonic() - started < 0.3 + SLACK
        assert caught.value.peer == f"127.0.0.1:{port}"


def test_nobody_comes():
    with closing(listen(0, timeout=0.2)) as listener:
        started = time.monotonic()
        with pytest.raises(PeerError, match=r"no connection within 0.2 s"):
            listener.accept()
        assert time.monotonic() - started < 0.2 + SLACK


def test_closed_listener():
    listener = listen(0, timeout=1)
    listener.close()
    listener.close()
    with pytest.raises(PeerError, match="the listener is closed"):
        listener.accept()
    with pytest.raises(PeerError, match="the listener is closed"):
        listener.wait(0)


class Stranger:
    """Somebody on 127.0.0.1 who takes a call, says his own and, unless told otherwise, hangs up."""

    def __init__(self, says=b"", stays=False):
        self.sock = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.sock.getsockname()[1]}"
        self.finished = threading.Event()
        self.thread = threading.Thread(target=self._answer, args=(says, stays))
        self.thread.start()

    def _answer(self, says, stays):
        self.sock.settimeout(20)
        caller, _ = self.sock.accept()
        with caller:
            caller.settimeout(20)
            caller.recv(100)
            caller.sendall(says)
            if stays:
                self.finished.wait(20)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.finished.set()
        self.thread.join()
        self.sock.close()


@pytest.mark.parametrize(
    ("says", "message"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", r"does not speak linkwork's protocol \(it sent b'HTTP/1.1 400 Bad'\)"),
        (b"SSH-2.0\r\n", "does not speak linkwork's protocol"),
        (b"", "has closed the connection instead of greeting; check the port"),
        (b"\x15\x03\x01\x00\x02\x02\x46", "wants TLS; give cert=, key= and ca="),
        (HEADER.pack(MAGIC, 9, SERVER_GREETING, 0), "version 9 of the protocol and this side version 1"),
        (HEADER.pack(MAGIC, VERSION, CLIENT_GREETING, 0), "both sides connect, or both listen"),
    ],
    ids=["http", "ssh", "silent", "tls", "version", "echo"],
)
def test_somebody_else_listens(says, message):
    with Stranger(says) as stranger, pytest.raises(PeerError, match=message):
        connect(stranger.address, timeout=5)


@pytest.mark.parametrize("says", [b"", b"LWRK"])
def test_somebody_listens_and_says_nothing(says, files):
    started = time.monotonic()
    with Stranger(says, stays=True) as stranger, pytest.raises(PeerError, match=r"did not greet within 0.3 s"):
        connect(stranger.address, timeout=0.3)
    with Stranger(b"", stays=True) as stranger, pytest.raises(PeerError, match=r"TLS handshake within 0.3 s"):
        connect(stranger.address, timeout=0.3, **files("good"))
    assert time.monotonic() - started < 0.6 + SLACK


@pytest.mark.parametrize(
    ("says", "message"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", "does not speak linkwork's protocol"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03abcdefg", "speaks TLS and this side does not"),
        (HEADER.pack(MAGIC, 9, CLIENT_GREETING, 0), "version 9"),
        (b"", "instead of greeting"),
    ],
    ids=["http", "tls", "version", "silent"],
)
def test_somebody_else_calls(says, message):
    with closing(listen(0, timeout=5)) as listener:
        accepting = Accepting(listener)
        with socket.create_connection(("127.0.0.1", listener.port)) as caller:
            caller.sendall(says)
            caller.shutdown(socket.SHUT_WR)
            accepting.done()
            assert message in accepting.refusal.message
            if says:
                caller.settimeout(5)
                assert caller.recv(100)[:4] == MAGIC  # whoever calls is told who answers
        accepting = Accepting(listener)  # and the listener is as good as before
        connect(listener.address, timeout=5).close()
        accepting.done().close()


@pytest.mark.parametrize("tls", [False, True])
def test_silent_caller_holds_up_the_listener_for_a_moment_only(tls, files, monkeypatch):
    monkeypatch.setattr(module, "GREETING_TIME", 0.2)
    with closing(listen(0, timeout=20, **(files("good") if tls else {}))) as listener:
        started = time.monotonic()
        with (
            socket.create_connection(("127.0.0.1", listener.port)),
            pytest.raises(PeerError, match=r"within 0.2 s"),
        ):
            listener.accept()
        assert time.monotonic() - started < 0.2 + SLACK


# --- where one may listen and connect ------------------------------------------------------------------


@pytest.mark.parametrize(
    "host", ["0.0.0.0", "::", "192.168.1.7", "wheel.example.org", "", "::ffff:127.0.0.1", "128.0.0.1"]
)
def test_no_listening_elsewhere_without_tls(host, monkeypatch):
    monkeypatch.setattr(socket, "socket", None)  # no socket is even made
    monkeypatch.setattr(socket, "getaddrinfo", None)
    with pytest.raises(OptionError, match=r"needs TLS; give cert=, key= and ca="):
        listen(0, host=host, timeout=1)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.7", "wheel.example.org", "[fe80::1]"])
def test_no_connecting_elsewhere_without_tls(host, monkeypatch):
    monkeypatch.setattr(socket, "socket", None)
    monkeypatch.setattr(socket, "getaddrinfo", None)
    with pytest.raises(OptionError, match=r"another host, needs TLS; give cert=, key= and ca="):
        connect(f"{host}:5000", timeout=1)


def test_default_is_this_machine_only():
    with closing(listen(0, timeout=1)) as listener:
        assert listener.host == "127.0.0.1"
        assert listener._sock.getsockname()[0] == "127.0.0.1"


def test_localhost_that_is_another_host(monkeypatch):
    elsewhere = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("192.0.2.1", 5000))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: elsewhere)
    with pytest.raises(PeerError, match="'localhost' is not this machine here"):
        connect("localhost:5000", timeout=1)
    with pytest.raises(OptionError, match="'localhost' is not this machine here"):
        listen(0, host="localhost", timeout=1)


def test_unknown_host(files, monkeypatch):
    def unknown(*_, **__):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(PeerError, match=r"host 'wheel.invalid' is unknown \(Name or service not known\); check"):
        connect("wheel.invalid:5000", timeout=5, **files("good"))


def test_slow_names_are_not_waited_for(files, monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: time.sleep(3))
    started = time.monotonic()
    with pytest.raises(PeerError, match=r"was not found within 0.\d+ s"):
        connect("wheel.invalid:5000", timeout=0.2, **files("good"))
    assert time.monotonic() - started < 0.2 + SLACK


@pytest.mark.parametrize(
    "address", ["", "127.0.0.1", ":5000", "127.0.0.1:", "127.0.0.1:abc", "::1:5000", "127.0.0.1:-5", "a:٣", None, 5000]
)
def test_addresses_that_are_none(address):
    with pytest.raises(OptionError, match="must be 'host:port'"):
        connect(address, timeout=1)


@pytest.mark.parametrize("port", [-1, 65536, 1.5, "5000", None, True])
def test_ports_that_are_none(port):
    with pytest.raises(OptionError, match="port must be a whole number"):
        listen(port, timeout=1)


def test_ports_in_addresses():
    assert split("[::1]:5000") == ("::1", 5000)
    for port in (0, 65536, 10**30):
        with pytest.raises(OptionError, match="from 1 to 65535"):
            split(f"127.0.0.1:{port}")


def test_port_that_is_taken():
    with (
        closing(listen(0, timeout=1)) as listener,
        pytest.raises(OptionError, match="another program listens there; take another port, or 0"),
    ):
        listen(listener.port, timeout=1)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "localhost", "LOCALHOST"])
def test_loopback(host):
    assert is_loopback(host)


# --- mutual TLS ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("newest", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_tls_round_trips(files, newest, monkeypatch):
    original = module.tls_context

    def limited(*arguments, **options):
        context = original(*arguments, **options)
        context.maximum_version = newest
        return context

    monkeypatch.setattr(module, "tls_context", limited)
    ours, theirs = meet(server=files("good"), client=files("other"))
    with closing(ours), closing(theirs):
        assert ours._sock.version() == ("TLSv1.3" if newest == ssl.TLSVersion.TLSv1_3 else "TLSv1.2")
        round_trip(ours, theirs)
        assert theirs._sock.getpeercert()["subject"]
        assert not theirs.wait(0)
        assert not ours.wait(0)
        ours.send(np.ones(2))
        ours.send(np.ones(3))
        assert theirs.wait(5)
        theirs.receive(np.empty(2))
        assert theirs.wait(5)
        theirs.receive(np.empty(3))
        theirs.send(np.zeros(4))
        with pytest.raises(PeerError, match="4 numbers where 5"):
            ours.receive(np.zeros(5))
        with pytest.raises(PeerError, match="has closed the connection"):
            theirs.receive(np.zeros(5))


def test_tls_by_host_name(files):
    ours, theirs = meet(server=files("good"), client=files("other"), host="localhost")
    with closing(ours), closing(theirs):
        round_trip(ours, theirs, sizes=(36,))


def test_tls_silent_peer(files):
    ours, theirs = meet(server=files("good"), client=files("other"))
    with closing(ours), closing(theirs):
        ours.timeout = 0.2
        started = time.monotonic()
        with pytest.raises(PeerError, match=r"did not answer within 0.2 s"):
            ours.receive(np.empty(3))
        assert time.monotonic() - started < 0.2 + SLACK


def test_tls_peer_that_does_not_read(files):
    ours, theirs = meet(server=files("good"), client=files("other"))
    with closing(ours), closing(theirs):
        ours.timeout = 0.3
        started = time.monotonic()
        with pytest.raises(PeerError, match=r"did not take a message within 0.3 s"):
            ours.send(np.zeros(1 << 22))
        assert time.monotonic() - started < 0.3 + SLACK


@pytest.mark.parametrize(
    ("server", "client", "client_says", "server_says"),
    [
        ("foreign", "good", "not signed by the authority in ca", "refuses the certificate of this side"),
        ("elsewhere", "good", "its certificate is not for host '127.0.0.1'", "refuses the certificate of this side"),
        ("expired", "good", "its certificate has expired", "certificate of this side, which has expired"),
        ("early", "good", "not valid yet; check the clocks", "refuses the certificate of this side"),
        ("good", "foreign", "refuses the certificate of this side", "not signed by the authority in ca"),
        ("good", "expired", "certificate of this side, which has expired", "its certificate has expired"),
        ("good", "early", "refuses the certificate of this side", "not valid yet; check the clocks"),
    ],
)
@pytest.mark.parametrize("newest", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_wrong_certificates(files, monkeypatch, server, client, client_says, server_says, newest):
    original = module.tls_context

    def limited(*arguments, **options):
        context = original(*arguments, **options)
        context.maximum_version = newest
        return context

    monkeypatch.setattr(module, "tls_context", limited)
    client_said, server_said = refused(files(server), files(client))
    assert client_says in client_said
    assert server_says in server_said


def test_wrong_authority(files):
    client_said, _ = refused(files("good"), files("good", ca="stranger"))
    assert "not signed by the authority in ca" in client_said
    _, server_said = refused(files("good", ca="stranger"), files("good"))
    assert "not signed by the authority in ca" in server_said


@pytest.mark.parametrize("newest", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_caller_without_certificate(files, newest):
    """One who is not linkwork, of course: linkwork always shows a certificate."""
    with closing(listen(0, timeout=5, **files("good"))) as listener:
        accepting = Accepting(listener)
        context = ssl.create_default_context(cafile=files("good")["ca"])
        context.maximum_version = newest
        with (
            socket.create_connection(("127.0.0.1", listener.port), timeout=5) as plain,
            suppress(OSError),
            context.wrap_socket(plain, server_hostname="127.0.0.1") as caller,
        ):
            caller.sendall(HEADER.pack(MAGIC, VERSION, CLIENT_GREETING, 0))
            assert caller.recv(100) == b"", "answered without a certificate"
        accepting.done()
        assert accepting.transport is None
        assert "showed no certificate and was refused" in accepting.refusal.message


def test_tls_on_one_side_only(files):
    client_said, server_said = refused(files("good"), {})
    assert "TLS" in client_said
    assert "does not speak TLS" in server_said
    client_said, server_said = refused({}, files("good"))
    assert "does not speak TLS" in client_said
    assert "speaks TLS and this side does not" in server_said


def test_old_tls_is_refused(files):
    with closing(listen(0, timeout=5, **files("good"))) as listener:
        assert listener._context.minimum_version == ssl.TLSVersion.TLSv1_2
        assert listener._context.verify_mode == ssl.CERT_REQUIRED


def test_files_come_together(files):
    good = files("good")
    for left_out in good:
        some = {name: file for name, file in good.items() if name != left_out}
        with pytest.raises(OptionError, match=f"TLS needs cert=, key= and ca= together; {left_out}= is missing"):
            listen(0, timeout=1, **some)
        with pytest.raises(OptionError, match="together"):
            connect("127.0.0.1:5000", timeout=1, **some)


@pytest.mark.parametrize("name", ["cert", "key", "ca"])
def test_files_that_are_missing_or_unreadable_or_wrong(files, name, tmp_path):
    wrong = tmp_path / "wrong.pem"
    wrong.write_text("this is not a certificate")
    missing = tmp_path / "missing.pem"
    for file, message in (
        (missing, rf"{name}: '.*missing.pem' cannot be read \(No such file"),
        (tmp_path, rf"{name}: .* cannot be read \(Is a directory"),
        (wrong, rf"{name}: '.*wrong.pem'.* must be"),
        (5.5, f"{name} must be the path of a PEM file"),
    ):
        with pytest.raises(OptionError, match=message):
            listen(0, timeout=1, **{**files("good"), name: file})
        with pytest.raises(OptionError, match=message):
            connect("127.0.0.1:5000", timeout=1, **{**files("good"), name: str(file) if file != 5.5 else file})


def test_file_that_may_not_be_read(files, monkeypatch):
    def forbidden(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", forbidden)
    with pytest.raises(OptionError, match=r"cert: '.*good.cert' cannot be read \(Permission denied\); give a PEM file"):
        listen(0, timeout=1, **files("good"))


def test_key_of_another_certificate(files):
    with pytest.raises(OptionError, match=r"key: '.*other.key' does not belong to the certificate '.*good.cert'"):
        listen(0, timeout=1, **{**files("good"), "key": files("other")["key"]})


def test_encrypted_key_does_not_ask_at_the_terminal(files, tmp_path):
    from cryptography.hazmat.primitives import serialization

    key = serialization.load_pem_private_key(files("good")["key"].read_bytes(), None)
    encrypted = tmp_path / "encrypted.key"
    encrypted.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.BestAvailableEncryption(b"secret"),
        )
    )
    with pytest.raises(OptionError, match="the private key is encrypted"):
        listen(0, timeout=1, **{**files("good"), "key": encrypted})
