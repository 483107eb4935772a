"""Wheels that roll without slipping, on a plane and on each other, in every method that can.

e    axis of the disc        k   from its centre to the contact point      n   normal of the plane
C, A moments of inertia about the axis and across it                       r   radius
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from measured import Array, body_states, fitted_order
from twins import matrix_of

JOINT = "component in joint coordinates"
EXACT = ("recursive", "absolute", "component", JOINT)
IMPULSES = ("impulse", "maximal")
IMPLICIT = ("hybrid", "semi-recursive", "global")
# m/s: what an iteration leaves of a steady acceleration; natural coordinates go round by the second order of the step
LEFT = {"hybrid": 1e-8, "semi-recursive": 1e-8, "global": 1e-3}
G = 9.81
ON_EDGE = (math.sqrt(0.5), math.sqrt(0.5), 0, 0)  # the axis, z of the body, level along -y


def run_of(model: lw.Model, method: str, dt: float, until: float, **more: Any) -> lw.Trajectory:
    if method == JOINT:
        return lw.simulate(model, until=until, method=lw.Components(coordinates="joint", dt=dt), **more)
    return lw.simulate(model, until=until, method=method, dt=dt, **more)


def on_slope(angle: float, k: float = 0.5, r: float = 0.1) -> lw.Model:
    """A wheel with C = k m r^2 on its edge, on a plane that slopes down along x."""
    model = lw.Model("slope", gravity=(G * math.sin(angle), 0, -G * math.cos(angle)))
    inertia = (0.6 * k * 2.0 * r * r, 0.6 * k * 2.0 * r * r, k * 2.0 * r * r)
    wheel = model.body("wheel", mass=2.0, inertia=inertia, position=(0, 0, r), rotation=ON_EDGE)
    model.rolling("slope", "ground", wheel, radius=r)
    return model


@cache
def leaning(length: float = 1.0, tilt: float = 1.1) -> lw.Model:
    """A disc that leans, turns and wobbles on a table; times by gravity where lengths are in other units."""
    model, r, pace = lw.Model("coin"), 0.1 * length, math.sqrt(1 / length)
    mass = 0.3 * length**3
    coin = model.body("coin", mass=mass, inertia=np.array([0.25, 0.25, 0.5]) * mass * r * r)
    _, k = axes(tilt)
    w = pace * np.array([8.0, 1.0, 6.0])
    place = (0.0, 0.0, r * math.sin(tilt), math.cos(tilt / 2), 0.0, math.sin(tilt / 2), 0.0)
    model.free("flight", "ground", coin, position=place, velocity=(*np.cross(w, -r * k), *w))
    model.rolling("table", "ground", coin, radius=r)
    return model


def axes(tilt: float) -> tuple[Array, Array]:
    """e and k of a disc whose axis leans by `tilt` from z towards x."""
    return np.array([math.sin(tilt), 0, math.cos(tilt)]), np.array([math.cos(tilt), 0, -math.sin(tilt)])


def contact_points(run: lw.Trajectory, r: float = 0.1) -> Array:
    found = []
    for c, q in zip(run["coin.position"], run["coin.rotation"], strict=True):
        e = matrix_of(q)[:, 2]
        m = np.array([0, 0, 1.0]) - e[2] * e
        found.append(c - r * m / np.linalg.norm(m))
    return np.array(found)


# ---- a disc on a plane -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", EXACT + IMPULSES)
def test_down_a_slope(method: str) -> None:
    """g sin / (1 + k); the table pushes up along its normal and back against the slope."""
    a = G * math.sin(0.3) / 1.5
    run = run_of(on_slope(0.3), method, 1e-3, 0.2)
    assert run["wheel.velocity"][-1] == pytest.approx([0.2 * a, 0, 0], abs=1e-12)
    assert run["wheel.angular_velocity"][-1] == pytest.approx([0, 2 * a, 0], abs=1e-11)
    late = 0.5 * a * 0.2 * 1e-3 if method in IMPULSES else 0.0  # whose positions follow the new velocities
    assert run["wheel.position"][-1] == pytest.approx([0.5 * a * 0.04 + late, 0, 0.1], abs=1e-12)
    force = np.array([-0.5 * 2.0 * a, 0, 2.0 * G * math.cos(0.3)])
    assert run["slope.reaction"][-1] == pytest.approx([*force, *np.cross((0, 0, -0.1), force)], abs=1e-10)


@pytest.mark.parametrize("method", IMPLICIT)
def test_down_a_slope_by_implicit_steps(method: str) -> None:
    """A parabola is exact by their rule."""
    a = G * math.sin(0.3) / 1.5
    run = run_of(on_slope(0.3), method, 0.01, 0.2)
    left = LEFT[method]
    assert run["wheel.position"][-1] == pytest.approx([0.5 * a * 0.04, 0, 0.1], abs=left)
    assert run["wheel.velocity"][-1] == pytest.approx([0.2 * a, 0, 0], abs=left)
    assert run["wheel.angular_velocity"][-1] == pytest.approx([0, 2 * a, 0], abs=10 * left)
    force = np.array([-0.5 * 2.0 * a, 0, 2.0 * G * math.cos(0.3)])
    assert run["slope.reaction"][-1] == pytest.approx([*force, *np.cross((0, 0, -0.1), force)], abs=1e3 * left)


@pytest.mark.parametrize("k", [0.4, 0.5, 1.0])
def test_inertia_slows_it_down(k: float) -> None:
    run = run_of(on_slope(0.2, k), "recursive", 0.01, 0.2)
    assert run["wheel.velocity"][-1, 0] == pytest.approx(0.2 * G * math.sin(0.2) / (1 + k), abs=1e-12)


@pytest.mark.parametrize("method", EXACT)
def test_energy_and_rows_are_kept(method: str) -> None:
    run = run_of(leaning(), method, 5e-4, 0.5)
    total = run["energy.total"]
    assert np.abs(total - total[0]).max() < 1e-9 * abs(total[0])
    assert run["drift.position"].max() < 1e-11
    assert run["drift.velocity"].max() < 1e-11
    assert np.ptp(run["coin.position"][:, 2]) > 0.01  # it wobbles


@pytest.mark.parametrize("method", [*EXACT[1:], *IMPULSES])
def test_methods_agree(method: str) -> None:
    model = leaning()
    exact = body_states(run_of(model, "recursive", 1e-3, 0.2), model)[-1]
    if method in EXACT:
        assert body_states(run_of(model, method, 1e-3, 0.2), model)[-1] == pytest.approx(exact, abs=1e-8)
        return
    steps = (1e-3, 5e-4, 2.5e-4)
    errors = [np.abs(body_states(run_of(model, method, dt, 0.2), model)[-1] - exact)[:7].max() for dt in steps]
    assert fitted_order(steps, errors) == pytest.approx(1.0, abs=0.15)
    assert errors[-1] < 2e-3


@pytest.mark.parametrize("method", EXACT)
def test_order_of_convergence(method: str) -> None:
    model, steps = leaning(), (1e-2, 5e-3, 2.5e-3)
    exact = body_states(run_of(model, "recursive", 2e-4, 0.2), model)[-1]
    errors = [np.abs(body_states(run_of(model, method, dt, 0.2), model)[-1] - exact).max() for dt in steps]
    assert fitted_order(steps, errors) == pytest.approx(4.0, abs=0.4)


@pytest.mark.parametrize("method", IMPLICIT)
def test_implicit_steps_are_of_second_order(method: str) -> None:
    """Rows that forbid velocities alone hold at the end of every step, those of positions too."""
    model, steps = leaning(), (2e-3, 1e-3, 5e-4)
    exact = body_states(run_of(model, "recursive", 2e-4, 0.2), model)[-1]
    runs = [run_of(model, method, dt, 0.2) for dt in steps]
    errors = [np.abs(body_states(run, model)[-1] - exact).max() for run in runs]
    assert fitted_order(steps, errors) == pytest.approx(2.0, abs=0.15)
    assert errors[-1] < 2e-4
    for run in runs:
        assert run["drift.position"].max() < 1e-11
        assert run["drift.velocity"].max() < 1e-8
        assert run.certificate.doubts() == []


@pytest.mark.parametrize("method", IMPULSES)
def test_a_leaning_coin_by_impulses(method: str) -> None:
    """Rows of wheels hold halfway through the step: 0.7 mm after 4 s, where they were off by 65 mm at its start."""
    model = leaning()
    exact = run_of(model, "recursive", 1e-3, 4.0)["coin.position"][-1]
    off = [np.linalg.norm(run_of(model, method, dt, 4.0)["coin.position"][-1] - exact) for dt in (4e-4, 2e-4)]
    assert off[1] < 1e-3
    assert off[1] < 0.6 * off[0]


def steady(tilt: float, turn: float | None = None, r: float = 0.1) -> tuple[lw.Model, float]:
    """A homogeneous disc that rolls on a circle, and how fast it goes round, rad/s: `turn`, else so that c rests.

    With the axis at the angle `tilt` to the vertical, n = cos e - sin k and t = e x k level, it turns with
    w = w3 e - turn sin k. Rolling: the centre has the velocity w x (-r k) = -r w3 t, which goes round with `turn` n, so
    its acceleration is r w3 turn (cos k + sin e). The angular momentum C w3 e - A turn sin k goes round as well:
    its rate is turn sin (C w3 - A turn cos) t, which is the moment of the contact force m (acceleration + g n) at r k:
    -m r (r w3 turn sin + g cos) t. So (C + m r^2) w3 turn sin - A turn^2 sin cos + m g r cos = 0.
    """
    m = 0.3
    A, C = 0.25 * m * r * r, 0.5 * m * r * r
    sine, cosine = math.sin(tilt), math.cos(tilt)
    rate = math.sqrt(m * G * r / (A * sine)) if turn is None else turn  # w3 = 0
    w3 = (A * rate**2 * sine - m * G * r) * cosine / ((C + m * r * r) * rate * sine)
    e, k = axes(tilt)
    model = lw.Model("coin")
    coin = model.body("coin", mass=m, inertia=(A, A, C), shape=lw.Cylinder(r, 0.002))
    place = (0.0, 0.0, r * sine, math.cos(tilt / 2), 0.0, math.sin(tilt / 2), 0.0)
    velocity = -r * w3 * np.cross(e, k)
    model.free("flight", "ground", coin, position=place, velocity=(*velocity, *(w3 * e - rate * sine * k)))
    model.rolling("table", "ground", coin, radius=r)
    return model, rate


@pytest.mark.parametrize(("tilt", "turn"), [(0.3, None), (0.8, None), (0.8, 12.0)])
def test_steady_motion(tilt: float, turn: float | None) -> None:
    """It keeps its inclination over 100 turns, and comes back to where it was."""
    model, rate = steady(tilt, turn)
    period = 2 * math.pi / rate
    run = lw.simulate(model, until=100 * period, dt=period / 400, method="recursive", every=50)
    q = run["coin.rotation"]
    cosine = 1 - 2 * (q[:, 1] ** 2 + q[:, 2] ** 2)
    assert np.abs(np.arccos(cosine) - tilt).max() < 1e-8
    speed = np.linalg.norm(run["coin.velocity"], axis=1)
    assert np.abs(speed - speed[0]).max() < 1e-7
    way = 200 * math.pi / rate * speed[0]
    assert np.linalg.norm(run["coin.position"][-1] - run["coin.position"][0]) < 1e-6 * (way + 1.0)
    assert run["drift.position"].max() < 1e-11
    assert run["drift.velocity"].max() < 1e-11


def test_angular_momentum_about_the_contact_point() -> None:
    """Of a point P that moves: dL/dt is the moment of gravity about it less m v_P x v; the table's force has none."""
    h, m, r = 1e-3, 0.3, 0.1
    run = run_of(leaning(), "recursive", h, 0.4)
    P, c, v = contact_points(run), run["coin.position"], run["coin.velocity"]
    spin = []
    for q, w in zip(run["coin.rotation"], run["coin.angular_velocity"], strict=True):
        R = matrix_of(q)
        spin.append(R @ np.diag([0.25, 0.25, 0.5]) @ R.T @ w * m * r * r)
    L = np.cross(c - P, m * v) + np.array(spin)

    def rate(x: Array) -> Array:  # by differences of order 4
        return (x[:-4] - 8 * x[1:-3] + 8 * x[3:-1] - x[4:]) / (12 * h)

    moment = np.cross((c - P)[2:-2], (0, 0, -m * G)) - np.cross(rate(P), m * v[2:-2])
    assert np.abs(moment).max() > 0.05
    assert rate(L) == pytest.approx(moment, abs=1e-6)
    # what rolls has no velocity where it touches
    assert np.abs(v + np.cross(run["coin.angular_velocity"], P - c)).max() < 1e-11
    assert np.abs(P[:, 2]).max() < 1e-11


