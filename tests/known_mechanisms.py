"""Mechanisms made by hand for the tests, written with the public words only.

loop_of(kind, cut)   one spatial loop around a joint of this kind, without redundant rows
four_bar(...)        the planar one, all hinges: three rows too many
again(model, ...)    the same model once more, with other cuts and start values
pendulum(...)        one bob on one pin
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

import linkwork as lw
from random_mechanisms import place, random_body_numbers, random_rotation

CLOSING = ("revolute", "prismatic", "cylindrical", "screw", "universal", "ball", "planar", "fixed")


def pendulum(length: float = 1.0, mass: float = 1.0, **pin: Any) -> lw.Model:
    """A point mass hanging on the pin "pin" at the origin, which turns about y."""
    model = lw.Model("pendulum")
    bob = model.body("bob", mass=mass, inertia=0.0, com=(0, 0, -length))
    model.revolute("pin", model.ground, bob, at=(0, 0, 0), axis=(0, 1, 0), **pin)
    return model


def loop_of(kind: str, cut: str | None = None, seed: int = 0) -> lw.Model:
    """Ground, four bodies and five joints "joint 0" (of this kind) to "joint 4" in a ring, in space.

    The other four have seven degrees of freedom between them, so the ring moves whatever the kind is, and a random
    ring has no redundant rows: reactions are unique.
    """
    rng = np.random.default_rng([seed, *kind.encode()])
    model = lw.Model(f"loop of {kind}", gravity=(1.0, -2.0, -9.0))
    kinds = [kind, "revolute", "ball", "universal", "revolute"]
    poses = [lw.Frame(position=rng.uniform(-1, 1, 3), rotation=random_rotation(rng)) for _ in range(4)]
    bodies: list[Any] = [model.ground]
    for i, pose in enumerate(poses):
        stand = {"position": pose.position, "rotation": pose.rotation}
        bodies.append(model.body(f"body {i}", **stand, **random_body_numbers(rng)))
    bodies.append(model.ground)
    for i, word in enumerate(kinds):
        extra = place(word, rng, poses[min(i, 3)].position)
        if word == "screw":
            extra["pitch"] = 0.3
        name = f"joint {i}"
        getattr(model, word)(name, bodies[i], bodies[i + 1], cut=cut == name, **extra)
    return model


def four_bar(
    lengths: tuple[float, float, float, float] = (1.0, 0.4, 1.1, 0.8),
    *,
    angle: float = 1.0,
    cut: str | None = None,
    start: Mapping[str, Mapping[str, Any]] | None = None,
    branch: float = 1.0,
) -> lw.Model:
    """Crank, coupler and rocker in the x-z plane; hinges "crank", "coupler", "rocker" and "foot" about -y.

    `lengths` of ground, crank, coupler and rocker (m). In the reference configuration the crank stands at `angle`
    from x towards z, the coupler's far end above (`branch` = 1) or below the diagonal; there all hinges are at zero.
    `start` gives start values by hinge.
    """
    g, a, b, c = lengths
    tip = a * np.array([math.cos(angle), math.sin(angle)])
    diagonal = np.array([g, 0.0]) - tip
    d = float(np.linalg.norm(diagonal))
    along = (b * b - c * c + d * d) / (2 * d)
    across = branch * math.sqrt(b * b - along * along)
    far = tip + along * diagonal / d + across * np.array([-diagonal[1], diagonal[0]]) / d
    ends = {"crank": ((0, 0), tip), "coupler": (tip, far), "rocker": ((g, 0), far)}
    model = lw.Model("four bar")
    for (name, (p, q)), length in zip(ends.items(), (a, b, c), strict=True):
        turn = math.atan2(q[1] - p[1], q[0] - p[0])
        model.body(
            f"{name} bar",
            mass=length,
            inertia=(0.001, length**3 / 12, length**3 / 12),
            com=(length / 2, 0, 0),
            position=(p[0], 0, p[1]),
            rotation=(math.cos(turn / 2), 0, -math.sin(turn / 2), 0),
        )
    hinges = {
        "crank": ("ground", "crank bar", (0.0, 0.0)),
        "coupler": ("crank bar", "coupler bar", tip),
        "rocker": ("coupler bar", "rocker bar", far),
        "foot": ("ground", "rocker bar", (g, 0.0)),
    }
    for name, (first, second, (x, z)) in hinges.items():
        values = (start or {}).get(name, {})
        model.revolute(name, first, second, at=(x, 0, z), axis=(0, -1, 0), cut=cut == name, **values)
    return model


def again(
    model: lw.Model,
    *,
    cuts: Collection[str] = (),
    reverse: Collection[str] = (),
    start: Mapping[str, Mapping[str, Any]] | None = None,
) -> lw.Model:
    """A model without forces and subsystems built a second time, with these joints cut, or said from b to a.

    `start` gives start values by joint; without it all joints start where their bodies stand.
    """
    copy = lw.Model(model.name, gravity=model.gravity)
    for body in model.bodies.values():
        stand = {}
        if body.reference is not None:
            stand = {"position": body.reference.position, "rotation": body.reference.rotation}
        copy.body(body.name, mass=body.mass, inertia=body.inertia, com=body.com, **stand)
    kept = {f.name for f in fields(lw.Joint)} - {"name", "owner", "kind", "a", "b", "position", "velocity", "cut"}
    for joint in model.joints.values():
        words = {name: getattr(joint, name) for name in kept}
        if joint.kind != "screw":
            del words["pitch"]
        a, b = joint.a.name, joint.b.name
        if joint.name in reverse:
            a, b = b, a
            words["frame_a"], words["frame_b"] = words["frame_b"], words["frame_a"]
            if joint.kind == "universal" and joint.axis is not None:  # the first axis is the one that a holds
                words["axis"] = joint.axis[::-1]
        words |= dict((start or {}).get(joint.name, {}))
        getattr(copy, joint.kind)(joint.name, a, b, cut=joint.name in cuts, **words)
    return copy
