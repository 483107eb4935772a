"""A point on a curve or a surface by every method: against closed forms and other equations of the same motion."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import CubicSpline

import linkwork as lw
from known_methods import EXPLICIT
from linkwork.simulation.methods import ALL

g = 9.81
INERTIA = (1e-3, 1e-3, 1e-3)
LEVEL = {"rtol": 1e-12, "atol": 1e-13}
IMPULSE = {name for name, kind in ALL.items() if kind.impulses}


def order_error(method: str, dt: float) -> float:
    """What a method may be off by, of the distance moved: fourth, second or first order."""
    return 1e-9 if method in EXPLICIT else 2.0 * dt if method in IMPULSE else 30.0 * dt**2


def bead(guide, at, name: str = "wire", **options) -> lw.Model:
    """A small body held on a guide of the ground."""
    model = lw.Model("bead")
    body = model.body("bead", mass=0.3, inertia=INERTIA, position=at)
    (model.slot if isinstance(guide, lw.GuideCurve) else model.surface)(name, "ground", body, guide, **options)
    return model


@pytest.mark.parametrize("method", ALL)
def test_a_bead_on_a_ring_is_a_pendulum(method: str) -> None:
    """Also its normal force, and no drift; the arc length is the radius times the angle."""
    dt = 1e-3
    ring = lw.GuideCurve.circle(0.5, normal=(0, -1, 0), start=(0, 0, -1))
    model = bead(ring, (0.5 * math.sin(0.7), 0, -0.5 * math.cos(0.7)))
    run = lw.simulate(model, until=0.3, dt=dt, method=method)
    swing = solve_ivp(lambda t, y: [y[1], -g / 0.5 * math.sin(y[0])], (0, 0.3), [0.7, 0.0], t_eval=run.time, **LEVEL)
    angle, rate = swing.y
    assert run["wire.position"] == pytest.approx(0.5 * angle, abs=order_error(method, dt))
    assert run["wire.velocity"] == pytest.approx(0.5 * rate, abs=10 * order_error(method, dt))
    force = 0.3 * (g * np.cos(angle) + 0.5 * rate**2)
    inward = np.column_stack([-np.sin(angle), 0 * angle, np.cos(angle)])
    assert run["wire.reaction"][:, :3] == pytest.approx(force[:, None] * inward, abs=30 * order_error(method, dt))
    assert np.abs(run["wire.reaction"][:, 3:]).max() < 1e-9
    if method not in IMPULSE:
        assert run.certificate.worst_drift_position < 1e-11


@pytest.mark.parametrize("method", EXPLICIT)
def test_a_spline_against_the_equation_of_its_parameter(method: str) -> None:
    """|C'|^2 u'' + C' . C'' u'^2 = -g C'_z with the spline of another library."""
    x = np.linspace(-1.0, 1.0, 41)
    places = np.column_stack([x, 0.2 * np.sin(3 * x), 0.8 * x**2])
    chords = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(places, axis=0), axis=1))])
    spline = CubicSpline(chords, places)

    def rates(t, y):
        along, bent = spline(y[0], 1), spline(y[0], 2)
        return [y[1], (-g * along[2] - along @ bent * y[1] ** 2) / (along @ along)]

    run = lw.simulate(bead(lw.GuideCurve(places), places[8]), until=0.8, dt=5e-4, method=method)
    parameter = solve_ivp(rates, (0, 0.8), [chords[8], 0.0], **LEVEL).y[0, -1]
    assert run["bead.position"][-1] == pytest.approx(spline(parameter), abs=1e-9)
    assert run.certificate.worst_drift_position < 1e-11
    assert run.certificate.energy_balance_relative < 1e-9


def test_an_ellipse_against_the_equation_of_its_angle() -> None:
    a, b = 0.6, 0.2

    def rates(t, y):
        c, s = math.cos(y[0]), math.sin(y[0])
        m = a * a * s * s + b * b * c * c
        return [y[1], (-g * b * c - (a * a - b * b) * s * c * y[1] ** 2) / m]

    model = bead(lw.GuideCurve.ellipse((a, 0, 0), (0, 0, b)), (a, 0, 0), velocity=0.5)
    run = lw.simulate(model, until=1.5, dt=2.5e-4, method="recursive")
    angle = solve_ivp(rates, (0, 1.5), [0.0, 0.5 / b], **LEVEL).y[0, -1]
    assert run["bead.position"][-1] == pytest.approx((a * math.cos(angle), 0, b * math.sin(angle)), abs=1e-8)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_on_a_cycloid_the_period_is_the_same_for_every_amplitude(share: float) -> None:
    r = 0.25
    w = np.linspace(0.1, 2 * math.pi - 0.1, 400)
    cycloid = lw.GuideCurve(np.column_stack([r * (w - np.sin(w)), 0 * w, r * (np.cos(w) - 1.0)]))
    lowest = cycloid.nearest((math.pi * r, 0, -2 * r))
    start = lowest * (1 - share)
    quarter = math.pi * math.sqrt(r / g)
    run = lw.simulate(bead(cycloid, cycloid.point(start)), until=quarter, dt=quarter / 800, method="recursive")
    assert run["wire.position"][-1] == pytest.approx(lowest, abs=1e-7)
    exact = lowest - (lowest - start) * np.cos(run.time * math.sqrt(g / r) / 2)
    assert run["wire.position"] == pytest.approx(exact, abs=1e-7)


@pytest.mark.parametrize("method", ALL)
def test_a_slot_in_a_turning_arm(method: str) -> None:
    """Centrifugal and Coriolis forces: r = r0 cosh(w t), and a side force 2 m w r'."""
    dt, w = 1e-3, 2.0
    model = lw.Model("arm", gravity=(0, 0, 0))
    arm = model.moving_ground("arm", lw.Motion(axis=(0, 0, 1), angle=lambda t: (w * t, w, 0.0)))
    model.body("bead", mass=0.5, inertia=INERTIA, position=(0.3, 0, 0))
    model.slot("slot", arm, "bead", lw.GuideCurve.line((0, 0, 0), (2, 0, 0)), velocity=0.0)
    run = lw.simulate(model, until=0.3, dt=dt, method=method)
    t = run.time
    assert run["slot.position"] == pytest.approx(0.3 * np.cosh(w * t), abs=order_error(method, dt))
    side = 2 * 0.5 * w * 0.3 * w * np.sinh(w * t)
    found = np.linalg.norm(run["slot.reaction"][:, :3], axis=1)
    assert found == pytest.approx(side, abs=10 * order_error(method, dt))


