"""Examples: mechanisms of the papers and of benchmark collections, each a module with `build()`.

    from linkwork import gallery
    model = gallery.car.build()

A piece has `build(**parameters) -> Model`, `TITLE` (one line), `PAPER` (where it comes from), `UNTIL` (seconds worth
simulating), `METHOD` (options for `linkwork.simulate`) and `PLOTS` (columns worth plotting). Pieces are imported when
first used.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from types import ModuleType
from typing import Any

from linkwork._import_lock import IMPORTING
from linkwork.errors import OptionError

REQUIRED = ("build", "TITLE", "PAPER", "UNTIL", "METHOD", "PLOTS")
TOOLS = {"catalogue", "coupled_car", "loops", "pictures"}  # modules here that are no pieces


def names() -> list[str]:
    """Names of all pieces, in alphabetical order.

    >>> names() == sorted(names())
    True
    """
    found = (module.name for module in pkgutil.iter_modules(__path__))
    return sorted(name for name in found if not name.startswith("_") and name not in TOOLS)


def piece(name: str) -> ModuleType:
    """The module of a piece.

    >>> piece("pendulun")
    Traceback (most recent call last):
    linkwork.errors.OptionError: the gallery has no piece 'pendulun'; ...
    """
    known = names()
    if name not in known:
        close = difflib.get_close_matches(name, known, n=3)
        remedy = "did you mean " + " or ".join(repr(c) for c in close) + "?" if close else "known: " + ", ".join(known)
        raise OptionError(f"the gallery has no piece {name!r}; {remedy}")
    with IMPORTING:
        module: Any = importlib.import_module(f"{__name__}.{name}")
        if not hasattr(module.build, "told_by_us"):
            module.build = importlib.import_module("linkwork.model.arguments").helpful(module.build, f"{name}.build")
    return module  # type: ignore[no-any-return]


def __getattr__(name: str) -> ModuleType:
    if name.startswith("_") or name not in names():
        raise AttributeError(f"the gallery has no piece {name!r}; it has {', '.join(names())}")
    return piece(name)


def __dir__() -> list[str]:
    return [*globals(), *names()]
