"""An anthropomorphic robot crouches, grasps a stone with its right hand, and stands up with it.

After MST17 (figure 7), which shows such a robot and prints no numbers: sizes, masses and movements are ours, a robot of
1.6 m and some 60 kg. It stands freely on its feet. Only friction holds the feet and the stone. Its 32 joints, each with
one degree of freedom: six in either leg (hip three, knee, ankle two), two in the waist, two in the neck, six in either
arm (shoulder three, elbow, forearm, wrist), and in either hand fingers and a thumb, of which one motor drives both
through a repeater. Motors hold all joints; their angles go from pose to pose, and the ankles are turned such that the
centre of mass stays over the middle of the feet.

What it must show: the robot does not fall and its feet do not slide; the hand lifts the stone to the intended height;
the joint angles follow their motors. This scene is the measure of real time: a step of 1 ms must take less than 1 ms.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import linkwork as lw
from linkwork.errors import ModelError

TITLE = "humanoid of 38 degrees of freedom that crouches, grasps a stone and stands up with it"
PAPER = "MST17 figure 7"
UNTIL = 6.0
METHOD = {"method": "impulse", "dt": 1e-3, "every": 20}
PLOTS = ["stone.position", "pelvis.position", "* knee.position", "right foot.contact_force"]

Array = NDArray[np.float64]
Point = tuple[float, float, float]
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
PELVIS, ANKLE = 0.92, 0.09  # m, heights of the pelvis, upright, and of the ankles
WRIST, KNUCKLES = 0.80, 0.75  # m, heights while the arm hangs
GRASP = 0.055  # m, below the knuckles is the middle of what is grasped
MIDDLE = 0.04  # m, of the feet before the ankles
SHOULDER = 0.22  # m, from the middle
OPEN = -0.5  # rad, of fingers and thumb
SAMPLES = 20  # of the angles a second
STONE = np.array(  # corners, by its size; hewn flat where the fingers are
    [(x, y, z) for x in (-0.36, 0.4) for y in (-0.4, 0.4) for z in (-0.14, 0.16)]
    + [(0.3, 0.22, 0.38), (0.25, -0.25, 0.42), (-0.28, 0.2, 0.44), (-0.3, -0.24, 0.36), (0.6, 0.05, 0.0)]
    + [(0.34, 0.26, -0.4), (0.3, -0.28, -0.4), (-0.32, 0.25, -0.4), (-0.26, -0.3, -0.4), (-0.56, 0.0, 0.05)]
)

# s, and the angles (rad) at these times; forward is negative for what hangs, positive for what stands
TIMES = (0.0, 1.0, 2.5, 3.1, 4.6, 5.6)
GRASPS = 2  # which of them is the moment when the hand closes
POSES: dict[str, tuple[float, ...]] = {
    "hip pitch": (-0.15, -0.15, -1.0, -1.0, -0.15, -0.15),
    "knee": (0.3, 0.3, 1.7, 1.7, 0.3, 0.3),
    "waist pitch": (0.0, 0.0, 0.35, 0.35, 0.0, 0.0),
    "neck pitch": (0.0, 0.2, 0.5, 0.5, 0.2, 0.3),
    "right shoulder pitch": (0.0, -0.45, -0.75, -0.75, -0.45, -0.7),
    "right elbow": (-0.2, -1.1, -0.95, -0.95, -1.1, -1.3),
    "left shoulder pitch": (0.0, 0.0, -0.6, -0.6, 0.0, 0.0),
    "left elbow": (-0.2, -0.4, -0.8, -0.8, -0.4, -0.3),
}


class Limb(NamedTuple):
    """A body `on` another by a hinge `at` a place (m, upright with hanging arms) along an axis; its mass in kg.

    Its shape has its middle at `centre` (m).
    """

    name: str
    on: str
    joint: str
    at: Point
    axis: Point
    mass: float
    shape: lw.Box | lw.Sphere | lw.Capsule
    centre: Point


def build(
    *,
    stone: float = 1.0,
    size: float = 0.09,
    friction: float = 0.8,
    grip: float = 4.0,
    crouch: float = 1.0,
    gravity: float = 9.81,
) -> lw.Model:
    """The robot, upright before a "stone" of `stone` kg and about `size` (m), which lies on a "rock".

    The height of the rock fits the hand. `crouch` is how deep the robot bends its legs, 1 for the full depth of
    `POSES`. `friction` is that of hands, feet and what they touch, `grip` (N m) the torque of the motor of the fingers,
    `gravity` in m/s2. Joints: "left knee", "right shoulder pitch", "waist yaw" and so on, each with its motor, "left
    knee motor"; the grips are "left grip" and "right grip".

    >>> model = lw.gallery.humanoid.build()
    >>> sum(joint.kind == "revolute" for joint in model.joints.values())
    32
    """
    if not 0.0 < crouch <= 1.2:
        raise ModelError(f"humanoid: crouch is {crouch!r} but must be above 0 and at most 1.2; correct crouch=")
    if not 0.04 <= size <= 0.11:
        raise ModelError(f"humanoid: size is {size!r} but the hand grasps stones from 0.04 to 0.11 m; correct size=")
    model = lw.Model("humanoid", gravity=(0, 0, -gravity))
    material = lw.Material(friction=friction)
    model.plane("floor", material=material)
    parts = _robot(0.4 * size + 0.011)  # fingers hang straight when they touch
    times, angles, lean = _movement(parts, crouch)
    places = _places(parts, angles, lean)

    pelvis = model.body("pelvis", shape=lw.Box((0.16, 0.26, 0.14)), mass=8.0, position=(0, 0, PELVIS))
    x, z = places["pelvis"][0]
    upright = (math.cos(lean[0] / 2), 0.0, math.sin(lean[0] / 2), 0.0)
    model.free("stand", "ground", pelvis, position=(x, 0.0, z, *upright))
    for part in parts:
        side, _, what = part.name.partition(" ")
        meets = what in ("foot", "hand", "fingers", "thumb")
        model.body(
            part.name,
            shape=part.shape,
            mass=part.mass,
            position=part.centre,
            material=material if meets else None,
            group=f"{side} hand" if meets and what != "foot" else None,
        )
        grasping = what in ("fingers", "thumb")
        start = OPEN if grasping else float(angles[part.joint][0]) if part.joint in angles else 0.0
        limits = (-0.6, 0.9) if grasping else None
        model.revolute(part.joint, part.on, part.name, at=part.at, axis=part.axis, position=start, limits=limits)
        if not grasping:
            law = lw.Table(times, angles[part.joint], "cubic") if part.joint in angles else 0.0
            model.motor(f"{part.joint} motor", part.joint, position=law)
    close = TIMES[GRASPS]
    closing: dict[str, lw.Table | float] = {"right": lw.Table((0.0, close, close + 0.01), (0.0, 0.0, 1.5)), "left": 0.0}
    for side, rate in closing.items():
        model.motor(f"{side} grip", f"{side} knuckles", velocity=rate, max_torque=grip)
        model.repeater(f"{side} thumb follows", f"{side} knuckles", f"{side} thumb hinge")

    row = int(np.argmin(np.abs(times - close)))
    reach, height = places["right hand"][row] - (0.0, WRIST - KNUCKLES + GRASP)
    top = height - 0.4 * size
    rock = model.body(
        "rock",
        shape=lw.Box((0.18, 0.18, top)),
        density=2500.0,
        position=(reach + 0.03, -SHOULDER, top / 2),
        material=material,
    )
    model.fixed("bed", "ground", rock, frame_a=rock.reference, frame_b=lw.Frame())
    model.no_contact(model.ground, rock)
    pebble = model.body(
        "stone", shape=lw.Hull(size * STONE), mass=stone, position=(reach, -SHOULDER, height), material=material
    )
    model.free("loose", "ground", pebble)
    return model


def _robot(spread: float) -> list[Limb]:
    """All bodies but the pelvis, from it outward; hinges of fingers and thumb are `spread` (m) beside the hand."""
    found = [
        Limb("waist", "pelvis", "waist yaw", (0, 0, 1.0), Z, 1.5, lw.Sphere(0.07), (0, 0, 1.02)),
        Limb("chest", "waist", "waist pitch", (0, 0, 1.04), Y, 14.0, lw.Box((0.18, 0.3, 0.32)), (0, 0, 1.22)),
        Limb("neck", "chest", "neck yaw", (0, 0, 1.38), Z, 0.5, lw.Capsule(0.04, 0.06), (0, 0, 1.41)),
        Limb("head", "neck", "neck pitch", (0, 0, 1.44), Y, 4.0, lw.Sphere(0.11), (0, 0, 1.55)),
    ]
    for side, y in (("left", 0.1), ("right", -0.1)):
        hip, knee, ankle = (0.0, y, 0.85), (0.0, y, 0.47), (0.0, y, ANKLE)
        for name, on, joint, at, axis, mass, shape, centre in (
            ("hip", "", "hip yaw", hip, Z, 0.8, lw.Sphere(0.06), hip),
            ("groin", "hip", "hip roll", hip, X, 0.8, lw.Sphere(0.065), hip),
            ("thigh", "groin", "hip pitch", hip, Y, 5.0, lw.Capsule(0.055, 0.3), (0, y, 0.66)),
            ("shin", "thigh", "knee", knee, Y, 3.5, lw.Capsule(0.045, 0.3), (0, y, 0.28)),
            ("ankle", "shin", "ankle pitch", ankle, Y, 0.4, lw.Sphere(0.045), ankle),
            ("foot", "ankle", "ankle roll", ankle, X, 1.2, lw.Box((0.24, 0.1, 0.05)), (MIDDLE, y, 0.025)),
        ):
            above = f"{side} {on}" if on else "pelvis"
            found.append(Limb(f"{side} {name}", above, f"{side} {joint}", at, axis, mass, shape, centre))
    for side, y in (("left", SHOULDER), ("right", -SHOULDER)):
        shoulder, elbow, wrist = (0.0, y, 1.32), (0.0, y, 1.04), (0.0, y, WRIST)
        thumb, fingers = (0.0, y + spread, KNUCKLES), (0.0, y - spread, KNUCKLES)  # positive angles close
        paddle, low = lw.Box((0.07, 0.016, 0.09)), KNUCKLES - 0.045
        for name, on, joint, at, axis, mass, shape, centre in (
            ("shoulder", "", "shoulder pitch", shoulder, Y, 0.8, lw.Sphere(0.06), shoulder),
            ("collar", "shoulder", "shoulder roll", shoulder, X, 0.6, lw.Sphere(0.065), shoulder),
            ("upper arm", "collar", "shoulder yaw", shoulder, Z, 2.0, lw.Capsule(0.045, 0.2), (0, y, 1.18)),
            ("cuff", "upper arm", "elbow", elbow, Y, 0.4, lw.Sphere(0.05), elbow),
            ("forearm", "cuff", "forearm turn", elbow, Z, 1.2, lw.Capsule(0.038, 0.16), (0, y, 0.92)),
            ("hand", "forearm", "wrist", wrist, Y, 0.5, lw.Box((0.08, 0.14, 0.03)), (0, y, 0.77)),
            ("fingers", "hand", "knuckles", fingers, X, 0.1, paddle, (0, y - spread, low)),
            ("thumb", "hand", "thumb hinge", thumb, (-1, 0, 0), 0.1, paddle, (0, y + spread, low)),
        ):
            above = f"{side} {on}" if on else "chest"
            found.append(Limb(f"{side} {name}", above, f"{side} {joint}", at, axis, mass, shape, centre))
    return found


def _movement(parts: list[Limb], crouch: float) -> tuple[Array, dict[str, Array], Array]:
    """Times (s), angles of the joints that move, and the lean of the pelvis (rad) that comes of them.

    The ankles are such that the centre of mass is over the middle of the feet, the wrists such that the hands hang.
    """
    t = np.linspace(0.0, TIMES[-1], 1 + round(SAMPLES * TIMES[-1]))
    angles: dict[str, Array] = {}
    for joint, values in POSES.items():
        deep = np.array(values)
        if joint in ("hip pitch", "knee"):
            deep = deep[0] + crouch * (deep - deep[0])
        path = np.full(t.size, deep[0])
        for k in range(len(TIMES) - 1):
            s = np.clip((t - TIMES[k]) / (TIMES[k + 1] - TIMES[k]), 0.0, 1.0)
            path += (deep[k + 1] - deep[k]) * s**3 * (10.0 - 15.0 * s + 6.0 * s**2)  # begins and ends at rest
        both = joint in ("hip pitch", "knee")
        for name in (f"left {joint}", f"right {joint}") if both else (joint,):
            angles[name] = path
    lean = np.zeros(t.size)
    for _ in range(4):
        for side in ("left", "right"):
            angles[f"{side} ankle pitch"] = -(lean + angles[f"{side} hip pitch"] + angles[f"{side} knee"])
            arm = angles[f"{side} shoulder pitch"] + angles[f"{side} elbow"]
            angles[f"{side} wrist"] = -(lean + angles["waist pitch"] + arm)
        x, z = _centre(parts, angles, lean).T
        # turned further about the ankles until its x is MIDDLE
        z = z - ANKLE
        lean = lean + np.arcsin(MIDDLE / np.hypot(x, z)) - np.arctan2(x, z)
    return t, angles, lean


def _pitches(parts: list[Limb], angles: dict[str, Array], lean: Array) -> dict[str, Array]:
    """How far each body is turned about y."""
    found = {"pelvis": lean}
    for part in parts:
        found[part.name] = found[part.on] + angles.get(part.joint, 0.0)
    return found


def _places(parts: list[Limb], angles: dict[str, Array], lean: Array) -> dict[str, Array]:
    """Where the hinge of each body is, (time, (x, z)) in m, with feet on the floor; of the pelvis its middle."""
    pitches = _pitches(parts, angles, lean)
    hinges = {"pelvis": (0.0, PELVIS)}
    found = {"pelvis": np.zeros((lean.size, 2))}
    for part in parts:
        hinges[part.name] = (part.at[0], part.at[2])
        found[part.name] = found[part.on] + _turned(hinges[part.on], hinges[part.name], pitches[part.on])
    shift = (0.0, ANKLE) - found["left ankle"]
    return {name: place + shift for name, place in found.items()}


def _centre(parts: list[Limb], angles: dict[str, Array], lean: Array) -> Array:
    """The centre of mass of all that stands on the ankles, (time, (x, z)) in m."""
    pitches, places = _pitches(parts, angles, lean), _places(parts, angles, lean)
    total, moment = 8.0, 8.0 * places["pelvis"]
    for part in parts:
        if not part.name.endswith(("ankle", "foot")):
            arm = _turned((part.at[0], part.at[2]), (part.centre[0], part.centre[2]), pitches[part.name])
            total, moment = total + part.mass, moment + part.mass * (places[part.name] + arm)
    return moment / total


def _turned(start: tuple[float, float], end: tuple[float, float], pitch: Array) -> Array:
    """The way from start to end in x and z, turned about y, (time, 2)."""
    x, z = end[0] - start[0], end[1] - start[1]
    return np.column_stack([x * np.cos(pitch) + z * np.sin(pitch), z * np.cos(pitch) - x * np.sin(pitch)])
