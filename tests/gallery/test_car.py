"""The car: its subsystems, its start, its symmetry, its rest."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import car


@pytest.fixture(scope="module")
def run():
    return lw.simulate(car.build(), until=1.5, **car.METHOD)


def test_structure():
    model = car.build()
    report = lw.check(model)
    assert (report.bodies, report.joints, report.loops) == (9, 11, 2)
    assert report.cuts == ["left top", "right top"]  # revolute 1 and 4 of the paper
    # twelve generalised coordinates as in 7.7; lift, turn, two arms and two wheels are free
    assert lw.assemble(model).nv == 12
    assert report.degrees_of_freedom == 6
    # plane loops with a damper that may turn in itself: two rows of each are redundant
    assert {name: len(rows) for name, rows in report.redundant.items()} == {"left top": 2, "right top": 2}
    assert report.total_mass == pytest.approx(585 + 2 * (7.02 + 3.4 + 13.23 + 15))
    # three grounds, as in 7.6, beside those of subsystems that hold nothing
    assert {"ground", "left wheel.ground", "right wheel.ground"} <= set(report.grounds)
    assert isinstance(model.subsystems["left suspension"], car.Suspension)
    assert isinstance(model["left suspension"].damper, lw.Subsystem)


def test_inertias_are_those_of_the_printed_shapes():
    model = car.build()
    ring = model["left wheel.ring"].inertia
    assert ring[0, 0] == pytest.approx(15 * (0.3**2 + 0.29**2) / 2)
    assert ring[1, 1] == pytest.approx(15 * ((0.3**2 + 0.29**2) / 4 + 0.3**2 / 12))
    piston, cylinder = model["left suspension.piston"].inertia, model["left suspension.cylinder"].inertia
    assert piston.diagonal() == pytest.approx(13.23 * np.array([0.0001 / 4 + 0.03, 0.0001 / 4 + 0.03, 0.0001 / 2]))
    assert cylinder[2, 2] == pytest.approx(3.4 * (0.03**2 + 0.026**2) / 2)
    body = model["car body"]
    printed = 585 * body.shape.inertia_per_mass()
    assert body.inertia == pytest.approx(printed, rel=1e-9)  # the printed numbers are those of a box 3 x 0.1 x 0.5


def test_start_closes_although_the_printed_values_are_rounded(run):
    assert run["car body.position"][0] == pytest.approx((0, 0, 0.95), abs=1e-14)
    for side, sign in (("left", -1.0), ("right", 1.0)):
        assert abs(run[f"{side} arm.position"][0]) < 1e-15
        assert run[f"{side} suspension.knee.position"][0] == pytest.approx(-sign * np.pi / 4, abs=1e-12)
        slide = run[f"{side} suspension.damper.slide.position"][0]
        assert slide == pytest.approx((0, 0.6 * np.sqrt(2) - 0.6), abs=1e-12)
        assert run[f"{side} wheel.ring.position"][0] == pytest.approx((sign, 0, 0.35), abs=1e-12)
    assert run.drift["position"][0] < 1e-15


def test_printed_values_given_outright_are_moved_a_little_and_told():
    """All start values as printed: the loop closes by moving some by less than the rounding, and `check` says so."""
    model = lw.Model("half a car", gravity=(0, 0, -9.8))
    Y = (0, 1, 0)

    def hinge(*at):
        return lw.Frame.along(Y, at)

    body, beam, piston, cylinder = (
        model.body(name, mass=10.0, inertia=(1, 1, 1)) for name in ("body", "beam", "piston", "cylinder")
    )
    model.cylindrical("guide", model.ground, body, frame_b=lw.Frame((0, 0, -0.95)), position=(0, 0))
    model.revolute("arm", body, beam, frame_a=hinge(0, 0, -0.6), frame_b=hinge(-0.5, 0, 0), position=0)
    model.revolute("knee", beam, piston, frame_a=hinge(0.2, 0, 0), frame_b=hinge(0, 0, -0.3), position=-0.7854)
    low = lw.Frame((0, 0, -0.3))
    model.cylindrical("slide", piston, cylinder, frame_a=low, frame_b=low, position=(0, 0.2485))
    model.revolute("top", body, cylinder, frame_a=hinge(0.1, 0, 0), frame_b=hinge(0, 0, 0.3), cut=True)
    report = lw.check(model)
    assert report.degrees_of_freedom == 3
    assert any("rounded" in note and "slide" in note for note in report.notes)
    run = lw.simulate(model, until=1e-3, dt=1e-3)
    assert run.drift["position"][0] < 1e-11
    assert run["slide.position"][0] == pytest.approx((0, 0.2485), abs=4e-5)


def test_left_and_right_are_mirror_images(run):
    assert np.abs(run["left arm.position"] + run["right arm.position"]).max() < 1e-12
    left, right = run["left wheel.ring.position"], run["right wheel.ring.position"]
    assert np.abs(left - right * (-1, 1, 1)).max() < 1e-12
    assert np.abs(run["guide.position"][:, 0]).max() < 1e-12  # no turn
    assert np.abs(run["left axle.position"]).max() < 1e-12  # wheels do not spin
    # and so are the forces in the hinges, the redundant ones included
    left, right = run["left top.reaction"], run["right top.reaction"]
    assert np.abs(left - right * (-1, 1, 1, 1, -1, -1)).max() < 1e-6 * np.abs(left).max()


def test_drift_stays_at_round_off(run):
    assert run.drift["position"].max() < 2e-15
    assert run.drift["velocity"].max() < 1e-10
    assert (run.certificate.rank_min, run.certificate.rank_max) == (6, 6)


def test_energy(run):
    # the dampers make the first milliseconds stiff: what Runge-Kutta 4 loses there falls with dt^4
    fine = lw.simulate(car.build(), until=0.2, dt=2.5e-4, every=4)
    coarse = np.abs(run.energy["balance"][: len(fine)]).max()
    assert coarse < 1e-3
    assert coarse / np.abs(fine.energy["balance"]).max() > 4**3.5
    assert np.diff(run.energy["total"]).max() < 1e-3
    assert np.diff(run.energy["dissipated"]).min() >= 0.0


def test_settles_and_stands_on_its_tyres(run):
    z = run["car body.position"][:, 2]
    assert 0.89 < z.min() < z[-1] < z[0]
    assert abs(run["car body.velocity"][-1, 2]) < 0.01
    # the vertical part of both tyres carries the whole car
    weight = 9.8 * sum(body.mass for body in car.build().all_bodies())
    lift = 0.0
    for side, sign in (("left", -1.0), ("right", 1.0)):
        foot = run[f"{side} wheel.ring.position"][-1] - (sign, 0, 0)
        length = np.linalg.norm(foot)
        lift += 4e5 * (0.35 - length) * foot[2] / length
    assert lift == pytest.approx(weight, rel=2e-3)


def test_stands_still_where_it_has_come_to_rest():
    """Static sanity: heavily damped, long enough, all accelerations vanish."""
    run = lw.simulate(car.build(damping=2e4, tyre_damping=1e4), until=4.0, dt=5e-4, every=100)
    assert abs(run["guide.acceleration"][-1, 1]) < 1e-3
    assert abs(run["left arm.acceleration"][-1]) < 1e-3
    assert run.energy["kinetic"][-1] < 1e-6
