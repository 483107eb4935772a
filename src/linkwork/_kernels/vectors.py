"""Vector instructions: so many numbers loaded, summed and stored at once, while LLVM's language is written.

LLVM takes the registers that the CPU has: eight numbers are one of AVX-512, two of AVX2, four of SSE2 or NEON.
"""

from __future__ import annotations

from typing import Any

from linkwork._kernels.checked import pointer

FUSED = ("contract",)  # a product and a sum may become one instruction


class Vectors:
    """Writes instructions for `lanes` numbers at once, or for single ones where `lanes` is 1."""

    def __init__(self, context: Any, builder: Any, lanes: int) -> None:
        from llvmlite import ir

        self.context, self.builder, self.ir, self.lanes = context, builder, ir, lanes
        self.number = ir.DoubleType()
        self.kind = self.number if lanes == 1 else ir.VectorType(self.number, lanes)

    def whole(self, k: int, bits: int = 64) -> Any:
        return self.ir.Constant(self.ir.IntType(bits), k)

    def place(self, kind: Any, array: Any, index: Any, count: Any) -> Any:
        """Pointer to a number of an array, counted as it lies in memory; `count` numbers from there on are meant."""
        return pointer(self.context, self.builder, kind, array, index, self._index(count))

    def at(self, place: Any, offset: Any = 0) -> Any:
        """Pointer to a vector, so many numbers after a place."""
        found = self.builder.gep(place, [self._index(offset)])
        return found if self.lanes == 1 else self.builder.bitcast(found, self.kind.as_pointer())

    def _index(self, k: Any) -> Any:
        return self.whole(k) if isinstance(k, int) else k

    def load(self, place: Any, offset: Any = 0) -> Any:
        return self.builder.load(self.at(place, offset), align=8)

    def store(self, value: Any, place: Any, offset: Any = 0) -> None:
        self.builder.store(value, self.at(place, offset), align=8)

    def number_at(self, place: Any, offset: Any = 0) -> Any:
        """A single number."""
        return self.builder.load(self.builder.gep(place, [self._index(offset)]))

    def nothing(self) -> Any:
        """Zero in every lane."""
        return self.ir.Constant(self.kind, 0.0 if self.lanes == 1 else [0.0] * self.lanes)

    def same(self, x: Any) -> Any:
        """The number x in every lane."""
        if self.lanes == 1:
            return x
        empty = self.ir.Constant(self.kind, self.ir.Undefined)
        first = self.builder.insert_element(empty, x, self.whole(0, 32))
        zeros = self.ir.Constant(self.ir.VectorType(self.ir.IntType(32), self.lanes), [0] * self.lanes)
        return self.builder.shuffle_vector(first, empty, zeros)

    def times(self, a: Any, b: Any) -> Any:
        return self.builder.fmul(a, b, flags=FUSED)

    def plus(self, a: Any, b: Any) -> Any:
        return self.builder.fadd(a, b, flags=FUSED)

    def minus(self, a: Any, b: Any) -> Any:
        return self.builder.fsub(a, b, flags=FUSED)
