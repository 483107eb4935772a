"""What a certificate makes of its facts: doubts, marks, and what a strict run is held to."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.simulation.results.judging.certificate import Certificate
from random_mechanisms import random_frame


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_drift_is_judged_by_the_size_of_the_model(size: float) -> None:
    good = Certificate(method="absolute", worst_drift_position=0.9e-3 * size, size=size, drift_relative=0.9e-3)
    poor = Certificate(method="absolute", worst_drift_position=1.1e-3 * size, size=size, drift_relative=1.1e-3)
    assert (good.broken(), good.doubts(), "POOR" in str(good)) == ([], [], False)
    assert poor.broken() == ["the loops drift by 0.0011 of the size of the model, more than 0.001"]
    assert poor.doubts() == [
        "the loops drift by 0.0011 of the size of the model; take a smaller dt, or compare with another method"
    ]
    assert poor.lines()[2].endswith(
        f"0.0011 of the size {size:.3g} m - POOR: take a smaller dt, or compare with another method"
    )
    assert poor.broken({"drift": 2e-3}) == []


def test_doubts_name_every_reason_with_what_to_try() -> None:
    facts = {
        "energy_scale": 10.0,
        "energy_balance_worst": 1.0,
        "energy_gained": 2.0,
        "drift_relative": 0.5,
        "cut_short": 21,
        "stopped": "the run of 'x' stopped at t = 1 s: it was interrupted.",
    }
    doubts = Certificate(method="impulse", **facts).doubts()  # type: ignore[arg-type]
    assert doubts[0] == facts["stopped"]
    assert [text.split(";")[0] for text in doubts[1:]] == [
        "the energy balance is off by 0.1 of what moved",
        "friction, stops or contacts gave 0.2 of what moved",
        "the loops drift by 0.5 of the size of the model",
        "21 steps were cut short by their number of sweeps",
    ]
    assert all("take a smaller dt" in text or "give more iterations=" in text for text in doubts[1:])


@pytest.mark.parametrize(
    ("settings", "remedy"),
    [
        ({"stabilize": False}, "stabilize=True"),
        ({"stabilization": None}, "choose a stabilization="),
        ({"penalty": 1e7}, "a larger penalty="),
    ],
)
def test_what_to_try_against_drift_goes_by_the_settings(settings: dict[str, object], remedy: str) -> None:
    made = Certificate(method="some", drift_relative=0.5, size=1.0, settings=settings)
    assert remedy in made.doubts()[0]
    assert remedy in made.lines()[2]


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_numbers_that_are_not_finite_are_in_doubt(bad: float) -> None:
    made = Certificate(method="some", energy_scale=1.0, energy_balance_worst=bad, drift_relative=bad)
    assert len(made.doubts()) == 2
    assert str(made).count("POOR") == 2


def test_a_balance_is_no_small_part_of_an_infinite_energy() -> None:
    assert Certificate(method="impulse", energy_balance_worst=1.0, energy_scale=math.inf).doubts()


@pytest.mark.parametrize("method", ["recursive", "absolute"])
def test_rounding_of_what_is_stored_is_no_loss(method: str) -> None:
    """A frame that is welded to the ground, with springs in it: nothing moves but the last digits."""
    rng = np.random.default_rng(1)
    model = lw.Model("frame")
    for k in range(3):
        place = {"frame_a": random_frame(rng), "frame_b": random_frame(rng)}
        model.body(f"bar {k}", mass=0.9, inertia=(0.1, 0.2, 0.25))
        model.fixed(f"weld {k}", "ground" if k == 0 else f"bar {k - 1}", f"bar {k}", **place)
        model.spring(f"cord {k}", "ground", f"bar {k}", at_a=rng.normal(size=3), at_b=rng.normal(size=3), stiffness=1e7)
    run = lw.simulate(model, until=0.05, dt=1e-3, method=method)
    assert run.energy["springs"][0] > 1e6
    assert run.certificate.doubts() == []
