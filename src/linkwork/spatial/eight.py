"""Eight numbers as one: what writes vector instructions with the formulas of vectors.py.

An intrinsic loads eight vectors at once, one component of all after the other, and hands tuples of `Eight` to the same
functions that scalars go through.
"""

from __future__ import annotations

from typing import Any

from linkwork._kernels.vectors import Vectors

EIGHT = 8


class Eight:
    """Eight numbers in a register, while LLVM's language is written."""

    def __init__(self, builder: Any, value: Any) -> None:
        self.builder, self.value = builder, value

    def _number(self, x: Any) -> Any:
        """The register of x, which may be a number."""
        from llvmlite import ir

        return x.value if isinstance(x, Eight) else ir.Constant(self.value.type, [float(x)] * EIGHT)

    def _with(self, write: str, other: Any, turned: bool = False) -> Eight:
        pair = (self._number(other), self.value) if turned else (self.value, self._number(other))
        return Eight(self.builder, getattr(self.builder, write)(*pair, flags=("contract",)))

    def __add__(self, other: Any) -> Eight:
        return self._with("fadd", other)

    def __radd__(self, other: Any) -> Eight:
        return self._with("fadd", other, True)

    def __sub__(self, other: Any) -> Eight:
        return self._with("fsub", other)

    def __rsub__(self, other: Any) -> Eight:
        return self._with("fsub", other, True)

    def __mul__(self, other: Any) -> Eight:
        return self._with("fmul", other)

    def __rmul__(self, other: Any) -> Eight:
        return self._with("fmul", other, True)

    def __neg__(self) -> Eight:
        return Eight(self.builder, self.builder.fneg(self.value))

    def __abs__(self) -> Eight:
        return self.where(">=", 0.0, self, -self)

    def where(self, relation: str, other: Any, yes: Any, no: Any) -> Eight:
        """`yes` in the places where the relation holds, `no` in the others."""
        holds = self.builder.fcmp_ordered(relation, self.value, self._number(other))
        return Eight(self.builder, self.builder.select(holds, self._number(yes), self._number(no)))


class Lanes(Vectors):
    """Loads and stores of `Eight`."""

    def __init__(self, context: Any, builder: Any) -> None:
        super().__init__(context, builder, EIGHT)

    def load(self, place: Any, offset: Any = 0) -> Eight:
        """The eight numbers so many after a place."""
        return Eight(self.builder, super().load(place, offset))

    def store(self, value: Eight, place: Any, offset: Any = 0) -> None:
        super().store(value.value, place, offset)

    def spread(self, x: Any) -> Eight:
        """A number eight times."""
        return Eight(self.builder, self.same(x))

    def spread_from(self, place: Any, k: int = 0) -> Eight:
        """The k-th number from a place on, eight times."""
        return self.spread(self.number_at(place, k))

    def gather(self, places: list[Any], k: int) -> Eight:
        """The k-th number from each of eight places on."""
        value = self.ir.Constant(self.kind, self.ir.Undefined)
        for e, place in enumerate(places):
            value = self.builder.insert_element(value, self.number_at(place, k), self.whole(e, 32))
        return Eight(self.builder, value)

    def scatter(self, x: Eight, places: list[Any], k: int) -> None:
        """Each of the eight numbers becomes the k-th from its place on."""
        for e, place in enumerate(places):
            number = self.builder.extract_element(x.value, self.whole(e, 32))
            self.builder.store(number, self.builder.gep(place, [self.whole(k)]))
