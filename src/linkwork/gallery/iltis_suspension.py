"""One wheel suspension of the Bombardier Iltis under a quarter of the car: it settles, then drops down a kerb.

The second example of CD03. The lower arm is hinged to the block, the hub turns on it about the arm's outer hinge and
about the kingpin; a leaf spring above holds the hub's upper end sideways (a rod) and carries it (a spring that acts
upright, with a bump stop), a shock absorber with end stops stands on the arm, a tie rod steers. All dimensions and
laws are those of the IAVSD benchmark (Frik, Leister, Schwartz, VSD 22 (1993) 215-253) as in the public model
ovankerm/IAVSD_ILTIS, first commit. Leaf spring, tie rod and carriers have no mass there; here they are distances, and
the two hinges of the hub one universal joint. Ours are the mass of the block, a quarter of the car body (the paper
names none), and the kerb: rounded, 10 cm within 0.02 s, as at some 5 m/s.

What it must show (7 s): two stiff degrees of freedom; the start is not the equilibrium, so it swings and settles
within a second; after 3 s it drops by the 10 cm of the kerb and settles again, 10 cm lower and otherwise the same; the
energy ledger closes, so what gravity gave and springs do not hold has gone into the shock absorber. In the design
position the leaf spring pushes with 2728.9 N and the shock absorber with 128.0 N, the printed values. CD03 steps by
10 ms, which passes over the kerb in two steps: forces of the bump stop are then wrong by their own size, and 6 % of the
energy is missing. The steps here are of 1 ms.
"""

from __future__ import annotations

import math
from typing import TypeAlias

import numpy as np

import linkwork as lw

TITLE = "one suspension of the Iltis: quarter car, settling, then down a kerb"
PAPER = "CD03 example 2, IAVSD benchmark"
UNTIL = 7.0
METHOD = {"method": "hybrid", "dt": 1e-3, "every": 10}
PLOTS = ["guide.position", "leaf.force", "shock.force", "tyre.load", "energy"]

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
HEIGHT = 0.57  # of the car's centre of mass above the road in the design position, m

# N over the upright distance from the leaf's tip to the body, m: 35906 N/m, and a stop of 1e7 N/m below 0.106 m
LEAF = lw.Curve([0.106], [[35906.0 * (0.006 - 0.152) - 1e7 * 0.106, 1e7], [-35906.0 * 0.252, 35906.0]])
# N over the length, m: gas force and end stops
STOPS = lw.Curve([], [[-4.0092e6, 2.8397e7, -6.7061e7, 5.2796e7]])
# N over the speed of lengthening, m/s
SHOCK = lw.Curve(
    [-0.2, 0.21],
    [[-416.42, 1844.3], [0.0, 9945.627, 33955.72, -59832.25, -395651.0], [1919.1638, 1634.727]],
)
TYRE = 460e3  # N/m
RADIUS = 0.364325  # m, unloaded, front

Point: TypeAlias = tuple[float, float, float]


