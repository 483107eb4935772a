"""Touch sensors: data, and the method of models that adds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Never

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.body import Body, Part
from linkwork.model.container import Container
from linkwork.model.shapes.shapes import Box, Sphere


@dataclass(frozen=True, eq=False, repr=False)
class TouchSensor(Part):
    """Feels how hard other bodies press on a body, or on a region of it. Made by `model.touch_sensor`."""

    body: Body
    region: Box | Sphere | None = None

    @property
    def word(self) -> str:
        """What it is."""
        return "touch sensor"

    @property
    def about(self) -> str:
        """What it feels."""
        part = "" if self.region is None else f", in a {type(self.region).__name__.lower()}"
        return f"on {self.body.path}{part}"


class TouchVerbs(Container):
    """Adds touch sensors."""

    def touch_sensor(
        self, name: str, body: Body | str, *, region: Box | Sphere | None = None, **unknown: Never
    ) -> TouchSensor:
        """Feel the sum of the normal forces of all contacts on a body. Column: `name.force` (N).

        With `region`, an `lw.Box` or `lw.Sphere` whose pose is in the frame of the body, only contacts at points within
        it count; make it a little larger than the surface. The force is that of the last step, without friction.
        Controllers see it as "name.force", and laws as the last step left it. `model.sensor(name, touch, kind="touch",
        rate=…)` samples it with noise and delay.

        >>> model = lw.Model("scale")
        >>> floor = model.plane("floor")
        >>> block = model.body("block", shape=lw.Box((2, 1, 1)), mass=3.0, position=(0, 0, 0.5), material=lw.Material())
        >>> whole = model.touch_sensor("whole", block)
        >>> left = model.touch_sensor("left", block, region=lw.Box((1, 2, 2), pose=lw.Frame((-1, 0, 0))))
        >>> run = lw.simulate(model, until=0.1, method="impulse", dt=0.01)
        >>> float(run["whole.force"][-1].round(6)), float(run["left.force"][-1].round(6))
        (29.43, 14.715)
        """
        what = self._new("touch sensor", name)
        self._only_known("touch_sensor", what, unknown)
        place = self._body(body, what)
        if region is not None and not isinstance(region, Box | Sphere):
            raise ModelError(f"{what}: region is {checked.shown(region)}; give an lw.Box or an lw.Sphere")
        return self._keep(self.touch_sensors, TouchSensor(name, self, place, region))
