"""A private name belongs to the file that defines it: no other file reads or imports it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "linkwork"

# of named tuples, which have no other way
OF_TUPLES = {"_asdict", "_fields", "_make", "_replace"}
OF_PYTHON = {"os._exit", "sys._getframe"}
# of numba, in the files that need them
OF_NUMBA = {
    "_kernels/compiler.py": {"_final_module", "_get_module_for_linking", "_linking_libraries"},
    "_kernels/numba_types.py": {"_getvalue"},
}


def private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def owned(tree: ast.AST) -> set[str]:
    """Private names that a file defines: fields of self, functions, methods and fields of classes."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.AnnAssign | ast.Assign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for each in (part for target in targets for part in ast.walk(target)):
                if isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == "self":
                    found.add(each.attr)
                elif isinstance(each, ast.Name):
                    found.add(each.id)
    return found


def foreign(text: str, allowed: set[str]) -> Iterator[str]:
    """Lines of a file that look at private names of other files."""
    tree = ast.parse(text)
    mine = owned(tree) | allowed | OF_TUPLES
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and private(node.attr) and node.attr not in mine:
            of_self = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            if not of_self and ast.unparse(node) not in OF_PYTHON:
                yield f"{node.lineno}: {ast.unparse(node)}"
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("linkwork."):
            yield from (f"{node.lineno}: import {each.name}" for each in node.names if private(each.name))


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("def look(sim): return sim._state", 1),
        ("def look(sim): sim._state = 3", 1),
        ("from linkwork.model.container import _find", 1),
        (
            "class Box:\n def __init__(self): self._size = 1\n def like(self, b): return self._size == b._size",
            0,
        ),
        ("def look(row): return row._replace(x=1)", 0),
        ("class Box(Other):\n def look(self): return self._size", 0),
    ],
)
def test_rule(text: str, count: int) -> None:
    assert len(list(foreign(text, set()))) == count


def test_no_file_reads_private_names_of_another() -> None:
    found = []
    for file in sorted(SOURCE.rglob("*.py")):
        name = file.relative_to(SOURCE).as_posix()
        found += [f"{name}:{line}" for line in foreign(file.read_text(encoding="utf-8"), OF_NUMBA.get(name, set()))]
    assert not found, "\n".join(found)


def test_exceptions_are_needed() -> None:
    for name, allowed in OF_NUMBA.items():
        text = (SOURCE / name).read_text(encoding="utf-8")
        assert len(list(foreign(text, set()))) >= len(allowed), name
