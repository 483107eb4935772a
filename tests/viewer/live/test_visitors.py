"""The socket of the live page: what visitors get, what they say, and what happens to those who say something else."""

import json
import random
import socket
import struct
import time
from contextlib import contextmanager, suppress

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode
from websockets.sync.client import connect

from flywheel import make
from linkwork.viewer.live import shared_frame as slot
from linkwork.viewer.live.driver import Driver
from linkwork.viewer.live.live_state import LiveState, preview
from linkwork.viewer.live.page_process import PageProcess

SHOW = {"/": ("text/html", b"<p>hello</p>")}
NAMES = {
    "input": ["drive"],
    "key": ["I", "K"],
    "method": ["recursive"],
    "body": ["wheel"],
    "columns": ["pin.velocity", "wheel.position"],
    "coordinates": 1,
}


@pytest.fixture(scope="module")
def page():
    made = PageProcess(SHOW, NAMES, 1, 1)
    yield made
    made.close()


@contextmanager
def visiting(page, **options):
    with connect(page.address.replace("http", "ws") + "/live", **options) as line:
        yield line


def said(page, *words):
    """Wait until the page's process has passed a message on; those before it are returned as well."""
    heard, last = [], time.monotonic() + 10
    while words not in heard:
        assert time.monotonic() < last, f"{words} is not among {heard}"
        heard += page.messages()
        time.sleep(0.005)
    return heard


def words(line, name, seconds=5.0):
    """The next message of a name; frames and others are passed over."""
    last = time.monotonic() + seconds
    while True:
        got = line.recv(timeout=last - time.monotonic())
        if isinstance(got, str) and json.loads(got)[0] == name:
            return json.loads(got)[1:]


def frame(line, seconds=5.0):
    last = time.monotonic() + seconds
    while True:
        got = line.recv(timeout=last - time.monotonic())
        if isinstance(got, bytes):
            return got


def numbers(data):
    counts = np.frombuffer(data, "<u4", 8)
    return np.frombuffer(data, "<f8", slot.HEAD, 32), np.frombuffer(data, "<f4", 7 * int(counts[0]), 32 + 8 * slot.HEAD)


def reason(line):
    """How the server closed."""
    try:
        while True:
            line.recv(timeout=15)
    except ConnectionClosed as closed:
        return closed.rcvd.code, closed.rcvd.reason


def test_frames_reach_all_visitors_to_the_last_bit_of_float32(page):
    pose = np.random.default_rng(1).normal(size=(1, 7))
    with visiting(page) as one, visiting(page) as other:
        page.frame.write({slot.TIME: 1.25}, pose)
        for line in (one, other):
            while True:
                head, poses = numbers(frame(line))
                if head[slot.TIME] == 1.25:
                    break
            np.testing.assert_array_equal(poses, pose[0].astype(np.float32))
        with visiting(page) as late:  # who comes later sees where it stands
            assert numbers(frame(late))[0][slot.TIME] == 1.25
            assert words(late, "here") == []  # the server is there, though nothing moves


def test_newcomers_are_told_what_the_others_know(page):
    with visiting(page) as first:
        words(first, "watched")
        page.send("inputs", {"drive": 2.0})
        page.send("label", "recursive, rk4")
        page.send("note", "this is gone")
        words(first, "note")
    with visiting(page) as line:
        found = [json.loads(line.recv(timeout=5)) for _ in range(4)]
    assert [one[0] for one in found] == ["welcome", "watched", "inputs", "label"]
    assert found[2][1] == {"drive": 2.0}


def test_keys_and_bodies_are_let_go_when_a_visitor_leaves(page):
    with visiting(page) as one, visiting(page) as other:
        one.send('["key", "I", true]')
        said(page, "key", "I", True)
        other.send('["key", "I", true]')
        one.send('["key", "I", false]')  # the other still holds it
        one.send('["single", 7]')
        assert ("key", "I", False) not in said(page, "single", 7)
        other.send('["grab", "wheel", [0, 0, 0], [1, 0, 0]]')
        said(page, "grab", "wheel", [0, 0, 0], [1, 0, 0])
        other.close()
        heard = said(page, "drop", "wheel")
        heard += [] if ("key", "I", False) in heard else said(page, "key", "I", False)


def test_what_visitors_watch_is_put_together(page):
    with visiting(page) as one, visiting(page) as other:
        one.send('["watch", ["pin.velocity"]]')
        number, columns = words(one, "watched")
        while columns != ["pin.velocity"]:
            number, columns = words(one, "watched")
        other.send('["watch", ["wheel.position", "pin.velocity"]]')
        later, columns = words(one, "watched")
        assert later == number + 1
        assert sorted(columns) == ["pin.velocity", "wheel.position"]
        said(page, "watch", columns, later)