@pytest.mark.parametrize("method", ALL)
def test_a_scotch_yoke(method: str) -> None:
    """A pin of the crank in a straight slot of the yoke, one row redundant: the yoke is at R cos of the angle."""
    R, dt = 0.2, 1e-3
    model = lw.Model("yoke")
    crank, yoke = (model.body(name, mass=m, inertia=(0.1,) * 3) for name, m in (("crank", 1.0), ("yoke", 2.0)))
    model.revolute("pin", "ground", crank, at=(0, 0, 0), axis=(0, 1, 0), velocity=5.0)
    model.prismatic("rail", "ground", yoke, axis=(1, 0, 0))
    model.slot("slot", yoke, crank, lw.GuideCurve.line((R, 0, -0.3), (R, 0, 0.3)), at_b=(R, 0, 0))
    run = lw.simulate(model, until=0.3, dt=dt, method=method)

    def rates(t, y):
        s, c = math.sin(y[0]), math.cos(y[0])
        return [y[1], -2 * R * R * s * c * y[1] ** 2 / (0.1 + 2 * R * R * s * s)]

    angle = run["pin.position"]
    assert angle[-1] == pytest.approx(
        solve_ivp(rates, (0, 0.3), [0, 5.0], **LEVEL).y[0, -1], abs=order_error(method, dt)
    )
    closed = 1e-6 if method in IMPULSE else 1e-11
    assert run["rail.position"] == pytest.approx(R * (np.cos(angle) - 1.0), abs=closed)
    assert run["slot.position"] == pytest.approx(0.3 - R * np.sin(angle), abs=closed)


@pytest.mark.parametrize("method", ALL)
def test_springs_and_dampers_along_a_slot(method: str) -> None:
    dt, k, c = 5e-4, 50.0, 2.0
    options = {"stiffness": k, "rest": 0.3, "damping": c, "position": 0.6, "velocity": 0.1}
    model = bead(lw.GuideCurve.line((0, 0, 0), (1, 0, 0)), (0.5, 0, 0), **options)
    run = lw.simulate(model, until=0.2, dt=dt, method=method)
    found = solve_ivp(lambda t, y: [y[1], (-k * (y[0] - 0.3) - c * y[1]) / 0.3], (0, 0.2), [0.6, 0.1], **LEVEL)
    assert run["wire.position"][0] == pytest.approx(0.6, abs=1e-12)
    assert run["wire.position"][-1] == pytest.approx(found.y[0, -1], abs=10 * order_error(method, dt))


