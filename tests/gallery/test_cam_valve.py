"""The cam and its valve: accelerations of the curve, forces of Newton, and where the tappet leaves the nose."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import cam_valve as valve
from linkwork.gallery.cam_valve import BASE, FLANK, GRAVITY, LIFT, lift
from linkwork.simulation.methods import ALL

MASS = sum(valve.MASS.values())
SPEED, STIFFNESS, PRELOAD = 150.0, 2.5e4, 250.0
IMPULSES = ("impulse", "maximal")


def push(angle, speed):
    """Of the cam on the tappet, N."""
    return MASS * lift(angle, 2) * speed**2 + PRELOAD + STIFFNESS * lift(angle) + MASS * GRAVITY


def close_to(found, wanted, part):
    return found == pytest.approx(wanted, abs=part * np.abs(wanted).max())


def test_structure():
    report = lw.check(valve.build())
    assert (report.bodies, report.loops, report.degrees_of_freedom) == (4, 0, 1)


def test_the_curve_is_smooth():
    begin = math.pi - FLANK
    for place, value, bend in (
        (begin, 0.0, 0.0),
        (math.pi, LIFT, -20 * LIFT / (3 * FLANK**2)),
        (math.pi + FLANK, 0, 0),
    ):
        for side in (-1e-9, 1e-9):
            assert lift(place + side) == pytest.approx(value, abs=1e-15)
            assert lift(place + side, 1) == pytest.approx(0.0, abs=1e-9)
            assert lift(place + side, 2) == pytest.approx(bend, abs=1e-8)
    angle = np.linspace(0, 2 * math.pi, 9)
    h = 1e-6
    assert (lift(angle + h) - lift(angle - h)) / (2 * h) == pytest.approx(lift(angle, 1), abs=1e-11)
    assert (lift(angle + h, 1) - lift(angle - h, 1)) / (2 * h) == pytest.approx(lift(angle, 2), abs=1e-9)
    fine = np.linspace(0, 2 * math.pi, 5001)
    assert lift(fine, 2).min() == pytest.approx(lift(math.pi, 2), rel=1e-12)  # least at the nose
    assert (BASE + lift(fine) + lift(fine, 2)).min() > 0.0  # convex


@pytest.mark.parametrize("curve", ["curve", "points", "function"])
def test_acceleration_is_that_of_the_curve(curve):
    model = valve.build(curve=curve)
    run = lw.simulate(model, until=0.045, dt=1e-4, method="recursive")
    angle, made = run["shaft.position"], model["lobe"].terms[1].curve
    assert angle == pytest.approx(SPEED * run.time, abs=1e-11)
    assert run["guide.position"] == pytest.approx(made(angle), abs=1e-15)
    assert close_to(run["guide.velocity"], made(angle, 1) * SPEED, 1e-12)
    assert close_to(run["guide.acceleration"], made(angle, 2) * SPEED**2, 1e-10)
    # and what is given is the lift itself, as well as a spline can follow the jumps of its third derivative
    assert close_to(run["guide.position"], lift(angle), 1e-12 if curve == "curve" else 1e-6)
    assert close_to(run["guide.acceleration"], lift(angle, 2) * SPEED**2, 1e-10 if curve == "curve" else 1e-2)


@pytest.mark.parametrize("name", [name for name in ALL if name not in IMPULSES])
def test_effort_and_torque(name):
    model = valve.build()
    run = lw.simulate(model, until=0.045, dt=5e-5, every=5, method=name)
    angle = run["shaft.position"]
    assert close_to(run["guide.acceleration"], lift(angle, 2) * SPEED**2, 1e-6)
    pushes = push(angle, SPEED)
    assert close_to(run["lobe.effort"], pushes, 1e-7)
    weight = -model["cam"].mass * GRAVITY * model["cam"].com[2] * np.sin(angle)  # of the cam itself
    assert close_to(run["drive.effort"], lift(angle, 1) * pushes + weight, 1e-6)


@pytest.mark.parametrize("name", IMPULSES)
def test_impulse_methods_within_their_order(name):
    errors = []
    for dt in (4e-5, 2e-5):
        run = lw.simulate(valve.build(), until=0.04, dt=dt, every=round(4e-5 / dt), method=name)
        angle = run["shaft.position"]
        assert run["guide.position"] == pytest.approx(lift(angle), abs=1e-9)
        pushes = push(angle, SPEED)
        errors.append(np.abs(run["lobe.effort"] - pushes)[1:].max() / pushes.max())
    assert errors[1] < 0.6 * errors[0] < 0.01


@pytest.mark.parametrize("spring", [{}, {"stiffness": 4e4, "preload": 180.0}])
def test_the_push_at_the_nose_changes_its_sign_at_the_speed_of_theory(spring):
    speed = valve.nose_speed(**spring)
    for part in (1 - 1e-6, 1 + 1e-6):
        model = valve.build(speed=part * speed, **spring)
        turn = math.pi / (part * speed)
        run = lw.simulate(model, until=turn, dt=turn / 400, method="semi-recursive")
        assert run["shaft.position"][-1] == pytest.approx(math.pi, abs=1e-9)
        assert (run["lobe.effort"][-1] > 0.0) == (part < 1.0)


def flight(speed):
    """Largest distance from the curve, and the angle where it comes back, of a tappet that leaves where nothing pushes.

    Free of the cam it swings as its spring lets it: x = (cosine and sine) - rest.
    """
    angle = np.linspace(math.pi - FLANK, math.pi, 100001)
    left = angle[np.flatnonzero(push(angle, speed) < 0.0)[0]]
    omega, rest = math.sqrt(STIFFNESS / MASS), (PRELOAD + MASS * GRAVITY) / STIFFNESS
    after = np.linspace(0.0, 2.0, 100001)
    swing = omega * after / speed
    x = (lift(left) + rest) * np.cos(swing) + lift(left, 1) * speed / omega * np.sin(swing) - rest
    gap = x - lift(left + after)
    back = np.flatnonzero((gap < 0.0) & (after > 1e-2))[0]
    return float(gap[:back].max()), float(left + after[back])


@pytest.mark.parametrize(("part", "leaves"), [(0.95, False), (1.2, True)])
def test_in_real_contact_the_tappet_leaves_the_cam_beyond_that_speed(part, leaves):
    speed = part * valve.nose_speed()
    model = valve.build(speed=speed, contact=True)
    run = lw.simulate(model, until=4.6 / speed, dt=2e-5, method="impulse")
    angle = run["shaft.position"]
    gap = run["guide.position"] - lift(angle)
    assert gap.min() > -3e-6
    resting = run["tappet.contact_force"][angle < math.pi - FLANK][5:, 2].mean()  # it rattles over the corners
    assert resting == pytest.approx(PRELOAD + MASS * GRAVITY, rel=0.02)
    if not leaves:
        assert gap.max() < 2e-6
        return
    far, back = flight(speed)
    assert gap.max() == pytest.approx(far, rel=0.02)
    flies = (gap > 1e-5) & (angle < back)
    assert run["tappet.contact_force"][flies, 2] == pytest.approx(0.0, abs=1e-9)
    assert angle[flies].max() == pytest.approx(back, abs=0.02)


def test_refuses_what_cannot_be_built():
    with pytest.raises(lw.ModelError, match="cam_valve: curve is 'spline'"):
        valve.build(curve="spline")
