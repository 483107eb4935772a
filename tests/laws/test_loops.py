"""Closed loops stay closed: for a minute, with rows too many, and through positions where the loop folds flat."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from case_choice import rest_long
from known_mechanisms import four_bar, loop_of
from known_methods import EXPLICIT
from measured import EPS, fitted_order, shrinks

PARALLELOGRAM = (1.0, 0.4, 1.0, 0.4)


def fastest(run: lw.Trajectory) -> float:
    """The largest joint velocity of a run, which is what a step is to be compared with."""
    return max(float(np.max(np.abs(run[name]))) for name in run.names if name.endswith(".velocity"))


@pytest.mark.parametrize("until", rest_long([6.0, 60.0], [6.0]))
@pytest.mark.parametrize("method", EXPLICIT)
@pytest.mark.parametrize("kind", ["screw", "universal", "planar"])
def test_no_drift_in_a_minute(kind: str, method: str, until: float) -> None:
    """A step leaves the loop by some part of (rate dt)^5; the correction after it squares that, or reaches rounding."""
    dt = 2.5e-3
    run = lw.simulate(loop_of(kind), until=until, dt=dt, every=120, method=method)
    rate = fastest(run)
    assert run.certificate.worst_drift_position < (rate * dt) ** 10 + 100 * EPS
    # velocities are brought back along the rows as they were before positions moved: off by speed times drift
    assert run.certificate.worst_drift_velocity < rate * (rate * dt) ** 5 + 100 * EPS
    assert run.certificate.rank_min == run.certificate.rank_max
    # and the energy that a run without loops would keep is kept
    assert run.certificate.energy_balance_relative < (rate * dt) ** 4


@pytest.mark.parametrize("until", rest_long([6.0, 60.0], [6.0]))
@pytest.mark.parametrize("method", EXPLICIT)
def test_no_drift_with_redundant_rows(method: str, until: float) -> None:
    dt = 1e-3
    run = lw.simulate(four_bar(start={"crank": {"velocity": 9.0}}), until=until, dt=dt, every=300, method=method)
    assert len(run.certificate.redundant_rows) == 3
    # the crank goes round dozens of times, and an angle of that size has so many digits left
    turned = run["crank.position"][-1]
    assert turned > until / 3 * 2 * np.pi
    assert run.certificate.worst_drift_position < (fastest(run) * dt) ** 10 + 4 * EPS * turned


def test_stabilisation_is_what_holds_it() -> None:
    """Without it the loop opens with dt^4; with it, it does not."""
    found = []
    for dt in (4e-3, 2e-3):
        free = lw.simulate(four_bar(start={"crank": {"velocity": 9.0}}), until=2.0, dt=dt, stabilize=False)
        found.append(free.certificate.worst_drift_position)
    assert found[1] > 1e-6
    assert shrinks(*found, 4, 0.0)


def test_velocity_drift_shrinks_with_the_fifth_power() -> None:
    """It is the position's drift before its correction, times a speed."""
    steps, found = [8e-3, 4e-3, 2e-3], []
    for dt in steps:
        run = lw.simulate(loop_of("universal"), until=0.8, dt=dt)
        found.append(run.certificate.worst_drift_velocity)
    assert fitted_order(steps, found) == pytest.approx(5.0, abs=0.5)


def without_redundancy() -> lw.Model:
    """The same four-bar with a ball and a cylindrical joint for two of its hinges: one freedom, no row too many."""
    plain = four_bar()
    model = lw.Model("four bar")
    for body in plain.bodies.values():
        stand = {"position": body.reference.position, "rotation": body.reference.rotation}
        model.body(body.name, mass=body.mass, inertia=body.inertia, com=body.com, **stand)
    for name, joint in plain.joints.items():
        at, axis = joint.at, joint.axis
        if name == "rocker":
            model.ball(name, joint.a.name, joint.b.name, at=at)
        elif name == "foot":
            model.cylindrical(name, joint.a.name, joint.b.name, at=at, axis=axis)
        else:
            model.revolute(name, joint.a.name, joint.b.name, at=at, axis=axis)
    return model


