"""Curves become rows of a table: one row a piece, with the integral up to it."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.model import Curve
from linkwork.model.forces.curves import MOST


class CurveTable:
    """Collects curves; `columns()` gives the arrays. Equal curves are kept once."""

    def __init__(self) -> None:
        self.curves: dict[Curve, int] = {}

    def add(self, curve: Curve) -> int:
        """Number of the curve."""
        return self.curves.setdefault(curve, len(self.curves))

    def either(self, value: float | Curve) -> tuple[float, int]:
        """A number and -1, or zero and the number of a curve."""
        return (0.0, self.add(value)) if isinstance(value, Curve) else (value, -1)

    def columns(self) -> dict[str, Any]:
        """The arrays of `Forces`."""
        counts = [len(curve.pieces) for curve in self.curves]
        rows = [row for curve in self.curves for row in curve_rows(curve)]
        return {
            "curve_start": np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            "piece_from": np.array([row[0] for row in rows], dtype=float),
            "piece_origin": np.array([row[1] for row in rows], dtype=float),
            "piece_power": np.array([row[2] for row in rows], dtype=float).reshape(-1, MOST),
            "piece_area": np.array([row[3] for row in rows], dtype=float),
        }


def curve_rows(curve: Curve) -> list[tuple[float, float, Any, float]]:
    """From, origin, coefficients, and the integral at the origin such that the whole integral is continuous."""
    starts = [-np.inf, *curve.breaks]
    rows: list[tuple[float, float, Any, float]] = []
    area = 0.0
    for k, (start, origin, powers) in enumerate(zip(starts, curve.origins, curve.pieces, strict=True)):
        if k:
            x = start - curve.origins[k - 1]
            before = rows[-1][3] + _integral(curve.pieces[k - 1], x)
            area = before - _integral(powers, start - origin)
        rows.append((float(start), float(origin), powers, float(area)))
    return rows


def _integral(powers: Any, x: float) -> float:
    return float(sum(c * x ** (k + 1) / (k + 1) for k, c in enumerate(powers)))
