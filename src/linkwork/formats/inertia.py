"""Inertias that no body can have: what is wrong with them, and the nearest one that can exist.

An inertia is that of some distribution of mass if its principal values are not negative and no two of them are
together smaller than the third. Written with P = tr(I)/2 - I, the second moments of the mass, both say that no
eigenvalue of P is negative.
"""

from __future__ import annotations

import itertools

import numpy as np

from linkwork.errors import ModelError
from linkwork.model.body import SLACK, check_inertia
from linkwork.model.checked import Vector


def inertia_fault(mass: float, inertia: Vector) -> str:
    """What is wrong with a mass (kg) and a symmetric 3x3 inertia about its centre (kg m2); empty if nothing is.

    >>> inertia_fault(1.0, np.diag((1.0, 2.0, 2.5)))
    ''
    >>> inertia_fault(1.0, np.diag((1.0, 2.0, 4.0)))
    'no body has the principal inertias 1, 2, 4, because the two smaller must together reach the largest'
    """
    if not np.isfinite(mass) or not np.isfinite(inertia).all():
        return "its mass or inertia is not finite"
    if mass < 0.0:
        return f"its mass {mass:g} kg is negative"
    if mass == 0.0:
        return "its mass is 0 but its inertia is not" if inertia.any() else ""
    try:
        check_inertia(inertia, "")
    except ModelError:
        low, middle, high = np.linalg.eigvalsh((inertia + inertia.T) / 2).tolist()
        if low < -SLACK * max(abs(low), abs(high)):
            return f"its inertia has the negative principal value {low:.6g} kg m2"
        low, middle = (value if value > SLACK * high else 0.0 for value in (low, middle))
        return (
            f"no body has the principal inertias {low:.6g}, {middle:.6g}, {high:.6g}, because the two smaller must "
            "together reach the largest"
        )
    return ""


def nearest_inertia(inertia: Vector) -> Vector:
    """The inertia that a body can have and that differs least from a symmetric 3x3 matrix (sum of squares, kg m2).

    >>> nearest_inertia(np.diag((1.0, 1.0, 5.0))).diagonal().round(9).tolist()
    [2.0, 2.0, 4.0]
    >>> bool(nearest_inertia(np.diag((-1.0, -1.0, -1.0))).any())
    False
    """
    symmetric = (inertia + inertia.T) / 2
    principal, axes = np.linalg.eigh(symmetric)
    found = (axes * _nearest_principal(principal)) @ axes.T
    return np.asarray((found + found.T) / 2, dtype=np.float64)


def _nearest_principal(principal: Vector) -> Vector:
    """The nearest three principal values: the best point of all faces of the cone of possible ones."""
    # second moments p give principal values A p; on a face of the cone some of the p are zero
    A = np.ones((3, 3)) - np.eye(3)
    best = np.zeros(3)
    for kept in itertools.chain.from_iterable(itertools.combinations(range(3), n) for n in (1, 2, 3)):
        columns = A[:, kept]
        moments = np.linalg.lstsq(columns, principal, rcond=None)[0]
        point = columns @ np.maximum(moments, 0.0)
        if np.linalg.norm(point - principal) < np.linalg.norm(best - principal):
            best = point
    return np.asarray(best, dtype=np.float64)
