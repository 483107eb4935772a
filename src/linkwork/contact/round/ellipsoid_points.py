"""Nearest points of ellipsoids.

    z    a point in the ellipsoid's axes        s    its half axes        u    a point of the unit ball: s u is of it
    d    centre of a body seen from the origin        M    its points are d + M u

The point of such a body nearest to the origin makes |d + M u| least for |u| <= 1. With the multiplier l of that bound,

    (M^T M + l) u = -M^T d,      |u(l)| = 1

which Newton's method solves for 1 / |u|, from l = 0 upwards: it never goes too far.
"""

from __future__ import annotations

import math

from linkwork._jit import kernel, small
from linkwork.spatial.vectors import add, cross, dot, norm, scale

ROUNDS = 40  # at most
CONVERGED = 1e-15  # of |u|
NOWHERE = 1e-9  # of the half axes: a point as near to the centre has no direction


@small
def support_of(R, s, n):
    """Point farthest along n of an ellipsoid with axes R and half axes s, from its centre, and how far that is."""
    a = s[0] * (R[0] * n[0] + R[3] * n[1] + R[6] * n[2])
    b = s[1] * (R[1] * n[0] + R[4] * n[1] + R[7] * n[2])
    c = s[2] * (R[2] * n[0] + R[5] * n[1] + R[8] * n[2])
    far = math.sqrt(a * a + b * b + c * c)
    x = (s[0] * a / far, s[1] * b / far, s[2] * c / far)
    return (
        R[0] * x[0] + R[1] * x[1] + R[2] * x[2],
        R[3] * x[0] + R[4] * x[1] + R[5] * x[2],
        R[6] * x[0] + R[7] * x[1] + R[8] * x[2],
    ), far


@small
def solve_symmetric(a, b, c, x):
    """The vector y with a . y = x0, b . y = x1, c . y = x2: rows of a matrix."""
    bc = cross(b, c)
    f = 1.0 / dot(a, bc)
    return scale(f, add(scale(x[0], bc), add(scale(x[1], cross(c, a)), scale(x[2], cross(a, b)))))


@kernel
def nearest_to_origin(d, M_0, M_1, M_2):
    """The u of the point d + M u nearest to the origin, and whether the origin is outside; M by its columns."""
    a = (dot(M_0, M_0), dot(M_0, M_1), dot(M_0, M_2))
    b = (a[1], dot(M_1, M_1), dot(M_1, M_2))
    c = (a[2], b[2], dot(M_2, M_2))
    g = (-dot(M_0, d), -dot(M_1, d), -dot(M_2, d))
    u = solve_symmetric(a, b, c, g)
    length = norm(u)
    if not length > 1.0:
        return u, False
    # what rounding leaves of |u| may not let it come to an end
    more = 0.0
    for _round in range(ROUNDS):
        p = (a[0] + more, a[1], a[2])
        q = (b[0], b[1] + more, b[2])
        r = (c[0], c[1], c[2] + more)
        u = solve_symmetric(p, q, r, g)
        length = norm(u)
        if not length - 1.0 > CONVERGED:
            break
        step = (length - 1.0) * length * length / dot(u, solve_symmetric(p, q, r, u))
        if not more + step > more:
            break
        more += step
    return scale(1.0 / length, u), True


@kernel
def radial_distance(z, s):
    """Outward normal and distance along it of z from an ellipsoid, where the line from the centre to z leaves it.

    Exact on the surface, for spheres, and no more than the true distance outside.
    """
    v = (z[0] / s[0], z[1] / s[1], z[2] / s[2])
    length = norm(v)
    if length < NOWHERE:
        # out of the flattest side
        least = min(s[0], s[1], s[2])
        k = 0 if s[0] == least else (1 if s[1] == least else 2)
        return (1.0 if k == 0 else 0.0, 1.0 if k == 1 else 0.0, 1.0 if k == 2 else 0.0), -least
    n = (v[0] / s[0], v[1] / s[1], v[2] / s[2])
    steep = norm(n) / length
    return scale(1.0 / norm(n), n), (length - 1.0) / steep


@kernel
def ellipsoid_distance(z, s):
    """Outward normal and signed distance of z from an ellipsoid; inside along the line from its centre."""
    if (z[0] / s[0]) ** 2 + (z[1] / s[1]) ** 2 + (z[2] / s[2]) ** 2 <= 1.0:
        return radial_distance(z, s)
    u, outside = nearest_to_origin((-z[0], -z[1], -z[2]), (s[0], 0.0, 0.0), (0.0, s[1], 0.0), (0.0, 0.0, s[2]))
    d = (z[0] - s[0] * u[0], z[1] - s[1] * u[1], z[2] - s[2] * u[2])
    distance = norm(d)
    if not outside or distance < NOWHERE * min(s[0], s[1], s[2]):
        return radial_distance(z, s)
    return scale(1.0 / distance, d), distance
