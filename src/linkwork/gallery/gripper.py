"""A manipulator grasps a block, lifts it, carries it aside, holds it there, and puts it down again.

The third scene of MST17 (figure 6): an arm with a gripper of two fingers and one motor: it moves the left finger, and a
repeater makes the right one follow. The paper prints no numbers; sizes, masses, forces and the path are ours. The arm
turns about its column and has shoulder, elbow and wrist, whose motors follow angles that keep the hand upright on its
path. Only friction holds the block: the motor of the gripper gives `grip` newtons, half on each finger, so the block is
left behind if friction times `grip` is less than its weight.

What it must show: the block leaves the floor, travels with the hand, and slips by less than a millimetre all the way
and in ten seconds of holding; a grip that is too weak leaves it behind; in the end it stands on the floor at another
place. The fingers stay mirror images of each other. While the block is carried around the column, it drifts outward by
a fraction of the motion in a step: by 0.4 mm with steps of 1 ms, five times that with 5 ms.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import NDArray

import linkwork as lw
from linkwork.errors import ModelError

TITLE = "manipulator that grasps a block, carries it and puts it down; one motor for both fingers"
PAPER = "MST17 figure 6"
UNTIL = 8.0
METHOD = {"method": "impulse", "dt": 1e-3, "iterations": 20_000, "every": 20}
PLOTS = ["block.position", "left slide.position", "right slide.position", "block.contact_force"]

# the live page: parameters of build(), inputs that keys set as long as they are held, and those that stay
VIEW = {"manual": True}
KEYS = {
    "J": {"turn motor": 0.8},
    "L": {"turn motor": -0.8},
    "I": {"shoulder motor": 0.4},
    "K": {"shoulder motor": -0.4},
    "U": {"elbow motor": -0.4},
    "O": {"elbow motor": 0.4},
    "Y": {"wrist motor": -0.6},
    "H": {"wrist motor": 0.6},
    "G": {"grip": 0.15},
    "T": {"grip": -0.15},
}
STAY = ("grip",)

Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
HEIGHT = 0.5  # m, of the shoulder
UPPER, FORE = 0.45, 0.40  # m, of the arms
TOOL = 0.24  # m, from the wrist down to between the fingers
OPEN = 0.035  # m, between a finger and the block at the start
FINGER = 0.02  # m, thickness
PACE = 0.15  # m/s, of the fingers
TORQUES = {"turn": 100.0, "shoulder": 150.0, "elbow": 80.0, "wrist": 30.0}  # N m, of the motors
SAMPLES = 20  # of the angles a second
# s: over the block, down, closed, up, turned; then it holds
DOWN, CLOSED, UP, TURNED = 1.0, 1.4, 2.4, 4.2


def build(
    *,
    mass: float = 1.0,
    size: float = 0.08,
    friction: float = 0.6,
    grip: float = 60.0,
    lift: float = 0.3,
    turn: float = 1.5,
    radius: float = 0.55,
    hold: float = 1.0,
    manual: bool = False,
    gravity: float = 9.81,
) -> lw.Model:
    """The arm over its "block", a cube of `mass` (kg) and `size` (m) that stands `radius` (m) away from the column.

    `friction` is that between fingers and block and between block and floor, `grip` (N) the force of the motor of the
    fingers. The block goes up by `lift` (m) and around the column by `turn` (rad), is held there for `hold` (s) and put
    down. Motors: "turn motor", "shoulder motor", "elbow motor", "wrist motor", and "grip" on "left slide"; the repeater
    "mirror" moves "right slide". With `manual` the motors follow no path: their speeds are inputs, zero at first (the
    live page drives it so). `gravity` in m/s2.

    >>> list(lw.gallery.gripper.build().drives)
    ['turn motor', 'shoulder motor', 'elbow motor', 'wrist motor', 'grip', 'mirror']
    """
    if not 0.02 <= size <= 0.12:
        raise ModelError(f"gripper: size is {size!r} but the hand grasps blocks from 0.02 to 0.12 m; correct size=")
    path = _path(size, lift, turn, radius, hold)
    model = lw.Model("gripper", gravity=(0, 0, -gravity))
    material = lw.Material(friction=friction)
    model.plane("floor", material=material)
    block = model.body(
        "block", shape=lw.Box((size, size, size)), mass=mass, position=(radius, 0, size / 2), material=material
    )
    model.free("loose", "ground", block)

    # in the reference the upper arm stands upright, the forearm points along x, the hand hangs down
    column = model.body("column", shape=lw.Cylinder(0.08, HEIGHT), mass=20.0, position=(0, 0, HEIGHT / 2))
    upper = model.body("upper arm", shape=_bar(0.05, (0, 0, UPPER)), mass=4.0, position=(0, 0, HEIGHT))
    fore = model.body("forearm", shape=_bar(0.04, (FORE, 0, 0)), mass=3.0, position=(0, 0, HEIGHT + UPPER))
    at = np.array((FORE, 0.0, HEIGHT + UPPER))
    palm = 0.5 * size + 0.03  # from the middle of the block up to the palm
    shape = lw.Box((0.07, 3 * size + 0.06, 0.04), pose=lw.Frame((0, 0, palm + 0.02 - TOOL)))
    hand = model.body("hand", shape=shape, mass=1.2, position=at)
    model.revolute("turn", "ground", column, at=(0, 0, 0), axis=Z, position=path["turn"].values[0])
    model.revolute("shoulder", column, upper, at=(0, 0, HEIGHT), axis=Y, position=path["shoulder"].values[0])
    model.revolute("elbow", upper, fore, at=(0, 0, HEIGHT + UPPER), axis=Y, position=path["elbow"].values[0])
    model.revolute("wrist", fore, hand, at=at, axis=Y, position=path["wrist"].values[0])
    for name, side in (("left", 1.0), ("right", -1.0)):
        finger = model.body(
            f"{name} finger",
            shape=lw.Box((0.04, FINGER, palm + 0.3 * size)),
            mass=0.2,
            position=at + (0, side * (size / 2 + OPEN + FINGER / 2), (palm - 0.3 * size) / 2 - TOOL),
            material=material,
            group="fingers",
        )
        # positive is inward for both
        model.prismatic(
            f"{name} slide", hand, finger, axis=(0, -side, 0), limits=(-1e-3, size / 2 + OPEN), position=0.0
        )

    for name, torque in TORQUES.items():
        if manual:
            model.motor(f"{name} motor", name, velocity=0.0, max_torque=torque)
        else:
            model.motor(f"{name} motor", name, position=path[name], max_torque=torque)
    # closes with the force of the motor, and opens again
    lets_go = TURNED + hold + 1.0
    times = np.array((DOWN, DOWN, lets_go, lets_go, lets_go + OPEN / PACE, lets_go + OPEN / PACE))
    speeds = lw.Table(times + (0, 1e-3, 0, 1e-3, 0, 1e-3), (0, PACE, PACE, -PACE, -PACE, 0))
    model.motor("grip", "left slide", velocity=0.0 if manual else speeds, max_torque=grip)
    model.repeater("mirror", "left slide", "right slide")
    return model


def slip(run: lw.Trajectory, start: float, end: float) -> float:
    """How far the block moves in the hand between two times (s), in m.

    >>> run = lw.simulate(lw.gallery.gripper.build(), until=0.02, method="impulse", dt=0.01)
    >>> lw.gallery.gripper.slip(run, 0.0, 0.0)
    0.0
    """
    rows = np.flatnonzero((run.time >= start - 1e-9) & (run.time <= end + 1e-9))
    seen = np.array(
        [
            lw.Frame(run["hand.position"][k], run["hand.rotation"][k]).inverse().point(run["block.position"][k])
            for k in rows
        ]
    )
    return float(np.linalg.norm(seen - seen[0], axis=1).max())


def _bar(radius: float, to: tuple[float, float, float]) -> lw.Capsule:
    """A round bar from the origin to a point."""
    return lw.Capsule(radius, math.hypot(*to), pose=lw.Frame.along(to, np.array(to) / 2))


def _path(size: float, lift: float, turn: float, radius: float, hold: float) -> dict[str, lw.Table]:
    """Angles of the four joints over time, for a hand that moves in straight lines and arcs, at rest in between."""
    held = TURNED + hold
    low = size / 2
    high = low + lift
    # s, then m over the floor, and the angle of the column
    stops = (
        (0.0, high, 0.0),
        (DOWN, low, 0.0),
        (CLOSED, low, 0.0),
        (UP, high, 0.0),
        (TURNED, high, turn),
        (held, high, turn),
        (held + 1.0, low, turn),
        (held + 1.5, low, turn),
        (held + 2.5, high, turn),
    )
    t = np.linspace(0.0, stops[-1][0], 1 + round(SAMPLES * stops[-1][0]))
    z, column = np.zeros(t.size), np.zeros(t.size)
    for (t0, z0, a0), (t1, z1, a1) in itertools.pairwise(stops):
        if t1 > t0:
            s = np.clip((t - t0) / (t1 - t0), 0.0, 1.0)
            s = s**3 * (10.0 - 15.0 * s + 6.0 * s**2)  # begins and ends without acceleration
            now = t >= t0
            z[now], column[now] = (z0 + (z1 - z0) * s)[now], (a0 + (a1 - a0) * s)[now]
    shoulder, fore = _reach(radius, z + TOOL - HEIGHT)
    angles = {"turn": column, "shoulder": shoulder, "elbow": fore - shoulder, "wrist": -fore}
    return {name: lw.Table(t, values, "cubic") for name, values in angles.items()}


def _reach(x: float, z: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Angles of the upper arm from upright and of the forearm from level, both forward, that bring the wrist to x, z.

    x and z are from the shoulder. With the elbow up: upper arm (sin a, cos a), forearm (cos b, -sin b).
    """
    sine = (x * x + z * z - UPPER**2 - FORE**2) / (2.0 * UPPER * FORE)  # of a - b
    if np.abs(sine).max() > 1.0:
        raise ModelError("gripper: the hand cannot reach so far; correct radius= or lift=")
    between = np.arcsin(sine)
    b = np.arctan2(UPPER * np.cos(between), FORE + UPPER * sine) - np.arctan2(z, x)
    return between + b, b
