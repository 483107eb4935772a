"""Transports: what is sent arrives bit for bit, and whatever goes wrong is told within the timeout."""

import importlib.util
import multiprocessing
import os
import pickle
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import tracemalloc
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import linkwork
from linkwork.distribute import transport as module
from linkwork.distribute.mpi_transport import MpiTransport, mpi
from linkwork.distribute.socket_transport import SocketTransport, pair
from linkwork.distribute.transport import (
    FLOATS,
    HEADER,
    MAGIC,
    TEXT,
    TEXT_LIMIT,
    VERSION,
    PeerError,
    Transport,
)
from linkwork.errors import OptionError

SOURCE = Path(linkwork.__file__).parent.parent
SLACK = 2.0  # s that a loaded machine may add to a timeout


@pytest.fixture
def ends():
    left, right = pair(timeout=5)
    with closing(left), closing(right):
        yield left, right


@pytest.fixture
def raw():
    """A transport, and the bare socket at its other end."""
    mine, theirs = socket.socketpair()
    with theirs, closing(SocketTransport(mine, "the wheel", 5)) as transport:
        yield transport, theirs


def exchange(sender: Transport, receiver: Transport, values: np.ndarray) -> np.ndarray:
    """Send from a thread, since a large message does not fit into the buffers in between."""
    sending = threading.Thread(target=sender.send, args=(values,))
    sending.start()
    back = np.full(values.shape, np.nan)
    receiver.receive(back)
    sending.join()
    return back


# --- what arrives --------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 2, 6, 36, 2046, 2047, 2048, 10_000, 300_000])
def test_numbers_arrive_bit_for_bit(ends, size):
    random = np.random.default_rng(size)
    values = random.integers(0, 1 << 64, size=size, dtype=np.uint64).view(np.float64)  # NaNs of all kinds, too
    back = exchange(*ends, values)
    assert back.tobytes() == values.tobytes()


def test_odd_numbers_stay_what_they_are(ends):
    values = np.array([0.0, -0.0, np.inf, -np.inf, 5e-324, 1.7976931348623157e308, 0.1])
    assert exchange(*ends, values).tobytes() == values.tobytes()


def test_shapes_do_not_matter_and_both_ways_work(ends):
    left, right = ends
    values = np.arange(36.0).reshape(6, 6)
    assert np.array_equal(exchange(left, right, values), values)
    assert np.array_equal(exchange(right, left, values), values)


def test_messages_sent_ahead_stay_apart(ends):
    left, right = ends
    for k in range(20):
        left.send(np.full(k, float(k)))
        left.send_text(f"message {k}")
    for k in range(20):
        values = np.empty(k)
        right.receive(values)
        assert np.all(values == k)
        assert right.receive_text() == f"message {k}"


def test_read_only_numbers_may_be_sent(ends):
    values = np.arange(3.0)
    values.flags.writeable = False
    assert np.array_equal(exchange(*ends, values), values)


@pytest.mark.parametrize("text", ["", "a", "Gelenk ä → 弹簧\n\0", "x" * TEXT_LIMIT])
def test_texts_arrive(ends, text):
    left, right = ends
    sending = threading.Thread(target=left.send_text, args=(text,))
    sending.start()
    assert right.receive_text() == text
    sending.join()


@pytest.mark.parametrize(
    "values",
    [
        np.arange(6.0)[::2],
        np.zeros((3, 3), order="F"),
        np.arange(3),
        np.zeros(3, dtype=np.float32),
        np.zeros(3, dtype=">f8"),
        [1.0],
    ],
    ids=["strided", "fortran", "integers", "float32", "big endian", "list"],
)
def test_arrays_that_would_need_a_copy_are_refused(ends, values):
    left, right = ends
    with pytest.raises(TypeError, match="contiguous"):
        left.send(values)
    with pytest.raises(TypeError, match="contiguous"):
        right.receive(values)
    assert exchange(left, right, np.ones(2)).tolist() == [1, 1]  # nothing was sent


