"""Islands at rest sleep, and nobody can tell: positions, forces and what happens when they are woken stay the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw

SIDE = 0.2  # m
both = pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal], ids=["impulse", "maximal"])


def stack(n: int = 4, *, side: float = SIDE, mass: float = 1.0, gravity: float = 9.81) -> lw.Model:
    """Boxes "box 0" … on each other, on a floor."""
    model, material = lw.Model("stack", gravity=(0, 0, -gravity)), lw.Material(friction=0.5)
    model.plane("floor", material=material)
    for k in range(n):
        at = (0, 0, side * (k + 0.5))
        model.body(f"box {k}", shape=lw.Box((side,) * 3), mass=mass, position=at, material=material)
    return model


def asleep(sim: lw.Simulation) -> int:
    """How many bodies sleep."""
    return int(sim.workspace.sleep.asleep.sum())


def started(model: lw.Model, kind: Any = lw.Maximal, *, dt: float = 5e-3, until: float = 2.0, **options: Any) -> Any:
    sim = lw.Simulation(model, kind(dt=dt, **options))
    sim.step(round(until / dt))
    return sim


@both
def test_what_rests_sleeps_and_what_falls_does_not(kind: Any) -> None:
    model = stack()
    model.body("ball", shape=lw.Sphere(0.1), mass=1.0, position=(3.0, 0, 100.0))
    sim = started(model, kind)
    assert asleep(sim) == 4
    assert (np.abs(sim["box 3.velocity"]) == 0.0).all()
    assert sim["ball.velocity"][2] == pytest.approx(-9.81 * 2.0, rel=1e-9)


@both
def test_positions_and_forces_are_those_without_sleep(kind: Any) -> None:
    runs = [lw.simulate(stack(), until=3.0, method=kind(dt=5e-3, sleep=sleep)) for sleep in (True, False)]
    for k in range(4):
        one, two = (run[f"box {k}.position"][-1] for run in runs)
        assert one == pytest.approx(two, abs=1e-7)
        one, two = (run[f"box {k}.contact_force"][-1] for run in runs)
        assert one == pytest.approx(two, abs=1e-3)
    assert runs[0].certificate.doubts() == []


@both
@pytest.mark.parametrize("dt", [1e-3, 5e-3])  # at 20 ms 1e-8 m more at the start are 1 mm at the end, asleep or not
def test_a_blow_wakes_and_does_what_it_does_without_sleep(kind: Any, dt: float) -> None:
    """A ball rolls against the stack after it fell asleep; all move as if the boxes had been awake."""
    ends = []
    for sleep in (True, False):
        model = stack()
        ball = model.body("ball", shape=lw.Sphere(0.1), mass=5.0, position=(-0.95, 0, 0.1), material=lw.Material())
        model.free("rolls", "ground", ball, velocity=(0.5, 0, 0, 0, 5.0, 0))  # it arrives after 1.5 s
        sim = lw.Simulation(model, kind(dt=dt, sleep=sleep))
        sim.step(round(1.4 / dt))
        assert asleep(sim) == (4 if sleep else 0)
        sim.step(round(0.2 / dt))
        assert asleep(sim) == 0
        ends.append([sim[f"{name}.position"] for name in ("box 0", "box 1", "box 2", "box 3", "ball")])
    assert abs(ends[1][0][0]) > 1e-4  # the lowest box was moved
    assert np.array(ends[0]) == pytest.approx(np.array(ends[1]), abs=1e-6)


def test_those_that_were_woken_sleep_again() -> None:
    model = stack()
    at = (0, 0, 0.86 + 0.5 * 9.81 * 1.5**2)
    model.body("late", shape=lw.Box((0.1,) * 3), mass=1.0, position=at, material=lw.Material(friction=0.5))
    sim = started(model, until=1.4)
    assert asleep(sim) == 4
    sim.step(40)
    assert asleep(sim) == 0
    sim.step(800)
    assert asleep(sim) == 5


def test_woken_by_another_velocity_or_place() -> None:
    for place in ("velocity", "height"):
        sim = started(stack())
        assert asleep(sim) == 4
        nq = sim.q.size
        if place == "velocity":
            sim.state.y[nq + 6 * 3] = 0.5  # of the topmost box along x
        else:
            sim.state.y[7 * 3 + 2] += 0.1
        sim.step(1)
        assert asleep(sim) == (0 if place == "velocity" else 3)
        moved = sim["box 3.velocity"]
        assert abs(moved[0]) > 0.4 if place == "velocity" else moved[2] == pytest.approx(-9.81 * 5e-3)


def test_drags_wake() -> None:
    sim = started(stack())
    assert asleep(sim) == 4
    sim.drag("box 3", to=(0.0, 0.0, 2.0))
    sim.step(200)
    assert sim["box 3.position"][2] > 0.9
    assert asleep(sim) < 4


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("mass", [1e-6, 1e6])
def test_all_scales_fall_asleep_alike(scale: float, mass: float) -> None:
    """Length times 1000, time times sqrt(1000): after the same number of steps the same ones sleep."""
    dt = 5e-3 * np.sqrt(scale)
    sim = started(stack(side=SIDE * scale, mass=mass), dt=dt, until=2.0 * np.sqrt(scale))
    assert asleep(sim) == 4


def test_what_balances_on_its_edge_stays_awake_and_falls() -> None:
    """A plank turned by 1e-9 rad from standing on its edge: unstable, and slower than epsilon at first."""
    model, material = lw.Model("plank"), lw.Material(friction=0.8)
    model.plane("floor", material=material)
    half = 1e-9 / 2
    tilt = (np.cos(np.pi / 8 + half), 0.0, np.sin(np.pi / 8 + half), 0.0)
    height = SIDE / 2 * np.sqrt(2.0)
    model.body(
        "plank", shape=lw.Box((SIDE, 1.0, SIDE)), mass=1.0, position=(0, 0, height), rotation=tilt, material=material
    )
    sim = lw.Simulation(model, lw.Maximal(dt=5e-3))
    for _ in range(80):
        sim.step(10)
        if asleep(sim):
            break
    assert sim["plank.position"][2] == pytest.approx(SIDE / 2, abs=1e-3)  # it sleeps on its face


def test_soft_ground_moving_ground_and_forces_keep_awake() -> None:
    soft = stack()
    soft.body(
        "cushion",
        shape=lw.Box((SIDE,) * 3),
        mass=1.0,
        position=(1, 0, 0.1),
        material=lw.Material(softness=lw.Soft(stiffness=1e5, damping=1e3)),
    )
    assert asleep(started(soft)) == 4
    pushed = stack(1)
    pushed.force("push", "box 0", (0.1, 0, 0))
    assert asleep(started(pushed)) == 0


def test_sleep_may_be_left_out() -> None:
    assert asleep(started(stack(), sleep=False)) == 0
    assert asleep(started(stack(), solver="sequential")) == 0


def test_a_copy_sleeps_on() -> None:
    sim = started(stack())
    other = sim.copy()
    assert asleep(other) == 4
    for each in (sim, other):
        each.step(50)
    assert (sim.state.y == other.state.y).all()
    assert sim["box 0.contact_force"] == pytest.approx(other["box 0.contact_force"], rel=1e-12)
