"""A scout robot on six wheels drives over a kerb and up stairs, each wheel on a sprung swing arm of its own.

The robot of STT17 (figure 4): its suspensions have hinges and springs, which the paper simulates as soft constraints in
real time for an operator. It prints no numbers; sizes, masses, springs and the course are ours. The six arms trail from
hinges at the sides of the hull. Front and rear arms have coil springs with dampers, from the arm up to the hull
(translational springs, (2) of the paper); the middle ones have torsion springs in their hinges (4). All are tuned to
the same rate at the wheel, and hold the hull level at rest. Every wheel has a motor whose torque falls with its speed.
The motors of one side turn at the same speed, so two speeds steer the robot like a tank.

You can drive it: on the page of `linkwork view rover` the keys I, K, J, L go forward, back, left and right, X stops,
and every motor has a slider.

What it must show: the robot climbs the kerb and the stairs, stays level at the top, and stands still when its motors
stop; faster wheels on one side turn it to the other; the arms stay within their stops; it is stable with springs of any
stiffness.
"""

from __future__ import annotations

import math

import linkwork as lw
from linkwork.model.checked import whole

TITLE = "scout robot on six sprung wheels, over a kerb and up stairs"
PAPER = "STT17 figure 4"
UNTIL = 9.0
METHOD = {"method": "impulse", "dt": 1e-3, "every": 20}
PLOTS = ["hull.position", "* arm hinge.position", "* coil.force", "energy"]

Y = (0.0, 1.0, 0.0)
RADIUS, WIDTH = 0.14, 0.09  # m, of a wheel
ARM_MASS, WHEEL_MASS = 0.8, 1.5  # kg
ARM, SLANT = 0.16, 0.6  # m from hinge to axle, rad below level
SEAT = 0.6  # where a coil stands on its arm, as part of its length
AXLES = {"front": 0.36, "middle": 0.0, "rear": -0.36}  # m, before the middle of the hull
SIDES = {"left": 1.0, "right": -1.0}
TRACK = 0.30  # m, from the middle to a wheel
HULL = (1.0, 0.42, 0.14)  # m
CLEAR = 0.05  # m, of its middle over the hinges
RIDE = RADIUS + ARM * math.sin(SLANT)  # m, of the hinges over the ground
TOP = 0.10  # m, of a coil's upper end over the hinges
SLOPE = 10.0  # N m s/rad, by which a motor loses torque with speed


def _keys(left: float, right: float) -> dict[str, float]:
    """All motors at the speeds (rad/s) of their sides."""
    return {f"{axle} {side} motor": speed for side, speed in (("left", left), ("right", right)) for axle in AXLES}


KEYS = {"I": _keys(6.0, 6.0), "K": _keys(-6.0, -6.0), "J": _keys(-3.0, 6.0), "L": _keys(6.0, -3.0)}


