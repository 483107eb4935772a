"""A model as a readable tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from html import escape
from typing import Any

from linkwork.model.body import Part
from linkwork.model.container import Container

PLURAL = {"body": "bodies"}


def outline(container: Container) -> str:
    """One line per part, inner subsystems indented."""
    lines = [_head(container)]
    depths = {id(container): 0}
    for here in container.walk():
        depth = depths[id(here)]
        if depth:
            lines.append("  " * depth + f"subsystem {here.name} ({type(here).__name__})")
        lines += ["  " * (depth + 1) + line for line in _lines(here)]
        depths.update({id(inner): depth + 1 for inner in here.subsystems.values()})
    return "\n".join(lines)


class Outlined:
    """How a model shows itself: its outline, in a notebook too, and one line."""

    def outline(self: Any) -> str:
        """A readable tree of all parts.

        >>> model = lw.Model("pendulum")
        >>> rod = model.body("rod", mass=1.0, inertia=0, com=(0, 0, -1))
        >>> pin = model.revolute("pin", "ground", rod, at=(0, 0, 0), axis=(0, 1, 0))
        >>> print(model.outline())
        model 'pendulum', gravity (0, 0, -9.81)
          body      rod  1 kg
          revolute  pin  ground to rod
        """
        return outline(self)

    def __repr__(self: Any) -> str:
        return f"<{type(self).__name__} '{self.name}': {counted(self)}>"

    def _repr_html_(self: Any) -> str:
        return f'<pre style="margin: 0">{escape(self.outline())}</pre>'


def counted(container: Container) -> str:
    """How many parts of each kind there are: "2 bodies, 1 joint"."""
    counts = {
        "body": sum(not part.hidden for part in container.all_bodies()),
        "joint": sum(not part.hidden for part in container.all_joints()),
        "force": sum(not part.hidden for part in container.all_forces()),
        "drive": sum(1 for _ in container.all_drives()),
        "input": sum(1 for _ in container.all_inputs()),
        "sensor": sum(1 for _ in container.all_sensors()),
        "touch sensor": sum(1 for _ in container.all_touch_sensors()),
        **Counter(part.word for part in container.all_controllers()),
        "event": sum(1 for _ in container.all_events()),
        "subsystem": sum(1 for _ in container.walk()) - 1,
    }
    told = [f"{n} {word if n == 1 else PLURAL.get(word, word + 's')}" for word, n in counts.items() if n]
    return ", ".join(told) or "empty"


def _head(container: Container) -> str:
    gravity: Any = getattr(container, "gravity", None)
    if gravity is None:
        return f"subsystem {container.path} ({type(container).__name__})"
    return f"model '{container.name}', gravity ({', '.join(f'{value:g}' for value in gravity)})"


def _lines(container: Container) -> Iterator[str]:
    moving = [item for name, item in container.grounds.items() if name != "ground"]
    drawn = (container.colliders, container.visuals)
    tables = (container.bodies, container.joints, container.forces, container.drives, *drawn)
    sampled = (container.inputs, container.touch_sensors, container.sensors, container.controllers)
    parts: list[Part] = [
        *moving,
        *(part for table in (*tables, *sampled) for part in table.values() if not part.hidden),
    ]
    words = max((len(part.word) for part in parts), default=0)
    names = max((len(part.name) for part in parts), default=0)
    for part in parts:
        yield f"{part.word:{words}}  {part.name:{names}}  {part.about}".rstrip()
    for event in container.events:
        yield f"event  {event.told} {'when its condition holds' if event.time is None else f'at {event.time:g} s'}"
    for name, body in container.ports.items():
        yield f"port {name}" + (f" is {body.path}" if body.path != container.inner_path(name) else "")