@pytest.mark.parametrize("method", ALL)
def test_a_point_on_a_sphere_is_a_spherical_pendulum(method: str) -> None:
    """A steady cone: w^2 = g / height; the wall carries m g over the cosine."""
    dt, w = 1e-3, math.sqrt(g / 0.4)
    model = bead(lw.GuideSurface.sphere(0.5), (0.3, 0, -0.4), velocity=(0, 0.3 * w, 0))
    run = lw.simulate(model, until=0.3, dt=dt, method=method)
    t = run.time
    cone = np.column_stack([0.3 * np.cos(w * t), 0.3 * np.sin(w * t), np.full(len(t), -0.4)])
    assert run["wire.position"] == pytest.approx(cone, abs=order_error(method, dt))
    force = np.linalg.norm(run["wire.reaction"][:, :3], axis=1)
    assert force == pytest.approx(np.full(len(t), 0.3 * g * 0.5 / 0.4), abs=20 * order_error(method, dt))


@pytest.mark.parametrize("method", ALL)
def test_all_circles_in_a_parabolic_bowl_take_the_same_time(method: str) -> None:
    """z = c r^2 by heights, which a bicubic spline holds exactly: w^2 = 2 c g."""
    dt, c = 1e-3, 0.8
    w, x = math.sqrt(2 * c * g), np.linspace(-1, 1, 9)
    bowl = lw.GuideSurface.heights(x, x, c * (x[:, None] ** 2 + x**2))
    for r in (0.3, 0.6):
        run = lw.simulate(bead(bowl, (r, 0, c * r * r), velocity=(0, r * w, 0)), until=0.2, dt=dt, method=method)
        t = run.time
        circle = np.column_stack([r * np.cos(w * t), r * np.sin(w * t), np.full(len(t), c * r * r)])
        assert run["wire.position"] == pytest.approx(circle, abs=order_error(method, dt))


@pytest.mark.parametrize("surface", ["cylinder", "plane"])
def test_cylinders_and_planes(surface: str) -> None:
    """On an upright cylinder: a helix, free fall along it. On a slope: g times its sine."""
    if surface == "cylinder":
        model = bead(lw.GuideSurface.cylinder(0.5, (0, 0, 1)), (0.5, 0, 0), velocity=(0, 1.0, 0))
        run = lw.simulate(model, until=0.5, dt=1e-3, method="recursive")
        t = run.time
        exact = np.column_stack([0.5 * np.cos(2 * t), 0.5 * np.sin(2 * t), -g * t**2 / 2])
    else:
        run = lw.simulate(bead(lw.GuideSurface.plane((1, 0, 1)), (0, 0, 0)), until=0.5, dt=1e-3, method="recursive")
        exact = np.outer(g * run.time**2 / 4, (1, 0, -1))
    assert run["bead.position"] == pytest.approx(exact, abs=1e-10)


def test_damping_on_a_surface_acts_against_the_velocity() -> None:
    model = bead(lw.GuideSurface.plane((0, 0, 1)), (0, 0, 0), velocity=(3.0, 4.0, 0), damping=0.6)
    run = lw.simulate(model, until=0.5, dt=1e-3, method="recursive")
    assert run["wire.velocity"][-1] == pytest.approx(np.array((3.0, 4.0, 0)) * math.exp(-0.5 * 0.6 / 0.3), abs=1e-10)


@pytest.mark.parametrize("method", ALL)
def test_a_run_that_leaves_its_guide_is_stopped(method: str) -> None:
    """Named with its time, in each method, also between two samples."""
    rail = bead(lw.GuideCurve.line((0, 0, 0), (0.5, 0, 0)), (0.3, 0, 0), "rail", velocity=2.0)
    with pytest.raises(lw.RunError, match=r"at t = 0.1 s .*slot 'rail' is at 0.52 m, beyond .* 0 to 0.5 m") as told:
        lw.simulate(rail, until=0.2, dt=1e-2, every=4, method=method)
    assert told.value.culprit == "rail"
    x = np.linspace(-1, 1, 5)
    ice = bead(lw.GuideSurface.heights(x, x, np.zeros((5, 5))), (0.3, 0, 0), "ice", velocity=(3.0, 10.0, 0))
    with pytest.raises(
        lw.RunError, match=r"at t = 0.1 s .*surface 'ice' is at y = 1.1 m, beyond its grid from -1 to 1"
    ):
        lw.simulate(ice, until=0.2, dt=1e-2, method=method)


