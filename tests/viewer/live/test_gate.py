"""The gate of the page: who is let through, who is not, and that nobody can hold it up or guess for long."""

import json
import socket
import ssl

import pytest
from websockets.sync.client import connect

import linkwork as lw
from attacks.page import PAGE, TOKEN, Guarded, request
from linkwork.viewer.live import gate as module
from linkwork.viewer.live.gate import COOKIE, GUESSES, VISIT
from linkwork.viewer.live.page_process import LETTERS, PageProcess
from linkwork.viewer.live.web_server import STRANGERS

SHOW = {"/": ("text/plain", b"hello")}


@pytest.fixture
def guarded():
    with Guarded() as made:
        yield made


def welcome(answer):
    return status(answer) == 200 and answer.endswith(PAGE)


def status(answer):
    return int(answer.split()[1])


def test_the_token_gives_a_visit(guarded):
    answer = guarded.said(request(f"/?token={TOKEN}")).decode()
    assert status(answer.encode()) == 303
    visit = answer.partition(f"Set-Cookie: {VISIT}=")[2].partition(";")[0]
    assert len(visit) == LETTERS  # 128 bits
    assert visit != TOKEN
    for cookie in (f"{VISIT}={visit}", f"{COOKIE}={TOKEN}"):
        assert welcome(guarded.said(request("/", f"Cookie: {cookie}")))
        assert status(guarded.said(request("/", f"Cookie: {cookie}", "Origin: http://evil.example"))) == 403
    assert status(guarded.said(request("/", f"Cookie: {VISIT}={visit}x"))) == 403


@pytest.mark.parametrize(
    "data",
    [
        b"GET http://[ HTTP/1.1\r\n\r\n",
        b"GET //[ HTTP/1.1\r\nHost: [\r\nOrigin: http://[\r\n\r\n",
        b'GET /?token=%ff HTTP/1.1\r\nCookie: \x00="; ;=;linkwork\r\n\r\n',
        b"\xff\xfe\x00\r\n\r\n",
        b"\r\n\r\n",
    ],
)
def test_odd_requests_are_refused_without_a_word_on_the_terminal(guarded, data, capfd):
    answer = guarded.said(data)
    assert answer == b"" or status(answer) in (400, 403)
    assert PAGE not in guarded.said(b"GET /" + b"a" * 50_000)
    assert welcome(guarded.said(guarded.good))
    assert capfd.readouterr() == ("", "")


def test_guesses_are_limited(guarded, monkeypatch):
    for k in range(GUESSES):
        wrong = request(f"/?token={k}") if k % 2 else request("/", f"Cookie: {COOKIE}={k}")
        assert status(guarded.said(wrong)) == 403
    for more in (request("/?token=wrong"), request(f"/?token={TOKEN}"), request("/", f"Cookie: {COOKIE}={TOKEN}")):
        assert status(guarded.said(more)) == 429  # the right one too, or guessing would go on
    assert status(guarded.said(request("/"))) == 403  # that was no guess
    assert welcome(guarded.said(guarded.good))  # who was let in stays
    monkeypatch.setattr(module, "MINUTE", 0.0)
    assert status(guarded.said(request(f"/?token={TOKEN}"))) == 303


def test_guesses_of_many_addresses_need_no_more_memory(monkeypatch):
    monkeypatch.setattr(module, "ADDRESSES", 3)
    guesses = module.Guesses()
    for k in range(100):
        guesses.wrong(f"10.0.0.{k}")
    assert len(guesses._when) == 3


def test_silent_strangers_hold_up_nobody(guarded):
    silent = [socket.create_connection(("127.0.0.1", guarded.port)) for _ in range(3 * STRANGERS)]
    assert welcome(guarded.said(guarded.good))
    assert len(guarded.web.strangers) <= STRANGERS
    for each in silent:
        each.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    trustme = pytest.importorskip("trustme", reason="trustme, which makes the certificates, is not installed")
    folder, authority = tmp_path_factory.mktemp("certificates"), trustme.CA()
    made = authority.issue_cert("127.0.0.1")
    made.cert_chain_pems[0].write_to_path(str(folder / "page.cert"))
    made.private_key_pem.write_to_path(str(folder / "page.key"))
    trust = ssl.create_default_context()
    authority.configure_trust(trust)
    return str(folder / "page.cert"), str(folder / "page.key"), trust


def test_an_encrypted_page(files):
    cert, key, trust = files
    with Guarded((cert, key)) as guarded:
        answer = guarded.said(request(f"/?token={TOKEN}"), trust)
        assert status(answer) == 303
        assert answer.count(b"; Secure\r\n") == 2
        assert welcome(guarded.said(guarded.good, trust))
        assert TOKEN.encode() not in guarded.said(request(f"/?token={TOKEN}"))  # plain words are not answered
        assert welcome(guarded.said(guarded.good, trust))


def test_the_real_page_is_encrypted(files):
    cert, key, trust = files
    link = PageProcess(SHOW, cert=cert, key=key)
    try:
        place, _, token = link.address.removeprefix("https://").partition("/?token=")
        assert len(token) == LETTERS
        host, port = place.split(":")
        with trust.wrap_socket(socket.create_connection((host, int(port)), 10), server_hostname=host) as line:
            line.sendall(request("/", f"Cookie: {COOKIE}={token}"))
            assert status(line.recv(400)) == 200
        with connect(f"wss://{place}/live", ssl=trust, additional_headers={"Cookie": f"{COOKIE}={token}"}) as line:
            assert json.loads(line.recv())[0] == "welcome"
    finally:
        link.close()


def test_wrong_files_and_tokens_are_told(files, tmp_path):
    cert, key, _ = files
    with pytest.raises(lw.OptionError, match="needs cert= and key= together"):
        PageProcess(SHOW, cert=cert)
    for pair in ((key, cert), (str(tmp_path / "none"), key), (cert, "a\0b"), (cert, str(tmp_path))):
        with pytest.raises(lw.OptionError, match="are no certificate and its private key"):
            PageProcess(SHOW, cert=pair[0], key=pair[1])
    with pytest.raises(lw.OptionError, match=f"a token is {LETTERS} letters"):
        PageProcess(SHOW, host="0.0.0.0", token="x" * (LETTERS - 1))
    for port in (99999, -1, True, "8080"):
        with pytest.raises(lw.OptionError, match="port must be a whole number from 0 to 65535, not"):
            PageProcess(SHOW, port=port)
