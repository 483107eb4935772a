"""Symmetric sparse systems of numbers: A = L D L^T along an elimination order that is found once.

The matrix is a sum of small full blocks, each over a few unknowns (the dofs of a chain, of a loop, of a spring): a
*group*. Eliminating an unknown joins the groups that have it; the unknown whose groups are smallest goes first. Chains
and trees get no fill at all that way, rows of loops a little, and the cost is linear in their number.

D need not be positive: the stiffness of a law may be negative. Only a pivot that is zero or not finite fails.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel


class SparsePattern(NamedTuple):
    """Where the entries are. Unknowns are renumbered by their place in the elimination; entries lie by rows."""

    place: Any  # (unknown,) when it is eliminated
    row: Any  # (place + 1,) into column
    column: Any  # places before the row's own at which L has an entry, in order; A's entries are n + these, after D


class Groups(NamedTuple):
    """Groups of unknowns, and where the entries of their full blocks lie: a, b <= a of each group in order."""

    start: Any  # (group + 1,) into unknown
    unknown: Any
    target_start: Any  # (group + 1,) into target
    target: Any


def pattern(count: int, groups: Iterable[Sequence[int]]) -> SparsePattern:
    """The pattern of `count` unknowns of which those in one group touch each other."""
    order, later = least_degree(count, groups)
    place = np.zeros(count, dtype=np.int64)
    place[order] = np.arange(count)
    rows: list[list[int]] = [[] for _ in range(count)]
    for p, unknowns in enumerate(later):
        for u in unknowns:
            rows[place[u]].append(p)
    start = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return SparsePattern(place, start, np.array([p for row in rows for p in row], dtype=np.int64))


def least_degree(count: int, groups: Iterable[Sequence[int]]) -> tuple[list[int], list[set[int]]]:
    """An elimination order, and what each unknown touches when its turn comes."""
    members = dict(enumerate(set(group) for group in groups))
    holding: list[set[int]] = [set() for _ in range(count)]
    for g, group in members.items():
        for u in group:
            holding[u].add(g)

    def degree(u: int) -> int:
        return sum(len(members[g]) - 1 for g in holding[u])

    queue = [(degree(u), u) for u in range(count - 1, -1, -1)]
    heapq.heapify(queue)
    order: list[int] = []
    later: list[set[int]] = []
    done = [False] * count
    while queue:
        known, u = heapq.heappop(queue)
        if done[u]:
            continue
        if known != degree(u):  # it has changed since it was queued
            heapq.heappush(queue, (degree(u), u))
            continue
        done[u] = True
        joined: set[int] = set().union(*(members[g] for g in holding[u])) - {u}
        for g in list(holding[u]):
            for other in members.pop(g):
                holding[other].discard(g)
        if joined:
            new = count + len(order) + 1_000_000_000
            members[new] = joined
            for other in joined:
                holding[other].add(new)
        order.append(u)
        later.append(joined)
    return order, later


def groups(shape: SparsePattern, lists: Sequence[Sequence[int]]) -> Groups:
    """Where the blocks of these lists of unknowns lie."""
    return Groups(
        np.concatenate([[0], np.cumsum([len(x) for x in lists])]).astype(np.int64),
        np.array([u for x in lists for u in x], dtype=np.int64),
        np.concatenate([[0], np.cumsum([len(x) * (len(x) + 1) // 2 for x in lists])]).astype(np.int64),
        np.array(
            [entry(shape, x[a], x[b]) for x in lists for a in range(len(x)) for b in range(a + 1)], dtype=np.int64
        ),
    )


def entry(shape: SparsePattern, a: int, b: int) -> int:
    """Place of A[a, b] among the values."""
    high, low = max(shape.place[a], shape.place[b]), min(shape.place[a], shape.place[b])
    if high == low:
        return int(high)
    start, stop = shape.row[high], shape.row[high + 1]
    e = int(np.searchsorted(shape.column[start:stop], low))
    assert shape.column[start:stop][e : e + 1] == [low], "unknowns of one group must touch"
    return len(shape.place) + int(start) + e


def size(shape: SparsePattern) -> int:
    """Length of the array of values."""
    return len(shape.place) + len(shape.column)


@kernel
def factor(shape, A, L, x):
    """L = D, then the rows of L, from the values A; False where there is no pivot.

    `x` (unknown,) is scratch, zero between calls.
    """
    n = shape.place.size
    for i in range(n):
        low = shape.row[i]
        high = shape.row[i + 1]
        for e in range(low, high):
            x[shape.column[e]] = A[n + e]
        d = A[i]
        for e in range(low, high):
            j = shape.column[e]
            s = x[j]
            for f in range(shape.row[j], shape.row[j + 1]):
                s -= L[n + f] * x[shape.column[f]]
            x[j] = s
            l = s / L[j]
            L[n + e] = l
            d -= s * l
        for e in range(low, high):
            x[shape.column[e]] = 0.0
        if not abs(d) > 0.0:
            return False
        L[i] = d
    return True


@kernel
def solve(shape, L, b, y):
    """b becomes A^-1 b; `y` (unknown,) is scratch, not that of `factor`."""
    n = shape.place.size
    for u in range(n):
        y[shape.place[u]] = b[u]
    for i in range(n):
        s = y[i]
        for e in range(shape.row[i], shape.row[i + 1]):
            s -= L[n + e] * y[shape.column[e]]
        y[i] = s
    for i in range(n):
        y[i] /= L[i]
    for i in range(n - 1, -1, -1):
        s = y[i]
        for e in range(shape.row[i], shape.row[i + 1]):
            y[shape.column[e]] -= L[n + e] * s
    for u in range(n):
        b[u] = y[shape.place[u]]


@kernel
def times(shape, A, v, out, y):
    """out = A v; `y` (2 unknown,) is scratch."""
    n = shape.place.size
    for u in range(n):
        y[shape.place[u]] = v[u]
    for i in range(n):
        y[n + i] = A[i] * y[i]
    for i in range(n):
        s = 0.0
        for e in range(shape.row[i], shape.row[i + 1]):
            j = shape.column[e]
            s += A[n + e] * y[j]
            y[n + j] += A[n + e] * y[i]
        y[n + i] += s
    for u in range(n):
        out[u] = y[n + shape.place[u]]


@kernel
def add_outer(group, g, x, s, A):
    """A += s x x^T over group g, x in the order of its unknowns."""
    p = group.target_start[g]
    for a in range(group.start[g + 1] - group.start[g]):
        y = s * x[a]
        for b in range(a + 1):
            A[group.target[p]] += y * x[b]
            p += 1
