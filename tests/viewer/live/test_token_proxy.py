"""The gate before the page: who is let through, who is not, and that nobody can hold it up or guess for long."""

import socket
import ssl

import pytest

import linkwork as lw
from attacks.page import PAGE, TOKEN, Guarded, request
from linkwork.viewer.live import token_proxy as module
from linkwork.viewer.live.page_process import LETTERS, PageProcess
from linkwork.viewer.live.token_proxy import COOKIE, GUESSES, STRANGERS, VISIT

SHOW = {"bodies": [], "joints": []}


@pytest.fixture
def guarded():
    with Guarded() as made:
        yield made


def status(answer):
    return int(answer.split()[1])


def test_the_token_gives_a_visit(guarded):
    welcome = guarded.said(request(f"/?token={TOKEN}")).decode()
    assert status(welcome.encode()) == 303
    visit = welcome.partition(f"Set-Cookie: {VISIT}=")[2].partition(";")[0]
    assert len(visit) == LETTERS  # 128 bits
    assert visit != TOKEN
    for cookie in (f"{VISIT}={visit}", f"{COOKIE}={TOKEN}"):
        assert guarded.said(request("/", f"Cookie: {cookie}")) == PAGE
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
    assert status(guarded.said(data)) == 403
    assert guarded.said(b"GET /" + b"a" * 50_000) == b""
    assert guarded.said(guarded.good) == PAGE
    assert capfd.readouterr() == ("", "")


def test_guesses_are_limited(guarded, monkeypatch):
    for k in range(GUESSES):
        wrong = request(f"/?token={k}") if k % 2 else request("/", f"Cookie: {COOKIE}={k}")
        assert status(guarded.said(wrong)) == 403
    for more in (request("/?token=wrong"), request(f"/?token={TOKEN}"), request("/", f"Cookie: {COOKIE}={TOKEN}")):
        assert status(guarded.said(more)) == 429  # the right one too, or guessing would go on
    assert status(guarded.said(request("/"))) == 403  # that was no guess
    assert guarded.said(guarded.good) == PAGE  # who was let in stays
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
    assert guarded.said(guarded.good) == PAGE
    assert len(guarded.gate._strangers) <= STRANGERS
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
        welcome = guarded.said(request(f"/?token={TOKEN}"), trust)
        assert status(welcome) == 303
        assert welcome.count(b"; Secure\r\n") == 2
        assert guarded.said(guarded.good, trust) == PAGE
        assert TOKEN.encode() not in guarded.said(request(f"/?token={TOKEN}"))  # plain words are not answered
        assert guarded.said(guarded.good, trust) == PAGE


def test_the_real_page_is_encrypted(files, swing):
    pytest.importorskip("viser", reason="the live page needs the extra view")
    from linkwork.viewer.live.page_data import page_data
    from linkwork.viewer.staging import Stage

    cert, key, trust = files
    link = PageProcess(page_data([Stage(swing())], [""], span=(0.0, 4.0)), cert=cert, key=key)
    try:
        place, _, token = link.address.removeprefix("https://").partition("/?token=")
        assert len(token) == LETTERS
        host, port = place.split(":")
        with trust.wrap_socket(socket.create_connection((host, int(port)), 10), server_hostname=host) as line:
            line.sendall(request("/", f"Cookie: {COOKIE}={token}"))
            assert status(line.recv(400)) == 200
    finally:
        link.close()


def test_wrong_files_and_tokens_are_told(files, tmp_path):
    pytest.importorskip("viser", reason="the live page needs the extra view")
    cert, key, _ = files
    with pytest.raises(lw.OptionError, match="needs cert= and key= together"):
        PageProcess(SHOW, cert=cert)
    for pair in ((key, cert), (str(tmp_path / "none"), key), (cert, "a\0b"), (cert, str(tmp_path))):
        with pytest.raises(lw.OptionError, match="are no certificate and its private key"):
            PageProcess(SHOW, cert=pair[0], key=pair[1])
    with pytest.raises(lw.OptionError, match=f"a token is {LETTERS} letters"):
        PageProcess(SHOW, host="0.0.0.0", token="x" * (LETTERS - 1))