@pytest.mark.parametrize("length", [1e-3, 1e3])
def test_sizes(length: float) -> None:
    one = run_of(leaning(), "recursive", 1e-3, 0.3)
    other = run_of(leaning(length), "recursive", 1e-3 * math.sqrt(length), 0.3 * math.sqrt(length))
    assert other["coin.position"] / length == pytest.approx(one["coin.position"], abs=1e-10)
    assert other["coin.rotation"] == pytest.approx(one["coin.rotation"], abs=1e-10)
    assert other["drift.position"].max() < 1e-11 * length


# ---- a plane that moves ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", EXACT + IMPLICIT + IMPULSES)
def test_a_disc_on_a_plank_that_is_pulled(method: str) -> None:
    """The plank of mass M has the acceleration F / (M + m k / (1 + k)), the disc k / (1 + k) of it."""
    model = lw.Model("plank")
    plank = model.body("plank", mass=3.0, inertia=(0.1, 0.1, 0.1))
    model.prismatic("floor", "ground", plank, axis=(1, 0, 0))
    disc = model.body("disc", mass=2.0, shape=lw.Cylinder(0.1, 0.02), position=(0, 0, 0.15), rotation=ON_EDGE)
    model.rolling("plank top", plank, disc, radius=0.1, at_a=(0, 0, 0.05))
    model.force("pull", plank, (5.0, 0, 0))
    a = 5.0 / (3.0 + 2.0 / 3.0)
    run = run_of(model, method, 1e-3, 0.2)
    slack = LEFT.get(method, 1e-11)
    assert run["plank.velocity"][-1] == pytest.approx([0.2 * a, 0, 0], abs=slack)
    assert run["disc.velocity"][-1] == pytest.approx([0.2 * a / 3, 0, 0], abs=slack)
    assert run["disc.angular_velocity"][-1] == pytest.approx([0, -0.2 * a * 2 / 3 / 0.1, 0], abs=10 * slack)


