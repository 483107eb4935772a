"""Split a solid into convex pieces, which collide with other bodies.

CoACD (extra `mesh`) finds pieces whose union is within a fraction of the solid; it takes seconds to minutes, and tells
every few of them that it is still at it. The result is kept beside the compiled kernels, by the content of the mesh.
"""

from __future__ import annotations

import hashlib
import sys
import threading
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from linkwork._disk import whole
from linkwork._kernels.store import cache_folder
from linkwork.errors import ModelError
from linkwork.model.checked import Vector

TELL_SECONDS = 5.0  # between two words of progress


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
    corners, numbers = np.unique(triangles.reshape(-1, 3), axis=0, return_inverse=True)
    faces = numbers.reshape(-1, 3).astype(np.int32)
    coacd.set_log_level("error")
    _tell(f"linkwork splits {what} of {len(triangles)} triangles into convex parts: seconds to minutes, only once ...")
    begin = time.monotonic()
    found = _with_progress(lambda: coacd.run_coacd(coacd.Mesh(corners, faces), threshold=concavity, seed=0), begin)
    _tell(f" {len(found)} parts, {time.monotonic() - begin:.0f} s\n")
    return [np.asarray(points, dtype=float) for points, _ in found]


def _tell(words: str) -> None:
    print(words, end="", file=sys.stderr, flush=True)


def _with_progress(work: Callable[[], Any], begin: float) -> Any:
    """What `work` returns; it is done by another thread, so that this one can tell how long it takes, or be stopped."""
    done: dict[str, Any] = {}

    def call() -> None:
        try:
            done["result"] = work()
        except BaseException as error:
            done["error"] = error

    worker = threading.Thread(target=call, daemon=True, name="convex parts")
    worker.start()
    worker.join(TELL_SECONDS)
    while worker.is_alive():
        _tell(f" {time.monotonic() - begin:.0f} s,")
        worker.join(TELL_SECONDS)
    if "error" in done:
        raise done["error"]
    return done["result"]
