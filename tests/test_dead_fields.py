"""Every field of a NamedTuple is read somewhere: tables and workspaces carry nothing that no kernel uses."""

from __future__ import annotations

import ast
import itertools
from pathlib import Path

import linkwork


def named_tuples(tree: ast.Module) -> list[ast.ClassDef]:
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return [node for node in classes if any(isinstance(b, ast.Name) and b.id == "NamedTuple" for b in node.bases)]


def is_docstring(node: ast.stmt | None) -> bool:
    """Whether this is the docstring of the field before it, which users read then."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def test_every_field_is_read():
    sources = [ast.parse(path.read_text(encoding="utf-8")) for path in Path(linkwork.__file__).parent.rglob("*.py")]
    read = {
        node.attr
        for tree in sources
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)
    }
    fields = {
        f"{made.name}.{item.target.id}"
        for tree in sources
        for made in named_tuples(tree)
        for item, after in itertools.pairwise([*made.body, None])
        if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name) and not is_docstring(after)
    }
    assert len(fields) > 300  # they were found
    assert not sorted(field for field in fields if field.split(".")[1] not in read)
