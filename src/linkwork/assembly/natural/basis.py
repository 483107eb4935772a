"""The natural coordinates by which one rigid body moves: a point and up to three directions.

A direction is a unit vector, or leads from the first point to another one. Every place of the body, and each of its
axes, is then a linear function of them with constant coefficients, and its mass matrix is constant:

    x = sum over the coordinates n of  (a + b S) n          S = u x, with the normal u where there is one

The normal is a direction at rest that the body never leaves (the common axis of planar mechanisms). With it two points
are enough, as in the plane, where the one turned by a right angle is as linear as the other.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from linkwork.assembly.tables import Floats, Tree

ENOUGH = 0.1  # of a unit vector, or of the size of the body: how much new a direction must bring


class Candidate(NamedTuple):
    """A coordinate that a body has: its number, its place or direction in the body, and which of the two it is."""

    node: int
    local: Floats
    is_point: bool


class Basis(NamedTuple):
    """The chosen coordinates; the first is a point."""

    slots: tuple[Candidate, ...]
    normal: bool  # the last slot is a direction at rest, and S turns about it

    def direction(self, k: int) -> Floats:
        """What slot k > 0 adds: a direction in the body."""
        slot = self.slots[k]
        return slot.local - self.slots[0].local if slot.is_point else slot.local

    def of_vector(self, c: Floats) -> tuple[Floats, Floats]:
        """a and b (4,) of the direction c of the body."""
        a, b = np.zeros(4), np.zeros(4)
        if self.normal:
            d, u = self.direction(1), self.direction(2)
            h = d @ u
            flat = d - h * u
            length = float(np.linalg.norm(flat))
            along, across = c @ flat / length**2, c @ np.cross(u, flat) / length**2
            a[1], b[1], a[2] = along, across, c @ u - along * h
        else:
            a[1:] = np.linalg.solve(np.column_stack([self.direction(k) for k in (1, 2, 3)]), c)
        for k in range(1, len(self.slots)):
            if self.slots[k].is_point:
                a[0] -= a[k]
                b[0] -= b[k]
        return a, b

    def of_point(self, x: Floats) -> tuple[Floats, Floats]:
        """a and b of the place x of the body."""
        a, b = self.of_vector(x - self.slots[0].local)
        a[0] += 1.0
        return a, b


def choose(first: Candidate, others: list[Candidate], resting: list[Candidate], size: float, add: Any) -> Basis:
    """A basis with the point `first`, taken from `others` and from the directions at rest; `add(local)` makes more.

    Points bring their distance from the first one, measured by the size of the body.
    """
    if resting:
        u = resting[0]
        chosen = [u.local]
        best = _best(first, others, chosen, size)
        if best is None:
            best = add(_across(chosen))
        return Basis((first, best, u), True)
    slots, chosen = [first], []
    while len(slots) < 4:
        best = _best(first, others, chosen, size)
        if best is None:
            best = add(_across(chosen))
        direction = best.local - first.local if best.is_point else best.local
        for e in chosen:
            direction = direction - (direction @ e) * e
        chosen.append(direction / np.linalg.norm(direction))
        slots.append(best)
    return Basis(tuple(slots), False)


def _best(first: Candidate, others: list[Candidate], chosen: list[Any], size: float) -> Candidate | None:
    """The candidate that brings most beyond the chosen orthonormal directions; None where none brings enough."""
    best, most = None, ENOUGH
    for other in others:
        direction = (other.local - first.local) / size if other.is_point else other.local
        for e in chosen:
            direction = direction - (direction @ e) * e
        new = float(np.linalg.norm(direction))
        if new > most * (1.0 + 1e-9):
            best, most = other, new
    return best


def _across(chosen: list[Any]) -> Any:
    """A unit vector at right angles to the chosen ones."""
    if len(chosen) == 2:
        return np.cross(chosen[0], chosen[1])
    axis = np.eye(3)[int(np.argmin(np.abs(chosen[0])))] if chosen else np.eye(3)[0]
    for e in chosen:
        axis = axis - (axis @ e) * e
    return axis / np.linalg.norm(axis)


def mass_blocks(tree: Tree, a: Any, b: Any) -> dict[str, Any]:
    """Blocks of the mass matrices: integrals of (a + b S)^T (a' + b' S) over the mass."""
    links = len(tree.link_parent)
    masses = {name: np.zeros((links, 4, 4)) for name in ("mass_1", "mass_S", "mass_u")}
    for link in range(tree.grounds, links):
        xx, yy, zz, xy, xz, yz = tree.link_I[link]
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        W = np.zeros((4, 4))  # second moments: of the place and the axes
        W[0, 0] = tree.link_mass[link]
        W[1:, 1:] = 0.5 * np.trace(I) * np.eye(3) - I
        aa, ab, bb = (x.T @ W @ y for x, y in ((a[link], a[link]), (a[link], b[link]), (b[link], b[link])))
        masses["mass_1"][link] = aa + bb
        masses["mass_S"][link] = ab - ab.T
        masses["mass_u"][link] = -bb
    return masses