def test_a_start_beyond_the_end_is_named() -> None:
    with pytest.raises(lw.RunError, match=r"at t = 0 s .*slot 'wire' is at 0.8 m, beyond"):
        lw.simulate(bead(lw.GuideCurve.line((0, 0, 0), (0.5, 0, 0)), (0.8, 0, 0.3)), until=0.1, dt=1e-2)


@pytest.mark.parametrize("method", sorted(IMPULSE))
def test_limits_friction_and_motors_along_a_slot(method: str) -> None:
    rail = lw.GuideCurve.line((0, 0, 0), (0.5, 0, 0))
    options = {"velocity": 2.0, "limits": (0, 0.5), "friction": 0.5}
    model = bead(rail, (0.3, 0, 0), **options)
    model.gravity = (0, 0, 0)
    run = lw.simulate(model, until=0.2, dt=1e-3, method=method)
    assert run["wire.velocity"][50] == pytest.approx(2.0 - 0.5 / 0.3 * 0.05, abs=1e-9)
    assert run["wire.position"][-1] == pytest.approx(0.5, abs=1e-6)
    assert run["wire.velocity"][-1] == pytest.approx(0.0, abs=1e-9)
    driven = bead(lw.GuideCurve.circle(0.3, normal=(0, 1, 0)), (0.3, 0, 0))
    driven.motor("drive", "wire", velocity=1.0)
    run = lw.simulate(driven, until=0.1, dt=1e-3, method=method)
    assert np.diff(run["wire.position"][[0, -1]]) == pytest.approx(0.1, abs=1e-4)


def test_closed_curves_count_turns() -> None:
    model = bead(lw.GuideCurve.circle(0.5), (0.5, 0, 0), velocity=10.0)
    run = lw.simulate(model, until=1.0, dt=1e-3, method="recursive")
    assert run["wire.position"] == pytest.approx(10.0 * run.time, abs=1e-5)


@pytest.mark.filterwarnings("ignore:.*are lengths in millimetres")
@pytest.mark.parametrize("method", ALL)
def test_scales(method: str) -> None:
    """The same motion from a millimetre to a kilometre."""
    found = []
    for L in (1e-3, 1.0, 1e3):
        places = [(L * math.cos(x), 0.5 * L * math.sin(x), 0.2 * L * math.sin(2 * x)) for x in np.linspace(0, 6.0, 30)]
        curve = lw.GuideCurve(places)
        model = lw.Model("scaled")
        body = model.body("bead", mass=0.5, inertia=(0.01 * L * L,) * 3, position=curve.point(0.3 * L))
        model.slot("wire", "ground", body, curve)
        run = lw.simulate(model, until=0.1 * math.sqrt(L), dt=1e-3 * math.sqrt(L), method=method)
        found.append(run["wire.position"][-1] / L)
        assert run.certificate.worst_drift_position < (1e-5 if method in IMPULSE else 1e-11) * L
    assert found == pytest.approx([found[1]] * 3, abs=2e-7 if method in IMPULSE else 1e-10)


def test_driven_along_a_slot_and_the_force_of_that() -> None:
    """Kinematics and required forces on an arc length: m (s'' + g dz/ds)."""
    ring = lw.GuideCurve.circle(0.5, normal=(0, -1, 0), start=(0, 0, -1))
    model = lw.Model("driven")
    arm = model.body("arm", mass=0.3, inertia=(1e-9,) * 3, com=(0.5, 0, 0))
    model.revolute("pin", "ground", arm, at=(0, 0, 0), axis=(0, -1, 0), position=-math.pi / 2)
    model.slot("wire", "ground", arm, ring, at_b=(0.5, 0, 0))
    model.motor("drive", "wire", position=lw.Cosine(0.1, frequency=0.5, phase=math.pi, offset=0.1))
    motion = lw.kinematics(model, until=0.5, dt=1e-2)
    turned = np.cos(math.pi * motion.time)
    assert motion["wire.position"] == pytest.approx(0.1 * (1.0 - turned), abs=1e-11)
    forces = lw.required_forces(model, motion, at=["wire"])
    s = motion["wire.position"]
    assert forces["wire.effort"] == pytest.approx(0.3 * (0.1 * math.pi**2 * turned + g * np.sin(s / 0.5)), abs=1e-6)


class Arm(lw.Subsystem):
    def __init__(self) -> None:
        super().__init__()
        self.body("rod", mass=1.0, inertia=(0.01, 0.05, 0.05), com=(0.2, 0, 0))
        self.port("end", "rod")


