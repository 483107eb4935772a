"""CD03 Table 3: the PUMA comes back to where it was, its hand pinned to the ground meanwhile.

The paper prints neither the data of its arm nor its torques, so the digits cannot be the same; the error is measured as
there, the distance between the first and the last position of the hand. Theirs grows with dt, ours with dt squared,
since our torques do not jump.
"""

from __future__ import annotations

import pytest

import linkwork as lw
from linkwork.gallery import puma
from measured import fitted_order

# mm after 8 s, as printed: column Hybrid, and column Topological for the step at which Hybrid did not converge
PRINTED = {0.01: 0.34, 0.05: 1.8, 0.1: 3.2}
OURS = {0.01: 0.0184, 0.05: 0.453, 0.1: 1.77}


@pytest.fixture(scope="module")
def errors():
    return {dt: puma.error(lw.simulate(puma.build(), until=8.0, method=lw.Hybrid(dt=dt))) for dt in PRINTED}


@pytest.mark.parametrize("dt", PRINTED)
def test_hybrid_column(errors, dt):
    assert errors[dt] == pytest.approx(OURS[dt], rel=0.05)
    assert errors[dt] < PRINTED[dt]


def test_second_order(errors):
    assert fitted_order(list(errors), list(errors.values())) == pytest.approx(2.0, abs=0.1)


@pytest.mark.parametrize("dt", PRINTED)
def test_recursive_at_the_same_steps(dt):
    run = lw.simulate(puma.build(), until=8.0, method="recursive", dt=dt)
    assert puma.error(run) < 0.05 * OURS[dt]
