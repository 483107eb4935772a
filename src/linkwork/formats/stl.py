"""Reading STL files, binary or text, into triangles."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from linkwork.errors import ModelError
from linkwork.model.checked import Vector

_RECORD = np.dtype([("normal", "<f4", (3,)), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_HEADER = 84  # 80 bytes of free text and the number of triangles


def read_stl(file: Path) -> Vector:
    """The corners of all triangles, (n, 3, 3), in the unit of the file."""
    what = f"Mesh '{file}'" if str(file).isprintable() else f"Mesh {str(file)!r}"
    try:
        device = file.exists() and not (file.is_file() or file.is_dir())  # some have no end
        content = b"" if device else file.read_bytes()
    except OSError as error:
        raise ModelError(f"{what}: cannot be read ({error.strerror}); give the path of an STL file") from None
    except ValueError as error:
        raise ModelError(f"{what}: cannot be the name of a file ({error}); give the path of an STL file") from None
    if device:
        raise ModelError(f"{what}: is a device and no file; give the path of an STL file")
    count = int.from_bytes(content[80:_HEADER], "little") if len(content) >= _HEADER else -1
    if len(content) == _HEADER + count * _RECORD.itemsize:
        corners = np.frombuffer(content, dtype=_RECORD, offset=_HEADER)["corners"].astype(np.float64)
    else:
        corners = _text_corners(content, what)
    if len(corners) == 0 or not np.isfinite(corners).all():
        raise ModelError(f"{what}: holds no triangles or numbers that are not finite; export it again as STL")
    return corners


def _text_corners(content: bytes, what: str) -> Vector:
    """The text form: every line `vertex x y z` is a corner, three in a row a triangle."""
    try:
        rows = [
            line.split()[1:]
            for line in content.decode("ascii", "replace").splitlines()
            if line.split()[:1] == ["vertex"]
        ]
        return np.array(rows, dtype=np.float64).reshape(-1, 3, 3)
    except ValueError:
        raise ModelError(f"{what}: is not a whole STL file; export it again as STL, text or binary") from None
