"""Roads under tyres: height over x, y and time, as a sum of pieces."""

from __future__ import annotations

import math

from linkwork._jit import kernel
from linkwork.mechanics.forces.curves import curve_at
from linkwork.mechanics.forces.laws import evaluate
from linkwork.spatial.codes import BUMP, LEVEL, PROFILE, RAMP, RISE

NEAR = 1e-4  # m, for the slopes of a surface that returns only its height
MOMENT = 1e-4  # s, for the speed at which a surface rises


@kernel
def road_at(forces, laws, first, last, x, y, t, given, out):
    """Height of the road made of the pieces first … last - 1, its slopes along x and y, and the speed of its rise."""
    z = 0.0
    zx = 0.0
    zy = 0.0
    zt = 0.0
    for k in range(first, last):
        kind = forces.road_kind[k]
        content = forces.road_content[k]
        height = forces.road_height[k]
        length = forces.road_length[k]
        s = x - forces.road_from[k]
        if kind == LEVEL:
            z += height
            if content >= 0:
                evaluate(laws, content, t, given, out)
                z += out[0]
                zt += out[1]
        elif kind == BUMP:
            if 0.0 < s < length:
                a = 2.0 * math.pi / length
                z += 0.5 * height * (1.0 - math.cos(a * s))
                zx += 0.5 * height * a * math.sin(a * s)
        elif kind == RISE or kind == RAMP:
            if s >= length:
                z += height
            elif s > 0.0 and kind == RAMP:
                z += height * s / length
                zx += height / length
            elif s > 0.0:
                a = math.pi / length
                z += 0.5 * height * (1.0 - math.cos(a * s))
                zx += 0.5 * height * a * math.sin(a * s)
        elif kind == PROFILE:
            value, slope = curve_at(forces, content, x)
            z += value
            zx += slope
        else:
            value, along, across, rise = surface_at(laws, content, length > 0.0, x, y, t, given, out)
            z += value
            zx += along
            zy += across
            zt += rise
    return z, zx, zy, zt


@kernel
def surface_height(laws, law, x, y, t, given, out):
    """Height of a function of the user."""
    given[0] = x
    given[1] = y
    evaluate(laws, law, t, given, out)
    return out[0]


@kernel
def surface_at(laws, law, tells_slopes, x, y, t, given, out):
    """Height, slopes and rise of a function of the user; what it does not return is taken by differences."""
    z = surface_height(laws, law, x, y, t, given, out)
    if tells_slopes:
        along = out[1]
        across = out[2]
    else:
        d = NEAR
        along = surface_height(laws, law, x + d, y, t, given, out) - surface_height(laws, law, x - d, y, t, given, out)
        across = surface_height(laws, law, x, y + d, t, given, out) - surface_height(laws, law, x, y - d, t, given, out)
        along *= 0.5 / d
        across *= 0.5 / d
    before = max(t - MOMENT, 0.0)  # a law is not called before t = 0
    after = t + MOMENT
    rise = surface_height(laws, law, x, y, after, given, out) - surface_height(laws, law, x, y, before, given, out)
    return z, along, across, rise / (after - before)
