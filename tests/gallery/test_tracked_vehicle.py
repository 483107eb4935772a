"""The tracked vehicle: it goes as fast as its tracks, they stay closed and on their wheels, and it crosses its beam."""

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.bench.driving import SHOES, _ahead, _opening, _shoe_slip
from linkwork.gallery import tracked_vehicle as tracked


def shoes(run):
    places = np.stack([run[f"{name}.position"] for name in SHOES], axis=1)
    return places, _ahead(np.stack([run[f"{name}.rotation"] for name in SHOES], axis=1))


def opening(run):
    """Widest opening of a pin on the way, m."""
    return _opening(*shoes(run))


@pytest.fixture(scope="module")
def run():
    """On level ground, before the beam."""
    return lw.simulate(tracked.build(), until=0.7, **tracked.METHOD)


def test_two_loops_of_forty():
    report = lw.check(tracked.build())
    hull, wheels, arms, forks, loops = 6, 12, 8, 2, 2 * (6 + 39 - 2)
    assert report.degrees_of_freedom == hull + wheels + arms + forks + loops


def ahead_of_it(run, since):
    """How much farther than the hull the sprockets have moved the tracks since then, m."""
    late = run.time >= since
    turned = np.mean([np.ptp(run[f"{side} sprocket axle.position"][late]) for side in tracked.SIDES])
    return turned * tracked.TEETH * tracked.PITCH / (2 * math.pi) - np.ptp(run["hull.position"][late, 0])


def test_it_goes_as_far_as_its_sprockets_move_the_tracks(run):
    between = tracked.PITCH - tracked.LUG[0] - 2 * tracked.BAR  # m: the most that a lug can move between two bars
    assert abs(ahead_of_it(run, 0.3)) < between
    assert run["hull.velocity"][run.time > 0.5, 0].mean() == pytest.approx(0.6, rel=0.1)


def test_shoes_on_the_ground_stand_still(run):
    assert _shoe_slip(shoes(run)[0]) < 5e-3  # of the speed


def test_tracks_stay_closed_and_on_their_wheels(run):
    assert opening(run) < 1e-6
    for side, sign in tracked.SIDES.items():
        for k in range(40):
            beside = run[f"{side} shoe {k + 1}.position"][:, 1] - sign * tracked.TRACK
            assert np.abs(beside).max() < tracked.BESIDE - tracked.DISC / 2 - tracked.LUG[1] / 2 + 1e-3


def test_the_ground_carries_its_weight(run):
    bodies = list(tracked.build().all_bodies())
    pressed = [f"{body.path}.contact_force" for body in bodies if f"{body.path}.contact_force" in run]
    carried = sum(run[name][run.time > 0.3, 2] for name in pressed).mean()  # what they press on each other cancels
    assert carried == pytest.approx(9.81 * sum(body.mass for body in bodies), rel=0.05)


def test_other_numbers_of_shoes():
    model = tracked.build(speed=-0.3, mass=80.0, shoes=39, beam=0.0, tension=300.0)
    assert lw.check(model).degrees_of_freedom == 112
    run = lw.simulate(model, until=0.04, **tracked.METHOD)
    assert run.certificate.worst_drift_position < 1e-8  # of first order: pins move on straight lines in a step
    with pytest.raises(lw.ModelError, match="tracked_vehicle: 30 shoes do not fit"):
        tracked.build(shoes=30)
    with pytest.raises(lw.ModelError, match="tracked_vehicle: shoes"):
        tracked.build(shoes=39.5)


@pytest.mark.long
def test_it_crosses_the_beam():
    run = lw.simulate(tracked.build(), until=tracked.UNTIL, **tracked.METHOD)
    x, _, z = run["hull.position"].T
    assert z.max() > z[0] + 0.05
    assert x[-1] > 3.0
    assert z[-1] == pytest.approx(z[run.time < 1.0].mean(), abs=5e-3)
    assert opening(run) < 1e-5
    assert run.certificate.doubts() == []


@pytest.mark.long
@pytest.mark.parametrize("turn", [0.2, -0.2])
def test_one_track_faster_turns_it(turn):
    run = lw.simulate(tracked.build(beam=0.0, turn=turn), until=2.5, **tracked.METHOD)
    w, x, y, z = run["hull.rotation"][-1]
    heading = np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z))
    assert 0.1 < np.sign(turn) * heading < 2 * 0.2 * 2.5 / (2 * tracked.TRACK)
