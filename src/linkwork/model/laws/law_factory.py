"""Laws with numbers of their own, made by functions that have a name: equal numbers give the same law."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from linkwork.errors import ModelError
from linkwork.model import checked

Factory = TypeVar("Factory", bound=Callable[..., Any])

KEPT = 256  # laws of one factory


class LawOrigin(NamedTuple):
    """Where a law comes from: its factory by module and name, and the numbers that it was given."""

    module: str
    name: str
    numbers: dict[str, Any]


def law_factory(function: Factory) -> Factory:
    """Let a function make laws from numbers. It makes one law for the same numbers, so that equal models are equal.

    Model files keep such a law by the module and the name of the function and by its numbers, like a compiled law
    without numbers. The function must stand in a module and return a compiled law.

    >>> @lw.law_factory
    ... def rubbing(friction, creep=1e-3):
    ...     @lw.compiled
    ...     def law(t, position, velocity):
    ...         return -friction * math.tanh(velocity / creep)
    ...
    ...     return law
    >>> rubbing(2.0) is rubbing(friction=2.0, creep=1e-3)
    True
    """
    signature = inspect.signature(function)

    @functools.lru_cache(maxsize=KEPT)
    def made(*numbers: float) -> Any:
        law = function(*numbers)
        law.law_origin = LawOrigin(
            function.__module__, function.__qualname__, dict(zip(signature.parameters, numbers, strict=True))
        )
        return law

    @functools.wraps(function)
    def factory(*args: Any, **options: Any) -> Any:
        given = signature.bind(*args, **options)
        given.apply_defaults()
        for name, value in given.arguments.items():
            if checked.real(value) is None:
                raise ModelError(
                    f"{function.__name__}: {name} must be one number, got {checked.shown(value)}; correct {name}="
                )
        return made(*given.arguments.values())

    factory.makes_laws = True  # type: ignore[attr-defined]
    return factory  # type: ignore[return-value]


def law_origin(function: Any) -> LawOrigin | None:
    """The factory and the numbers of a law; without numbers where it is a compiled function of a module itself."""
    found = getattr(function, "law_origin", None)
    if isinstance(found, LawOrigin):
        return found
    if hasattr(function, "py_func") or getattr(function, "compiled_law", False):
        return LawOrigin(function.__module__, function.__qualname__, {})
    return None
