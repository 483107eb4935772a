"""Named arrays in an npz: written at once, read without believing anything that the file says of itself.

What a run or a state needs are plain numbers and one text. They are stored uncompressed, so a file can never hold
more than its own size: sizes are checked against it before any memory is taken. The zip's checksums find every
changed bit of an array. Nothing is ever unpickled.
"""

from __future__ import annotations

import io
import json
import math
import struct
import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np


class Damaged(ValueError):
    """A file that is not what its name or its own head says; the message tells why, in words for a user."""


KINDS = "fiubU"  # numbers, flags and text
# whatever zip files, numpy's headers and JSON raise when their bytes are not what they should be
DAMAGES = (
    OSError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    IndexError,
    EOFError,
    NotImplementedError,
    RuntimeError,  # also RecursionError
    MemoryError,
    OverflowError,
    SyntaxError,
    UnicodeError,
    struct.error,
    tokenize.TokenError,  # of a header
    zipfile.BadZipFile,
    zlib.error,
)


def reason(error: BaseException) -> str:
    """Why a file could not be read, in brackets, where we know it; what libraries say is about their own insides."""
    return f" ({error})" if isinstance(error, Damaged) else ""


def write_members(arrays: dict[str, Any], stream: BinaryIO) -> None:
    """Write arrays by name to an open file."""
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)


def packed(arrays: dict[str, Any]) -> bytes:
    """The bytes of an npz of these arrays."""
    stream = io.BytesIO()
    write_members(arrays, stream)
    return stream.getvalue()


def unpacked(source: bytes | Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the metadata of an npz says, and its other arrays; raises one of `DAMAGES` where it is not whole.

    >>> unpacked(packed({"metadata": np.array('{"a": 1}'), "x": np.arange(3.0)}))
    ({'a': 1}, {'x': array([0., 1., 2.])})
    """
    size = len(source) if isinstance(source, bytes) else source.stat().st_size
    with zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source) as archive:
        members = archive.infolist()
        if sum(member.file_size for member in members) > size:
            raise Damaged("its arrays are larger than the file")
        arrays = {member.filename.removesuffix(".npy"): _array(archive, member) for member in members}
    if "metadata" not in arrays:
        raise Damaged("it has no metadata")
    facts = json.loads(str(arrays.pop("metadata")))
    if not isinstance(facts, dict):
        raise Damaged("its metadata is no table")
    return facts, arrays


def _array(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Any:
    """One array, made only when its header and its length agree."""
    if member.compress_type != zipfile.ZIP_STORED:
        raise Damaged(f"{member.filename} is compressed")
    content = archive.read(member)  # to the end, so that its checksum is looked at
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, fortran, dtype = read(stream, max_header_size=10_000)
    if dtype.hasobject or dtype.kind not in KINDS or dtype.names is not None:
        raise Damaged(f"{member.filename} holds no plain numbers")
    if math.prod(shape) * dtype.itemsize != len(content) - stream.tell():
        raise Damaged(f"{member.filename} has another length than its header says")
    values = np.frombuffer(content, dtype, offset=stream.tell()) if dtype.itemsize else np.zeros(shape, dtype)
    return values.reshape(shape, order="F" if fortran else "C").copy()
