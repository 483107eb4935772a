"""Drives that no joint can follow, or that want the same motion: one sentence with part and time, when a run starts."""

import pytest

import linkwork as lw


def shafts() -> lw.Model:
    model = lw.Model("shafts")
    for name, x in (("a", 0.0), ("b", 0.3)):
        wheel = model.body(name, shape=lw.Cylinder(0.1, 0.02), mass=1.0, position=(x, 0, 0))
        model.revolute(f"{name} pin", "ground", wheel, at=(x, 0, 0), axis=(0, 0, 1))
    return model


def run(model: lw.Model, method: str = "recursive"):
    return lw.simulate(model, until=0.05, dt=1e-3, method=method)


@pytest.mark.parametrize("method", ["recursive", "hybrid", "absolute"])
def test_a_position_that_jumps_is_refused_with_its_time(method):
    model = shafts()
    model.motor("drive", "a pin", position=lw.Step(0.5, at=0.02))
    with pytest.raises(lw.ModelError, match=r"motor 'drive'.* jumps by 0\.5 rad at t = 0\.02 s.* rise="):
        run(model, method)


def test_with_impulses_it_is_one_step_and_warned_of():
    model = shafts()
    model.motor("drive", "a pin", position=lw.Step(0.5, at=0.02))
    with pytest.warns(lw.ModelWarning, match=r"motor 'drive'.*t = 0\.02 s.*throws joint 'a pin' there"):
        assert run(model, "impulse")["a pin.position"][-1] == pytest.approx(0.5)


@pytest.mark.filterwarnings("ignore::linkwork.errors.RunWarning")
@pytest.mark.parametrize(
    ("law", "size"),
    [
        ({"velocity": lw.Step(3.0, at=0.02)}, r"3 rad/s"),
        ({"position": lw.Table((0, 0.02, 0.05), (0, 0.1, 0.1))}, r"-5 rad/s"),
    ],
)
def test_a_velocity_that_jumps_is_warned_of(law, size):
    model = shafts()
    model.motor("drive", "a pin", **law)
    with pytest.warns(lw.ModelWarning, match=rf"motor 'drive' .*joint 'a pin' by {size} at once, at t = 0\.02 s"):
        run(model)


@pytest.mark.filterwarnings("ignore::linkwork.errors.RunWarning")
@pytest.mark.filterwarnings("error::linkwork.errors.ModelWarning")
@pytest.mark.parametrize(
    "law",
    [
        {"velocity": lw.Step(3.0, at=0.02, rise=0.01)},
        {"position": lw.Step(0.3, at=0.02, rise=0.02)},
        {"velocity": lw.Step(3.0, at=-1.0)},
        {"position": lw.Table((0, 0.02, 0.05), (0, 0.1, 0.25))},
        {"velocity": lw.Table((0, 0.02, 0.05), (0, 0.1, 0.1))},
    ],
)
def test_smooth_laws_are_not(law):
    model = shafts()
    model.motor("drive", "a pin", **law)
    assert run(model).certificate.complete


@pytest.mark.parametrize("method", ["recursive", "hybrid", "impulse"])
def test_gears_that_want_the_same_motion_are_named(method):
    model = shafts()
    model.gear("one", "a pin", "b pin", ratio=-2.0)
    model.gear("two", "a pin", "b pin", ratio=-2.0)
    with pytest.warns(lw.ModelWarning, match="'one' and 'two' want the same motion"):
        run(model, method)


def test_motors_and_gears_that_want_the_same_motion_are_named():
    model = shafts()
    model.motor("first", "a pin", velocity=1.0)
    model.gear("mesh", "a pin", "b pin", ratio=-2.0)
    model.motor("second", "b pin", velocity=-2.0)
    assert any("'first', 'mesh' and 'second' want the same motion" in note for note in lw.check(model).notes)
    with pytest.warns(lw.ModelWarning, match="'first', 'mesh' and 'second' want the same motion"):
        run(model)
    other = shafts()
    other.motor("first", "a pin", velocity=1.0)
    other.motor("second", "a pin", velocity=1.0)
    with pytest.raises(lw.ModelError, match="motors 'first' and 'second' both drive joint 'a pin'; remove one"):
        run(other)


def test_a_start_that_a_cam_or_gear_contradicts_names_it():
    model = shafts()
    for name, start in (("c", {"position": 0.5}), ("d", {"velocity": 1.0})):
        wheel = model.body(name, mass=1.0, inertia=(1, 1, 1))
        model.revolute(f"{name} pin", "ground", wheel, at=(0, 0, 0), axis=(0, 0, 1), **start)
    model.cam("lobe", "a pin", "c pin", (lambda angle: 0.0))
    with pytest.raises(lw.ModelError, match="joint 'c pin' was given 0.5 but the loops with cam 'lobe' close at 0"):
        run(model)
