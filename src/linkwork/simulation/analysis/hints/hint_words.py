"""Numbers of a model that look like a mistake: lengths in millimetres, angles in degrees, quaternions x, y, z, w."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np

from linkwork.errors import ModelError
from linkwork.model import Body, Joint, Model, Motor, TorsionSpring
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.model.laws.laws import Constant

LIGHTEST = 1.0  # kg/m3: air
HEAVIEST = 1e5  # kg/m3: four times the densest metal
GRAMS = 12.0  # kg/m3: solids have more, and up to here in g/cm3
HEAVY = 1e8  # kg: a large ship
SAME = 1e-6  # relative: a shape whose inertia is that of its body is more than a picture
LONG = 10.0  # m: longer bodies without a shape are weighed
THIN = 1e-6  # kg/m3, of the cube around a body without a shape: a steel rope of 100 m has ten times that
FAR_OUT = 10.0  # of the radius of gyration of its shape: farther out no body has its mass
TURNS = 4.0 * math.pi  # rad: a joint that starts beyond two turns, in whole or half numbers, is given in degrees
ROUND = 10.0  # rad: or from here on in fives


def densities(model: Model) -> Iterator[str]:
    """Bodies that are too light, too heavy or too large for anything. Shapes for the eye are not weighed."""
    for body in model.all_bodies():
        own, given, mass = shape_gyration(body), gyration(body), body.mass
        if body.shape is None or own is None or not mass > 0.0:
            continue
        name, volume = f"body '{body.path}'", body.shape.volume
        if given > FAR_OUT * own:
            far = f"that of {mass:.4g} kg at {given:.3g} m from the centre, its shape reaches {own:.2g} m"
            yield f"{name}: its inertia is {far}: is inertia= in kg m2?"
        elif body.density is not None:
            if mass > HEAVY:
                told = f"mass {mass:.2g} kg ({volume:.2g} m3 at {body.density:g} kg/m3)"
                yield f"{name}: {told}: are lengths in millimetres?"
            elif 1.0 < body.density < GRAMS:
                yield f"{name}: density {body.density:g} kg/m3, a little more than air: is it in g/cm3?"
        elif _is_made_of_it(body):
            told = f"density {mass / volume:.2g} kg/m3 ({mass:.4g} kg in {volume:.2g} m3)"
            if mass < LIGHTEST * volume:
                yield f"{name}: {told}: are lengths in millimetres?"
            elif mass > HEAVIEST * volume:
                yield f"{name}: {told}: is its mass in grams?"


def thin(body: Body, across: float) -> str | None:
    """A hint at a body whose shape does not tell: long, `across` (m) its joints, and weighing nothing."""
    own, span = shape_gyration(body), max(across, 2.0 * gyration(body))
    if own is not None and (_is_made_of_it(body) or gyration(body) > FAR_OUT * own):
        return None  # which is told of its density, or of its inertia
    if span > LONG and 0.0 < body.mass < THIN * span**3:
        return f"body '{body.path}': {body.mass:.4g} kg over {span:.4g} m: are lengths in millimetres?"
    return None


def _is_made_of_it(body: Body) -> bool:
    """Whether the shape of a body is more than a picture: its inertia is that of the shape."""
    if body.shape is None or shape_gyration(body) is None:
        return False
    of_shape = body.mass * body.shape.inertia_per_mass()
    return bool(np.abs(body.inertia - of_shape).max() <= SAME * np.trace(of_shape))


def gyration(body: Body) -> float:
    """Root of the mean square distance of a body's mass from its centre, m."""
    return math.sqrt(0.5 * float(np.trace(body.inertia)) / body.mass) if body.mass > 0.0 else 0.0


def shape_gyration(body: Body) -> float | None:
    """The same of its shape, filled evenly; None where it has no shape, or one without a volume."""
    try:
        if body.shape is None or not body.shape.volume > 0.0:
            return None
        return math.sqrt(0.5 * float(np.trace(body.shape.inertia_per_mass())))
    except ModelError:
        return None


def angles(model: Model) -> Iterator[str]:
    """Start positions, limits, rests and set points of joints that look like degrees."""
    for joint in model.all_joints():
        turning = KINDS[joint.kind].angles
        sides = joint.coordinate_limits if joint.limits is not None else ()
        given = {
            "position": [joint.position[k] for k in turning] if joint.position else [],
            "limits": [side for k in turning if sides for side in sides[k]],
            "rest": [joint.rest] if turning and joint.nv == 1 else [],
        }
        for option, numbers in given.items():
            yield from _degrees(joint, f"{joint.kind} joint '{joint.path}': {option}", numbers)
    for drive in model.all_drives():
        if isinstance(drive, Motor) and isinstance(drive.position, Constant):
            yield from _degrees(drive.joint, f"motor '{drive.path}': position", [float(drive.position.value)])
    for force in model.all_forces():
        if isinstance(force, TorsionSpring):
            yield from _degrees(force.joint, f"torsion spring '{force.path}': angle", [force.angle])


def _degrees(joint: Joint, what: str, numbers: Iterable[float]) -> Iterator[str]:
    """A hint at the first of these angles of a joint that looks like degrees."""
    for x in numbers if KINDS[joint.kind].angles else ():
        size = abs(x)
        if math.isfinite(x) and ((size > TURNS and size % 0.5 == 0.0) or (size >= ROUND and size % 5.0 == 0.0)):
            turns = size / (2.0 * math.pi)
            yield f"{what} {x:g} rad is {turns:.3g} turns: is it in degrees? ({math.radians(x):.4g} rad)"
            return


def quaternions(model: Model) -> Iterator[str]:
    """Rotations that all look like x, y, z, w: half a turn about z, which is then none, or about a slanting axis."""
    given: list[tuple[str, tuple[float, ...]]] = []
    for body in model.all_bodies():
        if body.reference is not None:
            given.append((f"body '{body.path}': rotation", tuple(body.reference.rotation.tolist())))
    for joint in model.all_joints():
        if KINDS[joint.kind].has_quaternion and joint.position is not None:
            given.append((f"{joint.kind} joint '{joint.path}': position", tuple(joint.position[-4:])))
    turned = [(what, rotation) for what, rotation in given if abs(rotation[0]) < 1.0]
    if turned and all(_last_is_scalar(rotation) for _, rotation in turned):
        what, rotation = turned[0]
        told = ", ".join(f"{number:.4g}" for number in rotation)
        yield f"{what} ({told}) is half a turn: is it x, y, z, w? Write w, x, y, z; no turn is (1, 0, 0, 0)"


def _last_is_scalar(rotation: tuple[float, ...]) -> bool:
    """Whether x, y, z, w would be a turn about y or z, or none, where w, x, y, z is half a turn."""
    w, x, y, z = rotation
    return w == 0.0 and z > 0.0 and (x == 0.0 or y == 0.0)
