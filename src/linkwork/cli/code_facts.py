"""Which compiled code runs here, and where it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path


@dataclass
class CodeFacts:
    """What `linkwork doctor` says of the kernels."""

    code: str
    """One sentence: a library and its level, or compiled on this machine."""
    problem: str
    """Why no kernel can run here, in one sentence; empty where they can."""
    folder: Path | None
    """Where code that is compiled here is kept; None where there is no place for it."""
    size: int
    """Bytes in that folder."""


def code_facts() -> CodeFacts:
    """Asks the system, not the kernels: nothing is compiled or loaded."""
    if find_spec("numba") is None:
        return CodeFacts("none", "numba, which compiles the kernels, is not installed; pip install numba", None, 0)
    from linkwork._cache import cache_folder

    folder = cache_folder()
    size = 0 if folder is None else sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    kept = folder is not None and any(folder.rglob("*.nbi"))
    return CodeFacts(f"compiled on this machine, {'kept' if kept else 'when first used'}", "", folder, size)
