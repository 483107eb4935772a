"""A Stewart platform: six legs of changing length carry a plate and move it in all six degrees of freedom.

The manipulator of Tsai 2000 (L.-W. Tsai, Solving the inverse dynamics of a Stewart-Gough manipulator by the principle
of virtual work, Journal of Mechanical Design 122, pages 3 to 9): where the legs begin (FEET) and end (HEADS, in the
frame of the platform), its masses, where the centres of mass of the legs are, its moments of inertia and its first
motion, as a program that computes the example again has them (we have not seen the paper): the platform goes to and fro
by 0.2 m along x, y and z at once, at 3 rad/s, and does not turn. Each leg is a barrel in a universal joint on the
ground and a rod that slides in it and ends in a ball joint on the platform.

Our assumptions: the axes of the universal joints (the first is level), the legs' moments of inertia about their own
axes (solid cylinders of the drawn radii), damping and servos in the legs, another motion that turns the platform about
z as well, and all shapes.

What it must show: leg lengths of the closed form |p + R b - a| to 1e-12 m; leg forces of the principle of virtual work
to 1e-9 of the largest; the same motion again, within 1e-8 m over 5 s, when only these forces act. For that the legs
need their damping. With damping=0 the platform stands on six given forces like a broom on a hand: at HOME whatever
disturbs it, and be it rounding, grows by the factor e in 0.1 s.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linkwork as lw
from linkwork.errors import ModelError

TITLE = "Stewart platform, six legs that move a plate in all directions"
PAPER = "Tsai 2000"
UNTIL = 5.0
METHOD = {"method": "recursive", "integrator": "rk4", "dt": 1e-3, "every": 10}
PLOTS = ["platform.position", "leg *.position", "servo *.torque", "energy"]

# m: ends of the legs on the ground, and on the platform in its frame, which stands at its centre of mass
FEET = ((-2.12, 1.374, 0), (-2.38, 1.224, 0), (-2.38, -1.224, 0), (-2.12, -1.374, 0), (0, -0.15, 0), (0, 0.15, 0))
HEADS = (
    (0.17, 0.595, -0.4),
    (-0.6, 0.15, -0.4),
    (-0.6, -0.15, -0.4),
    (0.17, -0.595, -0.4),
    (0.43, -0.445, -0.4),
    (0.43, 0.445, -0.4),
)
HOME = (-1.5, 0.0, 1.0)  # m, of the platform in the middle of its motion
MASS, MOMENT = 1.5, 0.08  # kg, kg m2 about every axis: the platform
LEG_MASS, LEG_MOMENT = 0.1, 1 / 160  # kg, kg m2 across: each barrel and each rod
OFFSET = 0.5  # m, from the foot to the centre of mass of the barrel, and from the head to that of the rod
RADII = (0.03, 0.02)  # m, of barrel and rod
DRIVES = ("servo", "motor")


def build(
    *,
    amplitude: float = 0.2,
    rate: float = 3.0,
    yaw: float = 0.0,
    drive: str = "servo",
    forces: Sequence[Any] | None = None,
    stiffness: float = 2e4,
    damping: float = 80.0,
    mass: float = MASS,
    gravity: float = 9.80665,
) -> lw.Model:
    """A platform of `mass` (kg) that moves by `amplitude` (m) along x, y, z and turns by `yaw` (rad) about z.

    Both go as sin(`rate` t), rad/s; `gravity` in m/s2. The legs have `damping` (N s/m). The platform starts in this
    motion, and the `drive` keeps it there: "servo" pulls every leg to its length on the path, with `stiffness` (N/m)
    and the damping; with "motor" rigid motors "jack 0" to "jack 5" give the lengths, for `lw.kinematics`. With
    `forces`, six laws in N, positive where they push, these act in the legs instead, as "jack 0" to "jack 5".
    Bodies: "platform", "barrel 0" to "barrel 5", "rod 0" to "rod 5". Joints: "foot k" (universal), "leg k" (prismatic;
    zero where the platform is at HOME) and "head k" (ball).

    >>> len(lw.gallery.stewart.build().joints)
    18
    """
    if drive not in DRIVES:
        raise ModelError(f"stewart: drive is {drive!r}, but the legs have a servo or a motor; correct drive=")
    if forces is not None and len(forces) != 6:
        raise ModelError(f"stewart: there are {len(forces)} forces for six legs; correct forces=")
    model = lw.Model("stewart", gravity=(0, 0, -gravity))
    ring = np.array(HEADS)
    cabin = lw.Hull(np.vstack([ring, ring * (1, 1, 0.88), ring * (0.55, 0.55, -0.1)]))
    model.body("platform", mass=mass, inertia=(MOMENT,) * 3, com=(0, 0, 0), shape=cabin, position=HOME)
    rest, motion = lengths(HOME), (amplitude, rate, yaw)
    times = np.linspace(0.0, UNTIL, 501)
    for k in range(6):
        length, speed = np.array([leg_motion(k, t, *motion) for t in times.tolist()]).T
        spring = stiffness if forces is None and drive == "servo" else 0.0
        start = {"position": float(length[0] - rest[k]), "velocity": float(speed[0])}
        _leg(model, k, {**start, "damping": damping, "stiffness": spring})
        if forces is not None:
            model.torque(f"jack {k}", f"leg {k}", forces[k])
        elif drive == "motor":
            model.motor(f"jack {k}", f"leg {k}", position=lambda t, k=k: leg_motion(k, t, *motion)[0] - rest[k])
        else:  # stiffness (wanted - length) + damping (its rate): this, with the spring and damper of the joint
            pull = stiffness * (length - rest[k]) + damping * speed
            model.torque(f"servo {k}", f"leg {k}", lw.Table(times, pull, "cubic"))
    return model


def _leg(model: lw.Model, k: int, slide: dict[str, Any]) -> None:
    """Barrel and rod number k, with their joints, the platform at HOME."""
    foot, head = np.array(FEET[k], dtype=float), np.add(HOME, HEADS[k])
    length = float(np.linalg.norm(head - foot))
    s = (head - foot) / length
    turn = lw.Frame.along(s).rotation
    for part, radius, at, shift in (("barrel", RADII[0], foot, 0.375), ("rod", RADII[1], head, -0.44)):
        spin = LEG_MASS * radius**2 / 2
        model.body(
            f"{part} {k}",
            mass=LEG_MASS,
            inertia=(LEG_MOMENT, LEG_MOMENT, spin),
            com=(0, 0, math.copysign(OFFSET, shift)),
            shape=lw.Cylinder(radius, 2 * abs(shift), pose=lw.Frame((0, 0, shift))),
            position=at,
            rotation=turn,
        )
    level = np.cross((0, 0, 1), s) / np.linalg.norm(np.cross((0, 0, 1), s))
    model.universal(f"foot {k}", model.ground, f"barrel {k}", at=foot, axis=(level, np.cross(s, level)))
    model.prismatic(f"leg {k}", f"barrel {k}", f"rod {k}", at=foot, axis=s, **slide)
    model.ball(f"head {k}", f"rod {k}", "platform", at=head)


def path(t: float, amplitude: float = 0.2, rate: float = 3.0, yaw: float = 0.0) -> lw.Frame:
    """Where the platform has to be at t (s); amplitude in m, rate in rad/s, yaw in rad.

    >>> lw.gallery.stewart.path(0.0) == lw.Frame((-1.5, 0, 1))
    True
    """
    wave = math.sin(rate * t)
    half = 0.5 * yaw * wave
    return lw.Frame(np.add(HOME, amplitude * wave), (math.cos(half), 0, 0, math.sin(half)))


def lengths(position: Any, matrix: Any = ((1, 0, 0), (0, 1, 0), (0, 0, 1))) -> NDArray[Any]:
    """Inverse kinematics: the lengths of the six legs, m, with the platform at `position` (m), turned by `matrix`.

    >>> lw.gallery.stewart.lengths((-1.5, 0, 1)).round(6).tolist()[:3]
    [1.261325, 1.261696, 1.261696]
    """
    found: NDArray[Any] = np.linalg.norm(np.asarray(position) + HEADS @ np.asarray(matrix).T - FEET, axis=1)
    return found


def leg_motion(k: int, t: float, amplitude: float = 0.2, rate: float = 3.0, yaw: float = 0.0) -> tuple[float, float]:
    """Length (m) of leg k and its rate (m/s) at t (s) on the path.

    >>> length, rate = lw.gallery.stewart.leg_motion(0, 0.0)
    >>> round(length, 6)
    1.261325
    """
    wave, speed = math.sin(rate * t), rate * math.cos(rate * t)
    c, s = math.cos(yaw * wave), math.sin(yaw * wave)
    x, y, z = HEADS[k]
    x, y, shift = c * x - s * y, s * x + c * y, amplitude * wave
    leg = [at + shift + arm - foot for at, arm, foot in zip(HOME, (x, y, z), FEET[k], strict=True)]
    length = math.hypot(*leg)
    heads = (amplitude - yaw * y, amplitude + yaw * x, amplitude)  # m/s where the wave has the rate 1
    return length, speed * sum(a * b for a, b in zip(leg, heads, strict=True)) / length
