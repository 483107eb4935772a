"""Files come whole or not at all: written beside their place, to the disk, and then moved there under their name."""

from __future__ import annotations

import os
import secrets
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

TRIES = 25 if sys.platform == "win32" else 1  # to replace a file that another process may have open
PAUSE = 0.02  # s between two of them


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A place beside the target to write to, which then takes the target's name.

    A failure, a kill or a power cut leaves the older file. A link stays a link: what it leads to is replaced.

    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "page.html"
    >>> with whole(file) as beside:
    ...     _ = beside.write_text("a page")
    >>> file.read_text()
    'a page'
    """
    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.stem[:40]}.{secrets.token_hex(4)}{target.suffix}")
    try:
        yield beside
        with suppress(FileNotFoundError):
            shutil.copymode(target, beside)
        sync_file(beside)
        _replace(beside, target)
        sync_folder(target.parent)
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def _replace(source: Path, target: Path) -> None:
    """Give a file the name of another; on Windows that waits for a moment while another process reads it."""
    for left in reversed(range(TRIES)):
        try:
            os.replace(source, target)
            return
        except PermissionError:
            if left == 0:
                raise
        time.sleep(PAUSE)


def sync_file(path: Path) -> None:
    """What was written to this file, by whomever, reaches the disk."""
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Names in this folder reach the disk, where the system knows such a thing."""
    with suppress(OSError):
        place = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(place)
        finally:
            os.close(place)
