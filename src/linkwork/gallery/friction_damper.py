"""A pendulum between two sealed dampers with friction and backlash inside: it swings out, then rattles in the play.

V06 names as an advantage of components (chapter 2, the second) that critical effects such as Coulomb friction and
backlash stay inside a subsystem, but shows no example. This one is ours, with all its numbers. A damper is a tube, a
rod and, hidden inside, a shoe. The shoe slides along the tube with friction; the rod drives the shoe through a
clearance. Within the clearance rod and tube move freely, beyond it the rod drags the shoe along.

The two laws inside, on the joints "bore" (shoe in the tube) and "play" (rod in the shoe):
  friction  -F tanh(v / creep): Coulomb's law made smooth. What should stick creeps: under a load f below F the shoe
            moves with creep atanh(f / F), 1 mm/s at three quarters of the load with the numbers here.
  stops     -k d (1 + loss v) when the rod has moved by d beyond the clearance, never pulling: Hunt and Crossley's
            contact, which begins and ends without a jump of force and loses energy on the way.

What "exact" means here. At one instant the laws are known forces. They enter r; D contains only masses and joints. So
the response v = D tau + r of the sealed damper is exactly that of its bodies and joints, and the coupled solution
equals that without subsystems to round-off, for any laws inside, without iteration or linearisation. Over time it is as
exact as the integrator: the corners of the laws cost order, and a step must resolve F / (creep m) and the stops. From
outside this matters only for the choice of dt.

What it must show: without friction the pendulum keeps swinging. With friction each swing is smaller than the last by
about the same amount (unlike a viscous damper, friction dissipates the same energy over the same distance), until the
swing no longer exceeds the clearance. Then the shoes stand still and the pendulum rattles inside the play. `component`,
`absolute` and `recursive` agree, and the energy balances: the laws count as work, here negative.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import linkwork as lw

TITLE = "pendulum between two sealed dampers with friction and backlash inside"
PAPER = "after V06 chapter 2"
UNTIL = 8.0
METHOD = {"method": "component", "integrator": "rk4", "dt": 2.5e-4, "every": 8}
PLOTS = ["pin.position", "* damper.bore.position", "energy", "drift"]

Law = Callable[[float, float, float], float]

HINGE = (0.0, 1.0, 0.0)
TUBE = 0.36  # m
REACH = 0.40  # m, from the tube's hinge to the middle of the shoe at the start
HEIGHT = 0.45  # m, of the dampers below the pin
SPAN = 0.75  # m, from the pendulum to the hinges of the tubes


class FrictionDamper(lw.Subsystem):
    """Tube and rod with a rubbing shoe between them: `friction` N, `creep` m/s, `clearance` m to either side.

    `stiffness` (N/m) and `loss` (s/m) are those of the stops at the ends of the clearance. Its coordinates start at the
    hinge of the tube, x along the tube towards the rod, whose far end is at `SPAN`. Ports: "tube", "rod".

    >>> damper = lw.gallery.friction_damper.FrictionDamper(friction=5.0)
    >>> sorted(damper.ports), "shoe" in damper.ports
    (['rod', 'tube'], False)
    """

    def build(
        self,
        *,
        friction: float = 1.5,
        creep: float = 1e-3,
        clearance: float = 0.006,
        stiffness: float = 2e4,
        loss: float = 1.5,
    ) -> None:
        along = lw.Frame.along((1, 0, 0))
        tube = self.body(
            "tube", mass=0.6, shape=lw.Cylinder(0.024, TUBE, inner_radius=0.02, pose=along), position=(REACH, 0, 0)
        )
        shoe = self.body("shoe", mass=0.8, shape=lw.Cylinder(0.019, 0.04, pose=along), position=(REACH, 0, 0))
        rod = self.body(
            "rod",
            mass=0.3,
            shape=lw.Cylinder(0.007, SPAN - REACH, pose=along),
            position=((SPAN + REACH) / 2, 0, 0),
        )
        bore = self.prismatic("bore", tube, shoe, at=(REACH, 0, 0), axis=(1, 0, 0))
        play = self.prismatic("play", shoe, rod, at=(REACH, 0, 0), axis=(1, 0, 0), position=0.0, velocity=0.0)
        self.torque("friction", bore, rubbing(float(friction), float(creep)))
        self.torque("stops", play, stops(float(clearance), float(stiffness), float(loss)))
        self.port("tube", tube)
        self.port("rod", rod)


def build(
    *,
    friction: float = 1.5,
    creep: float = 1e-3,
    clearance: float = 0.006,
    angle: float = 0.35,
    speed: float = 0.0,
    mass: float = 10.0,
    gravity: float = 9.81,
) -> lw.Model:
    """A pendulum of `mass` (kg), from `angle` (rad) with `speed` (rad/s), between two dampers of `friction` (N).

    `creep` (m/s) and `clearance` (m) are those of the dampers, `gravity` in m/s2. Joints: "pin"; on each side "left
    hinge" (ground and tube), "left eye" (rod and pendulum, closes the loop), and inside "left damper.bore", "left
    damper.play". Rods start in the middle of their clearance, at rest there.

    >>> model = lw.gallery.friction_damper.build(friction=0.0)
    >>> len(list(model.all_bodies())), len(list(model.all_joints()))
    (7, 9)
    """
    model = lw.Model("friction damper", gravity=(0, 0, -gravity))
    pendulum = model.body(
        "pendulum",
        mass=mass,
        shape=lw.Box((0.05, 0.05, 0.9), pose=lw.Frame((0, 0, -0.45))),
        position=(0, 0, 0),
    )
    model.revolute("pin", model.ground, pendulum, at=(0, 0, 0), axis=HINGE, position=angle, velocity=speed)
    for side, sign in (("left", -1.0), ("right", 1.0)):
        foot, eye = (sign * SPAN, 0.0, -HEIGHT), (0.0, 0.0, -HEIGHT)
        damper = model.add(
            f"{side} damper",
            FrictionDamper(friction=friction, creep=creep, clearance=clearance),
            position=foot,
            rotation=(1, 0, 0, 0) if sign < 0 else (0, 0, 0, 1),  # x towards the pendulum
        )
        model.revolute(f"{side} hinge", model.ground, damper.tube, at=foot, axis=HINGE)
        model.revolute(f"{side} eye", damper.rod, pendulum, at=eye, axis=HINGE, cut=True)
    return model


@lw.law_factory
def rubbing(friction: float, creep: float) -> Law:
    """Coulomb friction of `friction` (N) that reaches its size beyond some `creep` (m/s), compiled.

    >>> lw.gallery.friction_damper.rubbing(2.0, 1e-3)(0.0, 0.0, 0.1)
    -2.0
    """

    @lw.compiled
    def law(_t: float, _position: float, velocity: float) -> float:
        return -friction * math.tanh(velocity / creep)

    return law


@lw.law_factory
def stops(clearance: float, stiffness: float, loss: float) -> Law:
    """Stops at `clearance` (m) to either side, of `stiffness` (N/m) and `loss` (s/m), compiled.

    >>> law = lw.gallery.friction_damper.stops(0.01, 1e4, 1.0)
    >>> law(0.0, 0.009, 0.0), round(law(0.0, 0.012, 0.0), 9), round(law(0.0, -0.012, -0.5), 9)
    (0.0, -20.0, 30.0)
    """

    @lw.compiled
    def law(_t: float, position: float, velocity: float) -> float:
        d = abs(position) - clearance
        if d <= 0.0:
            return 0.0
        outward = velocity if position > 0.0 else -velocity
        push = stiffness * d * max(0.0, 1.0 + loss * outward)
        return -push if position > 0.0 else push

    return law
