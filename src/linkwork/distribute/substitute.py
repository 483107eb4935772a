"""Put a component elsewhere into the place of a subsystem of a finished model; joints and forces follow."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from linkwork.distribute.remote import Remote
from linkwork.errors import OptionError
from linkwork.model import Body, Container, Joint, Model, Subsystem
from linkwork.model.container import put_part


def substitute(model: Model, name: str, remote: Remote) -> None:
    """Replace the subsystem `name` (dotted) of `model` by `remote`, which must have its ports."""
    part: Any = model[name]
    if not isinstance(part, Subsystem):
        raise OptionError(f"'{name}' is not a subsystem of '{model.name}'; only subsystems can live elsewhere")
    missing = [port for port in part.ports if port not in remote.ports]
    if missing:
        raise OptionError(
            f"the component for '{name}' has no port {missing[0]!r}; serve the same class as in the model"
        )
    whole = part.owner
    assert whole is not None
    inside = {id(body) for body in _bodies(part)}
    port_of = {id(body): port for port, body in part.ports.items()}
    short = part.name
    remote.name, remote.owner, remote.placement = short, whole, part.placement
    put_part(whole, whole.subsystems, remote)
    here: Container | None = whole
    while here is not None:
        _rewire(here, inside, port_of, remote, name)
        here = here.owner


def _bodies(part: Container) -> list[Body]:
    return [body for container in part.walk() for body in container.bodies.values()]


def _rewire(container: Container, inside: set[int], port_of: dict[int, str], remote: Remote, name: str) -> None:
    """Joints and forces of one level: ends on bodies of the old subsystem go to the ports of the new one."""
    moved: dict[int, Joint] = {}
    for table in (container.joints, container.forces, container.drives):
        for item in list(table.values()):
            changes: dict[str, Any] = {}
            for entry in fields(item):
                value = getattr(item, entry.name)
                if isinstance(value, Body) and id(value) in inside:
                    if id(value) not in port_of:
                        raise OptionError(
                            f"'{item.path}' holds '{value.path}', which is no port of '{name}'; "
                            "only ports can be reached from outside"
                        )
                    changes[entry.name] = remote.ports[port_of[id(value)]]
                elif isinstance(value, Joint) and id(value) in moved:
                    changes[entry.name] = moved[id(value)]
            if changes:
                new = replace(item, **changes)
                put_part(container, table, new)
                if isinstance(item, Joint):
                    moved[id(item)] = new  # type: ignore[assignment]