def test_receiving_into_a_read_only_array_is_refused(ends):
    values = np.zeros(3)
    values.flags.writeable = False
    with pytest.raises(TypeError, match="read-only"):
        ends[1].receive(values)


def test_too_long_a_text_is_refused_before_it_leaves(ends):
    left, right = ends
    with pytest.raises(OptionError, match="1048576 bytes at most, not 1048578"):
        left.send_text("ä" * (TEXT_LIMIT // 2 + 1))
    left.send_text("still fine")
    assert right.receive_text() == "still fine"


def test_wire_format_is_what_the_head_of_the_file_says(raw):
    transport, theirs = raw
    transport.send(np.array([1.5]))
    assert theirs.recv(100) == struct.pack("<4sHHQd", b"LWRK", 1, 1, 1, 1.5)
    transport.send_text("ä")
    assert theirs.recv(100) == struct.pack("<4sHHQ", b"LWRK", 1, 2, 2) + "ä".encode()


@pytest.mark.parametrize("chunk", [1, 3, 15, 16, 17, 33])
def test_pieces_are_put_together(raw, chunk):
    transport, theirs = raw
    theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
    message = HEADER.pack(MAGIC, VERSION, FLOATS, 4) + np.arange(4.0).tobytes()

    def drip():
        for k in range(0, len(message), chunk):
            theirs.sendall(message[k : k + chunk])
            time.sleep(0.001)

    dripping = threading.Thread(target=drip)
    dripping.start()
    values = np.empty(4)
    transport.receive(values)
    dripping.join()
    assert values.tolist() == [0, 1, 2, 3]


# --- what goes wrong -----------------------------------------------------------------------------------


def test_wrong_size(ends):
    left, right = ends
    left.send(np.zeros(7))
    with pytest.raises(
        PeerError,
        match="the other side sends 7 numbers where 6 were expected; "
        "both sides must run the same version of the component",
    ) as caught:
        right.receive(np.empty(6))
    assert caught.value.peer == "whole"
    with pytest.raises(PeerError, match="earlier failure; connect again"):
        right.receive(np.empty(7))
    with pytest.raises(PeerError, match="part: has closed the connection"):
        left.receive(np.empty(1))


@pytest.mark.parametrize("sent", [0, 1, 5, 8])
def test_wrong_size_is_never_filled_up_with_the_next_message(ends, sent):
    left, right = ends
    left.send(np.zeros(sent))
    left.send(np.zeros(100))
    with pytest.raises(PeerError, match=f"sends {sent} numbers where 6"):
        right.receive(np.empty(6))


def test_numbers_for_text_and_text_for_numbers():
    left, right = pair(timeout=5)
    left.send(np.zeros(3))
    with pytest.raises(PeerError, match="sends numbers where text should come"):
        right.receive_text()
    left, right = pair(timeout=5)
    left.send_text("hello")
    with pytest.raises(PeerError, match="sends text where numbers"):
        right.receive(np.empty(3))


@pytest.mark.parametrize(
    ("start", "message"),
    [
        (
            HEADER.pack(b"GET ", VERSION, FLOATS, 1),
            r"does not speak linkwork's protocol \(it sent b'GET .*check the port",
        ),
        (HEADER.pack(MAGIC, VERSION + 1, FLOATS, 1), "version 2 of the protocol and this side version 1; install"),
        (HEADER.pack(MAGIC, VERSION, 77, 1), "unknown kind 77"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03abcde", "speaks TLS and this side does not"),
    ],
    ids=["magic", "version", "kind", "TLS"],
)
@pytest.mark.parametrize("what", ["numbers", "text"])
def test_strangers(raw, start, message, what):
    transport, theirs = raw
    theirs.sendall(start + bytes(8))
    with pytest.raises(PeerError, match=message) as caught:
        transport.receive(np.empty(1)) if what == "numbers" else transport.receive_text()
    assert str(caught.value).startswith("the wheel: ")


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=60), st.sampled_from(["numbers", "text"]))
def test_whatever_comes_is_taken_or_refused(garbage, what):
    for start in (b"", MAGIC, HEADER.pack(MAGIC, VERSION, FLOATS, 2)[:-4], HEADER.pack(MAGIC, VERSION, TEXT, 9)):
        mine, theirs = socket.socketpair()
        with theirs, closing(SocketTransport(mine, "the wheel", 5)) as transport:
            theirs.sendall(start + garbage)
            theirs.shutdown(socket.SHUT_WR)
            for _ in range(8):  # more messages than fit
                try:
                    transport.receive(np.empty(2)) if what == "numbers" else transport.receive_text()
                except PeerError:
                    break
            else:
                pytest.fail("nothing was refused")


def test_text_too_long_is_not_even_allocated(raw):
    transport, theirs = raw
    theirs.sendall(HEADER.pack(MAGIC, VERSION, TEXT, 1 << 60))
    with pytest.raises(PeerError, match=f"a text of {1 << 60} bytes where {TEXT_LIMIT}"):
        transport.receive_text()


def test_huge_count_of_numbers_is_a_wrong_size(raw):
    transport, theirs = raw
    theirs.sendall(HEADER.pack(MAGIC, VERSION, FLOATS, (1 << 64) - 1))
    with pytest.raises(PeerError, match="numbers where 3"):
        transport.receive(np.empty(3))


def test_text_that_is_no_text(raw):
    transport, theirs = raw
    theirs.sendall(HEADER.pack(MAGIC, VERSION, TEXT, 2) + b"\xff\xfe")
    with pytest.raises(PeerError, match="not UTF-8"):
        transport.receive_text()


@pytest.mark.parametrize("cut", [0, 7, 16, 20])
@pytest.mark.parametrize("what", ["numbers", "text"])
def test_peer_closes_in_mid_message(raw, cut, what):
    transport, theirs = raw
    kind = FLOATS if what == "numbers" else TEXT
    count = 4 if what == "numbers" else 32
    theirs.sendall((HEADER.pack(MAGIC, VERSION, kind, count) + bytes(32))[:cut])
    theirs.close()
    expected = "in the middle of a message" if cut else "has closed the connection; its own output may say why"
    with pytest.raises(PeerError, match=expected):
        transport.receive(np.empty(4)) if what == "numbers" else transport.receive_text()


def test_sending_to_one_who_is_gone(raw):
    transport, theirs = raw
    theirs.close()
    with pytest.raises(PeerError, match="has closed the connection"):
        transport.send(np.zeros(3))


@pytest.mark.parametrize("what", ["numbers", "text"])
def test_silent_peer(what):
    left, right = pair(timeout=0.2)
    started = time.monotonic()
    with pytest.raises(PeerError, match=r"did not answer within 0.2 s; .*longer timeout"):
        right.receive(np.empty(3)) if what == "numbers" else right.receive_text()
    assert 0.15 < time.monotonic() - started < 0.2 + SLACK
    left.close()


def test_dripping_peer_cannot_stretch_the_timeout(raw):
    transport, theirs = raw
    transport.timeout = 0.3
    stop = threading.Event()

    def drip():
        theirs.sendall(HEADER.pack(MAGIC, VERSION, FLOATS, 1000))
        for _ in range(200):
            if stop.wait(0.02):
                return
            try:
                theirs.sendall(b"x")
            except OSError:
                return

    dripping = threading.Thread(target=drip)
    dripping.start()
    started = time.monotonic()
    with pytest.raises(PeerError, match="stopped in the middle of a message and did not go on within 0.3 s"):
        transport.receive(np.empty(1000))
    assert time.monotonic() - started < 0.3 + SLACK
    stop.set()
    dripping.join()


def test_peer_that_does_not_read(raw):
    transport, _ = raw
    transport.timeout = 0.2
    started = time.monotonic()
    with pytest.raises(PeerError, match="did not take a message within 0.2 s"):
        transport.send(np.zeros(1 << 20))
    assert time.monotonic() - started < 0.2 + SLACK
    with pytest.raises(PeerError, match="earlier failure"):
        transport.send(np.zeros(1))


def test_failure_of_the_other_side_is_told(ends):
    left, right = ends
    left.send_failure("joint 'pin':\n mass matrix is singular \x1b[31m")
    with pytest.raises(PeerError, match=r"cannot go on: joint 'pin': mass matrix is singular \[31m$"):
        right.receive(np.empty(2))


@pytest.mark.parametrize("expected", [0, 1, 3, 1000])
def test_failure_in_place_of_numbers_of_any_size(ends, expected):
    left, right = ends
    left.send_failure("no solution " * 10)
    left.close()
    with pytest.raises(PeerError, match="no solution no"):
        right.receive(np.empty(expected))


def test_failure_in_place_of_text(ends):
    left, right = ends
    left.send_failure("x" * (TEXT_LIMIT // 8))
    with pytest.raises(PeerError, match="cannot go on: xxx") as caught:
        right.receive_text()
    assert len(str(caught.value)) < 2100


def test_closing(ends):
    left, right = ends
    left.close()
    left.close()
    for call in (lambda: left.send(np.zeros(1)), lambda: left.receive(np.zeros(1)), left.receive_text):
        with pytest.raises(PeerError, match="part: the connection was closed on this side; connect again"):
            call()
    with pytest.raises(PeerError, match="whole: has closed the connection"):
        right.receive(np.zeros(1))


def test_waiting(ends):
    left, right = ends
    started = time.monotonic()
    assert not right.wait(0.05)
    assert not right.wait(0)
    assert time.monotonic() - started < 0.05 + SLACK
    left.send(np.ones(2))
    assert right.wait(0)
    assert right.wait(5)  # and takes nothing away
    values = np.zeros(2)
    right.receive(values)
    assert values.tolist() == [1, 1]
    assert not right.wait(0)
    assert right.timeout == 5
    left.close()
    assert right.wait(5)  # the end is something, too
    with pytest.raises(PeerError, match="closed"):
        right.receive(values)


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs interval timers")
def test_interrupt_closes_since_the_ends_may_be_out_of_step(ends):
    left, right = ends

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    try:
        with pytest.raises(KeyboardInterrupt):
            right.receive(np.empty(1))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    with pytest.raises(PeerError, match="has closed"):
        left.receive(np.empty(1))


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), 1e9, "5", None, True])
def test_timeouts_that_are_none(timeout):
    with pytest.raises(OptionError, match="timeout must be"):
        pair(timeout)


