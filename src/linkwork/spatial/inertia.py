"""Spatial inertia as three blocks: torque = A alpha + H a, force = H^T alpha + M a, about one point.

A and M are symmetric 6-tuples (xx, yy, zz, xy, xz, yz), H a 9-tuple by rows. A rigid body has A = inertia
about the point, H = m [c]x, M = m 1; articulated bodies fill all three.
"""

from __future__ import annotations

from linkwork._jit import small

ZERO6 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
ZERO9 = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)


@small
def add6(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])


@small
def add9(a, b):
    return (
        a[0] + b[0],
        a[1] + b[1],
        a[2] + b[2],
        a[3] + b[3],
        a[4] + b[4],
        a[5] + b[5],
        a[6] + b[6],
        a[7] + b[7],
        a[8] + b[8],
    )


@small
def times(S, x):  # S x, S symmetric
    return (
        S[0] * x[0] + S[3] * x[1] + S[4] * x[2],
        S[3] * x[0] + S[1] * x[1] + S[5] * x[2],
        S[4] * x[0] + S[5] * x[1] + S[2] * x[2],
    )


@small
def symmetric_matrix(S, B):  # S B, S symmetric, B by rows
    return (
        S[0] * B[0] + S[3] * B[3] + S[4] * B[6],
        S[0] * B[1] + S[3] * B[4] + S[4] * B[7],
        S[0] * B[2] + S[3] * B[5] + S[4] * B[8],
        S[3] * B[0] + S[1] * B[3] + S[5] * B[6],
        S[3] * B[1] + S[1] * B[4] + S[5] * B[7],
        S[3] * B[2] + S[1] * B[5] + S[5] * B[8],
        S[4] * B[0] + S[5] * B[3] + S[2] * B[6],
        S[4] * B[1] + S[5] * B[4] + S[2] * B[7],
        S[4] * B[2] + S[5] * B[5] + S[2] * B[8],
    )


@small
def inverse_symmetric(S):
    a = S[1] * S[2] - S[5] * S[5]
    b = S[4] * S[5] - S[3] * S[2]
    c = S[3] * S[5] - S[4] * S[1]
    d = 1.0 / (S[0] * a + S[3] * b + S[4] * c)
    return (
        d * a,
        d * (S[0] * S[2] - S[4] * S[4]),
        d * (S[0] * S[1] - S[3] * S[3]),
        d * b,
        d * c,
        d * (S[3] * S[4] - S[0] * S[5]),
    )


@small
def determinant_symmetric(S):
    return S[0] * (S[1] * S[2] - S[5] * S[5]) + S[3] * (S[4] * S[5] - S[3] * S[2]) + S[4] * (S[3] * S[5] - S[4] * S[1])


@small
def rotate_symmetric(R, S):  # R S R^T
    B = (
        R[0] * S[0] + R[1] * S[3] + R[2] * S[4],
        R[0] * S[3] + R[1] * S[1] + R[2] * S[5],
        R[0] * S[4] + R[1] * S[5] + R[2] * S[2],
        R[3] * S[0] + R[4] * S[3] + R[5] * S[4],
        R[3] * S[3] + R[4] * S[1] + R[5] * S[5],
        R[3] * S[4] + R[4] * S[5] + R[5] * S[2],
        R[6] * S[0] + R[7] * S[3] + R[8] * S[4],
        R[6] * S[3] + R[7] * S[1] + R[8] * S[5],
        R[6] * S[4] + R[7] * S[5] + R[8] * S[2],
    )
    return (
        B[0] * R[0] + B[1] * R[1] + B[2] * R[2],
        B[3] * R[3] + B[4] * R[4] + B[5] * R[5],
        B[6] * R[6] + B[7] * R[7] + B[8] * R[8],
        B[0] * R[3] + B[1] * R[4] + B[2] * R[5],
        B[0] * R[6] + B[1] * R[7] + B[2] * R[8],
        B[3] * R[6] + B[4] * R[7] + B[5] * R[8],
    )


