"""Products of small matrices added to a third, by vector instructions: sums stay in registers, four rows at a time.

    A[i, j] += sum over k of C[i, k] M[k, j]

Rows of A and M lie in memory as they are, numbers of a row beside each other; those of C may be any distance apart, so
that C can be a transpose. Arrays may have any number of dimensions: places are counted in them as they lie in memory. M
may be other rows of A, but none of those that are written.
"""

from __future__ import annotations

from typing import Any

from linkwork._jit import intrinsic, kernel, small
from linkwork._kernels.vectors import Vectors

EIGHT = 8
# tiles of A, as long as there are so many: rows, and vectors of so many numbers side by side; four sums at once keep
# the adders busy
TILES = (
    (4, ((1, 8), (1, 4), (1, 1))),
    (2, ((2, 8), (1, 8), (1, 4), (1, 1))),
    (1, ((4, 8), (2, 8), (1, 8), (1, 4), (1, 1))),
)


def _add_in_loops(A, a, a_row, C, c, c_row, c_next, M, m, m_row, rows, n, depth):
    for i in range(rows):
        for k in range(depth):
            factor = C.flat[c + i * c_row + k * c_next]
            for j in range(n):
                A.flat[a + i * a_row + j] += factor * M.flat[m + k * m_row + j]


def _subtract_in_loops(A, a, a_row, C, c, c_row, c_next, M, m, m_row, rows, n, depth):
    for i in range(rows):
        for k in range(depth):
            factor = C.flat[c + i * c_row + k * c_next]
            for j in range(n):
                A.flat[a + i * a_row + j] -= factor * M.flat[m + k * m_row + j]


class _Tiles:
    """Writes the loops: a tile of A is loaded, gets its sum over k, and is stored."""

    def __init__(self, context: Any, builder: Any, kinds: Any, arguments: Any, less: bool) -> None:
        self.builder, self.less = builder, less
        self.vectors = {lanes: Vectors(context, builder, lanes) for lanes in (1, 4, 8)}
        self.whole = self.vectors[1].whole
        A, a, self.a_row, C, c, self.c_row, self.c_next, M, m, self.m_row, self.rows, self.n, self.depth = arguments
        one = self.whole(1)
        rows, columns, steps = (builder.sub(count, one) for count in (self.rows, self.n, self.depth))
        touched = (
            (0, A, a, self.reach((rows, self.a_row), (columns, one))),
            (3, C, c, self.reach((rows, self.c_row), (steps, self.c_next))),
            (7, M, m, self.reach((steps, self.m_row), (columns, one))),
        )
        self.A, self.C, self.M = (self.vectors[1].place(kinds[k], array, at, count) for k, array, at, count in touched)

    def reach(self, *ways: tuple[Any, Any]) -> Any:
        """Numbers from the first to the last of a matrix: steps each way, and how far apart; none where it is empty."""
        count, nothing = self.whole(1), self.whole(0, bits=1)
        for steps, apart in ways:
            count = self.builder.add(count, self.builder.mul(steps, apart))
            nothing = self.builder.or_(nothing, self.builder.icmp_signed("<", steps, self.whole(0)))
        return self.builder.select(nothing, self.whole(0), count)

    def offset(self, row: Any, apart: Any, column: Any) -> Any:
        return self.builder.add(self.builder.mul(row, apart), column)

    def write(self) -> None:
        from numba.core import cgutils

        begin_row = self.whole(0)
        whole = begin_row.type
        for height, widths in TILES:
            end_row = self.builder.and_(self.rows, self.whole(-height))
            step = self.whole(height)
            with cgutils.for_range_slice(self.builder, begin_row, end_row, step, intp=whole) as (i, _):
                begin = self.whole(0)
                for vectors, lanes in widths:
                    step = vectors * lanes
                    end = self.builder.and_(self.n, self.whole(-step))
                    with cgutils.for_range_slice(self.builder, begin, end, self.whole(step), intp=whole) as (j, _):
                        self.tile(i, j, height, vectors, self.vectors[lanes])
                    begin = end
            begin_row = end_row

    def tile(self, i: Any, j: Any, height: int, vectors: int, of: Vectors) -> None:
        from numba.core import cgutils

        builder = self.builder
        rows = [builder.add(i, self.whole(e)) for e in range(height)]
        columns = [builder.add(j, self.whole(e * of.lanes)) for e in range(vectors)]
        offsets = [self.offset(row, self.a_row, column) for row in rows for column in columns]
        sums = [cgutils.alloca_once(builder, of.kind) for _ in offsets]
        for slot, offset in zip(sums, offsets, strict=True):
            builder.store(of.load(self.A, offset), slot)
        with cgutils.for_range(builder, self.depth, intp=self.whole(0).type) as loop:
            k = loop.index
            right = [of.load(self.M, self.offset(k, self.m_row, column)) for column in columns]
            for e, row in enumerate(rows):
                factor = of.same(of.number_at(self.C, self.offset(row, self.c_row, builder.mul(k, self.c_next))))
                for slot, number in zip(sums[e * vectors : (e + 1) * vectors], right, strict=True):
                    add = of.minus if self.less else of.plus
                    builder.store(add(builder.load(slot), of.times(factor, number)), slot)
        for slot, offset in zip(sums, offsets, strict=True):
            of.store(builder.load(slot), self.A, offset)


def _generator(less: bool) -> Any:
    def product(typing_context, A, a, a_row, C, c, c_row, c_next, M, m, m_row, rows, n, depth):
        from numba import types

        def generate(context, builder, signature, arguments):
            _Tiles(context, builder, signature.args, arguments, less).write()
            return context.get_dummy_value()

        whole = types.int64
        return types.void(A, whole, whole, C, whole, whole, whole, M, *[whole] * 5), generate

    return product


_add = intrinsic(_add_in_loops)(_generator(False))
_subtract = intrinsic(_subtract_in_loops)(_generator(True))


@kernel
def add_product(A, a, a_row, C, c, c_row, c_next, M, m, m_row, rows, n, depth):
    """A[i, j] += sum of C[i, k] M[k, j]; (rows, n) of A, k < depth.

    A[i, j] is at a + i a_row + j, C[i, k] at c + i c_row + k c_next, M[k, j] at m + k m_row + j.
    """
    _add(A, a, a_row, C, c, c_row, c_next, M, m, m_row, rows, n, depth)


@kernel
def subtract_product(A, a, a_row, C, c, c_row, c_next, M, m, m_row, rows, n, depth):
    """The same with -=."""
    _subtract(A, a, a_row, C, c, c_row, c_next, M, m, m_row, rows, n, depth)


@small
def whole_vectors(n, capacity):
    """n columns, or the next multiple of eight where a row has room for it: what lies beyond is written, never read."""
    return min((n + EIGHT - 1) // EIGHT * EIGHT, capacity)
