"""What `lw.verify` tries with an FMU: a few steps with its inputs at their start values."""

from __future__ import annotations

from contextlib import closing

import numpy as np

from linkwork.assembly.tables import Floats
from linkwork.errors import ModelError
from linkwork.formats.fmi.imported.fmu_instance import FMUInstance, FMUOrder

STEPS = 20
SOON = 7  # steps before a state is kept

Checks = dict[str, tuple[bool, str]]


def trial(order: FMUOrder) -> Checks:
    """Whether its numbers are finite, repeat, and go on from a state that was kept."""
    checks: Checks = {}
    with closing(FMUInstance(order)) as instance:
        try:
            first = _stepped(instance, order, 0, STEPS + 1)
        except ModelError as error:
            return {"steps": (False, str(error))}
    finite = bool(np.isfinite(first).all())
    span = f"{STEPS} steps of {order.every:g} s"
    checks["numbers"] = (finite, f"all finite in {span}" if finite else f"some are not finite in {span}")
    if order.description.once:
        return checks | {"instances": (True, "a process can have one")}
    with closing(FMUInstance(order)) as one, closing(FMUInstance(order)) as two:
        rows = [np.concatenate([_stepped(each, order, k, 1) for each in (one, two)]) for k in range(STEPS + 1)]
        both = np.array(rows)
        same = np.array_equal(both[:, 0], first, equal_nan=True) and np.array_equal(both[:, 1], first, equal_nan=True)
        checks["repeats"] = (same, "the same bits again, in two instances at once" if same else "another run differs")
    if not order.description.saves:
        return checks | {"states": (True, "it cannot write them: runs with it cannot be copied, saved or resumed")}
    with closing(FMUInstance(order)) as one, closing(FMUInstance(order)) as two:
        _stepped(one, order, 0, SOON)
        two.put_back(one.saved())
        rest = _stepped(two, order, SOON, STEPS + 1 - SOON)
        same = np.array_equal(rest, first[SOON:], equal_nan=True)
        checks["states"] = (same, "go on to the last bit" if same else "a run that goes on from one differs")
    return checks


def _stepped(instance: FMUInstance, order: FMUOrder, begin: int, count: int) -> Floats:
    """Outputs at the next instants, (instant, output)."""
    return np.array([instance.sample((begin + k) * order.every, np.zeros(0)) for k in range(count)])
