"""Methods with impulses and springs that are stiff for their steps, as in machines: what moves keeps its energy."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import cam_valve, stewart, toggle_press

both = pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal], ids=["impulse", "maximal"])
MOST = {"cam valve": 0.05, "toggle press": 3e-3, "stewart": 1e-3}  # of what moved, in half a second at 1 ms


@both
@pytest.mark.filterwarnings("ignore::linkwork.RunWarning")  # the cam, whose spring swings in ten steps, is told
@pytest.mark.parametrize("piece", [cam_valve, toggle_press, stewart])
def test_motors_against_stiff_springs(kind: Any, piece: Any) -> None:
    """By implicit Euler's rule and slopes of the start alone: 0.80, 0.021 and 0.009."""
    model = piece.build()
    run = lw.simulate(model, until=0.5, method=kind(dt=1e-3))
    assert run.certificate.energy_balance_relative < MOST[model.name]


@both
def test_cams_are_of_second_order(kind: Any) -> None:
    off = [
        lw.simulate(cam_valve.build(), until=0.4, method=kind(dt=dt)).certificate.energy_balance_relative
        for dt in (5e-4, 2.5e-4)
    ]
    assert off[0] < 0.01
    assert off[1] < 0.3 * off[0]


@both
def test_two_loads_between_three_springs(kind: Any) -> None:
    """Modes of 1 : sqrt(3) at 16 and 9 steps a period: after a hundred periods both have their energy."""
    model = lw.Model("loads", gravity=(0, 0, 0))
    for k in range(2):
        model.body(f"load {k}", mass=1.0, inertia=(1, 1, 1), position=(k, 0, 0))
        model.prismatic(f"rail {k}", "ground", f"load {k}", axis=(1, 0, 0), position=0.1 * k)
    stiffness = 0.15e6
    model.spring("left", "ground", "load 0", at_a=(-1, 0, 0), stiffness=stiffness, length=1.0)
    model.spring("middle", "load 0", "load 1", stiffness=stiffness, length=1.0)
    model.spring("right", "load 1", "ground", at_b=(2, 0, 0), stiffness=stiffness, length=1.0)
    run = lw.simulate(model, until=1.6, method=kind(dt=1e-3))
    assert np.ptp(run.energy["total"]) < 1e-6 * run.energy["total"][0]
    (doubt,) = run.certificate.doubts()  # nine steps are few: what is recorded swings too far
    assert "springs swing too fast for the step" in doubt
    for sign in (1.0, -1.0):
        mode = run["rail 0.position"] + sign * run["rail 1.position"]
        assert np.abs(mode[-50:]).max() == pytest.approx(0.1, rel=0.1)


@both
@pytest.mark.parametrize("how", ["joint", "line"])
@pytest.mark.parametrize(("steps", "told"), [(60.0, False), (30.0, False), (14.0, True), (8.0, True)])
def test_springs_that_swing_in_few_steps_are_told(kind: Any, how: str, steps: float, told: bool) -> None:
    """Their energy is kept in between; at the recorded places it is too large by h^2 k / 4 m of itself."""
    k = (2.0 * np.pi / (steps * 1e-3)) ** 2
    model = lw.Model("load", gravity=(0, 0, 0))
    load = model.body("load", mass=1.0, inertia=(1, 1, 1))
    own = {"stiffness": k} if how == "joint" else {}
    model.prismatic("rail", "ground", load, axis=(1, 0, 0), position=0.3, **own)
    if how == "line":
        model.spring("spring", "ground", load, at_a=(-10, 0, 0), stiffness=k, length=10.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = lw.simulate(model, until=1.0, method=kind(dt=1e-3))
    certificate = run.certificate
    assert certificate.springs_apart / certificate.energy_scale == pytest.approx(0.25e-6 * k, rel=0.1)
    assert bool(certificate.doubts()) == told
    swing = np.abs(run["rail.position"][500:]).max() / 0.3
    assert swing == pytest.approx(1.0 + 0.125e-6 * k, abs=0.3 * 0.125e-6 * k + 1e-3)
