"""The Bombardier Iltis, a whole car: four suspensions, steering, tyres on a road; ten degrees of freedom.

The fourth example of CD03 and the road vehicle benchmark of the IAVSD (Frik, Leister, Schwartz, VSD 22 (1993) 215-253).
All dimensions, masses and laws are those of the public model ovankerm/IAVSD_ILTIS, first commit; see `iltis_suspension`
for the suspensions. As there, the wheels are neither driven nor braked and spin at constant speed relative to their
hubs: here each is a gyroscope in its hub. x is forward, y to the left, z up.

Three manoeuvres, all from the equilibrium: "stairs" of CD03 (up a ramp and down stairs, 8 s at 5 m/s; the paper prints
no numbers of its road, so this one is ours, and so is the force that holds the speed), "bump" (all four wheels over a
cosine bump of 0.2 m by 5 m) and "steer" (the rack moves 2 mm to the left within half a second and stays). The rack has
no mass of its own in the benchmark and moves as given; here it has 20 kg, taken from the car body, and follows through
a spring of 1e9 N/m, which deflects by less than a thousandth of the travel.

What it must show: design forces of 2728.9 N (leaf), 128.0 N (shock), 3829.6 and 3593.6 N (tyres); equilibrium 7.083 mm
lower and pitched by 0.1465 degrees; the trajectories of the two benchmark manoeuvres within 1 % of their range (the
reference is a run of Robotran); on the stairs the wheels leave the road and the body accelerates with about 5 g. CD03
steps by 10 ms, three steps for an edge of the stairs: the drive is then right to 4 cm, but 3 % of the energy is
missing. The steps here are of 2 ms.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

import linkwork as lw
from linkwork.gallery.iltis_suspension import HEIGHT, RADIUS, suspend

TITLE = "the Iltis, a whole car with ten degrees of freedom, on ramp and stairs"
PAPER = "CD03 example 4, IAVSD benchmark"
UNTIL = 8.0
METHOD = {"method": "hybrid", "dt": 2e-3, "every": 5, "start": "equilibrium"}
PLOTS = ["* left tyre.load", "* left leaf.length", "energy"]

FRONT, REAR = 0.970, -1.047  # m, axles before the centre of mass
REAR_RADIUS = 0.363812  # m
SPIN = 1.908  # kg m2, of a wheel about its axis
MASS, INERTIA = 1260.0, (130.0, 1620.0, 1670.0)  # kg, kg m2 of the car body
RACK_MASS, RACK_AT, RACK = 20.0, (FRONT - 0.14, 0.0, 0.03), 1e9  # kg, m, N/m
STAIRS = lw.Ramp(0.8, at=8.0, length=8.0) + lw.Stairs(-0.1, at=17.0, tread=1.0, steps=8, edge=0.15)
BUMP = lw.CosineBump(0.2, at=0.97, length=5.0)

Manoeuvre = Literal["stairs", "bump", "steer"]


@lw.law_factory
def holding(speed: float) -> Any:
    """The force that holds a forward speed (m/s): 10 kN for each m/s that is missing, from a tenth of a second on."""

    @lw.compiled
    def push(t, position, rotation, velocity, angular_velocity):  # type: ignore[no-untyped-def]
        return (1e4 * min(10.0 * t, 1.0) * (speed - velocity[0]), 0.0, 0.0)

    return push


def build(
    *, manoeuvre: Manoeuvre = "stairs", speed: float | None = None, road: lw.Road | None = None, gravity: float = 9.81
) -> lw.Model:
    """The car at `speed` (m/s; 10 for "steer", else 5), in the `manoeuvre` "stairs", "bump" or "steer".

    `road` replaces that of the manoeuvre; `gravity` in m/s2. It starts in the design position; begin its runs with
    `start="equilibrium"`. Bodies: "chassis", "front left arm", "front left hub" and the same for all four. Joints:
    "flight" of the chassis, and those of `iltis_suspension`; "rack" in the manoeuvre "steer".

    >>> model = lw.gallery.iltis.build(manoeuvre="bump")
    >>> lw.check(model).degrees_of_freedom
    10
    """
    if manoeuvre not in ("stairs", "bump", "steer"):
        raise lw.OptionError(f"iltis: unknown manoeuvre {manoeuvre!r}; give 'stairs', 'bump' or 'steer'")
    forward = float((10.0 if manoeuvre == "steer" else 5.0) if speed is None else speed)
    ground = road if road is not None else {"stairs": STAIRS, "bump": BUMP, "steer": lw.FlatRoad()}[manoeuvre]
    model = lw.Model("iltis", gravity=(0, 0, -gravity))
    steered = manoeuvre == "steer"
    mass, com, inertia = without(RACK_MASS, RACK_AT) if steered else (MASS, (0.0, 0.0, 0.0), np.diag(INERTIA))
    chassis = model.body(
        "chassis",
        mass=mass,
        inertia=inertia,
        com=com,
        shape=lw.Box((3.5, 1.1, 0.5), pose=lw.Frame((-0.05, 0, 0.36))),
        position=(0, 0, HEIGHT),
    )
    _draw(model)
    start = (0.0, 0.0, HEIGHT, 1.0, 0.0, 0.0, 0.0)
    model.free("flight", model.ground, chassis, position=start, velocity=(forward, 0, 0, 0, 0, 0))
    rack = steering(model, chassis) if steered else None
    for axle, x, radius in (("front", FRONT, RADIUS), ("rear", REAR, REAR_RADIUS)):
        for side in ("left", "right"):
            hub = suspend(
                model,
                chassis,
                name=f"{axle} {side}",
                x=x,
                left=side == "left",
                front=axle == "front",
                rack=rack if axle == "front" else None,
                radius=radius,
                road=ground,
                side=lw.Calspan(),
            )
            model.gyroscope(f"{axle} {side} spin", hub, axis=(0, 1, 0), momentum=SPIN * forward / radius)
    if manoeuvre == "stairs":
        model.force("drive", chassis, holding(forward))
    return model


def _draw(model: lw.Model) -> None:
    """An open car with a spare wheel, a little longer than its wheelbase."""
    looks, middle = lw.looks, (-0.05, 0.36)
    side = lw.Frame.axes((1, 0, 0), (0, 0, 1), (middle[0], 0, middle[1]))  # outlines lie in x and z
    tub = [(1.78, 0.02), (1.80, 0.16), (1.72, 0.50), (0.78, 0.60), (0.62, 0.66), (-0.10, 0.44), (-0.75, 0.44)]
    tub += [(-1.05, 0.62), (-1.82, 0.62), (-1.84, 0.10), (-1.50, 0.02)]
    outline = np.array(tub) - middle
    model.visual("tub", "chassis", looks.pushed(outline, 1.10, pose=side), colour="#6B7350")
    for x, z, size in ((-0.35, 0.52, (0.50, 0.95, 0.16)), (-0.62, 0.78, (0.12, 0.95, 0.50))):
        model.visual(f"seat {z}", "chassis", looks.rounded_box(size, 0.05, pose=lw.Frame((x, 0, z))), colour="#3B3D40")
    frame = [(0.62, -0.52, 0.64), (0.42, -0.50, 1.10), (0.42, 0.50, 1.10), (0.62, 0.52, 0.64)]
    model.visual("screen frame", "chassis", looks.tube(frame, 0.025), colour="#33373B")
    bow = [(-1.05, -0.52, 0.60), (-1.10, -0.50, 1.20), (-1.10, 0.50, 1.20), (-1.05, 0.52, 0.60)]
    model.visual("bow", "chassis", looks.tube(bow, 0.03), colour="#33373B")
    spare = lw.Frame.along((1, 0, 0), (-1.93, 0, 0.45))
    model.visual("spare tyre", "chassis", looks.tyre(0.34, 0.18, pose=spare), colour=looks.RUBBER)
    model.visual("spare rim", "chassis", looks.rim(0.21, 0.18, pose=spare), colour="#6B7350")
    model.visual("bumper", "chassis", looks.rounded_box((0.10, 1.3, 0.14), 0.04, pose=lw.Frame((1.84, 0, 0.14))),
                 colour="#33373B")  # fmt: skip
    for name, y in (("left", 0.36), ("right", -0.36)):
        lamp = lw.Cylinder(0.09, 0.05, pose=lw.Frame.along((1, 0, 0), (1.76, y, 0.36)))
        model.visual(f"{name} lamp", "chassis", lamp, colour="#FFF3C4")


def without(mass: float, at: tuple[float, float, float]) -> tuple[float, Any, Any]:
    """Mass, centre and inertia of the car body less a point mass (kg) at a place (m) in its frame."""
    left = MASS - mass
    spot = np.array(at)
    com = -mass / left * spot
    inertia = np.diag(INERTIA)
    for weight, r in ((mass, spot), (left, com)):
        inertia -= weight * (r @ r * np.eye(3) - np.outer(r, r))
    return left, com, inertia


def steering(model: lw.Model, chassis: lw.Body, way: float = 0.002, within: float = 0.5) -> lw.Body:
    """The rack between the front tie rods, moved by `way` metres to the left `within` so many seconds."""
    x, y, z = RACK_AT
    rack = model.body(
        "rack",
        mass=RACK_MASS,
        inertia=0,
        com=(0, 0, 0),
        shape=lw.Box((0.05, 0.14, 0.05)),
        position=(x, y, HEIGHT + z),
    )
    model.prismatic("rack slide", chassis, rack, axis=(0, 1, 0), stiffness=RACK, damping=1e5)
    model.torque("steering", "rack slide", ([0.0, within], [0.0, RACK * way]))
    return rack