@pytest.mark.parametrize("method", EXPLICIT)
def test_redundant_rows_change_nothing(method: str) -> None:
    """In the plane the two four-bars are one mechanism: same motion, same forces in the plane."""
    hinges, loose = four_bar(), without_redundancy()
    assert (lw.check(hinges).degrees_of_freedom, lw.check(loose).degrees_of_freedom) == (1, 1)
    assert (lw.check(hinges).redundant_rows, lw.check(loose).redundant_rows) == (3, 0)
    found = []
    for dt in (4e-3, 2e-3):
        a, b = (lw.simulate(model, until=0.8, dt=dt, method=method) for model in (hinges, loose))
        motion = np.max(np.abs(a["crank.position"] - b["crank.position"]))
        forces = np.max(np.abs(a["rocker.reaction"][:, [0, 2]] - b["rocker.reaction"][:, [0, 2]]))
        found.append(max(motion, forces / np.max(np.abs(b["rocker.reaction"]))))
    assert found[0] < 1e-6
    assert shrinks(*found, 3, 1e-12)


@pytest.mark.parametrize("speed", [20.0, 8.0])
def test_parallelogram_through_its_singular_positions(speed: float) -> None:
    """Flat, it could go on as a kite; it stays a parallelogram and keeps its energy, fold after fold."""
    found = []
    for dt in (2e-3, 1e-3):
        run = lw.simulate(four_bar(PARALLELOGRAM, start={"crank": {"velocity": speed}}), until=2.0, dt=dt)
        assert run["crank.position"][-1] > 2 * np.pi  # two folds a turn
        # crank and rocker stay parallel
        assert np.max(np.abs(run["crank.position"] - run["foot.position"])) < 1e-8
        assert run.certificate.worst_drift_position < 1e-13
        found.append(run.certificate.energy_balance_worst)
    assert shrinks(*found, 4, 1e4 * EPS * run.certificate.energy_scale)


def test_started_in_the_singular_position() -> None:
    """Laid out flat, the parallelogram has two ways to go; crank and rocker are told to go the same way."""
    start = {"crank": {"velocity": 9.0}, "foot": {"velocity": 9.0}}
    model = four_bar(PARALLELOGRAM, angle=0.0, start=start)
    report = lw.check(model)
    # one row more depends on the others here, and one freedom more is counted
    assert (report.degrees_of_freedom, report.redundant_rows) == (2, 4)
    run = lw.simulate(model, until=1.0, dt=1e-3)
    assert np.max(np.abs(run["crank.position"] - run["foot.position"])) < 1e-8
    assert run.certificate.energy_balance_relative < (20 * 1e-3) ** 4
    assert run.certificate.rank_min <= run.certificate.rank_max == 2
    # the certificate says when that row came back, and which it is
    first, then = run.certificate.rank_history
    assert (first["time"], first["rank"], then["time"], then["rank"]) == (0.0, 1, 1e-3, 2)
    assert first["redundant"] == run.certificate.redundant_rows
    assert set(first["redundant"]) - set(then["redundant"]) == {"rocker: position along x"}
    assert "rank 1 to 2, changed once, at t = 0.001 s; 4 redundant rows" in run.certificate.lines()[3]


@pytest.mark.parametrize("method", EXPLICIT)
def test_many_loops_sharing_bodies(method: str) -> None:
    """A beam hung on four parallel cranks: three loops through the same two bodies, one freedom."""
    model = lw.Model("beam")
    model.body("beam", mass=2.0, inertia=(0.1, 1.0, 1.0), com=(1.5, 0, 0), position=(0.3, 0, -0.4))
    for i in range(4):
        model.body(f"crank {i}", mass=0.5, inertia=(0.01, 0.02, 0.02), com=(0.15, 0, -0.2), position=(i, 0, 0))
        start = {"velocity": 2.0} if i == 1 else {}
        model.revolute(f"foot {i}", "ground", f"crank {i}", at=(i, 0, 0), axis=(0, 1, 0), **start)
        model.revolute(f"head {i}", f"crank {i}", "beam", at=(i + 0.3, 0, -0.4), axis=(0, 1, 0))
    report = lw.check(model)
    assert (report.degrees_of_freedom, report.loops, report.rows, report.redundant_rows) == (1, 3, 15, 11)
    run = lw.simulate(model, until=2.0, dt=2e-3, method=method)
    for i in range(4):
        assert np.max(np.abs(run[f"foot {i}.position"] - run["foot 0.position"])) < 1e-9
    # a pendulum of one freedom: the beam keeps its direction, so its energy is plain
    moment = 4 * (0.02 + 0.5 * 0.25**2) + 2.0 * 0.5**2
    assert run.energy["kinetic"] == pytest.approx(0.5 * moment * run["foot 0.velocity"] ** 2, rel=1e-9)
    assert run.certificate.energy_balance_relative < (20 * 2e-3) ** 4
