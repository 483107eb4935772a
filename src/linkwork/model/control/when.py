"""Conditions on columns, and what happens when they come true. Data, and the method of models."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Never, TypeAlias

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.container import Container
from linkwork.model.control.event import Event, check_moment

Action: TypeAlias = Callable[[Any], object] | Literal["stop"]

LOCATED = 1e-10  # s: how near the instant is found
_TEXT = re.compile(r"^(?P<left>.+?)\s*(?P<sign><=|>=|<|>)\s*(?P<right>.+)$")


@dataclass(frozen=True)
class When:
    """A condition on columns, such as "hand.position.z < 0.1" or "left.velocity > right.velocity".

    Each side is a number or a column. As `until=` of a run it ends the run where it comes true, `latest` seconds after
    the start if it never does. It also serves as `when=` of `model.attach`, `model.release` and `model.when`; the
    instant is found to 1e-10 s, also where it is true within one step alone, if the columns are smooth there.

    >>> model = lw.Model("stone")
    >>> stone = model.body("stone", mass=1.0, shape=lw.Sphere(0.1), position=(0, 0, 2))
    >>> run = lw.simulate(model, until=lw.When("stone.position.z < 0", latest=5.0), method="recursive", dt=0.01)
    >>> round(float(run.time[-1]), 8)
    0.63855086
    """

    text: str
    latest: float = math.inf
    left: str | float = field(init=False, repr=False)
    right: str | float = field(init=False, repr=False)
    above: bool = field(init=False, repr=False)

    def __post_init__(self) -> None:
        found = _TEXT.match(self.text.strip()) if isinstance(self.text, str) else None
        if found is None:
            raise ModelError(
                f"When: {checked.shown(self.text)} compares nothing; give a text such as 'hand.position.z < 0.1'"
            )
        for name in ("left", "right"):
            try:
                side: str | float = float(found[name])
            except ValueError:
                side = found[name].strip()
            object.__setattr__(self, name, side)
        if not isinstance(self.left, str) and not isinstance(self.right, str):
            raise ModelError(f"When: {self.text!r} has no column; give a text such as 'hand.position.z < 0.1'")
        object.__setattr__(self, "above", ">" in found["sign"])
        if self.latest != math.inf:
            object.__setattr__(self, "latest", checked.positive(self.latest, "When", "latest", "seconds"))

    def __call__(self, sim: Any) -> bool:
        """Whether it is true of a simulation now."""
        return self.margin(sim) > 0.0

    def margin(self, sim: Any) -> float:
        """How far the side that is to be larger is beyond the other in a simulation now."""
        left, right = (float(sim[side]) if isinstance(side, str) else side for side in (self.left, self.right))
        return left - right if self.above else right - left


@dataclass(frozen=True, eq=False, repr=False)
class Occasion(Event):
    """What happens when a condition comes true: `action` is a function of the simulation, or "stop".

    Made by `model.when`.
    """

    action: Action = "stop"
    again: bool = False

    @property
    def kind_of_name(self) -> str:
        """Nothing else has its name."""
        return ""

    @property
    def told(self) -> str:
        """The event in words."""
        return f"event '{self.path}'"


class WhenVerbs(Container):
    """Plans what happens when a condition comes true."""

    def when(
        self,
        condition: When | str | Callable[[Any], bool],
        action: Action,
        *,
        name: str | None = None,
        within: float | None = LOCATED,
        again: bool = False,
        **unknown: Never,
    ) -> Occasion:
        """Do something when a condition comes true: the step is split there, to `within` seconds (1e-10).

        `condition` is a text such as "hand.position.z < 0.1", an `lw.When`, or a function of the `Simulation`. `action`
        is a function of the simulation, which may set `sim.inputs`, attach or release joints, or "stop". With `again`
        it happens every time that the condition comes true anew. `run.events` lists when it happened, under `name`.
        A function is asked at the ends of steps: it should be true for longer than one. A text is found within a step,
        too, where its columns are smooth.

        >>> model = lw.Model("lift")
        >>> cab = model.body("cab", mass=10.0, inertia=(1, 1, 1))
        >>> shaft = model.prismatic("shaft", "ground", cab, axis=(0, 0, 1))
        >>> pull = model.torque("pull", shaft, 200.0)
        >>> def coast(sim):
        ...     sim.inputs["pull"] = 98.1
        >>> model.when("shaft.position > 1.0", coast, name="coasting")
        <occasion 'coasting'>
        >>> run = lw.simulate(model, until=2.0, method="recursive", dt=0.01)
        >>> round(float(run["shaft.velocity"][-1]), 6), round(run.events[0].time, 6)
        (4.514421, 0.443025)
        """
        called = f"event {len(self.events) + 1}" if name is None else name
        what = self._new("event", called)
        self._only_known("when", what, unknown)
        if not callable(action) and action != "stop":
            raise ModelError(f"{what}: its action is {checked.shown(action)}; give a function of sim, or 'stop'")
        test = When(condition) if isinstance(condition, str) else condition
        moment = check_moment(what, None, test, within)
        occasion = Occasion(called, self, None, *moment, action, again)
        self._names[called] = occasion
        self.events.append(occasion)
        return occasion
