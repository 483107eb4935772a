"""The Iltis on its own road: ramp and stairs; ten degrees of freedom; two methods, one motion."""

from __future__ import annotations

import functools
import time

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import iltis, iltis_suspension
from linkwork.simulation.analysis.linear.frequency import Response

CORNERS = [f"{axle} {side}" for axle in ("front", "rear") for side in ("left", "right")]


@functools.lru_cache
def stairs(method: str, dt: float) -> lw.Trajectory:
    return lw.simulate(iltis.build(), until=iltis.UNTIL, method=method, dt=dt, start="equilibrium")


def test_degrees_of_freedom() -> None:
    report = lw.check(iltis.build())
    assert (report.degrees_of_freedom, report.rows, report.redundant_rows) == (10, 8, 0)
    assert report.total_mass == pytest.approx(1260 + 4 * 63.35)
    steered = lw.check(iltis.build(manoeuvre="steer", speed=20.0, gravity=1.6))
    assert steered.degrees_of_freedom == 11
    assert steered.total_mass == pytest.approx(report.total_mass)
    with pytest.raises(lw.OptionError, match="'stairs', 'bump' or 'steer'"):
        iltis.build(manoeuvre="jump")


def test_the_rack_takes_nothing_from_the_car() -> None:
    """Body and rack together have the mass, the centre and the inertia of the benchmark's body."""
    parts = lw.assemble(iltis.build(manoeuvre="steer")).model
    mass, moment, inertia = 0.0, np.zeros(3), np.zeros((3, 3))
    for body in (parts["chassis"], parts["rack"]):
        r = body.reference.point(body.com) - (0, 0, iltis_suspension.HEIGHT)
        mass, moment = mass + body.mass, moment + body.mass * r
        inertia += body.inertia + body.mass * (r @ r * np.eye(3) - np.outer(r, r))
    assert mass == pytest.approx(1260)
    assert moment == pytest.approx(np.zeros(3), abs=1e-9)
    assert inertia == pytest.approx(np.diag([130, 1620, 1670]), abs=1e-9)


def test_up_the_ramp_and_down_the_stairs() -> None:
    run = stairs("recursive", 1e-3)
    x, z = run["chassis.position"][:, 0], run["chassis.position"][:, 2]
    assert x[-1] == pytest.approx(40.0, abs=0.5)  # 5 m/s, held
    level = z[0]
    assert z.max() == pytest.approx(level + 0.8, abs=0.06)
    assert z[-1] == pytest.approx(level, abs=1e-3)
    assert np.abs(run["chassis.position"][:, 1]).max() < 1e-3
    upright = run["flight.acceleration"][:, 2] / 9.81
    assert 4.0 < upright.max() < 7.0  # the paper: up to 5 g
    for corner in CORNERS:
        load = run[f"{corner} tyre.load"]
        assert load.min() == 0.0  # it leaves the road
        assert load.max() > 10e3
        assert run[f"{corner} leaf.length"].min() < 0.106  # and meets the bump stop
    assert run.certificate.energy_balance_worst < 2e-3 * run.certificate.energy_scale


def test_large_steps_give_the_same_drive() -> None:
    fine, coarse = stairs("recursive", 1e-3), stairs("hybrid", 1e-2)
    z = coarse["chassis.position"][:, 2] - fine["chassis.position"][::10, 2]
    assert np.sqrt(np.mean(z**2)) < 0.01
    assert np.abs(z).max() < 0.04
    half = stairs("hybrid", 2.5e-3)["chassis.position"][:, 2] - np.interp(
        stairs("hybrid", 2.5e-3).time, fine.time, fine["chassis.position"][:, 2]
    )
    assert np.sqrt(np.mean(half**2)) < 0.2 * np.sqrt(np.mean(z**2))
    assert coarse.certificate.worst_drift_position < 1e-7


def test_two_implicit_methods_on_the_bump() -> None:
    """The same trapezoidal rule with and without multipliers: the difference is that of their tolerances."""
    model = iltis.build(manoeuvre="bump")
    one, other = (lw.simulate(model, until=1.0, dt=0.01, method=each) for each in ("hybrid", "semi-recursive"))
    assert other["chassis.position"] == pytest.approx(one["chassis.position"], abs=1e-4)
    assert other["front left hub.position"] == pytest.approx(one["front left hub.position"], abs=1e-4)


@pytest.mark.parametrize("method", ["component", "absolute"])
def test_other_methods_on_the_bump(method: str) -> None:
    model = iltis.build(manoeuvre="bump")
    one, other = (lw.simulate(model, until=0.3, dt=1e-3, method=each) for each in ("recursive", method))
    assert np.ptp(one["chassis.position"][:, 2]) > 0.03
    for name in ("chassis.position", "chassis.rotation", "front left hub.position", "rear right hub.position"):
        assert other[name] == pytest.approx(one[name], abs=1e-10), name
    pull = one["front left tie rod.reaction"][:, :3]
    assert other["front left tie rod.reaction"][:, :3] == pytest.approx(pull, abs=1e-6 * np.abs(pull).max())


def ride(shaken: str, law: lw.Cosine | float) -> lw.Model:
    """The car at 5 m/s on a flat road, with a vertical force on one of its bodies."""

    @lw.compiled
    def hold(t, position, rotation, velocity, angular_velocity):
        return (1e4 * (5.0 - velocity[0]), 0.0, 0.0)

    model = iltis.build(manoeuvre="bump", road=lw.FlatRoad(), speed=5.0)
    model.force("drive", "chassis", hold)
    model.force("shaker", shaken, law, axis=(0, 0, 1), frame="world")
    return model


OUTPUTS = ["chassis.position.z", "front left hub.position.z", "rear right hub.position.z"]
HERTZ = np.geomspace(0.3, 30.0, 1000)


@functools.lru_cache
def response(shaken: str) -> Response:
    linear = lw.linearise(ride(shaken, 0.0), at="steady", inputs="shaker", outputs=OUTPUTS)
    begin = time.perf_counter()
    found = linear.frequency_response(HERTZ)
    assert time.perf_counter() - begin < 1.0
    return found


def peaks(gain: np.ndarray) -> list[int]:
    return [k for k in range(1, gain.size - 1) if gain[k] > max(gain[k - 1], gain[k + 1])]


@pytest.mark.parametrize("shaken", ["chassis", "front left hub"])
def test_ride_is_what_a_shaken_run_shows(shaken: str) -> None:
    """At every peak of every output: body and hop of the wheels, with the damping of leaves, shocks and tyres."""
    pytest.importorskip("numba")
    found = response(shaken)
    seen = 0
    for output, column in enumerate(OUTPUTS):
        gain = found.gain[:, output, 0]
        for k in peaks(gain):
            f, force = HERTZ[k], 5.0
            run = lw.simulate(
                ride(shaken, lw.Cosine(force, f)), until=4.0 + 6.0 / f, dt=1e-3, method="recursive", record=[column]
            )
            last = slice(-round(4.0 / f / 1e-3), None)
            t = run.time[last]
            shape = np.array([np.cos(2 * np.pi * f * t), np.sin(2 * np.pi * f * t), np.ones_like(t), t]).T
            cosine, sine = np.linalg.lstsq(shape, run[column][last], rcond=None)[0][:2] / force
            assert abs(cosine - 1j * sine - found.values[k, output, 0]) < 1e-4 * gain[k]
            seen += 1
    assert seen >= 3
