"""States of an FMU, saved, put back and sent elsewhere; reset; parameters."""

import dataclasses

import numpy as np
import pytest

import linkwork as lw
from formats.fmi.fmi_host import ERROR, OK, Slave, Unpacked, need_library


@pytest.fixture(scope="module", autouse=True)
def library():
    need_library()


@pytest.fixture(scope="module", params=[2, 3])
def car(request, tmp_path_factory, library):
    """The car, with all its parameters."""
    folder = tmp_path_factory.mktemp("car")
    given = {"integrator": "rk4", "dt": 1e-3, "picture": False}
    fmu = Unpacked(lw.export_fmu(lw.gallery.car.build(), folder / "car.fmu", version=request.param, **given))
    yield fmu
    fmu.remove()


def columns(slave):
    return slave.get(
        *[name for name in slave.unpacked.variables if name.endswith((".position.z", ".velocity", "balance"))]
    )


def test_a_state_that_is_put_back_goes_on_bit_for_bit(car):
    slave = Slave(car)
    slave.begin()
    for _ in range(5):
        slave.step(0.01)
    kept = slave.state()
    for _ in range(5):
        slave.step(0.01)
    later = columns(slave)
    assert slave.go_back(kept) == OK
    slave.time = 0.05
    for _ in range(5):
        assert slave.step(0.01) == OK
    assert columns(slave) == later
    slave.free()


def test_a_state_as_bytes_goes_on_in_another_instance(car):
    first, second = Slave(car), Slave(car)
    first.begin()
    second.begin()
    for _ in range(5):
        first.step(0.01)
    content = first.bytes_of(first.state())
    assert second.go_back(second.state_of(content)) == OK
    second.time = 0.05
    assert second.bytes_of(second.state()) == content  # no address is in it
    for slave in (first, second):
        slave.step(0.01)
    assert columns(first) == columns(second)
    assert second.state_of(content[:-8]) is None
    damaged = second.state_of(b"\0" * len(content))
    assert second.go_back(damaged) == ERROR
    assert "this is no state of" in second.said[-1]
    first.free()
    second.free()


def test_a_reset_instance_begins_as_a_new_one(car):
    slave = Slave(car)
    slave.begin(values={"gravity.z": -1.62})
    slave.step(0.05)
    on_the_moon = columns(slave)
    assert slave.call("Reset") == OK
    slave.begin()
    slave.step(0.05)
    again = columns(slave)
    other = Slave(car)
    other.begin()
    other.step(0.05)
    assert again == columns(other)
    assert again != on_the_moon
    slave.free()
    other.free()


def changed_car():
    """The car with other numbers in it."""
    model = lw.gallery.car.build()
    for body in model.all_bodies():
        if body.path == "car body":
            object.__setattr__(body, "inertia", body.inertia * 1.3)
            object.__setattr__(body, "mass", body.mass * 1.3)
    for force in model.all_forces():
        if force.path == "left suspension.damper.coil":
            for name, factor in (("stiffness", 0.8), ("damping", 1.7)):
                object.__setattr__(force, name, getattr(force, name) * factor)
    model.gravity = np.array([0.3, 0.0, -9.0])
    return model


def test_parameters_give_the_run_of_a_model_that_was_built_with_them(car):
    mass = float(car.facts("car body.mass")["start"])
    stiffness, damping = (
        float(car.facts(f"left suspension.damper.coil.{x}")["start"]) for x in ("stiffness", "damping")
    )
    values = {
        "car body.mass": 1.3 * mass,
        "left suspension.damper.coil.stiffness": 0.8 * stiffness,
        "left suspension.damper.coil.damping": 1.7 * damping,
        "gravity.x": 0.3,
        "gravity.z": -9.0,
    }
    slave = Slave(car)
    assert slave.begin(values=values) == OK
    sim = lw.Simulation(changed_car(), "recursive", integrator="rk4", dt=1e-3)
    plain = lw.Simulation(lw.gallery.car.build(), "recursive", integrator="rk4", dt=1e-3)
    for each in (sim, plain):
        each.step(200)
    assert slave.step(0.2) == OK
    z = "car body.position.z"
    assert slave.get(z) == pytest.approx(sim[z], abs=1e-12)
    assert abs(plain[z] - sim[z]) > 1e-3
    assert slave.set({"gravity.z": -1.0}) == ERROR
    assert "before the initialisation only" in slave.said[-1]
    slave.free()


def test_a_mass_below_zero_is_refused(car):
    slave = Slave(car)
    assert slave.set({"car body.mass": -1.0}) == ERROR
    assert slave.set({"car body.mass": float("nan")}) == ERROR
    assert "cannot be -1" in slave.said[0]
    slave.free()


def test_start_values_of_joints_are_parameters(tmp_path):
    model = lw.gallery.pendulum.build()
    fmu = Unpacked(lw.export_fmu(model, tmp_path / "p.fmu", integrator="rk4", dt=1e-3, picture=False))
    slave, sim = Slave(fmu), lw.Simulation(model, "recursive", integrator="rk4", dt=1e-3)
    assert fmu.facts("pin.start_position")["unit"] == "rad"
    slave.begin(values={"pin.start_position": 0.7, "pin.start_velocity": -2.0})
    sim.reset(joints={"pin": 0.7}, velocities={"pin": -2.0})
    slave.step(0.5)
    sim.step(500)
    assert slave.get("pin.position", "pin.velocity") == [sim["pin.position"], sim["pin.velocity"]]
    slave.free()
    fmu.remove()


def test_what_memory_does_not_follow_in_a_straight_line_is_no_parameter(tmp_path):
    model = lw.gallery.double_four_bar.build()  # positions of joints in a loop depend on each other
    with pytest.raises(lw.OptionError, match=r"'foot 1.start_position' cannot be a parameter: .*; leave it out"):
        lw.export_fmu(model, tmp_path / "d.fmu", parameters=["foot 1.start_position"], dt=1e-3, picture=False)
    fmu = Unpacked(lw.export_fmu(model, tmp_path / "d.fmu", dt=1e-3, picture=False))
    assert not any(name.startswith("foot 1.start") for name in fmu.variables)
    assert "gravity.z" in fmu.variables
    fmu.remove()


def test_of_a_large_model_only_named_parameters_are_tried(tmp_path):
    model = lw.gallery.chain.build(n=60)
    plain = Unpacked(lw.export_fmu(model, tmp_path / "c.fmu", dt=1e-3, picture=False, outputs=["*.position"]))
    assert {name for name in plain.variables if plain.facts(name)["causality"] == "parameter"} == {
        *("gravity.x", "gravity.y", "gravity.z")
    }
    mass = next(f"{body.path}.mass" for body in model.all_bodies())
    given = {"parameters": [mass], "outputs": ["*.position"], "picture": False}
    named = Unpacked(lw.export_fmu(model, tmp_path / "c.fmu", dt=1e-3, **given))
    assert mass in named.variables
    plain.remove()
    named.remove()


def test_a_model_is_left_as_it_was(tmp_path):
    model = lw.gallery.pendulum.build()
    before = [dataclasses.astuple(dataclasses.replace(body, owner=None)) for body in model.all_bodies()]
    lw.export_fmu(model, tmp_path / "p.fmu", dt=1e-3, picture=False)
    after = [dataclasses.astuple(dataclasses.replace(body, owner=None)) for body in model.all_bodies()]
    assert repr(before) == repr(after)
