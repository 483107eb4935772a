"""The toggle press: its ram by the closed form, its forces by virtual work."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import toggle_press as press
from linkwork.gallery.toggle_press import CRANK, LINK, MASS, RAM, ROD, WIDTH


def test_structure():
    report = lw.check(press.build())
    assert (report.bodies, report.joints, report.loops, report.degrees_of_freedom) == (5, 7, 2, 1)
    assert report.redundant_rows == 6


def test_ram_and_knee_are_where_the_closed_form_has_them():
    speed = 2 * math.pi
    run = lw.kinematics(press.build(drive="motor"), until=1.0, dt=0.01)
    exact = [press.corners(math.pi + speed * t) for t in run.time.tolist()]
    height = [press.ram_height(theta) for _, _, theta in exact]
    assert run["ram.position"][:, 2] == pytest.approx(height, abs=1e-12)
    assert run["lower link.position"][:, [0, 2]] == pytest.approx(np.array([K for _, K, _ in exact]), abs=1e-12)
    assert run["rod.position"][:, [0, 2]] == pytest.approx(np.array([P for P, _, _ in exact]), abs=1e-12)
    assert min(theta for _, _, theta in exact) == pytest.approx(math.radians(2.0), abs=1e-12)


def test_force_ratio_near_the_dead_point():
    """So slow that nothing but the block counts: ram force over crank torque, by virtual work."""
    slow = 1e-5
    model = press.build(angle=-0.55, speed=slow, drive="motor", gravity=0.0)
    loads = lw.required_forces(model, lw.kinematics(model, until=0.54 / slow, dt=0.01 / slow), at=["drive"])
    pushed = -loads["block.force"]
    assert pushed.min() > 5e3
    ratio = pushed / loads["drive.effort"]
    exact = [press.force_ratio(angle) for angle in loads["crank.position"].tolist()]
    assert ratio == pytest.approx(exact, rel=1e-9)
    assert ratio[-1] > 50 * ratio[0]  # a toggle
    # what the textbook says of the links alone: a level push Q at the knee becomes Q / (2 tan theta)
    rows = [-1, -10, -25]
    for row in rows:
        P, K, theta = press.corners(float(loads["crank.position"][row]))
        push = loads["knee pin.reaction"][row, :3]
        along = np.array([K[0] - P[0], 0.0, K[1] - P[1]]) / ROD
        squeeze = np.linalg.norm(push)
        # the rod's push along the way of the knee
        level = squeeze * abs(along @ [math.cos(theta), 0, math.sin(theta)]) / math.cos(theta)
        assert pushed[row] == pytest.approx(level / (2 * math.tan(theta)), rel=1e-9)


@pytest.mark.parametrize("parameters", [{}, {"speed": -9.0, "stiffness": 3e6, "gravity": 1.6}])
def test_crank_torque_over_a_turn_is_that_of_virtual_work(parameters):
    model = press.build(drive="motor", **parameters)
    speed = parameters.get("speed", 2 * math.pi)
    turn = 2 * math.pi / abs(speed)
    loads = lw.required_forces(model, lw.kinematics(model, until=turn, dt=turn / 200), at=["drive"])
    step = 1e-30j  # the derivative of an analytic function is its imaginary part there
    options = {"speed": speed, "stiffness": 1e7, "gravity": 9.81} | parameters
    exact = np.array([energy(phi + step, **options).imag for phi in loads["crank.position"]]) / step.imag
    assert loads["drive.effort"] == pytest.approx(exact, abs=1e-9 * np.abs(exact).max())


def energy(phi, speed, stiffness, gravity):
    """Kinetic (at this speed of the crank) plus potential energy of all but the flywheel, whose own does not change."""
    (x, z), (xa, za) = press.O, press.A
    P = np.array([x - CRANK * np.cos(phi), z + CRANK * np.sin(phi)])
    far = np.sqrt((P[0] - xa) ** 2 + (P[1] - za) ** 2)
    theta = np.arctan((P[0] - xa) / (za - P[1])) - np.arccos((LINK**2 + far**2 - ROD**2) / (2 * LINK * far))
    K = np.array([xa + LINK * np.sin(theta), za - LINK * np.cos(theta)])
    ram = za - 2 * LINK * np.cos(theta)
    # rates by phi
    dP, way = CRANK * np.array([np.sin(phi), np.cos(phi)]), LINK * np.array([np.cos(theta), np.sin(theta)])
    d_theta = ((K - P) @ dP) / ((K - P) @ way)
    dK, d_ram = way * d_theta, 2 * LINK * np.sin(theta) * d_theta
    d_lean = ((K - P)[0] * (dK - dP)[1] - (K - P)[1] * (dK - dP)[0]) / ROD**2
    middles = {"rod": (P + K) / 2, "upper link": (K + press.A) / 2, "lower link": (K + [0, ram]) / 2}
    rates = {"rod": (dP + dK) / 2, "upper link": dK / 2, "lower link": (dK + [0, d_ram]) / 2}
    turns = {"rod": d_lean, "upper link": d_theta, "lower link": d_theta}
    inertia, height = MASS["ram"] * d_ram**2, MASS["ram"] * ram
    for name, length in (("rod", ROD), ("upper link", LINK), ("lower link", LINK)):
        moment = MASS[name] * ((length + WIDTH[name]) ** 2 + WIDTH[name] ** 2) / 12
        inertia += MASS[name] * (rates[name] @ rates[name]) + moment * turns[name] ** 2
        height += MASS[name] * middles[name][1]
    pressed = press.ram_height(press.CLOSED) - RAM + press.PRESSED - (ram - RAM)
    block = 0.5 * stiffness * pressed**2 if pressed.real > 0 else 0.0
    return 0.5 * speed**2 * inertia + gravity * height + block


def test_flywheel_carries_the_press_through_its_stroke():
    run = lw.simulate(press.build(), until=press.UNTIL, **press.METHOD)
    assert run["block.force"].min() == pytest.approx(-4e4, rel=1e-3)  # 4 mm at 1e7 N/m
    assert np.ptp(run["crank.position"]) > 5 * math.pi
    assert run["crank.velocity"].min() > 5.0
    assert run.certificate.energy_balance_relative < 1e-4
    theta = [press.corners(phi)[2] for phi in run["crank.position"].tolist()]
    assert run["ram.position"][:, 2] == pytest.approx([press.ram_height(x) for x in theta], abs=1e-12)


@pytest.mark.parametrize("wrong", [{"drive": "steam"}, {"speed": 0.0}])
def test_refuses_what_cannot_be_built(wrong):
    with pytest.raises(lw.ModelError, match="toggle_press"):
        press.build(**wrong)
