"""Vectors are 3-tuples, rotations 9-tuples by rows, symmetric matrices 6-tuples (xx, yy, zz, xy, xz, yz).

Tuples stay in registers: these tiny kernels are inlined and cost what hand-written scalars cost.
A rotation carries both frames: R_wb takes components in b to components in w.
"""

from __future__ import annotations

import math

from linkwork._jit import small
from linkwork.spatial.circle import sine_cosine

ZERO = (0.0, 0.0, 0.0)
IDENTITY = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@small
def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@small
def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@small
def neg(a):
    return (-a[0], -a[1], -a[2])


@small
def scale(s, a):
    return (s * a[0], s * a[1], s * a[2])


@small
def add_scaled(a, s, b):  # a + s b
    return (a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2])


@small
def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@small
def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


@small
def norm(a):
    return math.sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2])


@small
def rotate(R, x):  # R x
    return (
        R[0] * x[0] + R[1] * x[1] + R[2] * x[2],
        R[3] * x[0] + R[4] * x[1] + R[5] * x[2],
        R[6] * x[0] + R[7] * x[1] + R[8] * x[2],
    )


@small
def unrotate(R, x):  # R^T x
    return (
        R[0] * x[0] + R[3] * x[1] + R[6] * x[2],
        R[1] * x[0] + R[4] * x[1] + R[7] * x[2],
        R[2] * x[0] + R[5] * x[1] + R[8] * x[2],
    )


@small
def transpose(R):
    return (R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8])


@small
def multiply(A, B):  # A B, 3 x 3
    return (
        A[0] * B[0] + A[1] * B[3] + A[2] * B[6],
        A[0] * B[1] + A[1] * B[4] + A[2] * B[7],
        A[0] * B[2] + A[1] * B[5] + A[2] * B[8],
        A[3] * B[0] + A[4] * B[3] + A[5] * B[6],
        A[3] * B[1] + A[4] * B[4] + A[5] * B[7],
        A[3] * B[2] + A[4] * B[5] + A[5] * B[8],
        A[6] * B[0] + A[7] * B[3] + A[8] * B[6],
        A[6] * B[1] + A[7] * B[4] + A[8] * B[7],
        A[6] * B[2] + A[7] * B[5] + A[8] * B[8],
    )


@small
def turn_z(R, angle):  # R Rz(angle)
    s, c = sine_cosine(angle)
    return (
        R[0] * c + R[1] * s,
        R[1] * c - R[0] * s,
        R[2],
        R[3] * c + R[4] * s,
        R[4] * c - R[3] * s,
        R[5],
        R[6] * c + R[7] * s,
        R[7] * c - R[6] * s,
        R[8],
    )


@small
def column(R, i):
    return (R[i], R[3 + i], R[6 + i])


@small
def unit_vector(j):  # along axis j of the world
    return (1.0 if j == 0 else 0.0, 1.0 if j == 1 else 0.0, 1.0 if j == 2 else 0.0)


@small
def axis_x(R):
    return (R[0], R[3], R[6])


@small
def axis_y(R):
    return (R[1], R[4], R[7])


@small
def axis_z(R):
    return (R[2], R[5], R[8])


@small
def spin(x, y, z, xd, yd, zd):
    """Half the sum of e x ed over three axes: the angular velocity that has these rates."""
    return scale(0.5, add(cross(x, xd), add(cross(y, yd), cross(z, zd))))


@small
def load3(a, i):
    return (a[i, 0], a[i, 1], a[i, 2])


@small
def load6(a, i):
    return (a[i, 0], a[i, 1], a[i, 2], a[i, 3], a[i, 4], a[i, 5])


@small
def load9(a, i):
    return (a[i, 0], a[i, 1], a[i, 2], a[i, 3], a[i, 4], a[i, 5], a[i, 6], a[i, 7], a[i, 8])


@small
def load_pair(a, i):  # a row of six as two vectors: angular, linear
    return (a[i, 0], a[i, 1], a[i, 2]), (a[i, 3], a[i, 4], a[i, 5])


@small
def store3(a, i, x):
    a[i, 0] = x[0]
    a[i, 1] = x[1]
    a[i, 2] = x[2]


@small
def store6(a, i, x):
    a[i, 0] = x[0]
    a[i, 1] = x[1]
    a[i, 2] = x[2]
    a[i, 3] = x[3]
    a[i, 4] = x[4]
    a[i, 5] = x[5]


@small
def store9(a, i, x):
    a[i, 0] = x[0]
    a[i, 1] = x[1]
    a[i, 2] = x[2]
    a[i, 3] = x[3]
    a[i, 4] = x[4]
    a[i, 5] = x[5]
    a[i, 6] = x[6]
    a[i, 7] = x[7]
    a[i, 8] = x[8]


@small
def store_pair(a, i, x, y):
    a[i, 0] = x[0]
    a[i, 1] = x[1]
    a[i, 2] = x[2]
    a[i, 3] = y[0]
    a[i, 4] = y[1]
    a[i, 5] = y[2]


@small
def add_pair(a, i, x, y):
    a[i, 0] += x[0]
    a[i, 1] += x[1]
    a[i, 2] += x[2]
    a[i, 3] += y[0]
    a[i, 4] += y[1]
    a[i, 5] += y[2]
