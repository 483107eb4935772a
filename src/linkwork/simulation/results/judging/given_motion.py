"""Bodies that motors move as given, whatever the forces: what they carry says nothing of what a run may get wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats
from linkwork.model import Motor
from linkwork.simulation.results.quaternions import turned
from linkwork.simulation.starts.start import Closure, Start

if TYPE_CHECKING:
    from linkwork.model import Body

MANY = 1e5  # numbers in the rows: of more of them nobody looks which bodies are free
HELD = 1e-9  # of the largest entry of a free motion: coordinates that move less are given


def given_bodies(system: System, start: Start) -> list[Body]:
    """Bodies whose motion follows from rigid motors alone, where the model starts.

    >>> model = lw.Model("hoop and bead")
    >>> hoop = model.body("hoop", mass=2.0, shape=lw.Cylinder(1.0, 0.1))
    >>> bead = model.body("bead", mass=0.1, shape=lw.Sphere(0.1), position=(1, 0, 0))
    >>> pin = model.revolute("pin", "ground", hoop, at=(0, 0, 0), axis=(0, 0, 1))
    >>> slide = model.revolute("slide", hoop, bead, at=(0, 0, 0), axis=(0, 1, 0))
    >>> motor = model.motor("drive", "pin", velocity=3.0)
    >>> from linkwork.simulation.results.judging.given_motion import given_bodies
    >>> sim = lw.Simulation(model, dt=1e-3)
    >>> [each.name for each in given_bodies(sim.system, sim.start)]
    ['hoop']
    """
    rigid = [motor for motor in system.motors if motor.rigid]
    if not rigid or (system.rows + len(rigid)) * system.nv > MANY:
        return []
    closure = Closure(system)
    closure.at(start.q, start.v)
    held = _given_coordinates(np.vstack([closure.G, _driven_rows(system, rigid)]))
    tree, found = system.tables.tree, []
    bodies = {body.path: body for body in system.model.all_bodies()}
    for place, name in enumerate(system.body_names):
        link, given = int(tree.body_link[place]), True
        while given and link >= tree.grounds:
            given = bool(held[tree.dof_link == link].all())
            link = int(tree.link_parent[link])
        if given and not bodies[name].hidden:
            found.append(bodies[name])
    return found


def _driven_rows(system: System, motors: list[Motor]) -> Floats:
    """Rows of the motors on joints of the tree, which not every method has among its rows."""
    places = {place.name: place for place in system.joints}
    dofs = [places[motor.joint.path].v.start + motor.coordinate for motor in motors if motor.joint.path in places]
    rows: Floats = np.eye(system.nv)[dofs]
    return rows


def _given_coordinates(G: Floats) -> Any:
    """Which velocities the rows G leave no choice for."""
    _, values, motions = np.linalg.svd(G)
    rank = int(np.count_nonzero(values > HELD * values.max(initial=0.0)))
    return np.abs(motions[rank:]).max(axis=0, initial=0.0) <= HELD


def kinetic_energy(bodies: list[Body], names: list[str], seen: Any) -> Any:
    """Of these bodies together, J, sample by sample; `seen` (sample, body, 13) are poses and velocities by `names`."""
    energy = np.zeros(len(seen))
    for body in bodies:
        e, v, w = np.split(seen[:, names.index(body.path), 3:], (4, 7), axis=1)
        v = v + np.cross(w, turned(e, body.com))
        own = turned(e * np.array([1.0, -1.0, -1.0, -1.0]), w)
        energy += 0.5 * body.mass * np.sum(v * v, axis=1) + 0.5 * np.sum(own * (own @ body.inertia), axis=1)
    return energy
