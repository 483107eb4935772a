"""The Stewart platform: inverse kinematics in closed form, leg forces by virtual work, and the motion under them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import stewart

JACKS = [f"jack {k}" for k in range(6)]
TURNING = {"amplitude": 0.15, "rate": 2.5, "yaw": 0.5}


def test_structure():
    report = lw.check(stewart.build())
    assert (report.bodies, report.joints, report.loops, report.degrees_of_freedom) == (13, 18, 5, 6)
    assert report.redundant_rows == 0
    assert report.total_mass == pytest.approx(1.5 + 12 * 0.1)


@pytest.mark.parametrize("motion", [{}, TURNING])
def test_kinematics_put_the_platform_on_its_path(motion):
    run = lw.kinematics(stewart.build(drive="motor", **motion), until=0.5, dt=0.02)
    frames = [stewart.path(t, **motion) for t in run.time.tolist()]
    assert run["platform.position"] == pytest.approx(np.array([frame.position for frame in frames]), abs=1e-12)
    turned = np.array([lw.Frame(rotation=q).matrix for q in run["platform.rotation"]])
    assert turned == pytest.approx(np.array([frame.matrix for frame in frames]), abs=1e-12)
    rest = stewart.lengths(stewart.HOME)
    for k in range(6):
        exact = [stewart.lengths(frame.position, frame.matrix)[k] for frame in frames]
        assert rest[k] + run[f"leg {k}.position"] == pytest.approx(exact, abs=1e-12)


@pytest.mark.parametrize("motion", [{}, TURNING, {**TURNING, "damping": 0.0}])
def test_leg_forces_are_those_of_virtual_work(motion):
    model = stewart.build(drive="motor", **motion)
    loads = lw.required_forces(model, lw.kinematics(model, until=0.6, dt=0.01), at=JACKS)
    found = np.array([loads[f"{jack}.effort"] for jack in JACKS]).T
    exact = np.array([leg_forces(t, **motion) for t in loads.time.tolist()])
    off = np.abs(found - exact).max(axis=1) / np.abs(exact).max()
    assert off[1:].max() < 1e-9
    assert off[0] < 1e-6  # there are no times before the start: the accelerations of functions are one-sided there


def leg_forces(t, amplitude=0.2, rate=3.0, yaw=0.0, damping=80.0):
    """The virtual work of all forces and inertias is zero for each of the six motions of the platform."""
    wave, speed, bend = math.sin(rate * t), rate * math.cos(rate * t), -(rate**2) * math.sin(rate * t)
    c, s, up = math.cos(yaw * wave), math.sin(yaw * wave), np.array([0.0, 0.0, 1.0])
    turned = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    p, a, omega, alpha = np.add(stewart.HOME, amplitude * wave), amplitude * bend, yaw * speed * up, yaw * bend * up
    g, e, spin = np.array([0, 0, -9.80665]), stewart.OFFSET, stewart.LEG_MASS * (0.03**2 + 0.02**2) / 2
    load = np.concatenate([stewart.MASS * (a - g), stewart.MOMENT * alpha])  # on the six motions
    pushes, drag = [], []
    for foot, head, at_home in zip(
        np.array(stewart.FEET), np.array(stewart.HEADS), np.add(stewart.HOME, stewart.HEADS), strict=True
    ):
        r = turned @ head
        v_head = amplitude * speed + np.cross(omega, r)
        a_head = a + np.cross(alpha, r) + np.cross(omega, np.cross(omega, r))
        length = np.linalg.norm(p + r - foot)
        along = (p + r - foot) / length
        grows = along @ v_head
        d_along = (v_head - grows * along) / length
        grows_faster = along @ a_head + length * d_along @ d_along
        dd_along = (a_head - grows_faster * along - 2 * grows * d_along) / length
        # columns: one for each motion of the platform
        head_moves = np.hstack([np.eye(3), -cross_matrix(r)])
        along_moves = (np.eye(3) - np.outer(along, along)) @ head_moves / length
        load += stewart.LEG_MASS * (e * dd_along - g) @ (e * along_moves)
        load += stewart.LEG_MASS * (a_head - e * dd_along - g) @ (head_moves - e * along_moves)
        # legs turn with their direction, and about it as the first axis of the universal joint makes them
        level = np.cross(up, at_home - foot) / np.linalg.norm(np.cross(up, at_home - foot))
        u, du, q, dq = (level @ x for x in (along, d_along, np.cross(along, d_along), np.cross(along, dd_along)))
        twist = u * q / (1 - u * u)
        d_twist = (du * q + u * dq) / (1 - u * u) + 2 * u * u * du * q / (1 - u * u) ** 2
        torque = 2 * stewart.LEG_MOMENT * np.cross(along, dd_along) + spin * (d_twist * along + twist * d_along)
        leg_turns = cross_matrix(along) @ along_moves
        load += torque @ (leg_turns + np.outer(along, u * level @ leg_turns / (1 - u * u)))
        pushes.append(along @ head_moves)
        drag.append(damping * grows)
    return np.linalg.solve(np.array(pushes).T, load) + drag


def cross_matrix(x):
    return np.cross(np.eye(3), x).T @ -np.eye(3)


@pytest.mark.parametrize("until", [1.0, pytest.param(5.0, marks=pytest.mark.long)])
def test_required_forces_retrace_the_motion(until):
    model = stewart.build(drive="motor")
    motion = lw.kinematics(model, until=until, dt=4e-3)
    loads = lw.required_forces(model, motion, at=JACKS)
    assert loads.certificate.energy_balance_relative < 1e-8
    tables = [lw.Table(loads.time, loads[f"{jack}.effort"], kind="cubic") for jack in JACKS]
    run = lw.simulate(stewart.build(forces=tables), until=until, dt=5e-4, every=8, method="recursive")
    assert run["platform.position"] == pytest.approx(motion["platform.position"], abs=1e-8)
    assert run["platform.rotation"] == pytest.approx(motion["platform.rotation"], abs=1e-8)


def test_servos_keep_it_near_its_path():
    run = lw.simulate(stewart.build(yaw=0.3), until=2.0, **stewart.METHOD)
    wanted = np.array([stewart.path(t, yaw=0.3).position for t in run.time.tolist()])
    assert np.abs(run["platform.position"] - wanted).max() < 3e-3
    assert np.ptp(run["platform.position"], axis=0) == pytest.approx([0.4] * 3, abs=5e-3)
    assert run.certificate.energy_balance_relative < 1e-8


def test_reach_from_a_neighbour():
    system, pose, rest = lw.assemble(stewart.build()), None, stewart.lengths(stewart.HOME)
    for t in np.arange(0.0, 2.1, 0.1).tolist():
        frame = stewart.path(t, yaw=0.5)
        pose = lw.reach(system, {"platform": frame}, near=pose)
        assert pose.error < 1e-12
        assert pose.iterations <= 8
        found = [pose[f"leg {k}"] for k in range(6)]
        assert rest + found == pytest.approx(stewart.lengths(frame.position, frame.matrix), abs=1e-12)


@pytest.mark.parametrize("wrong", [{"drive": "steam"}, {"forces": [1.0] * 5}])
def test_refuses_what_cannot_be_built(wrong):
    with pytest.raises(lw.ModelError, match="stewart"):
        stewart.build(**wrong)
