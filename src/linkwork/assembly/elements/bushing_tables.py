"""Bushings become table rows: a stiffness and a damping of six axes become six springs with dampers.

Two symmetric matrices that never feed energy in, K and C, can be brought to diagonal form at once (a congruence):

    K = F^T diag(k) F        C = F^T diag(c) F

Row i of F says what spring i feels of the shifts and turns; the springs are independent of each other. Where K and C
are diagonal, F is the unit matrix.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from linkwork.assembly.tables import Floats
from linkwork.model import Bushing

if TYPE_CHECKING:
    from linkwork.assembly.elements.force_tables import Assembled, Row

NOTHING = 1e-14  # of the largest: an eigenvalue below this is zero


def bushing_row(bushing: Bushing, known: Assembled) -> tuple[str, Row]:
    frame_a, frame_b = known.reference.mount(bushing)
    (link_a, pose_a), (link_b, pose_b) = known.place[id(bushing.a)], known.place[id(bushing.b)]
    on_a, on_b = pose_a @ frame_a, pose_b @ frame_b
    basis, k, c = six_springs(bushing.stiffness, bushing.damping)
    return "bushing", {
        "a": link_a,
        "b": link_b,
        "pa": on_a.position,
        "pb": on_b.position,
        "Ra": on_a.matrix.ravel(),
        "Rb": on_b.matrix.ravel(),
        "basis": basis,
        "k": k,
        "c": c,
    }


def six_springs(K: Floats, C: Floats) -> tuple[Floats, Floats, Floats]:
    """F, k and c of K = F^T diag(k) F and C = F^T diag(c) F; what nothing holds has rows of zeros.

    >>> F, k, c = six_springs(np.diag([1.0, 2, 3, 4, 5, 6]), np.diag([6.0, 5, 4, 3, 2, 1]))
    >>> k.tolist(), np.array_equal(F, np.eye(6))
    ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], True)
    """
    k, c = np.diag(K).copy(), np.diag(C).copy()
    if np.array_equal(K, np.diag(k)) and np.array_equal(C, np.diag(c)):
        return np.eye(6), k, c
    # a sum of both that is definite wherever one of them is, with ones on its diagonal: no unit counts more than others
    both = (k > 0.0) & (c > 0.0)
    s = float(np.exp(np.mean(np.log(k[both]) - np.log(c[both])))) if both.any() else 1.0
    unit = np.sqrt(k + s * c)
    unit[unit == 0.0] = 1.0
    scale = np.outer(unit, unit)
    values, V = np.linalg.eigh((K + s * C) / scale)
    held = values > NOTHING * values[-1]
    root = np.sqrt(values[held])
    T = V[:, held] / root
    shares, Q = np.linalg.eigh(T.T @ (K / scale) @ T)  # of the stiffness in the sum: 0 to 1
    losses = np.diag(Q.T @ T.T @ (C / scale) @ T @ Q)
    F = ((V[:, held] * root) @ Q).T * unit
    size = _lengths(F, unit)
    basis, stiff, lossy = np.zeros((6, 6)), np.zeros(6), np.zeros(6)
    n = len(size)
    basis[:n] = F / size[:, None]
    stiff[:n] = np.where(shares > NOTHING, shares, 0.0) * size**2
    lossy[:n] = np.where(losses > NOTHING * np.max(losses, initial=0.0), losses, 0.0) * size**2
    return basis, stiff, lossy


def _lengths(F: Floats, unit: Floats) -> Floats:
    """By what to divide each row: a metre of a spring then is about a metre, or a radian where it feels turns alone."""
    shift, turn = np.linalg.norm(F[:, :3], axis=1), np.linalg.norm(F[:, 3:], axis=1)
    arm = float(np.max(unit[3:]) / np.max(unit[:3])) if np.max(shift, initial=0.0) > 0.0 else 1.0
    turns_alone = shift <= NOTHING * turn / arm
    return np.asarray(np.where(turns_alone, turn, np.maximum(shift, turn / arm)), dtype=float)
