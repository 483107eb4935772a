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
    areas: Any  # (contact,) m2 that it stands for, where a surface has a bedding; else 0

    @classmethod
    def none(cls) -> Touching:
        """Nothing touches."""
        return cls([], np.zeros((0, 3)), np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros((0, 3)), np.zeros(0))

    def of(self, name: str) -> Touching:
        """Those of one body, plane or collider.

        >>> Touching.none().of("floor").bodies
        []
        """
        rows = [k for k, two in enumerate(self.bodies) if name in two]
        numbers = (self.points, self.normals, self.forces, self.depths, self.torques, self.areas)
        return Touching([self.bodies[k] for k in rows], *(each[rows] for each in numbers))


class Pressing:
    """Contacts of the last step of a simulation, for pictures: cheaper than `sim.contacts()`, without names.

    >>> model = lw.Model("stone")
    >>> floor = model.plane("floor")
    >>> stone = model.body("stone", shape=lw.Sphere(0.1), mass=2.0, position=(0, 0, 0.1), material=lw.Material())
    >>> sim = lw.Simulation(model, lw.Impulse(dt=0.01))
    >>> sim.step(10)
    >>> Pressing(sim).rows().round(2).tolist()
    [[0.0, 0.0, 0.0, 0.0, 0.0, 19.62, 1.0]]
    """

    def __init__(self, sim: Any) -> None:
        self.sim = sim
        self._system: Any = None

    def rows(self) -> Any:
        """Point, m; force, N; 1 where it bears on what stands still or moves by a law (contact, 7). World axes.

        The force is that on the second of the two, or on the one that does not stand.
        """
        sim = self.sim
        contacts = sim.method.contact_table(sim.workspace)
        if contacts is None:
            return np.zeros((0, 7))
        if self._system is not sim.moving:
            self._system, self._stands = sim.moving, standing_links(sim.moving)
        h = sim.method.last_step(sim.workspace) or sim.stepper.h
        n = int(contacts.count[0])
        held = np.flatnonzero(contacts.impulse[:n, 0] > 0.0)
        normal, tangent, p = contacts.normal[held], contacts.tangent[held], contacts.impulse[held]
        first, second = self._stands[contacts.link_a[held]], self._stands[contacts.link_b[held]]
        found = np.empty((len(held), 7))
        found[:, :3] = contacts.point[held]
        found[:, 3:6] = (p[:, :1] * normal + p[:, 1:2] * tangent + p[:, 2:] * np.cross(normal, tangent)) / h
        found[second & ~first, 3:6] *= -1.0
        found[:, 6] = first | second
        return found


def standing_links(system: System) -> Any:
    """Of each link whether it is a ground, or of a body that is fixed to one (link,)."""
    tree = system.tables.tree
    stands = np.arange(len(tree.link_parent)) < tree.grounds
    welds = [(joint.a, joint.b) for joint in system.model.all_joints() if joint.kind == "fixed"]
    fixed = {ground.path for ground in system.model.all_grounds()}
    for _ in welds:
        before = len(fixed)
        for a, b in welds:
            if {a.path, b.path} & fixed:
                fixed |= {a.path, b.path}
        if len(fixed) == before:
            break
    for name, link in zip(system.body_names, tree.body_link, strict=True):
        stands[link] |= name in fixed
    return stands


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
        contacts.area[held].copy(),
    )
