"""An industrial robot of six axes as a CAD program exports it: 43 bodies, 95 joints, three levels of subsystems.

The example of VK section 7, a KUKA KR 15/2 of "43 bodies connected by 95 joints", in which a stiff connection is three
plane-to-plane joints, three of whose nine rows are redundant. The paper prints no more. All numbers are our assumptions
for a robot of that kind: from axis to axis 0.675, 0.3, 0.65, 0.155, 0.6 and 0.14 m, which reaches 1.57 m, and 235 kg;
where the mass is, gears, motors, springs and torques.

    base, column, link arm, arm, wrist, hand    a casting (stiff on the drive before) and the drive of the next axis
      drive                                     motor and gearbox, stiff on each other
        motor                                   stator and rotor on a bearing
        gearbox                                 housing, output and between them a ring on two threads
    gripper                                     flange and two sprung fingers
    left, right counterbalance                  tube and rod with a spring, between column and link arm

A cyclo drive gets its ratio from an eccentric disc. Here a ring that cannot turn in the housing does the same: the
rotor moves it along the axis with a fine thread and the output follows with a coarse one, at the ratio of the pitches.
Each gearbox closes two loops, each counterbalance one, each stiff connection two.

    43 = 1 base + 6 x (casting, stator, rotor, housing, ring, output) + 2 x (tube, rod) + 2 fingers
    95 = 3 x (1 + 6 x 3) stiff + 6 x (bearing, axis, guide, two threads) + 2 x 3 + 2

Each motor gives the torque that holds the start against gravity, a cosine, and a soft servo (spring and damper in its
bearing) that keeps the robot about there.

What it must show: eight degrees of freedom although most rows are redundant; all methods that take loops agree; drift
constant at the level of round-off.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

import linkwork as lw

TITLE = "six-axis robot as CAD gives it, 43 bodies and 95 joints, mostly redundant"
PAPER = "VK section 7"
UNTIL = 2.0
METHOD = {"method": "absolute", "integrator": "rk4", "dt": 1e-3, "every": 10}
PLOTS = ["*.gearbox.axis.position", "gripper.flange.position", "energy", "drift"]

Vector = tuple[float, float, float]
X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
TRAVEL = 3.0  # of a gearbox ring per turn of its output, in radii of the gearbox


class Axis(NamedTuple):
    """One driven axis at the start: where its drive stands, and how strong it is."""

    at: Vector
    along: Vector
    size: float  # m, radius of the gearbox
    mass: float  # kg, of motor and gearbox
    ratio: float  # turns of the motor for one of the axis
    torque: float  # N m, amplitude of the cosine at the axis
    frequency: float  # Hz
    stiffness: float  # N m/rad at the axis, of the servo
    damping: float  # N m s/rad


class Casting(NamedTuple):
    """The body between two drives: mass, shape and place."""

    mass: float
    shape: lw.Box | lw.Cylinder
    at: Vector


AXES = (
    Axis((0, 0, 0.40), Z, 0.12, 22.0, 60.0, 600.0, 0.5, 2500.0, 900.0),
    Axis((0.3, -0.125, 0.675), Y, 0.11, 22.0, 60.0, 500.0, 0.7, 3000.0, 900.0),
    Axis((0.3, -0.125, 1.325), Y, 0.10, 18.0, 50.0, 180.0, 0.9, 900.0, 250.0),
    Axis((0.46, 0, 1.48), X, 0.06, 8.0, 40.0, 18.0, 1.1, 60.0, 15.0),
    Axis((0.9, -0.07, 1.48), Y, 0.045, 5.0, 40.0, 12.0, 1.3, 50.0, 8.0),
    Axis((0.98, 0, 1.48), X, 0.035, 2.5, 30.0, 3.0, 1.5, 10.0, 2.0),
)
CASTINGS = {
    "base": Casting(52.4, lw.Cylinder(0.19, 0.34, inner_radius=0.15), (0, 0, 0.17)),
    "column": Casting(44.0, lw.Box((0.46, 0.22, 0.26)), (0.13, 0, 0.60)),
    "link arm": Casting(22.0, lw.Box((0.14, 0.10, 0.76)), (0.3, 0, 1.0)),
    "arm": Casting(24.0, lw.Box((0.26, 0.16, 0.24)), (0.36, 0, 1.43)),
    "wrist": Casting(6.5, lw.Cylinder(0.055, 0.36, inner_radius=0.045, pose=lw.Frame.along(X)), (0.69, 0, 1.48)),
    "hand": Casting(2.2, lw.Box((0.09, 0.06, 0.08)), (0.925, 0, 1.48)),
}
ARMS = tuple(CASTINGS)


class Motor(lw.Subsystem):
    """Stator and rotor on the axis z: `mass` kg in all, `size` m; a cosine torque, and the servo's spring and damper.

    `amplitude` and `hold` (N m), `frequency` (Hz), `stiffness` (N m/rad) and `damping` (N m s/rad) are those at the
    motor. Ports: "stator", "rotor"; joint "bearing".

    >>> lw.gallery.kuka.Motor(mass=10.0, size=0.1)["rotor"].mass
    2.0
    """

    def build(
        self,
        *,
        mass: float,
        size: float,
        amplitude: float = 0.0,
        hold: float = 0.0,
        frequency: float = 1.0,
        stiffness: float = 0.0,
        damping: float = 0.0,
    ) -> None:
        at = (0, 0, -1.15 * size)
        shell = lw.Cylinder(0.75 * size, 1.5 * size, inner_radius=0.45 * size)
        stator = self.body("stator", mass=0.8 * mass, shape=shell, position=at)
        rotor = self.body("rotor", mass=0.2 * mass, shape=lw.Cylinder(0.35 * size, 1.7 * size), position=at)
        bearing = self.revolute("bearing", stator, rotor, at=at, axis=Z, stiffness=stiffness, damping=damping)
        self.torque("drive", bearing, lw.Cosine(amplitude, frequency, offset=hold))
        self.port("stator", stator)
        self.port("rotor", rotor)


class Gearbox(lw.Subsystem):
    """Housing, output and the ring between them on the axis z: `mass` kg in all, radius `size` m.

    Ports: "housing", "output", "ring"; joints "axis", "guide" (which keeps the ring from turning) and "coarse thread".

    >>> lw.gallery.kuka.Gearbox(mass=10.0, size=0.1)["coarse thread"].pitch
    0.3...
    """

    def build(self, *, mass: float, size: float) -> None:
        shell = lw.Cylinder(size, 0.7 * size, inner_radius=0.85 * size)
        housing = self.body("housing", mass=0.55 * mass, shape=shell, position=(0, 0, 0))
        tube = lw.Cylinder(0.7 * size, 0.2 * size, inner_radius=0.5 * size)
        ring = self.body("ring", mass=0.1 * mass, shape=tube, position=(0, 0, 0))
        end = (0, 0, 0.5 * size)
        output = self.body("output", mass=0.35 * mass, shape=lw.Cylinder(0.8 * size, 0.3 * size), position=end)
        self.revolute("axis", housing, output, at=(0, 0, 0), axis=Z)
        self.prismatic("guide", housing, ring, at=(0, 0, 0), axis=Z)
        self.screw("coarse thread", output, ring, at=(0, 0, 0), axis=Z, pitch=TRAVEL * size)
        for body in (housing, ring, output):
            self.port(body.name, body)


class Drive(lw.Subsystem):
    """A motor and a gearbox of `ratio` on the axis z, with a torque on `axis` that includes `hold` (N m).

    Ports: "housing", "output".

    >>> drive = lw.gallery.kuka.Drive(axis=lw.gallery.kuka.AXES[0], hold=0.0)
    >>> round(drive.gearbox["coarse thread"].pitch / drive["fine thread"].pitch)
    60
    """

    def build(self, *, axis: Axis, hold: float) -> None:
        n = axis.ratio
        motor = self.add(
            "motor",
            Motor(
                mass=0.55 * axis.mass,
                size=axis.size,
                amplitude=axis.torque / n,
                hold=hold / n,
                frequency=axis.frequency,
                stiffness=axis.stiffness / n**2,
                damping=axis.damping / n**2,
            ),
        )
        gearbox = self.add("gearbox", Gearbox(mass=0.45 * axis.mass, size=axis.size))
        stiff(self, "flange", gearbox.housing, motor.stator, at=(0, 0, -0.35 * axis.size))
        self.screw("fine thread", motor["rotor"], gearbox.ring, at=(0, 0, 0), axis=Z, pitch=TRAVEL * axis.size / n)
        self.port("housing", gearbox.housing)
        self.port("output", gearbox.output)


class Arm(lw.Subsystem):
    """A casting with the drive of the next axis stiff on it, in the robot's coordinates. Ports: "casting", "output".

    >>> lw.gallery.kuka.Arm(casting=lw.gallery.kuka.CASTINGS["arm"], axis=lw.gallery.kuka.AXES[3]).casting.mass
    24.0
    """

    def build(self, *, casting: Casting, axis: Axis, hold: float = 0.0) -> None:
        body = self.body("casting", mass=casting.mass, shape=casting.shape, position=casting.at)
        place = lw.Frame.along(axis.along, axis.at)
        drive = self.add("drive", Drive(axis=axis, hold=hold), position=place.position, rotation=place.rotation)
        stiff(self, "seat", body, drive.housing, at=axis.at)
        self.port("casting", body)
        self.port("output", drive.output)


class Gripper(lw.Subsystem):
    """A flange with two fingers on springs, its coordinates at the flange, x forwards. Port: "flange".

    >>> list(lw.gallery.kuka.Gripper().bodies)
    ['flange', 'left finger', 'right finger']
    """

    def build(self) -> None:
        disc = lw.Cylinder(0.035, 0.02, pose=lw.Frame.along(X))
        flange = self.body("flange", mass=0.8, shape=disc, position=(0, 0, 0))
        for name, y in (("left finger", 0.02), ("right finger", -0.02)):
            finger = self.body(name, mass=0.3, shape=lw.Box((0.08, 0.012, 0.02)), position=(0.05, y, 0))
            self.prismatic(f"{name} slide", flange, finger, at=(0.01, y, 0), axis=Y, stiffness=2000.0, damping=5.0)
        self.port("flange", flange)


class Counterbalance(lw.Subsystem):
    """A tube and a rod with a spring, `length` m between its ends, along z from the foot. Ports: "tube", "rod".

    >>> lw.gallery.kuka.Counterbalance(length=0.4).slide.kind
    'cylindrical'
    """

    def build(self, *, length: float, stiffness: float = 2e4, damping: float = 400.0) -> None:
        half = 0.6 * length
        tube = self.body("tube", mass=1.8, shape=lw.Cylinder(0.025, half, inner_radius=0.02), position=(0, 0, half / 2))
        rod = self.body("rod", mass=0.7, shape=lw.Cylinder(0.012, half), position=(0, 0, length - half / 2))
        self.cylindrical("slide", tube, rod, at=(0, 0, 0), axis=Z)
        self.spring(
            "gas",
            tube,
            rod,
            at_a=(0, 0, -half / 2),
            at_b=(0, 0, half / 2),
            stiffness=stiffness,
            damping=damping,
            length=length,
        )
        self.port("tube", tube)
        self.port("rod", rod)


def build(*, swing: float = 1.0, gravity: float = 9.81) -> lw.Model:
    """The robot at rest, link arm upright and arm level; `swing` scales the cosine torques, `gravity` in m/s2.

    The axes are the joints "base.drive.gearbox.axis", "column.drive.gearbox.axis" and so on over "link arm", "arm",
    "wrist" and "hand"; the motors turn in "base.drive.motor.bearing" and so on.

    >>> model = lw.gallery.kuka.build()
    >>> sum(1 for _ in model.all_bodies()), sum(1 for _ in model.all_joints())
    (43, 95)
    """
    limp = _robot(swing, gravity, (0.0,) * 6)
    return _robot(swing, gravity, [_weight(limp, index, gravity) for index in range(6)])


def stiff(parts: lw.Model | lw.Subsystem, name: str, a: lw.Body, b: lw.Body, at: Sequence[float]) -> None:
    """Hold b to a by three planes at right angles through `at`, as CAD programs do: nine rows for six freedoms.

    >>> model = lw.Model("plinth")
    >>> block = model.body("block", mass=1.0, shape=lw.Box((1, 1, 1)), position=(0, 0, 0.5))
    >>> lw.gallery.kuka.stiff(model, "bed", model.ground, block, at=(0, 0, 0))
    >>> report = lw.check(model)
    >>> report.joints, report.degrees_of_freedom, report.redundant_rows
    (3, 0, 3)
    """
    for letter, axis in zip("xyz", (X, Y, Z), strict=True):
        parts.planar(f"{name} {letter}", a, b, at=at, axis=axis)


def _robot(swing: float, gravity: float, holds: Sequence[float]) -> lw.Model:
    """The robot with given torques at the axes against gravity."""
    model = lw.Model("kuka", gravity=(0, 0, -gravity))
    arms = []
    for (name, casting), axis, hold in zip(CASTINGS.items(), AXES, holds, strict=True):
        axis = axis._replace(torque=swing * axis.torque)
        arms.append(model.add(name, Arm(casting=casting, axis=axis, hold=hold)))
    gripper = model.add("gripper", Gripper(), position=(1.04, 0, 1.48))
    stiff(model, "foundation", model.ground, arms[0].casting, at=(0, 0, 0))
    carried = [arm.casting for arm in arms[1:]] + [gripper.flange]
    for arm, axis, body in zip(arms, AXES, carried, strict=True):
        stiff(model, f"{arm.name} output", arm.output, body, at=axis.at)
    column, link = arms[1].casting, arms[2].casting
    for side, y in (("left", 0.08), ("right", -0.08)):
        foot, head = np.array([0.1, y, 0.70]), np.array([0.26, y, 1.05])
        place = lw.Frame.along(head - foot, foot)
        length = float(np.linalg.norm(head - foot))
        strut = model.add(
            f"{side} counterbalance", Counterbalance(length=length), position=foot, rotation=place.rotation
        )
        model.revolute(f"{side} foot", column, strut.tube, at=foot, axis=Y)
        model.revolute(f"{side} head", link, strut.rod, at=head, axis=Y)
    return model


def _weight(model: lw.Model, index: int, gravity: float) -> float:
    """Torque about an axis (N m) that holds what it carries against gravity, at the start."""
    axis = AXES[index]
    torque = 0.0
    beyond = (*ARMS[index + 1 :], "gripper")
    for body in model.all_bodies():
        if body.path.split(".")[0] not in beyond and body.path != f"{ARMS[index]}.drive.gearbox.output":
            continue
        assert body.reference is not None
        arm = (body.owner.world @ body.reference).point(body.com) - axis.at
        torque += float(np.dot(axis.along, np.cross(arm, (0, 0, body.mass * gravity))))
    return torque
