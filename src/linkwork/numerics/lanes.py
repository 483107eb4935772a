"""Blocks of six rows by vector instructions: each row lies in eight numbers, of which the last two mean nothing.

A free body has six dofs. The two numbers beyond a row are carried along with it, and never enter another one. Arrays
may have any number of dimensions: places are counted in them as they lie in memory, and every row read needs eight
numbers there.
"""

from __future__ import annotations

from typing import Any

from linkwork._jit import intrinsic, kernel
from linkwork._kernels.vectors import Vectors
from linkwork.numerics.gauss import NO_PIVOT

SIX, LANES = 6, 8
BLOCK = SIX * LANES  # numbers of a block


def _add_row(A, a, f, B, b):
    """A[a …] += f B[b …], eight numbers."""
    for j in range(LANES):
        A.flat[a + j] += f * B.flat[b + j]


@intrinsic(_add_row)
def add_row(typing_context, A, a, f, B, b):
    from numba import types

    def generate(context, builder, signature, arguments):
        rows = Vectors(context, builder, LANES)
        kinds = signature.args
        to = rows.place(kinds[0], arguments[0], arguments[1], LANES)
        of = rows.place(kinds[3], arguments[3], arguments[4], LANES)
        rows.store(rows.plus(rows.load(to), rows.times(rows.same(arguments[2]), rows.load(of))), to)
        return context.get_dummy_value()

    return types.void(A, types.int64, types.float64, B, types.int64), generate


def _subtract_block_product(A, c, a, b):
    """The block at A[c …] less the product of those at A[a …] and A[b …]."""
    for i in range(SIX):
        for k in range(SIX):
            for j in range(LANES):
                A.flat[c + i * LANES + j] -= A.flat[a + i * LANES + k] * A.flat[b + k * LANES + j]


@intrinsic(_subtract_block_product)
def subtract_block_product(typing_context, A, c, a, b):
    from numba import types

    def generate(context, builder, signature, arguments):
        rows = Vectors(context, builder, LANES)
        to, left, right = (rows.place(signature.args[0], arguments[0], at, BLOCK) for at in arguments[1:])
        B = [rows.load(right, k * LANES) for k in range(SIX)]
        for i in range(SIX):
            row = rows.load(to, i * LANES)
            for k in range(SIX):
                row = rows.minus(row, rows.times(rows.same(rows.number_at(left, i * LANES + k)), B[k]))
            rows.store(row, to, i * LANES)
        return context.get_dummy_value()

    return types.void(A, types.int64, types.int64, types.int64), generate


def _multiply_block(B, A, a):
    """The block at A[a …] becomes the block B times itself."""
    for j in range(LANES):
        x = A.flat[a + j]
        x_1 = A.flat[a + LANES + j]
        x_2 = A.flat[a + 2 * LANES + j]
        x_3 = A.flat[a + 3 * LANES + j]
        x_4 = A.flat[a + 4 * LANES + j]
        x_5 = A.flat[a + 5 * LANES + j]
        for i in range(SIX):
            b = i * LANES
            first = B.flat[b] * x + B.flat[b + 1] * x_1 + B.flat[b + 2] * x_2
            A.flat[a + b + j] = first + B.flat[b + 3] * x_3 + B.flat[b + 4] * x_4 + B.flat[b + 5] * x_5


@intrinsic(_multiply_block)
def multiply_block(typing_context, B, A, a):
    from numba import types

    def generate(context, builder, signature, arguments):
        rows = Vectors(context, builder, LANES)
        left = rows.place(signature.args[0], arguments[0], arguments[2].type(0), BLOCK)
        to = rows.place(signature.args[1], arguments[1], arguments[2], BLOCK)
        A = [rows.load(to, k * LANES) for k in range(SIX)]
        for i in range(SIX):
            row = rows.times(rows.same(rows.number_at(left, i * LANES)), A[0])
            for k in range(1, SIX):
                row = rows.plus(row, rows.times(rows.same(rows.number_at(left, i * LANES + k)), A[k]))
            rows.store(row, to, i * LANES)
        return context.get_dummy_value()

    return types.void(B, A, types.int64), generate


def _add_outer_products(A, a, f, f_1, f_2, U, u, Z, z, width):
    """The block at A[a …] plus the sum of f u z^T over three rows of U and Z, each `width` after the one before."""
    for i in range(SIX):
        g = f * U.flat[u + i]
        g_1 = f_1 * U.flat[u + width + i]
        g_2 = f_2 * U.flat[u + 2 * width + i]
        for j in range(LANES):
            sum_of_two = g * Z.flat[z + j] + g_1 * Z.flat[z + width + j]
            A.flat[a + i * LANES + j] += sum_of_two + g_2 * Z.flat[z + 2 * width + j]


@intrinsic(_add_outer_products)
def add_outer_products(typing_context, A, a, f, f_1, f_2, U, u, Z, z, width):
    from numba import types

    def generate(context, builder, signature, arguments):
        rows = Vectors(context, builder, LANES)
        kinds = signature.args
        to = rows.place(kinds[0], arguments[0], arguments[1], BLOCK)
        width = arguments[9]
        u_at, z_at = arguments[6], arguments[8]
        U, Z = [], []
        for k in range(3):
            U.append(rows.place(kinds[5], arguments[5], u_at, SIX))
            of = rows.load(rows.place(kinds[7], arguments[7], z_at, LANES))
            Z.append(rows.times(rows.same(arguments[2 + k]), of))
            u_at, z_at = builder.add(u_at, width), builder.add(z_at, width)
        for i in range(SIX):
            row = rows.load(to, i * LANES)
            for k in range(3):
                row = rows.plus(row, rows.times(rows.same(rows.number_at(U[k], i)), Z[k]))
            rows.store(row, to, i * LANES)
        return context.get_dummy_value()

    number, whole = types.float64, types.int64
    return types.void(A, whole, number, number, number, U, whole, Z, whole, whole), generate


