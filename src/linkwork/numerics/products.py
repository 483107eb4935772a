"""Products of small matrices added to a third, by vector instructions: sums stay in registers, four rows at a time.

    A[i, j] += sum over k of C[i, k] M[k, j]

Rows of A and M lie in memory as they are, numbers of a row beside each other; those of C may be any distance apart, so
that C can be a transpose. Arrays may have any number of dimensions: places are counted in them as they lie in memory. M
may be other rows of A, but none of those that are written.
"""

from __future__ import annotations

from typing import Any

from linkwork._jit import intrinsic, kernel, pointer, small

EIGHT = 8
# tiles of A, as long as there are so many: rows, and vectors of so many numbers side by side; four sums at once keep
# the adders busy
TILES = (
    (4, ((1, 8), (1, 4), (1, 1))),
    (2, ((2, 8), (1, 8), (1, 4), (1, 1))),
    (1, ((4, 8), (2, 8), (1, 8), (1, 4), (1, 1))),
)


def _rows_at(A: Any, at: int, apart: int, rows: int, n: int) -> Any:
    """Numbers at, at + 1, … of memory as (rows, n), rows so far apart."""
    places = at + apart * _count(rows)[:, None] + _count(n)[None, :]
    return places, A.reshape(-1)[places]


def _count(n: int) -> Any:
    import numpy as np

    return np.arange(n)


def _product(sign: float) -> Any:
    def product(A, a, a_row, C, c, c_row, c_next, M, m, m_row, rows, n, depth):
        places, old = _rows_at(A, a, a_row, rows, n)
        factors = C.reshape(-1)[c + c_row * _count(rows)[:, None] + c_next * _count(depth)[None, :]]
        A.reshape(-1)[places] = old + sign * factors @ _rows_at(M, m, m_row, depth, n)[1]

    return product


class _Tiles:
    """Writes the loops: a tile of A is loaded, gets its sum over k, and is stored."""

    def __init__(self, context: Any, builder: Any, kinds: Any, arguments: Any, less: bool) -> None:
        from llvmlite import ir

        self.builder, self.ir, self.less = builder, ir, less
        A, a, self.a_row, C, c, self.c_row, self.c_next, M, m, self.m_row, self.rows, self.n, self.depth = arguments
        one = self.whole(1)
        rows, columns, steps = (builder.sub(count, one) for count in (self.rows, self.n, self.depth))
        touched = (
            (0, A, a, self.reach((rows, self.a_row), (columns, one))),
            (3, C, c, self.reach((rows, self.c_row), (steps, self.c_next))),
            (7, M, m, self.reach((steps, self.m_row), (columns, one))),
        )
        self.A, self.C, self.M = (
            pointer(context, builder, kinds[k], array, at, count) for k, array, at, count in touched
        )

    def reach(self, *ways: tuple[Any, Any]) -> Any:
        """Numbers from the first to the last of a matrix: steps each way, and how far apart; none where it is empty."""
        count, nothing = self.whole(1), self.ir.Constant(self.ir.IntType(1), 0)
        for steps, apart in ways:
            count = self.builder.add(count, self.builder.mul(steps, apart))
            nothing = self.builder.or_(nothing, self.builder.icmp_signed("<", steps, self.whole(0)))
        return self.builder.select(nothing, self.whole(0), count)

    def whole(self, k: int) -> Any:
        return self.ir.Constant(self.ir.IntType(64), k)

    def kind(self, lanes: int) -> Any:
        return self.ir.DoubleType() if lanes == 1 else self.ir.VectorType(self.ir.DoubleType(), lanes)

    def at(self, place: Any, row: Any, apart: Any, column: Any, lanes: int) -> Any:
        found = self.builder.gep(place, [self.builder.add(self.builder.mul(row, apart), column)])
        return found if lanes == 1 else self.builder.bitcast(found, self.kind(lanes).as_pointer())

    def same(self, x: Any, lanes: int) -> Any:
        if lanes == 1:
            return x
        nothing = self.ir.Constant(self.kind(lanes), self.ir.Undefined)
        first = self.builder.insert_element(nothing, x, self.ir.Constant(self.ir.IntType(32), 0))
        zeros = self.ir.Constant(self.ir.VectorType(self.ir.IntType(32), lanes), [0] * lanes)
        return self.builder.shuffle_vector(first, nothing, zeros)

    def write(self) -> None:
        from numba.core import cgutils

        whole = self.ir.IntType(64)
        begin_row = self.whole(0)
        for height, widths in TILES:
            end_row = self.builder.and_(self.rows, self.whole(-height))
            step = self.whole(height)
            with cgutils.for_range_slice(self.builder, begin_row, end_row, step, intp=whole) as (i, _):
                begin = self.whole(0)
                for vectors, lanes in widths:
                    step = vectors * lanes
                    end = self.builder.and_(self.n, self.whole(-step))
                    with cgutils.for_range_slice(self.builder, begin, end, self.whole(step), intp=whole) as (j, _):
                        self.tile(i, j, height, vectors, lanes)
                    begin = end
            begin_row = end_row

    def tile(self, i: Any, j: Any, height: int, vectors: int, lanes: int) -> None:
        from numba.core import cgutils

        builder, flags = self.builder, ("contract",)
        rows = [builder.add(i, self.whole(e)) for e in range(height)]
        columns = [builder.add(j, self.whole(e * lanes)) for e in range(vectors)]
        places = [self.at(self.A, row, self.a_row, column, lanes) for row in rows for column in columns]
        sums = [cgutils.alloca_once(builder, self.kind(lanes)) for _ in places]
        for slot, place in zip(sums, places, strict=True):
            builder.store(builder.load(place, align=8), slot)
        with cgutils.for_range(builder, self.depth, intp=self.ir.IntType(64)) as loop:
            k = loop.index
            right = [builder.load(self.at(self.M, k, self.m_row, column, lanes), align=8) for column in columns]
            for e, row in enumerate(rows):
                factor = builder.load(self.at(self.C, row, self.c_row, builder.mul(k, self.c_next), 1))
                factor = self.same(factor, lanes)
                for slot, number in zip(sums[e * vectors : (e + 1) * vectors], right, strict=True):
                    product = builder.fmul(factor, number, flags=flags)
                    add = builder.fsub if self.less else builder.fadd
                    builder.store(add(builder.load(slot), product, flags=flags), slot)
        for slot, place in zip(sums, places, strict=True):
            builder.store(builder.load(slot), place, align=8)


def _generator(less: bool) -> Any:
    def product(typing_context, A, a, a_row, C, c, c_row, c_next, M, m, m_row, rows, n, depth):
        from numba import types

        def generate(context, builder, signature, arguments):
            _Tiles(context, builder, signature.args, arguments, less).write()
            return context.get_dummy_value()

        whole = types.int64
        return types.void(A, whole, whole, C, whole, whole, whole, M, *[whole] * 5), generate

    return product


_add = intrinsic(_product(1.0))(_generator(False))
_subtract = intrinsic(_product(-1.0))(_generator(True))


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
def whole_vectors(n, room):
    """n columns, or the next multiple of eight where a row has room for it: what lies beyond is written, never read."""
    return min((n + EIGHT - 1) // EIGHT * EIGHT, room)
