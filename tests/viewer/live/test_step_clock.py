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


def test_steps_are_taken_ahead_and_the_clock_wakes_with_half_of_the_lead_in_hand():
    clock = StepClock(1e-3, 1.0, 0.0, lead=0.016)
    assert clock.due(0.0) == 16
    clock.done(16, 0.0005)
    assert clock.late == 0
    assert clock.wake(0.0005) == pytest.approx(0.017 - 0.008)
    clock.done(9, clock.wake(0.0005) + 0.008)  # woken 8 ms late: the step of 17 ms ends in its time
    assert clock.late == 0
    long = StepClock(0.02, 1.0, 0.0, lead=0.016)
    assert long.wake(0.0) == pytest.approx(0.004)
    assert (long.due(0.0039), long.due(0.0041)) == (0, 1)


def test_the_lead_grows_while_steps_come_late_and_goes_back():
    clock = StepClock(1e-3, 1.0, 0.0, lead=0.016, most=0.05)
    now = 0.0
    for _ in range(6):
        now = clock.next + 0.01  # each time 10 ms late
        clock.done(1, now)
    assert clock.lead == 0.05
    clock.done(clock.due(now), now)  # what is behind
    late = clock.late
    for _ in range(6000):  # a minute in time
        now += 0.01
        clock.done(clock.due(now), now)
    assert clock.late == late
    assert clock.lead == pytest.approx(0.016, rel=0.3)
    alone = StepClock(1e-3, 1.0, 0.0)
    alone.done(1, 0.5)
    assert alone.lead == 0.0
