"""A car on two suspensions, seen from the front: it drops onto its springs and comes to rest.

The example of V06 chapter 7: subsystems inside subsystems (damper and beam make a suspension), two loops closed by the
upper hinges of the dampers, grounds of their own under the wheels. The car body slides on a vertical guide. Beams are
hinged to it and carry the wheels, with inclined dampers between body and beams. A stiff spring under each wheel
represents tyre and road.

Numbers are the printed ones if the loops close with them, otherwise corrected as follows. 7.4.2 has its two vectors
swapped: the damper stands 0.2 m outside the beam's centre, on the piston's end. 7.5.7: the right wheel is at the beam's
outer end, +0.5. V06's prismatic joint also allows rotation about the axis: it is our cylindrical joint. 6.2.2: damping
acts on the signed rate of length. The printed starts of slider (0.2485 m) and damper angle (0.7854 rad) are rounded;
assembly moves them to 0.6 sqrt(2) - 0.6 m and pi/4, where the loops close. Widths of beams in pictures are ours (they
fit the printed inertia).

What it must show (figures 7.8 to 7.12, 1.5 s with Runge-Kutta 4 and dt = 1 ms): the wheels sink into their springs
within some 20 ms, the body sinks from 0.95 m to 0.9028 m at 0.54 s and settles near 0.907 m; left and right move as
mirror images; the drift of the loops stays at the level of round-off.
"""

from __future__ import annotations

import math
from typing import Literal

import numpy as np

import linkwork as lw

TITLE = "car on two suspensions, subsystems and loops"
PAPER = "V06 chapter 7"
UNTIL = 1.5
METHOD = {"method": "recursive", "integrator": "rk4", "dt": 1e-3}
PLOTS = ["guide.position", "* arm.position", "energy", "drift"]

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)


class Wheel(lw.Subsystem):
    """A ring over a ground of its own, with a spring between them: `stiffness` N/m, `damping` N s/m, `length` m.

    Its coordinates start at the ground point; the wheel's axis is x. Port: "ring".

    >>> lw.gallery.car.Wheel(stiffness=3e5).ring.mass
    15.0
    """

    def build(
        self, *, stiffness: float = 4e5, damping: float = 100.0, length: float = 0.35, mass: float = 15.0
    ) -> None:
        ring = self.body(
            "ring",
            mass=mass,
            shape=lw.Cylinder(0.3, 0.3, inner_radius=0.29, pose=lw.Frame.along(X)),
            position=(0, 0, 0.35),
        )
        axle = lw.Frame.along(X)
        self.visual("tread", ring, lw.looks.tyre(0.35, 0.26, pose=axle), colour=lw.looks.RUBBER)
        self.visual("rim", ring, lw.looks.rim(0.217, 0.26, pose=axle), colour=lw.looks.ALUMINIUM)
        self.spring("tyre", self.ground, ring, stiffness=stiffness, damping=damping, length=length)
        self.port("ring", ring)


class Beam(lw.Subsystem):
    """One bar with given `mass` (kg) and principal `inertia` (kg m2), its frame at the centre. Port: "bar".

    `size` of the bar (m) is for pictures.

    >>> lw.gallery.car.Beam(mass=2.0, inertia=(0.1, 0.2, 0.2), size=(1, 0.03, 0.03)).bar.mass
    2.0
    """

    def build(self, *, mass: float, inertia: tuple[float, float, float], size: tuple[float, float, float]) -> None:
        self.port("bar", self.body("bar", mass=mass, inertia=inertia, shape=lw.Box(size)))


class Damper(lw.Subsystem):
    """A piston in a cylinder with a spring between them: `stiffness` N/m, `damping` N s/m, unloaded at `length` m.

    Its coordinates start at the piston's centre, z up to the cylinder, whose centre is `extension` m above. Ports:
    "piston", "cylinder"; joint "slide" with its turn (rad) and distance (m).

    >>> lw.gallery.car.Damper(stiffness=6e4).slide.kind
    'cylindrical'
    """

    def build(
        self, *, stiffness: float = 5e4, damping: float = 1e4, length: float = 0.35, extension: float = 0.2485
    ) -> None:
        piston = self.body("piston", mass=13.23, shape=lw.Cylinder(0.01, 0.6), position=(0, 0, 0))
        cylinder = self.body(
            "cylinder", mass=3.4, shape=lw.Cylinder(0.03, 0.6, inner_radius=0.026), position=(0, 0, extension)
        )
        low = (0, 0, -0.3)
        self.cylindrical("slide", piston, cylinder, frame_a=lw.Frame(low), frame_b=lw.Frame(low))
        self.spring("coil", piston, cylinder, at_a=low, at_b=low, stiffness=stiffness, damping=damping, length=length)
        self.port("piston", piston)
        self.port("cylinder", cylinder)