def build(
    *,
    speed: float = 0.6,
    turn: float = 0.0,
    mass: float = 30.0,
    stiffness: float = 1500.0,
    damping: float = 90.0,
    torque: float = 30.0,
    friction: float = 0.9,
    kerb: float = 0.1,
    rise: float = 0.08,
    tread: float = 0.3,
    steps: int = 4,
    gravity: float = 9.81,
) -> lw.Model:
    """The robot before its course; its "hull" of `mass` (kg) starts at x = 0 and drives towards +x with `speed` (m/s).

    `turn` (m/s) is added to the speed of the right wheels and subtracted from that of the left ones. `stiffness` (N/m)
    and `damping` (N s/m) of each suspension are those at the wheel. `torque` (N m) is the largest of a motor, and
    `friction` is that between wheels and ground. The course: a block of the height `kerb` (m) from x = 1 to 1.8 m, and
    from 3 m on `steps` stairs with `rise` and `tread` (m); 0 leaves either out. `gravity` in m/s2. Joints: "front left
    arm hinge", "front left axle" and so on; springs: "front left coil", "middle left torsion bar"; motors: "front left
    motor".

    >>> list(lw.gallery.rover.build().drives)[:3]
    ['front left motor', 'middle left motor', 'rear left motor']
    """
    steps = whole(steps, "rover", "steps", "steps", least=0)
    model = lw.Model("rover", gravity=(0, 0, -gravity))
    material = lw.Material(friction=friction)
    model.plane("floor", material=material)
    _course(model, material, kerb, rise, tread, steps)

    hull = model.body("hull", shape=lw.Box(HULL), mass=mass, position=(0, 0, RIDE + CLEAR), material=material)
    model.free("drive", "ground", hull)
    lever = ARM * math.cos(SLANT)  # of the wheel's load about the hinge
    load = gravity * (mass / 6 + ARM_MASS / 2)  # for the spring, at the wheel
    ahead = 3.0 * ARM_MASS * lever / mass  # arms weigh on their hinges: so all wheels carry the same
    for side, sign in SIDES.items():
        for axle, x in AXLES.items():
            name = f"{axle} {side}"
            pivot = (x + ahead + lever, sign * HULL[1] / 2, RIDE)
            centre = (x + ahead, sign * TRACK, RADIUS)
            back = lw.Frame.along((-math.cos(SLANT), 0, -math.sin(SLANT)), (-lever / 2, 0, (RADIUS - RIDE) / 2))
            arm = model.body(f"{name} arm", shape=lw.Capsule(0.02, ARM, pose=back), mass=ARM_MASS, position=pivot)
            wheel = model.body(
                f"{name} wheel",
                shape=lw.Cylinder(RADIUS, WIDTH, pose=lw.Frame.along(Y)),
                mass=WHEEL_MASS,
                position=centre,
                material=material,
                group="robot",
            )
            out = lw.Frame.along((0, sign, 0))
            model.visual(f"{name} tread", wheel, lw.looks.tyre(RADIUS, WIDTH, pose=out), colour=lw.looks.RUBBER)
            model.visual(f"{name} rim", wheel, lw.looks.rim(0.62 * RADIUS, WIDTH, pose=out), colour=lw.looks.ALUMINIUM)
            # a wheel that goes up turns its arm forward
            hinge = model.revolute(f"{name} arm hinge", hull, arm, at=pivot, axis=Y, limits=(-0.6, 0.6))
            model.revolute(f"{name} axle", arm, wheel, at=centre, axis=Y)
            model.no_contact(hull, wheel)
            model.motor(
                f"{name} motor",
                f"{name} axle",
                velocity=(speed - sign * turn) / RADIUS,
                max_torque=torque,
                softness=lw.Soft(damping=SLOPE),
            )
            if axle == "middle":
                k, c = stiffness * lever**2, damping * lever**2
                model.torsion_spring(f"{name} torsion bar", hinge, stiffness=k, damping=c, angle=-load * lever / k)
            else:
                _coil(model, name, hull, arm, pivot, stiffness, damping, load)
    return model


def _coil(
    model: lw.Model,
    name: str,
    hull: lw.Body,
    arm: lw.Body,
    pivot: tuple[float, float, float],
    stiffness: float,
    damping: float,
    load: float,
) -> None:
    """A coil spring with a damper from the arm upright to the hull, that carries `load` (N at the wheel) at rest."""
    foot = (-SEAT * ARM * math.cos(SLANT), 0.0, -SEAT * ARM * math.sin(SLANT))
    tall = TOP - foot[2]
    k, c = stiffness / SEAT**2, damping / SEAT**2
    model.spring(
        f"{name} coil",
        hull,
        arm,
        at_a=(pivot[0] + foot[0], pivot[1], TOP - CLEAR),
        at_b=foot,
        stiffness=k,
        damping=c,
        length=tall + load / SEAT / k,
    )


def _course(model: lw.Model, material: lw.Material, kerb: float, rise: float, tread: float, steps: int) -> None:
    """A kerb and stairs, fixed on the ground."""
    blocks = [("kerb", 1.0, 1.8, kerb)] if kerb > 0.0 else []
    if rise > 0.0:
        for k in range(steps):
            last = 1.5 if k == steps - 1 else 0.0
            blocks.append((f"step {k + 1}", 3.0 + k * tread, 3.0 + (k + 1) * tread + last, (k + 1) * rise))
    for name, begin, end, high in blocks:
        block = model.body(
            name,
            shape=lw.Box((end - begin, 1.2, high)),
            density=2000.0,
            position=((begin + end) / 2, 0, high / 2),
            material=material,
            group="course",
        )
        model.fixed(f"{name} base", "ground", block, frame_a=block.reference, frame_b=lw.Frame())
        model.no_contact(model.ground, block)
