"""Joints attached and released between two steps: the system is assembled anew, the motion carried over.

An attached joint is a cut, whatever it joins: the tree and its coordinates stay as they are. Positions never jump: the
joint is placed where its bodies are. Velocities change by an inelastic impulse p on all rows of all loops,

    M v+ = M v- + G^T p        G v+ = b        (b the rates that moving grounds ask for)

which costs 1/2 (v+ - v-)^T M (v+ - v-), the least that closes the rates, while moving grounds put in p . b.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from linkwork.assembly.assemble import ROUNDED, assemble
from linkwork.assembly.kinds import coordinates, misfit, placed
from linkwork.assembly.reference import ground_pose, joint_frame
from linkwork.assembly.system import JointPlace, System
from linkwork.assembly.tables import Floats
from linkwork.errors import ModelError
from linkwork.model import Altered, Body, Foreign, Frame, Ground, Joint, Model
from linkwork.simulation.analysis.dynamics import forward_kinematics, mass_matrix
from linkwork.simulation.starts.mobility import DEPENDENT
from linkwork.simulation.starts.start import Closure

HELD = 1e-9  # m/s or rad/s, relative to the fastest: what an impulse may leave of a forbidden velocity


class Moment(NamedTuple):
    """A system in motion at one instant."""

    system: System
    time: float
    q: Floats
    v: Floats
    cut_q: Floats
    cut_rate: Floats


class AttachImpulse(NamedTuple):
    """What an attachment did: rates of change of v, impulses of the rows, energy lost, energy put in by grounds."""

    v: Floats
    rows: Floats
    lost: float
    work: float


def seen(system: System, time: float, q: Floats, v: Floats, cut_q: Floats) -> Moment:
    """The moment with the coordinates of the cuts measured on its own q and v."""
    closure = Closure(system, time)
    closure.cut_q[:] = cut_q
    closure.at(q, v)
    return Moment(system, time, q.copy(), v.copy(), closure.cut_q.copy(), closure.cut_rate.copy())


def changed(moment: Moment, attached: Sequence[Joint], released: Sequence[Joint]) -> Moment:
    """The same motion in the system with these joints attached and released since the model was built."""
    old = moment.system
    model = Altered(old.model.built, attached, released)
    return transferred(moment, assembled_like(model, old))


def assembled_like(model: Model, old: System) -> System:
    """The model in tables of the same kind, with the compiled laws of the old ones."""
    return assemble(model, absolute=old.absolute, floating=True, driven=old.driven, filled=old.fills, before=old)


def transferred(moment: Moment, new: System) -> Moment:
    """The same motion in another system of the same bodies; joints of one may be cuts of the other."""
    old = moment.system
    q, v, cut_q = new.q_start.copy(), new.v_start.copy(), new.cut_start.copy()
    known = {place.name: (moment.q[place.q], moment.v[place.v]) for place in old.joints if place.joint is not None}
    known |= {place.name: (moment.cut_q[place.q], moment.cut_rate[place.v]) for place in old.cuts}
    loose = {place.body: (moment.q[place.q], moment.v[place.v]) for place in old.joints if place.joint is None}
    free: dict[str, tuple[Floats, Floats]] = {}
    for place in new.joints:
        if place.joint is None and place.body not in loose:  # a body that has come loose
            free = free or free_motions(moment)
            loose[place.body] = free[place.body]
        q[place.q], v[place.v] = loose[place.body] if place.joint is None else known[place.name]
    if new.absolute and (old.centres or new.centres):  # welds came or went of bodies without mass
        free = free or free_motions(moment)
        for body, place in zip(new.model.all_bodies(), new.joints, strict=True):
            (x, e), (u, w) = np.split(free[body.path][0], [3]), np.split(free[body.path][1], [3])
            arm = Frame((0, 0, 0), e).matrix @ new.centre(body)
            q[place.q], v[place.v] = [*(x + arm), *e], [*(u + np.cross(w, arm)), *w]
    cut_q[cut_q.size - len(new.coupled) :] = offsets(moment, new)
    for place in new.cuts:
        cut_q[place.q] = known[place.name][0] if place.name in known else attached_start(moment, place)
    return seen(new, moment.time, q, v, cut_q)


def offsets(moment: Moment, new: System) -> list[float]:
    """What the terms of the couplings of a system add up to; where one is new, what it finds."""
    first = moment.cut_q.size - len(moment.system.coupled)
    known = {each.part.path: moment.cut_q[first + j] for j, each in enumerate(moment.system.coupled)}
    return [known.get(each.part.path, each.offset) for each in new.coupled]


def free_motions(moment: Moment) -> dict[str, tuple[Floats, Floats]]:
    """Coordinates and velocities of every body as if nothing held it: those of its frame, in world axes."""
    system = moment.system
    closure = Closure(system, moment.time)
    closure.at(moment.q, moment.v)
    found = {}
    for name, (x, e) in forward_kinematics(system, moment.q, time=moment.time).items():
        link = int(system.tables.tree.body_link[system.body_names.index(name)])
        w, u = closure.work.pose_v[link, :3], closure.work.pose_v[link, 3:]
        found[name] = np.array([*x, *e]), np.array([*(u + np.cross(w, x - closure.work.pose_p[link])), *w])
    return found


def attached_start(moment: Moment, place: JointPlace) -> Floats:
    """The coordinates of a joint in the moment it is attached."""
    joint = place.joint
    assert joint is not None
    assert joint.frame_a is not None
    assert joint.frame_b is not None
    pose_a, pose_b = poses(moment, joint.a, joint.b)
    relative = (pose_a @ joint.frame_a).inverse() @ (pose_b @ joint.frame_b)
    return coordinates(joint.kind, relative, joint.pitch / (2.0 * np.pi))


def poses(moment: Moment, *bodies: Body) -> list[Frame]:
    """World poses of bodies and grounds."""
    known = forward_kinematics(moment.system, moment.q, time=moment.time)
    closure = Closure(moment.system, moment.time)
    closure.at(moment.q, moment.v)
    found = []
    for body in bodies:
        if not isinstance(body, Ground):
            found.append(Frame(*known[body.path]))
        elif body.motion is None:
            found.append(ground_pose(body))
        else:
            link = moment.system.link_names.index(body.path)
            found.append(Frame(closure.work.pose_p[link], closure.work.pose_R[link].reshape(3, 3)))
    return found


def met(moment: Moment, joint: Joint) -> Joint:
    """The joint with its two frames placed where its bodies are now; refuses frames that do not meet."""
    for body in (joint.a, joint.b):
        if isinstance(body, Foreign):
            raise ModelError(
                f"attached {joint.kind} joint '{joint.path}': '{body.path}' belongs to a component elsewhere, to which "
                "nothing can be attached during a run; join it in the model"
            )
    pose_a, pose_b = poses(moment, joint.a, joint.b)
    frame_a, frame_b = joint.frame_a, joint.frame_b
    if frame_a is None and frame_b is None:
        place = joint_frame(joint, pose_a, pose_b)
        frame_a, frame_b = pose_a.inverse() @ place, pose_b.inverse() @ place
    elif frame_b is None:
        assert frame_a is not None
        frame_b = pose_b.inverse() @ pose_a @ frame_a
    elif frame_a is None:
        frame_a = pose_a.inverse() @ pose_b @ frame_b
    else:
        pitch = joint.pitch / (2.0 * np.pi)
        in_a = pose_a.inverse() @ pose_b @ frame_b
        relative = frame_a.inverse() @ in_a
        distance, angle = misfit(joint.kind, relative, pitch)
        if max(distance, angle) > ROUNDED:
            off = " and ".join(f"{x:.4g} {unit}" for x, unit in ((distance, "m"), (angle, "rad")) if x > 1e-9)
            raise ModelError(
                f"attached {joint.kind} joint '{joint.path}': its places on '{joint.a.path}' and '{joint.b.path}' are "
                f"{off} apart at t = {moment.time:.6g} s; attach it when they meet, or give one of frame_a= and "
                "frame_b= only, to take the other where it is then"
            )
        # what is left of a gap stays where it is: the joint is made to fit
        frame_a = in_a @ placed(joint.kind, coordinates(joint.kind, relative, pitch), pitch).inverse()
    return replace(joint, at=None, axis=None, frame_a=frame_a, frame_b=frame_b)


def struck(moment: Moment, name: str) -> AttachImpulse:
    """The impulse that ends all forbidden velocities of a moment; `name` is the joint just attached."""
    system = moment.system
    closure = Closure(system, moment.time)
    closure.cut_q[:] = moment.cut_q
    closure.at(moment.q, moment.v)
    closure.leave_play()
    M = mass_matrix(system, moment.q)
    rates = closure.gd.copy()
    dv, rows = least_impulse(M, closure.G, rates)
    grounds = closure.G @ moment.v - rates
    closure.at(moment.q, moment.v + dv)
    closure.leave_play()
    fastest = max(1.0, float(np.max(np.abs(closure.work.pose_v), initial=0.0)), float(np.max(np.abs(rates))))
    if float(np.max(np.abs(closure.gd), initial=0.0)) > HELD * fastest:
        raise ModelError(
            f"attached joint '{name}': no motion of '{system.model.name}' can follow it at t = {moment.time:.6g} s, "
            "because its loops leave no freedom for what a moving ground does; use a joint with more freedom"
        )
    return AttachImpulse(moment.v + dv, rows, 0.5 * float(dv @ M @ dv), float(rows @ grounds))


def least_impulse(M: Floats, G: Floats, rates: Floats) -> tuple[Floats, Floats]:
    """The change of v by which G v loses `rates`, of least M, and the impulses of the rows that make it."""
    # rows on velocities in which the mass matrix is 1, each scaled by its own response
    root = np.linalg.inv(np.linalg.cholesky(M)).T
    N = G @ root
    scale = np.linalg.norm(N, axis=1)
    scale[scale <= DEPENDENT * max(float(scale.max(initial=0.0)), 1e-300)] = np.inf
    N = N / scale[:, None]
    back = np.linalg.pinv(N, rcond=DEPENDENT)
    y = -back @ (rates / scale)
    return root @ y, back.T @ y / scale


def impulse_at(moment: Moment, name: str, rows: Floats) -> Floats:
    """Impulse (N s) and its moment (N m s) on b from a at the joint's point, world axes, from impulses of rows."""
    system = moment.system
    closure = Closure(system, moment.time)
    closure.at(moment.q, moment.v)
    place = next(place for place in system.cuts if place.name == name)
    cuts = system.tables.cuts
    of = slice(int(cuts.cut_row[place.last]), int(cuts.cut_row[place.last + 1]))
    n, f = rows[of] @ closure.W[of, :3], rows[of] @ closure.W[of, 3:]
    rotation = closure.work.pose_R[place.link_b].reshape(3, 3)
    point = closure.work.pose_p[place.link_b] + rotation @ place.frame_b[1]
    result: Floats = np.concatenate([f, n - np.cross(point, f)])
    return result
