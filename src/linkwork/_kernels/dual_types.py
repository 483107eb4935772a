"""What numba has to know of numbers with slopes (duals.py): their type, and every operation that kernels use.

A comparison is one of values, so that each branch is the one that the numbers alone would take. What makes whole
numbers drops slopes; a plain number has none. Where a root or an angle has no slope, at zero, it gets none.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel import models, register_default
from numba.core.imputils import lower_builtin, lower_cast
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AbstractTemplate, infer_global, signature

from linkwork._kernels.duals import SLOPES
from linkwork._kernels.vectors import Vectors

REAL = ir.DoubleType()
VECTOR = ir.VectorType(REAL, SLOPES)
PAIR = ir.LiteralStructType([REAL, VECTOR], packed=True)
PLAIN = (types.Float, types.Integer, types.Boolean)


class Dual(types.Type):  # type: ignore[misc]
    """A number with slopes."""

    def __init__(self) -> None:
        super().__init__(name=f"Dual{SLOPES}")

    def can_convert_from(self, typing_context: Any, other: Any) -> Any:
        return Conversion.safe if isinstance(other, PLAIN) else None

    def unify(self, typing_context: Any, other: Any) -> Any:
        return self if isinstance(other, PLAIN) else None


dual = Dual()


@register_default(Dual)
class _DualModel(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: Dual) -> None:
        super().__init__(manager, kind, PAIR)


def is_dual(kind: Any) -> bool:
    """Whether a type is a number with slopes, an array of them, or a tuple with one in it."""
    if isinstance(kind, types.BaseTuple):
        return any(map(is_dual, kind))
    return kind == dual or (isinstance(kind, types.Array) and kind.dtype == dual)


# --- values and slopes while LLVM's language is written; slopes are None where there are none ---

Slopes = Any


class _Writer:
    """Arithmetic of values and of slopes."""

    def __init__(self, builder: Any) -> None:
        self.builder, self.vectors = builder, Vectors(None, builder, SLOPES)

    def real(self, x: float) -> Any:
        return ir.Constant(REAL, x)

    def unless_zero(self, x: Any, factor: Any) -> Any:
        """`factor`, but zero where x vanishes."""
        return self.builder.select(self.builder.fcmp_ordered("==", x, self.real(0.0)), self.real(0.0), factor)

    def scaled(self, d: Slopes, factor: Any) -> Slopes:
        return None if d is None else self.builder.fmul(d, self.vectors.same(factor))

    def plus(self, d: Slopes, e: Slopes) -> Slopes:
        return e if d is None else d if e is None else self.builder.fadd(d, e)

    def minus(self, d: Slopes, e: Slopes) -> Slopes:
        return self.plus(d, None if e is None else self.builder.fneg(e))

    def either(self, condition: Any, d: Slopes, e: Slopes) -> Slopes:
        none = ir.Constant(VECTOR, [0.0] * SLOPES)
        return self.builder.select(condition, none if d is None else d, none if e is None else e)

    def call(self, name: str, *values: Any) -> Any:
        """A function of the mathematical library, or of LLVM itself."""
        if name.startswith("llvm."):
            function = self.builder.module.declare_intrinsic(name, [REAL])
        else:
            kind = ir.FunctionType(REAL, [REAL] * len(values))
            function = cgutils.get_or_insert_function(self.builder.module, kind, name)
        return self.builder.call(function, values)


def _split(builder: Any, kind: Any, x: Any) -> tuple[Any, Slopes]:
    return (builder.extract_value(x, 0), builder.extract_value(x, 1)) if kind == dual else (x, None)


def _pair(builder: Any, v: Any, d: Slopes) -> Any:
    made = builder.insert_value(ir.Constant(PAIR, ir.Undefined), v, 0)
    return builder.insert_value(made, ir.Constant(VECTOR, [0.0] * SLOPES) if d is None else d, 1)


# --- registration ---


def _typed(function: Any, count: int, result: Any) -> None:
    """numba may call `function` with so many arguments of which one has slopes."""

    class Template(AbstractTemplate):  # type: ignore[misc]
        key = function

        def generic(self, args: Any, keywords: Any) -> Any:
            if len(args) != count or dual not in args or not all(a == dual or isinstance(a, PLAIN) for a in args):
                return None
            return signature(result, *(a if a == dual else types.float64 for a in args))

    infer_global(function)(Template)


def _kinds(count: int) -> list[tuple[Any, ...]]:
    if count == 1:
        return [(Dual,)]
    return [(Dual, Dual), (Dual, types.float64), (types.float64, Dual)]


def _operation(functions: tuple[Any, ...], count: int, write: Callable[..., tuple[Any, Slopes]]) -> None:
    """`write(writer, x, dx, …)` gives value and slopes."""

    def lowered(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
        pairs = [_split(builder, kind, x) for kind, x in zip(kinds.args, arguments, strict=True)]
        return _pair(builder, *write(_Writer(builder), *(each for pair in pairs for each in pair)))

    _register(functions, count, dual, lowered)


def _question(functions: tuple[Any, ...], count: int, result: Any, write: Callable[..., Any]) -> None:
    """`write(writer, x, …)` answers by the values alone."""

    def lowered(context: Any, builder: Any, kinds: Any, arguments: Any) -> Any:
        values = [_split(builder, kind, x)[0] for kind, x in zip(kinds.args, arguments, strict=True)]
        return write(_Writer(builder), *values)

    _register(functions, count, result, lowered)


def _register(functions: tuple[Any, ...], count: int, result: Any, lowered: Any) -> None:
    for function in functions:
        _typed(function, count, result)
        for kinds in _kinds(count):
            lower_builtin(function, *kinds)(lowered)


def _cast(context: Any, builder: Any, source: Any, target: Any, x: Any) -> Any:
    return _pair(builder, context.cast(builder, x, source, types.float64), None)


for _plain in PLAIN:
    lower_cast(_plain, Dual)(_cast)


# --- two numbers ---


def _add(w: _Writer, x: Any, dx: Slopes, y: Any, dy: Slopes) -> tuple[Any, Slopes]:
    return w.builder.fadd(x, y), w.plus(dx, dy)


def _subtract(w: _Writer, x: Any, dx: Slopes, y: Any, dy: Slopes) -> tuple[Any, Slopes]:
    return w.builder.fsub(x, y), w.minus(dx, dy)


def _multiply(w: _Writer, x: Any, dx: Slopes, y: Any, dy: Slopes) -> tuple[Any, Slopes]:
    return w.builder.fmul(x, y), w.plus(w.scaled(dx, y), w.scaled(dy, x))


def _divide(w: _Writer, x: Any, dx: Slopes, y: Any, dy: Slopes) -> tuple[Any, Slopes]:
    v = w.builder.fdiv(x, y)
    return v, w.scaled(w.minus(dx, w.scaled(dy, v)), w.builder.fdiv(w.real(1.0), y))


def _power(w: _Writer, x: Any, dx: Slopes, y: Any, dy: Slopes) -> tuple[Any, Slopes]:
    v = w.call("pow", x, y)
    slope = w.unless_zero(y, w.builder.fmul(y, w.call("pow", x, w.builder.fsub(y, w.real(1.0)))))
    if dy is None:
        return v, w.scaled(dx, slope)
    above = w.builder.fcmp_ordered(">", x, w.real(0.0))
    by_exponent = w.builder.select(above, w.builder.fmul(v, w.call("log", x)), w.real(0.0))
    return v, w.plus(w.scaled(dx, slope), w.scaled(dy, by_exponent))


def _atan2(w: _Writer, y: Any, dy: Slopes, x: Any, dx: Slopes) -> tuple[Any, Slopes]:
    square = w.builder.fadd(w.builder.fmul(x, x), w.builder.fmul(y, y))
    r = w.unless_zero(square, _one_over(w, square))
    across, along = w.builder.fmul(x, r), w.builder.fmul(y, r)
    return w.call("atan2", y, x), w.minus(w.scaled(dy, across), w.scaled(dx, along))


def _hypot(w: _Writer, x: Any, dx: Slopes, y: Any, dy: Slopes) -> tuple[Any, Slopes]:
    v = w.call("hypot", x, y)
    r = w.unless_zero(v, _one_over(w, v))
    return v, w.plus(w.scaled(dx, w.builder.fmul(x, r)), w.scaled(dy, w.builder.fmul(y, r)))


def _copysign(w: _Writer, x: Any, dx: Slopes, y: Any, dy: Slopes) -> tuple[Any, Slopes]:
    v = w.call("copysign", x, y)
    turned = None if dx is None else w.builder.fneg(dx)
    return v, w.either(w.builder.fcmp_ordered("==", v, x), dx, turned)


def _remainder(w: _Writer, x: Any, dx: Slopes, y: Any, dy: Slopes) -> tuple[Any, Slopes]:
    times = w.call("llvm.floor", w.builder.fdiv(x, y))
    return w.builder.fsub(x, w.builder.fmul(times, y)), w.minus(dx, w.scaled(dy, times))


def _first_if(relation: str) -> Callable[..., tuple[Any, Slopes]]:
    def write(w: _Writer, x: Any, dx: Slopes, y: Any, dy: Slopes) -> tuple[Any, Slopes]:
        first = w.builder.fcmp_ordered(relation, x, y)
        return w.builder.select(first, x, y), w.either(first, dx, dy)

    return write


def _related(relation: str) -> Callable[..., Any]:
    def write(w: _Writer, x: Any, y: Any) -> Any:
        compare = w.builder.fcmp_unordered if relation == "!=" else w.builder.fcmp_ordered
        return compare(relation, x, y)

    return write


_operation((operator.add, operator.iadd), 2, _add)
_operation((operator.sub, operator.isub), 2, _subtract)
_operation((operator.mul, operator.imul), 2, _multiply)
_operation((operator.truediv, operator.itruediv), 2, _divide)
_operation((operator.mod, operator.imod, np.mod), 2, _remainder)
_operation((operator.pow, operator.ipow, math.pow, np.power), 2, _power)
_operation((math.atan2, np.arctan2), 2, _atan2)
_operation((math.hypot, np.hypot), 2, _hypot)
_operation((math.copysign, np.copysign), 2, _copysign)
_operation((max, np.maximum), 2, _first_if(">="))
_operation((min, np.minimum), 2, _first_if("<="))
for _comparison, _relation in (
    (operator.lt, "<"),
    (operator.le, "<="),
    (operator.gt, ">"),
    (operator.ge, ">="),
    (operator.eq, "=="),
    (operator.ne, "!="),
):
    _question((_comparison,), 2, types.boolean, _related(_relation))


# --- one number ---


def _absolute(w: _Writer, x: Any, dx: Slopes) -> tuple[Any, Slopes]:
    below = w.builder.fcmp_ordered("<", x, w.real(0.0))
    return w.builder.select(below, w.builder.fneg(x), x), w.builder.select(below, w.builder.fneg(dx), dx)


def _chain(name: str, slope: Callable[[_Writer, Any, Any], Any]) -> Callable[..., tuple[Any, Slopes]]:
    """A function of the mathematical library with its slope, by x and the value."""

    def write(w: _Writer, x: Any, dx: Slopes) -> tuple[Any, Slopes]:
        v = w.call(name, x)
        return v, w.scaled(dx, slope(w, x, v))

    return write


def _one_over(w: _Writer, x: Any) -> Any:
    return w.builder.fdiv(w.real(1.0), x)


def _one_less_square(w: _Writer, x: Any) -> Any:
    return w.builder.fsub(w.real(1.0), w.builder.fmul(x, x))


def _one_and_square(w: _Writer, x: Any) -> Any:
    return w.builder.fadd(w.real(1.0), w.builder.fmul(x, x))


def _arc_slope(w: _Writer, x: Any) -> Any:
    root = w.call("llvm.sqrt", _one_less_square(w, x))
    return w.unless_zero(root, _one_over(w, root))


_operation((operator.neg,), 1, lambda w, x, dx: (w.builder.fneg(x), w.builder.fneg(dx)))
_operation((operator.pos,), 1, lambda w, x, dx: (x, dx))
_operation((abs, math.fabs, np.abs, np.fabs), 1, _absolute)
for _functions, _name, _slope in (
    ((math.sqrt, np.sqrt), "llvm.sqrt", lambda w, x, v: w.unless_zero(v, w.builder.fdiv(w.real(0.5), v))),
    ((math.sin, np.sin), "sin", lambda w, x, v: w.call("cos", x)),
    ((math.cos, np.cos), "cos", lambda w, x, v: w.builder.fneg(w.call("sin", x))),
    ((math.tan, np.tan), "tan", lambda w, x, v: _one_and_square(w, v)),
    ((math.exp, np.exp), "exp", lambda w, x, v: v),
    ((math.log, np.log), "log", lambda w, x, v: _one_over(w, x)),
    ((math.sinh, np.sinh), "sinh", lambda w, x, v: w.call("cosh", x)),
    ((math.cosh, np.cosh), "cosh", lambda w, x, v: w.call("sinh", x)),
    ((math.tanh, np.tanh), "tanh", lambda w, x, v: _one_less_square(w, v)),
    ((math.atan, np.arctan), "atan", lambda w, x, v: _one_over(w, _one_and_square(w, x))),
    ((math.asin, np.arcsin), "asin", lambda w, x, v: _arc_slope(w, x)),
    ((math.acos, np.arccos), "acos", lambda w, x, v: w.builder.fneg(_arc_slope(w, x))),
):
    _operation(_functions, 1, _chain(_name, _slope))

_WHOLE = ir.IntType(64)


def _is_finite(w: _Writer, x: Any) -> Any:
    left = w.builder.fsub(x, x)
    return w.builder.fcmp_ordered("ord", left, left)


def _sign(w: _Writer, x: Any) -> Any:
    above, below = (w.builder.fcmp_ordered(each, x, w.real(0.0)) for each in (">", "<"))
    return w.builder.select(above, w.real(1.0), w.builder.select(below, w.real(-1.0), w.real(0.0)))


_question((math.isfinite, np.isfinite), 1, types.boolean, _is_finite)
_question((math.isnan, np.isnan), 1, types.boolean, lambda w, x: w.builder.fcmp_unordered("uno", x, x))
_question((bool,), 1, types.boolean, lambda w, x: w.builder.fcmp_unordered("!=", x, w.real(0.0)))
_question((int,), 1, types.int64, lambda w, x: w.builder.fptosi(x, _WHOLE))
_question((np.sign,), 1, types.float64, _sign)
_question((operator.floordiv,), 2, types.float64, lambda w, x, y: w.call("llvm.floor", w.builder.fdiv(x, y)))
_question((math.floor,), 1, types.int64, lambda w, x: w.builder.fptosi(w.call("llvm.floor", x), _WHOLE))
_question((math.ceil,), 1, types.int64, lambda w, x: w.builder.fptosi(w.call("llvm.ceil", x), _WHOLE))
_question((round,), 1, types.int64, lambda w, x: w.builder.fptosi(w.call("llvm.rint", x), _WHOLE))
_question((np.rint,), 1, types.float64, lambda w, x: w.call("llvm.rint", x))
