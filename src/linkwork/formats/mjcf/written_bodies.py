"""Bodies, joints and loops in the words of MJCF."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwork.assembly.rotors import Inertia
from linkwork.formats.mjcf.markup import Markup
from linkwork.formats.mjcf.spanning import WrittenBranch, body_key
from linkwork.formats.mjcf.writing import MjcfWriting, turned
from linkwork.model import Body, Cone, Distance, Frame, Joint, Rotor, TorsionSpring
from linkwork.model.joints.cone import WHOLE_TURN
from linkwork.model.joints.joint_kinds import KINDS

TINY = 1e-14  # kg, kg m2: MuJoCo wants some inertia of every body that moves
FAR = 1e6  # rad or m: a limit on one side only
ARM = 0.1  # m between the two points that hold a hinge
ENDINGS = {
    "cylindrical": (" turn", " slide"),
    "universal": (" first", " second"),
    "planar": (" x", " y", " turn"),
    "screw": ("", " slide"),
}


def write_bodies(writing: MjcfWriting) -> None:
    """The tree of bodies, then what closes loops."""
    world = writing.bodies[0] = Markup("worldbody")
    coils = _coils(writing)
    for branch in writing.tree.carried.get(0, ()):
        _branch(writing, world, branch, coils)
    for body, joint in writing.tree.roots:
        q, v = writing.start.root(body)
        element = world.add(Markup("body", name=writing.names.of("body", body), pos=q[:3], quat=q[3:]))
        part: Any = joint or body
        options = {} if joint is None else _options(joint, None)
        element.add(Markup("joint", name=writing.names.of("joint", part), type="free", **options))
        writing.qpos += q
        writing.qvel += v
        if joint is not None:
            writing.said(joint, "free")
        _fill(writing, element, body, coils)
    for joint in writing.tree.idle:
        if joint.damping or joint.friction:
            writing.lost(joint, "a free joint between moving bodies has no damping or friction in MJCF")
        else:
            writing.said(joint, "free bodies need no joint")
    for joint in writing.tree.cuts:
        _loop(writing, joint)


def _coils(writing: MjcfWriting) -> dict[int, list[TorsionSpring]]:
    found: dict[int, list[TorsionSpring]] = {}
    for force in writing.model.all_forces():
        if isinstance(force, TorsionSpring):
            found.setdefault(id(force.joint), []).append(force)
    return found


def _branch(writing: MjcfWriting, parent: Markup, branch: WrittenBranch, coils: Any) -> None:
    pose, joint = writing.tree.zero_pose(branch), branch.joint
    name = writing.names.of("body", branch.child)
    element = parent.add(Markup("body", name=name, pos=pose.position, quat=turned(pose)))
    if joint.kind != "fixed":
        q, v = writing.start.branch(writing.tree, branch)
        if joint.kind == "screw":
            pitch = joint.pitch / (2 * math.pi)
            q, v = [q[0], pitch * q[0]], [v[0], pitch * v[0]]
            q, v = (q[::-1], v[::-1]) if branch.mirrored else (q, v)
        writing.qpos += q
        writing.qvel += v
        _joints(writing, element, branch, coils.get(id(joint), []))
    writing.said(joint, joint.kind)
    _fill(writing, element, branch.child, coils)


def _fill(writing: MjcfWriting, element: Markup, body: Body, coils: Any) -> None:
    """Mass and inertia, then the bodies further out."""
    writing.bodies[id(body)] = element
    has = writing.rounded.get(id(body)) or Inertia(body.mass, body.com, body.inertia)
    mass, moments = float(has.mass), np.asarray(has.moments, dtype=float)
    if isinstance(body, Rotor) and id(body) not in writing.rounded:
        writing.lost(body, "its carrier has too little inertia to make it a body")
        moments = np.zeros((3, 3))
    if np.array_equal(moments, np.diag(np.diag(moments))):
        principal, turn = np.diag(moments).copy(), None
    else:
        principal, axes = np.linalg.eigh(moments)
        turn = Frame(rotation=axes if np.linalg.det(axes) > 0 else -axes).rotation
        principal = np.maximum(principal, 0.0)
    if mass < TINY or principal.min() < TINY:
        mass, principal = max(mass, TINY), principal + TINY
        writing.near(body, f"lacks inertia, which MuJoCo wants of every body: it gets {TINY:g}")
    elif isinstance(body, Rotor):
        writing.said(body, f"with {mass:g} kg of its carrier, and moments across its axis")
    else:
        writing.said(body, f"{mass:g} kg")
    element.add(Markup("inertial", pos=has.com, quat=turn, mass=mass, diaginertia=principal))
    for branch in writing.tree.carried.get(id(body), ()):
        _branch(writing, element, branch, coils)


def _options(joint: Joint, limits: tuple[float, float] | None) -> dict[str, Any]:
    found: dict[str, Any] = {
        "damping": joint.damping or None,
        "frictionloss": joint.friction or None,
        "armature": joint.armature or None,
    }
    if limits is not None and limits != (-math.inf, math.inf):
        found |= {"limited": "true", "range": np.clip(limits, -FAR, FAR)}
    return found


def _joints(writing: MjcfWriting, element: Markup, branch: WrittenBranch, coils: list[TorsionSpring]) -> None:
    """One joint of MJCF for each motion of ours, in the order from the parent outward."""
    joint, kind = branch.joint, branch.joint.kind
    a, b = writing.tree.frames(joint)
    frame, sign = (a, -1.0) if branch.mirrored else (b, 1.0)
    if joint.limit_softness is not None:
        writing.near(joint, "the softness of its limits is that of MuJoCo's default")
    if isinstance(joint.limits, Cone) and (joint.limits.swing < math.inf or joint.limits.twist != WHOLE_TURN):
        writing.lost(joint, "swing and twist of its cone; MuJoCo limits the whole turn of balls alone")
    if kind == "ball":
        name = writing.names.of("joint", joint)
        turn = joint.limits.turn if isinstance(joint.limits, Cone) else math.inf
        options = _options(joint, (0.0, turn) if turn < math.inf else None)
        ball = Markup("joint", name=name, type="ball", pos=frame.position, **options)
        writing.joint_elements[id(joint), 0] = element.add(ball)
        return
    motions = [
        (k, "slide" if motion.word == "slide" else "hinge", motion.axis) for k, motion in enumerate(_motions(kind))
    ]
    if kind == "screw":
        motions = [(0, "hinge", 2), (1, "slide", 2)]
        writing.near(joint, "a hinge and a slide that a constraint couples, which gives way in MuJoCo")
    for k, type_, axis in reversed(motions) if branch.mirrored else motions:
        limits = joint.coordinate_limits[k] if k < joint.nv else None
        options = _options(joint, limits) if k < joint.nv else {}
        options |= _spring(joint, coils if k == 0 else [], k < joint.nv)
        name = writing.names.of("joint", joint, ENDINGS.get(kind, ("",))[k])
        writing.joint_names[id(joint), k] = name
        along = sign * frame.direction(np.eye(3)[axis])
        element.add(Markup("joint", name=name, type=type_, pos=frame.position, axis=along, **options))
    if kind == "screw":
        couple = [0.0, joint.pitch / (2 * math.pi), 0.0, 0.0, 0.0]
        names = {"joint1": writing.joint_names[id(joint), 1], "joint2": writing.joint_names[id(joint), 0]}
        writing.section("equality").add(Markup("joint", **names, polycoef=couple))


def _motions(kind: str) -> Any:
    return KINDS[kind].motions


def _spring(joint: Joint, coils: list[TorsionSpring], own: bool) -> dict[str, Any]:
    """Stiffness, its rest and damping of a joint with the springs in it."""
    springs = [(joint.stiffness, joint.rest)] if own and joint.stiffness else []
    springs += [(coil.stiffness, coil.angle) for coil in coils if coil.stiffness]
    found: dict[str, Any] = {}
    stiffness = sum(each for each, _ in springs)
    if stiffness:
        mean = sum(each * rest for each, rest in springs) / stiffness
        found = {"stiffness": stiffness, "springref": springs[0][1] if len(springs) == 1 else mean}
    extra = sum(coil.damping for coil in coils)
    if extra:
        found["damping"] = joint.damping + extra
    return found


def _loop(writing: MjcfWriting, joint: Joint) -> None:
    """A joint that closes a loop, held at sites."""
    a, b = writing.tree.reference.frames(joint)
    section = writing.section("equality")
    if any(body_key(body) not in writing.bodies for body in (joint.a, joint.b)):
        return
    if isinstance(joint, Distance):
        _rod(writing, joint, a, b)
        return
    if joint.kind not in ("ball", "fixed", "revolute"):
        writing.lost(joint, f"a {joint.kind} joint that closes a loop has no counterpart in MJCF")
        return
    if joint.limits or joint.friction or joint.damping or joint.stiffness or joint.armature:
        writing.lost(joint, "limits, friction, damping, stiffness or armature of a joint that closes a loop")
    points = [("", Frame())] if joint.kind != "revolute" else [("", Frame()), (" 2", Frame((0, 0, ARM)))]
    for ending, point in points:
        sites = {
            "site1": writing.site(joint, f"{ending} a", joint.a, a @ point),
            "site2": writing.site(joint, f"{ending} b", joint.b, b @ point),
        }
        name = writing.names.of("equality", joint, ending)
        section.add(Markup("weld" if joint.kind == "fixed" else "connect", name=name, **sites))
    writing.near(joint, "it closes a loop by a constraint, which gives way in MuJoCo")


def _rod(writing: MjcfWriting, rod: Distance, a: Frame, b: Frame) -> None:
    """Two points that keep their distance: a tendon whose length is held."""
    reference = writing.tree.reference
    ends = [reference.of(body) @ frame for body, frame in ((rod.a, a), (rod.b, b))]
    apart = ends[1].position - ends[0].position
    length = math.sqrt(float(apart @ apart)) if rod.length is None else rod.length
    zero = zero_points(writing, (rod.a, a), (rod.b, b))
    tendon = Markup("spatial", name=writing.names.of("tendon", rod))
    for end, body, frame in ((" a", rod.a, a), (" b", rod.b, b)):
        tendon.add(Markup("site", site=writing.site(rod, end, body, frame)))
    writing.section("tendon").add(tendon)
    tied = Markup("tendon", name=writing.names.of("equality", rod), tendon1=tendon.attributes["name"])
    tied.attributes["polycoef"] = [length - zero, 0.0, 0.0, 0.0, 0.0]
    writing.section("equality").add(tied)
    writing.near(rod, "a tendon of constant length, which gives way in MuJoCo")


def zero_points(writing: MjcfWriting, *ends: tuple[Body, Frame]) -> float:
    """The distance of two points where all joints are at zero and free bodies at their starts."""
    poses: dict[int, Frame] = {0: Frame()}
    waiting = [(0, branch) for branch in writing.tree.carried.get(0, ())]
    for body, _ in writing.tree.roots:
        poses[id(body)] = writing.start.poses[body.path]
        waiting += [(id(body), branch) for branch in writing.tree.carried.get(id(body), ())]
    while waiting:
        parent, branch = waiting.pop()
        poses[id(branch.child)] = poses[parent] @ writing.tree.zero_pose(branch)
        waiting += [(id(branch.child), inner) for inner in writing.tree.carried.get(id(branch.child), ())]
    p, q = (poses[body_key(body)].point(writing.inside(body, frame).position) for body, frame in ends)
    return math.sqrt(float((q - p) @ (q - p)))
