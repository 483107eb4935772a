"""Sine and cosine together, inside a kernel: a library call for each would cost more than the rest of a joint."""

from __future__ import annotations

import math

import numpy as np

from linkwork._jit import exact

# pi/2 in three parts whose products with a small whole number are exact
PART_1 = 1.5707963267341256
PART_2 = 6.0771005063039660e-11
PART_3 = 2.0222662487959506e-21
QUARTERS = 0.6366197723675814  # 2/pi
FAR = 1.0e5  # rad: beyond it the library's reduction is the safe one


@exact
def sine_cosine(x):
    """(sin x, cos x) to the last digit or two: reduction to an eighth of a turn, then Taylor-like polynomials."""
    if not abs(x) < FAR:
        return math.sin(x), math.cos(x)
    n = np.rint(x * QUARTERS)
    y = ((x - n * PART_1) - n * PART_2) - n * PART_3
    z = y * y
    p = y + y * z * (
        -1.66666666666666324348e-01
        + z
        * (
            8.33333333332248946124e-03
            + z
            * (
                -1.98412698298579493134e-04
                + z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))
            )
        )
    )
    r = 1.0 - (
        0.5 * z
        - z
        * z
        * (
            4.16666666666666019037e-02
            + z
            * (
                -1.38888888888741095749e-03
                + z
                * (
                    2.48015872894767294178e-05
                    + z
                    * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11))
                )
            )
        )
    )
    k = int(n)
    odd = (k & 1) == 1
    s = r if odd else p
    c = p if odd else r
    return -s if (k & 2) == 2 else s, -c if ((k + 1) & 2) == 2 else c
