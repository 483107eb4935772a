"""IFToMM benchmark A01: the simple pendulum over 10 s."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import pendulum

# x and y (up) at t = 1, 2, ... 10 s
PLACES = [
    (0.9862917511, -0.1650108531),
    (-0.7935661953, -0.6084839304),
    (0.1766517899, -0.9842734097),
    (0.5775636282, -0.8163456715),
    (-0.9423054350, -0.3347543384),
    (0.9994975399, -0.0316964928),
    (-0.9986187792, -0.0525407830),
    (0.9198579831, -0.3922515659),
    (-0.4983737091, -0.8669623095),
    (-0.2750874626, -0.9614192051),
]


@pytest.mark.parametrize(
    ("options", "tolerance"),
    [
        (pendulum.METHOD, 1e-9),
        ({"integrator": "rk4", "dt": 1e-2}, 3e-6),
        ({"integrator": "abm4", "dt": 1e-3}, 1e-8),
        ({"integrator": "adaptive", "dt": 1e-2}, 1e-6),
    ],
)
def test_ten_seconds(options, tolerance):
    run = lw.simulate(pendulum.build(), until=10.0, **options)
    for second, (x, y) in enumerate(PLACES, start=1):
        row = int(np.argmin(np.abs(run.time - second)))
        assert run.time[row] == pytest.approx(second, abs=1e-12)
        assert run["bob.position"][row] == pytest.approx((x, 0.0, y), abs=tolerance)
    # the benchmark's own measure of a good run, J
    assert np.abs(run.energy["total"] - run.energy["total"][0]).max() < 5e-5
