"""IFToMM benchmark A02: four-bars in a row, 10 s through ten singular positions (the first example of CD03 is N = 2).

How `recursive` passes them: with the cranks level the loops lose rank, but only at that instant. Steps end on either
side of it, where the pivoted factor of G M^-1 G^T finds the full rank of 2 N again and the accelerations are smooth;
the run steps over the singular instant, the rank stays 2 N in every row, and no branch is changed.
"""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import double_four_bar, n_four_bar

# t: x, y (up), vx, vy of B0, the tip of the first crank
TWO = {
    1.0: (-0.195020302, -0.980799206, -6.676678037, 1.327578325),
    2.0: (0.057815796, 0.998327268, 1.017260137, -0.058912249),
    4.0: (0.117616102, 0.993059138, 1.069039265, -0.126615049),
    5.0: (-0.811310461, -0.584615545, -3.569117397, 4.953105171),
    8.0: (0.251055915, 0.967972586, 1.274312106, -0.330508938),
    10.0: (0.328458112, 0.944518538, 1.423051470, -0.494868845),
}
FORTY = {1.0: (-0.115356881, -0.993324111)}
FORTY_LATER = {5.0: (-0.540190051, -0.841543052), 10.0: (0.180512227, 0.983572741, 1.148441277, -0.210770067)}


def compare(run, table, tolerance):
    tip = n_four_bar.tip(run)
    for t, wanted in table.items():
        row = int(np.argmin(np.abs(run.time - t)))
        assert run.time[row] == pytest.approx(t, abs=1e-9)
        assert tip[row, : len(wanted)] == pytest.approx(wanted, abs=tolerance)


def test_two_windows_for_ten_seconds():
    run = lw.simulate(double_four_bar.build(), until=10.0, **double_four_bar.METHOD)
    compare(run, TWO, 2e-9)
    assert np.count_nonzero(np.diff(np.sign(np.cos(run["foot 0.position"])))) == 10
    assert (run.certificate.rank_min, run.certificate.rank_max) == (4, 4)
    # the measure of the benchmark and of CD03's table: how far the energy strays, J
    assert np.abs(run.energy["total"] - run.energy["total"][0]).max() < 1e-9
    assert run.certificate.worst_drift_position < 1e-12


def test_two_windows_with_coarser_steps():
    run = lw.simulate(double_four_bar.build(), until=10.0, method="recursive", integrator="rk4", dt=5e-3)
    compare(run, TWO, 1e-6)
    assert (run.certificate.rank_min, run.certificate.rank_max) == (4, 4)


def test_forty_windows():
    run = lw.simulate(n_four_bar.build(), until=1.0, **n_four_bar.METHOD)
    compare(run, FORTY, 1e-7)
    assert (run.certificate.rank_min, run.certificate.rank_max) == (80, 80)


@pytest.mark.long
def test_forty_windows_for_ten_seconds():
    run = lw.simulate(n_four_bar.build(), until=10.0, method="recursive", integrator="rk4", dt=1e-2)
    compare(run, FORTY | FORTY_LATER, 1e-6)
    assert (run.certificate.rank_min, run.certificate.rank_max) == (80, 80)


def test_forty_windows_by_hybrid_at_second_order():
    """Through ten singular positions; so long a row of cranks wants a penalty above that of light machines."""
    steps = (1e-2, 5e-3, 2.5e-3)
    errors = []
    for dt in steps:
        run = lw.simulate(n_four_bar.build(), until=10.0, method="hybrid", dt=dt, penalty=1e11, record="coupler 1.*")
        strayed = np.abs(run.energy["total"] - run.energy["total"][0]).max()
        assert strayed < 0.25 * (dt / 1e-2) ** 2  # J
        errors.append(np.abs(n_four_bar.tip(run)[-1] - FORTY_LATER[10.0]).max())
    slopes = np.diff(np.log(errors)) / np.diff(np.log(steps))
    assert np.all(np.abs(slopes - 2.0) < 0.15)
    assert errors[-1] < 2e-5
