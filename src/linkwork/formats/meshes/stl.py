"""STL files, binary or text, as triangles."""

from __future__ import annotations

import re

import numpy as np

from linkwork.errors import ModelError
from linkwork.model.checked import Vector

_RECORD = np.dtype([("normal", "<f4", (3,)), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_HEADER = 84  # 80 bytes of free text and the number of triangles
_CORNER = re.compile(rb"^[ \t]*vertex\b(.*)$", re.MULTILINE)


def stl_triangles(content: bytes, what: str) -> Vector:
    """The corners of all triangles, (n, 3, 3), in the unit of the file; `what` names it in errors."""
    count = int.from_bytes(content[80:_HEADER], "little") if len(content) >= _HEADER else -1
    if len(content) == _HEADER + count * _RECORD.itemsize:
        return np.frombuffer(content, dtype=_RECORD, offset=_HEADER)["corners"].astype(np.float64)
    return _text_corners(content, what)


def _text_corners(content: bytes, what: str) -> Vector:
    """The text form: every line `vertex x y z` is a corner, three in a row a triangle."""
    try:
        rows = [line.split() for line in _CORNER.findall(content.replace(b"\r", b"\n"))]
        return np.array(rows, dtype=np.bytes_).astype(np.float64).reshape(-1, 3, 3)
    except ValueError:
        raise ModelError(f"{what}: is not a whole STL file; export it again as STL, text or binary") from None
