"""Joints whose reactions may not be unique: those in loops with redundant rows, among which a load can be shared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Edge = tuple[str, str, str]  # name of the joint, its two bodies


def shared_joints(joints: Sequence[dict[str, Any]], redundant_rows: Sequence[str]) -> list[str]:
    """Names of all joints on a loop with a joint that has redundant rows; `redundant_rows` as of a certificate.

    >>> pins = [
    ...     ("main", "ground", "crank"),
    ...     ("pin", "crank", "rod"),
    ...     ("bore", "ground", "rod"),
    ...     ("hook", "rod", "load"),
    ... ]
    >>> joints = [{"name": name, "kind": "revolute", "a": a, "b": b} for name, a, b in pins]
    >>> shared_joints(joints, ["bore: position along z"])
    ['bore', 'main', 'pin']
    """
    named = {row.partition(": ")[0] for row in redundant_rows}
    if not named:
        return []
    edges = [(joint["name"], joint["a"], joint["b"]) for joint in joints if joint["kind"] != "free"]
    found: set[str] = set()
    for block in blocks(edges):
        if len(block) > 1 and block & named:
            found |= block
    return sorted(found)


def blocks(edges: Sequence[Edge]) -> list[set[str]]:
    """Joints by the biconnected parts of the graph of bodies: two in one part lie on a common loop."""
    at: dict[str, list[tuple[str, str]]] = {}
    for name, a, b in edges:
        at.setdefault(a, []).append((name, b))
        at.setdefault(b, []).append((name, a))
    seen: dict[str, int] = {}
    low: dict[str, int] = {}
    done: list[set[str]] = []
    for root in at:
        if root not in seen:
            _search(root, at, seen, low, done)
    return done


def _search(
    root: str, at: dict[str, list[tuple[str, str]]], seen: dict[str, int], low: dict[str, int], done: list[set[str]]
) -> None:
    """Depth first from a body (Hopcroft and Tarjan), without recursion: chains are long."""
    stack: list[str] = []  # joints passed and not yet in a block
    passed: set[str] = set()
    seen[root] = low[root] = len(seen)
    path = [(root, 0, iter(at[root]))]  # body, size of the stack before the joint that led there
    while path:
        body, size, rest = path[-1]
        for name, other in rest:
            if name in passed:
                continue
            passed.add(name)
            before = len(stack)
            stack.append(name)
            if other not in seen:
                seen[other] = low[other] = len(seen)
                path.append((other, before, iter(at[other])))
                break
            low[body] = min(low[body], seen[other])
        else:
            path.pop()
            if not path:
                return
            parent = path[-1][0]
            low[parent] = min(low[parent], low[body])
            if low[body] >= seen[parent]:
                done.append(set(stack[size:]))
                del stack[size:]
