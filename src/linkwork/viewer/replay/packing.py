"""Arrays of a page: quantised, as differences over time, and deflated together into one block of letters.

JSON would write them ten times as long. `page/source/sources/unpack.js` reads the block.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np

LARGEST = 2**29  # of a number in steps, so that second differences stay within 32 bits


class Packer:
    """Collects arrays; each is told by a few words that go into the page's data.

    >>> packer = Packer()
    >>> packer.smooth(np.linspace(0, 1, 100)[:, None], [1e-3])["planes"]
    1
    >>> len(packer.block()) < 100
    True
    """

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0
        self._known: dict[int, tuple[Any, dict[str, Any]]] = {}

    def _put(self, piece: bytes) -> int:
        at, filler = self._size, -len(piece) % 8
        self._pieces += [piece, bytes(filler)]
        self._size += len(piece) + filler
        return at

    def plain(self, values: Any, kind: str) -> dict[str, Any]:
        """Numbers as they are: `kind` is "f8", "f4", "i4" or "i2"."""
        flat = np.ascontiguousarray(values, dtype=f"<{kind}").reshape(-1)
        return {"kind": kind, "at": self._put(flat.tobytes()), "count": len(flat)}

    def once(self, values: Any, kind: str) -> dict[str, Any]:
        """The same for an object that comes several times, the points of a mesh for example."""
        if id(values) not in self._known:
            self._known[id(values)] = (values, self.plain(values, kind))
        return self._known[id(values)][1]

    def smooth(self, values: Any, steps: Any) -> dict[str, Any]:
        """Columns (rows, columns) that change smoothly, in steps of `steps`, which go round."""
        table = np.asarray(values, dtype=float)
        rows, columns = table.shape
        first, size = table[0], np.resize(np.asarray(steps, dtype=float), columns)
        if not np.isfinite(table).all():
            return {**self.plain(table, "f4"), "columns": columns}
        reach = np.abs(table - first).max(axis=0, initial=0.0)
        size = np.maximum(size, reach / LARGEST)
        whole = np.rint((table - first) / size).astype(np.int64)
        order, planes = _smallest(whole)
        at = self._put(planes.tobytes())
        facts = {"kind": "smooth", "at": at, "first": self._put(first.astype("<f8").tobytes())}
        period = len(np.atleast_1d(steps))
        kept = size if np.any(size != np.resize(size[:period], columns)) else size[:period]
        told = [float(f"{x:.17g}") for x in kept]
        return {**facts, "rows": rows, "columns": columns, "planes": len(planes), "order": order, "step": told}

    def block(self) -> str:
        """All that was put, deflated, in base64."""
        return base64.b64encode(zlib.compress(b"".join(self._pieces), 9)).decode()


def _smallest(whole: Any) -> tuple[int, Any]:
    """Differences of the order that takes the least room, by planes of bytes: (plane, column, row)."""
    best: tuple[int, int, Any] | None = None
    for order in (0, 1, 2):
        d = whole
        for _ in range(order):
            d = np.diff(d, axis=0, prepend=np.zeros((1, d.shape[1]), dtype=np.int64))
        zigzag = ((d << 1) ^ (d >> 63)).astype("<u4").T.copy()
        planes = zigzag[..., None].view(np.uint8)
        used = max((k + 1 for k in range(4) if planes[..., k].any()), default=1)
        planes = np.ascontiguousarray(np.moveaxis(planes[..., :used], -1, 0))
        size = len(zlib.compress(planes.tobytes(), 1))
        if best is None or size < best[0]:
            best = (size, order, planes)
    assert best is not None
    return best[1], best[2]
