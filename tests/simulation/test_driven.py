"""Motors from the first moment on: start values from their laws, and no jolt in the columns of forces."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.simulation.methods import ALL

both = pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal], ids=["impulse", "maximal"])
CALM = pytest.mark.filterwarnings("ignore::linkwork.RunWarning")  # first-order steps over a moment


def crank(size: float = 1.0, **pin: Any) -> lw.Model:
    """A slider-crank; options of its pin."""
    model = lw.Model("crank")
    elbow, end = (0.12 * size, 0, 0.16 * size), ((0.12 + 0.3344**0.5) * size, 0, 0)
    parts = {
        "one": (1.0, (0, 0, 0), (0.06, 0, 0.08)),
        "two": (0.5, elbow, (0.3, 0, -0.08)),
        "block": (2.0, end, (0, 0, 0)),
    }
    for name, (mass, place, com) in parts.items():
        inertia = tuple(x * mass * size**5 for x in (0.01, 0.02, 0.02))
        centre = tuple(x * size for x in com)
        model.body(name, mass=mass * size**3, inertia=inertia, position=place, com=centre)
    model.revolute("pin", "ground", "one", at=(0, 0, 0), axis=(0, 1, 0), **pin)
    model.revolute("elbow", "one", "two", at=elbow, axis=(0, 1, 0))
    model.revolute("wrist", "two", "block", at=end, axis=(0, 1, 0))
    model.prismatic("slide", "ground", "block", at=end, axis=(1, 0, 0))
    return model


def exact(size: float, velocity: float, acceleration: float) -> tuple[float, np.ndarray]:
    """Torque in the pin, and the reaction of the elbow, with which the pin is so fast and accelerates so much."""
    torques, accelerations, reactions = [0.0, 10.0 * size**5], [], []
    for torque in torques:
        model = crank(size, velocity=velocity)
        model.torque("drive", "pin", torque)
        sim = lw.Simulation(model, "recursive", dt=1e-4)
        accelerations.append(float(sim["pin.acceleration"]))
        reactions.append(sim["elbow.reaction"])
    part = (acceleration - accelerations[0]) / (accelerations[1] - accelerations[0])
    return part * torques[1], reactions[0] + part * (reactions[1] - reactions[0])


@CALM
@both
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_a_motor_with_a_speed_starts_without_a_jolt(kind: Any, size: float) -> None:
    torque, reaction = exact(size, 10.0, 0.0)
    for drive in (
        {"velocity": 10.0},
        {"position": lw.Table(times=(0, 10), values=(0, 100))},
        {"position": lambda t: 10 * t},
    ):
        model = crank(size)
        model.motor("drive", "pin", **drive)
        run = lw.simulate(model, until=5e-4, method=kind(dt=1e-4))
        assert run["pin.velocity"] == pytest.approx(10.0, abs=1e-6)
        for row in (0, 1):
            assert run["drive.torque"][row] == pytest.approx(torque, rel=5e-3)
            assert np.abs(run["elbow.reaction"][row] - reaction).max() < 5e-3 * np.abs(reaction).max()
        # the start is on the loops
        assert run.drift["velocity"][0] < 1e-12 * size
        assert run.events == []
        assert run.certificate.start == ["joint 'pin' starts with 10 rad/s, as motor 'drive' has it"]
        assert "start    joint 'pin' starts" in str(run.certificate)


@CALM
@both
def test_a_motor_that_accelerates_from_rest(kind: Any) -> None:
    """A cosine that begins at its turning point: rows 0 and 1 have the whole force of inertia, not half of it."""
    torque, reaction = exact(1.0, 0.0, -0.3 * (3 * np.pi) ** 2)
    model = crank()
    model.motor("drive", "pin", position=lw.Cosine(0.3, 1.5, offset=-0.3))
    run = lw.simulate(model, until=1e-3, method=kind(dt=1e-4))
    assert run["pin.velocity"][0] == 0.0
    assert run["drive.torque"][:2] == pytest.approx(torque, rel=1e-3)
    assert np.abs(run["elbow.reaction"][:2] - reaction).max() < 1e-3 * np.abs(reaction).max()
    assert run.certificate.start == []


@CALM
@both
def test_the_first_rows_have_centripetal_forces(kind: Any) -> None:
    """Of a pendulum at its lowest point, m (g + v^2 / l), also where its joint is a row."""
    model = lw.Model("pendulum")
    bob = model.body("bob", mass=2.0, inertia=(1e-3, 1e-3, 1e-3), position=(0, 0, -1))
    model.revolute("pin", "ground", bob, at=(0, 0, 0), axis=(0, 1, 0), velocity=3.0)
    run = lw.simulate(model, until=2e-3, method=kind(dt=1e-3))
    assert run["pin.reaction"][:2, 2] == pytest.approx(2.0 * (9.81 + 9.0), rel=1e-5)
    assert run["bob.velocity"][0] == pytest.approx([-3.0, 0.0, 0.0], abs=1e-14)


@CALM
@both
def test_another_velocity_is_a_jolt_and_an_event(kind: Any) -> None:
    def model(**pin: Any) -> lw.Model:
        made = lw.Model("wheel")
        wheel = made.body("wheel", mass=2.0, inertia=(0.3, 0.3, 0.4), position=(1, 0, 0))
        made.revolute("pin", "ground", wheel, at=(1, 0, 0), axis=(0, 0, 1), **pin)
        made.motor("drive", "pin", velocity=5.0)
        return made

    with pytest.warns(lw.ModelWarning, match="joint 'pin' at 5 rad/s .* jolted at the start by 1.2 N m s"):
        run = lw.simulate(model(velocity=2.0), until=0.01, method=kind(dt=1e-3))
    assert [(event.time, event.what, event.joint) for event in run.events] == [(0.0, "jolted", "pin")]
    assert run.events[0].impulse == pytest.approx((0, 0, 0, 0, 0, 0.4 * 3.0), abs=1e-12)
    assert run.events[0].energy == pytest.approx(0.5 * 0.4 * (25 - 4))
    assert run["pin.velocity"] == pytest.approx(5.0)
    assert np.abs(run["drive.torque"]).max() < 1e-9
    assert run.energy["work"][0] == pytest.approx(run.events[0].energy)
    assert np.abs(run.energy["balance"]).max() < 1e-12
    assert "pin jolted at 0 s; 0 J lost in impacts" in str(run.certificate)
    # the same velocity is none
    agreed = lw.simulate(model(velocity=5.0), until=0.01, method=kind(dt=1e-3))
    assert agreed.events == []
    # by hand, too
    sim = lw.Simulation(model(), kind(dt=1e-3))
    with pytest.warns(lw.ModelWarning, match="jolted"):
        sim.reset(velocities={"pin": -5.0})
    assert sim.changes[0].energy == pytest.approx(0.0, abs=1e-12)
    assert sim.changes[0].impulse[5] == pytest.approx(4.0)


@both
def test_a_jolt_goes_through_the_loops(kind: Any) -> None:
    """A velocity given at the slide, another by the motor at the pin: momentum decides, and energy is conserved."""
    started = lw.Simulation(crank(), "recursive", dt=1e-3)
    started.reset(velocities={"slide": 0.3})
    before = 0.5 * started.v @ lw.mass_matrix(started.system, started.q) @ started.v
    driven = crank()
    driven.motor("drive", "pin", velocity=10.0)
    sim = lw.Simulation(driven, kind(dt=1e-4))
    with pytest.warns(lw.ModelWarning, match="jolted"):
        sim.reset(velocities={"slide": 0.3})
    started.reset(velocities={"pin": 10.0})
    after = 0.5 * started.v @ lw.mass_matrix(started.system, started.q) @ started.v
    assert sim["pin.velocity"] == pytest.approx(10.0, abs=1e-9)
    assert sim["slide.velocity"] == pytest.approx(float(started["slide.velocity"]), abs=1e-9)
    assert sim.changes[0].energy == pytest.approx(after - before, rel=1e-9)


@CALM
@both
def test_a_motor_that_gives_way_is_left_alone(kind: Any) -> None:
    for options in ({"max_torque": 6.0}, {"softness": lw.Soft(damping=1.0)}):
        model = crank()
        model.motor("drive", "pin", velocity=10.0, **options)
        run = lw.simulate(model, until=0.01, method=kind(dt=1e-3))
        assert run["pin.velocity"][0] == 0.0
        assert np.abs(run["drive.torque"]).max() <= 10.0
        assert run.certificate.start == []


@CALM
@both
def test_followers_start_with_their_leaders(kind: Any) -> None:
    model = lw.Model("gears")
    for name in ("leader", "follower"):
        wheel = model.body(name, mass=1.0, inertia=(0.1, 0.1, 0.2))
        model.revolute(f"{name} axle", "ground", wheel, at=(0, 0, 0), axis=(0, 0, 1))
    model.repeater("mesh", "leader axle", "follower axle", ratio=-3.0)
    model.motor("drive", "leader axle", velocity=2.0)
    run = lw.simulate(model, until=0.01, method=kind(dt=1e-3))
    assert run["follower axle.velocity"] == pytest.approx(-6.0)
    assert np.abs(run["drive.torque"]).max() < 1e-9
    assert run.events == []


@CALM
@both
def test_positions_are_taken_from_rigid_motors_too(kind: Any) -> None:
    model = crank()
    model.motor("drive", "pin", position=0.4)
    run = lw.simulate(model, until=0.01, method=kind(dt=1e-3))
    assert run["pin.position"] == pytest.approx(0.4, abs=1e-6)
    assert run.drift["position"][0] < 1e-10
    torque, _ = exact_at_rest(0.4)
    assert run["drive.torque"][:2] == pytest.approx(torque, rel=1e-3)
    assert run.certificate.start == ["joint 'pin' starts at 0.4 rad, as motor 'drive' has it"]
    # a position that is given is held, and contradicts
    model = crank(position=0.1)
    model.motor("drive", "pin", position=0.4)
    with pytest.warns(lw.ModelWarning, match="holds joint 'pin' at 0.4 rad from the start, but it starts at 0.1"):
        sim = lw.Simulation(model, kind(dt=1e-3))
    assert sim["pin.position"] == pytest.approx(0.1)


def exact_at_rest(angle: float) -> tuple[float, float]:
    """Torque that holds the pin at an angle."""
    accelerations = []
    for torque in (0.0, 1.0):
        model = crank(position=angle)
        model.torque("drive", "pin", torque)
        accelerations.append(float(lw.Simulation(model, "recursive", dt=1e-4)["pin.acceleration"]))
    return -accelerations[0] / (accelerations[1] - accelerations[0]), accelerations[0]


@both
def test_motors_that_contradict_each_other_are_told(kind: Any) -> None:
    model = crank()
    model.motor("drive", "pin", velocity=10.0)
    model.motor("push", "slide", velocity=10.0)
    with pytest.warns(lw.ModelWarning, match="velocities that motors ask for at the start \\('drive', 'push'"):
        lw.Simulation(model, kind(dt=1e-3))


def test_a_check_tells_what_motors_do_to_the_start() -> None:
    model = crank()
    model.motor("drive", "pin", velocity=10.0)
    assert lw.check(model).notes == ["joint 'pin' starts with 10 rad/s, as motor 'drive' has it"]
    model = crank(velocity=1.0)
    model.motor("drive", "pin", velocity=10.0)
    assert "jolted at the start" in lw.check(model).notes[0]


@both
def test_the_start_is_kept_to_the_last_bit(kind: Any, tmp_path: Path) -> None:
    """What the first step knows beyond its velocities goes with saved states and copies."""
    model = crank()
    model.motor("drive", "pin", velocity=10.0)
    sim = lw.Simulation(model, kind(dt=1e-3))
    sim.save(tmp_path / "start.npz")
    others = [lw.Simulation(model, resume=tmp_path / "start.npz"), sim.copy(), lw.Simulation(model, kind(dt=1e-3))]
    sim.step(3)
    sim.save(tmp_path / "later.npz")
    for other in others:
        other.step(3)
        assert other.state.y.tobytes() == sim.state.y.tobytes()
        assert other.state.drive.tobytes() == sim.state.drive.tobytes()
    later = lw.Simulation(model, resume=tmp_path / "later.npz")
    later.step(3)
    sim.step(3)
    assert later.state.y.tobytes() == sim.state.y.tobytes()


def meeting() -> lw.Model:
    """Two free bodies that pass each other and will turn about each other once they are joined."""
    model = lw.Model("meeting")
    for name, mass, x, speed in (("a", 2.0, -0.5, -3.0), ("b", 1.0, 0.5, 6.0)):
        body = model.body(name, mass=mass, inertia=(0.1, 0.1, 0.1), position=(x, 0, 0))
        model.free(f"flight of {name}", "ground", body, velocity=(0, speed, 0, 0, 0, 0))
    return model


@CALM
@both
@pytest.mark.parametrize("time", [0.0, 0.004, 0.0037])
def test_joints_that_were_attached_hold_bodies_on_their_paths(kind: Any, time: float) -> None:
    """From their first row on, also where it ends a part of a step."""
    runs = []
    for method in (lw.Recursive(dt=1e-3), kind(dt=1e-3)):
        model = meeting()
        model.attach("a", "b", "fixed", name="dock", time=time)
        runs.append(lw.simulate(model, until=8e-3, method=method))
    first = round(np.ceil(time / 1e-3 - 1e-9))
    exact, found = (np.linalg.norm(run["dock.reaction"][:, :3], axis=1) for run in runs)
    assert exact[first] > 30.0
    assert found[first:] == pytest.approx(exact[first:], rel=1e-3)


@CALM
@both
def test_steps_of_another_length_tell_the_same_forces(kind: Any) -> None:
    sims = [lw.Simulation(crank(velocity=10.0), method) for method in (lw.Recursive(dt=1e-3), kind(dt=1e-3))]
    for dt in (1e-3, 2e-4, 2e-4, 1e-3):
        for sim in sims:
            sim.step(dt=dt)
        exact, found = (sim["elbow.reaction"][0] for sim in sims)
        assert found == pytest.approx(
            exact, rel=0.1
        )  # first order; in the measure of the step before it would be a half


@pytest.mark.parametrize("given", [None, 0.7])
@pytest.mark.parametrize("law", ["velocity", "position"])
@pytest.mark.parametrize("method", sorted(ALL))
def test_what_hangs_on_a_driven_joint_keeps_its_own_velocity(method: str, law: str, given: float | None) -> None:
    """As if the joint itself had been given the motor's velocity: the least change, and the same by all methods."""
    model = lw.Model("two links")
    bar = lw.Box((1, 0.1, 0.1))
    links = [model.body(f"link {k}", shape=bar, mass=1.0, position=(k + 0.5, 0, 0)) for k in range(2)]
    model.revolute("shoulder", "ground", links[0], at=(0, 0, 0), axis=(0, 1, 0))
    model.revolute("elbow", *links, at=(1, 0, 0), axis=(0, 1, 0), velocity=given)
    swing = lw.Cosine(1.0, 1.0 / np.pi, -np.pi / 2)
    model.motor("drive", "shoulder", **{law: 2.0 if law == "velocity" else swing})
    sim = lw.Simulation(model, method)
    assert sim["shoulder.velocity"] == pytest.approx(2.0, abs=1e-6)
    assert sim["elbow.velocity"] == pytest.approx(given or 0.0, abs=1e-4)  # rates of positions are differences