@pytest.mark.parametrize("method", EXACT + IMPLICIT)
def test_a_disc_on_a_table_that_is_shaken_and_turned(method: str) -> None:
    """Work that the table puts in is in the ledger; seen from above, a disc on its edge follows by a third."""
    model = lw.Model("table")
    shake = lw.Motion(position=(lw.Cosine(0.05, frequency=2.0), 0, 0))
    table = model.moving_ground("table", shake)
    disc = model.body("disc", mass=2.0, shape=lw.Cylinder(0.1, 0.02), position=(0.05, 0, 0.1), rotation=ON_EDGE)
    model.rolling("top", table, disc, radius=0.1)
    run = run_of(model, method, 1e-3, 0.3)
    move = 0.05 * (np.cos(4 * math.pi * run["time"]) - 1)
    slack = 1e-5 if method in IMPLICIT else 1e-9  # of second order
    assert run["disc.position"][:, 0] == pytest.approx(0.05 + move / 3, abs=slack)
    assert run.certificate.energy_balance_worst < slack


# ---- wheels of mechanisms --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", EXACT + IMPLICIT + IMPULSES)
def test_a_cart_in_a_plane_has_redundant_rows(method: str) -> None:
    """A cart held upright by a planar joint, on two wheels: F / (M + 2 m (1 + k)); heights and sideways slip are held
    twice."""
    model = lw.Model("cart")
    cart = model.body("cart", mass=4.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.1))
    model.prismatic("track", "ground", cart, axis=(1, 0, 0))
    for name, x in (("front", 0.3), ("rear", -0.3)):
        wheel = model.body(name, mass=1.0, shape=lw.Cylinder(0.1, 0.02), position=(x, 0, 0.1), rotation=ON_EDGE)
        model.revolute(f"{name} axle", cart, wheel, at=(x, 0, 0.1), axis=(0, 1, 0))
        model.rolling(f"{name} tyre", "ground", wheel, radius=0.1)
    model.force("push", cart, (3.0, 0, 0))
    a = 3.0 / (4.0 + 2 * 1.5)
    run = run_of(model, method, 1e-3, 0.2)
    slack = LEFT.get(method, 1e-11)
    assert run["cart.velocity"][-1] == pytest.approx([0.2 * a, 0, 0], abs=slack)
    assert run["front.angular_velocity"][-1] == pytest.approx([0, 2.0 * a, 0], abs=10 * slack)
    report = lw.check(model)
    assert (report.degrees_of_freedom, report.position_freedoms, report.redundant_rows) == (1, 3, 4)
    assert report.redundant["front tyre"] == ["lowest point on the plane", "slip along y"]


