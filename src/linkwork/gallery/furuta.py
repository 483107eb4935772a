"""A Furuta pendulum: a motor turns an arm about the vertical, and a pendulum at its end is swung up and kept upright.

The rotary inverted pendulum of Furuta, Yamakita and Kobayashi (1992), with numbers of our own. Encoders count the
angles of arm and pendulum a thousand times a second and show them a millisecond later. Every two milliseconds a digital
controller sets the voltage of a motor with inductance, behind a gear. It finds the speeds by differences, pumps energy
into the pendulum until it comes up, and then keeps it there by state feedback. Its gains are those of a
linear-quadratic regulator of the linearised motion.

Linearised about upright, with the angle a of the arm and p of the pendulum from the vertical, where positive angles of
both move the tip the same way:

    (J_a + m r²) a'' + m r l p'' = T - b a'        m r l a'' + (J_p + m l²) p'' = m g l p - c p'

J_a is the arm about its shaft, J_p the pendulum about its centre of mass, m its mass, r the length of the arm, l the
distance from the pin to the centre of mass, T the torque of the motor, b and c damping.

What it must show: from hanging at rest the pendulum comes up and stays within a degree, with the voltage inside its
limits; a push is caught; without the controller it falls with the rate of the linearised motion, to 1e-3; several
methods agree while the encoders have no steps.

All numbers are our assumptions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linkwork as lw

TITLE = "Furuta pendulum, swung up and kept upright through encoders with a delay"
PAPER = "after Furuta, Yamakita and Kobayashi 1992; our numbers"
UNTIL = 6.0
METHOD = {"method": "hybrid", "dt": 5e-4, "every": 20}
PLOTS = ["pin.position", "shaft.position", "voltage.value", "motor.state", "energy"]
KEYS = {"J": {"push": 0.03}, "L": {"push": -0.03}}  # N m on the pendulum, while held

ARM, ROD = 0.2, 0.3  # m: length of the arm, of the pendulum
ARM_MASS, ROD_MASS = 0.25, 0.12  # kg
THICK = 0.008  # m, radius of both
HEIGHT = 0.4  # m, of the arm
ARM_DAMPING, PIN_DAMPING = 1e-3, 1e-4  # N m s/rad
MOTOR = {"resistance": 4.0, "inductance": 1e-3, "constant": 0.03, "ratio": 5.0}  # ohm, H, N m/A
MOST = 12.0  # V
COUNTS = 4096  # of an encoder in a turn
GAINS = (2.83, 40.6, 2.10, 5.00)  # V/rad, V/rad, V s/rad, V s/rad: arm, pendulum, and their speeds
CATCH = 0.5  # rad from upright, within which the feedback takes over
NEAR = 2.0  # rad: an arm further away is led back as from there
PUMP = 200.0  # V/J
CENTRE = 2.0  # V/rad, that leads the arm back while the pendulum is swung up


def build(
    *,
    angle: float = math.pi,
    every: float = 2e-3,
    delay: float = 1e-3,
    resolution: float = 2 * math.pi / COUNTS,
    push: float = 0.0,
    control: bool = True,
    gravity: float = 9.81,
) -> lw.Model:
    """The pendulum at rest at `angle` (rad from upright; pi is hanging).

    The controller is called `every` so many seconds; encoders have a `delay` (s, whole milliseconds) and a `resolution`
    (rad; 0 for none). `push` (N m) is a torque on the pendulum from 4 to 4.05 s. Without `control` the voltage stays at
    zero and there are no encoders. `gravity` in m/s2. Bodies: "arm", "pendulum". Joints: "shaft", "pin". Inputs:
    "voltage", "push" (N m on the pendulum, for the keys J and L of the live page).

    >>> list(lw.gallery.furuta.build().sensors)
    ['arm encoder', 'pendulum encoder']
    """
    model = lw.Model("furuta", gravity=(0, 0, -gravity))
    model.visual("column", model.ground, lw.Cylinder(0.03, HEIGHT - 0.02, pose=lw.Frame((0, 0, HEIGHT / 2 - 0.01))))
    along = lw.Frame.along((1, 0, 0), (ARM / 2, 0, 0))
    arm = model.body("arm", mass=ARM_MASS, shape=lw.Cylinder(THICK, ARM, pose=along), position=(0, 0, HEIGHT))
    up = lw.Frame((THICK, 0, ROD / 2))
    rod = lw.Cylinder(THICK / 2, ROD, pose=up)
    pendulum = model.body("pendulum", mass=ROD_MASS, shape=rod, position=(ARM, 0, HEIGHT))
    shaft = model.revolute("shaft", model.ground, arm, at=(0, 0, HEIGHT), axis=(0, 0, 1), damping=ARM_DAMPING)
    place = (ARM, 0, HEIGHT)
    pin = model.revolute("pin", arm, pendulum, at=place, axis=(-1, 0, 0), position=angle, damping=PIN_DAMPING)
    model.input("voltage", 0.0, unit="V")
    model.torque("motor", shaft, lw.parts.dc_motor(shaft, **MOTOR, voltage="voltage"))
    model.torque("push", pin, 0.0)
    if push:
        model.torque("knock", pin, lw.Table((0, 4.0, 4.005, 4.045, 4.05), (0, 0, push, push, 0)))
    if control:
        for name, joint in (("arm encoder", shaft), ("pendulum encoder", pin)):
            model.sensor(name, joint, kind="encoder", rate=1000, delay=delay, resolution=resolution)
        sees = ["arm encoder", "pendulum encoder"]
        # last angles, speeds, and whether there were any
        memory = [0.0] * 5
        model.controller("controller", _controller(every), every=every, sees=sees, sets=["voltage"], memory=memory)
    return model


@lru_cache(maxsize=16)
def _controller(every: float) -> Callable[..., float]:
    """Swings the pendulum up, then balances it."""
    inertia, weight = pendulum_numbers()
    smooth = 2.0 * every  # s, of the filter on the speeds

    def control(t: float, seen: Any, memory: Any) -> float:
        arm, pendulum = float(seen[0]), float(seen[1])
        _, _, arm_rate, rate, started = memory.tolist()
        if started:
            arm_rate = (smooth * arm_rate + arm - memory[0]) / (smooth + every)
            rate = (smooth * rate + pendulum - memory[1]) / (smooth + every)
        memory[:] = arm, pendulum, arm_rate, rate, 1.0
        off = math.remainder(pendulum, 2 * math.pi)
        if abs(off) < CATCH:
            near = min(max(arm, -NEAR), NEAR)
            wanted = GAINS[0] * near + GAINS[1] * off + GAINS[2] * arm_rate + GAINS[3] * rate
        else:
            energy = 0.5 * inertia * rate**2 + weight * (math.cos(off) - 1.0)  # J, zero at rest upright
            way = 1.0 if rate * math.cos(off) >= 0.0 else -1.0
            wanted = PUMP * energy * way - CENTRE * arm
        return float(min(max(wanted, -MOST), MOST))

    return control


def pendulum_numbers(gravity: float = 9.81) -> tuple[float, float]:
    """Moment of inertia of the pendulum about its pin (kg m2) and its weight times the distance to its centre (N m).

    >>> [round(value, 5) for value in lw.gallery.furuta.pendulum_numbers()]
    [0.0036, 0.17658]
    """
    across = ROD_MASS * (ROD**2 / 12 + (THICK / 2) ** 2 / 4)
    return across + ROD_MASS * (ROD / 2) ** 2, ROD_MASS * gravity * ROD / 2


def upright(gravity: float = 9.81, voltage: bool = True) -> tuple[NDArray[Any], NDArray[Any]]:
    """A and B of x' = A x + B u, linearised about upright: x = (arm, pendulum, their speeds), u the voltage (V).

    The inductance of the motor is left out; without `voltage` its current is zero.

    >>> A, B = lw.gallery.furuta.upright()
    >>> bool(np.linalg.eigvals(A - B @ -np.array([lw.gallery.furuta.GAINS])).real.max() < -2.0)
    True
    """
    inertia, weight = pendulum_numbers(gravity)
    arm = ARM_MASS * (ARM**2 / 3 + THICK**2 / 4) + ROD_MASS * (ARM + THICK) ** 2
    arm += 0.5 * ROD_MASS * (THICK / 2) ** 2
    both = ROD_MASS * (ARM + THICK) * ROD / 2
    strength = MOTOR["constant"] * MOTOR["ratio"]  # N m/A on the arm
    inverse = np.linalg.inv([[arm, both], [both, inertia]])
    brake = strength**2 / MOTOR["resistance"] if voltage else 0.0
    A = np.zeros((4, 4))
    A[:2, 2:] = np.eye(2)
    A[2:, :2] = inverse @ np.diag([0.0, weight])
    A[2:, 2:] = -inverse @ np.diag([ARM_DAMPING + brake, PIN_DAMPING])
    B = np.zeros((4, 1))
    B[2:, 0] = inverse @ [strength / MOTOR["resistance"], 0.0]
    return A, B
