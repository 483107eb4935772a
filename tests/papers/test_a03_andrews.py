"""IFToMM benchmark A03, and the reference solution of the test set for initial value problem solvers."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import andrews

# beta, Theta, gamma, Phi, delta, Omega, epsilon at 0.03 s: rad, rad/s, rad/s2
ANGLES = (
    15.81077119629904,
    -15.75637105984298,
    0.04082224013073101,
    -0.5347301163226948,
    0.5244099658805304,
    0.5347301163226948,
    1.048080741042263,
)
RATES = (
    1139.920302151208,
    -1424.379294994111,
    11.03291221937134,
    19.29337464421385,
    0.5735699284790808,
    -19.29337464421385,
    0.3231791658026955,
)
ACCELERATIONS = (
    -24631.76316945196,
    51850.37701610329,
    324102.5686413781,
    566749.3645176213,
    16743.62929479361,
    -566749.3645176222,
    9826.520791458422,
)

# t: x, y of F, and beta
CRANK = {
    0.005: (0.0068446418, 0.0014665876, 0.2110763859),
    0.01: (-0.0038905524, 0.0058192441, 2.1601131315),
    0.015: (0.0056654344, -0.0041113079, 5.6554297500),
    0.02: (-0.0022744209, 0.0066201971, 8.1849058897),
    0.025: (0.0062747852, -0.0031027520, 12.1071492344),
    0.04: (0.0050861989, -0.0048094262, 24.3753049720),
    0.05: (-0.0052085047, 0.0046766953, 33.8258677670),
}


@pytest.mark.parametrize(
    ("options", "tolerance"),
    [({"integrator": "rk4", "dt": 1e-5}, 5e-9), ({"integrator": "adaptive", "dt": 1e-4, "rtol": 1e-9}, 1e-7)],
)
def test_seven_angles_at_thirty_milliseconds(options, tolerance):
    run = lw.simulate(andrews.build(), until=0.03, method="recursive", **options)
    assert run.time[-1] == pytest.approx(0.03, abs=1e-15)
    assert andrews.angles(run)[-1] == pytest.approx(ANGLES, abs=tolerance)
    assert andrews.rates(run)[-1] == pytest.approx(RATES, rel=1e-6)
    last = [run[f"{joint}.acceleration"][-1] for joint in andrews.JOINTS]
    assert last == pytest.approx(ACCELERATIONS, rel=2e-6)  # all that the published solution itself fulfils


def test_fifty_milliseconds():
    run = lw.simulate(andrews.build(), until=0.05, **andrews.METHOD)
    F = run["FE.position"]  # the frame of FE stands at F
    for t, (x, y, beta) in CRANK.items():
        row = int(np.argmin(np.abs(run.time - t)))
        assert run.time[row] == pytest.approx(t, abs=1e-12)
        assert run["O.position"][row] == pytest.approx(beta, abs=1e-8)
        assert F[row] == pytest.approx((x, y, 0.0), abs=2e-10)
    # the benchmark's measure: T + V - E0 - torque (beta - beta0)
    turned = run["O.position"] - run["O.position"][0]
    assert np.abs(run.energy["total"] - run.energy["total"][0] - 0.033 * turned).max() < 1e-8
    assert (run.certificate.rank_min, run.certificate.rank_max) == (6, 6)
