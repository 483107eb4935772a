"""Which solid of a STEP file each body of a model is; kept beside the model as long as it lives."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from pathlib import Path

from linkwork.errors import OptionError
from linkwork.formats.step.cad_data import CadSolid
from linkwork.model import names
from linkwork.model.checked import Vector
from linkwork.model.frame import Frame
from linkwork.model.subsystem import Model


@dataclass(frozen=True, eq=False)
class CadBody:
    """A body by its full name, its place in the world, its mass (kg), the solid it was made from and that solid's part.

    `alone` says that the part has no other solid. It does not hold the body itself, which would keep the model alive.
    """

    path: str
    world: Frame
    mass: float
    solid: CadSolid
    part: str
    alone: bool

    @property
    def name(self) -> str:
        """The body's own name."""
        return names.last(self.path)

    @property
    def owner(self) -> str:
        """The full name of the subsystem that holds it."""
        return names.joined(names.split(self.path)[:-1])

    @property
    def centre(self) -> Vector:
        """Its centre in the world, m."""
        return self.world.point(self.solid.centre)


@dataclass(frozen=True, eq=False)
class CadModel:
    """The bodies of a model that come from a STEP file."""

    file: Path
    bodies: tuple[CadBody, ...]


_KNOWN: dict[int, CadModel] = {}


def remember(model: Model, cad: CadModel) -> None:
    """Keep the geometry of a model as long as the model lives."""
    _KNOWN[id(model)] = cad
    weakref.finalize(model, _KNOWN.pop, id(model), None)


def recall(model: Model) -> CadModel:
    """The geometry of a model that was read from a STEP file."""
    found = _KNOWN.get(id(model))
    if found is None:
        raise OptionError(
            f"suggest_joints: model '{model.name}' was not read from a STEP file here; give file= the STEP file "
            "whose parts its bodies are"
        )
    return found
