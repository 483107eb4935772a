"""What steps that were cut short left unsettled: the change of their last sweep beside the impulses they carry."""

from __future__ import annotations

import numpy as np

from linkwork.assembly.tables import Floats
from linkwork.formulations.record import Rows

FEW = 10  # rows of steps cut short: fewer tell nothing of the others


class Unsettled:
    """Sums over rows of a method with impulses. A residual says nothing by itself: 1e-3 N s is much for a stone, and
    nothing for a lorry. So it is compared with the largest impulse of its own step."""

    def __init__(self, epsilon: float) -> None:
        self.epsilon = epsilon  # N s
        self.cut = 0  # rows of steps that were cut short
        self._left = self._beside = 0.0  # N s, sums over these rows
        self._all, self._rows = 0.0, 0  # N s, sum over all rows that carry something, and their number

    def add(self, rows: Rows, count: int, dt: float) -> None:
        """Take in further rows of steps of dt seconds."""
        largest = dt * loads(rows, count)
        residual = rows.effort[:count, 1]
        cut = residual > self.epsilon
        self.cut += int(cut.sum())
        self._left += float(residual[cut].sum())
        self._beside += float(largest[cut].sum())
        self._all += float(largest.sum())
        self._rows += int((largest > 0.0).sum())

    def part(self, steps: int, worst: float) -> float | None:
        """What `steps` cut steps left, as a part of their impulses; None where there were none.

        Where few of them are among the rows, the `worst` residual (N s) of all is put beside the mean impulse.
        """
        if steps == 0:
            return None
        left, beside = self._left, self._beside
        if self.cut < min(FEW, steps):
            left, beside = worst, self._all / max(self._rows, 1)
        return left / beside if beside > 0.0 else float("inf")


def loads(rows: Rows, count: int) -> Floats:
    """The largest force (N, N m) of a contact, a drive or a closed loop in each row."""
    kinds = (rows.touch[:count], rows.push[:count, :, 3:], rows.drive[:count], rows.cut_force[:count])
    each = [np.abs(kind).reshape(count, -1).max(axis=1, initial=0.0) for kind in kinds]
    return np.max(each, axis=0)  # type: ignore[no-any-return]