def friction_wheels(inside: bool, arm: bool) -> lw.Model:
    """Two wheels on shafts in the ground, or the second on an arm that goes round the first; driven by torques."""
    model = lw.Model("friction drive", gravity=(0, 0, 0))
    x = 0.1 if inside else 0.3
    holder: Any = model.ground
    if arm:
        holder = model.body("arm", mass=0.5, inertia=(0.01, 0.01, 0.01))
        model.revolute("pivot", "ground", holder, at=(0, 0, 0), axis=(0, 0, 1), velocity=1.0)
        model.torque("arm drive", "pivot", 0.2)
    first = model.body("first", mass=1.0, inertia=(0.01, 0.01, 0.02))
    second = model.body("second", mass=0.5, inertia=(0.001, 0.001, 0.002), position=(x, 0, 0.01))
    model.revolute("first shaft", "ground", first, at=(0, 0, 0), axis=(0, 0, 1), velocity=2.0)
    model.revolute("second shaft", holder, second, at=(x, 0, 0), axis=(0, 0, 1))
    model.rolling_pair("rims", first, second, radius_a=0.2, radius_b=0.1, inside=inside)
    model.torque("drive", "first shaft", 0.3)
    return model


@pytest.mark.parametrize("arm", [False, True], ids=["fixed", "arm"])
@pytest.mark.parametrize("inside", [False, True], ids=["outside", "inside"])
@pytest.mark.parametrize("method", EXACT + IMPLICIT + IMPULSES)
def test_two_wheels(method: str, inside: bool, arm: bool) -> None:
    """Seen from the arm, speeds are as the radii are (Willis); the torque is shared by inertia and ratio."""
    run = run_of(friction_wheels(inside, arm), method, 2e-3, 0.5)
    sign = 1 if inside else -1
    turning = run["pivot.velocity"] if arm else np.zeros(len(run))
    ratio = run["first shaft.velocity"] - turning
    # impulses hold a row as it is where a step begins
    slack = LEFT.get(method, 1e-9 if method in EXACT or not arm else 5e-2)
    assert run["second.angular_velocity"][:, 2] - turning == pytest.approx(2 * sign * ratio, abs=slack)
    if not arm:
        a = 0.3 / (0.02 + 4 * 0.002)
        assert run["first shaft.velocity"][-1] == pytest.approx(2.0 + 0.5 * a, abs=slack)
        push = run["rims.reaction"][-1]
        assert push[:2] == pytest.approx([0, sign * 2 * a * 0.002 / 0.1 * sign], abs=1e3 * slack)
    elif method in EXACT:
        assert run.certificate.energy_balance_worst < 1e-9


