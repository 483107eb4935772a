"""A manipulator of three links driven by cosine torques, moving in space.

The example of V06 chapter 8: each link is a motor (housing and rotor on a hinge) with a beam fixed to its rotor; the
beam carries the housing of the next motor. The first axis is vertical, the other two are level. Subsystems inside
subsystems, no loops.

All numbers are the printed ones: housing a tube, rotor a rod, both along y; torque C cos(2 pi k t) between them with C
= -600, 300, -12 N m and k = 2 Hz; starts 0, 2.5, 0 rad at rest; g = 9.8. A stiff joint's s is the quaternion of body 2
in body 1 (A.5), as ours. The size of beams in pictures is ours (it fits the printed inertia).

What it must show (figures 8.7 to 8.9, 5 s with Adams-Moulton and dt = 0.1 ms): energy = start + work of the motors,
and any two integrators agree in the accelerations far better than 1.4e-8 relative to their size.
"""

from __future__ import annotations

import math

import linkwork as lw
from linkwork.gallery.car import Beam

TITLE = "manipulator of three links with motors, in space"
PAPER = "V06 chapter 8"
UNTIL = 5.0
METHOD = {"method": "recursive", "integrator": "abm4", "dt": 1e-4, "every": 50}
PLOTS = ["*.shaft.position", "*.shaft.velocity", "energy"]

Y = (0.0, 1.0, 0.0)


class Motor(lw.Subsystem):
    """A housing and a rotor on a common axis y, with a cosine torque of `amplitude` (N m) and `frequency` (Hz) between.

    Ports: "housing", "rotor"; joint: "shaft", which starts at `angle` (rad).

    >>> lw.gallery.manipulator.Motor(amplitude=5.0)["rotor"].mass
    7.7
    """

    def build(self, *, amplitude: float, frequency: float = 2.0, angle: float = 0.0) -> None:
        along = lw.Frame.along(Y)
        housing = self.body("housing", mass=2.0, shape=lw.Cylinder(0.034, 0.3, inner_radius=0.030, pose=along))
        rotor = self.body("rotor", mass=7.7, shape=lw.Cylinder(0.03, 0.35, pose=along))
        shaft = self.revolute(
            "shaft",
            housing,
            rotor,
            frame_a=lw.Frame.along(Y, (0, -0.15, 0)),
            frame_b=lw.Frame.along(Y, (0, -0.175, 0)),
            position=angle,
        )
        self.torque("drive", shaft, lw.Cosine(amplitude, frequency))
        self.port("housing", housing)
        self.port("rotor", rotor)


class Link(lw.Subsystem):
    """A motor with a beam fixed to its rotor. Ports: "housing", "bar". Its keywords are those of `Motor`.

    >>> lw.gallery.manipulator.Link(amplitude=5.0).bar.mass
    0.71
    """

    def build(self, *, amplitude: float, frequency: float = 2.0, angle: float = 0.0) -> None:
        motor = self.add("motor", Motor(amplitude=amplitude, frequency=frequency, angle=angle))
        # a bar of its own coordinates follows from the clamp, so it has no place in here
        beam = self.add("beam", Beam(mass=0.71, inertia=(0.06, 0.06, 0.0002), size=(0.04, 0.04, 1.0)))
        self.fixed(
            "clamp", motor["rotor"], beam.bar, frame_a=lw.Frame((0, 0.175, 0)), frame_b=lw.Frame((0, -0.02, -0.483))
        )
        self.port("housing", motor.housing)
        self.port("bar", beam.bar)


def build(
    *,
    amplitudes: tuple[float, float, float] = (-600.0, 300.0, -12.0),
    frequency: float = 2.0,
    angles: tuple[float, float, float] = (0.0, 2.5, 0.0),
    gravity: float = 9.8,
) -> lw.Model:
    """The manipulator: torque `amplitudes` (N m) with one `frequency` (Hz), start `angles` (rad), `gravity` in m/s2.

    Links "link 1" to "link 3"; the joints that move are "link 1.motor.shaft" and so on.

    >>> lw.assemble(lw.gallery.manipulator.build()).nv
    3
    """
    model = lw.Model("manipulator", gravity=(0, 0, -gravity))
    links = [
        model.add(f"link {k + 1}", Link(amplitude=amplitudes[k], frequency=frequency, angle=angles[k]))
        for k in range(3)
    ]
    half = math.sqrt(0.5)
    end = (0, -0.15, 0)  # of a housing
    model.fixed(
        "base", model.ground, links[0].housing, frame_a=lw.Frame((0, 0, 0), (half, half, 0, 0)), frame_b=lw.Frame(end)
    )
    model.fixed(
        "flange 1",
        links[0].bar,
        links[1].housing,
        frame_a=lw.Frame((0, 0, 0.5), (0.5, -0.5, -0.5, -0.5)),
        frame_b=lw.Frame(end),
    )
    model.fixed("flange 2", links[1].bar, links[2].housing, frame_a=lw.Frame((0, 0.02, 0.483)), frame_b=lw.Frame(end))
    return model
