"""Transports between the ranks of an MPI communicator: the tag of a message carries its header."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from linkwork.distribute.transport import (
    FAILURE,
    FAREWELL,
    FLOAT64,
    FLOATS,
    SPIN,
    TEXT,
    TEXT_LIMIT,
    VERSION,
    Floats,
    PeerError,
    TransportEnd,
    byte_view,
    encoded_text,
    let_others_run,
    one_line,
)
from linkwork.errors import OptionError


def mpi() -> Any:
    """The module mpi4py.MPI, imported only when asked for."""
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError, OSError) as error:  # a missing MPI library comes as RuntimeError
        raise OptionError(
            f'MPI cannot be used here ({one_line(str(error), 200)}); pip install "linkwork[mpi]"'
        ) from error
    return MPI


_TAG = 1 << 14  # tags up to 32767 are good everywhere
_KINDS = 16
_meetings: dict[tuple[int, int], int] = {}  # communicator, rank -> connections so far
_unfinished: list[Any] = []  # requests and buffers given up, which MPI may still touch


def _tag(kind: int) -> int:
    return _TAG + _KINDS * VERSION + kind


class MpiTransport(TransportEnd):
    """A transport to another rank of an MPI communicator (`None`: all ranks that `mpiexec` has started).

    There may be one transport between two ranks of a communicator at a time, and nothing else may be sent between
    them; duplicate the communicator where that does not hold. An MPI process that gives up ends with `comm.Abort(1)`:
    leaving in order would wait for the others.
    """

    def __init__(self, comm: Any, rank: int, timeout: float) -> None:
        self._mpi = mpi()
        self._comm = self._mpi.COMM_WORLD if comm is None else comm
        self.peer = f"rank {rank}"
        self.timeout = timeout
        size, own = self._comm.Get_size(), self._comm.Get_rank()
        if not 0 <= rank < size or rank == own:
            raise OptionError(
                f"rank {rank} cannot be the peer of rank {own}: ranks run from 0 to {size - 1} and differ; "
                "start enough of them with mpiexec -n"
            )
        self._rank = int(rank)
        self._status = self._mpi.Status()
        both = self._comm.py2f(), self._rank
        self._meeting = _meetings[both] = _meetings.get(both, 0) + 1
        self._heard = False  # anything of this connection yet
        self._left = False  # the peer has said farewell, or cannot hear ours

    def _drop(self) -> None:
        if not self._left:
            data = struct.pack("<Q", self._meeting)
            with suppress(self._mpi.Exception):  # nobody may be left to hear it
                request = self._comm.Isend([data, len(data), self._mpi.BYTE], self._rank, _tag(FAREWELL))
                _unfinished.append((request, data))

    def send(self, values: Floats) -> None:
        """Send a contiguous float64 array of any shape."""
        byte_view(values, writeable=False)
        self._send(FLOATS, [values, values.size, self._mpi.DOUBLE])

    def send_text(self, text: str) -> None:
        """Send a text of at most 1 MiB (UTF-8)."""
        data = encoded_text(text)
        self._send(TEXT, [data, len(data), self._mpi.BYTE])

    def send_failure(self, text: str) -> None:
        """Tell why this side cannot go on: whatever the other side receives next raises PeerError with this text."""
        data = text.encode("utf-8", "replace")[:TEXT_LIMIT]
        self._send(FAILURE, [data, len(data), self._mpi.BYTE])

    def receive(self, values: Floats) -> None:
        """Fill a contiguous float64 array with exactly as many numbers; after an error it holds nothing of meaning."""
        byte_view(values, writeable=True)
        kind, tag, deadline = self._begin()
        if kind != FLOATS:
            raise self._unexpected(kind, FLOATS)
        self._check_count(self._status.Get_count(self._mpi.BYTE) // FLOAT64.itemsize, values.size)
        self._finish(self._comm.Irecv, [values, values.size, self._mpi.DOUBLE], tag, deadline)

    def receive_text(self) -> str:
        """Receive a text of at most 1 MiB."""
        kind, tag, deadline = self._begin()
        if kind != TEXT:
            raise self._unexpected(kind, TEXT)
        return self._decoded(self._text(tag, deadline))

    def _text(self, tag: int, deadline: float) -> bytearray:
        count = self._status.Get_count(self._mpi.BYTE)
        self._check_length(count)
        data = bytearray(count)
        self._finish(self._comm.Irecv, [data, count, self._mpi.BYTE], tag, deadline)
        return data

    def wait(self, seconds: float) -> bool:
        """True as soon as something (a message, or the end) has come from the peer; False after so many seconds."""
        self._open()
        try:
            return self._until(self._arrived, time.monotonic() + seconds)
        except self._mpi.Exception as error:
            raise self._broken(error) from error

    def _send(self, kind: int, message: list[Any]) -> None:
        self._open()
        self._finish(self._comm.Isend, message, _tag(kind), time.monotonic() + self._timeout)

    def _arrived(self) -> bool:
        """A message is there, or the peer has left; the farewell of an earlier connection of the two is neither."""
        while not self._left and self._comm.Iprobe(self._rank, self._mpi.ANY_TAG, self._status):
            if self._status.Get_tag() != _tag(FAREWELL):
                return True
            data = bytearray(8)
            self._comm.Recv([data, len(data), self._mpi.BYTE], self._rank, _tag(FAREWELL))
            self._left = self._heard or struct.unpack("<Q", data)[0] == self._meeting
        return self._left

    def _begin(self) -> tuple[int, int, float]:
        """Kind and tag of the next message (its size is in the status), and the deadline."""
        self._open()
        deadline = time.monotonic() + self._timeout
        try:
            there = self._until(self._arrived, deadline)
        except self._mpi.Exception as error:
            raise self._broken(error) from error
        except BaseException:
            self._give_up("")
            raise
        if not there:
            raise self._slow("did not answer")
        if self._left:
            raise self._gone()
        self._heard = True
        tag: int = self._status.Get_tag()
        version, kind = divmod(tag - _TAG, _KINDS)
        if version != VERSION:
            raise self._give_up(
                f"sends messages with tag {tag}, which are not of version {VERSION} of the protocol; install the same "
                "version of linkwork on all ranks, and leave the communicator to it"
            )
        if kind == FAILURE:
            raise self._failure(self._text(tag, deadline))
        return kind, tag, deadline

    def _finish(self, start: Callable[[Any, int, int], Any], message: list[Any], tag: int, deadline: float) -> None:
        """Start a transfer and see it through; a buffer that MPI still holds when time is up is kept."""
        request = None
        try:
            request = start(message, self._rank, tag)
            done = self._until(request.Test, deadline)
        except self._mpi.Exception as error:
            raise self._broken(error) from error
        except BaseException:
            _unfinished.append((request, message))
            self._give_up("")
            raise
        if not done:
            _unfinished.append((request, message))
            raise self._slow("did not see a message through")

    def _broken(self, error: Exception) -> PeerError:
        self._left = True
        return self._give_up(f"MPI reports: {one_line(str(error), 200)}; the rank may have ended")

    def _until(self, done: Callable[[], bool], deadline: float) -> bool:
        """Ask again and again: without a pause for a millisecond, then with pauses of a tenth of the time spent."""
        start = 0.0
        while not done():
            now = time.monotonic()
            start = start or now
            if now >= deadline:
                return False
            if now - start < 10 * SPIN:
                let_others_run()
            else:
                time.sleep(min((now - start) / 10, 1e-3, deadline - now))
        return True
