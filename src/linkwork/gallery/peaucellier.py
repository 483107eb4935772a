"""The Peaucellier-Lipkin linkage: hinges alone turn a rotation into an exactly straight line.

The second scene of MST17 (figure 5): 7 links, 10 hinges, 3 loops. Two long arms A turn about the fixed pivot O; four
equal rods C make a rhombus on their ends; a crank B about Q carries the rhombus' near corner P. The far corner is the
pen. Since
|OP| |O pen| = A^2 - C^2, and P runs on a circle through O when the crank is as long as O is far from Q, the pen runs on
the straight line x = (A^2 - C^2) / (2 B), exactly.

What it must show: the pen stays on that line to round-off while the crank swings. The paper prints no numbers of the
mechanism: lengths, masses and the drive are our own assumptions. The linkage lies in the plane x y with gravity
perpendicular to it (along -z), which loads the hinges but does no work. A cosine torque swings the crank, and a light
spring keeps it near its middle position, within its range (the rods are stretched at |OP| = A - C). The paper's crank
has a motor: with drive="motor", for methods that have motors, the crank swings from `angle` to its opposite,
`frequency` times a second.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

from numpy.typing import NDArray

import linkwork as lw
from linkwork.errors import ModelError

TITLE = "Peaucellier-Lipkin linkage, a pen on an exactly straight line"
PAPER = "MST17 figure 5"
UNTIL = 10.0
METHOD = {"method": "recursive", "integrator": "rk4", "dt": 1e-3, "every": 10}
PLOTS = ["crank pivot.position", "left far.position", "energy", "drift"]

Point: TypeAlias = tuple[float, float]

THICKNESS = 0.014  # m, of all links in pictures


def build(
    *,
    long: float = 0.5,
    short: float = 0.2,
    crank: float = 0.2,
    angle: float = -0.9,
    torque: float = 0.25,
    frequency: float = 0.4,
    stiffness: float = 0.2,
    damping: float = 0.05,
    density: float = 1.0,
    gravity: float = 9.81,
    drive: str = "torque",
) -> lw.Model:
    """Arms `long`, rods `short` and `crank` in m; the crank starts at rest at `angle` (rad, zero away from O).

    A cosine `torque` (N m) of `frequency` (Hz) drives the joint "crank pivot", whose return spring has `stiffness` (N
    m/rad) and `damping` (N m s/rad); with `drive` = "motor" a motor "drive" turns it instead. `density` is the mass of
    a link per metre, kg/m; `gravity` in m/s2, across.
    Bodies: "crank", "left arm", "right arm", "left near", "right near", "left far", "right far" (left of the way from
    O to the pen). The frame of "left far" is at the pen: `run["left far.position"]` is where it is.

    >>> len(lw.gallery.peaucellier.build().joints)
    10
    """
    if drive not in ("torque", "motor"):
        raise ModelError(f"peaucellier: drive is {drive!r}, but the crank has a torque or a motor; correct drive=")
    O, Q, P, L, R, pen = _corners(long, short, crank, angle)
    model = lw.Model("peaucellier", gravity=(0, 0, -gravity))

    def link(name: str, start: Point, end: Point) -> lw.Body:
        return _link(model, name, start, end, density)

    def hinge(name: str, a: lw.Body, b: lw.Body, at: Point) -> lw.Joint:
        return model.revolute(name, a, b, at=(*at, 0), axis=(0, 0, 1))

    handle = link("crank", Q, P)
    left_arm, right_arm = link("left arm", O, L), link("right arm", O, R)
    left_near, right_near = link("left near", P, L), link("right near", P, R)
    left_far, right_far = link("left far", pen, L), link("right far", pen, R)

    # the crank's angle is zero where it points away from O
    model.revolute("crank pivot", model.ground, handle, frame_a=lw.Frame((*Q, 0)), frame_b=lw.Frame(), position=angle)
    hinge("left pivot", model.ground, left_arm, O)
    hinge("right pivot", model.ground, right_arm, O)
    hinge("left near corner", handle, left_near, P)
    hinge("right near corner", handle, right_near, P)
    hinge("left corner", left_arm, left_near, L)
    hinge("right corner", right_arm, right_near, R)
    hinge("left far corner", left_arm, left_far, L)
    hinge("right far corner", right_arm, right_far, R)
    hinge("pen corner", left_far, right_far, pen)

    if drive == "motor":
        model.motor("drive", "crank pivot", position=lw.Cosine(angle, frequency))
        return model
    model.torque("drive", "crank pivot", lw.Cosine(torque, frequency))
    model.torsion_spring("return spring", "crank pivot", stiffness=stiffness, damping=damping)
    return model


def _corners(long: float, short: float, crank: float, angle: float) -> tuple[Point, ...]:
    """The fixed pivot O, the crank's pivot, and the corners near, left, right and far (the pen), m."""
    if not 0 < short < long:
        raise ModelError(f"peaucellier: the arms must be longer than the rods; give long= above short={short:g}")
    reach, flat = 2 * crank * math.cos(angle / 2), math.sqrt(long**2 - short**2)
    if not long - short < reach < flat:
        raise ModelError(
            f"peaucellier: with crank={crank:g} at angle={angle:g} the near corner is {reach:g} m from the fixed "
            f"pivot, but must be between {long - short:g} and {flat:g} m; change crank= or angle="
        )
    O, Q = (0.0, 0.0), (crank, 0.0)
    P = (Q[0] + crank * math.cos(angle), Q[1] + crank * math.sin(angle))
    along = math.atan2(P[1], P[0])
    # the corners beside stand where an arm and a rod meet, mirrored about the line from O over P to the pen
    beside = math.acos((long**2 + reach**2 - short**2) / (2 * long * reach))
    L = (long * math.cos(along + beside), long * math.sin(along + beside))
    R = (long * math.cos(along - beside), long * math.sin(along - beside))
    pen = (L[0] + R[0] - P[0], L[1] + R[1] - P[1])
    return O, Q, P, L, R, pen


def _link(model: lw.Model, name: str, start: Point, end: Point, density: float) -> lw.Body:
    """A thin rod whose frame stands at `start`, x along it."""
    x, y = end[0] - start[0], end[1] - start[1]
    length, turn = math.hypot(x, y), math.atan2(y, x)
    moment = density * length**3 / 12
    twist = density * length * THICKNESS**2 * 5 / 48  # of the bar in the picture; nothing here turns that way
    return model.body(
        name,
        mass=density * length,
        inertia=(twist, moment, moment),
        shape=lw.Box((length + THICKNESS, THICKNESS, THICKNESS / 2), pose=lw.Frame((length / 2, 0, 0))),
        position=(*start, 0),
        rotation=(math.cos(turn / 2), 0, 0, math.sin(turn / 2)),
    )


def pen(run: lw.Trajectory) -> NDArray[Any]:
    """Where the pen is, (k, 3), m.

    >>> run = lw.simulate(lw.gallery.peaucellier.build(), until=0.1, dt=1e-3)
    >>> float(abs(lw.gallery.peaucellier.pen(run)[:, 0] - 0.525).max()) < 1e-9
    True
    """
    return run["left far.position"]


def line(*, long: float = 0.5, short: float = 0.2, crank: float = 0.2) -> float:
    """The x of the line on which the pen runs, m.

    >>> round(lw.gallery.peaucellier.line(), 12)
    0.525
    """
    return (long**2 - short**2) / (2 * crank)
