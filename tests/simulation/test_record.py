"""What a run keeps: which columns, how often, and never more than fits in memory."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import four_bar, loop_of, pendulum
from linkwork.simulation import recording

JOINT = ("position", "velocity", "acceleration", "reaction")
BODY = ("position", "rotation", "velocity", "angular_velocity")


def kept(**options: Any) -> lw.Trajectory:
    return lw.simulate(four_bar(), until=0.1, dt=0.01, **options)


def test_everything_by_default() -> None:
    run = kept()
    wanted = {f"{joint}.{quantity}" for joint in ("crank", "coupler", "rocker", "foot") for quantity in JOINT}
    wanted |= {f"{body} bar.{quantity}" for body in ("crank", "coupler", "rocker") for quantity in BODY}
    assert set(run.names) == wanted
    assert run["crank.position"].shape == (11,)
    assert run["rocker.reaction"].shape == (11, 6)
    assert run["crank bar.rotation"].shape == (11, 4)
    assert run.time == pytest.approx(np.linspace(0, 0.1, 11), abs=1e-15)


@pytest.mark.parametrize(
    ("record", "names"),
    [
        ("crank.position", ["crank.position"]),
        ("crank.*", [f"crank.{quantity}" for quantity in JOINT]),
        (["foot.velocity", "c*.rotation"], ["foot.velocity", "crank bar.rotation", "coupler bar.rotation"]),
        (["crank.position", "cr*k.pos*"], ["crank.position"]),
    ],
)
def test_patterns(record: Any, names: list[str]) -> None:
    run = kept(record=record)
    assert sorted(run.names) == sorted(names)
    assert set(run.units) == set(names)
    whole = kept()
    for name in names:
        assert np.array_equal(run[name], whole[name])
    # energy and drift are kept with any columns
    assert np.array_equal(run.energy["total"], whole.energy["total"])


def test_a_pattern_that_fits_nothing_is_refused() -> None:
    with pytest.raises(lw.OptionError, match=r"crnk\.\*"):
        kept(record=["crank.*", "crnk.*"])


def test_columns_of_a_ball_and_a_fixed_joint() -> None:
    model = loop_of("fixed")
    run = lw.simulate(model, until=0.01, dt=0.01)
    assert "joint 0.position" not in run  # a weld has no coordinates, but a reaction
    assert run["joint 0.reaction"].shape == (2, 6)
    assert run["joint 2.position"].shape == (2, 4)
    assert run["joint 2.velocity"].shape == (2, 3)


@pytest.mark.parametrize("every", [2, 3, 10])
def test_every(every: int) -> None:
    whole, thin = kept(), kept(every=every)
    for name in ("crank.position", "rocker.reaction", "coupler bar.position", "time", "energy.balance"):
        assert np.array_equal(thin[name], whole[name][::every]), name
    assert thin.certificate.steps == 10
    assert thin.certificate.settings["every"] == every


def test_until_is_met_exactly() -> None:
    """A dt that does not divide `until` becomes one that does."""
    run = lw.simulate(pendulum(), until=1.0, dt=0.3)
    assert run.time[-1] == pytest.approx(1.0, abs=1e-15)
    assert run.certificate.dt <= 0.3
    assert run.certificate.dt * run.certificate.steps == pytest.approx(1.0, abs=1e-15)


def test_progress_is_told_rising_times() -> None:
    told: list[float] = []
    lw.simulate(pendulum(), until=2.0, dt=1e-3, progress=told.append)
    assert told == sorted(told)
    assert told[-1] == pytest.approx(2.0)
    assert len(told) > 2


def test_a_recording_that_does_not_fit_is_refused_before_it_starts() -> None:
    told: list[float] = []
    with pytest.raises(lw.OptionError) as caught:
        lw.simulate(four_bar(), until=1e5, dt=1e-6, progress=told.append)
    message = str(caught.value)
    assert told == []
    assert re.search(r"[\d.e+]+ GB", message)
    assert re.search(r"every=\d+", message)
    assert "record=" in message


def test_the_remedies_do_help(monkeypatch: pytest.MonkeyPatch) -> None:
    """With little memory left, the advice that is given makes the run fit."""
    monkeypatch.setattr(recording, "free_memory", lambda: 1e6)
    options: dict[str, Any] = {"until": 5.0, "dt": 1e-3}
    with pytest.raises(lw.OptionError) as caught:
        lw.simulate(four_bar(), **options)
    every = int(re.search(r"every=(\d+)", str(caught.value))[1])
    run = lw.simulate(four_bar(), every=every, **options)
    numbers = sum(run[name].size for name in run.names)
    assert 8 * numbers < 0.6e6
    with pytest.raises(lw.OptionError):
        lw.simulate(four_bar(), every=every // 8, **options)


def test_rows_belong_to_their_time() -> None:
    """Velocity and acceleration of a row are the rates of position and velocity around it."""
    run = lw.simulate(four_bar(start={"crank": {"velocity": 3.0}}), until=0.2, dt=1e-3)
    h = 1e-3
    for joint in ("crank", "coupler", "rocker", "foot"):
        q, v, a = (run[f"{joint}.{quantity}"] for quantity in ("position", "velocity", "acceleration"))
        third = np.max(np.abs(np.diff(a))) / h
        assert np.max(np.abs((q[2:] - q[:-2]) / (2 * h) - v[1:-1])) < np.max(np.abs(a)) * h**2 * 20
        assert np.max(np.abs((v[2:] - v[:-2]) / (2 * h) - a[1:-1])) < third * h * 0.1
    x, u = run["coupler bar.position"], run["coupler bar.velocity"]
    assert np.max(np.abs((x[2:] - x[:-2]) / (2 * h) - u[1:-1])) < 20 * np.max(np.abs(u)) * (10 * h) ** 2


def test_quaternions_do_not_jump() -> None:
    """Of the two quaternions of a rotation, the one next to the last row's."""
    model = pendulum(velocity=12.0)
    run = lw.simulate(model, until=2.0, dt=1e-3)
    assert run["pin.position"][-1] > 2 * np.pi
    assert np.max(np.linalg.norm(np.diff(run["bob.rotation"], axis=0), axis=1)) < 0.02
    loop = lw.simulate(loop_of("ball", "joint 0"), until=2.0, dt=1e-3)
    rate = np.max(np.abs(loop["joint 0.velocity"]))
    assert np.max(np.linalg.norm(np.diff(loop["joint 0.position"], axis=0), axis=1)) < rate * 1e-3
    assert np.linalg.norm(loop["joint 0.position"], axis=1) == pytest.approx(np.ones(2001), abs=1e-12)
