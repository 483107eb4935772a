"""Vectors, rotations and small matrices as tuples, against plain numpy."""

from __future__ import annotations

import numpy as np

from linkwork._jit import entry
from linkwork.spatial.vectors import (
    IDENTITY,
    add,
    add_pair,
    add_scaled,
    axis_x,
    axis_y,
    axis_z,
    column,
    cross,
    dot,
    load3,
    load6,
    load9,
    load_pair,
    multiply,
    neg,
    norm,
    rotate,
    scale,
    store3,
    store6,
    store9,
    store_pair,
    sub,
    transpose,
    turn_z,
    unrotate,
)

EPS = np.finfo(float).eps
ROWS = 200


@entry
def all_vectors(a, b, s, x, m):
    """x (row, 10, 3): what vectors give."""
    for k in range(a.shape[0]):
        u = load3(a, k)
        v = load3(b, k)
        store3(x[k], 0, add(u, v))
        store3(x[k], 1, sub(u, v))
        store3(x[k], 2, neg(u))
        store3(x[k], 3, scale(s[k], u))
        store3(x[k], 4, add_scaled(u, s[k], v))
        store3(x[k], 5, cross(u, v))
        store3(x[k], 6, (dot(u, v), norm(u), 0.0))
        R = load9(m, k)
        store3(x[k], 7, rotate(R, u))
        store3(x[k], 8, unrotate(R, u))
        store3(x[k], 9, column(R, k % 3))


@entry
def all_matrices(A, B, angle, x):
    """x (row, 6, 9): what matrices give."""
    for k in range(A.shape[0]):
        M = load9(A, k)
        store9(x[k], 0, multiply(M, load9(B, k)))
        store9(x[k], 1, transpose(M))
        store9(x[k], 2, turn_z(M, angle[k]))
        store3(x[k], 3, axis_x(M))
        store3(x[k], 4, axis_y(M))
        store3(x[k], 5, axis_z(M))


@entry
def in_and_out(rows, x):
    """Rows of six read and written in every way."""
    store6(x, 0, load6(rows, 0))
    first, second = load_pair(rows, 1)
    store_pair(x, 1, second, first)
    add_pair(x, 1, first, second)
    store9(x, 2, IDENTITY)


def close(found, wanted, size):
    """Within a few roundings of numbers of this size."""
    assert np.max(np.abs(found - wanted)) <= 8 * EPS * size


def test_vectors():
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, ROWS, 3))
    s, m = rng.normal(size=ROWS), rng.normal(size=(ROWS, 9))
    x = np.zeros((ROWS, 10, 3))
    all_vectors(a, b, s, x, m)
    M = m.reshape(-1, 3, 3)
    size = 4.0**2 * 3
    close(x[:, 0], a + b, 8)
    close(x[:, 1], a - b, 8)
    assert np.array_equal(x[:, 2], -a)
    close(x[:, 3], s[:, None] * a, size)
    close(x[:, 4], a + s[:, None] * b, size)
    close(x[:, 5], np.cross(a, b), size)
    close(x[:, 6, 0], np.einsum("ki,ki->k", a, b), size)
    close(x[:, 6, 1], np.linalg.norm(a, axis=1), 8)
    close(x[:, 7], np.einsum("kij,kj->ki", M, a), size)
    close(x[:, 8], np.einsum("kji,kj->ki", M, a), size)
    assert np.array_equal(x[:, 9], [M[k, :, k % 3] for k in range(ROWS)])


def test_matrices():
    rng = np.random.default_rng(2)
    A, B = rng.normal(size=(2, ROWS, 3, 3))
    angle = rng.uniform(-20, 20, ROWS)
    x = np.zeros((ROWS, 6, 9))
    all_matrices(A.reshape(-1, 9), B.reshape(-1, 9), angle, x)
    size = 4.0**2 * 3
    x3 = x.reshape(ROWS, 6, 3, 3)
    close(x3[:, 0], A @ B, size)
    assert np.array_equal(x3[:, 1], np.swapaxes(A, 1, 2))
    c, s, o = np.cos(angle), np.sin(angle), np.zeros(ROWS)
    Z = np.array([[c, -s, o], [s, c, o], [o, o, o + 1]]).transpose(2, 0, 1)
    close(x3[:, 2], A @ Z, size)
    for e in range(3):
        assert np.array_equal(x[:, 3 + e, :3], A[:, :, e])


def test_rows_in_and_out():
    rows = np.arange(12.0).reshape(2, 6)
    x = np.zeros((3, 9))
    in_and_out(rows, x)
    assert np.array_equal(x[0, :6], rows[0])
    assert np.array_equal(x[1, :6], rows[1] + np.roll(rows[1], 3))
    assert np.array_equal(x[2], np.eye(3).ravel())
