"""Velocities before a step of a method with impulses.

A step brings the rates of loops and motors to what they must be at the place where it begins. At its end they are off
by what the rows turn meanwhile, and the next step takes that away, with the force that holds a body on its path
(`behind`). Where no step has left that difference it is put in by hand: before the first step, before one of a new
structure, and in other measure before one of another length. The lag is this difference for 1 s of step.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from linkwork.simulation.starts.driven import behind
from linkwork.simulation.structure.events import SAME
from linkwork.simulation.structure.transfer import seen

if TYPE_CHECKING:
    from linkwork.simulation.stepping.stepper import Stepper


@contextmanager
def lag_applied(stepper: Stepper, lags: dict[str, float] | None) -> Iterator[None]:
    """While this lasts velocities are those before a step with impulses, to which its loads belong."""
    if not stepper.method.impulses:
        yield
        return
    state, moving, h = stepper.state, stepper.moving, stepper.h
    v, shown = state.y[moving.nq : moving.nq + moving.nv], stepper.place()
    stepper.lag[:] = behind(moving, shown, lags, stepper.time, h) / h
    stepper.lag_waits[0] = float(stepper.lag.any())
    v += stepper.lag * h
    yield
    v[:] = shown.v
    state.cut_rate[:] = seen(moving, stepper.time, *shown[:3]).cut_rate[: state.cut_rate.size]


def apply_lag(stepper: Stepper, h: float) -> None:
    """Velocities are those before a step of h: the first one, one of a new structure or of another length."""
    if not stepper.method.impulses:
        return
    moving, last = stepper.moving, stepper.method.last_step(stepper.workspace)
    v = stepper.state.y[moving.nq : moving.nq + moving.nv]
    if stepper.lag_waits[0]:
        v += stepper.lag * h
        stepper.lag_waits[0] = 0.0
    elif last > 0.0 and abs(last - h) > SAME * h:
        v += behind(moving, stepper.place(), None, stepper.time, h)
