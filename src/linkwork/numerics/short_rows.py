"""Products of short rows, four numbers at a time: rows of articulated bodies are 5 to 60 numbers long.

LLVM's own vector loops begin at 32 numbers, and leave shorter ones to scalars. Arrays may have any number of
dimensions: places are counted in them as they lie in memory.
"""

from __future__ import annotations

from typing import Any

from linkwork._jit import intrinsic, pointer

FOUR = 4


def _flat(A: Any, at: int, n: int) -> Any:
    return A.reshape(-1)[at : at + n]


class _Fours:
    """Writes loops over n numbers: fours first, then what is left."""

    def __init__(self, context: Any, builder: Any, n: Any) -> None:
        from llvmlite import ir

        self.context, self.builder, self.ir, self.n = context, builder, ir, n
        self.vector = ir.VectorType(ir.DoubleType(), FOUR)

    def place(self, kind: Any, array: Any, index: Any) -> Any:
        return pointer(self.context, self.builder, kind, array, index, self.n)

    def loops(self) -> Any:
        """Twice: a loop to write into, and what loads from a place in it."""
        from numba.core import cgutils

        whole = self.ir.IntType(64)
        zero, one, four = (self.ir.Constant(whole, k) for k in (0, 1, FOUR))
        end = self.builder.and_(self.n, self.ir.Constant(whole, -FOUR))
        for begin, stop, step, wide in ((zero, end, four, True), (end, self.n, one, False)):
            with cgutils.for_range_slice(self.builder, begin, stop, step, intp=whole) as (k, _):
                yield k, wide

    def at(self, place: Any, k: Any, wide: bool) -> Any:
        found = self.builder.gep(place, [k])
        return self.builder.bitcast(found, self.vector.as_pointer()) if wide else found

    def load(self, place: Any, k: Any, wide: bool) -> Any:
        return self.builder.load(self.at(place, k, wide), align=8)

    def same(self, x: Any, wide: bool) -> Any:
        """The number x four times."""
        if not wide:
            return x
        nothing = self.ir.Constant(self.vector, self.ir.Undefined)
        first = self.builder.insert_element(nothing, x, self.ir.Constant(self.ir.IntType(32), 0))
        zeros = self.ir.Constant(self.ir.VectorType(self.ir.IntType(32), FOUR), [0] * FOUR)
        return self.builder.shuffle_vector(first, nothing, zeros)

    def add_product(self, to: Any, a: Any, b: Any) -> Any:
        flags = ("contract",)
        return self.builder.fadd(to, self.builder.fmul(a, b, flags=flags), flags=flags)

    def sum(self, four: Any, rest: Any) -> Any:
        """All numbers of a vector, and one more."""
        ends = [self.builder.extract_element(four, self.ir.Constant(self.ir.IntType(32), k)) for k in range(FOUR)]
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
    of = fours.place(signature.args[3], x, i)
    nothing = fours.ir.Constant(fours.vector, [0.0] * FOUR), fours.ir.Constant(fours.ir.DoubleType(), 0.0)
    kinds = (fours.vector, fours.ir.DoubleType())
    sums = [[cgutils.alloca_once(builder, kind) for kind in kinds] for _ in rows]
    for each in sums:
        for slot, value in zip(each, nothing, strict=True):
            builder.store(value, slot)
    for k, wide in fours.loops():
        b = fours.load(of, k, wide)
        for row, each in zip(rows, sums, strict=True):
            slot = each[0 if wide else 1]
            builder.store(fours.add_product(builder.load(slot), fours.load(row, k, wide), b), slot)
    return [fours.sum(builder.load(four), builder.load(rest)) for four, rest in sums]


def _add(fours: Any, kinds: Any, x: Any, i: Any, factors: Any, U: Any, u: Any, width: Any) -> Any:
    """Add rows of U, `width` apart, times their factors to x."""
    context, builder = fours.context, fours.builder
    to = fours.place(kinds[0], x, i)
    rows = []
    for _ in factors:
        rows.append(fours.place(kinds[1], U, u))
        u = builder.add(u, width)
    for k, wide in fours.loops():
        value = fours.load(to, k, wide)
        for factor, row in zip(factors, rows, strict=True):
            value = fours.add_product(value, fours.same(factor, wide), fours.load(row, k, wide))
        builder.store(value, fours.at(to, k, wide), align=8)
    return context.get_dummy_value()


def _dot_row(Z, z, x, i, n):
    """Z[z …] . x[i …], n long."""
    return float(_flat(Z, z, n) @ _flat(x, i, n))


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
    return tuple(float(_flat(Z, z + k * width, n) @ _flat(x, i, n)) for k in range(3))


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
    _flat(x, i, n)[:] += p * _flat(U, u, n)


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
    for k, factor in enumerate((p, p_1, p_2)):
        _flat(x, i, n)[:] += factor * _flat(U, u + k * width, n)


@intrinsic(_add_three_rows)
def add_three_short_rows(typing_context, x, i, p, p_1, p_2, U, u, width, n):
    from numba import types

    def generate(context, builder, signature, arguments):
        x, i, p, p_1, p_2, U, u, width, n = arguments
        kinds = signature.args[0], signature.args[5]
        return _add(_Fours(context, builder, n), kinds, x, i, [p, p_1, p_2], U, u, width)

    number, whole = types.float64, types.int64
    return types.void(x, whole, number, number, number, U, whole, whole, whole), generate
