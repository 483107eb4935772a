"""Quaternions (w, x, y, z), as 4-tuples. A quaternion need not be of unit length to give its rotation."""

from __future__ import annotations

import math

from linkwork._jit import small


@small
def rotation_of(e):
    """The rotation matrix of e, which may have any length but zero."""
    w, x, y, z = e
    s = 2.0 / (w * w + x * x + y * y + z * z)
    return (
        1.0 - s * (y * y + z * z),
        s * (x * y - w * z),
        s * (x * z + w * y),
        s * (x * y + w * z),
        1.0 - s * (x * x + z * z),
        s * (y * z - w * x),
        s * (x * z - w * y),
        s * (y * z + w * x),
        1.0 - s * (x * x + y * y),
    )


@small
def quaternion_of(R):
    """The unit quaternion of R with the largest component computed first; w >= 0."""
    t = R[0] + R[4] + R[8]
    if t > 0.0:
        s = 2.0 * math.sqrt(1.0 + t)
        e = (0.25 * s, (R[7] - R[5]) / s, (R[2] - R[6]) / s, (R[3] - R[1]) / s)
    elif R[0] >= R[4] and R[0] >= R[8]:
        s = 2.0 * math.sqrt(1.0 + R[0] - R[4] - R[8])
        e = ((R[7] - R[5]) / s, 0.25 * s, (R[1] + R[3]) / s, (R[2] + R[6]) / s)
    elif R[4] >= R[8]:
        s = 2.0 * math.sqrt(1.0 + R[4] - R[0] - R[8])
        e = ((R[2] - R[6]) / s, (R[1] + R[3]) / s, 0.25 * s, (R[5] + R[7]) / s)
    else:
        s = 2.0 * math.sqrt(1.0 + R[8] - R[0] - R[4])
        e = ((R[3] - R[1]) / s, (R[2] + R[6]) / s, (R[5] + R[7]) / s, 0.25 * s)
    if e[0] < 0.0:
        return (-e[0], -e[1], -e[2], -e[3])
    return e


@small
def product(a, b):
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@small
def normalized(e):
    s = 1.0 / math.sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3])
    return (s * e[0], s * e[1], s * e[2], s * e[3])


@small
def exponential(w):
    """The quaternion of the rotation vector w."""
    a = math.sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2])
    if a < 1e-4:  # sin(a/2)/a by its series
        s = 0.5 - a * a / 48.0
    else:
        s = math.sin(0.5 * a) / a
    return (math.cos(0.5 * a), s * w[0], s * w[1], s * w[2])


@small
def rate_local(e, w):
    """de/dt for the angular velocity w in the axes that turn: e w / 2."""
    p = product(e, (0.0, w[0], w[1], w[2]))
    return (0.5 * p[0], 0.5 * p[1], 0.5 * p[2], 0.5 * p[3])


@small
def rate_outer(e, w):
    """de/dt for the angular velocity w in the axes that stay: w e / 2."""
    p = product((0.0, w[0], w[1], w[2]), e)
    return (0.5 * p[0], 0.5 * p[1], 0.5 * p[2], 0.5 * p[3])


@small
def signed_like(e, like):
    """Of the two quaternions e and -e of a rotation, the one nearer to `like`."""
    same = e[0] * like[0] + e[1] * like[1] + e[2] * like[2] + e[3] * like[3]
    return (-e[0], -e[1], -e[2], -e[3]) if same < 0.0 else e
