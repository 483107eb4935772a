"""Bodies that motors move as given, whatever the forces: what they carry says nothing of what a run may get wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats
from linkwork.model import Motor
from linkwork.simulation.results.quaternions import turned
from linkwork.simulation.start import Closure, Start

if TYPE_CHECKING:
    from linkwork.model import Body

MANY = 1e5  # numbers in the rows: of more of them nobody looks which bodies are free
HELD = 1e-9  # of the largest entry of a free motion: coordinates that move less are given


class GivenBody(NamedTuple):
    """A body and its place among the bodies of a system."""

    place: int
    body: Body


def given_bodies(system: System, start: Start) -> list[GivenBody]:
    """Bodies whose motion follows from rigid motors alone, where the model starts.

    >>> model = lw.Model("hoop and bead")
    >>> hoop = model.body("hoop", mass=2.0, shape=lw.Cylinder(1.0, 0.1))
    >>> bead = model.body("bead", mass=0.1, shape=lw.Sphere(0.1), position=(1, 0, 0))
    >>> pin = model.revolute("pin", "ground", hoop, at=(0, 0, 0), axis=(0, 0, 1))
    >>> slide = model.revolute("slide", hoop, bead, at=(0, 0, 0), axis=(0, 1, 0))
    >>> motor = model.motor("drive", "pin", velocity=3.0)
    >>> from linkwork.simulation.results.given_motion import given_bodies
    >>> sim = lw.Simulation(model, dt=1e-3)
    >>> [each.body.name for each in given_bodies(sim.system, sim.start)]
    ['hoop']
    """
    if not any(isinstance(each.part, Motor) for each in system.coupled) or system.rows * system.nv > MANY:
        return []
    closure = Closure(system)
    closure.cut_q[:] = start.cut_q
    closure.at(start.q, start.v)
    held = _given_coordinates(closure.G)
    tree, found = system.tables.tree, []
    bodies = {body.path: body for body in system.model.all_bodies()}
    for place, name in enumerate(system.body_names):
        link, given = int(tree.body_link[place]), True
        while given and link >= tree.grounds:
            given = bool(held[tree.dof_link == link].all())
            link = int(tree.link_parent[link])
        if given and not bodies[name].hidden:
            found.append(GivenBody(place, bodies[name]))
    return found


def _given_coordinates(G: Floats) -> Any:
    """Which velocities the rows G leave no choice for."""
    _, values, motions = np.linalg.svd(G)
    rank = int(np.count_nonzero(values > HELD * values.max(initial=0.0)))
    return np.abs(motions[rank:]).max(axis=0, initial=0.0) <= HELD


def kinetic_energy(bodies: list[GivenBody], seen: Any) -> Any:
    """Of these bodies together, J, sample by sample; `seen` (sample, body, 13) are poses and velocities."""
    energy = np.zeros(len(seen))
    for place, body in bodies:
        e, v, w = seen[:, place, 3:7], seen[:, place, 7:10], seen[:, place, 10:13]
        v = v + np.cross(w, turned(e, body.com))
        own = turned(e * np.array([1.0, -1.0, -1.0, -1.0]), w)
        energy += 0.5 * body.mass * np.sum(v * v, axis=1) + 0.5 * np.sum(own * (own @ body.inertia), axis=1)
    return energy
