"""Damaged files of other programs, as many of each kind: read, or refused in one line."""

from __future__ import annotations

import importlib
import tempfile
from collections import Counter
from collections.abc import Callable
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import linkwork as lw
from attacks.workers import counted
from formats.fuzzing import mutant, outcome

KINDS = {
    "URDF": "formats.urdf.test_fuzz",
    "SDF": "formats.sdf.test_sdf_fuzz",
    "MJCF": "formats.mjcf.test_fuzz",
    "STEP": "formats.step.damaged_step",
    "TOML": "formats.model_file.damaged_models",
    "JSON": "formats.model_file.damaged_models",
    "meshes": "formats.meshes.test_fuzz_meshes",
}
PATIENCE = 120.0  # s; 10 s of CPU are a hang before that
WORDS = {
    "URDF": "a robot with all kinds of joints, shapes and a mesh, read twice with other options",
    "SDF": "a world with nested models and loops, and a biped with gearboxes",
    "MJCF": "models with all kinds of joints, equalities, tendons and actuators",
    "STEP": "a small assembly, whose joints are then found from geometry",
    "TOML": "models of the gallery, random ones, and one by hand with expressions",
    "JSON": "models of the gallery and random ones",
    "meshes": "STL (binary and text), OBJ and DAE",
}


class Files(NamedTuple):
    """Whole files by name, how to damage one, how to read one, and a folder for them."""

    whole: dict[str, bytes]
    damaged: Callable[[bytes, int], bytes]
    read: Callable[[Path], Any]
    folder: Path


@lru_cache
def _files(kind: str) -> Files:
    files = _prepared(kind, Path(tempfile.mkdtemp()))
    for name, content in files.whole.items():  # the whole ones are read; what is compiled for that is compiled now
        (files.folder / name).write_bytes(content)
        files.read(files.folder / name)
    return files


def _prepared(kind: str, folder: Path) -> Files:
    module = importlib.import_module(KINDS[kind])
    if kind in ("TOML", "JSON"):
        damaged = {"TOML": module.damaged_toml, "JSON": module.damaged_json}[kind]
        return Files(module.seeds(folder, kind.lower()), damaged, lw.read, folder)
    if kind == "STEP":
        reader = importlib.import_module("linkwork.formats.step.reader")
        reader.read_cad = module.reading_in_a_fork(folder)  # this process does nothing else
    return Files(module.seeds(folder), mutant, module.read, folder)


def _attack(piece: tuple[str, int]) -> str:
    kind, seed = piece
    files = _files(kind)
    name = list(files.whole)[seed % len(files.whole)]
    file = files.folder / name
    file.write_bytes(files.damaged(files.whole[name], seed))
    return outcome(files.read, file)


def main(count: int, kind: str) -> tuple[Counter[str], list[str]]:
    """`count` damaged files of one kind."""
    return counted(_attack, [(kind, seed) for seed in range(count)], patience=PATIENCE)


ATTACKS = {kind: partial(main, kind=kind) for kind in KINDS}
