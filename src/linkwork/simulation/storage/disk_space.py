"""Room on a disk for a file that grows: asked for before it is written to.

HDF5 does not survive a write that fails half way: what it could not write stays in its memory, and closing the file
fails again. So room is taken first, by the system call for that, and a full disk shows while the file is still whole.
"""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

RESERVE = 1 << 20  # bytes more than is asked for: what ending the file needs
UNSUPPORTED = (errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL)


class Room:
    """The room that a file has; `grow` takes more of it and raises `OSError` where there is none."""

    def __init__(self, path: Path) -> None:
        self.path, self.size = path, 0

    def probe(self) -> None:
        """See whether there is room for the beginning, by a file beside it."""
        beside = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        try:
            _allocate(beside, 2 * RESERVE)
        finally:
            beside.unlink(missing_ok=True)

    def grow(self, more: int) -> None:
        """Take room for so many bytes more; what was taken once stays."""
        _allocate(self.path, self.size + more + RESERVE)
        self.size += more


def _allocate(path: Path, size: int) -> None:
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if hasattr(os, "posix_fallocate"):
            try:
                os.posix_fallocate(handle, 0, size)
                return
            except OSError as error:
                if error.errno not in UNSUPPORTED:
                    raise
        if shutil.disk_usage(path.parent).free < size - os.fstat(handle).st_size:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    finally:
        os.close(handle)
