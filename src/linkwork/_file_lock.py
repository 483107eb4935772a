"""Locks on open files, which the system drops when their process ends: flock, or on Windows a lock on one byte."""

from __future__ import annotations

import contextlib
import importlib
import os
import time
from typing import Any


def _module(name: str) -> Any:
    """A module of the standard library that not every system has, or None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


fcntl, msvcrt = _module("fcntl"), _module("msvcrt")  # of Unix, and of Windows
BYTE = 1 << 30  # the byte that Windows locks: a locked byte cannot be read, so it lies behind all that files hold
PAUSE = 0.02  # s between two tries on Windows


def can_lock() -> bool:
    """Whether this system has locks on files."""
    return fcntl is not None or msvcrt is not None


def lock(handle: int, *, wait: bool = False, shared: bool = False) -> bool:
    """Lock an open file for this process alone; False where another process has it and `wait` is not set.

    Several processes may hold a `shared` lock; Windows has none, and takes an exclusive one. A system without locks
    returns True.
    """
    if fcntl is not None:
        try:
            fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        return True
    while msvcrt is not None and not _lock_byte(handle):
        if not wait:
            return False
        time.sleep(PAUSE)
    return True


def unlock(handle: int) -> None:
    """Let others lock the file."""
    if fcntl is not None:
        fcntl.flock(handle, fcntl.LOCK_UN)
    elif msvcrt is not None:
        os.lseek(handle, BYTE, os.SEEK_SET)
        with contextlib.suppress(OSError):  # it was not locked
            msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)


def _lock_byte(handle: int) -> bool:
    os.lseek(handle, BYTE, os.SEEK_SET)
    try:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
    except OSError:
        return False
    return True
