"""What steps that were cut short left unsettled: the change of their last sweep beside the impulses they carry."""

from __future__ import annotations

from typing import Any

from linkwork.formulations.samples import ALL_LEFT, STEPS_CUT


def unsettled(effort: Any, steps: int) -> float | None:
    """The part of the impulses that is left, the mean over all steps; None where no step was cut short.

    A residual says nothing by itself: 1e-3 N s is much for a stone, and nothing for a lorry. So the solver compares it
    with the largest impulse among the bodies that it belongs to.

    >>> import numpy as np
    >>> unsettled(np.zeros(12), 100) is None
    True
    """
    return float(effort[ALL_LEFT]) / max(steps, 1) if effort[STEPS_CUT] > 0.0 else None
