"""Paths of a body become motions of the joints: against closed forms, between the frames, and driven in a run."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

import linkwork as lw
from known_mechanisms import four_bar
from posed_mechanisms import LOWER, UPPER, arm, jack_lengths, stewart, two_link

TIP = (LOWER, 0, 0)


def line(times: np.ndarray) -> list[tuple[float, float, float]]:
    return [(0.3 + 0.4 * t, 0.0, 0.4 - 0.3 * t) for t in times]


@pytest.mark.parametrize("bend", [1.0, -1.0])
def test_a_straight_line_of_two_links(bend: float) -> None:
    times = np.linspace(0.0, 1.0, 21)
    path = lw.follow(arm(), "hand", line(times), times, at=TIP, near={"joint 1": bend})
    exact = np.array([two_link(x, z, bend) for x, _, z in line(times)])
    for k in range(2):
        table = path[f"joint {k}"]
        assert isinstance(table, lw.Table)
        assert table.kind == "cubic"
        assert table.values == pytest.approx(exact[:, k], abs=1e-12)
        assert np.array_equal(table.times, times)
    assert max(pose.error for pose in path.poses) < 1e-12
    assert max(pose.iterations for pose in path.poses[1:]) <= 5


def test_between_the_frames_the_error_is_of_fourth_order() -> None:
    fine = np.linspace(0.0, 1.0, 1601)
    exact = np.array([two_link(x, z, 1.0)[1] for x, _, z in line(fine)])
    errors = []
    for count in (41, 81):
        times = np.linspace(0.0, 1.0, count)
        table = lw.follow(arm(), "hand", line(times), times, at=TIP, near={"joint 1": 1.0})["joint 1"]
        errors.append(np.abs(CubicSpline(table.times, table.values)(fine) - exact).max())
    assert errors[0] < 1e-5
    assert errors[0] / errors[1] > 12


def test_a_full_turn_of_a_four_bar_keeps_its_branch_and_counts_on() -> None:
    angles = np.linspace(1.0, 1.0 + 2 * math.pi, 41)
    frames = [(0.4 * math.cos(a), 0.0, 0.4 * math.sin(a)) for a in angles]
    path = lw.follow(four_bar(), "coupler bar", frames, angles - 1.0)
    assert path["crank"].values == pytest.approx(angles - 1.0, abs=1e-11)
    assert path["foot"].values[-1] == pytest.approx(0.0, abs=1e-11)
    assert np.abs(np.diff(path["rocker"].values)).max() < 0.3
    assert set(path) == {"crank", "coupler", "rocker", "foot"}


def test_a_platform_along_a_circle() -> None:
    times = np.linspace(0.0, 2.0, 17)
    frames = [lw.Frame((0.1 * math.sin(3 * t), 0.1 * math.cos(3 * t), 1.1), (1, 0, 0, 0.1 * t)) for t in times]
    path = lw.follow(stewart(), "top", frames, times)
    rest = jack_lengths(lw.Frame((0, 0, 1)), 1.0)
    lengths = np.array([jack_lengths(frame, 1.0) - rest for frame in frames])
    for k in range(6):
        assert path[f"jack {k}"].values == pytest.approx(lengths[:, k], abs=1e-13)
    assert len(path["foot 0"]) == 2
    assert len(path["head 5"]) == 4
    assert max(pose.iterations for pose in path.poses) <= 8


def test_motors_drive_the_path() -> None:
    times = np.linspace(0.0, 1.0, 41)
    model = arm()
    path = lw.follow(model, "hand", line(times), times, at=TIP, near={"joint 1": 1.0})
    for k in range(2):
        model.motor(f"drive {k}", f"joint {k}", position=path[f"joint {k}"])
    run = lw.simulate(model, until=1.0, dt=0.005, method="impulse", start=path.poses[0])
    found = np.array(
        [lw.Frame(x, e).point(TIP) for x, e in zip(run["hand.position"], run["hand.rotation"], strict=True)]
    )
    assert found == pytest.approx(np.array(line(run.time)), abs=1e-5)


def test_held_joints_stay() -> None:
    times = np.linspace(0.0, 1.0, 6)
    path = lw.follow(arm(links=3), "hand", [(0.9 + 0.1 * t, 0, 0.5) for t in times], times, at=TIP, hold=["joint 1"])
    assert np.ptp(path["joint 1"].values) == 0.0
    assert np.ptp(path["joint 0"].values) > 0.005


def test_what_cannot_be_reached_is_named_with_its_time() -> None:
    times = np.linspace(0.0, 1.0, 11)
    frames = [(0.7 + 0.4 * t, 0.0, 0.0) for t in times]
    with pytest.raises(lw.RunError, match=r"at t = 0\.6 s body 'hand' of 'arm' stays 0\.04 m away .* out of reach"):
        lw.follow(arm(), "hand", frames, times, at=TIP)
    reach = [math.hypot(UPPER + LOWER * math.cos(e), LOWER * math.sin(e)) for e in 0.1 + 2.1 * times]
    with pytest.raises(lw.RunError, match=r"at t = 0\.4 s body 'hand' .* joint 'joint 1' is at its limit 0\.9 rad"):
        lw.follow(arm(limits=(-0.9, 0.9)), "hand", [(x, 0, 0) for x in reach], times, at=TIP)


def test_a_jump_is_warned_of() -> None:
    turn = two_link(-0.5, 0.3, 1.0)[0] - two_link(0.5, 0.3, 1.0)[0]
    with pytest.warns(lw.RunWarning, match=f"joint 'joint 0' moves by {turn:.3g} rad between 0 and 1 s"):
        lw.follow(arm(), "hand", [(0.5, 0, 0.3), (-0.5, 0, 0.3)], (0.0, 1.0), at=TIP)
    stone = lw.Model("stone")
    stone.body("stone", mass=1.0, inertia=(1, 1, 1))
    turned = lw.Frame(rotation=(math.cos(0.6), math.sin(0.6), 0, 0))
    with pytest.warns(lw.RunWarning, match="joint 'stone free' moves by 1.2 rad between 2 and 3 s"):
        lw.follow(stone, "stone", [lw.Frame(), turned], (2.0, 3.0))


@pytest.mark.parametrize(
    ("body", "frames", "times", "match"),
    [
        ("hnd", [(0.5, 0, 0.3)] * 2, (0, 1), "no body 'hnd'; did you mean 'hand'"),
        ("hand", [(0.5, 0, 0.3)] * 3, (0, 1), "3 frames but 2 times"),
        ("hand", [(0.5, 0, 0.3)] * 3, (0, 2, 1), "times must increase, but 1 follows 2"),
        ("hand", [(0.5, 0, 0.3)] * 2, (0, math.nan), "times must list two finite"),
        ("hand", [(0.5, 0, 0.3)], (0,), "times must list two"),
        ("hand", [(0.5, 0, 0.3), (0.5, math.nan, 0.3)], (0, 1), "target of body 'hand'"),
        ("hand", lw.Frame(), (0, 1), "frames must list"),
        ("hand", [(0.5, 0, 0.3)] * 2, "soon", "times must list"),
    ],
)
def test_bad_input(body: str, frames: object, times: object, match: str) -> None:
    with pytest.raises(lw.OptionError, match=match):
        lw.follow(arm(), body, frames, times, at=TIP)


def test_a_path_tells_what_it_is() -> None:
    path = lw.follow(arm(), "hand", [(0.5, 0, 0.3), (0.55, 0, 0.3)], (0.0, 1.0), at=TIP)
    assert repr(path) == "<Path of body 'hand' of 'arm': 2 poses from 0 to 1 s, 2 joints>"
    assert len({path, path}) == 1
