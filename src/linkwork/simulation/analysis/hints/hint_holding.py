"""What nothing holds, nothing can touch or nothing can move: forgotten joints and materials, axes out of line."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linkwork.assembly.system import System
from linkwork.model import Body, Ground, Model
from linkwork.model.contact.collider import Collider
from linkwork.model.forces.force import ForceElement
from linkwork.simulation.starts.mobility import stuck
from linkwork.simulation.starts.start import Closure, Start

MANY = 1e5  # numbers in the rows of the loops: of more of them the freedoms are not counted at the start of a run
LONG_SPRING = 50.0  # of the way between its ends, and of the extent of all joints: no unloaded spring is as long


def held_by_nothing(model: Model, system: System) -> Iterator[str]:
    """Bodies that fall since a joint was forgotten. Who says free(), pushes them or lets them touch means it."""
    if all(joint.hidden for joint in model.all_joints()) or not np.any(model.gravity) or any(model.all_events()):
        return
    # a string, a slot or a wheel that rolls holds too, and so does a joint that closes a loop
    joined = {id(body) for joint in model.all_joints() for body in (joint.a, joint.b)}
    busy = _pushed(model) | joined | {id(each.body) for each in model.all_colliders()}
    bodies = {body.path: body for body in model.all_bodies()}
    for name in system.floating:
        if name not in bodies or bodies[name].hidden:
            continue
        if id(bodies[name]) not in busy:
            yield f"body '{name}' is held by no joint, so that it falls: is a joint missing? If not, say free()"


def _pushed(model: Model) -> set[int]:
    """Bodies on which a force, spring, tyre or bushing acts, by their id."""
    return {id(body) for force in model.all_forces() for body in _bodies(force)}


def _bodies(force: ForceElement) -> list[Body]:
    named = (getattr(force, word, None) for word in ("a", "b", "body", "target"))
    return [each for each in named if isinstance(each, Body)]


def untouchable(model: Model) -> Iterator[str]:
    """Grounds, or bodies, with a material that nothing can touch: that of the others was forgotten."""
    colliders = list(model.all_colliders())
    grounds = [each for each in colliders if isinstance(each.body, Ground)]
    moving = [each for each in colliders if not isinstance(each.body, Ground)]
    if any(isinstance(each, Ground) for each in model.all_grounds()) and grounds and not moving:
        yield f"{_what(grounds[0])} can be touched by nothing: give bodies material= too, or they fall through it"
    elif not grounds and len({id(each.body) for each in moving}) == 1 and len(list(model.all_bodies())) > 1:
        yield f"{_what(moving[0])} can touch nothing, since nothing else has a material: give others material= too"
    elif grounds and moving:
        touching, joints = {id(each.body) for each in moving}, list(model.all_joints())
        for body in model.all_bodies():
            alone = body.shape is not None and not any(body in (joint.a, joint.b) for joint in joints)
            if alone and id(body) not in touching and not body.hidden:
                yield f"body '{body.path}' has no material=, so that it passes through {_what(grounds[0])} and bodies"


def _what(collider: Collider) -> str:
    kind = type(collider.shape).__name__.lower()
    return f"{kind} '{collider.path}'" if isinstance(collider.body, Ground) else f"body '{collider.body.path}'"


def spring_lengths(system: System, start: Start) -> Iterator[str]:
    """Springs whose unloaded length is far beyond all lengths of the mechanism."""
    forces = system.tables.forces
    if not np.any(forces.spring_length > 0.0):
        return
    closure = Closure(system)
    closure.cut_q[:] = start.cut_q
    closure.at(start.q, start.v)
    R, p = closure.work.pose_R.reshape(-1, 3, 3), closure.work.pose_p
    extent = float(np.linalg.norm(np.ptp(p, axis=0)))
    for name, (table, k) in system.force_rows.items():
        if table != "spring" or forces.spring_elastic[k] >= 0:
            continue
        a, b, length = forces.spring_a[k], forces.spring_b[k], float(forces.spring_length[k])
        way = p[b] + R[b] @ forces.spring_pb[k] - p[a] - R[a] @ forces.spring_pa[k]
        apart = float(np.linalg.norm(way))
        if length > LONG_SPRING * max(apart, extent) > 0.0:
            yield f"spring '{name}': length {length:g} m, but its ends start {apart:.3g} m apart: is it in millimetres?"


def stuck_loops(system: System, start: Start) -> Iterator[str]:
    """Loops that let nothing move. Where events change joints, they may be meant to."""
    if not system.cuts or system.rows * system.nv > MANY or any(system.model.all_events()):
        return
    closure = Closure(system)
    closure.cut_q[:] = start.cut_q
    closure.at(start.q, start.v)
    if told := stuck(closure):
        yield told