@pytest.mark.parametrize(
    ("sent", "code", "why"),
    [
        ("hello", 1008, "not JSON"),
        ('["input", "drive", NaN]', 1008, "not JSON"),
        ('["input", "drive", 1e999]', 1008, "wrong values"),
        ('["input", "drive"]', 1008, "wrong values"),
        ('["input", "drive", "1"]', 1008, "wrong values"),
        ('["run", 1]', 1008, "wrong values"),
        ('["take", 1]', 1008, "no message"),
        ('["__init__"]', 1008, "no message"),
        ('{"run": true}', 1008, "no message"),
        ('["grab", "wheel", [0, 0], [0, 0, 0]]', 1008, "wrong values"),
        ("[" * 5000, 1008, "not JSON"),
        ('["input", "drive", ' + 5000 * "9" + "]", 1008, "not JSON"),
        (b'["reset"]', 1003, "text"),
        ('["watch", [' + ",".join(49 * ['"pin.velocity"']) + "]]", 1008, "wrong values"),
        ("x" * 20_000, 1009, "16384"),
    ],
)
def test_what_no_page_sends_is_closed_with_a_reason(page, sent, code, why):
    with visiting(page) as good, visiting(page) as bad:
        bad.send(sent)
        got, told = reason(bad)
        assert got == code
        assert why in told
        good.send('["single", 3]')
        said(page, "single", 3)  # the others go on


def test_what_is_not_there_is_told(page):
    with visiting(page) as line:
        for message, note in (
            (["input", "no", 1.0], "there is no input 'no'"),
            (["method", "magic"], "there is no method 'magic'"),
            (["grab", "no", [0, 0, 0], [0, 0, 0]], "there is no body 'no'"),
            (["pose", 5, 0.0], "there is no such coordinate"),
            (["watch", ["no"]], "there is no column 'no'"),
            (["key", "Z", True], "there is no key 'Z'"),
        ):
            line.send(json.dumps(message))
            assert words(line, "note") == [note]


def test_too_many_messages(page):
    with visiting(page) as line:
        with suppress(ConnectionClosed):
            for _ in range(3000):
                line.send('["single", 0]')
        assert reason(line) == (1008, "too many messages")


def raw(page):
    """A socket of our own that has shaken hands, to break the rules with."""
    place = page.address.removeprefix("http://")
    host, port = place.split(":")
    line = socket.create_connection((host, int(port)), timeout=20)
    upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13"
    line.sendall(
        f"GET /live HTTP/1.1\r\nHost: {place}\r\n{upgrade}\r\nSec-WebSocket-Key: {'A' * 22}==\r\n\r\n".encode()
    )
    heard = b""
    while b"\r\n\r\n" not in heard:
        heard += line.recv(4096)
    assert b" 101 " in heard
    return line


def ended(line):
    """All until the server closes; what its last words say."""
    heard = b""
    with suppress(ConnectionError):
        while block := line.recv(65536):
            heard += block
    return heard


def test_who_is_slow_is_closed_and_holds_up_nobody(page):
    """Messages that do not end, and a socket that is never read: waited for at the same time, as each takes seconds."""
    first, second = raw(page), raw(page)
    first.sendall(Frame(Opcode.TEXT, b'["single", ', fin=False).serialize(mask=True))
    second.sendall(Frame(Opcode.TEXT, b'["single", 1]').serialize(mask=True)[:-4])  # it answers no question any more
    takes_no_frames()
    assert b"a message did not end" in ended(first)
    assert b"ping timeout" in ended(second)


def takes_no_frames():
    """Its frames are left out, and after some seconds it is closed."""
    page = PageProcess(SHOW, NAMES, 20_000, 0)
    poses = np.zeros((20_000, 7))
    try:
        slow = raw(page)
        with visiting(page, max_size=None) as good:
            came, last = 0, time.monotonic() + 6.5
            while time.monotonic() < last:
                page.frame.write({slot.TIME: time.monotonic()}, poses)
                came += bool(frame(good))
        slow.settimeout(5.0)
        heard = ended(slow)  # what was on its way, and the end
        assert came > 60
        assert len(heard) < 0.5 * came * 20_000 * 28
    finally:
        page.close()


def test_frames_damaged_at_random_do_no_harm(page):
    """Bytes turned over, cut and repeated in frames of the right kind; a good visitor is served all the while."""
    with visiting(page) as good:
        for k in range(60):
            chance = random.Random(k)
            whole = Frame(Opcode(chance.choice([0, 1, 2, 8, 9, 10])), b'["input", "drive", 1]').serialize(mask=True)
            data = bytearray(whole * chance.randint(1, 3))
            for _ in range(chance.randint(1, 6)):
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            line = raw(page)
            with suppress(OSError):
                line.sendall(bytes(data[: chance.randint(1, len(data))]))
                line.sendall(struct.pack(">I", k))
            line.close()
            if k % 10 == 0:
                good.send(json.dumps(["single", k]))
                said(page, "single", k)


def test_the_simulation_behind_it_is_untouched_by_all_that():
    """A run looked at by vandals has the same numbers as one alone."""
    stage, sim, alone = preview(lambda: make()), make(), make()
    page = PageProcess(SHOW, NAMES, 1, 1)
    driver = Driver(page, make, sim, LiveState(sim, stage))
    driver.receive("run", False)
    try:
        chance = random.Random(5)
        for _ in range(30):
            with visiting(page) as bad, suppress(ConnectionClosed):
                bad.send(chance.choice(["nonsense", "[1]", b"\0" * 100, '["take", null]', '["input", "x", 1]']))
                bad.recv(timeout=5)
            for message in page.messages():
                driver.receive(*message)
            driver.receive("single", 5)
            driver.show()
        alone.step(150)
        assert sim.time == alone.time
        np.testing.assert_array_equal(sim["wheel.rotation"], alone["wheel.rotation"])
    finally:
        page.close()
