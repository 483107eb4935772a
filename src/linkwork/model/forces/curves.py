"""Curves: piecewise polynomials of one variable, for springs, dampers and road profiles. Data only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.checked import Vector, VectorLike
from linkwork.model.laws.laws import TableKind

MOST = 6  # coefficients of a piece: up to the fifth power


@dataclass(frozen=True, eq=False)
class Curve:
    """A piecewise polynomial y(x): one piece between each two `breaks` (increasing x), and one beyond each end.

    A piece lists its coefficients from the constant up, c0 + c1 x + c2 x^2 + …, up to the fifth power. They apply to x,
    or to x - x0 if `origins` gives each piece an x0. One piece and no breaks is a plain polynomial. A curve can be
    called with numbers or arrays.

    >>> stop = lw.Curve([0.0], [[0.0, 1e6], [0.0, 1e3]])  # stiff below zero, soft above
    >>> float(stop(-0.01)), float(stop(0.01))
    (-10000.0, 10.0)
    """

    breaks: Vector
    pieces: Vector
    origins: Vector

    def __init__(self, breaks: VectorLike, pieces: Sequence[VectorLike], origins: VectorLike | None = None) -> None:
        for given, option in ((breaks, "breaks"), (pieces, "pieces")):
            if not isinstance(given, (list, tuple, np.ndarray)) or np.ndim(np.asarray(given, dtype=object)) == 0:
                raise ModelError(f"Curve: {option} must be a list, got {checked.shown(given)}; correct {option}=")
        places = checked.array(breaks, "Curve", "breaks", "a list of rising numbers") if len(breaks) else np.zeros(0)
        rows = [checked.array(piece, "Curve", "pieces", "lists of coefficients") for piece in pieces]
        if places.ndim != 1 or (np.diff(places) <= 0.0).any():
            raise ModelError("Curve: breaks must be numbers that rise; sort them and remove double ones")
        if len(rows) != len(places) + 1:
            raise ModelError(
                f"Curve: {len(places)} breaks part the line into {len(places) + 1} pieces, got {len(rows)}; "
                "give one piece more than breaks"
            )
        if any(row.ndim != 1 or not 1 <= row.size <= MOST for row in rows):
            raise ModelError(f"Curve: a piece lists 1 to {MOST} coefficients, from the constant up; correct pieces=")
        zeros = np.zeros(len(rows)) if origins is None else checked.vector(origins, "Curve", "origins", len(rows))
        table = np.zeros((len(rows), MOST))
        for row, piece in zip(table, rows, strict=True):
            row[: piece.size] = piece
        table.flags.writeable = places.flags.writeable = zeros.flags.writeable = False
        object.__setattr__(self, "breaks", places)
        object.__setattr__(self, "pieces", table)
        object.__setattr__(self, "origins", zeros)

    @classmethod
    def through(cls, x: VectorLike, y: VectorLike, kind: TableKind = "linear") -> Curve:
        """The curve through the points (x, y), linear or a cubic spline between them, straight beyond the ends.

        >>> float(lw.Curve.through([0, 1, 2], [0, 10, 40])(3.0))
        70.0
        """
        places = checked.array(x, "Curve.through", "x", "a list of rising numbers")
        heights = checked.array(y, "Curve.through", "y", "a list of numbers")
        if places.ndim != 1 or len(places) < 2 or heights.shape != places.shape or (np.diff(places) <= 0.0).any():
            raise ModelError("Curve.through: x must be two rising numbers or more, and y as many; correct x= and y=")
        if kind not in ("linear", "cubic"):
            raise ModelError(f"Curve.through: unknown kind {checked.shown(kind)}; give kind='linear' or kind='cubic'")
        if kind == "cubic" and len(places) > 2:
            from scipy.interpolate import CubicSpline  # here, because it takes a third of a second

            spline = CubicSpline(places, heights)
            inner, ends = spline.c[::-1].T, spline(places[[0, -1]], 1)
        else:
            slopes = np.diff(heights) / np.diff(places)
            inner, ends = np.column_stack([heights[:-1], slopes]), slopes[[0, -1]]
        if kind == "linear":
            return cls(places[1:-1], list(inner), places[:-1])
        rows = [np.array([heights[0], ends[0]]), *inner, np.array([heights[-1], ends[1]])]
        return cls(places, rows, [places[0], *places[:-1], places[-1]])

    def __call__(self, x: ArrayLike, derivative: int = 0) -> Any:
        """y at x, or its first, second … derivative there.

        >>> float(lw.Curve([], [[1.0, 2.0, 3.0]])(2.0, derivative=1))
        14.0
        """
        at = np.asarray(x, dtype=float)
        piece = np.searchsorted(self.breaks, at, "right")
        rows = np.array([np.polynomial.polynomial.polyder(row, derivative) for row in self.pieces])[piece]
        local = at - self.origins[piece]
        return sum(rows[..., k] * local**k for k in range(rows.shape[-1]))

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Curve)
            and np.array_equal(self.breaks, other.breaks)
            and np.array_equal(self.pieces, other.pieces)
            and np.array_equal(self.origins, other.origins)
        )

    def __hash__(self) -> int:
        return hash((self.breaks.tobytes(), self.pieces.tobytes(), self.origins.tobytes()))
