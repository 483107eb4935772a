"""Quaternions against rotation matrices made another way, and against the definition of angular velocity.

Kernels run in plain Python here; every simulation runs them compiled.
"""

from __future__ import annotations

import numpy as np
import pytest

from linkwork._jit import small
from linkwork.spatial.quaternions import (
    exponential,
    normalized,
    product,
    quaternion_of,
    rate_local,
    rate_outer,
    rotation_of,
)
from linkwork.spatial.vectors import load3, load9, store9
from twins import hamilton, matrix_of, turn

EPS = np.finfo(float).eps


@small
def store4(x, k, e):
    for j in range(4):
        x[k, j] = e[j]


def all_quaternions(e, f, w, m, x):
    """x (row, 7, 9): everything, from quaternions e and f, vectors w and rotations m."""
    for k in range(e.shape[0]):
        a = (e[k, 0], e[k, 1], e[k, 2], e[k, 3])
        store9(x[k], 0, rotation_of(a))
        store4(x[k], 1, quaternion_of(load9(m, k)))
        store4(x[k], 2, product(a, (f[k, 0], f[k, 1], f[k, 2], f[k, 3])))
        store4(x[k], 3, normalized(a))
        store4(x[k], 4, exponential(load3(w, k)))
        store4(x[k], 5, rate_local(a, load3(w, k)))
        store4(x[k], 6, rate_outer(a, load3(w, k)))


def sweep(e=None, f=None, w=None, m=None):
    given = [y for y in (e, f, w, m) if y is not None]
    n = len(given[0])
    unit, zero, eye = np.tile([1.0, 0, 0, 0], (n, 1)), np.zeros((n, 3)), np.tile(np.eye(3).ravel(), (n, 1))
    x = np.zeros((n, 7, 9))
    all_quaternions(
        *(
            np.ascontiguousarray(y if y is not None else other)
            for y, other in zip((e, f, w, m), (unit, unit, zero, eye), strict=True)
        ),
        x,
    )
    return x


def test_rotation_of_a_quaternion_of_any_length():
    rng = np.random.default_rng(5)
    e = rng.normal(size=(200, 4)) * 10.0 ** rng.uniform(-3, 3, (200, 1))
    found = sweep(e=e)[:, 0].reshape(-1, 3, 3)
    assert np.max(np.abs(found - [matrix_of(q) for q in e])) < 10 * EPS


def test_quaternion_of_every_rotation():
    """All four branches: near no turn, and near half turns about x, y and z and what lies between them."""
    rng = np.random.default_rng(6)
    axes = [*np.eye(3), *-np.eye(3), *rng.normal(size=(30, 3))]
    angles = [0.0, 1e-9, 1e-5, 0.7, 2.0, np.pi - 1e-5, np.pi - 1e-9, np.pi, np.pi + 1e-9, 5.0]
    R = np.array([turn(a / np.linalg.norm(a), angle) for a in axes for angle in angles])
    e = sweep(m=R.reshape(-1, 9))[:, 1, :4]
    assert np.all(e[:, 0] >= 0)
    assert np.max(np.abs(np.linalg.norm(e, axis=1) - 1)) < 10 * EPS
    assert np.max(np.abs(np.array([matrix_of(q) for q in e]) - R)) < 20 * EPS


def test_product_and_length():
    rng = np.random.default_rng(7)
    e, f = rng.normal(size=(2, 200, 4))
    x = sweep(e=e, f=f)
    assert np.max(np.abs(x[:, 2, :4] - [hamilton(p, q) for p, q in zip(e, f, strict=True)])) < 20 * EPS * 9
    assert np.max(np.abs(x[:, 3, :4] - e / np.linalg.norm(e, axis=1)[:, None])) < 4 * EPS


@pytest.mark.parametrize("angle", [0.0, 1e-300, 1e-12, 0.99e-4, 1.01e-4, 1e-2, 1.0, np.pi, 6.0, 40.0])
def test_exponential_is_the_turn_about_its_vector(angle):
    rng = np.random.default_rng(8)
    axis = rng.normal(size=(50, 3))
    axis /= np.linalg.norm(axis, axis=1)[:, None]
    e = sweep(w=angle * axis)[:, 4, :4]
    wanted = np.column_stack([np.full(50, np.cos(angle / 2)), np.sin(angle / 2) * axis])
    assert np.max(np.abs(e - wanted)) < 4 * EPS * (1 + angle)
    # the vector part keeps its relative accuracy for small turns: the series stops where it is exact
    assert np.max(np.abs(e[:, 1:] - wanted[:, 1:])) <= 8 * EPS * max(angle, abs(np.sin(angle / 2)), 1e-307)


def test_rates_turn_the_frame_with_the_angular_velocity():
    """R' = R [w] for the axes that turn and [w] R for those that stay, by central differences along the exponential."""
    rng = np.random.default_rng(9)
    e, w = rng.normal(size=(50, 4)), rng.normal(size=(50, 3))
    e /= np.linalg.norm(e, axis=1)[:, None]
    x = sweep(e=e, w=w)
    h = 1e-5
    for k in range(50):
        half = 0.5 * np.concatenate([[0], w[k]])
        assert x[k, 5, :4] == pytest.approx(hamilton(e[k], half), abs=20 * EPS)
        assert x[k, 6, :4] == pytest.approx(hamilton(half, e[k]), abs=20 * EPS)
        W = np.array([[0, -w[k, 2], w[k, 1]], [w[k, 2], 0, -w[k, 0]], [-w[k, 1], w[k, 0], 0]])
        R = matrix_of(e[k])
        for rate, wanted in ((x[k, 5, :4], R @ W), (x[k, 6, :4], W @ R)):
            change = (matrix_of(e[k] + h * rate) - matrix_of(e[k] - h * rate)) / (2 * h)
            # third derivative of order |w|^3 times h^2, and rounding over h
            assert np.max(np.abs(change - wanted)) < 10 * (np.linalg.norm(w[k]) ** 3 * h**2 + EPS / h)
