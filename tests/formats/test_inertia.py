"""Inertias that no body can have, and the nearest ones that can exist."""

import numpy as np
import pytest

from linkwork.formats.inertia import inertia_fault, nearest_inertia
from linkwork.model.body import check_inertia


@pytest.mark.parametrize(
    ("mass", "inertia", "words"),
    [
        (1.0, (1, 1, 1), ""),
        (0.0, (0, 0, 0), ""),
        (1.0, (0, 0, 0), ""),
        (0.0, (1, 1, 1), "mass is 0 but its inertia is not"),
        (-2.0, (1, 1, 1), "mass -2 kg is negative"),
        (1.0, (-1, 1, 1), "negative principal value -1"),
        (1.0, (3, 1, 1), "no body has the principal inertias 1, 1, 3"),
        (float("nan"), (1, 1, 1), "not finite"),
    ],
)
def test_what_is_wrong(mass, inertia, words) -> None:
    found = inertia_fault(mass, np.diag(np.array(inertia, dtype=float)))
    assert (words in found) if words else (found == "")


def test_nearest_inertia_is_one_and_none_is_nearer() -> None:
    chance = np.random.default_rng(1)
    for _ in range(200):
        matrix = chance.normal(size=(3, 3))
        wrong = matrix + matrix.T
        found = nearest_inertia(wrong)
        check_inertia(found, "found")
        distance = np.linalg.norm(found - wrong)
        for size in (1e-1, 1e-2, 1e-3):  # second moments nearby are positive again when made so
            step = chance.normal(size=(3, 3)) * size
            moments = np.trace(found) / 2 * np.eye(3) - found + step + step.T
            values, axes = np.linalg.eigh(moments)
            other = (axes * np.maximum(values, 0.0)) @ axes.T
            possible = np.trace(other) * np.eye(3) - other
            assert np.linalg.norm(possible - wrong) >= distance - 1e-12


def test_possible_inertias_stay() -> None:
    chance = np.random.default_rng(2)
    for _ in range(50):
        points = chance.normal(size=(10, 3))
        inertia = sum((p @ p) * np.eye(3) - np.outer(p, p) for p in points)
        assert np.allclose(nearest_inertia(inertia), inertia, rtol=0, atol=1e-13 * np.trace(inertia))
