"""linkwork: mechanisms of rigid bodies, joints, loops and springs. One model, many methods, and proof.

>>> model = lw.Model("pendulum")
>>> bob = model.body("bob", mass=1.0, inertia=0.0, com=(1, 0, 0))
>>> pin = model.revolute("pin", model.ground, bob, at=(0, 0, 0), axis=(0, 1, 0))
>>> run = lw.simulate(model, until=1.0, dt=0.01)
>>> bool(run.certificate.energy_balance_worst < 1e-6)
True
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from linkwork._import_lock import IMPORTING
from linkwork._version import __version__ as __version__


def _homes() -> dict[str, str]:
    """Every public name and the module it lives in: the lines of `__init__.pyi`, "from module import name as name"."""
    lines = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8").splitlines()
    return {words[3]: words[1] for words in map(str.split, lines) if words[:1] == ["from"]}


_HOMES = _homes()
__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    """A public name, imported when it is first used."""
    if name not in _HOMES:
        hint = ""
        if not name.startswith("_"):  # modules of ours are asked for too, before models can be imported
            from linkwork.model.checked import did_you_mean

            hint = did_you_mean(name, __all__)
        raise AttributeError(f"module 'linkwork' has no attribute {name!r}{hint}")
    with IMPORTING:
        if name in ("gallery", "looks", "parts"):
            return importlib.import_module(f"linkwork.{name}")
        home = importlib.import_module(_HOMES[name])
        value = importlib.import_module("linkwork.model.arguments").helpful(getattr(home, name))
        setattr(home, name, value)  # found there again by those who pass functions on to other processes
        globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