# ---- start, report, refusals -----------------------------------------------------------------------------------------


def test_the_start_is_moved_onto_the_plane() -> None:
    """Positions to where the rim touches, velocities to those that roll; by the least change of what is not given."""
    model = lw.Model("start")
    coin = model.body("coin", mass=0.3, shape=lw.Cylinder(0.1, 0.002), position=(0, 0, 0.13), rotation=(0.8, 0.6, 0, 0))
    model.rolling("table", "ground", coin, radius=0.1)
    run = lw.simulate(model, until=1e-3, dt=1e-3)
    assert abs(contact_points(run)[0, 2]) < 1e-11
    assert np.abs(run["coin.position"][0, :2]).max() < 0.05
    given = lw.Model("given")
    coin = given.body("coin", mass=0.3, shape=lw.Cylinder(0.1, 0.002))
    given.free("flight", "ground", coin, position=(0, 0, 0.13, *ON_EDGE))
    given.rolling("table", "ground", coin, radius=0.1)
    with pytest.raises(lw.ModelError, match=r"'flight' was given 0, 0, 0.13"):
        lw.simulate(given, until=1e-3)
    fast = lw.Model("fast")
    coin = fast.body("coin", mass=0.3, shape=lw.Cylinder(0.1, 0.002))
    fast.free("flight", "ground", coin, position=(0, 0, 0.1, *ON_EDGE), velocity=(1, 0, 0, 0, 5, 0))
    fast.rolling("table", "ground", coin, radius=0.1)
    with pytest.raises(lw.ModelError, match=r"start velocities contradict each other: joint 'flight'"):
        lw.simulate(fast, until=1e-3)


