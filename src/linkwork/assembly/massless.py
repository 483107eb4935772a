"""Bodies without mass that are welded to others: they move with them, in every method.

Joint coordinates need no inertia for a link that does not move by itself. Where every body has coordinates of its own
it needs some, so a welded body without mass is lent a part of that of its neighbour, at the same place. The two move as
one, so that nothing else changes; only the weld carries what moves the lent part, which `taken_off` takes off.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from linkwork.assembly.reference import Reference
from linkwork.assembly.tables import Floats
from linkwork.model import Body, Frame, Ground, Joint, Model


class Inertia(NamedTuple):
    """Mass (kg), centre of mass (m, body frame) and inertia about it (body axes, kg m2)."""

    mass: float
    com: Any
    moments: Any


class Loan(NamedTuple):
    """A body without mass, the one that lends to it, and the welds between, each with +1 where b is nearer, else -1."""

    body: Body
    lender: Body
    welds: list[tuple[Joint, float]]


def is_massless(body: Body) -> bool:
    """Whether it is a body that moves, without mass."""
    return body.mass == 0.0 and not isinstance(body, Ground)


def loans(model: Model) -> list[Loan]:
    """The bodies without mass that welds hold to one with mass, or to a ground at rest; nearest first.

    >>> model = lw.Model("tool")
    >>> arm, flange = model.body("arm", mass=1.0, inertia=(1, 1, 1)), model.body("flange", mass=0)
    >>> weld = model.fixed("weld", arm, flange)
    >>> [(loan.body.path, loan.lender.path) for loan in loans(model)]
    [('flange', 'arm')]
    """
    welds: dict[int, list[Joint]] = {}
    for joint in model.all_joints():
        if joint.kind == "fixed":
            welds.setdefault(id(joint.a), []).append(joint)
            welds.setdefault(id(joint.b), []).append(joint)
    found = (_loan(body, welds) for body in model.all_bodies() if is_massless(body))
    return [loan for loan in found if loan is not None]


def _loan(body: Body, welds: dict[int, list[Joint]]) -> Loan | None:
    waiting: deque[tuple[Body, list[tuple[Joint, float]]]] = deque([(body, [])])
    known = {id(body)}
    while waiting:
        here, way = waiting.popleft()
        for joint in welds.get(id(here), ()):
            other, side = (joint.a, 1.0) if joint.b is here else (joint.b, -1.0)
            if id(other) in known:
                continue
            known.add(id(other))
            path = [*way, (joint, side)]
            if not is_massless(other):
                if isinstance(other, Ground) and (other.motion is not None or type(other) is not Ground):
                    continue
                return Loan(body, other, path)
            waiting.append((other, path))
    return None


def lent(model: Model, reference: Reference) -> tuple[list[Loan], dict[int, Inertia]]:
    """The loans of a model, and the inertias of all that lend or borrow, by the identities of their bodies."""
    made = loans(model)
    takers: dict[int, int] = {}
    for loan in made:
        takers[id(loan.lender)] = takers.get(id(loan.lender), 1) + 1
    inertias: dict[int, Inertia] = {}
    for loan in made:
        lender, there = loan.lender, Frame()  # where the lender is, in the frame of the body
        for joint, side in loan.welds:
            a, b = reference.frames(joint)
            there = there @ (b @ a.inverse() if side > 0.0 else a @ b.inverse())
        if isinstance(lender, Ground):  # any mass will do, and in the origin of the world it has no height
            mass, size = _typical(model)
            origin = there @ reference.of(lender).inverse()
            inertias[id(loan.body)] = Inertia(mass, origin.position, mass * size**2 * np.eye(3))
            continue
        part, R = 1.0 / takers[id(lender)], there.matrix
        mass = part * lender.mass
        inertias[id(lender)] = Inertia(mass, lender.com, part * lender.inertia)
        inertias[id(loan.body)] = Inertia(mass, there.point(lender.com), part * (R @ lender.inertia @ R.T))
    return made, inertias


def _typical(model: Model) -> tuple[float, float]:
    """A mass and a radius of gyration of the size of those in the model."""
    heavy = [body for body in model.all_bodies() if body.mass > 0.0]
    mass = float(np.mean([body.mass for body in heavy])) if heavy else 1.0
    size = max((float(np.trace(body.inertia) / body.mass) ** 0.5 for body in heavy), default=0.0)
    return mass, size or 1.0


class Carried(NamedTuple):
    """What moves the lent inertia of one body: it is taken off the weld in the row `cut`."""

    cut: int
    side: float
    first_q: int  # of the body's centre and quaternion
    first_v: int
    inertia: Inertia
    b_first_q: int  # of body b of the weld; -1 where b is a ground
    point: Floats  # of the weld in the axes of b, from its centre; in the world where b is a ground


def taken_off(carried: list[Carried], gravity: Any, q: Any, v: Any, vd: Any, cut: int, reaction: Any) -> Any:
    """Reactions (rows, 6) of a weld without what moves lent inertia beyond it; q, v, vd are the rows' coordinates."""
    result = reaction.copy()
    for each in carried:
        if each.cut != cut:
            continue
        mass, _, moments = each.inertia
        centre, R = q[:, each.first_q : each.first_q + 3], _matrices(q[:, each.first_q + 3 : each.first_q + 7])
        at = each.first_v
        w, a, wd = v[:, at + 3 : at + 6], vd[:, at : at + 3], vd[:, at + 3 : at + 6]
        force = mass * (a - gravity)
        I = R @ moments @ R.transpose(0, 2, 1)
        torque = _times(I, wd) + np.cross(w, _times(I, w))
        point = each.point
        if each.b_first_q >= 0:
            b = q[:, each.b_first_q : each.b_first_q + 7]
            point = b[:, :3] + _matrices(b[:, 3:]) @ each.point
        result[:, :3] -= each.side * force
        result[:, 3:] -= each.side * (torque + np.cross(centre - point, force))
    return result


def _times(matrices: Any, vectors: Any) -> Any:
    return np.einsum("kij,kj->ki", matrices, vectors)


def _matrices(quaternions: Any) -> Any:
    """Rotations (rows, 3, 3) of quaternions (rows, 4)."""
    w, x, y, z = np.moveaxis(quaternions, 1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.moveaxis(np.array(rows), 2, 0)


def told(model: Model) -> Iterator[str]:
    """What is to be said of welded bodies without mass, one sentence each."""
    for loan in loans(model):
        weld = loan.welds[0][0]
        yield f"body '{loan.body.path}' has no mass; it moves with '{loan.lender.path}', welded to it by '{weld.path}'"
