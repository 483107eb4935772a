"""The arm of an excavator: boom, stick and bucket, each moved by a hydraulic cylinder that closes a loop.

An arm of the 20-tonne class with numbers of our own. Barrel and rod of every cylinder are bodies; the barrel hangs in a
universal joint, the eye of the rod is a ball joint, so that no row is redundant. The pressures at the bottom and at the
rod side are states of the law in the slide: oil flows through the orifices of a valve, leaks past the piston and is
compressed. Beyond the stroke buffers push back. The valves are inputs: an operator, a sampled controller, moves them
through a cycle of reaching down, digging, lifting and dumping.

You can drive it: on the page of `linkwork view excavator` the keys I, K lower and raise the boom, U, O move the stick,
J, L the bucket.

With the fixed eye of a cylinder at distance a and the moving eye at distance b from the pin of its lever, and the angle
c between them, its length is the root of a² + b² - 2 a b cos c, and its lever arm is a b sin c / length.

What it must show: lengths of the closed form to 1e-9 m all along; at rest the forces of virtual work, A p - B q of both
pressures, to 1e-3; a shut valve holds the arm, which then swings on the oil; loops closed to 1e-9 m; the same motion
by several methods.

All numbers are our assumptions.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple, TypeAlias

import numpy as np

import linkwork as lw

TITLE = "excavator arm, three hydraulic cylinders with their valves"
PAPER = "textbooks; our numbers"
UNTIL = 12.0
METHOD = {"method": "hybrid", "dt": 2e-3, "every": 10}
PLOTS = ["* cylinder.position", "* valve.value", "* drive.state", "energy"]

# the live page: parameters of build(), and inputs that keys set as long as they are held
VIEW = {"manual": True}
KEYS = {
    "I": {"boom valve": -0.3},
    "K": {"boom valve": 0.4},
    "U": {"stick valve": 0.4},
    "O": {"stick valve": -0.4},
    "J": {"bucket valve": 0.4},
    "L": {"bucket valve": -0.4},
}

Point: TypeAlias = tuple[float, float]

# m, x forward and z up: pins and eyes with the arm as it starts
FOOT, KNEE, ELBOW = (0.0, 1.9), (2.2, 4.3), (5.2, 4.2)
WRIST, TEETH = (6.2, 1.5), (5.75, 0.35)
BACK = (4.9, 4.95)  # of the stick, where its cylinder pushes
HORN = (6.6, 1.68)  # of the bucket
MASS = {"boom": 1900.0, "stick": 900.0, "bucket": 650.0}  # kg
WIDTH = {"boom": 0.45, "stick": 0.35, "bucket": 1.1}  # m
Y = (0.0, 1.0, 0.0)
STOP = 2e7  # N/m, of the buffers at the ends of the strokes


class Ram(NamedTuple):
    """A cylinder: what it moves from where to where, its sizes (m), the flow of its valve (m3/s), its masses (kg)."""

    base: str
    eye: Point
    moves: str
    tip: Point
    closed: float  # its length when it is drawn in
    stroke: float
    bore: float
    rod: float
    flow: float
    masses: tuple[float, float]  # barrel, rod


RAMS = {
    "boom": Ram("ground", (0.6, 1.3), "boom", (2.3, 3.5), 2.05, 1.3, 0.17, 0.12, 3e-3, (180.0, 120.0)),
    "stick": Ram("boom", (2.3, 4.95), "stick", BACK, 1.95, 1.35, 0.14, 0.10, 2.5e-3, (140.0, 90.0)),
    "bucket": Ram("stick", (5.72, 3.85), "bucket", HORN, 1.9, 0.9, 0.12, 0.085, 2e-3, (90.0, 60.0)),
}

# what the operator does: openings of the valves over s
CYCLE = {
    "boom": ((0.0, 0.5, 0.8, 2.6, 2.9, 6.0, 6.4, 8.6, 9.0), (0, 0, -0.22, -0.22, 0, 0, 0.45, 0.45, 0)),
    "stick": ((0.0, 2.6, 3.0, 5.4, 5.8, 9.0, 9.4, 10.6, 11.0), (0, 0, 0.28, 0.28, 0, 0, -0.3, -0.3, 0)),
    "bucket": ((0.0, 3.6, 4.0, 6.0, 6.4, 9.6, 10.0, 11.4, 11.8), (0, 0, 0.16, 0.16, 0, 0, -0.25, -0.25, 0)),
}


def build(
    *,
    load: float = 400.0,
    supply: float = 2.5e7,
    leakage: float = 5e-12,
    manual: bool = False,
    gravity: float = 9.81,
) -> lw.Model:
    """The arm at rest with `load` (kg) in its bucket, its pump at `supply` (Pa).

    `leakage` (m3/s/Pa) passes every piston. With `manual` nobody moves the valves but you: the inputs "boom valve",
    "stick valve" and "bucket valve", -1 to 1, where positive ones extend the cylinder. `gravity` in m/s2. Bodies:
    "boom", "stick", "bucket", and "boom barrel", "boom rod" and so on. Joints: "foot", "elbow", "wrist", and of every
    cylinder "boom trunnion" (universal), "boom cylinder" (prismatic, zero where it starts), "boom eye" (ball). The laws
    are "boom drive" and so on.

    >>> list(lw.gallery.excavator.build().inputs)
    ['boom valve', 'stick valve', 'bucket valve']
    """
    model = lw.Model("excavator", gravity=(0, 0, -gravity))
    _machine(model)
    boom = _body(model, "boom", FOOT, ELBOW)
    stick = _body(model, "stick", BACK, WRIST)
    bucket = _body(model, "bucket", WRIST, TEETH, load)
    model.revolute("foot", model.ground, boom, at=_in(FOOT), axis=Y)
    model.revolute("elbow", boom, stick, at=_in(ELBOW), axis=Y)
    model.revolute("wrist", stick, bucket, at=_in(WRIST), axis=Y)
    for name, ram in RAMS.items():
        valve = model.input(f"{name} valve", 0.0)
        _ram(model, name, ram)
        pressures = _pressures(ram, push(name, load, gravity))
        law = lw.parts.hydraulic_cylinder(
            f"{name} cylinder",
            bore=ram.bore,
            rod=ram.rod,
            stroke=ram.stroke,
            flow=ram.flow,
            valve=valve.name,
            supply=supply,
            retracted=ram.closed - _length(ram),
            pressures=pressures,
            leakage=leakage,
            buffer=STOP,
        )
        model.torque(f"{name} drive", f"{name} cylinder", law)
    if not manual:
        model.controller("operator", operator, every=0.01, sees=[], sets=[f"{name} valve" for name in RAMS])
    return model


def operator(t: float, seen: Any) -> list[float]:
    """Openings of the three valves at t (s).

    >>> lw.gallery.excavator.operator(2.0, ())
    [-0.22, 0.0, 0.0]
    """
    return [float(np.interp(t, *CYCLE[name])) for name in RAMS]


def push(name: str, load: float = 400.0, gravity: float = 9.81) -> float:
    """Force (N, positive where it extends) by which a cylinder holds the arm as it starts: virtual work.

    >>> round(lw.gallery.excavator.push("boom") / 1e3)
    213
    """
    pin: Point = {"boom": FOOT, "stick": ELBOW, "bucket": WRIST}[name]
    ram = RAMS[name]
    moment = sum(mass * gravity * rise for mass, rise in _carried(name, pin, load))
    dx, dz = _along(ram)
    # lengthening of the cylinder, m/rad
    return moment / ((ram.tip[0] - pin[0]) * dz - (ram.tip[1] - pin[1]) * dx)


def _carried(name: str, pin: Point, load: float) -> list[tuple[float, float]]:
    """Masses (kg) that a cylinder carries, and how they rise (m/rad) when the arm turns up about the pin."""
    order = list(RAMS)
    later = order[order.index(name) :]
    middles = {"boom": _middle(FOOT, ELBOW), "stick": _middle(BACK, WRIST), "bucket": _middle(WRIST, TEETH)}
    found = [(MASS[each] + (load if each == "bucket" else 0.0), middles[each][0] - pin[0]) for each in later]
    for each in later[1:]:  # cylinders that stand on what is carried
        ram, half = RAMS[each], 0.5 * RAMS[each].closed * _along(RAMS[each])[0]
        found += [(ram.masses[0], ram.eye[0] + half - pin[0]), (ram.masses[1], ram.tip[0] - half - pin[0])]
    # its own barrel turns about the fixed eye, its rod goes with the moving one
    ram, (dx, dz), half = RAMS[name], _along(RAMS[name]), 0.5 * RAMS[name].closed
    speed = (pin[1] - ram.tip[1], ram.tip[0] - pin[0])
    turned = half * (speed[1] - dz * (speed[0] * dx + speed[1] * dz)) / _length(ram)
    return [*found, (ram.masses[0], turned), (ram.masses[1], speed[1] - turned)]


def _pressures(ram: Ram, force: float) -> tuple[float, float]:
    """Pressures (Pa) that push with a force (N), with 2 MPa on the weaker side."""
    A = math.pi / 4 * ram.bore**2
    B = A - math.pi / 4 * ram.rod**2
    least = 2e6
    return ((force + B * least) / A, least) if force > (A - B) * least else (least, (A * least - force) / B)


def _machine(model: lw.Model) -> None:
    """Tracks and cabin, which stand still."""
    parts = {
        "house": ((2.9, 2.5, 1.1), (-1.0, 0.0, 1.55)),
        "cabin": ((1.5, 1.0, 1.2), (-0.2, 0.85, 2.6)),
        "left track": ((4.2, 0.6, 0.9), (-0.4, 1.2, 0.45)),
        "right track": ((4.2, 0.6, 0.9), (-0.4, -1.2, 0.45)),
    }
    for name, (size, at) in parts.items():
        model.visual(name, model.ground, lw.Box(size, pose=lw.Frame(at)))


def _body(model: lw.Model, name: str, start: Point, end: Point, more: float = 0.0) -> lw.Body:
    """A bar from start to end, with `more` mass (kg)."""
    length = math.hypot(end[0] - start[0], end[1] - start[1])
    middle = _middle(start, end)
    along = lw.Frame.along((end[0] - start[0], 0.0, end[1] - start[1]))
    size = (0.5, WIDTH[name], length) if name != "bucket" else (0.9, WIDTH[name], length)
    shape = lw.Box(size, pose=along)
    body = model.body(name, mass=MASS[name] + more, shape=shape, position=_in(middle))
    for number, outline in enumerate(LOOKS[name]):
        points = [(x - middle[0], side * WIDTH[name] / 2, z - middle[1]) for x, z in outline for side in (-1.0, 1.0)]
        model.visual(f"{name} side {number}", body, lw.Hull(points))
    return body


LOOKS = {
    "boom": (
        ((-0.2, 1.95), (0.15, 1.75), (2.0, 4.65), (2.45, 4.75), (2.55, 4.0), (2.2, 3.4)),
        ((2.0, 4.65), (2.3, 5.05), (2.6, 4.85), (5.3, 4.35), (5.3, 4.05), (2.55, 3.9)),
    ),
    "stick": (((4.75, 5.0), (5.05, 5.05), (5.75, 3.9), (6.33, 1.55), (6.1, 1.42), (5.0, 4.0)),),
    "bucket": (
        ((6.05, 1.55), (6.25, 1.6), (6.7, 1.75), (6.72, 1.5), (6.5, 1.1), (6.1, 1.2)),
        ((6.1, 1.35), (6.72, 1.5), (6.75, 0.95), (6.35, 0.45), (5.75, 0.35), (5.8, 0.55)),
    ),
}


def _ram(model: lw.Model, name: str, ram: Ram) -> None:
    """Barrel and rod of a cylinder, and their joints."""
    along = np.array(_in(_along(ram)))
    turn = lw.Frame.along(along).rotation
    thick, thin = 0.6 * ram.bore, 0.5 * ram.rod
    for part, radius, at, way, mass in (
        ("barrel", thick, ram.eye, 1.0, ram.masses[0]),
        ("rod", thin, ram.tip, -1.0, ram.masses[1]),
    ):
        bar = lw.Cylinder(radius, ram.closed * 0.95, pose=lw.Frame((0, 0, way * 0.5 * ram.closed)))
        model.body(f"{name} {part}", mass=mass, shape=bar, position=_in(at), rotation=turn)
    level = np.cross(along, Y)
    model.universal(f"{name} trunnion", ram.base, f"{name} barrel", at=_in(ram.eye), axis=(Y, level))
    slide = {"at": _in(ram.eye), "axis": along, "position": 0.0}
    model.prismatic(f"{name} cylinder", f"{name} barrel", f"{name} rod", **slide, damping=2e4)  # type: ignore[arg-type]
    model.ball(f"{name} eye", f"{name} rod", ram.moves, at=_in(ram.tip), cut=True)


def _length(ram: Ram) -> float:
    """Of a cylinder as the arm starts, m."""
    return math.hypot(ram.tip[0] - ram.eye[0], ram.tip[1] - ram.eye[1])


def _along(ram: Ram) -> Point:
    """Direction of a cylinder from its fixed eye to the moving one, as the arm starts."""
    return (ram.tip[0] - ram.eye[0]) / _length(ram), (ram.tip[1] - ram.eye[1]) / _length(ram)


def _middle(a: Point, b: Point) -> Point:
    return 0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])


def _in(point: Point) -> tuple[float, float, float]:
    return point[0], 0.0, point[1]