def test_freedoms_of_a_coin() -> None:
    """It can move in three ways, and be led into any place and posture on the table: five."""
    report = lw.check(leaning())
    assert (report.degrees_of_freedom, report.position_freedoms, report.redundant_rows) == (3, 5, 0)
    assert "degrees of freedom: 3 of velocities, 5 of positions (rolling)" in str(report)
    assert report.features == ["loops", "rolling"]


@pytest.mark.parametrize("method", EXACT + IMPLICIT + IMPULSES)
def test_a_disc_that_falls_flat(method: str) -> None:
    model = lw.Model("fall")
    coin = model.body("coin", mass=0.3, shape=lw.Cylinder(0.1, 0.002), rotation=(math.cos(0.6), math.sin(0.6), 0, 0))
    model.rolling("table", "ground", coin, radius=0.1)
    with pytest.raises(lw.RunError, match=r"disc of rolling joint 'table' comes to lie flat") as caught:
        run_of(model, method, 2e-3, 1.0)
    assert 0.05 < caught.value.time < 0.5
    assert np.isfinite(caught.value.state).all()


def test_a_disc_that_starts_flat() -> None:
    model = lw.Model("flat")
    coin = model.body("coin", mass=0.3, shape=lw.Cylinder(0.1, 0.002))
    model.rolling("table", "ground", coin, radius=0.1)
    with pytest.raises(lw.ModelError, match=r"'table': the disc on 'coin' lies flat on the plane of 'ground'"):
        lw.simulate(model, until=0.1)


