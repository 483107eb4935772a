"""Symmetric positive semidefinite systems of small blocks on a graph: S = X D X^T along an elimination order.

A node is a joint with its rows; two nodes touch where their joints share a body. Eliminating a node k of block S_kk
adds - S_ik S_kk^+ S_kj to its neighbours. Where rows are dependent S_kk is singular, but then its null vectors are null
vectors of the whole column too (S is semidefinite), so that the pseudoinverse makes the elimination exact (V06 2.24).
Chains, trees and ladders of loops keep their fronts small: the cost is linear in the nodes. Nodes may come in groups
that are eliminated one after another; where groups do not touch they are systems of their own in one set of arrays.

The order is that of the graph, not of the pivots. A small pivot magnifies rounding in the blocks that come after it,
where a dependent row then need not look so: how far off a row may be is carried along, and a pivot must stand out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from linkwork._jit import kernel, small
from linkwork.numerics.semidefinite import factor_known, solve

LARGEST = 6  # rows of a node
ROUNDING = 2.0**-52
CERTAIN = 4.0  # a pivot is one from so many times the noise on


class BlockPattern(NamedTuple):
    """Where the blocks are: stored by rows in one flat array, columns in elimination order."""

    size: Any  # (node,) rows
    row: Any  # (node + 1,) first row of each node
    order: Any  # (node,) elimination order
    start: Any  # (group + 1,) into order
    diagonal: Any  # (node,) offset of S_kk
    column: Any  # (node + 1,) into below, for the node eliminated at that position
    below: Any  # nodes eliminated later that touch it
    offset: Any  # offset of S_ik, row node i, column node k
    update: Any  # (node + 1,) into target, for pairs of a column in the order i, j <= i
    target: Any  # offset of the block that the pair adds to
    total: int  # length of the flat array


class BlockWork(NamedTuple):
    """Memory of the factorisation; written by `factor_blocks` where no other kernel is named."""

    S: Any  # (shape.total,) blocks of S, filled by the caller; then of what is left of it
    X: Any  # (shape.total,) S_ik S_kk^+
    P: Any  # (node, LARGEST, LARGEST) pseudoinverse of S_kk
    scale: Any  # (row,) 1 / sqrt of the diagonal before the elimination; `set_scale`
    noise: Any  # (row,) rounding in the diagonal of the row, as a part of the first one; `set_scale` at first
    A: Any  # (LARGEST, LARGEST) scratch of one block, as L, K, order, y, z and e
    L: Any
    K: Any
    order: Any
    found: Any  # (node,) independent rows
    pivot: Any  # (node,) the smallest pivot of them, scaled; 0 where there is none
    floor: Any  # (node,) lower bound of its pivots, whatever the tolerance; the method, carried
    sure: Any  # (node,) rows that are known to be independent; `expect_rows`, `remember_rows`; carried
    reference: Any  # (node,) the smallest pivot of them at its largest; 0 where it is not known; carried as `sure`
    y: Any
    z: Any
    e: Any


def pattern(
    sizes: Any, neighbours: Iterable[tuple[int, int]], groups: Sequence[Sequence[int]] | None = None
) -> BlockPattern:
    """The pattern of nodes with `sizes` rows of which the pairs `neighbours` touch.

    `groups` of nodes are eliminated one after another, each by least degree; without them all nodes are one group.
    """
    count = len(sizes)
    graph: list[set[int]] = [set() for _ in range(count)]
    for a, b in neighbours:
        if a != b:
            graph[a].add(b)
            graph[b].add(a)
    order: list[int] = []
    columns: list[list[int]] = []
    start = [0]
    for group in [range(count)] if groups is None else groups:
        for k, around in _least_degree(graph, group):
            order.append(k)
            columns.append(around)
        start.append(len(order))
    position = np.zeros(count, dtype=np.int64)
    position[order] = np.arange(count)
    size = np.array(sizes, dtype=np.int64)
    diagonal = np.zeros(count, dtype=np.int64)
    where: dict[tuple[int, int], int] = {}
    total = 0
    column, below, offset = [0], [], []
    for k, around in zip(order, columns, strict=True):
        diagonal[k] = total
        total += int(size[k] * size[k])
        for i in sorted(around, key=lambda node: position[node]):
            where[(i, k)] = total
            below.append(i)
            offset.append(total)
            total += int(size[i] * size[k])
        column.append(len(below))
    update, target = [0], []
    for p in range(count):
        nodes = below[column[p] : column[p + 1]]
        for a, i in enumerate(nodes):
            for j in nodes[: a + 1]:
                target.append(int(diagonal[i]) if i == j else where[(i, j)])
        update.append(len(target))

    def integers(values: Any) -> Any:
        return np.array(values, dtype=np.int64)

    return BlockPattern(
        size,
        np.concatenate([[0], np.cumsum(size)]).astype(np.int64),
        integers(order),
        integers(start),
        diagonal,
        integers(column),
        integers(below),
        integers(offset),
        integers(update),
        integers(target),
        total,
    )


def _least_degree(graph: list[set[int]], nodes: Iterable[int]) -> Iterator[tuple[int, list[int]]]:
    """Eliminate `nodes` from the graph, each time one with fewest neighbours; gives it and them."""
    left = set(nodes)
    buckets: dict[int, set[int]] = {}
    for k in left:
        buckets.setdefault(len(graph[k]), set()).add(k)
    lowest = 0
    while left:
        while not buckets.get(lowest):
            lowest += 1
        k = min(buckets[lowest])
        buckets[lowest].discard(k)
        left.discard(k)
        around = sorted(graph[k])
        for i in around:
            if i in left:
                buckets[len(graph[i])].discard(i)
            graph[i].discard(k)
        for a, i in enumerate(around):
            for j in around[a + 1 :]:
                graph[i].add(j)
                graph[j].add(i)
        for i in around:
            if i in left:
                buckets.setdefault(len(graph[i]), set()).add(i)
                lowest = min(lowest, len(graph[i]))
        yield k, around


def block_work(shape: BlockPattern) -> BlockWork:
    """Memory for a pattern."""
    rows = int(shape.row[-1])
    return BlockWork(
        np.zeros(shape.total),
        np.zeros(shape.total),
        np.zeros((len(shape.size), LARGEST, LARGEST)),
        np.zeros(rows),
        np.zeros(rows),
        np.zeros((LARGEST, LARGEST)),
        np.zeros((LARGEST, LARGEST)),
        np.zeros((LARGEST, LARGEST)),
        np.zeros(LARGEST, dtype=np.int64),
        np.zeros(len(shape.size), dtype=np.int64),
        np.zeros(len(shape.size)),
        np.zeros(len(shape.size)),
        np.zeros(len(shape.size), dtype=np.int64),
        np.zeros(len(shape.size)),
        np.zeros(LARGEST),
        np.zeros(LARGEST),
        np.zeros(LARGEST),
    )


@kernel
def unit_scales(shape, work):
    """Rows are scaled by the diagonal that they have before the elimination."""
    for k in range(shape.size.size):
        n = shape.size[k]
        for r in range(n):
            d = work.S[shape.diagonal[k] + r * n + r]
            set_scale(work, shape.row[k] + r, d)


@small
def set_scale(work, r, d):
    """Row r is measured by the square root of d; what is less than the rounding of d is nothing."""
    work.scale[r] = 1.0 / d**0.5 if d > 0.0 else 0.0
    work.noise[r] = ROUNDING


@kernel
def factor_blocks(shape, work, tolerance, pivot_floor, first, last):
    """Factor work.S in place at the positions first … last - 1 of the order; returns the number of independent rows.

    Scales are set. `tolerance` is for pivots of the scaled matrix: a row's pivot is compared with the diagonal that it
    had before the elimination. A pivot below `pivot_floor` does not prove a row that is not known yet. Between a light
    body and a heavy one a pivot is the response of the heavy one, the diagonal that of the light one: rows that are
    known to be independent are compared with their own reference, and with the noise.
    """
    S = work.S
    rank = 0
    for p in range(first, last):
        k = shape.order[p]
        n = shape.size[k]
        d = shape.diagonal[k]
        row = shape.row[k]
        noise = 0.0
        for a in range(n):
            noise = max(noise, work.noise[row + a])
            for b in range(n):
                work.A[a, b] = S[d + a * n + b]
        least = max(tolerance * work.reference[k], max(CERTAIN * noise, work.floor[k]))
        most = max(tolerance, max(pivot_floor, least))
        found = factor_known(work.A, n, work.sure[k], least, most, 0.0, work.scale, row, work.L, work.K, work.order)
        rank += found
        work.found[k] = found
        work.pivot[k] = work.L[found - 1, work.order[found - 1]] ** 2 if found > 0 else 0.0
        # P = S_kk^+, column by column
        for c in range(n):
            for a in range(n):
                work.e[a] = 1.0 if a == c else 0.0
            solve(work.scale[row:], work.L, work.K, work.order, found, work.e[:n], work.y, work.z)
            for a in range(n):
                work.P[k, a, c] = work.z[a]
        # X_ik = S_ik P; an error e of S_kk becomes X e X^T in S_ii
        for c in range(n):
            own = work.scale[row + c]
            work.e[c] = work.noise[row + c] ** 0.5 / own if own > 0.0 else 0.0
        for s in range(shape.column[p], shape.column[p + 1]):
            i = shape.below[s]
            o = shape.offset[s]
            for a in range(shape.size[i]):
                noise = 0.0
                for c in range(n):
                    x = 0.0
                    for b in range(n):
                        x += S[o + a * n + b] * work.P[k, b, c]
                    work.X[o + a * n + c] = x
                    noise += abs(x) * work.e[c]
                noise *= work.scale[shape.row[i] + a]
                work.noise[shape.row[i] + a] += noise * noise
        # S_ij -= W_ik W_jk^T with W_ik = S_ik L^-1: X_ik S_jk^T would lose as much by the inverse as by the pivots
        for s in range(shape.column[p], shape.column[p + 1]):
            for a in range(shape.size[shape.below[s]]):
                o = shape.offset[s] + a * n
                for c in range(found):
                    i = work.order[c]
                    x = S[o + i] * work.scale[row + i]
                    for b in range(c):
                        x -= work.y[b] * work.L[b, i]
                    work.y[c] = x / work.L[c, i]
                for c in range(n):
                    S[o + c] = work.y[c] if c < found else 0.0
        u = shape.update[p]
        for s in range(shape.column[p], shape.column[p + 1]):
            i = shape.below[s]
            o_i = shape.offset[s]
            for e in range(shape.column[p], s + 1):
                j = shape.below[e]
                o_j = shape.offset[e]
                m = shape.size[j]
                for a in range(shape.size[i]):
                    for b in range(m):
                        x = 0.0
                        for c in range(n):
                            x += S[o_i + a * n + c] * S[o_j + b * n + c]
                        S[shape.target[u] + a * m + b] -= x
                u += 1
    return rank


@kernel
def expect_rows(work):
    """Rows that the last factorisation found are known to be independent from now on, whatever their pivots."""
    for k in range(work.found.size):
        work.sure[k] = work.found[k]
        work.reference[k] = 0.0


@kernel
def remember_rows(work):
    """Where the joints are closed: rows found beyond the known ones become known, and their smallest pivot is kept."""
    for k in range(work.found.size):
        if work.found[k] > work.sure[k]:
            work.sure[k] = work.found[k]
            work.reference[k] = 0.0
        if work.found[k] == work.sure[k]:
            work.reference[k] = max(work.reference[k], work.pivot[k])


@kernel
def eliminate(shape, work, x, base, first, last):
    """x = X^-1 x at the positions first … last - 1 of the order; x[0] belongs to row `base`."""
    for p in range(first, last):
        k = shape.order[p]
        n = shape.size[k]
        row = shape.row[k] - base
        some = False
        for c in range(n):
            some = some or x[row + c] != 0.0
        if not some:
            continue
        for s in range(shape.column[p], shape.column[p + 1]):
            i = shape.row[shape.below[s]] - base
            o = shape.offset[s]
            for a in range(shape.size[shape.below[s]]):
                y = 0.0
                for c in range(n):
                    y += work.X[o + a * n + c] * x[row + c]
                x[i + a] -= y


@kernel
def weigh(shape, work, x, base, first, last, out):
    """out = the pseudoinverses of the diagonal blocks times x, which was eliminated."""
    for p in range(first, last):
        k = shape.order[p]
        n = shape.size[k]
        row = shape.row[k] - base
        for a in range(n):
            y = 0.0
            for c in range(n):
                y += work.P[k, a, c] * x[row + c]
            out[row + a] = y


@kernel
def solve_blocks(shape, work, x, base, first, last):
    """x becomes S^+ x, for x in the range of S; positions and `base` as in `eliminate`."""
    eliminate(shape, work, x, base, first, last)
    for p in range(last - 1, first - 1, -1):
        k = shape.order[p]
        n = shape.size[k]
        row = shape.row[k] - base
        for a in range(n):
            y = 0.0
            for c in range(n):
                y += work.P[k, a, c] * x[row + c]
            work.y[a] = y
        for s in range(shape.column[p], shape.column[p + 1]):
            i = shape.row[shape.below[s]] - base
            o = shape.offset[s]
            for c in range(n):
                y = 0.0
                for a in range(shape.size[shape.below[s]]):
                    y += work.X[o + a * n + c] * x[i + a]
                work.y[c] -= y
        for a in range(n):
            x[row + a] = work.y[a]