class _Six:
    """Six numbers as four and two: nothing beyond them is read or written."""

    def __init__(self, context: Any, builder: Any) -> None:
        self.parts = [(Vectors(context, builder, 4), 0), (Vectors(context, builder, 2), 4)]
        self.place, self.builder = self.parts[0][0].place, builder

    def load(self, place: Any) -> list[Any]:
        return [part.load(place, offset) for part, offset in self.parts]

    def store(self, values: list[Any], place: Any) -> None:
        for (part, offset), value in zip(self.parts, values, strict=True):
            part.store(value, place, offset)

    def same(self, x: Any) -> list[Any]:
        """The number x six times."""
        return [part.same(x) for part, _ in self.parts]

    def times(self, a: list[Any], b: list[Any]) -> list[Any]:
        return [part.times(x, y) for (part, _), x, y in zip(self.parts, a, b, strict=True)]

    def plus(self, a: list[Any], b: list[Any]) -> list[Any]:
        return [part.plus(x, y) for (part, _), x, y in zip(self.parts, a, b, strict=True)]

    def sum(self, a: list[Any]) -> Any:
        """All six together."""
        of, (four, two) = self.parts[0][0], a
        for first in (0, 2):
            half = of.ir.Constant(of.ir.VectorType(of.ir.IntType(32), 2), [first, first + 1])
            two = self.builder.fadd(
                two, self.builder.shuffle_vector(four, of.ir.Constant(of.kind, of.ir.Undefined), half)
            )
        ends = [self.builder.extract_element(two, of.whole(k, 32)) for k in (0, 1)]
        return self.builder.fadd(*ends)


def _three_dots(Z, z, width, x, i):
    """Products of three rows of six numbers, Z[z …] and those `width` and twice as far on, with x[i …]."""
    a = b = c = 0.0
    for k in range(SIX):
        a += Z.flat[z + k] * x[i + k]
        b += Z.flat[z + width + k] * x[i + k]
        c += Z.flat[z + 2 * width + k] * x[i + k]
    return a, b, c


@intrinsic(_three_dots)
def three_dots(typing_context, Z, z, width, x, i):
    from numba import types

    def generate(context, builder, signature, arguments):
        six = _Six(context, builder)
        kinds = signature.args
        of = six.load(six.place(kinds[3], arguments[3], arguments[4], SIX))
        at, found = arguments[1], []
        for _ in range(3):
            row = six.load(six.place(kinds[0], arguments[0], at, SIX))
            found.append(six.sum(six.times(row, of)))
            at = builder.add(at, arguments[2])
        return context.make_tuple(builder, signature.return_type, found)

    return types.UniTuple(types.float64, 3)(Z, types.int64, types.int64, x, types.int64), generate


def _add_three_rows(x, i, p, p_1, p_2, U, u, width):
    """x[i …] += p U[u …] and two more, from `width` and twice as far on; six numbers each."""
    for k in range(SIX):
        x[i + k] += p * U.flat[u + k] + p_1 * U.flat[u + width + k] + p_2 * U.flat[u + 2 * width + k]


@intrinsic(_add_three_rows)
def add_three_rows(typing_context, x, i, p, p_1, p_2, U, u, width):
    from numba import types

    def generate(context, builder, signature, arguments):
        six = _Six(context, builder)
        kinds = signature.args
        to = six.place(kinds[0], arguments[0], arguments[1], SIX)
        value, at = six.load(to), arguments[6]
        for k in range(3):
            row = six.load(six.place(kinds[5], arguments[5], at, SIX))
            value = six.plus(value, six.times(six.same(arguments[2 + k]), row))
            at = builder.add(at, arguments[7])
        six.store(value, to)
        return context.get_dummy_value()

    number, whole = types.float64, types.int64
    return types.void(x, whole, number, number, number, U, whole, whole), generate


@kernel
def invert_block(A, o, B):
    """B becomes the inverse of the block at A[o …], which is used up. False where there is no pivot."""
    for k in range(BLOCK):
        B[k] = 0.0
    for i in range(SIX):
        B[i * LANES + i] = 1.0
    for c in range(SIX):
        best = c
        most = abs(A[o + c * LANES + c])
        for i in range(c + 1, SIX):
            if abs(A[o + i * LANES + c]) > most:
                most = abs(A[o + i * LANES + c])
                best = i
        if not 0.0 < most < NO_PIVOT:
            return False
        if best != c:
            for j in range(SIX):
                kept = A[o + c * LANES + j]
                A[o + c * LANES + j] = A[o + best * LANES + j]
                A[o + best * LANES + j] = kept
                kept = B[c * LANES + j]
                B[c * LANES + j] = B[best * LANES + j]
                B[best * LANES + j] = kept
        f = 1.0 / A[o + c * LANES + c]
        for i in range(SIX):
            if i != c:
                g = -f * A[o + i * LANES + c]
                add_row(A, o + i * LANES, g, A, o + c * LANES)
                add_row(B, i * LANES, g, B, c * LANES)
    for i in range(SIX):
        f = 1.0 / A[o + i * LANES + i]
        for j in range(LANES):
            B[i * LANES + j] *= f
    return True
