"""The double four-bar passes its singular positions on the branch it came from."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import double_four_bar


def test_branch_is_kept_through_singular_positions():
    run = lw.simulate(double_four_bar.build(), until=2.0, dt=1e-3)
    level = np.count_nonzero(np.diff(np.sign(np.cos(run["foot 0.position"]))))
    assert level == 2
    for k in (1, 2):
        assert np.abs(run[f"foot {k}.position"] - run["foot 0.position"]).max() < 1e-11
    # the couplers stay level: on the other branches they would turn
    assert np.abs(run["left pin 1.position"] + run["foot 0.position"]).max() < 1e-11
    assert (run.certificate.rank_min, run.certificate.rank_max) == (4, 4)


def test_pins_that_close_loops_report_like_others():
    run = lw.simulate(double_four_bar.build(), until=0.5, dt=1e-3)
    # the coupler does not turn, so the right pin turns by what the crank turns
    assert np.abs(run["right pin 2.position"] - run["foot 2.position"]).max() < 1e-12
    assert np.abs(run["right pin 2.velocity"] - run["foot 2.velocity"]).max() < 1e-11
    assert np.abs(run["right pin 2.acceleration"] - run["foot 2.acceleration"]).max() < 1e-9
    assert run["right pin 2.reaction"].shape == (501, 6)


@pytest.mark.parametrize(("passage", "steps"), [(1.2281593933141062, 400), (0.7143555292929291, 568)])
def test_steps_that_end_on_a_singular_position(passage, steps):
    dt = passage / steps
    run = lw.simulate(double_four_bar.build(), until=round(2.0 / dt) * dt, dt=dt)
    assert np.abs(np.cos(run["foot 0.position"])).min() < 1e-8
    for k in (1, 2):
        assert np.abs(run[f"foot {k}.position"] - run["foot 0.position"]).max() < 1e-9
    assert np.abs(run.energy["balance"]).max() < 1e-7
