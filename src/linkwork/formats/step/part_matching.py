"""Parts of an earlier export found again in a new one: by name, and by what does not change when a part is moved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwork.formats.step.cad_model import CadBody
from linkwork.model.checked import Vector
from linkwork.model.frame import Frame

SAME = 1e-6  # relative difference of volumes and moments of one solid in two exports
STILL = 1e-6  # m, and rad: less is no motion


@dataclass(eq=False)
class KnownPart:
    """A part as it was: full name, volume (m3), principal moments per density (m5), place and centre in the world (m).

    `place` is "" or where it is written down.
    """

    name: str
    volume: float
    moments: Vector
    world: Frame
    centre: Vector
    place: str = ""


@dataclass(eq=False)
class FoundPart:
    """A body that a known part became: `renamed`, `moved`, `changed` in shape, or none of these."""

    known: KnownPart
    body: CadBody
    changed: bool

    @property
    def renamed(self) -> bool:
        """Whether it has another full name."""
        return self.known.name != self.body.path

    @property
    def moved(self) -> bool:
        """Whether it is in another place; a changed part only counts by its frame."""
        turn = (self.known.world.inverse() @ self.body.world).rotation[1:]
        away = self.body.world.position - self.known.world.position
        return float(np.abs(away).max()) > STILL or float(np.abs(turn).max()) > STILL

    @property
    def motion(self) -> Frame:
        """How it moved: takes points of the old export to the new one."""
        return self.body.world @ self.known.world.inverse()


def known_part(body: CadBody) -> KnownPart:
    """What is remembered of a body."""
    return KnownPart(body.path, body.solid.volume, moments(body), body.world, body.centre)


def moments(body: CadBody) -> Vector:
    """Principal moments per density, smallest first: the same wherever the part is."""
    return np.asarray(np.linalg.eigvalsh((body.solid.inertia + body.solid.inertia.T) / 2), dtype=np.float64)


def match_parts(known: list[KnownPart], bodies: list[CadBody]) -> tuple[dict[str, FoundPart], list[CadBody]]:
    """The bodies that known parts became, by their old names, and the bodies that are new.

    First those of equal name and shape, then those of equal shape (the nearest first), then those of equal name.
    """
    left = {body.path: body for body in bodies}
    found: dict[str, FoundPart] = {}
    waiting = {part.name: part for part in known}
    for name, part in list(waiting.items()):
        if name in left and _alike(part, left[name]):
            found[name] = FoundPart(waiting.pop(name), left.pop(name), False)
    pairs: list[Any] = []
    for part in waiting.values():
        alike = [body for body in left.values() if _alike(part, body)]
        pairs += [(float(np.linalg.norm(body.centre - part.centre)), part.name, body.path) for body in alike]
    for _, name, path in sorted(pairs):
        if name in waiting and path in left:
            found[name] = FoundPart(waiting.pop(name), left.pop(path), False)
    for name in list(waiting):
        if name in left:
            found[name] = FoundPart(waiting.pop(name), left.pop(name), True)
    return found, list(left.values())


def _alike(part: KnownPart, body: CadBody) -> bool:
    if abs(part.volume - body.solid.volume) > SAME * part.volume:
        return False
    return float(np.abs(part.moments - moments(body)).max()) <= 2 * SAME * float(part.moments.max())