def test_rolling_cannot_be_left_out() -> None:
    with pytest.raises(lw.OptionError, match=r"'rolling' is nothing that ignore="):
        lw.simulate(leaning(), until=0.1, method="hybrid", ignore="rolling")


def test_kinematics_refuses() -> None:
    model = friction_wheels(inside=False, arm=False)
    model.motor("motor", "first shaft", velocity=1.0)
    with pytest.raises(lw.OptionError, match=r"rolling joint 'rims' ties velocities"):
        lw.kinematics(model, until=0.1, dt=0.01)


def test_posing_leads_a_wheel_anywhere() -> None:
    """Rows of velocities are no rows of positions."""
    model = lw.Model("posed")
    coin = model.body("coin", mass=0.3, shape=lw.Cylinder(0.1, 0.002), position=(0, 0, 0.1), rotation=ON_EDGE)
    model.rolling("table", "ground", coin, radius=0.1)
    pose = lw.reach(model, {"coin": lw.Frame((0.4, -0.3, 0.1), ON_EDGE)})
    assert pose.error < 1e-12


def bad(**changed: Any) -> lw.Model:
    model = lw.Model("bad", gravity=(0, 0, 0))
    a, b = (model.body(name, mass=1.0, shape=lw.Cylinder(0.1, 0.02), position=(x, 0, 0)) for name, x in PLACES)
    model.revolute("left shaft", "ground", a, at=(0, 0, 0), axis=(0, 0, 1))
    free = changed.pop("free", False)
    if not free:
        model.revolute("right shaft", "ground", b, at=(0.3, 0, 0), axis=(0, 0, 1))
    model.rolling_pair("rims", a, b, **{"radius_a": 0.2, "radius_b": 0.1, **changed})
    return model


PLACES = (("left", 0.0), ("right", 0.3))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"radius_a": 0.0}, r"'rims': radius_a is 0 but must be positive"),
        ({"radius_b": -1.0}, r"'rims': radius_b is -1 but must be positive"),
        ({"axis_a": (0, 0, 0)}, r"'rims': axis_a"),
        ({"axis_b": (1, 0, 0)}, r"'rims': the axes of 'left' and 'right' are not parallel"),
        ({"radius_a": 0.25}, r"'rims': the centres of its wheels are 0.3 m apart, their radii add up to 0.35 m"),
        ({"inside": True}, r"are 0.3 m apart, their radii differ by 0.1 m"),
        ({"inside": True, "radius_a": 0.1}, r"inside one of the same radius"),
        ({"inside": 1}, r"inside must be True or False"),
        ({"free": True}, r"'rims': nothing holds the centres of its wheels at their distance"),
        ({"radius": 0.1}, r"radius"),
    ],
)
def test_bad_pairs(changed: dict[str, Any], words: str) -> None:
    with pytest.raises(lw.ModelError, match=words):
        lw.Simulation(bad(**changed))


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"radius": 0}, r"'table': radius is 0 but must be positive"),
        ({"radius": "large"}, r"'table': radius must be"),
        ({"axis": (0, 0, 0)}, r"'table': axis"),
        ({"normal": (0, 0)}, r"'table': normal"),
        ({"at_b": (0, math.nan, 0)}, r"'table': at_b"),
        ({"a": "coin"}, r"'coin' to itself"),
        ({"size": 1}, r"size"),
    ],
)
def test_bad_discs(changed: dict[str, Any], words: str) -> None:
    model = lw.Model("bad")
    model.body("coin", mass=0.3, shape=lw.Cylinder(0.1, 0.002))
    options = {"a": "ground", "radius": 0.1, **changed}
    with pytest.raises(lw.ModelError, match=words):
        model.rolling("table", options.pop("a"), "coin", **options)
