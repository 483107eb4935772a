"""Bodies dragged about during a run: a spring from a point of a body to a point of the world, as by a mouse."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from linkwork.assembly.drive_tables import softness_row
from linkwork.assembly.system import System
from linkwork.errors import OptionError
from linkwork.model import Ground, Soft
from linkwork.model.checked import not_negative, vector
from linkwork.model.soft import softness as checked_softness

GENTLE = Soft(hertz=3.0, damping_ratio=1.0)


class Drag(NamedTuple):
    """One spring: where it holds the body (m, body frame), where it pulls to (m, world), how hard, N."""

    at: Any
    to: Any
    softness: Soft
    most: float


def checked_drag(system: System, body: Any, to: Any, at: Any, softness: Any, max_force: Any) -> tuple[str, Drag]:
    """Name of the body and the spring, or a refusal."""
    found = system.model._body(body, "drag")
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
        drags.most[k] = drag.most
        drags.least[k] = 1.0 / (sum(body.mass for body in system.model.all_bodies()) or 1.0)
