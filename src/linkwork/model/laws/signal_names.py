"""Where the names of signals lead to."""

from __future__ import annotations

from typing import Any

from linkwork.errors import ModelError
from linkwork.model import names
from linkwork.model.container import Container


def find_signal(container: Container, name: str) -> tuple[Container, str] | None:
    """The subsystem that has a signal of this full name, and the column that it is; None where there is none."""
    *before, (_, last) = names.split(name)
    here: Any = container
    for step in before:
        here = here.subsystems.get(step.name)
        if here is None:
            return None
    return (here, here.signals[last]) if last in here.signals else None


def follow_signals(container: Container, name: str) -> tuple[Container, str]:
    """Where a name leads to: a subsystem and the name of a column in it. Signals of signals are followed to the end."""
    passed: list[str] = []
    while (found := find_signal(container, name)) is not None:
        here = f"{container.path}.{name}" if container.path else name
        if here in passed:
            circle = " -> ".join(f"'{each}'" for each in (*passed[passed.index(here) :], here))
            raise ModelError(f"signal {circle}: it leads back to itself; let one of these name a column")
        passed.append(here)
        container, name = found
    return container, name
