"""Calls with wrong arguments: instead of Python's TypeError one sentence that shows the correct call.

`linkwork/__init__.py` passes every public class and function through `helpful`, so their definitions need nothing.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from linkwork.errors import ModelError, OptionError
from linkwork.model import checked
from linkwork.model.synonyms import SYNONYMS

Public = TypeVar("Public")

HERE = "linkwork."
KNOWN_AS = {"Parts": "model", "Model": "model", "Simulation": "sim", "Trajectory": "run"}  # in examples
ROW = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def helpful(value: Public, told: str = "") -> Public:
    """The public class or function, which from now on refuses wrong arguments in a sentence; `told` is its name there.

    >>> import linkwork
    >>> linkwork.Box(1, 2, 3)
    Traceback (most recent call last):
    linkwork.errors.ModelError: Box: it takes one size, not 3 numbers; write Box((1, 2, 3))
    """
    if inspect.isfunction(value):
        result: Public = _told(value, told or value.__name__, _refusal(value))
        return result
    if inspect.isclass(value) and not issubclass(value, BaseException):
        methods = not value.__module__.startswith(f"{HERE}formulations")  # loops call those of methods
        for each in value.__mro__:
            if each.__module__.startswith(HERE):
                _tell_all(each, value, methods)
    return value


def _tell_all(kind: type, public: type, methods: bool) -> None:
    for name, function in list(vars(kind).items()):
        if not inspect.isfunction(function) or hasattr(function, "told_by_us"):
            continue
        if name == "__init__":
            setattr(kind, name, _told(function, public.__name__, _refusal(kind), bound=True))
        elif methods and not name.startswith("_"):
            owner = next((KNOWN_AS[each.__name__] for each in public.__mro__ if each.__name__ in KNOWN_AS), "")
            setattr(kind, name, _told(function, f"{owner or public.__name__}.{name}", _refusal(kind), bound=True))


def _refusal(value: Any) -> type[ValueError]:
    return ModelError if value.__module__.startswith(f"{HERE}model") else OptionError


def _told(function: Callable[..., Any], told: str, refusal: type[ValueError], bound: bool = False) -> Any:
    @functools.wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise  # inside the function, not in the call
            name = type(args[0]).__name__ if told[0].isupper() and "." not in told and bound else told
            reason = _wrong(function, name, args[1:] if bound else args, options, bound)
            if reason is None:
                raise
            raise refusal(reason) from None

    call.told_by_us = True  # type: ignore[attr-defined]
    return call


def _wrong(
    function: Callable[..., Any], told: str, args: Sequence[Any], options: Mapping[str, Any], bound: bool
) -> str | None:
    """What is wrong with the arguments of a call; None where they fit."""
    items = list(inspect.signature(function).parameters.values())[int(bound) :]
    row = [item for item in items if item.kind in ROW]
    named = [item for item in items if item.kind is item.KEYWORD_ONLY]
    anything = any(item.kind is item.VAR_KEYWORD for item in items)
    known = [item.name for item in (*row, *named)]
    if not anything:
        try:
            checked.unknown_options([name for name in options if name not in known], known, told)
        except ModelError as error:
            return str(error)
    for item in row[: len(args)]:
        if item.name in options:
            return f"{told}: {item.name} is given twice, by its place and by name; give it once"
    if len(args) > len(row) and not any(item.kind is item.VAR_POSITIONAL for item in items):
        return f"{told}: {_too_many(told, args, row, named)}"
    missing = [
        item.name for item in (*row[len(args) :], *named) if item.default is item.empty and item.name not in options
    ]
    if not missing:
        return None
    listed = " and ".join(f"{name}=" for name in missing)
    for name in options:
        for ours in SYNONYMS.get(name, []):
            if ours in missing:
                return (
                    f"{told}: {listed} {'is' if len(missing) == 1 else 'are'} missing; did you mean {ours}= by {name}=?"
                )
    return f"{told}: {listed} {'is' if len(missing) == 1 else 'are'} missing; write {_written(told, row, named)}"


def _too_many(told: str, args: Sequence[Any], row: Sequence[Any], named: Sequence[Any]) -> str:
    if len(row) == 1 and len(args) > 1 and all(checked.real(value) is not None for value in args):
        numbers = ", ".join(checked.shown(value) for value in args)
        return f"it takes one {row[0].name}, not {len(args)} numbers; write {told}(({numbers}))"
    others = ", ".join(f"{item.name}=" for item in named[:3])
    if not row:
        return f"what it takes is given by name; give {others}" if others else f"it takes nothing; write {told}()"
    takes = f"{len(args)} values are given without a name but it takes {len(row)}"
    remedy = f"give the others by name, such as {others}" if others else "remove the others"
    return f"{takes} ({', '.join(item.name for item in row)}); {remedy}"


def _written(told: str, row: Sequence[Any], named: Sequence[Any]) -> str:
    """An example of the call: everything it needs."""
    needed = [item.name for item in row if item.default is item.empty]
    needed += [f"{item.name}=..." for item in named if item.default is item.empty]
    return f"{told}({', '.join(needed)})"
