"""Hints: what in a model, or in the steps of a run, looks like a mistake. Nothing is refused for it."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from linkwork.assembly.system import System
from linkwork.errors import ModelWarning
from linkwork.model import Model
from linkwork.simulation.hint_places import Links, coarse_steps, far_joints, light_lengths
from linkwork.simulation.hint_words import angles, densities, quaternions
from linkwork.simulation.start import Start
from linkwork.simulation.warning import warn

MOST = 5  # hints at one model that are told: who is wrong everywhere need not read it of every part

_quiet: ContextVar[bool] = ContextVar("quiet", default=False)
_told: dict[int, set[str]] = {}  # hints that were told, by the id of the model


def hints(system: System, start: Start, method: Any = None) -> list[str]:
    """What looks like a mistake, one sentence each that names the part and the value; with a method also its dt.

    >>> model = lw.Model("arm")
    >>> rod = model.body("rod", mass=2.0, shape=lw.Cylinder(10.0, 1000.0))
    >>> pin = model.revolute("pin", model.ground, rod, at=(0, 0, 500), axis=(0, 1, 0))
    >>> lw.check(model).hints
    ["body 'rod': density 6.4e-06 kg/m3 (2 kg in 3.1e+05 m3): are lengths in millimetres?"]
    """
    model, links = system.model, Links(system)
    found = [*densities(model), *light_lengths(links), *angles(model), *quaternions(model), *far_joints(links)]
    if method is not None and method.integrator != "adaptive":
        found += coarse_steps(system, start.q, start.v, method.dt)
    return found


def warn_of_hints(system: System, start: Start, method: Any) -> None:
    """One `ModelWarning` for each hint at a model, once in this process."""
    if _quiet.get():
        return
    told = _told_of(system.model.built)
    found = [hint for hint in hints(system, start, method) if hint not in told]
    told.update(found)
    for hint in found[:MOST]:
        warn(f"model '{system.model.name}': {hint}", ModelWarning)


def _told_of(model: Model) -> set[str]:
    key = id(model)
    if key not in _told:
        _told[key] = set()
        weakref.finalize(model, _told.pop, key, None)
    return _told[key]


@contextmanager
def unsaid() -> Iterator[None]:
    """No hint is told as a warning in here: who asks reads them in a report."""
    before = _quiet.set(True)
    try:
        yield
    finally:
        _quiet.reset(before)
