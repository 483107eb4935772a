"""A cam lifts a valve against its spring, as in a side-valve engine: the faster it turns, the less presses it together.

The camshaft turns below a flat tappet; tappet, stem and head of the valve slide upwards together. The lift f over the
angle of the cam is zero outside the lobe. Inside it is a polynomial on each flank, in s = 0 where the valve begins to
open, s = 1 at the nose:

    f = L (20 s^3 - 25 s^4 + 8 s^5) / 3,     f'' = 20 L / (3 b^2) (6 s - 15 s^2 + 8 s^3)

with the lift L and the angle b of a flank. The second derivative is continuous everywhere, zero where the lobe begins
and -20 L / (3 b^2) at the nose, where it is least and its own slope vanishes (Norton, Cam Design and Manufacturing
Handbook, 2nd ed. 2009, on polynomials with chosen boundary conditions; the polynomial is ours).

At constant speed w the valve of mass m accelerates by f'' w^2, so the cam pushes with m f'' w^2 + F0 + k f + m g and
takes the torque f' times that, besides what its own weight takes, as it is not balanced. At the nose the push is gone
at the speed with

    w^2 = (F0 + k L + m g) / (m |f''|)

Beyond it only a positive drive (a groove) holds the valve on its curve; on a plain cam the tappet leaves it. A flat
tappet follows the profile h u + h' u', u the direction from the shaft to the tappet's face and h = R + f its distance,
which is convex as long as R + f + f'' > 0.

What it must show: the acceleration f'' w^2 to 1e-10; the effort of the cam and the torque of its drive by these
formulas; an effort at the nose that changes its sign at that speed. In real contact the tappet stays on the profile
below that speed, and above it flies off as far as free flight from the curve takes it.

All numbers are our assumptions: about those of a car engine, with a wide base circle for the flat tappet.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.errors import ModelError

TITLE = "cam and valve, a spring that must be strong enough"
PAPER = "textbooks; our numbers"
UNTIL = 0.1
METHOD = {"method": "recursive", "integrator": "rk4", "dt": 1e-4}
PLOTS = ["guide.position", "guide.acceleration", "lobe.effort", "drive.effort"]

LIFT, FLANK = 0.008, math.radians(70.0)  # m, rad of the camshaft
BASE, THICK = 0.034, 0.014  # m: radius of the base circle, width of the cam
MASS = {"tappet": 0.05, "stem": 0.04, "head": 0.03}  # kg
GRAVITY = 9.81
CORNERS = 360  # of the profile, and points of the curve
SEAT = 0.11  # m, from the tappet's face to the head of the valve
POWERS = (0.0, 0.0, 0.0, 20 / 3, -25 / 3, 8 / 3)  # of a flank


def build(
    *,
    speed: float = 150.0,
    stiffness: float = 2.5e4,
    preload: float = 250.0,
    curve: str = "curve",
    contact: bool = False,
) -> lw.Model:
    """The valve with its camshaft at `speed` (rad/s), its spring of `stiffness` (N/m) and `preload` (N).

    `curve` is how the lift is given: "curve" (an `lw.Curve`), "points" or "function". With `contact` there is no
    coupling "lobe": the tappet lies on the profile of the cam, for the impulse methods. Bodies: "cam", "tappet",
    "stem", "head". Joints: "shaft", "guide". The rigid motor is "drive", the spring "spring".

    >>> list(lw.gallery.cam_valve.build().bodies)
    ['cam', 'tappet', 'stem', 'head']
    """
    model = lw.Model("cam valve", gravity=(0, 0, -GRAVITY))
    smooth = lw.Material(friction=0.0) if contact else None
    cam = model.body("cam", mass=0.4, shape=lw.Hull(profile()), material=smooth)
    tappet = model.body(
        "tappet",
        mass=MASS["tappet"],
        shape=lw.Box((0.056, 0.02, 0.006), pose=lw.Frame((0, 0, 0.003))),
        position=(0, 0, BASE),
        material=smooth,
    )
    model.body("stem", mass=MASS["stem"], shape=lw.Cylinder(0.004, SEAT), position=(0, 0, BASE + SEAT / 2))
    model.body("head", mass=MASS["head"], shape=lw.Cylinder(0.018, 0.004), position=(0, 0, BASE + SEAT))
    model.revolute("shaft", model.ground, cam, at=(0, 0, 0), axis=(0, 1, 0), velocity=speed)
    model.prismatic("guide", model.ground, tappet, at=(0, 0, BASE), axis=(0, 0, 1))
    model.fixed("collet", tappet, "stem", at=(0, 0, BASE))
    model.fixed("weld", "stem", "head", at=(0, 0, BASE + SEAT))
    top = 0.07  # m, length of the spring in the closed valve
    model.spring(
        "spring",
        model.ground,
        tappet,
        at_a=(0, 0, BASE + top),
        axis=(0, 0, 1),
        stiffness=stiffness,
        length=-(top + preload / stiffness),
    )
    model.motor("drive", "shaft", velocity=speed)
    if not contact:
        model.cam("lobe", "shaft", "guide", _given(curve))
    return model


def _given(curve: str) -> Any:
    if curve == "curve":
        powers = np.array(POWERS) * LIFT / FLANK ** np.arange(6)
        back = powers * (-1.0) ** np.arange(6)
        ends = [math.pi - FLANK, math.pi, math.pi + FLANK]
        return lw.Curve(ends, [[0.0], powers, back, [0.0]], origins=[0.0, ends[0], ends[2], 0.0])
    if curve == "points":
        angles = np.linspace(0.0, 2 * math.pi, CORNERS + 1)
        return angles, lift(angles)
    if curve == "function":
        return lift
    raise ModelError(
        f"cam_valve: curve is {curve!r}, but the lift is a 'curve', 'points' or a 'function'; correct curve="
    )


def lift(angle: Any, derivative: int = 0) -> Any:
    """Lift of the valve (m) with the cam at `angle` (rad, the nose is at pi), or its first or second derivative.

    >>> round(lw.gallery.cam_valve.lift(math.pi), 9), lw.gallery.cam_valve.lift(0.0)
    (0.008, 0.0)
    """
    off = np.mod(angle, 2 * math.pi) - math.pi
    s = np.maximum(1.0 - np.abs(off) / FLANK, 0.0)
    row = np.polynomial.polynomial.polyder(POWERS, derivative) * LIFT / FLANK**derivative
    way = np.where(off > 0.0, -1.0, 1.0) ** derivative
    found = way * np.polynomial.polynomial.polyval(s, row)
    return found if np.ndim(found) else float(found)


def nose_speed(stiffness: float = 2.5e4, preload: float = 250.0) -> float:
    """Speed of the camshaft (rad/s) at which nothing presses the tappet on the nose any more.

    >>> round(lw.gallery.cam_valve.nose_speed())
    324
    """
    mass = sum(MASS.values())
    return math.sqrt((preload + stiffness * LIFT + mass * GRAVITY) / (mass * -lift(math.pi, 2)))


def profile() -> Any:
    """Corners of the cam, a prism about the y axis."""
    angle = np.linspace(0.0, 2 * math.pi, CORNERS, endpoint=False)
    h, rate = BASE + lift(angle), lift(angle, 1)
    x = -h * np.sin(angle) - rate * np.cos(angle)
    z = h * np.cos(angle) - rate * np.sin(angle)
    return np.concatenate([np.column_stack([x, np.full_like(x, y), z]) for y in (-THICK / 2, THICK / 2)])
