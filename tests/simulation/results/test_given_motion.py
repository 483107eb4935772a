"""What motors move as given is no measure of the energy balance."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.simulation.results.judging.given_motion import given_bodies, kinetic_energy


def hoop_and_bead(hoop_mass: float) -> lw.Model:
    """A bead slides on an arm of a heavy disc that turns steadily."""
    model = lw.Model("hoop and bead")
    disc = model.body("disc", mass=hoop_mass, shape=lw.Cylinder(1.0, 0.1))
    bead = model.body("bead", mass=0.1, shape=lw.Sphere(0.05), position=(0.5, 0, 0))
    model.revolute("pin", "ground", disc, at=(0, 0, 0), axis=(0, 0, 1))
    model.prismatic("slide", disc, bead, at=(0.5, 0, 0), axis=(1, 0, 0), stiffness=20.0, position=0.1)
    model.motor("drive", "pin", velocity=3.0)
    return model


@pytest.mark.parametrize("method", ["recursive", "absolute", "hybrid", "impulse", "maximal"])
def test_a_steady_flow_hides_nothing(method: str) -> None:
    """A heavier disc changes nothing for the bead, and nothing in what the balance is compared with."""
    light, heavy = (lw.simulate(hoop_and_bead(mass), until=0.5, dt=1e-3, method=method) for mass in (1e-3, 1e3))
    assert heavy.energy["kinetic"].max() > 1e3
    assert heavy.certificate.energy_scale == pytest.approx(light.certificate.energy_scale, rel=0.02)


def test_all_that_a_motor_moves_through_a_loop() -> None:
    model = lw.gallery.andrews.build()
    free = lw.Simulation(model, "recursive", dt=1e-3)
    assert given_bodies(free.system, free.start) == []
    model.motor("drive", next(iter(model.joints)), velocity=1.0)
    driven = lw.Simulation(model, "recursive", dt=1e-3)
    assert {each.name for each in given_bodies(driven.system, driven.start)} == set(model.bodies)


def test_energy_of_a_body_is_what_the_run_counts() -> None:
    """With nothing but one given body all kinetic energy is its own."""
    model = lw.Model("disc")
    disc = model.body("disc", mass=2.0, inertia=(0.1, 0.2, 0.25), com=(0.3, 0.1, -0.2))
    model.revolute("pin", "ground", disc, at=(0, 0, 0), axis=(1, 2, 3))
    model.motor("drive", "pin", position=lw.Cosine(1.0, 2.0))
    run = lw.simulate(model, until=0.5, dt=1e-3, method="recursive")
    columns = [run[f"disc.{word}"] for word in ("position", "rotation", "velocity", "angular_velocity")]
    found = kinetic_energy([disc], ["disc"], np.hstack(columns)[:, None])
    assert np.abs(found - run.energy["kinetic"]).max() < 1e-12 * found.max()
