"""Six springs instead of two matrices: they give the same stiffness and damping, in any units, also singular ones."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.assembly.elements.bushing_tables import six_springs

UNITS = np.sqrt([4e6, 3e6, 8e6, 4e2, 3e2, 1e1])


def semidefinite(rng: np.random.Generator, rank: int) -> np.ndarray:
    """A matrix of this rank, its entries in N/m, N and N m."""
    A = rng.normal(size=(6, rank))
    return UNITS[:, None] * (A @ A.T) * UNITS


@pytest.mark.parametrize("ranks", [(6, 6), (6, 0), (0, 6), (6, 2), (3, 2), (1, 1), (4, 4)])
@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
def test_the_springs_give_both_matrices(ranks: tuple[int, int], length: float) -> None:
    rng = np.random.default_rng(sum(ranks))
    units = np.array([1.0] * 3 + [length] * 3)
    K, C = (
        scale * np.outer(units, units) * semidefinite(rng, rank) for scale, rank in zip((1.0, 1e-4), ranks, strict=True)
    )
    F, k, c = six_springs(K, C)
    for matrix, each in ((K, k), (C, c)):
        scale = np.sqrt(np.outer(np.diag(matrix), np.diag(matrix)))
        assert np.all(np.abs(F.T @ np.diag(each) @ F - matrix) <= 1e-12 * scale)
        assert np.all(each >= 0.0)
    assert np.sum((k > 0.0) | (c > 0.0)) == min(6, sum(ranks))


def test_diagonal_matrices_stay_as_they_are() -> None:
    K, C = np.diag([1.0, 2, 0, 4, 5, 6]), np.diag([0.0, 1, 0, 2, 3, 0])
    F, k, c = six_springs(K, C)
    assert np.array_equal(F, np.eye(6))
    assert np.array_equal(k, np.diag(K))
    assert np.array_equal(c, np.diag(C))


def test_a_matrix_that_is_diagonal_but_for_a_tiny_entry() -> None:
    K = np.diag([8e6, 8e6, 8e6, 1e3, 1e3, 1e3])
    K[0, 4] = K[4, 0] = 1e-9
    F, k, _ = six_springs(K, np.zeros((6, 6)))
    assert np.allclose(F.T @ np.diag(k) @ F, K, rtol=1e-13, atol=1e-8)


def test_where_its_frames_are() -> None:
    """In the links of its bodies, whatever the poses of bodies in their links are."""
    model = lw.Model("mounted")
    body = model.body("body", mass=1.0, inertia=(1, 1, 1), position=(1, 2, 3), rotation=(1, 1, 0, 0))
    plate = model.body("plate", mass=1.0, inertia=(1, 1, 1), position=(1, 2, 4))
    model.fixed("weld", body, plate)
    model.bushing("mount", model.ground, plate, at=(1, 2, 5), axis=(1, 0, 0), stiffness=np.ones(6))
    forces = lw.assemble(model).tables.forces
    assert forces.bushing_pa.tolist() == [[1, 2, 5]]
    assert np.allclose(forces.bushing_Ra.reshape(3, 3)[:, 2], (1, 0, 0))
    assert forces.bushing_k.shape == (1, 6)
    empty = lw.assemble(lw.gallery.pendulum.build()).tables.forces
    assert (empty.bushing_basis.shape, empty.bushing_k.shape, empty.bushing_Ra.shape) == ((0, 6, 6), (0, 6), (0, 9))
