"""The process of the page: who is answered, and when it ends."""

import base64
import signal
import socket
import subprocess
import sys
import time

import pytest

import linkwork as lw
from linkwork.viewer.live.page_process import PageProcess

SHOW = {"/": ("text/html", b"<p>hello</p>")}


def spoken(address, path="/", *lines, name="localhost"):
    host, port = address.removeprefix("http://").partition("/")[0].split(":")
    with socket.create_connection((host, int(port)), timeout=10) as line:
        asked = "\r\n".join([f"GET {path} HTTP/1.1", f"Host: {name}", "Connection: close", *lines])
        line.sendall(f"{asked}\r\n\r\n".encode())
        return line.recv(400).decode("latin-1")


def socket_asked(address, name, *lines):
    """The answer to who wants a socket of the page that it asked for by this name."""
    key = base64.b64encode(bytes(16)).decode()
    upgrade = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}")
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as line:
        asked = "\r\n".join(["GET /live HTTP/1.1", f"Host: {name}:{port}", *upgrade, *lines])
        line.sendall(f"{asked}\r\n\r\n".encode())
        return line.recv(400).decode("latin-1").split()[1]


def test_the_page_has_its_own_process_that_ends_with_the_run():
    link = PageProcess(SHOW, None, 2, 1)
    try:
        assert link.address.startswith("http://127.0.0.1:")
        assert "200 OK" in spoken(link.address)
        port = link.address.rpartition(":")[2]
        assert socket_asked(link.address, "127.0.0.1", f"Origin: http://127.0.0.1:{port}") == "101"
        assert socket_asked(link.address, "localhost") == "101"  # no browser
        # pages of others, of a file, of another port; and a name that was made to point here
        for origin in ("http://evil.example", "null", "http://127.0.0.1:1", f"http://evil.example:{port}"):
            assert socket_asked(link.address, "127.0.0.1", f"Origin: {origin}") == "403"
        assert socket_asked(link.address, "evil.example", f"Origin: http://evil.example:{port}") == "403"
        assert "403" in spoken(link.address, name=f"evil.example:{port}")
        assert "403" in spoken(link.address, "/", "Host: localhost")  # twice
        for path in ("/live", "/../etc/passwd", "/%00", "//[", "/page.js"):
            assert "404" in spoken(link.address, path)
        answer = spoken(link.address)
        assert "X-Content-Type-Options: nosniff" in answer
        assert "Content-Security-Policy: default-src 'none'" in answer
        assert link.alive
    finally:
        link.close()
    assert not link.alive


def test_another_host_needs_the_token():
    link = PageProcess(SHOW, host="0.0.0.0")
    try:
        address, _, token = link.address.partition("/?token=")
        assert len(token) > 16
        here = address.replace("0.0.0.0", "127.0.0.1")
        assert "403" in spoken(here)
        assert "403" in spoken(here, "/?token=wrong")
        assert "403" in spoken(here, "/", "Cookie: linkwork=wrong")
        welcome = spoken(here, f"/?token={token}")
        assert "303" in welcome
        assert f"Set-Cookie: linkwork={token}; HttpOnly; SameSite=Strict" in welcome
        cookie = f"Cookie: linkwork={token}"
        assert "200 OK" in spoken(here, "/", cookie)
        port = here.rpartition(":")[2]
        assert socket_asked(here, "myhost", cookie, f"Origin: http://myhost:{port}") == "101"
        assert socket_asked(here, "myhost", cookie, "Origin: http://myhost:1") == "403"
    finally:
        link.close()


def test_a_token_that_can_be_guessed_is_refused():
    for token in ("abc", "with a space", "two\r\nlines"):
        with pytest.raises(lw.OptionError, match="hard to guess"):
            PageProcess(SHOW, host="0.0.0.0", token=token)


def test_the_next_free_port_is_taken():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        link = PageProcess(SHOW, port=port)
        link.close()
        assert port < int(link.address.rpartition(":")[2]) <= port + 20


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no Ctrl-C to a single process")
def test_the_command_prints_the_address_and_ends_its_page():
    # a shell that runs in the background has Ctrl-C ignored
    script = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from linkwork.cli import main; main()"
    )
    command = [sys.executable, "-c", script, "view", "pendulum", "--method", "recursive", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            address = process.stdout.readline().strip()
            assert "200 OK" in spoken(address), process.stderr.read()
            process.send_signal(signal.SIGINT)
            assert process.wait(20) == 0
            assert process.stderr.read() == ""
        finally:
            process.kill()
    with pytest.raises(OSError):
        spoken(address)


def test_a_script_needs_no_guard(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import linkwork as lw\n"
        "sim = lw.Simulation(lw.gallery.pendulum.build(), 'recursive', dt=1e-3)\n"
        "sim.step(100)\n"
        "sim.view(port=0, seconds=0.5)\n"
        "print(sim.time)\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    address, time = done.stdout.split()
    assert address.startswith("http://127.0.0.1:")
    assert float(time) == pytest.approx(0.1)  # it waits for somebody who looks


def test_the_page_ends_when_the_run_is_killed():
    command = [sys.executable, "-m", "linkwork.cli", "view", "pendulum", "--method", "recursive", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        address = process.stdout.readline().strip()
        assert "200 OK" in spoken(address)
        process.kill()
    last = time.monotonic() + 20
    while time.monotonic() < last:
        try:
            spoken(address)
        except OSError:
            return
        time.sleep(0.1)
    raise AssertionError("the page is still there")
