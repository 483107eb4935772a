"""Bodies without mass, or without inertia about some axis, that are held by others: they move or turn with them.

Joint coordinates need no inertia for what does not move by itself. Where every body has coordinates of its own it needs
some. So a body without mass that is welded to another is lent a part of its mass and inertia, at the same place, and a
point mass or thin rod that is welded to another, or slides in it, a part of its inertia alone. They move, or turn, as
one, so that nothing else changes; only the joints between carry what moves the lent part, which `taken_off` takes off.

Other joints let a body without inertia move against all that could lend to it. It gets next to nothing: so little that
its neighbours hardly feel it, and enough for the forces on it to be told from rounding. Methods that solve for
accelerations solve once more with the forces that this inertia takes: then nothing of it is left.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from linkwork.assembly.reference import Reference
from linkwork.assembly.rotors import Inertia, Loan, at_rest, lend_across, rotor_loans, spread
from linkwork.assembly.tables import Floats
from linkwork.model import Body, Frame, Ground, Joint, Model, Rotor
from linkwork.model.laws.states import StateBody

THIN = 1e-12  # of the largest principal inertia: less is none
NEXT_TO_NOTHING = 1e-6  # of the lightest neighbour
ON_GIVEN = 1e-2  # of a rotor's own inertia, across its axis, where its carrier moves as given whatever it carries


def is_massless(body: Body) -> bool:
    """Whether it is a body that moves, without mass."""
    return body.mass == 0.0 and not isinstance(body, Ground)


def _lacking(model: Model) -> set[int]:
    """The bodies that lack inertia, by their identities."""
    return {id(body) for body in model.all_bodies() if is_thin(body)}


def is_thin(body: Body) -> bool:
    """Whether it lacks inertia about some axis."""
    low, _, high = np.linalg.eigvalsh(body.inertia)
    return not isinstance(body, Ground) and bool(low <= THIN * high)


def loans(model: Model) -> list[Loan]:
    """The bodies but rotors that lack inertia and are held by one that has it, or a ground at rest; by the nearest.

    >>> model = lw.Model("tool")
    >>> arm, flange = model.body("arm", mass=1.0, inertia=(1, 1, 1)), model.body("flange", mass=0)
    >>> weld = model.fixed("weld", arm, flange)
    >>> [(loan.body.path, loan.lender.path) for loan in loans(model)]
    [('flange', 'arm')]
    """
    lacking = _lacking(model)
    thin = [body for body in model.all_bodies() if id(body) in lacking and not isinstance(body, Rotor)]
    if not thin:
        return []
    welds, rails = (_neighbours(model, kinds) for kinds in (("fixed",), ("fixed", "prismatic")))
    found = (_loan(body, welds if is_massless(body) else rails, lacking) for body in thin)
    return [loan for loan in found if loan is not None]


def _neighbours(model: Model, kinds: tuple[str, ...]) -> dict[int, list[Joint]]:
    found: dict[int, list[Joint]] = {}
    for joint in model.all_joints():
        if joint.kind in kinds:
            found.setdefault(id(joint.a), []).append(joint)
            found.setdefault(id(joint.b), []).append(joint)
    return found


def _loan(body: Body, neighbours: dict[int, list[Joint]], lacking: set[int]) -> Loan | None:
    waiting: deque[tuple[Body, list[tuple[Joint, float]]]] = deque([(body, [])])
    known = {id(body)}
    while waiting:
        here, way = waiting.popleft()
        for joint in neighbours.get(id(here), ()):
            other, side = (joint.a, 1.0) if joint.b is here else (joint.b, -1.0)
            if id(other) in known:
                continue
            known.add(id(other))
            path = [*way, (joint, side)]
            if id(other) in lacking:
                waiting.append((other, path))
            elif not isinstance(other, Ground) or at_rest(other):
                return Loan(body, other, path)
    return None


def lent(model: Model, reference: Reference) -> tuple[list[tuple[Loan, Inertia]], dict[int, Inertia]]:
    """The loans of a model with what is lent, and the inertias of all that lend or borrow, by their identities."""
    made = loans(model)
    given, inertias = lend_across(rotor_loans(model, reference, _lacking(model)))
    masses: dict[int, int] = {}  # in how many parts the lender's mass goes, and its inertia
    moments: dict[int, int] = {}
    for loan in made:
        masses[id(loan.lender)] = masses.get(id(loan.lender), 1) + is_massless(loan.body)
        moments[id(loan.lender)] = moments.get(id(loan.lender), 1) + 1
    whole = {id(loan.lender): _has(loan.lender, inertias) for loan in made}
    for loan in made:
        body, lender, there = loan.body, loan.lender, Frame()  # where the lender is, in the frame of the body
        for joint, side in loan.joints:
            a, b = reference.frames(joint)
            there = there @ (b @ a.inverse() if side > 0.0 else a @ b.inverse())
        mass, size = _typical(model)
        if isinstance(lender, Ground):  # any will do, and in the origin of the world a mass has no height
            part = Inertia(mass, (there @ reference.of(lender).inverse()).position, mass * size**2 * np.eye(3))
        else:
            R, m, n, has = there.matrix, masses[id(lender)], moments[id(lender)], whole[id(lender)]
            part = Inertia(has.mass / m, there.point(has.com), R @ has.moments @ R.T / n)
            inertias[id(lender)] = Inertia(has.mass / m, has.com, has.moments / n)
        if is_massless(body):
            inertias[id(body)] = part
        else:
            part = Inertia(0.0, body.com, part.moments)
            inertias[id(body)] = Inertia(body.mass, body.com, body.inertia + part.moments)
        given.append((loan, part))
    return given, inertias


def rounded(model: Model, reference: Reference) -> dict[int, Inertia]:
    """Inertias of rotors as other programs want them, and of the carriers that lent to them, by their identities.

    Rotors are left out, the largest first, where no body could have what is left of their carrier.
    """
    found = rotor_loans(model, reference, _lacking(model))
    while True:
        inertias = lend_across(found, as_disc=True)[1]
        poor = {id(each.loan.lender) for each in found if _impossible(each.loan.lender, inertias)}
        large: dict[int, Body] = {}
        for each in found:
            body, key = each.loan.body, id(each.loan.lender)
            if key in poor and (key not in large or body.inertia[2, 2] > large[key].inertia[2, 2]):
                large[key] = body
        if not large:
            return inertias
        found = [each for each in found if all(each.loan.body is not body for body in large.values())]


def _impossible(body: Body, inertias: dict[int, Inertia]) -> bool:
    moments = _has(body, inertias).moments
    return not isinstance(body, Ground) and spread(moments) < min(0.0, spread(body.inertia)) - THIN * np.trace(moments)


def _has(body: Body, inertias: dict[int, Inertia]) -> Inertia:
    return inertias.get(id(body)) or Inertia(body.mass, body.com, body.inertia)


def fill(model: Model, reference: Reference, inertias: dict[int, Inertia]) -> dict[int, Inertia]:
    """Next to no inertia for the bodies that lack it and borrow none, about their joints; by their identities.

    >>> model = lw.Model("cross")
    >>> bar, ring = model.body("bar", mass=1.0, inertia=(1, 1, 1)), model.body("ring", mass=0)
    >>> outer = model.revolute("outer", "ground", ring, at=(0, 0, 0), axis=(1, 0, 0))
    >>> inner = model.revolute("inner", ring, bar, at=(0, 0, 0), axis=(0, 1, 0))
    >>> [inertia.mass for inertia in fill(model, Reference(model), {}).values()]
    [1e-06]
    """
    lacking = [body for body in model.all_bodies() if is_thin(body) and id(body) not in inertias]
    if not lacking:
        return {}
    joints: dict[int, list[tuple[Joint, Body, Body]]] = {}
    for joint in model.all_joints():
        if joint.kind != "free":
            joints.setdefault(id(joint.a), []).append((joint, joint.a, joint.b))
            joints.setdefault(id(joint.b), []).append((joint, joint.b, joint.a))
    found = {}
    for body in lacking:
        near = _lightest(body, joints)
        if isinstance(body, Rotor):  # its own inertia is the measure
            little = NEXT_TO_NOTHING * (near.mass if near is not None else _typical(model)[0])
            share = ON_GIVEN if on_given(body) else NEXT_TO_NOTHING
            found[id(body)] = Inertia(little, body.com, body.inertia + share * body.inertia[2, 2] * np.eye(3))
            continue
        if near is None:  # nothing says how it moves
            continue
        sides = [reference.frames(joint)[joint.a is not body].position for joint, _, _ in joints.get(id(body), ())]
        com = body.com if body.mass > 0.0 or not sides else np.mean(sides, axis=0)
        size = max((float(np.linalg.norm(side - com)) for side in sides), default=0.0)
        size = max(size, (float(np.trace(near.inertia)) / near.mass) ** 0.5) or _typical(model)[1]
        little = NEXT_TO_NOTHING * near.mass
        found[id(body)] = Inertia(body.mass or little, com, body.inertia + little * size**2 * np.eye(3))
    return found


def uncounted(bodies: list[Body], loans: list[tuple[Loan, Inertia]], filled: list[Body]) -> Iterator[tuple[Body, int]]:
    """The bodies whose energy is not that of the mass they have here: 0 for none, 2 for that about z."""
    given = {id(body) for body in filled}
    grounded = {id(loan.body) for loan, _ in loans if isinstance(loan.lender, Ground)}
    for body in bodies:
        if isinstance(body, Rotor):
            if id(body) in given or id(body) in grounded:
                yield body, 2
        elif isinstance(body, StateBody) or (id(body) in given and body.mass == 0.0):
            yield body, 0


def on_given(rotor: Rotor) -> bool:
    """Whether what carries a rotor, and all rotors below it, is a ground."""
    carrier = rotor.shaft.a
    while isinstance(carrier, Rotor):
        carrier = carrier.shaft.a
    return isinstance(carrier, Ground)


def given_to(body: Body, has: Inertia) -> tuple[float, float]:
    """What a body was given that now `has` so much, kg and kg m2."""
    return has.mass - body.mass, float(has.moments[0, 0] - np.asarray(body.inertia)[0, 0])


def _lightest(body: Body, joints: dict[int, list[tuple[Joint, Body, Body]]]) -> Body | None:
    """The lightest of a body and its neighbours that have mass, and beyond those that have none."""
    waiting, known, heavy = deque([body]), {id(body)}, [body] if body.mass > 0.0 else []
    while waiting:
        for _, _, other in joints.get(id(waiting.popleft()), ()):
            if id(other) in known or isinstance(other, Ground):
                continue
            known.add(id(other))
            if other.mass > 0.0:
                heavy.append(other)
            else:
                waiting.append(other)
    return min(heavy, key=lambda each: each.mass, default=None)


def _typical(model: Model) -> tuple[float, float]:
    """A mass and a radius of gyration of the size of those in the model."""
    heavy = [body for body in model.all_bodies() if body.mass > 0.0]
    mass = float(np.mean([body.mass for body in heavy])) if heavy else 1.0
    size = max((float(np.trace(body.inertia) / body.mass) ** 0.5 for body in heavy), default=0.0)
    return mass, size or 1.0


class Carried(NamedTuple):
    """What moves the lent inertia of one body: it is taken off the joint in the row `cut`."""

    cut: int
    side: float
    first_q: int  # of the body's centre and quaternion
    first_v: int
    inertia: Inertia
    b_first_q: int  # of body b of the joint; -1 where b is a ground
    point: Floats  # of the joint in the axes of b, from its centre; in the world where b is a ground


def taken_off(carried: list[Carried], gravity: Any, q: Any, v: Any, vd: Any, cut: int, reaction: Any) -> Any:
    """Reactions (rows, 6) of a joint without what moves lent inertia beyond it; q, v, vd are the rows' coordinates."""
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
    welds = _neighbours(model, ("fixed",))
    ghosts = [body for body in model.all_bodies() if is_massless(body) and not isinstance(body, Rotor)]
    found = (_loan(body, welds, {id(each) for each in ghosts}) for body in ghosts)
    for loan in (loan for loan in found if loan is not None):
        weld = loan.joints[0][0]
        yield f"body '{loan.body.path}' has no mass; it moves with '{loan.lender.path}', welded to it by '{weld.path}'"
