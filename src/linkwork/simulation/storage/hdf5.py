"""Reading an HDF5 file that is being written, was left by a killed process, or is damaged: never waits without end.

HDF5's own way to read while somebody writes (SWMR) tries again for ever where a file is damaged. Here the file is
handed over by this reader instead, with the mark of an open writer taken off its first 48 bytes and the present size
put in, and opened plainly. A look into a block that is just being written fails by its checksum; then, and only while
a writer is at work, it is opened again, for `PATIENCE` seconds at most.

The first bytes (version 3): 8 signature, version, 2 sizes, flags, 4 addresses of 8 bytes, of which the third is
the end of the file, and a checksum.
"""

from __future__ import annotations

import io
import os
import struct
import time as clock
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from linkwork.errors import OptionError
from linkwork.simulation.storage.npz import DAMAGES, Damaged, reason

SIGNATURE = b"\x89HDF\r\n\x1a\n"
HEAD, FLAGS, END, CHECKSUM = 48, 11, 28, 44  # bytes of the head, and where in it these are
PATIENCE = 2.0  # s
PAUSE = 0.02  # s between two looks
Found = TypeVar("Found")


def h5py_module() -> Any:
    """h5py, or what to install."""
    try:
        import h5py
    except ImportError as error:
        raise OptionError('files of long runs need h5py: pip install "linkwork[hdf5]"') from error
    return h5py


class Calm(io.RawIOBase):
    """A file whose first bytes say that nobody writes to it, and how long it is now."""

    def __init__(self, path: Path) -> None:
        self._file = open(path, "rb", buffering=0)  # noqa: SIM115, closed with this
        self._size = os.fstat(self._file.fileno()).st_size
        self._at = 0
        head = bytearray(self._file.read(HEAD))
        if len(head) < HEAD or head[:8] != SIGNATURE or head[8] != 3:
            raise Damaged("it is no file of a long run")
        if _lookup3(bytes(head[:CHECKSUM])) != struct.unpack_from("<I", head, CHECKSUM)[0]:
            raise Damaged("its first bytes are damaged")
        head[FLAGS] = 0
        struct.pack_into("<Q", head, END, self._size)
        struct.pack_into("<I", head, CHECKSUM, _lookup3(bytes(head[:CHECKSUM])))
        self._head = bytes(head)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + (0, self._at, self._size)[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        self._file.seek(self._at)
        count = self._file.readinto(view) or 0
        if self._at < HEAD:
            end = min(HEAD, self._at + count)
            view[: end - self._at] = self._head[self._at : end]
        self._at += count
        return count

    def close(self) -> None:
        self._file.close()
        super().close()


def read(path: Path, look: Callable[[Any], Found], written: Callable[[], bool]) -> Found:
    """What `look` finds in the open file; tried again for a moment while it is `written` to."""
    patience = clock.monotonic() + PATIENCE
    while True:
        try:
            with _opened(path) as file:
                return look(file)
        except OptionError:
            raise
        except PermissionError as error:
            raise OptionError(f"cannot read {path}: no permission; give a file that you may read") from error
        except DAMAGES as error:
            if not written() or clock.monotonic() > patience:
                raise OptionError(
                    f"{path} is no file of a long run, or it is damaged{reason(error)}; give what lw.stream wrote"
                ) from error
        clock.sleep(PAUSE)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    with Calm(path) as calm, h5py_module().File(calm, "r") as file:
        yield file


def _lookup3(data: bytes) -> int:
    """The checksum of HDF5's metadata: Bob Jenkins' hash for tables, lookup3, little end first."""
    word = 0xFFFFFFFF

    def turned(x: int, k: int) -> int:
        return (x << k | x >> (32 - k)) & word

    a = b = c = (0xDEADBEEF + len(data)) & word
    blocks = [data[k : k + 12].ljust(12, b"\0") for k in range(0, len(data), 12)]
    for k, block in enumerate(blocks):
        a, b, c = (x + y & word for x, y in zip((a, b, c), struct.unpack("<III", block), strict=True))
        if k < len(blocks) - 1:
            for shift in (4, 6, 8, 16, 19, 4):  # a, b, c change places after each
                a, c = (a - c & word) ^ turned(c, shift), c + b & word
                a, b, c = b, c, a
    for shift in (14, 11, 25, 16, 4, 14, 24):
        c = (c ^ b) - turned(b, shift) & word
        a, b, c = b, c, a
    return b
