"""Damaged files of every kind: read right, or refused in one sentence."""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from functools import lru_cache
from pathlib import Path

import numpy as np

import linkwork as lw
from attacks.damaging import flipped, mutated
from attacks.workers import counted

KINDS = ("run.npz", "run.h5", "state.npz", "state.h5", "solid.stl")
STEP, HALF, WHOLE = 5e-3, 0.2, 0.3


@lru_cache
def _originals() -> dict[str, bytes]:
    folder = Path(tempfile.mkdtemp())
    model = _model()
    lw.simulate(model, until=HALF, method="recursive", dt=STEP).save(folder / "run.npz")
    lw.stream(model, folder / "run.h5", until=HALF, method="recursive", dt=STEP)
    sim = lw.Simulation(model, "recursive", dt=STEP)
    sim.step(round(HALF / STEP))
    sim.save(folder / "state.npz")
    found = {name: (folder / name).read_bytes() for name in ("run.npz", "run.h5", "state.npz")}
    return {**found, "state.h5": found["run.h5"], "solid.stl": _stl()}


@lru_cache
def _model() -> lw.Model:
    return lw.gallery.double_four_bar.build()


def _stl() -> bytes:
    """A tetrahedron, binary."""
    corners = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], dtype="<f4")
    faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
    content = bytes(80) + np.uint32(len(faces)).tobytes()
    for face in faces:
        content += bytes(12) + corners[list(face)].tobytes() + bytes(2)
    return content


@lru_cache
def _expected() -> tuple[lw.Trajectory, bytes]:
    half = lw.simulate(_model(), until=HALF, method="recursive", dt=STEP)
    return half, lw.simulate(_model(), until=WHOLE, method="recursive", dt=STEP)["crank 1.position"][-1].tobytes()


def _attack(piece: tuple[str, str, int]) -> str:
    name, damage, seed = piece
    chance = random.Random(f"{name} {damage} {seed}")
    content = _originals()[name]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / name
        file.write_bytes((flipped if damage == "flipped" else mutated)(content, chance))
        try:
            return "read" if _same(name, file) else "wrong numbers"
        except (lw.OptionError, lw.ModelError):
            return "refused"


def _same(name: str, file: Path) -> bool:
    half, end = _expected()
    if name.startswith("run"):
        found = lw.load_run(file)
        return found.names == half.names and all(found[n].tobytes() == half[n].tobytes() for n in half.names)
    if name.startswith("state"):
        run = lw.simulate(_model(), until=WHOLE, resume=file)
        return bool(run["crank 1.position"][-1].tobytes() == end)
    # a solid has no checksum: what is read must be a body that can exist
    model = lw.Model("solid")
    body = model.body("solid", shape=lw.Mesh(file), density=1000.0)
    return bool(np.isfinite(body.inertia).all() and body.mass > 0.0)


def main(count: int) -> tuple[Counter[str], list[str]]:
    """`count` damaged files, of all kinds in turn, every other one by a single bit."""
    pieces = [(KINDS[k % len(KINDS)], "flipped" if k // len(KINDS) % 2 else "mutated", k) for k in range(count)]
    return counted(_attack, pieces)
