"""Bodies dragged about during a run: a spring from a point of a body to a point of the world, as by a mouse."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwork.assembly.elements.drive_tables import softness_row
from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats
from linkwork.errors import OptionError
from linkwork.model import Ground, Soft
from linkwork.model.checked import not_negative, vector
from linkwork.model.container import find_body
from linkwork.model.forces.soft import softness as checked_softness

if TYPE_CHECKING:
    from linkwork.simulation.stepping.stepper import Stepper

GENTLE = Soft(hertz=3.0, damping_ratio=1.0)


class Drag(NamedTuple):
    """One spring: where it holds the body (m, body frame), where it pulls to (m, world), how hard, N."""

    at: Any
    to: Any
    softness: Soft
    most: float


def checked_drag(system: System, body: Any, to: Any, at: Any, softness: Any, max_force: Any) -> tuple[str, Drag]:
    """Name of the body and the spring, or a refusal."""
    found = find_body(system.model, body, "drag")
    what = f"drag of body '{found.path}'"
    if isinstance(found, Ground):
        raise OptionError(f"{what}: a ground cannot be dragged; give a body")
    most = math.inf if max_force is None else not_negative(max_force, what, "max_force", "N")
    soft = checked_softness(softness, what, "softness") or GENTLE
    return found.path, Drag(vector(at, what, "at", 3, "metres"), vector(to, what, "to", 3, "metres"), soft, most)


def place_drags(system: System, drags: Any, wanted: dict[str, Drag]) -> None:
    """Write the springs into the table that the method reads."""
    tree = system.tables.tree
    drags.link[:] = -1
    for k, (name, drag) in enumerate(wanted.items()):
        b = system.body_names.index(name)
        drags.link[k] = tree.body_link[b]
        drags.point[k] = tree.body_p[b] + tree.body_R[b].reshape(3, 3) @ np.asarray(drag.at)
        drags.goal[k] = drag.to
        drags.soft[k] = softness_row(drag.softness)
        drags.max_force[k] = drag.most
        drags.least_response[k] = 1.0 / (sum(body.mass for body in system.model.all_bodies()) or 1.0)


def drag_forces(stepper: Stepper) -> dict[str, Floats]:
    """The forces (N, world) by which bodies were dragged in the last step, by their names."""
    n = len(stepper.drags)
    if stepper.pulls is not None:
        first = stepper.pulls.first
        forces = stepper.tables.laws.law_param[first : first + 3 * n, 0]
    elif n:
        first = stepper.workspace.table.first_drag
        forces = stepper.workspace.rows.kept[first : first + 3 * n] / stepper.h
    else:
        return {}
    return dict(zip(stepper.drags, forces.reshape(n, 3).copy(), strict=True))


def drag(stepper: Stepper, body: Any, to: Any, at: Any, softness: Any, max_force: Any) -> None:
    """Drag a body from now on, or let go of it; see `Simulation.drag`."""
    method, drags = stepper.method, stepper.drags
    elsewhere = stepper.remote_links is not None
    if elsewhere or not method.draggable:
        where = "while components live elsewhere" if elsewhere else f"in {method.coordinates} coordinates"
        raise OptionError(f"method {method.name!r} cannot drag bodies {where}; use method 'impulse'")
    if to is None:
        name, wanted = find_body(stepper.system.model, body, "drag").path, dict(drags)
        wanted.pop(name, None)
    else:
        name, spring = checked_drag(stepper.system, body, to, at, softness, max_force)
        wanted = {**drags, name: spring}
    room = method.drag_table(stepper.workspace)
    if room is not None:
        if len(wanted) > room.link.size:
            raise OptionError(f"drag of body '{name}': as many bodies as can be are dragged already; let one go")
        stepper.drags = wanted
        place_drags(stepper.moving, room, wanted)
        return
    same = drags.keys() == wanted.keys() and all(np.array_equal(drags[k].at, wanted[k].at) for k in wanted)
    if same:
        drags.update(wanted)  # where `stepper.pulls` looks
    else:  # other forces in the tables, and memory made for them
        stepper.drags = wanted
        stepper.rebuild(stepper.place())
        stepper.refresh()
