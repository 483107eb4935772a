"""Free bodies: their centres move straight on, and tumbling neither wins nor loses energy."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.formulations.impulse.motion.free_bodies import free_bodies


def thrown(kind: type[lw.Impulse | lw.Maximal], inertia: tuple[float, ...], com: tuple[float, ...]) -> lw.Simulation:
    model = lw.Model("thrown", gravity=(0, 0, 0))
    body = model.body("stone", mass=2.0, inertia=inertia, com=com)
    model.free("fly", "ground", body, velocity=(0.4, -0.3, 0.2, 3.0, 1.0, -2.0))
    return lw.Simulation(model, kind(dt=5e-3))


@pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal])
def test_the_centre_of_mass_moves_straight_on(kind: type[lw.Impulse | lw.Maximal]) -> None:
    com = np.array([0.3, -0.2, 0.5])
    sim = thrown(kind, (0.1, 0.2, 0.25), tuple(com))
    places = []
    for _ in range(3):
        sim.step(100)
        q = np.array(sim["stone.rotation"])
        places.append(np.array(sim["stone.position"]) + lw.Frame(rotation=tuple(q)).matrix @ com)
    assert places[2] - places[1] == pytest.approx(places[1] - places[0], abs=1e-11)


@pytest.mark.parametrize("inertia", [(0.1, 0.2, 0.25), (0.1, 0.101, 0.2), (0.2, 0.2, 0.2)])
def test_tumbling_keeps_its_energy(inertia: tuple[float, ...]) -> None:
    """The midpoint rule keeps w . I w exactly; 2000 steps of 3 rad/s."""
    sim = thrown(lw.Impulse, inertia, (0, 0, 0))
    I = np.diag(inertia)

    def spin() -> float:
        R = lw.Frame(rotation=tuple(np.array(sim["stone.rotation"]))).matrix
        w = R.T @ np.array(sim["stone.angular_velocity"])
        return float(w @ I @ w)

    before = spin()
    sim.step(2000)
    # the torque is taken in the body's axes at the start of a step, the attitude moves along w: second order
    assert spin() == pytest.approx(before, rel=2e-2)


def test_which_bodies_are_free() -> None:
    """Not one that carries another, nor one on a joint."""
    model = lw.Model("some")
    alone, whole, part = (model.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1)) for name in ("alone", "whole", "part"))
    model.free("a", "ground", alone)
    model.free("b", "ground", whole)
    model.revolute("c", whole, part, at=(0, 0, 0), axis=(0, 0, 1))
    system = lw.assemble(model)
    free = free_bodies(system.tables.tree)
    assert free.link.tolist() == [int(system.tables.tree.body_link[0])]
    assert free.tumbles.tolist() == [0]
