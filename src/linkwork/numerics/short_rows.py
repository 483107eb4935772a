"""Products of short rows, four numbers at a time: rows of articulated bodies are 5 to 60 numbers long.

LLVM's own vector loops begin at 32 numbers, and leave shorter ones to scalars. Arrays may have any number of
dimensions: places are counted in them as they lie in memory.
"""

from __future__ import annotations

from typing import Any

from linkwork._jit import intrinsic
from linkwork._kernels.vectors import Vectors

FOUR = 4


class _Fours:
    """Writes loops over n numbers: fours first, then what is left."""

    def __init__(self, context: Any, builder: Any, n: Any) -> None:
        self.context, self.builder, self.n = context, builder, n
        self.four, self.one = (Vectors(context, builder, lanes) for lanes in (FOUR, 1))

    def place(self, kind: Any, array: Any, index: Any) -> Any:
        return self.one.place(kind, array, index, self.n)

    def loops(self) -> Any:
        """Twice: the place in a loop to write into, and what writes there."""
        from numba.core import cgutils

        end = self.builder.and_(self.n, self.one.whole(-FOUR))
        for begin, stop, of in ((self.one.whole(0), end, self.four), (end, self.n, self.one)):
            step = self.one.whole(of.lanes)
            with cgutils.for_range_slice(self.builder, begin, stop, step, intp=step.type) as (k, _):
                yield k, of

    def sum(self, four: Any, rest: Any) -> Any:
        """All numbers of a vector, and one more."""
        ends = [self.builder.extract_element(four, self.four.whole(k, 32)) for k in range(FOUR)]
        left = self.builder.fadd(ends[0], ends[1])
        return self.builder.fadd(self.builder.fadd(left, self.builder.fadd(ends[2], ends[3])), rest)


def _dots(context: Any, builder: Any, signature: Any, arguments: Any, count: int) -> list[Any]:
    """Products of `count` rows of the first array, which are `width` apart, with the second."""
    from numba.core import cgutils

    Z, z, width, x, i, n = arguments
    fours = _Fours(context, builder, n)
    rows = []
    for _ in range(count):
        rows.append(fours.place(signature.args[0], Z, z))
        z = builder.add(z, width)
    right = fours.place(signature.args[3], x, i)
    both = (fours.four, fours.one)
    sums = [{of: cgutils.alloca_once(builder, of.kind) for of in both} for _ in rows]
    for each in sums:
        for of, slot in each.items():
            builder.store(of.nothing(), slot)
    for k, of in fours.loops():
        b = of.load(right, k)
        for row, each in zip(rows, sums, strict=True):
            builder.store(of.plus(builder.load(each[of]), of.times(of.load(row, k), b)), each[of])
    return [fours.sum(*(builder.load(each[of]) for of in both)) for each in sums]


def _add(fours: Any, kinds: Any, x: Any, i: Any, factors: Any, U: Any, u: Any, width: Any) -> Any:
    """Add rows of U, `width` apart, times their factors to x."""
    context, builder = fours.context, fours.builder
    to = fours.place(kinds[0], x, i)
    rows = []
    for _ in factors:
        rows.append(fours.place(kinds[1], U, u))
        u = builder.add(u, width)
    for k, of in fours.loops():
        value = of.load(to, k)
        for factor, row in zip(factors, rows, strict=True):
            value = of.plus(value, of.times(of.same(factor), of.load(row, k)))
        of.store(value, to, k)
    return context.get_dummy_value()


def _dot_row(Z, z, x, i, n):
    """Z[z …] . x[i …], n long."""
    found = 0.0
    for k in range(n):
        found += Z.flat[z + k] * x.flat[i + k]
    return found


@intrinsic(_dot_row)
def dot_short_row(typing_context, Z, z, x, i, n):
    from numba import types

    def generate(context, builder, signature, arguments):
        Z, z, x, i, n = arguments
        kinds = signature.args
        again = types.float64(kinds[0], kinds[1], kinds[1], kinds[2], kinds[3], kinds[4])
        return _dots(context, builder, again, (Z, z, z, x, i, n), 1)[0]

    return types.float64(Z, types.int64, x, types.int64, types.int64), generate


def _dot_three_rows(Z, z, width, x, i, n):
    """Products of three rows, Z[z …] and those `width` and twice as far on, with x[i …], n long."""
    a = b = c = 0.0
    for k in range(n):
        a += Z.flat[z + k] * x.flat[i + k]
        b += Z.flat[z + width + k] * x.flat[i + k]
        c += Z.flat[z + 2 * width + k] * x.flat[i + k]
    return a, b, c


@intrinsic(_dot_three_rows)
def dot_three_short_rows(typing_context, Z, z, width, x, i, n):
    from numba import types

    def generate(context, builder, signature, arguments):
        found = _dots(context, builder, signature, arguments, 3)
        return context.make_tuple(builder, signature.return_type, found)

    whole = types.int64
    return types.UniTuple(types.float64, 3)(Z, whole, whole, x, whole, whole), generate


def _add_row(x, i, p, U, u, n):
    """x[i …] += p U[u …], n long; the two do not overlap unless they are the same."""
    for k in range(n):
        x.flat[i + k] += p * U.flat[u + k]


@intrinsic(_add_row)
def add_short_row(typing_context, x, i, p, U, u, n):
    from numba import types

    def generate(context, builder, signature, arguments):
        x, i, p, U, u, n = arguments
        kinds = signature.args[0], signature.args[3]
        return _add(_Fours(context, builder, n), kinds, x, i, [p], U, u, u)

    whole = types.int64
    return types.void(x, whole, types.float64, U, whole, whole), generate


def _add_three_rows(x, i, p, p_1, p_2, U, u, width, n):
    """x[i …] += p U[u …] and two more, from `width` and twice as far on; n long."""
    for k in range(n):
        x.flat[i + k] += p * U.flat[u + k] + p_1 * U.flat[u + width + k] + p_2 * U.flat[u + 2 * width + k]


@intrinsic(_add_three_rows)
def add_three_short_rows(typing_context, x, i, p, p_1, p_2, U, u, width, n):
    from numba import types

    def generate(context, builder, signature, arguments):
        x, i, p, p_1, p_2, U, u, width, n = arguments
        kinds = signature.args[0], signature.args[5]
        return _add(_Fours(context, builder, n), kinds, x, i, [p, p_1, p_2], U, u, width)

    number, whole = types.float64, types.int64
    return types.void(x, whole, number, number, number, U, whole, whole, whole), generate
