"""A toggle press: a crank straightens two links, which push a ram with ever more force as they come into line.

The knuckle-joint press of textbooks on machine design. A flywheel with a crank at O turns once a second. Its
connecting rod pushes the knee between two equal links: the upper one hangs from the frame at A, the lower one drives
the ram down its slide. Nearly stretched, at an angle of 2 degrees from their line, the links turn a small push at the
knee into a force on the ram that is 1 / (2 tan 2°) = 14.3 times as large. At the bottom of its stroke the ram presses
an elastic block by its last millimetres.

Closed form, x to the right and z up, phi the angle of the crank (0 where it points to the knee and the press is
closed), theta that of the upper link from the vertical: the pin P = O + r (-cos phi, sin phi), the knee K = A + a
(sin theta, -cos theta) at the distance l from P, the ram pin at z = A_z - 2 a cos theta.

What it must show: the ram where the closed form has it to 1e-12 m; ram force over crank torque dphi/dz by virtual work
to 1e-9; the crank torque over a turn at constant speed, d/dphi of kinetic and potential energy, to 1e-9 of the largest.

All numbers are our assumptions, and so are the motor and the block.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import linkwork as lw
from linkwork.errors import ModelError

TITLE = "toggle press, a crank that straightens two links"
PAPER = "textbooks; our numbers"
UNTIL = 3.0
METHOD = {"method": "recursive", "integrator": "rk4", "dt": 1e-3, "every": 5}
PLOTS = ["slide.position", "crank.velocity", "block.force", "energy"]

Point: TypeAlias = tuple[float, float]

LINK, ROD, CRANK = 0.4, 0.7, 0.11  # m: each toggle link, the connecting rod, the crank
TOP = 1.25  # m, height of the upper pivot A over the floor
CLOSED = math.radians(2.0)  # of the toggle links from the vertical when the press is closed
RAM = 0.36  # m, from the ram's pin to its lower face
MASS = {"flywheel": 230.0, "rod": 8.0, "upper link": 10.0, "lower link": 10.0, "ram": 60.0}  # kg
WIDTH = {"rod": 0.04, "upper link": 0.06, "lower link": 0.06}  # m
RADIUS = 0.28  # m, of the flywheel, a disc of steel
PRESSED = 0.004  # m, by which the ram presses the block
A: Point = (0.0, TOP)
O: Point = (LINK * math.sin(CLOSED) + CRANK + ROD, TOP - LINK * math.cos(CLOSED))


def build(
    *,
    angle: float = math.pi,
    speed: float = 2 * math.pi,
    stiffness: float = 1e7,
    torque: float = 30.0,
    drive: str = "flywheel",
    gravity: float = 9.81,
) -> lw.Model:
    """The press with its crank at `angle` (rad, 0 where it is closed) and `speed` (rad/s).

    A motor of `torque` (N m) turns the crank, and its bearing brakes so that both balance at `speed`; with `drive` =
    "motor" a rigid motor "drive" keeps the speed instead, for `lw.kinematics`, and nothing brakes. The block has
    `stiffness` (N/m); `gravity` in m/s2. Bodies: "flywheel", "rod", "upper link", "lower link", "ram". Joints: "crank",
    "crank pin", "pivot", "knee" (both links), "knee pin" (rod), "ram pin", "slide". The ram's frame stands at its pin.

    >>> list(lw.gallery.toggle_press.build().bodies)
    ['flywheel', 'rod', 'upper link', 'lower link', 'ram']
    """
    if drive not in ("flywheel", "motor"):
        raise ModelError(f"toggle_press: drive is {drive!r}, but the crank has a flywheel or a motor; correct drive=")
    if not speed:
        raise ModelError("toggle_press: the crank does not turn; give a speed= that is not zero")
    P, K, theta = corners(angle)
    model = lw.Model("toggle press", gravity=(0, 0, -gravity))
    wheel = lw.Cylinder(RADIUS, 0.12, pose=lw.Frame((0, 0.12, 0), (1, 1, 0, 0)))  # behind the rod
    turn = (math.cos(angle / 2), 0, math.sin(angle / 2), 0)
    flywheel = model.body("flywheel", mass=MASS["flywheel"], shape=wheel, position=_in(O), rotation=turn)
    rod = _bar(model, "rod", P, K)
    upper, lower = _bar(model, "upper link", A, K), _bar(model, "lower link", K, (0.0, ram_height(theta)))
    ram = model.body(
        "ram",
        mass=MASS["ram"],
        shape=lw.Box((0.24, 0.2, RAM), pose=lw.Frame((0, 0, -RAM / 2))),
        position=(0, 0, ram_height(theta)),
    )
    across = (0, 1, 0)
    brake = torque / abs(speed) if drive == "flywheel" else 0.0  # N m s/rad
    shaft = lw.Frame(_in(O), (1, -1, 0, 0))  # its z along y
    model.revolute(
        "crank",
        model.ground,
        flywheel,
        frame_a=shaft,
        frame_b=lw.Frame((0, 0, 0), (1, -1, 0, 0)),
        position=angle,
        velocity=speed,
        damping=brake,
    )
    model.revolute("crank pin", flywheel, rod, at=_in(P), axis=across)
    model.revolute("pivot", model.ground, upper, at=_in(A), axis=across)
    model.revolute("knee", upper, lower, at=_in(K), axis=across)
    model.revolute("knee pin", upper, rod, at=_in(K), axis=across, cut=True)
    model.prismatic("slide", model.ground, ram, at=(0, 0, ram_height(theta)), axis=(0, 0, 1))
    model.revolute("ram pin", lower, ram, at=(0, 0, ram_height(theta)), axis=across, cut=True)
    free = ram_height(CLOSED) - RAM + PRESSED  # height of the block
    push = lw.Curve([free], [[-stiffness * free, stiffness], [0.0]])
    model.spring("block", model.ground, ram, at_b=(0, 0, -RAM), axis=(0, 0, 1), stiffness=push, length=free)
    if drive == "motor":
        model.motor("drive", "crank", velocity=speed)
    else:
        model.torque("motor", "crank", math.copysign(torque, speed))
    return model


def corners(angle: float) -> tuple[Point, Point, float]:
    """Crank pin and knee (x, z in m), and the angle of the upper link (rad), with the crank at `angle` (rad).

    >>> round(math.degrees(lw.gallery.toggle_press.corners(0.0)[2]), 9)
    2.0
    """
    P = (O[0] - CRANK * math.cos(angle), O[1] + CRANK * math.sin(angle))
    x, z = P[0] - A[0], P[1] - A[1]
    far = math.hypot(x, z)
    # from the line A P the link is turned towards the floor
    between = math.acos((LINK**2 + far**2 - ROD**2) / (2 * LINK * far))
    theta = math.atan2(x, -z) - between
    return P, (A[0] + LINK * math.sin(theta), A[1] - LINK * math.cos(theta)), theta


def ram_height(theta: float) -> float:
    """Height of the ram's pin (m) with the upper link at `theta` (rad).

    >>> round(lw.gallery.toggle_press.ram_height(0.0), 9)
    0.45
    """
    return TOP - 2 * LINK * math.cos(theta)


def force_ratio(angle: float) -> float:
    """Force on the ram (N, up) that a torque at the crank (N m, forward) holds, over that torque, 1/m: virtual work.

    >>> [round(lw.gallery.toggle_press.force_ratio(phi), 1) for phi in (-1.0, -0.3, -0.1)]
    [26.5, 271.1, 1077.4]
    """
    P, K, theta = corners(angle)
    rod = (K[0] - P[0], K[1] - P[1])
    pin = CRANK * (rod[0] * math.sin(angle) + rod[1] * math.cos(angle))
    knee = LINK * (rod[0] * math.cos(theta) + rod[1] * math.sin(theta))
    falls = -2 * LINK * math.sin(theta) * pin / knee  # of the ram, m for a turn by one radian
    return 1.0 / falls if falls else math.inf


def _in(point: Point) -> tuple[float, float, float]:
    return point[0], 0.0, point[1]


def _bar(model: lw.Model, name: str, start: Point, end: Point) -> lw.Body:
    """A bar whose frame stands at `start`, x along it."""
    x, z = end[0] - start[0], end[1] - start[1]
    length, lean, width = math.hypot(x, z), math.atan2(-z, x), WIDTH[name]
    return model.body(
        name,
        mass=MASS[name],
        shape=lw.Box((length + width, width / 2, width), pose=lw.Frame((length / 2, 0, 0))),
        position=_in(start),
        rotation=(math.cos(lean / 2), 0, math.sin(lean / 2), 0),
    )
