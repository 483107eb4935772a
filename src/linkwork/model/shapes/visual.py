"""Visuals: shapes that are only drawn, and the method of models that adds them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Never, TypeAlias

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.body import Body, Part
from linkwork.model.contact.collider import Plane
from linkwork.model.container import Container
from linkwork.model.shapes.shapes import Shape

ColourLike: TypeAlias = str | Sequence[float]
Colour: TypeAlias = tuple[float, float, float, float]  # red, green, blue, opacity, each from 0 to 1


@dataclass(frozen=True, eq=False, repr=False)
class Visual(Part):
    """A shape on a body or ground that is only drawn: no mass, no contact. Made by `model.visual`.

    `colour` is red, green, blue and opacity, each from 0 to 1; None leaves the colour to the picture.

    >>> model = lw.Model("lamp")
    >>> model.visual("bulb", model.body("head", mass=1.0, inertia=0), lw.Sphere(0.05), colour="#FFCC00").colour
    (1.0, 0.8, 0.0, 1.0)
    """

    body: Body
    shape: Shape
    colour: Colour | None = None

    @property
    def about(self) -> str:
        """Its shape, and what it is on."""
        return f"{type(self.shape).__name__} on {self.body.path}"


class VisualVerbs(Container):
    """What bodies look like."""

    def visual(
        self,
        name: str,
        body: Body | str,
        shape: Shape,
        *,
        colour: ColourLike | None = None,
        **unknown: Never,
    ) -> Visual:
        """A shape on a body or ground that is only drawn; its `pose` is in the body's frame.

        It has no mass and touches nothing. A body with visuals is drawn by them alone: its own shape and its colliders
        are then not seen. `colour` is "#RRGGBB", or red, green, blue from 0 to 1, and a fourth number for the opacity.

        >>> model = lw.Model("lamp")
        >>> head = model.body("head", mass=1.0, inertia=0)
        >>> bulb = model.visual("bulb", head, lw.Sphere(0.05), colour=(1.0, 0.8, 0.0))
        >>> shade = model.visual("shade", head, lw.Cylinder(0.1, 0.2, inner_radius=0.09), colour="#20409080")
        >>> print(model.outline())
        model 'lamp', gravity (0, 0, -9.81)
          body    head   1 kg
          visual  bulb   Sphere on head
          visual  shade  Cylinder on head
        """
        what = self._new("visual", name)
        self._only_known("visual", what, unknown)
        on = self._body(body, what)
        given: Any = shape
        if not isinstance(given, Shape) or isinstance(given, Plane):
            raise ModelError(
                f"{what}: {checked.shown(given)} cannot be drawn on a body; give a shape such as lw.Box or lw.Mesh"
            )
        return self._keep(self.visuals, Visual(name, self, on, shape, _colour(colour, what)))


def _colour(given: Any, what: str) -> Colour | None:
    """Red, green, blue and opacity of a colour."""
    if given is None:
        return None
    if isinstance(given, str):
        if not re.fullmatch(r"#([0-9a-fA-F]{6}|[0-9a-fA-F]{8})", given):
            raise ModelError(f"{what}: colour is {checked.shown(given)}; give one such as '#E69F00', or three numbers")
        red, green, blue, opacity = (int(given[k : k + 2] or "ff", 16) / 255 for k in (1, 3, 5, 7))
        return red, green, blue, opacity
    numbers = checked.array(given, what, "colour", "'#RRGGBB' or three or four numbers from 0 to 1")
    if numbers.shape not in ((3,), (4,)) or np.any((numbers < 0.0) | (numbers > 1.0)):
        raise ModelError(f"{what}: colour is {checked.shown(given)}; give red, green, blue (and opacity) from 0 to 1")
    red, green, blue, opacity = [*numbers.tolist(), 1.0][:4]
    return red, green, blue, opacity
