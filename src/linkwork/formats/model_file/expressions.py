"""Numbers as text: "rho * length", "pi / 2". A tiny evaluator over Python's syntax tree; nothing is ever executed."""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from linkwork.errors import ModelError
from linkwork.model import checked

LONGEST = 400  # characters of an expression
DEEPEST = 40  # operations inside each other
CONSTANTS = {"pi": math.pi, "inf": math.inf}
FUNCTIONS: dict[str, Callable[..., float]] = {
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "atan2": math.atan2,
    "hypot": math.hypot,
    "exp": math.exp,
    "log": math.log,
    "radians": math.radians,
    "degrees": math.degrees,
    "abs": abs,
    "min": min,
    "max": max,
}
KEPT = (*CONSTANTS, *FUNCTIONS)  # names that no parameter may have
TWO: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
ONE: dict[type, Callable[[float], float]] = {ast.UAdd: operator.pos, ast.USub: operator.neg}
KNOWN = "numbers, parameters, pi, + - * / ** and functions such as sqrt()"


def evaluate(text: str, parameters: Mapping[str, float]) -> float:
    """The number that an expression means.

    >>> evaluate("2 * sqrt(L)", {"L": 0.25})
    1.0
    >>> evaluate("2 * lenght", {"length": 0.25})
    Traceback (most recent call last):
    linkwork.errors.ModelError: '2 * lenght' names 'lenght', which is no parameter; did you mean 'length'?
    """
    try:
        value = _value(_tree(text), parameters, text, 0)
    except OverflowError:
        raise ModelError(f"{checked.shown(text)} is too large for a number; correct it") from None
    except ArithmeticError as error:
        raise ModelError(f"{checked.shown(text)} has no value ({error}); correct it") from None
    except ValueError as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{checked.shown(text)} has no value ({error}); correct it") from None
    if math.isnan(value) or (math.isinf(value) and "inf" not in names_in(text)):
        raise ModelError(f"{checked.shown(text)} is {value}, which is no number; correct it")
    return value


def names_in(text: str) -> set[str]:
    """The names of parameters, constants and functions in an expression."""
    return {node.id for node in ast.walk(_tree(text)) if isinstance(node, ast.Name)}


def resolved(given: Mapping[str, Any], outer: Mapping[str, float]) -> Iterator[tuple[str, float | ModelError]]:
    """Each parameter with its number, or with what is wrong with it; expressions may name others in any order.

    >>> dict(resolved({"area": "width * 2", "width": 0.5}, {}))
    {'area': 1.0, 'width': 0.5}
    """
    known = {name: value for name, value in outer.items() if name not in given}
    failed: dict[str, ModelError] = {}
    for name in given:
        if name not in known and name not in failed:
            _resolve(name, given, known, failed)
    for name in given:
        yield name, failed[name] if name in failed else known[name]


def _resolve(first: str, given: Mapping[str, Any], known: dict[str, float], failed: dict[str, ModelError]) -> None:
    """The number of a parameter, those that it needs first."""
    waiting = [first]
    while waiting:
        name = waiting[-1]
        try:
            _check_name(name)
            text = given[name]
            needed = names_in(text) & given.keys() if isinstance(text, str) else set()
            open_ones = sorted(each for each in needed if each not in known and each not in failed)
            if any(each in waiting for each in open_ones):
                chain = " -> ".join([*waiting[waiting.index(open_ones[0]) :], open_ones[0]]) if open_ones else name
                raise ModelError(f"parameter '{name}' depends on itself ({chain}); give one of them as a number")
            if open_ones:
                waiting.append(open_ones[0])
                continue
            if any(each in failed for each in needed):
                raise ModelError("")  # what it needs is reported
            known[name] = parameter_value(name, text, known)
        except ModelError as error:
            failed[name] = error
        waiting.pop()


def parameter_value(name: str, value: Any, known: Mapping[str, float]) -> float:
    """The number that a parameter is given as, a number or an expression."""
    number = evaluate(value, known) if isinstance(value, str) else checked.real(value)
    if number is None or not math.isfinite(number):
        raise ModelError(
            f"parameter '{name}' must be one finite number, got {checked.shown(value)}; give a number or an expression"
        )
    return number


def _check_name(name: str) -> None:
    if not name.isidentifier():
        raise ModelError(
            f"parameter {checked.shown(name)} cannot stand in an expression; give it a name of letters, digits and _"
        )
    if name in KEPT:
        raise ModelError(f"parameter '{name}' has the name of a constant or function of expressions; choose another")


def _tree(text: str) -> ast.expr:
    if len(text) > LONGEST:
        raise ModelError(f"an expression has {LONGEST} characters at most, not {len(text)}; use parameters for parts")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Python about its own syntax
            return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise ModelError(f"{checked.shown(text)} is neither a number nor an expression; give {KNOWN}") from None


def _value(node: ast.AST, parameters: Mapping[str, float], text: str, depth: int) -> float:
    if depth > DEEPEST:
        raise ModelError(f"{checked.shown(text)} has too many operations inside each other; use parameters for parts")

    def inner(each: ast.AST) -> float:
        return _value(each, parameters, text, depth + 1)

    match node:
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            return float(node.value)  # type: ignore[arg-type]
        case ast.Name(id=name):
            return _named(name, parameters, text)
        case ast.UnaryOp() if type(node.op) in ONE:
            return ONE[type(node.op)](inner(node.operand))
        case ast.BinOp() if type(node.op) in TWO:
            result: Any = TWO[type(node.op)](inner(node.left), inner(node.right))
            if isinstance(result, complex):
                raise ModelError(f"{checked.shown(text)} is a complex number; correct it")
            return float(result)
        case ast.BinOp(op=ast.BitXor()):
            raise ModelError(f"{checked.shown(text)}: write ** for powers")
        case ast.Call(func=ast.Name(id=name), keywords=[]) if name in FUNCTIONS:
            numbers = [inner(each) for each in node.args]
            try:
                return float(FUNCTIONS[name](*numbers))
            except TypeError:
                raise ModelError(
                    f"{checked.shown(text)}: {name}() takes another count of numbers than {len(numbers)}; correct it"
                ) from None
    raise ModelError(f"{checked.shown(text)} is neither a number nor an expression; give {KNOWN}")


def _named(name: str, parameters: Mapping[str, float], text: str) -> float:
    if name in CONSTANTS:
        return CONSTANTS[name]
    if name in parameters:
        value = parameters[name]
        if math.isnan(value):
            raise ModelError("")  # what is wrong with the parameter is reported where it stands
        return value
    hint = checked.did_you_mean(name, (*parameters, *KEPT))
    remedy = hint or f"; define it under [parameters], or give {KNOWN}"
    raise ModelError(f"{checked.shown(text)} names '{name}', which is no parameter{remedy}")
