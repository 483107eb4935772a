"""How contact points share a load: equally where rigid bodies leave it open; lw.Soft is that of the whole pair."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw

G = 9.81
both = pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal], ids=["impulse", "maximal"])


def pressures(sim: lw.Simulation) -> Any:
    """Normal forces of all contacts, N."""
    found = sim.contacts()
    return np.einsum("ij,ij->i", found.forces, found.normals)


@both
@pytest.mark.parametrize("tilt", [0.0, 1e-3])
def test_jaws_press_on_all_corners_alike(kind: Any, tilt: float) -> None:
    """A box between two jaws, 50 N each; it may come in a little turned."""
    model, material = lw.Model("vice"), lw.Material(friction=0.8)
    for name, side in (("left", 1.0), ("right", -1.0)):
        jaw = model.body(
            name, shape=lw.Box((0.02, 0.2, 0.2)), mass=1.0, position=(-0.0615 * side, 0, 0), material=material
        )
        model.prismatic(f"{name} slide", "ground", jaw, axis=(side, 0, 0))
        model.torque(f"{name} press", f"{name} slide", 50.0)
    model.body("box", shape=lw.Box((0.1,) * 3), mass=1.0, rotation=(1, 0, 0, tilt), material=material)
    sim = lw.Simulation(model, kind(dt=5e-3))
    sim.step(400)
    held, way = sim["box.position"], sim["box.rotation"]
    # at first a corner may hover by a micrometre: the three others of its jaw share then
    found = pressures(sim)
    assert found.sum() == pytest.approx(100.0, rel=1e-3)
    assert found.max() < 50.0 / 3.0 * 1.01
    if tilt == 0.0:
        assert found == pytest.approx(12.5, rel=0.1)
    sim.step(1600)  # 8 s
    assert np.abs(sim["box.position"] - held).max() < 1e-5
    assert np.abs(sim["box.rotation"] - way).max() < 1e-4
    assert len(pressures(sim)) == 8
    assert pressures(sim) == pytest.approx(12.5, rel=0.1)


@both
def test_four_corners_share_a_weight(kind: Any) -> None:
    model, material = lw.Model("box"), lw.Material(friction=0.5)
    model.plane("floor", material=material)
    model.body("box", shape=lw.Box((0.3, 0.2, 0.1)), mass=2.0, position=(0, 0, 0.3), material=material)
    sim = lw.Simulation(model, kind(dt=5e-3))
    sim.step(200)
    assert pressures(sim).sum() == pytest.approx(2.0 * G, rel=1e-4)
    assert pressures(sim) == pytest.approx(2.0 * G / 4, rel=0.5)  # what is more uneven is evened out


@both
@pytest.mark.parametrize("corners", [4, 12, 128])
def test_softness_is_that_of_the_pair(kind: Any, corners: int) -> None:
    """m g / k, however many corners describe the base."""
    model = lw.Model("mat")
    soft = lw.Material(friction=0.5, softness=lw.Soft(stiffness=2e4, damping=200.0))
    model.plane("mat", material=soft)
    turns = 2.0 * np.pi * np.arange(corners) / corners
    points = [(0.1 * np.cos(a), 0.1 * np.sin(a), z) for a in turns for z in (-0.1, 0.1)]
    model.body(
        "block", shape=lw.Hull(points), mass=4.0, inertia=(0.02, 0.02, 0.02), position=(0, 0, 0.1), material=soft
    )
    run = lw.simulate(model, until=1.0, method=kind(dt=2e-3), every=50)
    assert run.certificate.doubts() == []  # it sinks in as it is told to
    assert 0.1 - run["block.position"][-1, 2] == pytest.approx(4.0 * G / 2e4, rel=1e-2)


@both
def test_hertz_are_those_of_the_whole_body(kind: Any) -> None:
    """A box on a floor of 5 Hz sinks by g / omega^2, whatever its corners weigh by themselves."""
    model = lw.Model("mat")
    soft = lw.Material(friction=0.5, softness=lw.Soft(hertz=5.0))
    model.plane("mat", material=soft)
    model.body("box", shape=lw.Box((0.4, 0.4, 0.2)), mass=3.0, position=(0, 0, 0.1), material=soft)
    run = lw.simulate(model, until=2.0, method=kind(dt=2e-3), every=50)
    assert 0.1 - run["box.position"][-1, 2] == pytest.approx(G / (2.0 * np.pi * 5.0) ** 2, rel=1e-2)


@both
@pytest.mark.parametrize("ahead", [1e-5, 1e-3, 1e-2])
def test_a_lid_falls_shut_without_a_blow_at_its_hinge(kind: Any, ahead: float) -> None:
    """A few times the blow that stops its spin within a step at its far edge. Once it was a million newtons."""
    model, material, dt = lw.Model("lid"), lw.Material(friction=0.3), 5e-3
    model.plane("rim", at=(0, 0, -0.05), material=material)
    lid = model.body("lid", mass=2.0, shape=lw.Box((1, 0.1, 0.1)), position=(0.5 + ahead, 0, 0), material=material)
    model.revolute("hinge", "ground", lid, at=(0, 0, 0), axis=(0, -1, 0), position=0.3)
    run = lw.simulate(model, until=0.6, method=kind(dt=dt))
    spin = np.abs(run["hinge.velocity"]).max()
    assert np.abs(run["lid.contact_force"]).max() < 3.0 * 2.0 / 3.0 * spin / dt
    assert abs(run["hinge.position"][-1]) < 1e-4


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, 1, 0)])
def test_friction_brakes_a_planar_mechanism_whichever_way_it_lies(axis: Any) -> None:
    """A sledge that can only move along a rail: friction across it moves nothing, that along it stops it by mu g."""
    model, material = lw.Model("sledge"), lw.Material(friction=0.4)
    model.plane("floor", material=material)
    sledge = model.body("sledge", shape=lw.Box((0.2, 0.2, 0.2)), mass=1.0, position=(0, 0, 0.1), material=material)
    frame = model.body("frame", mass=0.01, inertia=(1e-4, 1e-4, 1e-4), position=(0, 0, 0.1))
    model.prismatic("rail", "ground", frame, axis=axis, velocity=1.0)
    model.prismatic("lift", frame, sledge, axis=(0, 0, 1))
    run = lw.simulate(model, until=1.0, method=lw.Impulse(dt=2e-3))
    end = run["sledge.position"][-1] @ np.array(axis)
    assert end == pytest.approx(1.0 / (2.0 * 0.4 * G) * 1.01, rel=0.02)
