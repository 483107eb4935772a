"""Numbers that laws see and that can be set while a model runs. Data, and the method of models that adds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Never

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.body import Part
from linkwork.model.container import Container
from linkwork.model.laws.laws import Constant


@dataclass(frozen=True, eq=False, repr=False)
class InputNumber(Part):
    """A number that acts on nothing by itself. Made by `model.input`."""

    law: Constant
    unit: str

    @property
    def word(self) -> str:
        """What kind of part it is."""
        return "input"

    @property
    def about(self) -> str:
        """The number at the start."""
        return f"{self.law.value:g} {self.unit}".strip()


class InputVerbs(Container):
    """Adds inputs."""

    def input(self, name: str, value: float = 0.0, *, unit: str = "1", **unknown: Never) -> InputNumber:
        """A number that laws see by its name and that you can set while stepping, such as a voltage or a valve opening.

        It starts with `value` and acts on nothing by itself. `sim.inputs[name] = 0.3` sets it, and so does a controller
        that has it among its `sets`. `unit` is shown with its column: `name.value`.

        >>> model = lw.Model("fan")
        >>> fan = model.body("fan", mass=1.0, inertia=(0.01, 0.01, 0.01))
        >>> shaft = model.revolute("shaft", "ground", fan, at=(0, 0, 0), axis=(0, 0, 1))
        >>> model.input("voltage", 12.0, unit="V")
        <input 'voltage'>
        >>> law = lw.PythonLaw(lambda t, seen: 0.1 * (seen[0] - 0.1 * seen[1]), sees=["voltage", "shaft.velocity"])
        >>> motor = model.torque("motor", shaft, law)
        >>> sim = lw.Simulation(model, dt=1e-3)
        >>> sim.inputs["voltage"] = 24.0
        >>> sim.step()
        >>> bool(sim["motor.torque"] > 2.0)
        True
        """
        what = self._new("input", name)
        self._only_known("input", what, unknown)
        if not isinstance(unit, str):
            raise ModelError(f"{what}: its unit is {checked.shown(unit)}; give a word such as unit='V'")
        return self._keep(self.inputs, InputNumber(name, self, Constant(checked.number(value, what, "value")), unit))
