"""Readers and writers named as "module:function": found when they are needed, and the options that they take."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from linkwork.errors import ModelError, OptionError
from linkwork.model import checked


def load(place: str) -> Callable[..., Any]:
    """The function at a place.

    >>> load("linkwork.formats.naming:fitting").__name__
    'fitting'
    """
    module, name = place.split(":")
    function: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return function


def refuse_unknown(function: Callable[..., Any], options: Mapping[str, Any], own: str, what: str) -> None:
    """Raise for options that are not among the keywords of a function; `own` is the one of the caller."""
    known = [item.name for item in inspect.signature(function).parameters.values() if item.kind is item.KEYWORD_ONLY]
    try:
        checked.unknown_options([name for name in options if name not in known], [own, *known], what)
    except ModelError as error:
        raise OptionError(str(error)) from None
