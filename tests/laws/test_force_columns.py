"""What forces do, column by column: the values of their laws, and powers that add up to the energy ledger."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import cumulative_simpson

import linkwork as lw


def machine(scale: float = 1.0) -> lw.Model:
    """A four-bar driven and braked by every kind of force, one of them in the joint that closes the loop."""
    model = lw.Model("machine")
    for name, x, z, size in (("crank", 0.0, 0.2, 0.4), ("coupler", 0.5, 0.4, 1.0), ("rocker", 1.0, 0.2, 0.4)):
        box = (size, 0.05, 0.05) if name == "coupler" else (0.05, 0.05, size)
        sizes = tuple(scale * each for each in box)
        model.body(name, mass=2.0, shape=lw.Box(sizes), position=(scale * x, 0, scale * z))
    hinge = {"axis": (0, 1, 0)}
    model.revolute("main", "ground", "crank", at=(0, 0, 0), velocity=1.0, **hinge)
    model.revolute("first", "crank", "coupler", at=(0, 0, scale * 0.4), **hinge)
    model.ball("second", "coupler", "rocker", at=(scale * 1.0, 0, scale * 0.4))
    model.revolute("last", "ground", "rocker", at=(scale * 1.0, 0, 0), cut=True, **hinge)
    unit = scale * scale
    model.torque("drive", "main", lw.Cosine(unit * 3.0, frequency=0.7))
    model.torque("brake", "last", lambda t, position, velocity: -unit * (1.0 + position**2) * velocity)
    model.torsion_spring("coil", "last", stiffness=unit * 4.0, damping=unit * 0.3, angle=0.2)
    model.torque("twist", "coupler", (0.3 * unit, unit * 1.0, 0))
    model.torque("spin", "coupler", lw.Cosine(unit, frequency=1.0), axis=(0, 1, 0), frame="world")
    model.force("wind", "coupler", lambda t: (2.0 * scale * t, 0, 1.0 * scale), at=(scale * 0.5, 0, 0))
    model.force("jet", "rocker", lw.Cosine(scale, frequency=2.0), at=(0, 0, scale * 0.2), axis=(1, 0, 0))
    model.spring(
        "strut",
        "ground",
        "coupler",
        at_b=(scale * 0.1, 0, 0),
        stiffness=30.0,
        damping=2.0,
        length=scale * 0.3,
        law=lambda t, length, rate: scale * t - rate,
    )
    model.spring("guide", "ground", "rocker", stiffness=20.0, damping=1.0, length=0.0, axis=(1, 0, 0))
    return model


def quarter_car() -> lw.Model:
    """A wheel with a side force that steers to the side over a bump, and a rotor in it."""
    model = lw.Model("quarter")
    wheel = model.body("wheel", mass=40.0, inertia=(50.0, 48.0, 5.0), position=(0, 0, 0.29))
    model.free("start", "ground", wheel, velocity=(5.0, 0.5, 0, 0, 0, 0.1))
    road = lw.CosineBump(0.01, at=0.5, length=2.0)
    model.tyre("tyre", wheel, radius=0.3, stiffness=4e4, damping=300.0, road=road, side=lw.Calspan())
    model.gyroscope("rotor", wheel, axis=(0, 1, 0), momentum=3.0)
    return model


def integral(run: lw.Trajectory) -> Any:
    """What all forces fed into the mechanism since the start, J."""
    power = sum(run[name] for name in run.matching("*.power"))
    return cumulative_simpson(power, x=run.time, initial=0.0)


def fed(run: lw.Trajectory) -> Any:
    """The same by the ledger."""
    energy = run.energy
    given: Any = energy["work"] - energy["dissipated"] - (energy["springs"] - energy["springs"][0])
    return given - given[0]


@pytest.mark.parametrize(("method", "share"), [("recursive", 1e-8), ("hybrid", 1e-4)])
def test_powers_add_up_to_the_ledger(method: str, share: float) -> None:
    run = lw.simulate(machine(), until=1.0, dt=1e-3, method=method)
    expected = fed(run)
    assert np.abs(integral(run) - expected).max() < share * np.abs(expected).max()


@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_powers_of_small_and_large_machines(scale: float) -> None:
    pace = min(1.0, scale**0.5)  # small ones fall over sooner
    run = lw.simulate(machine(scale), until=0.2 * pace, dt=5e-4 * pace, method="recursive")
    expected = fed(run)
    assert np.abs(integral(run) - expected).max() < 1e-7 * np.abs(expected).max()


def test_power_of_a_tyre_over_a_bump() -> None:
    run = lw.simulate(quarter_car(), until=0.5, dt=2.5e-4, method="recursive")
    assert run["tyre.load"].min() > 0.0  # on the road all the time: no kink in the power
    expected = fed(run)
    assert np.abs(integral(run) - expected).max() < 1e-6 * np.abs(expected).max()
    # the torque of the rotor is h x w and does no work
    turned = np.array([lw.Frame(rotation=e).direction((0, 3.0, 0)) for e in run["wheel.rotation"]])
    assert run["rotor.torque"] == pytest.approx(np.cross(turned, run["wheel.angular_velocity"]), abs=1e-12)


def test_columns_hold_the_laws() -> None:
    """Forces on bodies in world axes, torques in joints as numbers; also in a joint that closes the loop."""
    run = lw.simulate(machine(), until=0.3, dt=1e-3, method="recursive")
    t, rate = run.time, run["last.velocity"]
    assert run["drive.torque"] == pytest.approx(3.0 * np.cos(2 * np.pi * 0.7 * t), abs=1e-12)
    assert run["brake.torque"] == pytest.approx(-(1.0 + run["last.position"] ** 2) * rate, abs=1e-9)
    assert run["brake.power"] == pytest.approx(run["brake.torque"] * rate, abs=1e-9)
    assert run["coil.torque"] == pytest.approx(-4.0 * (run["last.position"] - 0.2) - 0.3 * rate, abs=1e-9)
    assert run["wind.force"] == pytest.approx(np.column_stack([2.0 * t, 0 * t, 1.0 + 0 * t]), abs=1e-12)
    assert run["twist.power"] == pytest.approx(run["coupler.angular_velocity"] @ [0.3, 1.0, 0], abs=1e-12)
    along = [lw.Frame(rotation=e).direction((1, 0, 0)) for e in run["rocker.rotation"]]
    assert run["jet.force"] == pytest.approx(np.cos(4 * np.pi * t)[:, None] * np.array(along), abs=1e-9)
    assert run["guide.force"] == pytest.approx(20.0 * run["guide.length"] - run["guide.power"] / run["guide.force"])
    units = {name: run.unit(f"{name}.torque") for name in ("drive", "coil", "twist")}
    assert set(units.values()) == {"N m"}
    assert (run.unit("jet.force"), run.unit("jet.power")) == ("N", "W")


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_a_motor_tells_its_power(kind: str) -> None:
    """Against a damper at a steady speed: torque = c w, power = c w^2, all of it wasted."""
    model = lw.Model("mixer")
    whisk = model.body("whisk", shape=lw.Cylinder(0.1, 0.1), mass=1.0)
    shaft = getattr(model, kind)("shaft", "ground", whisk, at=(0, 0, 0), axis=(1, 0, 0), damping=0.2, velocity=3.0)
    model.motor("drive", shaft, velocity=3.0)
    run = lw.simulate(model, until=0.5, dt=0.01, method="impulse")
    assert run["drive.torque"][5:] == pytest.approx(0.6, abs=1e-9)
    assert run["drive.power"][5:] == pytest.approx(1.8, abs=1e-9)
    assert run.unit("drive.torque") == ("N" if kind == "prismatic" else "N m")
    assert run.energy["dissipated"][-1] - run.energy["dissipated"][5] == pytest.approx(1.8 * 0.45, rel=1e-6)


def test_a_force_in_a_released_joint_is_nothing() -> None:
    model = machine()
    model.release("last", time=0.1)
    run = lw.simulate(model, until=0.2, dt=1e-3, method="recursive")
    after = run.time > 0.1
    for name in ("brake.torque", "brake.power", "coil.torque", "coil.power"):
        assert np.abs(run[name][~after]).max() > 0.0
        assert not run[name][after].any()
    assert np.abs(run["drive.torque"][after]).min() > 0.0


def test_a_law_is_asked_once_for_a_row() -> None:
    """A function may count, log or ask a device: looking at a row calls it no more than once."""
    asked = []

    def law(t: float) -> float:
        asked.append(t)
        return 1.0

    model = lw.Model("wheel")
    wheel = model.body("wheel", shape=lw.Cylinder(0.3, 0.05), mass=10.0)
    axle = model.revolute("axle", "ground", wheel, at=(0, 0, 0), axis=(0, 0, 1))
    model.torque("drive", axle, law)
    model.spring("cord", "ground", wheel, at_b=(0.3, 0, 0), stiffness=1.0, law=law)
    sim = lw.Simulation(model, "recursive", dt=1e-3)
    sim.step(3)
    asked.clear()
    assert sim["drive.torque"] == 1.0
    assert len(asked) <= 2  # the torque and the spring