def suspend(
    model: lw.Model,
    carrier: lw.Body,
    *,
    name: str = "",
    x: float = 0.0,
    left: bool = True,
    front: bool = True,
    rack: lw.Body | None = None,
    radius: float = RADIUS,
    road: lw.Road | None = None,
    side: lw.Calspan | None = None,
) -> lw.Body:
    """Hang a wheel under `carrier`, whose frame stands HEIGHT over the road; gives the hub, which is the wheel too.

    `x` is the place of the axle; rear suspensions are the front ones seen in a mirror. The tie rod ends at the `rack`,
    or at the carrier. `radius`, `road` and `side` are those of the tyre. Parts are called `name` and "arm", "hub",
    "pivot", "knuckle", "leaf rod", "tie rod", "leaf", "shock", "tyre".
    """
    y, ahead, title = 1.0 if left else -1.0, 1.0 if front else -1.0, f"{name} " if name else ""
    inner, outer, top = (x, 0.259 * y, 0.302), (x, 0.572 * y, 0.229), (x, 0.488 * y, 0.531)
    slope = math.atan2(0.073, 0.313)
    arm = model.body(
        f"{title}arm",
        mass=6.0,
        inertia=(0.052099, 0.023235, 0.068864),
        com=(0, 0, 0),
        shape=lw.Box((0.2, 0.33, 0.03)),
        position=(x, (0.572 - 0.16073 * math.cos(slope)) * y, 0.229 + 0.16073 * math.sin(slope)),
        rotation=(math.cos(slope / 2), -y * math.sin(slope / 2), 0, 0),
    )
    hub = model.body(
        f"{title}hub",
        mass=57.35,
        inertia=(1.2402, 1.908, 1.2402),
        com=(0, 0, 0),
        shape=lw.Cylinder(0.36, 0.19, inner_radius=0.2, pose=lw.Frame.along(Y)),
        position=(x, 0.615 * y, 0.356),
    )
    out = lw.Frame.along((0, y, 0))
    model.visual(f"{title}tread", hub, lw.looks.tyre(0.36, 0.19, pose=out), colour=lw.looks.RUBBER)
    model.visual(f"{title}rim", hub, lw.looks.rim(0.223, 0.19, pose=out), colour=lw.looks.CREAM)
    model.revolute(f"{title}pivot", carrier, arm, at=inner, axis=X)
    model.universal(f"{title}knuckle", arm, hub, at=outer, axis=(X, (0, -0.084 * y, 0.302)))
    leaf_end, tie_end = (x, 0.1585 * y, 0.600), (x - 0.14 * ahead, 0.070 * y, 0.600)
    tie_eye, shock_top = (x - 0.14 * ahead, 0.448 * y, 0.531), (x + 0.075 * ahead, 0.297 * y, 0.632)
    holder = carrier if rack is None else rack
    model.distance(f"{title}leaf rod", carrier, hub, at_a=on(carrier, leaf_end), at_b=on(hub, top))
    model.distance(f"{title}tie rod", holder, hub, at_a=on(holder, tie_end), at_b=on(hub, tie_eye))
    model.spring(
        f"{title}leaf",
        carrier,
        hub,
        at_a=on(carrier, (x, 0.488 * y, HEIGHT + 0.137)),
        at_b=on(hub, top),
        axis=(0, 0, -1),
        stiffness=LEAF,
        length=0.252,
    )
    foot = (x + 0.075 * ahead, 0.500 * y, 0.241)
    model.spring(
        f"{title}shock",
        carrier,
        arm,
        at_a=on(carrier, shock_top),
        at_b=on(arm, foot),
        stiffness=STOPS,
        damping=SHOCK,
        length=0.44055648,
    )
    model.tyre(f"{title}tyre", hub, radius=radius, stiffness=TYRE, road=road, side=side)
    return hub


def on(body: lw.Body, point: Point) -> Point:
    """A point of the design position in the frame of a body."""
    assert body.reference is not None
    x, y, z = body.reference.inverse().point(point)
    return float(x), float(y), float(z)


def build(*, mass: float = 315.0, kerb: float = 0.1, after: float = 3.0, gravity: float = 9.81) -> lw.Model:
    """A block of `mass` (kg) on an upright guide with the front left suspension; `gravity` in m/s2.

    The road falls by `kerb` metres, `after` so many seconds. It starts at rest in the design position. Joints: "guide"
    (the height of the block over the design position, m), "pivot", "knuckle", "leaf rod", "tie rod".

    >>> model = lw.gallery.iltis_suspension.build()
    >>> lw.check(model).degrees_of_freedom
    2
    """
    model = lw.Model("iltis suspension", gravity=(0, 0, -gravity))
    block = model.body(
        "block",
        mass=mass,
        inertia=(mass * 0.02, mass * 0.02, mass * 0.02),
        com=(0, 0, 0),
        shape=lw.Box((0.5, 0.36, 0.3), pose=lw.Frame((0, 0, 0.08))),
        position=(0, 0, HEIGHT),
    )
    model.prismatic("guide", model.ground, block, axis=Z)
    suspend(model, block, road=lw.FlatRoad(falling(kerb, after)))
    return model


def falling(kerb: float, after: float, within: float = 0.02) -> lw.Table:
    """The height of a road that falls by `kerb` metres, rounded, `within` so many seconds."""
    way = np.linspace(0.0, 1.0, 9)
    return lw.Table(after + within * way, -kerb * (1.0 - np.cos(np.pi * way)) / 2, "cubic")
