"""Rotors where every body has coordinates of its own: their carriers lend them mass and inertia across their axes.

A mass on the axis of a rotor, and equal moments across it, move with the carrier whether the rotor turns or not. So
they may be taken from the one and given to the other, and nothing changes but what the shaft between them carries,
which `massless.taken_off` takes off. The lender keeps half of its least moment of inertia or more.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

import numpy as np

from linkwork.assembly.reference import Reference
from linkwork.model import Body, Frame, Ground, Joint, Model, Rotor

DISC = 0.51  # moment across the axis of a disc of some thickness, of that about it
COAXIAL = 1e-9  # rad, and of the places of joints: axes that differ by less are one


class Inertia(NamedTuple):
    """Mass (kg), centre of mass (m, body frame) and inertia about it (body axes, kg m2)."""

    mass: float
    com: Any
    moments: Any


class Loan(NamedTuple):
    """A body that lacks inertia, the one that lends to it, and the joints between, each with +1 where b is nearer."""

    body: Body
    lender: Body
    joints: list[tuple[Joint, float]]


class RotorLoan(NamedTuple):
    """A loan to a rotor, and where its lender is, in the frame of the rotor."""

    loan: Loan
    there: Frame


def rotor_loans(model: Model, reference: Reference, lacking: set[int]) -> list[RotorLoan]:
    """The rotors that a body has that does not lack inertia, or a ground at rest: by welds, and by shafts of one axis.

    >>> model = lw.Model("drone")
    >>> frame = model.body("frame", mass=1.0, inertia=(0.1, 0.1, 0.2))
    >>> rotor = model.rotor("rotor", inertia=0.01, on=frame, axis=(0, 0, 1))
    >>> [each.loan.lender.path for each in rotor_loans(model, Reference(model), {id(rotor)})]
    ['frame']
    """
    rotors = [body for body in model.all_bodies() if isinstance(body, Rotor)]
    joints: dict[int, list[Joint]] = {}
    for joint in model.all_joints() if rotors else ():
        if joint.kind in ("fixed", "revolute"):
            joints.setdefault(id(joint.a), []).append(joint)
            joints.setdefault(id(joint.b), []).append(joint)
    found = (_loan(rotor, joints, reference, lacking) for rotor in rotors)
    return [each for each in found if each is not None]


def _loan(rotor: Rotor, joints: dict[int, list[Joint]], reference: Reference, lacking: set[int]) -> RotorLoan | None:
    waiting: deque[tuple[Body, Frame, list[tuple[Joint, float]]]] = deque([(rotor, Frame(), [])])
    known = {id(rotor)}
    while waiting:
        here, there, way = waiting.popleft()
        for joint in joints.get(id(here), ()):
            other, side = (joint.a, 1.0) if joint.b is here else (joint.b, -1.0)
            if id(other) in known:
                continue
            a, b = reference.frames(joint)
            near, far = (there @ b, a) if joint.b is here else (there @ a, b)
            size = max(float(np.linalg.norm(each.position)) for each in (a, b, there, reference.of(here)))
            if joint.kind == "revolute" and not _about_z(near, size):
                continue
            known.add(id(other))
            path, pose = [*way, (joint, side)], near @ far.inverse()
            if id(other) in lacking:
                waiting.append((other, pose, path))
            elif not isinstance(other, Ground) or at_rest(other):
                return RotorLoan(Loan(rotor, other, path), pose)
    return None


def _about_z(frame: Frame, size: float) -> bool:
    """Whether the z axis of a frame is that which it is given in; places are rounded by parts of `size`."""
    x, y = frame.position[:2]
    tilt = float(np.hypot(frame.matrix[0, 2], frame.matrix[1, 2]))
    return tilt < COAXIAL and float(np.hypot(x, y)) <= COAXIAL * size


def at_rest(ground: Ground) -> bool:
    """Whether a ground never moves, here or elsewhere."""
    return ground.motion is None and type(ground) is Ground


def lend_across(
    loans: list[RotorLoan], *, as_disc: bool = False
) -> tuple[list[tuple[Loan, Inertia]], dict[int, Inertia]]:
    """What is lent, and the inertias of rotors and of those that lent to them, by their identities.

    A rotor becomes as round as it can be: its moments across the axis are those about it, where the lender has enough.
    With `as_disc` it becomes a thin disc, whatever the lender has, and only the mass is kept small.
    """
    sharers: dict[int, int] = {}
    for each in loans:
        sharers[id(each.loan.lender)] = sharers.get(id(each.loan.lender), 0) + 1
    given: list[tuple[Loan, Inertia]] = []
    inertias: dict[int, Inertia] = {}
    taken: dict[int, list[tuple[float, Any, Any]]] = {}  # mass, its place from the centre of mass, moments
    for loan, there in loans:
        rotor, lender = loan.body, loan.lender
        axial = float(rotor.inertia[2, 2])
        mass, place, across = 1.0, np.zeros(3), axial  # of a ground: any will do, as it has no energy
        if not isinstance(lender, Ground):
            n, least = sharers[id(lender)], spread(lender.inertia) if as_disc else least_moment(lender.inertia)
            centre = there.point(lender.com)
            place = np.array([0.0, 0.0, centre[2]])
            away = float(centre[0] ** 2 + centre[1] ** 2)
            mass, across = lender.mass / (2 * n), DISC * axial if as_disc else min(axial, least / (4 * n))
            if mass * away > least / (8 * n):
                mass = least / (8 * n * away)
            R = there.matrix.T  # from the axes of the rotor to those of the lender
            moments = across * (np.eye(3) - np.outer(R[:, 2], R[:, 2]))
            taken.setdefault(id(lender), []).append((mass, R @ (place - centre), moments))
        part = Inertia(mass, place, np.diag([across, across, 0.0]))
        given.append((loan, part))
        inertias[id(rotor)] = Inertia(mass, place, part.moments + rotor.inertia)
    lenders = {id(each.loan.lender): each.loan.lender for each in loans}
    for key, parts in taken.items():
        inertias[key] = _left(lenders[key], parts)
    return given, inertias


def least_moment(moments: Any) -> float:
    """The least principal moment of inertia, kg m2."""
    return float(np.linalg.eigvalsh(moments)[0])


def spread(moments: Any) -> float:
    """The least integral of the square of a place along some axis, kg m2: negative for what no body can have."""
    return float(np.linalg.eigvalsh(0.5 * np.trace(moments) * np.eye(3) - moments)[0])


def _left(lender: Body, parts: list[tuple[float, Any, Any]]) -> Inertia:
    """What is left of a body without these parts: mass, place from its centre of mass, moments."""
    mass = lender.mass - sum(m for m, _, _ in parts)
    shift = -sum(m * r for m, r, _ in parts) / mass
    moments = lender.inertia - sum(I + m * _second(r) for m, r, I in parts) - mass * _second(shift)
    return Inertia(mass, lender.com + shift, moments)


def _second(r: Any) -> Any:
    """Moments of inertia of 1 kg at r."""
    return r @ r * np.eye(3) - np.outer(r, r)
