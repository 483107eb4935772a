"""The robot: what it is made of, its gears, its rest, and its motion by two methods (VK section 7)."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import kuka


@pytest.fixture(scope="module")
def run():
    return lw.simulate(kuka.build(), until=0.3, method="absolute", dt=1e-3, every=10)


def test_43_bodies_and_95_joints():
    model = kuka.build()
    report = lw.check(model)
    assert (report.bodies, report.joints) == (43, 95)
    kinds = Counter(joint.kind for joint in model.all_joints())
    assert kinds == {"planar": 57, "revolute": 12 + 4, "prismatic": 6 + 2, "screw": 12, "cylindrical": 2}
    # six axes and two fingers; each of the 19 stiff connections has three rows too many
    assert report.degrees_of_freedom == 8
    rows = sum(6 - joint.nv for joint in model.all_joints())
    assert rows - (6 * 43 - 8) > 3 * 19
    assert (report.notes, report.floating) == ([], [])
    assert report.total_mass == pytest.approx(235.0)


def test_stiff_connections_are_three_planes():
    model = kuka.build()
    planes: dict[tuple[str, str], list[lw.Joint]] = {}
    for joint in model.all_joints():
        if joint.kind == "planar":
            planes.setdefault((joint.a.path, joint.b.path), []).append(joint)
    assert len(planes) == 19
    for joints in planes.values():
        axes = np.array([joint.axis for joint in joints])
        assert axes @ axes.T == pytest.approx(np.eye(3))


def test_subsystems_stand_inside_one_another():
    model = kuka.build()
    assert list(model.subsystems) == [*kuka.ARMS, "gripper", "left counterbalance", "right counterbalance"]
    for name in kuka.ARMS:
        assert isinstance(model[name], kuka.Arm)
        assert isinstance(model[f"{name}.drive"], kuka.Drive)
        assert isinstance(model[f"{name}.drive.motor"], kuka.Motor)
        assert isinstance(model[f"{name}.drive.gearbox"], kuka.Gearbox)
    # only what joins parts stands at the top
    assert not model.bodies
    assert not model.forces


def test_lengths():
    """1.57 m from the first axis to the wrist with all arms in line."""
    at = [np.array(axis.at) * (1, 0, 1) for axis in kuka.AXES]
    shoulder, upper, lower = at[1][0] - at[0][0], at[2] - at[1], at[4] - at[2]
    assert shoulder + np.linalg.norm(upper) + np.linalg.norm(lower) == pytest.approx(1.57, abs=1e-3)
    assert at[1][2] == pytest.approx(0.675)


def test_gears(run):
    """The motor turns by the ratio, the ring moves along by its threads and never turns."""
    for name, axis in zip(kuka.ARMS, kuka.AXES, strict=True):
        turn = run[f"{name}.drive.gearbox.axis.position"]
        assert np.ptp(turn) > 0.05
        assert run[f"{name}.drive.motor.bearing.position"] == pytest.approx(axis.ratio * turn, abs=1e-9)
        travel = run[f"{name}.drive.gearbox.guide.position"]
        assert travel == pytest.approx(-kuka.TRAVEL * axis.size / (2 * np.pi) * turn, abs=1e-12)
        # and stays in its housing
        assert np.abs(travel).max() < 0.35 * axis.size


def test_motors_hold_it_against_gravity():
    """Without swing it stays, up to what rings and counterbalances weigh; without gravity it stays exactly."""
    still = lw.simulate(kuka.build(swing=0.0), until=0.5, method="absolute", dt=2e-3, every=25)
    floating = lw.simulate(kuka.build(swing=0.0, gravity=0.0), until=0.1, method="absolute", dt=2e-3, every=25)
    for name in kuka.ARMS:
        assert np.abs(still[f"{name}.drive.gearbox.axis.position"]).max() < 5e-3
        assert np.abs(floating[f"{name}.drive.gearbox.axis.position"]).max() < 1e-13


def test_absolute_and_recursive_agree():
    """No farther apart than their own errors, seen by halving the step."""
    model = kuka.build()
    names = [f"{name}.drive.gearbox.axis.position" for name in kuka.ARMS] + ["gripper.left finger.position"]
    found = {}
    for method in ("absolute", "recursive"):
        for dt in (1e-3, 5e-4):
            run = lw.simulate(model, until=0.04, method=method, dt=dt, every=round(0.01 / dt), record=names)
            found[method, dt] = np.column_stack([run[name] for name in names])
    errors = [np.abs(found[method, 1e-3] - found[method, 5e-4]).max() for method in ("absolute", "recursive")]
    apart = np.abs(found["absolute", 1e-3] - found["recursive", 1e-3]).max()
    assert apart < 2 * sum(errors) + 1e-11
    assert apart < 1e-7
    assert np.abs(found["absolute", 5e-4] - found["recursive", 5e-4]).max() < 0.2 * apart + 1e-11


def test_energy_and_rank(run):
    """Redundant rows come apart between the steps: a method that mistakes them for others loses the energy."""
    assert run.certificate.energy_balance_relative < 1e-7
    assert (run.certificate.rank_min, run.certificate.rank_max) == (250, 250)


def test_drift_is_constant(run):
    first, second = np.array_split(run.drift["position"][1:], 2)
    assert second.max() < 1e-14
    assert second.max() < 2 * first.max()
    assert run.drift["velocity"].max() < 2e-13


def test_other_parameters():
    model = kuka.build(swing=2.0, gravity=1.6)
    run = lw.simulate(model, until=0.02, method="absolute", dt=1e-3)
    assert run.certificate.complete
    assert run.certificate.worst_drift_position < 1e-13
    assert model != kuka.build()


def test_impulses_leave_out_rows_that_the_tree_holds():
    """Mates that other mates imply answer nothing but rounding; taken for rows they would throw the robot about."""
    model = kuka.build()
    exact = lw.simulate(model, until=0.05, dt=1e-3, method="recursive", record="*.position")
    run = lw.simulate(model, until=0.05, dt=1e-3, method="impulse", record="*.position")
    for name in exact.names:
        if name.endswith(".position"):
            assert np.abs(run[name] - exact[name]).max() < 0.03, name
    assert run.certificate.worst_drift_position < 1e-5


def test_modes_and_109_redundant_rows():
    """More redundant hinges change no mode, and the ranks stay right."""
    pytest.importorskip("numba")
    model = kuka.build()
    linear = lw.linearise(model)
    assert (linear.freedom, len(linear.constraints), linear.redundant) == (8, 182, 109)
    for name in ("base", "arm", "wrist"):
        motor = model[f"{name}.drive.motor"]
        bearing = motor["bearing"]
        motor.revolute("second bearing", motor["stator"], motor["rotor"], at=bearing.at, axis=bearing.axis)
    more = lw.linearise(model)
    assert (more.freedom, len(more.constraints), more.redundant) == (8, 197, 124)
    found, wanted = (np.linalg.eigvals(each.A) for each in (more, linear))
    assert np.all(np.abs(found[:, None] - wanted).min(axis=1) < 1e-9 * np.abs(found))
    assert linear.modes().stable
