"""A hand that grasps a block, lifts it and carries it aside: the third scene of MST17 as far as its numbers are known.

The paper prints neither sizes nor masses: these are ours. A carriage slides, a lift goes down from it, and two fingers
slide in a hand; one motor drives a finger, the other follows by a repeater. The block stands on the floor, and friction
alone holds it.
"""

from __future__ import annotations

import linkwork as lw

CLOSED, UP, ASIDE = 0.5, 1.5, 2.5  # s, when each of the three movements has ended


def build(*, friction: float = 0.6, grip: float = 40.0) -> lw.Model:
    """The hand over its block; `grip` is the force of the finger's motor in N.

    >>> build().drives.keys()
    dict_keys(['travel', 'height', 'close', 'mirror'])
    """
    model = lw.Model("grasp")
    material = lw.Material(friction=friction)
    model.plane("floor", material=material)
    model.body("block", shape=lw.Box((0.08, 0.08, 0.1)), mass=0.5, position=(0, 0, 0.05), material=material)
    carriage = model.body("carriage", shape=lw.Box((0.3, 0.2, 0.1)), mass=5.0, position=(0, 0, 1.0))
    hand = model.body("hand", shape=lw.Box((0.24, 0.1, 0.04)), mass=1.0, position=(0, 0, 0.2))
    model.prismatic("rail", "ground", carriage, axis=(1, 0, 0))
    model.prismatic("lift", carriage, hand, axis=(0, 0, 1))
    for name, side in (("left", -1.0), ("right", 1.0)):
        finger = model.body(
            name,
            shape=lw.Box((0.02, 0.06, 0.12)),
            mass=0.2,
            position=(0.08 * side, 0, 0.08),
            material=material,
            group="fingers",
        )
        # positive is inward for both
        model.prismatic(f"{name} slide", hand, finger, axis=(-side, 0, 0), limits=(-0.01, 0.07))
    move = {"times": (0, CLOSED, UP, ASIDE), "kind": "linear"}
    model.motor("travel", "rail", position=lw.Table(values=(0, 0, 0, 0.4), **move))  # type: ignore[arg-type]
    model.motor("height", "lift", position=lw.Table(values=(0, 0, 0.3, 0.3), **move))  # type: ignore[arg-type]
    model.motor("close", "left slide", velocity=0.1, max_torque=grip)
    model.repeater("mirror", "left slide", "right slide")
    return model
