"""Makers of random mechanisms with a hierarchy of subsystems, and of their flat twins.

    random_hierarchy(seed, …)    a plan: containers in containers, bodies and joints anywhere in them
    plan.build()                 the model with its subsystems
    plan.build(flat=True)        the same bodies and joints in one model, without any subsystem
    hierarchies()                hypothesis strategy

A joint stands in the lowest container that holds both its bodies, or in any above it. Grounds are those of any
container. Some joints are doubled: a second one of the same kind on the same axis, in any container that may hold it,
so that rows are dependent inside components and across them. Everything stands in its reference configuration, where
all loops close.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linkwork as lw
from random_mechanisms import (
    DEGREES,
    perpendicular,
    random_body_numbers,
    random_direction,
    random_frame,
    random_loops,
    random_rotation,
)

Array = NDArray[np.float64]
KINDS = ("revolute", "prismatic", "cylindrical", "screw", "universal", "ball", "planar")
ALONG_AXIS = ("revolute", "prismatic", "cylindrical")  # a second one anywhere on the axis lets the same motions through
GROUND = -1


@dataclass
class PlannedJoint:
    name: str
    kind: str
    a: int  # body, or GROUND
    b: int
    at: Array  # world
    axis: Any  # world; two of them for a universal joint
    pitch: float = 0.0
    ground: int = 0  # container whose ground is meant
    owner: int = 0
    velocity: float | None = None

    @property
    def ends(self) -> tuple[int, int]:
        return self.a, self.b


@dataclass
class Plan:
    """What is to be built: container 0 is the model; poses, points and axes are those of the world."""

    gravity: Array
    container_whole: list[int] = field(default_factory=list)
    container_pose: list[lw.Frame] = field(default_factory=list)
    body_home: list[int] = field(default_factory=list)
    body_pose: list[lw.Frame] = field(default_factory=list)
    body_numbers: list[dict[str, Any]] = field(default_factory=list)
    joints: list[PlannedJoint] = field(default_factory=list)
    springs: list[tuple[int, int, int, dict[str, Any]]] = field(default_factory=list)  # owner, a, b, numbers
    moving: int = -1  # container whose ground is replaced by a moving one for all joints there

    def above(self, container: int) -> list[int]:
        """The container and all that hold it, the model last."""
        found = [container]
        while found[-1] != 0:
            found.append(self.container_whole[found[-1]])
        return found

    def common(self, a: int, b: int) -> int:
        """The lowest container that holds both."""
        return next(c for c in self.above(a) if c in self.above(b))

    @property
    def depth(self) -> int:
        return max(len(self.above(c)) for c in range(len(self.container_whole)))

    def _ground(self, joint: PlannedJoint, containers: list[Any], table: Any) -> Any:
        return table if joint.ground == self.moving else containers[joint.ground].ground

    def build(self, *, flat: bool = False) -> lw.Model:
        model = lw.Model("flat" if flat else "hierarchy", gravity=self.gravity)
        containers: list[Any] = [model]
        for k in range(1, len(self.container_whole)):
            if flat:
                containers.append(model)
                continue
            whole = self.container_whole[k]
            place = self.container_pose[whole].inverse() @ self.container_pose[k]
            part = containers[whole].add(f"part {k}", lw.Subsystem(), position=place.position, rotation=place.rotation)
            containers.append(part)

        def inverse(container: int) -> lw.Frame:
            return lw.Frame() if flat else self.container_pose[container].inverse()

        bodies = []
        for i, home in enumerate(self.body_home):
            place = inverse(home) @ self.body_pose[i]
            bodies.append(
                containers[home].body(
                    f"body {i}", position=place.position, rotation=place.rotation, **self.body_numbers[i]
                )
            )
        table: Any = None
        if self.moving >= 0:
            sway = lw.Cosine(0.05, 1.5, offset=-0.05)  # at rest, at its reference, at t = 0
            place = inverse(self.moving) @ lw.Frame()
            motion = lw.Motion(position=(sway, 0, sway), axis=(0, 1, 0), angle=lw.Cosine(0.2, 1.0, offset=-0.2))
            table = containers[self.moving].moving_ground(
                "table", motion, position=place.position, rotation=place.rotation
            )
        for joint in self.joints:
            ends = [bodies[end] if end != GROUND else self._ground(joint, containers, table) for end in joint.ends]
            to_owner = inverse(joint.owner)
            words: dict[str, Any] = {}
            if joint.kind != "free":
                words["at"] = to_owner.point(joint.at)
            if joint.kind == "universal":
                words["axis"] = tuple(to_owner.direction(x) for x in joint.axis)
            elif joint.kind not in ("ball", "fixed", "free"):
                words["axis"] = to_owner.direction(joint.axis)
            if joint.kind == "screw":
                words["pitch"] = joint.pitch
            if joint.velocity is not None:
                words["velocity"] = joint.velocity
            getattr(containers[joint.owner], joint.kind)(joint.name, *ends, **words)
        for k, (owner, a, b, numbers) in enumerate(self.springs):
            containers[owner].spring(f"spring {k}", bodies[a], bodies[b], **numbers)
        return model


def random_hierarchy(
    seed: int,
    n: int = 7,
    *,
    parts: int = 4,
    loops: int = 0,
    doubled: int = 0,
    floating: bool = False,
    springs: int = 1,
    moving: bool = False,
) -> Plan:
    """A random mechanism of n bodies in a random hierarchy of `parts` subsystems, nested up to four deep.

    loops     further joints that close loops, inside a component or across several
    doubled   joints that are said twice
    floating  nothing is held by a ground but through free joints
    springs   between any two bodies, with dampers
    moving    one container has a moving ground
    """
    rng = np.random.default_rng([seed, n, parts, loops, doubled, floating])
    plan = Plan(random_direction(rng) * 9.81)
    _containers(plan, rng, parts)
    if loops:
        _bodies_and_loops(plan, rng, n, loops)
    else:
        _bodies_and_tree(plan, rng, n, floating)
    if moving:
        plan.moving = int(rng.integers(len(plan.container_whole)))
    for joint in list(plan.joints):
        _house(plan, rng, joint)
    for _ in range(doubled):
        _double(plan, rng)
    for _ in range(springs if n > 1 else 0):
        a, b = (int(k) for k in rng.choice(n, 2, replace=False))
        owner = _somewhere_above(plan, rng, plan.common(plan.body_home[a], plan.body_home[b]))
        numbers = {
            "at_a": rng.uniform(-0.3, 0.3, 3), "at_b": rng.uniform(-0.3, 0.3, 3),
            "stiffness": float(rng.uniform(10, 300)), "damping": float(rng.uniform(0, 10)),
            "length": float(rng.uniform(0.1, 1.0)),
        }  # fmt: skip
        plan.springs.append((owner, a, b, numbers))
    return plan


def _containers(plan: Plan, rng: np.random.Generator, parts: int) -> None:
    plan.container_whole, plan.container_pose = [0], [lw.Frame()]
    for k in range(1, parts + 1):
        shallow = [c for c in range(k) if len(plan.above(c)) <= 4]  # model and four levels
        deepest = max(shallow, key=lambda c: len(plan.above(c)))
        whole = deepest if rng.random() < 0.4 else int(rng.choice(shallow))
        plan.container_whole.append(whole)
        plan.container_pose.append(plan.container_pose[whole] @ random_frame(rng, 1.0))


def _bodies_and_tree(plan: Plan, rng: np.random.Generator, n: int, floating: bool) -> None:
    """A chain or a tree; with `floating` the first body of every tree is free."""
    branching = rng.choice([0.0, 0.5, 1.0])
    for i in range(n):
        _body(plan, rng)
        inner = i - 1 if rng.random() > branching else int(rng.integers(-1, i))
        kind = str(rng.choice((*KINDS, "fixed")))
        velocity = None
        if inner == GROUND and floating:
            kind = "free"
        elif kind in ("revolute", "prismatic", "screw"):
            velocity = float(rng.normal())
        plan.joints.append(_joint(rng, f"joint {i}", kind, inner, i, plan.body_pose[i].position, velocity))


def _bodies_and_loops(plan: Plan, rng: np.random.Generator, n: int, loops: int) -> None:
    """The bodies and joints of `random_loops`, from its words."""
    model = random_loops(int(rng.integers(2**31)), n, loops)
    number = {id(model.bodies[f"body {i}"]): i for i in range(n)} | {id(model.ground): GROUND}
    for i in range(n):
        body = model.bodies[f"body {i}"]
        assert body.reference is not None
        plan.body_home.append(int(rng.integers(len(plan.container_whole))))
        plan.body_pose.append(body.reference)
        plan.body_numbers.append({"mass": body.mass, "inertia": body.inertia, "com": body.com})
    for joint in model.all_joints():
        at = np.asarray(joint.at, dtype=float)
        planned = PlannedJoint(joint.name, joint.kind, number[id(joint.a)], number[id(joint.b)], at, joint.axis)
        planned.pitch = joint.pitch or 0.0
        plan.joints.append(planned)


def _body(plan: Plan, rng: np.random.Generator) -> None:
    plan.body_home.append(int(rng.integers(len(plan.container_whole))))
    plan.body_pose.append(lw.Frame(position=rng.uniform(-1, 1, 3), rotation=random_rotation(rng)))
    plan.body_numbers.append(random_body_numbers(rng))


def _joint(
    rng: np.random.Generator, name: str, kind: str, a: int, b: int, near: Array, velocity: float | None
) -> PlannedJoint:
    axis: Any = random_direction(rng)
    if kind == "universal":
        axis = (axis, perpendicular(rng, axis))
    if a != GROUND and rng.random() < 0.3:
        a, b = b, a
    at = near + rng.uniform(-0.4, 0.4, 3)
    return PlannedJoint(name, kind, a, b, at, axis, float(rng.uniform(0.1, 0.5)), velocity=velocity)


def _somewhere_above(plan: Plan, rng: np.random.Generator, container: int) -> int:
    return container if rng.random() < 0.6 else int(rng.choice(plan.above(container)))


def _house(plan: Plan, rng: np.random.Generator, joint: PlannedJoint) -> None:
    """Choose the ground and the container of a joint."""
    homes = [plan.body_home[end] for end in joint.ends if end != GROUND]
    joint.ground = -2
    if len(homes) == 1:
        joint.ground = int(rng.integers(len(plan.container_whole)))
        homes.append(joint.ground)
    joint.owner = _somewhere_above(plan, rng, plan.common(*homes))


def _double(plan: Plan, rng: np.random.Generator) -> None:
    """Say one joint again, elsewhere on its axis."""
    candidates = [joint for joint in plan.joints if joint.kind in (*ALONG_AXIS, "fixed", "ball")]
    if not candidates:
        return
    first = candidates[int(rng.integers(len(candidates)))]
    first.velocity = None  # which of the two is given it would matter
    at = first.at + (rng.uniform(-0.5, 0.5) * np.asarray(first.axis) if first.kind in ALONG_AXIS else 0.0)
    again = PlannedJoint(f"again {len(plan.joints)}", first.kind, first.a, first.b, at, first.axis)
    _house(plan, rng, again)
    if again.ground == plan.moving or first.ground == plan.moving:
        again.ground = first.ground  # both ends must move alike
        homes = [plan.body_home[end] for end in first.ends if end != GROUND]
        again.owner = _somewhere_above(plan, rng, plan.common(homes[-1], first.ground if len(homes) == 1 else homes[0]))
    plan.joints.append(again)


def degrees_left(plan: Plan) -> int:
    """Freedoms by the count of rows, doubled joints left out."""
    rows = sum(6 - DEGREES[joint.kind] for joint in plan.joints if not joint.name.startswith("again"))
    return 6 * len(plan.body_home) - rows


def hierarchies(**fixed: Any) -> Any:
    """Strategy of plans; everything comes from a seed, so that shrinking finds few bodies in few parts."""
    from hypothesis import strategies as st

    def made(seed: int, n: int, parts: int, loops: int, doubled: int, floating: bool, moving: bool) -> Plan:
        options: dict[str, Any] = {
            "parts": parts, "loops": loops, "doubled": doubled, "floating": floating and not loops,
            "moving": moving and not loops,
        }  # fmt: skip
        options |= fixed
        if options["loops"]:
            n += 4  # loops need some links
        return random_hierarchy(seed, n, **options)

    return st.builds(
        made,
        st.integers(0, 2**32 - 1),
        st.integers(1, 6),
        st.integers(0, 5),
        st.integers(0, 2),
        st.integers(0, 2),
        st.booleans(),
        st.booleans(),
    )