def test_errors_survive_a_way_through_processes():
    error = pickle.loads(pickle.dumps(PeerError("rank 3", "is gone")))
    assert (error.peer, error.message, str(error)) == ("rank 3", "is gone", "rank 3: is gone")


def test_no_copy_is_made(ends):
    values = np.ones(1 << 18)  # 2 MiB
    back = np.empty_like(values)
    left, right = ends
    sending = threading.Thread(target=left.send, args=(values,))
    tracemalloc.start()
    sending.start()
    right.receive(back)
    sending.join()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert np.array_equal(back, values)
    assert peak < 200_000


# --- other processes -----------------------------------------------------------------------------------


def program(text: str, *arguments: str, launcher: tuple[str, ...] = ()) -> subprocess.Popen:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    return subprocess.Popen(
        [*launcher, sys.executable, "-c", text, *arguments],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


ECHO_BY_DESCRIPTOR = """
import socket, sys
import numpy as np
from linkwork.distribute.socket_transport import SocketTransport
transport = SocketTransport(socket.socket(fileno=int(sys.argv[1])), "parent", 30)
values = np.empty(36)
for _ in range(100):
    transport.receive(values)
    transport.send(values)
"""


@pytest.mark.skipif(os.name != "posix", reason="descriptors are handed on by POSIX systems only")
def test_another_process_by_descriptor():
    mine, theirs = socket.socketpair()
    child = subprocess.Popen(
        [sys.executable, "-c", ECHO_BY_DESCRIPTOR, str(theirs.fileno())],
        env={**os.environ, "PYTHONPATH": str(SOURCE)},
        pass_fds=[theirs.fileno()],
    )
    theirs.close()
    random = np.random.default_rng(0)
    with closing(SocketTransport(mine, "child", 60)) as transport:
        back = np.empty(36)
        for _ in range(100):
            values = random.normal(size=36)
            transport.send(values)
            transport.receive(back)
            assert back.tobytes() == values.tobytes()
        with pytest.raises(PeerError, match="child: has closed the connection"):
            transport.receive(back)
    assert child.wait(30) == 0


def test_a_transport_can_be_handed_to_a_spawned_process():
    left, right = pair(timeout=60)
    context = multiprocessing.get_context("spawn")
    # what runs there is the bound method itself, so that nothing of this file need be imported
    child = context.Process(target=right.send_text, args=("from there",))
    child.start()
    right.close()
    with closing(left):
        assert left.receive_text() == "from there"
        child.join(30)
        with pytest.raises(PeerError, match="has closed"):
            left.receive_text()
    assert child.exitcode == 0


# --- MPI -----------------------------------------------------------------------------------------------


def test_without_mpi_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(OptionError, match=r'MPI cannot be used here .*pip install "linkwork\[mpi\]"'):
        mpi()
    with pytest.raises(OptionError, match="linkwork"):
        MpiTransport(None, 1, 5)


def mpiexec() -> str | None:
    beside = Path(sys.executable).parent / "mpiexec"
    return str(beside) if beside.exists() else shutil.which("mpiexec")


needs_mpi = pytest.mark.skipif(
    importlib.util.find_spec("mpi4py") is None or mpiexec() is None,
    reason='MPI is not installed: pip install "linkwork[mpi]"',
)

MPI_START = """
import sys, time
import numpy as np
from mpi4py import MPI
from linkwork.distribute.mpi_transport import MpiTransport
from linkwork.distribute.transport import PeerError
comm = MPI.COMM_WORLD
rank = comm.Get_rank()
def say(text):
    sys.stdout.write(f"{rank} {text}\\n")  # in one piece, or the ranks' lines mix
    sys.stdout.flush()
def refused(call):
    started = time.monotonic()
    try:
        call()
    except PeerError as error:
        say(f"[{time.monotonic() - started:.3f}] {error}")
    else:
        raise SystemExit("nothing was refused")
"""


def ranks(text: str) -> list[str]:
    """What two ranks print, sorted; both must end well."""
    running = program(MPI_START + text, launcher=(str(mpiexec()), "-n", "2"))
    try:
        out, problems = running.communicate(timeout=120)
    finally:
        if running.poll() is None:
            running.kill()
    assert running.returncode == 0, problems + out
    return sorted(line for line in out.splitlines() if line.strip())


@needs_mpi
def test_mpi_round_trips():
    lines = ranks("""
transport = MpiTransport(None, 1 - rank, 30)
random = np.random.default_rng(7)
for size in (0, 1, 36, 5000, 300_000):  # the last ones wait for the receiver to be ready
    values = random.integers(0, 1 << 63, size=size, dtype=np.uint64).view(np.float64)
    back = np.empty(size)
    if rank == 0:
        transport.send(values)
        transport.receive(back)
        assert back.tobytes() == values.tobytes()
    else:
        transport.receive(back)
        transport.send(back)
for text in ("", "Gelenk ä", "x" * (1 << 20)):
    if rank == 0:
        transport.send_text(text)
        assert transport.receive_text() == text
    else:
        transport.send_text(transport.receive_text())
assert not transport.wait(0)
comm.Barrier()
if rank == 0:
    transport.send(np.ones(1))
else:
    assert transport.wait(10) and transport.wait(0)
    transport.receive(np.empty(1))
comm.Barrier()
transport.close()
# a second connection between the same ranks is not confused by the farewell of the first
again = MpiTransport(comm, 1 - rank, 30)
if rank == 0:
    again.send_text("again")
    again.receive_text()
else:
    again.send_text(again.receive_text())
say("fine")
""")
    assert lines == ["0 fine", "1 fine"]


@needs_mpi
def test_mpi_refusals():
    lines = ranks("""
transport = MpiTransport(comm, 1 - rank, 0.3)
if rank == 0:
    refused(lambda: transport.receive(np.empty(3)))       # silent peer
    refused(lambda: transport.send(np.empty(3)))          # given up
    comm.Barrier()
else:
    comm.Barrier()
    transport.close()                                     # rank 0 has given up before
def fresh():
    comm.Barrier()
    time.sleep(0.05)
    while comm.Iprobe(1 - rank, MPI.ANY_TAG):             # as if it were another job
        comm.Recv(bytearray(1 << 24), 1 - rank, MPI.ANY_TAG)
    comm.Barrier()
    return MpiTransport(comm, 1 - rank, 5)
transport = fresh()
if rank == 0:
    transport.send(np.zeros(7))
    refused(transport.receive_text)                       # the other one has given up
else:
    refused(lambda: transport.receive(np.empty(6)))
transport = fresh()
if rank == 0:
    transport.send_text("hello")
else:
    refused(lambda: transport.receive(np.empty(6)))
transport = fresh()
if rank == 0:
    transport.send_failure("no solution")
else:
    refused(lambda: transport.receive(np.empty(6)))
transport = fresh()
if rank == 0:
    comm.Send(np.zeros(6), 1, 77)
else:
    refused(lambda: transport.receive(np.empty(6)))
transport = fresh()
if rank == 0:
    transport.send(np.zeros(6))
    transport.close()
else:
    transport.receive(np.empty(6))
    refused(lambda: transport.receive(np.empty(6)))
transport = fresh()
if rank == 0:
    transport.timeout = 0.3
    refused(lambda: transport.send(np.zeros(1 << 20)))    # nobody takes it
    comm.Barrier()
else:
    comm.Barrier()
fresh()
try:
    MpiTransport(comm, 5, 1)
except ValueError as error:
    say(error)
""")
    text = "\n".join(lines)
    spent = [float(line.split("[")[1].split("]")[0]) for line in lines if "within 0.3 s" in line]
    assert len(spent) == 2
    assert all(0.29 < seconds < 0.3 + SLACK for seconds in spent)
    for said in (
        "rank 1: did not answer within 0.3 s",
        "rank 1: the connection was given up after an earlier failure; connect again",
        "rank 0: the other side sends 7 numbers where 6 were expected; both sides must run the same version",
        "rank 0: the other side sends text where numbers should come",
        "rank 0: the other side cannot go on: no solution",
        "rank 0: sends messages with tag 77, which are not of version 1",
        "rank 0: has closed the connection",
        "rank 1: has closed the connection",
        "rank 1: did not see a message through within 0.3 s",
        "1 rank 5 cannot be the peer of rank 1: ranks run from 0 to 1",
    ):
        assert said in text, f"{said!r} is missing in\n{text}"


def test_all_transports_have_the_verbs():
    verbs = [name for name in vars(Transport) if not name.startswith("_") and callable(vars(Transport)[name])]
    assert len(verbs) == 7
    for kind in (SocketTransport, MpiTransport):
        assert all(callable(getattr(kind, verb)) for verb in verbs)
        assert isinstance(kind.timeout, property)
    assert module.VERSION == 1
