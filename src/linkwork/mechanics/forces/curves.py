"""Curves: piecewise polynomials on the whole line, with their slopes and integrals."""

from __future__ import annotations

import math

from linkwork._jit import kernel


@kernel
def piece_at(curves, c, x):
    """The piece of curve c that holds at x."""
    low = curves.curve_start[c]
    high = curves.curve_start[c + 1]
    while high - low > 1:  # bisection
        middle = (low + high) // 2
        if curves.piece_from[middle] <= x:
            low = middle
        else:
            high = middle
    return low


@kernel
def curve_at(curves, c, x):
    """Value and slope of curve c at x."""
    p = piece_at(curves, c, x)
    x -= curves.piece_origin[p]
    value = 0.0
    slope = 0.0
    for k in range(curves.piece_power.shape[1] - 1, -1, -1):
        slope = slope * x + value
        value = value * x + curves.piece_power[p, k]
    return value, slope


@kernel
def curve_rates(curves, c, x):
    """Value, slope and second derivative of a curve that may repeat."""
    period = curves.curve_period[c]
    if period > 0.0:
        x -= period * math.floor(x / period)
    p = piece_at(curves, c, x)
    x -= curves.piece_origin[p]
    value = 0.0
    slope = 0.0
    bend = 0.0
    for k in range(curves.piece_power.shape[1] - 1, -1, -1):
        bend = bend * x + slope
        slope = slope * x + value
        value = value * x + curves.piece_power[p, k]
    return value, slope, 2.0 * bend


@kernel
def curve_integral(curves, c, x):
    """Integral of curve c up to x, from a place that is always the same."""
    p = piece_at(curves, c, x)
    x -= curves.piece_origin[p]
    area = 0.0
    for k in range(curves.piece_power.shape[1] - 1, -1, -1):
        area = (area + curves.piece_power[p, k] / (k + 1.0)) * x
    return area + curves.piece_area[p]