def test_a_slot_between_subsystems() -> None:
    """A pin of one in a slot of the other, by components and flat."""

    def build() -> lw.Model:
        model = lw.Model("two arms")
        for name, at in (("one", (0, 0, 0)), ("two", (-0.3, 0, 0))):
            model.add(name, Arm())
            start = {"position": 0.3} if name == "one" else {}
            model.revolute(f"{name} pin", "ground", f"{name}.end", at=at, axis=(0, 1, 0), **start)
        rail = lw.GuideCurve.line((-1, 0, 0), (1, 0, 0))
        model.slot("slot", "two.end", "one.end", rail, at_b=(0.4, 0, 0))
        return model

    flat = lw.simulate(build(), until=0.5, dt=1e-3, method="recursive")
    for method in (lw.Components(dt=1e-3), lw.Components(coordinates="joint", dt=1e-3)):
        run = lw.simulate(build(), until=0.5, method=method)
        assert run["slot.position"] == pytest.approx(flat["slot.position"], abs=1e-10)
        assert run["slot.reaction"] == pytest.approx(flat["slot.reaction"], abs=1e-8)


def test_a_slot_is_reset_and_copied() -> None:
    ring = lw.GuideCurve.circle(0.5, normal=(0, -1, 0), start=(0, 0, -1))
    sim = lw.Simulation(bead(ring, (0.3, 0, -0.4), velocity=6.0), method="recursive", dt=1e-3)
    sim.step(800)
    other = sim.copy()
    sim.step(200)
    other.step(200)
    assert sim["wire.position"] > ring.length
    assert sim["wire.position"] == other["wire.position"]
    sim.reset(joints={"wire": 0.4}, velocities={"wire": 1.0})
    assert (sim["wire.position"], sim["wire.velocity"]) == pytest.approx((0.4, 1.0), abs=1e-12)


@pytest.mark.parametrize(
    "method", ["recursive", "absolute", "component", "hybrid", "semi-recursive", "global", "impulse", "maximal"]
)
def test_a_weight_at_a_fraction_of_a_spring(method: str) -> None:
    """Two point masses with a constant mass matrix that the weight couples, as Lagrange has it."""
    part, weight, masses, stiffness, length = 0.3, 0.5, (1.0, 2.0), 300.0, 1.5
    model = lw.Model("line with a weight")
    left = model.body("left", mass=masses[0], inertia=(0.1, 0.1, 0.1))
    right = model.body("right", mass=masses[1], inertia=(0.1, 0.1, 0.1), position=(2.0, 0, 0))
    model.free("left motion", "ground", left, velocity=(0, 1.0, 0, 0, 0, 0))
    model.free("right motion", "ground", right, velocity=(0, -0.5, 0, 0, 0, 0))
    model.spring("line", left, right, stiffness=stiffness, length=length)
    rod = model.body("rod", mass=0)
    model.universal("swivel", left, rod, at=(0, 0, 0), axis=((0, 0, 1), (0, 1, 0)))
    model.slot("reach", rod, right, lw.GuideCurve.line((0, 0, 0), (10.0, 0, 0)))
    model.prismatic("along", rod, model.body("weight", mass=weight, inertia=0, position=(0.6, 0, 0)), axis=(1, 0, 0))
    model.repeater("fraction", "reach", "along", ratio=part)

    share = np.array((1.0 - part, part))
    M = np.diag(masses) + weight * np.outer(share, share)

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        a, b, *_ = y.reshape(4, 3)
        apart = float(np.linalg.norm(b - a))
        pull = stiffness * (apart - length) * (b - a) / apart
        loads = np.array((pull, -pull)) + np.outer(np.array(masses) + weight * share, (0, 0, -9.81))
        return np.concatenate([y[6:], np.linalg.solve(M, loads).ravel()])

    start = np.array((0, 0, 0, 2.0, 0, 0, 0, 1.0, 0, 0, -0.5, 0))
    exact = solve_ivp(rates, (0.0, 0.2), start, rtol=1e-11, atol=1e-12).y[:6, -1].reshape(2, 3)
    dt = 5e-5 if method in ("impulse", "maximal") else 1e-3
    run = lw.simulate(model, until=0.2, dt=dt, every=round(1e-3 / dt), method=method)
    near = {"recursive": 1e-7, "absolute": 1e-7, "component": 1e-7}.get(method, 1e-3)
    assert run["left.position"][-1] == pytest.approx(exact[0], abs=near)
    assert run["right.position"][-1] == pytest.approx(exact[1], abs=near)
    between = (1.0 - part) * run["left.position"] + part * run["right.position"]
    assert run["weight.position"] == pytest.approx(between, abs=1e-8)
