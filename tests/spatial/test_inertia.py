"""Spatial inertias as blocks of tuples, against 3x3 and 6x6 numpy matrices.

Kernels run in plain Python here; every simulation runs them compiled.
"""

from __future__ import annotations

import numpy as np

from linkwork.spatial.inertia import (
    add6,
    add9,
    determinant_symmetric,
    gram,
    inverse_symmetric,
    minus6,
    multiply_transposed,
    rotate_matrix,
    rotate_symmetric,
    shift,
    symmetric_matrix,
    times,
)
from linkwork.spatial.vectors import load3, load6, load9, store3, store6, store9
from random_mechanisms import random_frame

EPS = np.finfo(float).eps
ROWS = 100


def all_inertias(S, T, H, R, p, x):
    """x (row, 13, 9): everything, from symmetric S and T, any H, rotation R and a point p."""
    for k in range(S.shape[0]):
        s = load6(S, k)
        t = load6(T, k)
        h = load9(H, k)
        r = load9(R, k)
        store6(x[k], 0, add6(s, t))
        store6(x[k], 1, minus6(s, t))
        store9(x[k], 2, add9(h, r))
        store3(x[k], 3, times(s, load3(p, k)))
        store9(x[k], 4, symmetric_matrix(s, h))
        store6(x[k], 5, inverse_symmetric(s))
        store3(x[k], 6, (determinant_symmetric(s), 0.0, 0.0))
        store6(x[k], 7, rotate_symmetric(r, s))
        store9(x[k], 8, rotate_matrix(r, h))
        A, N = shift(s, h, t, load3(p, k))
        store6(x[k], 9, A)
        store9(x[k], 10, N)
        store6(x[k], 11, gram(h, s))
        store6(x[k], 12, multiply_transposed(h, s))


def packed(S):
    """3x3 to xx, yy, zz, xy, xz, yz."""
    return np.stack([S[..., i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))], axis=-1)


def hat(p):
    """The matrix of p x."""
    x, y, z = p
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def test_blocks_against_matrices():
    rng = np.random.default_rng(3)
    root = rng.normal(size=(2, ROWS, 3, 3))
    S, T = root @ np.swapaxes(root, -1, -2) + 0.5 * np.eye(3)
    H, p = rng.normal(size=(ROWS, 3, 3)), rng.normal(size=(ROWS, 3))
    R = np.array([random_frame(rng).matrix for _ in range(ROWS)])
    x = np.zeros((ROWS, 13, 9))
    all_inertias(packed(S), packed(T), H.reshape(-1, 9), R.reshape(-1, 9), p, x)
    Rt, Ht = np.swapaxes(R, 1, 2), np.swapaxes(H, 1, 2)

    def close(k, wanted, roundings=20.0):
        found = x[:, k, : wanted.shape[1]]
        # entries may cancel: count roundings against the largest one of each row
        size = np.max(np.abs(wanted), axis=1) + np.max(np.abs(S), axis=(1, 2)) * np.max(np.abs(H) ** 2, axis=(1, 2))
        assert np.max(np.abs(found - wanted) / size[:, None]) < roundings * EPS, k

    close(0, packed(S + T))
    close(1, packed(S - T))
    close(2, (H + R).reshape(-1, 9))
    close(3, np.einsum("kij,kj->ki", S, p))
    close(4, (S @ H).reshape(-1, 9))
    condition = float(np.max(np.linalg.cond(S)))
    close(5, packed(np.linalg.inv(S)), 20 * condition)
    assert np.max(np.abs(x[:, 6, 0] / np.linalg.det(S) - 1)) < 20 * EPS * condition
    close(7, packed(R @ S @ Rt))
    close(8, (R @ H @ Rt).reshape(-1, 9))
    close(11, packed(Ht @ S @ H))
    close(12, packed(H @ S @ Ht))

    # torque' = torque + p x force and a = a' + alpha x p: the 6x6 matrix is turned into X I X^T
    for k in range(ROWS):
        six = np.block([[S[k], H[k]], [H[k].T, T[k]]])
        X = np.block([[np.eye(3), hat(p[k])], [np.zeros((3, 3)), np.eye(3)]])
        moved = X @ six @ X.T
        size = np.max(np.abs(six)) * (1 + p[k] @ p[k])
        assert np.max(np.abs(x[k, 9, :6] - packed(moved[:3, :3]))) < 20 * EPS * size
        assert np.max(np.abs(x[k, 10].reshape(3, 3) - moved[:3, 3:])) < 20 * EPS * size


def test_shift_of_a_rigid_body_is_the_parallel_axis_theorem():
    """About its centre of mass a body has H = 0; about a point it gains m (p.p 1 - p p^T) and m [p]x."""
    rng = np.random.default_rng(4)
    p, mass = rng.normal(size=3), 2.7
    inertia = np.diag([0.3, 0.5, 0.4])
    x = np.zeros((1, 13, 9))
    all_inertias(
        packed(inertia)[None], packed(mass * np.eye(3))[None], np.zeros((1, 9)), np.eye(3).reshape(1, 9), p[None], x
    )
    assert np.max(np.abs(x[0, 9, :6] - packed(inertia + mass * (p @ p * np.eye(3) - np.outer(p, p))))) < 40 * EPS
    assert np.max(np.abs(x[0, 10].reshape(3, 3) - mass * hat(p))) < 20 * EPS