class Suspension(lw.Subsystem):
    """A beam with a damper standing on it, slanted inwards; `side` is "left" (-x) or "right" (+x).

    Its coordinates start at the beam's centre. Ports: "bar", "piston", "cylinder". The other keywords are those of
    `Damper`.

    >>> suspension = lw.gallery.car.Suspension(side="left", stiffness=6e4)
    >>> suspension.cylinder.path
    'Suspension.damper.cylinder'
    """

    def build(
        self,
        *,
        side: Literal["left", "right"],
        stiffness: float = 5e4,
        damping: float = 1e4,
        extension: float = 0.2485,
        slant: float = 0.7854,
    ) -> None:
        sign = -1.0 if side == "left" else 1.0
        beam = self.add("beam", Beam(mass=7.02, inertia=(0.06, 0.5855265, 0.5855265), size=(1.0, 0.03, 0.03)))
        foot, lean = (0.2 * sign, 0, 0), -slant * sign
        damper = self.add(
            "damper",
            Damper(stiffness=stiffness, damping=damping, extension=extension),
            position=(foot[0] + 0.3 * math.sin(lean), 0, 0.3 * math.cos(lean)),
            rotation=(math.cos(lean / 2), 0, math.sin(lean / 2), 0),
        )
        self.revolute("knee", beam.bar, damper.piston, frame_a=_hinge(foot), frame_b=_hinge((0, 0, -0.3)))
        for port in ("piston", "cylinder"):
            self.port(port, damper[port])
        self.port("bar", beam.bar)


def build(
    *,
    stiffness: float = 5e4,
    damping: float = 1e4,
    tyre_stiffness: float = 4e5,
    tyre_damping: float = 100.0,
    body_mass: float = 585.0,
    height: float = 0.95,
    gravity: float = 9.8,
) -> lw.Model:
    """The car: dampers of `stiffness` (N/m) and `damping` (N s/m), tyres of `tyre_stiffness` and `tyre_damping`.

    `body_mass` (kg) scales the body's inertia too; `gravity` in m/s2. It starts at rest with beams level and the
    centre of "car body" at `height` (m). Joints: "guide" (turn and distance), "left arm", "left axle", "left top"
    (closes the loop), "left suspension.knee", "left suspension.damper.slide", and the same on the right.

    >>> model = lw.gallery.car.build()
    >>> model["left suspension.damper.piston"].mass
    13.23
    """
    model = lw.Model("car", gravity=(0, 0, -gravity))
    scale = body_mass / 585.0
    car_body = model.body(
        "car body",
        mass=body_mass,
        inertia=(12.675 * scale, 450.9375 * scale, 439.2375 * scale),
        shape=lw.Box((3.0, 0.1, 0.5)),
        position=(0, 0, height),
    )
    model.cylindrical(
        "guide", model.ground, car_body, frame_a=lw.Frame(), frame_b=lw.Frame((0, 0, -height)), position=(0, 0)
    )
    _draw(model, car_body)
    sides: tuple[tuple[Literal["left", "right"], float], ...] = (("left", -1.0), ("right", 1.0))
    for side, sign in sides:
        suspension = model.add(
            f"{side} suspension",
            Suspension(side=side, stiffness=stiffness, damping=damping),
            position=(0.5 * sign, 0, height - 0.6),
        )
        wheel = model.add(f"{side} wheel", Wheel(stiffness=tyre_stiffness, damping=tyre_damping), position=(sign, 0, 0))
        inner, outer = (-0.5 * sign, 0, 0), (0.5 * sign, 0, 0)
        model.revolute(
            f"{side} arm", car_body, suspension.bar, frame_a=_hinge((0, 0, -0.6)), frame_b=_hinge(inner), position=0
        )
        model.revolute(
            f"{side} axle",
            suspension.bar,
            wheel.ring,
            frame_a=_hinge(outer, X),
            frame_b=_hinge((0, 0, 0), X),
            position=0,
        )
        model.revolute(
            f"{side} top",
            car_body,
            suspension.cylinder,
            frame_a=_hinge((0.1 * sign, 0, 0)),
            frame_b=_hinge((0, 0, 0.3)),
            cut=True,
        )
    return model


def _draw(model: lw.Model, body: lw.Body) -> None:
    """A car cut open where the suspensions are, so that they are seen from the front."""
    cut, far = 0.10, 1.25  # y of the cut, and of the back
    across = lw.Frame.axes(X, Z, (0, (cut + far) / 2, 0))  # outlines lie in x and z
    side = [(1.42, -0.02), (1.40, 0.20), (1.22, 0.30), (0.96, 0.36), (0.76, 0.78), (0.60, 0.84)]
    arch = [(0.78, -0.24), (0.80, -0.10), (0.86, -0.03), (1.00, 0.0), (1.14, -0.03), (1.20, -0.10), (1.22, -0.24)]
    half = [*arch, (1.38, -0.24), *side]
    shell = [*half, *[(-x, z) for x, z in reversed(half)]]
    model.visual("shell", body, lw.looks.pushed(shell, far - cut, pose=across), colour=lw.looks.RED)
    glass = [(0.70, 0.76), (0.86, 0.40), (-0.86, 0.40), (-0.70, 0.76)]
    above = np.array(glass) - (0.0, 0.58)  # around its own middle
    screen = lw.Frame.axes(X, Z, (0, cut, 0.58))
    model.visual("windscreen", body, lw.looks.pushed(above, 0.02, pose=screen), colour="#9CC3DE")
    for name, sign in (("left", -1.0), ("right", 1.0)):
        lamp = lw.Cylinder(0.085, 0.05, pose=lw.Frame.along(Y, (1.12 * sign, cut, 0.16)))
        model.visual(f"{name} lamp", body, lamp, colour="#FFF3C4")
    model.visual("frame", body, lw.looks.rounded_box((0.62, 0.08, 0.30), 0.03), colour=lw.looks.STEEL)
    model.visual("post", body, lw.looks.tube([(0, 0, -0.6), (0, 0, -0.1)], 0.03), colour=lw.looks.STEEL)


def _hinge(at: tuple[float, float, float], axis: tuple[float, float, float] = Y) -> lw.Frame:
    """The frame of a hinge, its axis along y of the body unless said otherwise."""
    return lw.Frame.along(axis, at)
