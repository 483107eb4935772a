"""Singular positions by rows that hold halfway through a step: every one is passed as `impulse` passes it."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import double_four_bar, n_four_bar


@pytest.mark.parametrize("dt", [5e-3, 2e-3, 1e-3])
def test_double_four_bar(dt: float) -> None:
    """Ten singular positions in ten seconds; energies in J, of 70 that move."""
    runs = {
        name: lw.simulate(double_four_bar.build(), until=10.0, dt=dt, method=name) for name in ("impulse", "maximal")
    }
    lost = {name: run.certificate.energy_balance_worst for name, run in runs.items()}
    assert runs["maximal"].certificate.doubts() == []
    assert lost["maximal"] < 2.5 * lost["impulse"] + 1e-2
    assert runs["maximal"].certificate.drift_relative < 1e-4


@pytest.mark.parametrize("bars", [3, 5])
def test_rows_of_four_bars(bars: int) -> None:
    """All of them are singular at once."""
    run = lw.simulate(n_four_bar.build(n=bars), until=3.0, dt=1e-3, method="maximal")
    assert run.certificate.doubts() == []


def flywheel(ratio: float) -> lw.Model:
    """A slider-crank that a heavy wheel turns by 0.1 rad a step: light and heavy bodies, no singular position."""
    model = lw.Model("flywheel", gravity=(0, 0, 0))
    crank = model.body("crank", mass=ratio, inertia=np.full(3, 0.05 * ratio))
    rod = model.body("rod", mass=1.0, inertia=(0.02, 0.02, 0.02), position=(0.4, 0, 0))
    piston = model.body("piston", mass=0.5, inertia=(0.01, 0.01, 0.01), position=(0.7, 0, 0))
    model.revolute("main", "ground", crank, at=(0, 0, 0), axis=(0, 1, 0), velocity=100.0)
    model.revolute("crank pin", crank, rod, at=(0.1, 0, 0), axis=(0, 1, 0))
    model.revolute("piston pin", rod, piston, at=(0.7, 0, 0), axis=(0, 1, 0))
    model.prismatic("bore", "ground", piston, at=(0.7, 0, 0), axis=(1, 0, 0))
    return model


@pytest.mark.parametrize("ratio", [1.0, 1e3])
def test_fast_turns_lose_no_row(ratio: float) -> None:
    """Small pivots between light and heavy bodies stay what they are."""
    run = lw.simulate(flywheel(ratio), until=0.5, dt=1e-3, method="maximal")
    assert run.certificate.doubts() == []
    assert run.certificate.drift_relative < 1e-3
