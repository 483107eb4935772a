"""One writer a file: a lock beside it that the system holds for the writing process and lets go when it ends."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import time as clock
from pathlib import Path
from typing import Any

from linkwork._file_lock import can_lock, lock, unlock
from linkwork.errors import OptionError

TRIES, PAUSE = 10, 0.02  # a reader that asks whether somebody writes holds the lock for a moment


def lock_of(path: Path) -> Path:
    """Where the lock of a file is."""
    return path.with_name(f".{path.name[-200:]}.lock")


class WriterLock:
    """Held from `take` to `release`, or to the end of the process."""

    def __init__(self, path: Path) -> None:
        self.path, self.place = path, lock_of(path)
        self._handle: int | None = None

    def take(self) -> None:
        """Become the writer of the file; raises `OptionError` with the name of the one there is."""
        if not can_lock():
            return
        for _ in range(TRIES):
            handle = os.open(self.place, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                # the last writer may have removed this lock between the two calls
                if lock(handle) and os.fstat(handle).st_ino == os.stat(self.place).st_ino:
                    self._handle = handle
                    self._sign()
                    return
            except FileNotFoundError:
                pass
            finally:
                if self._handle is None:
                    os.close(handle)
            clock.sleep(PAUSE)
        raise self._refusal()

    def _sign(self) -> None:
        assert self._handle is not None
        os.truncate(self._handle, 0)
        os.lseek(self._handle, 0, os.SEEK_SET)
        os.write(self._handle, json.dumps({"process": os.getpid(), "host": socket.gethostname()}).encode())

    def _refusal(self) -> OptionError:
        who: Any = {}
        with contextlib.suppress(OSError, ValueError):
            who = json.loads(self.place.read_bytes())
        told = f"process {who.get('process')} on {who.get('host')}" if isinstance(who, dict) and who else "a process"
        return OptionError(f"{self.path} is being written to by {told}; wait for its end, or give another file")

    def release(self) -> None:
        """Somebody else may write now."""
        if self._handle is not None:
            in_use = False
            try:
                os.unlink(self.place)
            except PermissionError:  # Windows removes no open file
                in_use = True
            except OSError:
                pass
            os.close(self._handle)
            self._handle = None
            if in_use:
                with contextlib.suppress(OSError):  # the next writer has it already
                    os.unlink(self.place)


def being_written(path: Path) -> bool:
    """Whether a process writes to the file now."""
    if not can_lock():
        return True
    try:
        handle = os.open(lock_of(path), os.O_RDONLY)
    except OSError:
        return False
    try:
        if not lock(handle, shared=True):
            return True
        unlock(handle)
    except OSError:
        return False
    finally:
        os.close(handle)
    return False
