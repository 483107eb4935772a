"""The curve of a cam: place of the follower over the cam's angle, smooth up to its second derivative. Data only."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import checked
from linkwork.model.forces.curves import Curve

CurveLike: TypeAlias = Curve | Sequence[Any] | Callable[..., Any]

TURN = 2.0 * math.pi
SAMPLES = 720  # of a function, over a turn
SMOOTH = 1e-6  # of the largest value of each derivative: a smaller jump is rounding
FITS = 1e-6  # of the stroke: a function that a spline misses by more between its samples is not smooth
WORDS = ("a jump", "a kink", "a jump of its second derivative")


@dataclass(frozen=True)
class CamCurve:
    """A curve over the coordinate of a joint, repeated after `period` (rad, m) where that is not zero."""

    curve: Curve
    period: float = 0.0

    def __call__(self, x: Any, derivative: int = 0) -> Any:
        """The value at x, or its first or second derivative there."""
        at = np.asarray(x, dtype=float)
        return self.curve(np.mod(at, self.period) if self.period else at, derivative)


def cam_curve(value: CurveLike, what: str, period: float | None) -> CamCurve:
    """From an `lw.Curve`, from a pair (x, y) of points, or from a function; refuses jumps and kinks.

    `period` is 2 pi for a cam that turns; None where the curve does not repeat.
    """
    span = 0.0 if period is None else period
    if isinstance(value, Curve):
        made = CamCurve(value, span)
    elif callable(value) and not span:
        raise ModelError(
            f"{what}: a function is sampled over one turn and repeats after it, but this curve does not repeat; give "
            "its curve as points (x, y) or as an lw.Curve"
        )
    elif callable(value):
        made = CamCurve(_sampled(value, what, span), span)
    else:
        made = CamCurve(_through(value, what, span), span)
    _refuse_kinks(made, what)
    return made


def _through(value: Any, what: str, period: float) -> Curve:
    """A cubic spline; where it repeats, the last point is the first one a period later."""
    from scipy.interpolate import CubicSpline  # here, because it takes a third of a second

    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise ModelError(
            f"{what}: its curve is {checked.shown(value)}; give a pair (x, y) of lists, an lw.Curve or a function"
        )
    x, y = (checked.array(each, what, "curve", "a list of numbers").astype(float) for each in value)
    if x.ndim != 1 or x.shape != y.shape or len(x) < 4 or (np.diff(x) <= 0.0).any():
        raise ModelError(f"{what}: its curve needs four rising x or more, and as many y; correct curve=")
    if not period:  # straight beyond both ends, without a jump of the second derivative there
        open_ended = CubicSpline(x, y, bc_type="natural")
        first, last = ([float(y[k]), float(open_ended(x[k], 1))] for k in (0, -1))
        return Curve(x, [first, *open_ended.c[::-1].T, last], [x[0], *x[:-1], x[-1]])
    if not math.isclose(x[-1] - x[0], period, rel_tol=1e-9):
        raise ModelError(
            f"{what}: its curve spans {x[-1] - x[0]:.6g} rad but a turn has {period:.6g}; give points from one angle "
            "to the same one a turn later, or periodic=False"
        )
    if not math.isclose(y[0], y[-1], rel_tol=1e-9, abs_tol=1e-9 * float(np.ptp(y))):
        raise ModelError(
            f"{what}: its curve ends at {y[-1]:.6g} after a turn but began at {y[0]:.6g}: the follower would jump; let "
            "both ends agree, or say periodic=False"
        )
    y[-1] = y[0]
    spline = CubicSpline(x, y, bc_type="periodic")
    return _from_zero(spline, x, period)


def _from_zero(spline: Any, x: Any, period: float) -> Curve:
    """The pieces of a periodic spline from x = 0 to one period."""
    breaks = np.unique(np.round(np.mod(x[:-1], period), 12))
    inner = breaks[(breaks > 1e-9) & (breaks < period - 1e-9)]
    starts = np.concatenate([[0.0], inner])
    at = x[0] + np.mod(starts - x[0], period)
    pieces = [_expanded(spline, float(place), starts, k, period) for k, place in enumerate(at)]
    return Curve(inner, pieces, starts)


def _expanded(spline: Any, at: float, starts: Any, k: int, period: float) -> list[float]:
    """Coefficients of the spline from `at` on, exact inside its piece."""
    end = period if k + 1 == len(starts) else float(starts[k + 1])
    inside = at + 1e-6 * (end - float(starts[k]))  # the piece to the right of a knot
    degree = spline.c.shape[0] - 1 if hasattr(spline, "c") and np.ndim(spline.c) == 2 else spline.k
    powers = [float(spline(inside, j)) / math.factorial(j) for j in range(degree + 1)]
    shift = at - inside
    moved = np.polynomial.polynomial.Polynomial(powers)(np.polynomial.polynomial.Polynomial([shift, 1.0]))
    return [float(c) for c in np.resize(np.append(moved.coef, np.zeros(6)), degree + 1)]


def _sampled(function: Callable[..., Any], what: str, period: float) -> Curve:
    """A quintic spline through a function, sampled over one period."""
    from scipy.interpolate import make_interp_spline

    x = np.linspace(0.0, period, SAMPLES + 1)
    try:
        y = np.array([float(function(float(angle))) for angle in x])
    except Exception as error:
        raise ModelError(
            f"{what}: the function given as curve= fails ({type(error).__name__}: {error}); let it take an angle in "
            "radians and return one number"
        ) from error
    if not np.isfinite(y).all():
        raise ModelError(f"{what}: the function given as curve= is not finite everywhere; correct it")
    if not math.isclose(y[0], y[-1], rel_tol=1e-9, abs_tol=1e-9 * float(np.ptp(y)) or 1e-12):
        raise ModelError(
            f"{what}: its curve ends at {y[-1]:.6g} after a turn but began at {y[0]:.6g}: the follower would jump; let "
            "both ends agree"
        )
    y[-1] = y[0]
    spline = make_interp_spline(x, y, k=5, bc_type="periodic")
    between = 0.5 * (x[1:] + x[:-1])
    off = np.abs(spline(between) - np.array([float(function(float(angle))) for angle in between]))
    k = int(np.argmax(off))
    if off[k] > FITS * float(np.ptp(y)):
        raise ModelError(
            f"{what}: the function given as curve= has a kink or a jump near {between[k]:.4g} rad, or is too fine for "
            f"{SAMPLES} points a turn (a smooth curve through them is off by {off[k]:.2g}); give a function with a "
            "continuous second derivative"
        )
    return _from_zero(spline, x, period)


def _refuse_kinks(made: CamCurve, what: str) -> None:
    """Raise for a curve whose value, slope or second derivative jumps, also from one turn to the next."""
    curve, period = made.curve, made.period
    breaks = [float(x) for x in curve.breaks if not period or 0.0 < x < period]
    if period:
        breaks.append(period)
    if not breaks:
        return
    low, high = (0.0, period) if period else (breaks[0] - 1.0, breaks[-1] + 1.0)
    places = np.linspace(low, high, 257)[:-1]
    for derivative, word in enumerate(WORDS):
        stroke = float(np.ptp(made(places))) or 1.0
        size = max(float(np.abs(made(places, derivative)).max()), stroke / (high - low) ** derivative)
        after = made(np.array([0.0 if period and x == period else x for x in breaks]), derivative)
        for x, value in zip(breaks, after.tolist(), strict=True):
            jump = value - _before(curve, x, derivative)
            if abs(jump) > SMOOTH * size:
                where = f"{x:.6g}" + (" (where a turn begins again)" if period and x == period else "")
                raise ModelError(
                    f"{what}: its curve has {word} of {jump:.4g} at {where}, which no follower can follow; give a "
                    "curve with a continuous second derivative, such as points (x, y)"
                )


def _before(curve: Curve, x: float, derivative: int) -> float:
    """The value just before x, from the piece on its left."""
    k = int(np.searchsorted(curve.breaks, x, "left"))
    row = np.polynomial.polynomial.polyder(curve.pieces[k], derivative)
    return float(np.polynomial.polynomial.polyval(x - curve.origins[k], row))
