"""The planar simple pendulum: a point mass on a massless rod, released from the horizontal.

Benchmark A01 of the IFToMM library of multibody problems: 1 kg at the end of 1 m, pivot at the origin, at rest at
x = -1 m, gravity 9.81 m/s2, 10 s. The library draws it in x and y with y up; here z is up, so its y is our z.

What it must show: energy kept to better than 5e-5 J over 10 s; the bob at (-0.2750874626, -0.9614192051) m at t = 10 s;
a period of 4 sqrt(L/g) K(1/2) = 2.3678419475762 s. All numbers are the benchmark's.
"""

from __future__ import annotations

import math

import linkwork as lw

TITLE = "simple pendulum, a point mass released from the horizontal"
PAPER = "IFToMM benchmark A01"
UNTIL = 10.0
METHOD = {"method": "recursive", "integrator": "rk4", "dt": 1e-3, "every": 10}
PLOTS = ["bob.position", "pin.velocity", "energy"]


def build(
    *, length: float = 1.0, mass: float = 1.0, angle: float = math.pi / 2, velocity: float = 0.0, gravity: float = 9.81
) -> lw.Model:
    """The pendulum: `length` in m, `mass` in kg, start `angle` (rad, from hanging towards -x), `velocity` in rad/s.

    `gravity` is in m/s2, downwards. The frame of "bob" is at the point mass: `run["bob.position"]` is where it is.

    >>> model = lw.gallery.pendulum.build(length=2.0, angle=0.1)
    >>> model.pin.position
    (0.1,)
    """
    model = lw.Model("pendulum", gravity=(0, 0, -gravity))
    bob = model.body(
        "bob",
        mass=mass,
        inertia=0,  # a point; the ball is for pictures only
        shape=lw.Sphere(0.06 * length),
        position=(0, 0, -length),
    )
    model.revolute("pin", model.ground, bob, at=(0, 0, 0), axis=(0, 1, 0), position=angle, velocity=velocity)
    return model
