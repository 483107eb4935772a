"""Hints: what in a model, or in the steps of a run, looks like a mistake. Nothing is refused for it."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from linkwork.assembly.system import System
from linkwork.errors import ModelWarning
from linkwork.model import Model
from linkwork.model.body import Part
from linkwork.simulation.analysis.hints.hint_holding import held_by_nothing, spring_lengths, stuck_loops, untouchable
from linkwork.simulation.analysis.hints.hint_places import Links, coarse_steps, far_joints, light_lengths, slowest_swing
from linkwork.simulation.analysis.hints.hint_words import angles, densities, quaternions
from linkwork.simulation.results.judging.warning import warn
from linkwork.simulation.starts.start import Start

MOST = 5  # hints at one model that are told: who is wrong everywhere need not read it of every part

_quiet: ContextVar[bool] = ContextVar("quiet", default=False)
_said: dict[int, Said] = {}  # by the id of the model


@dataclass
class Said:
    """What was found in a model when it had so many parts, and what was told of it."""

    parts: int = -1
    swing: tuple[str, float] | None = None
    told: set[str] = field(default_factory=set)


def hints(system: System, start: Start, method: Any = None) -> list[str]:
    """What looks like a mistake, one sentence each that names the part and the value; with a method also its dt.

    >>> model = lw.Model("arm")
    >>> rod = model.body("rod", mass=2.0, shape=lw.Cylinder(10.0, 1000.0))
    >>> pin = model.revolute("pin", model.ground, rod, at=(0, 0, 500), axis=(0, 1, 0))
    >>> lw.check(model).hints
    ["body 'rod': density 6.4e-06 kg/m3 (2 kg in 3.1e+05 m3): are lengths in millimetres?"]
    """
    return [*_mistakes(system, start), *_steps(system, start, method, slowest_swing(system, start.q))]


def _mistakes(system: System, start: Start) -> list[str]:
    model, links = system.model, Links(system)
    numbers = [*densities(model), *light_lengths(links), *angles(model), *quaternions(model), *far_joints(links)]
    held = [*held_by_nothing(model, system), *stuck_loops(system, start), *untouchable(model)]
    return [*numbers, *spring_lengths(system, start), *held]


def _steps(system: System, start: Start, method: Any, swing: tuple[str, float] | None) -> list[str]:
    if method is None or method.integrator == "adaptive":
        return []
    return list(coarse_steps(system, start.v, method.dt, swing))


def warn_of_hints(system: System, start: Start, method: Any) -> None:
    """One `ModelWarning` for each hint at a model, once in this process; its parts are looked at once."""
    if _quiet.get():
        return
    said, found = _said_of(system.model.built), []
    parts = sum(1 for each in _parts(system.model.built) for _ in each)
    if parts != said.parts:  # parts never change, but may be added
        found = _mistakes(system, start)
        said.parts, said.swing = parts, slowest_swing(system, start.q)
    found += _steps(system, start, method, said.swing)
    new = [hint for hint in found if hint not in said.told]
    said.told.update(new)
    for hint in new[:MOST]:
        warn(f"model '{system.model.name}': {hint}", ModelWarning)


def _parts(model: Model) -> tuple[Iterator[Part], ...]:
    return model.all_bodies(), model.all_joints(), model.all_forces(), model.all_drives()


def _said_of(model: Model) -> Said:
    key = id(model)
    if key not in _said:
        _said[key] = Said()
        weakref.finalize(model, _said.pop, key, None)
    return _said[key]


@contextmanager
def unsaid() -> Iterator[None]:
    """No hint is told as a warning in here: who asks reads them in a report."""
    before = _quiet.set(True)
    try:
        yield
    finally:
        _quiet.reset(before)
