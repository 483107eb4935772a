"""Split a solid into convex pieces, which collide with other bodies.

CoACD (extra `mesh`) finds pieces whose union is within a fraction of the solid; it takes seconds to minutes and says
so, and the result is kept beside the compiled kernels.
"""

from __future__ import annotations

import hashlib
import sys
import time
import zipfile
import zlib
from pathlib import Path

import numpy as np

from linkwork._disk import whole
from linkwork._kernels.store import cache_folder
from linkwork.errors import ModelError
from linkwork.model.checked import Vector


def convex_parts(triangles: Vector, concavity: float, what: str) -> list[Vector]:
    """Points of each piece."""
    folder = cache_folder()
    if folder is None:
        return _taken_apart(triangles, concavity, what)
    digest = hashlib.sha256(np.ascontiguousarray(triangles).tobytes() + f"{concavity!r}".encode()).hexdigest()[:16]
    kept = folder.parent / f"mesh-{digest}.npz"
    parts = _kept_parts(kept)
    if parts:
        return parts
    parts = _taken_apart(triangles, concavity, what)
    try:
        kept.parent.mkdir(parents=True, exist_ok=True)
        with whole(kept) as unfinished:
            np.savez(unfinished, *parts)
    except OSError:
        pass  # a read-only home: it is done again the next time
    return parts


def _kept_parts(file: Path) -> list[Vector]:
    """What an earlier run found; nothing where there is no such file or it is damaged."""
    try:
        with np.load(file) as found:
            parts = [found[name] for name in found.files]
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error):
        return []
    good = all(p.dtype == np.float64 and p.ndim == 2 and p.shape[1] == 3 and np.isfinite(p).all() for p in parts)
    return parts if good else []


def _taken_apart(triangles: Vector, concavity: float, what: str) -> list[Vector]:
    try:
        import coacd
    except ImportError as error:
        raise ModelError(
            f"{what} is not convex; to collide with other bodies it is split into convex parts, which needs coacd: "
            'pip install "linkwork[mesh]"; or give several lw.Hull colliders'
        ) from error
    print(
        f"linkwork splits {what} of {len(triangles)} triangles into convex parts: seconds to minutes, only once ...",
        end="", file=sys.stderr, flush=True,
    )  # fmt: skip
    begin = time.monotonic()
    coacd.set_log_level("error")
    corners, numbers = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    faces = numbers.reshape(-1, 3).astype(np.int32)
    found = coacd.run_coacd(coacd.Mesh(corners, faces), threshold=concavity, seed=0)
    print(f" {len(found)} parts, {time.monotonic() - begin:.0f} s", file=sys.stderr, flush=True)
    return [np.asarray(points, dtype=float) for points, _ in found]