@small
def rotate_matrix(R, H):  # R H R^T
    B = (
        R[0] * H[0] + R[1] * H[3] + R[2] * H[6],
        R[0] * H[1] + R[1] * H[4] + R[2] * H[7],
        R[0] * H[2] + R[1] * H[5] + R[2] * H[8],
        R[3] * H[0] + R[4] * H[3] + R[5] * H[6],
        R[3] * H[1] + R[4] * H[4] + R[5] * H[7],
        R[3] * H[2] + R[4] * H[5] + R[5] * H[8],
        R[6] * H[0] + R[7] * H[3] + R[8] * H[6],
        R[6] * H[1] + R[7] * H[4] + R[8] * H[7],
        R[6] * H[2] + R[7] * H[5] + R[8] * H[8],
    )
    return (
        B[0] * R[0] + B[1] * R[1] + B[2] * R[2],
        B[0] * R[3] + B[1] * R[4] + B[2] * R[5],
        B[0] * R[6] + B[1] * R[7] + B[2] * R[8],
        B[3] * R[0] + B[4] * R[1] + B[5] * R[2],
        B[3] * R[3] + B[4] * R[4] + B[5] * R[5],
        B[3] * R[6] + B[4] * R[7] + B[5] * R[8],
        B[6] * R[0] + B[7] * R[1] + B[8] * R[2],
        B[6] * R[3] + B[7] * R[4] + B[8] * R[5],
        B[6] * R[6] + B[7] * R[7] + B[8] * R[8],
    )


@small
def shift(A, H, M, p):
    """A and H about a point whose position seen from the new point is p; M does not change."""
    x, y, z = p
    # K = [p] M and H' = H + K
    K = (
        y * M[4] - z * M[3],
        y * M[5] - z * M[1],
        y * M[2] - z * M[5],
        z * M[0] - x * M[4],
        z * M[3] - x * M[5],
        z * M[4] - x * M[2],
        x * M[3] - y * M[0],
        x * M[1] - y * M[3],
        x * M[5] - y * M[4],
    )
    N = (
        H[0] + K[0],
        H[1] + K[1],
        H[2] + K[2],
        H[3] + K[3],
        H[4] + K[4],
        H[5] + K[5],
        H[6] + K[6],
        H[7] + K[7],
        H[8] + K[8],
    )
    # A' = A + [p] H'^T - H [p]
    return (
        A[0] + (y * N[2] - z * N[1]) - (H[1] * z - H[2] * y),
        A[1] + (z * N[3] - x * N[5]) - (H[5] * x - H[3] * z),
        A[2] + (x * N[7] - y * N[6]) - (H[6] * y - H[7] * x),
        A[3] + (y * N[5] - z * N[4]) - (H[2] * x - H[0] * z),
        A[4] + (y * N[8] - z * N[7]) - (H[0] * y - H[1] * x),
        A[5] + (z * N[6] - x * N[8]) - (H[3] * y - H[4] * x),
    ), N


@small
def gram(H, S):  # H^T S H, symmetric
    B = symmetric_matrix(S, H)
    return (
        H[0] * B[0] + H[3] * B[3] + H[6] * B[6],
        H[1] * B[1] + H[4] * B[4] + H[7] * B[7],
        H[2] * B[2] + H[5] * B[5] + H[8] * B[8],
        H[0] * B[1] + H[3] * B[4] + H[6] * B[7],
        H[0] * B[2] + H[3] * B[5] + H[6] * B[8],
        H[1] * B[2] + H[4] * B[5] + H[7] * B[8],
    )


@small
def minus6(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2], a[3] - b[3], a[4] - b[4], a[5] - b[5])


@small
def multiply_transposed(H, S):  # H S H^T, symmetric
    return gram((H[0], H[3], H[6], H[1], H[4], H[7], H[2], H[5], H[8]), S)
