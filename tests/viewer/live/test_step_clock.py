"""The clock of the live page, at given times."""

import pytest

from linkwork.viewer.live.step_clock import StepClock


def test_steps_are_due_by_the_clock():
    clock = StepClock(1e-3, 1.0, 100.0)
    assert clock.due(100.0) == 0
    assert clock.due(100.0031) == 3
    clock.done(3, 100.0032)
    assert clock.due(100.0039) == 0
    assert clock.next == pytest.approx(100.004)


def test_twice_the_speed_is_twice_the_steps():
    clock = StepClock(1e-3, 2.0, 0.0)
    assert clock.due(0.0101) == 20


@pytest.mark.parametrize(("ended", "late"), [(0.0019, 0), (0.0021, 1), (0.0035, 2), (0.0041, 3), (0.05, 3)])
def test_a_step_is_late_after_one_more(ended, late):
    """Steps 1, 2, 3 were due at 1, 2 and 3 ms: they are late from 2, 3 and 4 ms on."""
    clock = StepClock(1e-3, 1.0, 0.0)
    clock.done(3, ended)
    assert clock.late == late


def test_who_is_far_behind_goes_on_from_here():
    clock = StepClock(0.01, 1.0, 0.0)
    assert clock.due(0.5) == 1
    assert (clock.late, clock.skipped) == (0, 49)
    clock.done(1, 0.505)
    assert clock.due(0.5051) == 0


def test_the_factor_is_simulated_time_over_time():
    clock = StepClock(0.01, 1.0, 0.0)
    for k in range(1, 61):
        clock.done(1, 0.02 * k)
    assert clock.factor == pytest.approx(0.5, rel=0.05)
