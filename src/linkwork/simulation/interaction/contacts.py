"""Where bodies touch at present, and how hard: the contacts of the last step in words."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.assembly.system import System
from linkwork.contact.contact_cache import FEATURES_PER_PAIR


class Touching(NamedTuple):
    """Contacts, one a row; made by `sim.contacts()`.

    >>> Touching.none().forces.shape
    (0, 3)
    """

    bodies: list[tuple[str, str]]  # names of the two: of bodies, planes and colliders
    points: Any  # (contact, 3) m, world
    normals: Any  # (contact, 3) unit, from the first to the second
    forces: Any  # (contact, 3) N on the second, pressing and rubbing together; world
    depths: Any  # (contact,) m of overlap
    torques: Any  # (contact, 3) N m on the second, against rolling and turning; world

    @classmethod
    def none(cls) -> Touching:
        """Nothing touches."""
        return cls([], np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros((0, 3)))

    def of(self, name: str) -> Touching:
        """Those of one body, plane or collider.

        >>> Touching.none().of("floor").bodies
        []
        """
        rows = [k for k, two in enumerate(self.bodies) if name in two]
        numbers = (self.points, self.normals, self.forces, self.depths, self.torques)
        return Touching([self.bodies[k] for k in rows], *(each[rows] for each in numbers))


def touching(system: System, contacts: Any, h: float, dt: float) -> Touching:
    """The contacts in the table whose impulses are of a step of h; `dt` stands for it before the first step."""
    names = [collider.path for collider in system.model.all_colliders()]
    n = int(contacts.count[0])
    first, second = np.divmod(contacts.id[:n] // FEATURES_PER_PAIR - 1, max(1, len(names)))
    normal, tangent, p = contacts.normal[:n], contacts.tangent[:n], contacts.impulse[:n]
    across = np.cross(normal, tangent)
    step = h if h > 0.0 else dt
    forces = (p[:, :1] * normal + p[:, 1:2] * tangent + p[:, 2:] * contacts.ratio[:n, None] * across) / step
    torques = np.zeros((n, 3))
    if len(contacts.moment):
        m = contacts.moment[:n] / step
        torques = m[:, :1] * tangent + m[:, 1:2] * across + m[:, 2:] * normal
    held = np.flatnonzero(p[:, 0] > 0.0)
    return Touching(
        [(names[first[e]], names[second[e]]) for e in held],
        contacts.point[held].copy(),
        normal[held].copy(),
        forces[held],
        contacts.depth[held].copy(),
        torques[held],
    )
