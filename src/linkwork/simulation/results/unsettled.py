"""What steps that were cut short left unsettled: the change of their last sweep beside the impulses they carry."""

from __future__ import annotations

import math

import numpy as np

from linkwork.assembly.tables import Floats
from linkwork.formulations.samples import RESIDUAL, Samples

FEW = 3  # rows of steps cut short: fewer tell nothing of the others


class Unsettled:
    """Sums over rows of a method with impulses. A residual says nothing by itself: 1e-3 N s is much for a stone, and
    nothing for a lorry. So it is compared with the largest impulses of the steps."""

    def __init__(self, epsilon: float, grounds: int = 1) -> None:
        self.epsilon, self.grounds = epsilon, grounds  # N s; so many links carry all the others
        self.cut = 0  # rows of steps that were cut short
        self._left = self._beside = 0.0  # N s, sums over these rows
        self._all, self._rows = 0.0, 0  # N s, sum over all rows, and the number of those that carry something

    def add(self, samples: Samples, count: int, dt: float) -> None:
        """Take in further rows of steps of dt seconds."""
        largest = dt * loads(samples, count, self.grounds)
        residual = samples.effort[:count, RESIDUAL]
        cut = residual > self.epsilon
        self.cut += int(cut.sum())
        self._left += float(residual[cut].sum())
        self._beside += float(largest[cut].sum())
        self._all += float(largest.sum())
        self._rows += int((largest > 0.0).sum())

    @property
    def among_cut(self) -> float:
        """What the cut rows left, as a part of their own impulses."""
        return self._left / self._beside if self._beside > 0.0 else math.inf

    def part(self, cut: int, steps: int, worst: float) -> float | None:
        """What `cut` of so many `steps` left, as a part of all impulses; None where no step was cut short.

        Where few of them are among the rows, all are taken to leave the `worst` residual (N s).
        """
        if cut == 0:
            return None
        if not self._all > 0.0:
            return math.inf
        if self.cut < min(FEW, cut):
            return worst * cut / max(steps, 1) / (self._all / self._rows)
        return self._left / self._all


def loads(samples: Samples, count: int, grounds: int) -> Floats:
    """The largest force (N, N m) in each row: of contacts on one moving link, of a drive, of a closed loop."""
    moving = (samples.touch[:count, grounds:], samples.push[:count, grounds:, 3:])
    kinds = (*moving, samples.drive[:count], samples.cut_force[:count])
    each = [np.abs(kind).reshape(count, -1).max(axis=1, initial=0.0) for kind in kinds]
    return np.max(each, axis=0)  # type: ignore[no-any-return]
