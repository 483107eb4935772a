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
    """Asks the system: nothing is compiled. The library is loaded, to see that it can be."""
    if find_spec("numpy") is None:
        return CodeFacts("none", "numpy is not installed; pip install numpy", None, 0)
    from linkwork._kernels import store
    from linkwork._kernels.library import Library, library, library_of_slopes

    found, folder = library(), store.cache_folder()
    size = 0 if folder is None else sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    if isinstance(found, Library):
        slopes = library_of_slopes()
        beside = "with slopes" if slopes is not None else "slopes compiled when first used"
        return CodeFacts(f"library {found.file.name}, {beside}", "", folder, size)
    reason = f" ({found.reason})" if found.reason else ""
    if find_spec("numba") is None:
        problem = f"no kernels can run{reason}, and numba, which compiles them, is not installed"
        return CodeFacts("none", f'{problem}; pip install "linkwork[laws]"', folder, size)
    busy = store.being_compiled()
    if busy:
        return CodeFacts(f"being compiled on this machine: {', '.join(busy)}{reason}", "", folder, size)
    kept = folder is not None and any(folder.glob("linkwork.*.o"))
    return CodeFacts(f"compiled on this machine, {'kept' if kept else 'when first used'}{reason}", "", folder, size)
