"""The PUMA 560: it moves its hand to the floor, is pinned there, moves with its wrist motors alone, and returns.

The serial robot of CD03 section 4.3, whose structure changes during the run:

    0 to 2 s   six torques bring it from rest to rest, from START to where the tip of its hand is at PIN
    2 s        a ball joint holds the tip to the ground: three degrees of freedom are left of six
    2 to 6 s   the three torques of the wrist move the whole arm, from rest to rest
    6 s        the ball joint is released
    6 to 8 s   six torques bring it back to START

The paper prints no data. The arm is that of P. Corke and B. Armstrong-Helouvry, "A search for consensus among model
parameters reported for the PUMA 560 robot" (1994): standard Denavit-Hartenberg frames, masses, inertias, rotors behind
gears and viscous friction; dry friction is left out. Two of its links cannot be rigid bodies. Link 1 has no mass and an
inertia about its axis only; here it is a ring of 1 kg. Link 3 violates the triangle inequality by 0.0075 kg m2; here
0.00375 kg m2 are moved from link 1 to link 3, which changes no equation (joints 2 and 3 are parallel).

Ours are the poses, the tip (0.15 m before the wrist), the motions, polynomials of degree nine with four derivatives at
rest at both ends, and the hand-over: after the hand is pinned the torques of the arm fade out within half a second and
fade in again before it is released, so that no torque jumps and the pin is loaded and unloaded gently. Torques are
those of inverse dynamics at 400 instants with a cubic spline between. While the hand is pinned, torques tau of the
wrist and the force lam of the pin are the solution of tau + G^T lam = M qdd + h for the given motion.

What it must show: the hand returns to its start. CD03 measures this error in its Table 3 (mm after 8 s):

    dt 0.01   global 0.53, topological 0.26, hybrid 0.34       dt 0.05   global 3.4, topological 1.5, hybrid 1.8
    dt 0.1    topological 3.2, the others do not converge
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import linkwork as lw

TITLE = "PUMA robot: pinned at its hand for four of eight seconds, moved by its wrist meanwhile"
PAPER = "CD03 example 3"
UNTIL = 8.0
METHOD = {"method": "hybrid", "dt": 0.01}
PLOTS = ["waist.position", "shoulder.position", "elbow.position", "wrist *.position", "hand.position", "energy"]

Floats = NDArray[np.float64]
RING = 0.00375  # kg m2, moved from link 1 to link 3
TIP = (0.0, 0.0, 0.15)  # m, in the hand
START = (-0.5, 0.1, -1.3, 0.0, -0.6, 0.0)  # rad
PIN = (0.69, 0.03, 0.0)  # m
ARM_NEAR = (0.39, -1.16, -0.84)  # rad: which way the arm reaches the pin
WRIST = (-1.2, -0.6, -1.2), (-0.55, -1.15, -0.4)  # rad, when it is pinned and when it is released
PINNED, RELEASED = 2.0, 6.0  # s
STEP = 0.02  # s, between two instants of the torques


class Link(NamedTuple):
    """A link and the joint before it by Denavit and Hartenberg: turn about z, d along z, a along x, turn alpha."""

    joint: str
    body: str
    d: float
    a: float
    alpha: float
    mass: float
    com: tuple[float, float, float]
    inertia: tuple[float, float, float]
    rotor: float  # kg m2, before the gear
    gear: float
    friction: float  # N m s/rad, before the gear


LINKS = (
    Link("waist", "trunk", 0.67183, 0.0, np.pi / 2, 1.0, (0, 0, 0), (0.175, 0.35 - RING, 0.175),
         200e-6, -62.6111, 1.48e-3),
    Link("shoulder", "upper arm", 0.0, 0.4318, 0.0, 17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539),
         200e-6, 107.815, 0.817e-3),
    Link("elbow", "forearm", 0.15005, 0.0203, -np.pi / 2, 4.8, (-0.0203, -0.0141, 0.070),
         (0.066 + RING, 0.086, 0.0125 + RING), 200e-6, -53.7063, 1.38e-3),
    Link("wrist roll", "wrist", 0.4318, 0.0, np.pi / 2, 0.82, (0, 0.019, 0), (1.8e-3, 1.3e-3, 1.8e-3),
         33e-6, 76.0364, 71.2e-6),
    Link("wrist bend", "palm", 0.0, 0.0, -np.pi / 2, 0.34, (0, 0, 0), (0.3e-3, 0.4e-3, 0.3e-3),
         33e-6, 71.923, 82.6e-6),
    Link("wrist turn", "hand", 0.0, 0.0, 0.0, 0.09, (0, 0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3),
         33e-6, 76.686, 36.7e-6),
)  # fmt: skip
Y = (0, 1, 0)
SHAPES = {
    "trunk": lw.Cylinder(0.09, 0.76, pose=lw.Frame.along(Y, (0, -0.29, 0))),
    "upper arm": lw.Box((0.62, 0.16, 0.09), pose=lw.Frame((-0.27, 0, 0.18))),
    "forearm": lw.Box((0.11, 0.09, 0.52), pose=lw.Frame((-0.005, 0.0, 0.14))),
    "wrist": lw.Cylinder(0.04, 0.08, pose=lw.Frame.along(Y, (0, -0.02, 0))),
    "palm": lw.Sphere(0.042),
    "hand": lw.Cylinder(0.018, 0.12, pose=lw.Frame((0, 0, 0.09))),
}


class Plan(NamedTuple):
    """The manoeuvre: instants (s), and at each of them coordinates, torques (N m), force of the pin on the hand (N)."""

    time: Floats
    q: Floats
    torque: Floats
    pin: Floats


def build(*, friction: float = 1.0, handover: float = 0.5, gravity: float = 9.81) -> lw.Model:
    """The robot with its torques and its pin; `friction` scales the viscous friction, `gravity` in m/s2.

    `handover` (s) is how long the torques of the arm fade out after the hand is pinned, and in before it is released.
    Joints "waist", "shoulder", "elbow", "wrist roll", "wrist bend", "wrist turn", and "pin" while it holds.

    >>> model = lw.gallery.puma.build()
    >>> [event.told for event in model.events]
    ["attachment of joint 'pin'", "release of joint 'pin'"]
    """
    motion = _planned(friction, handover, gravity)
    model = arm(friction=friction, gravity=gravity)
    for k, link in enumerate(LINKS):
        model.torque(f"{link.joint} motor", link.joint, lw.Table(motion.time, motion.torque[:, k], "cubic"))
    model.attach(model.ground, "hand", "ball", name="pin", time=PINNED, frame_b=lw.Frame(TIP))
    model.release("pin", time=RELEASED)
    return model


@lru_cache(maxsize=8)
def _planned(friction: float, handover: float, gravity: float) -> Plan:
    return plan(lw.assemble(arm(friction=friction, gravity=gravity)), handover)


def arm(*, friction: float = 1.0, gravity: float = 9.81) -> lw.Model:
    """The arm by itself, at START; every body frame is its Denavit-Hartenberg link frame.

    >>> len(lw.gallery.puma.arm().bodies)
    6
    """
    model = lw.Model("puma", gravity=(0, 0, -gravity))
    inner: lw.Body = model.ground
    for link, start in zip(LINKS, START, strict=True):
        body = model.body(link.body, mass=link.mass, inertia=link.inertia, com=link.com, shape=SHAPES[link.body])
        turn = (np.cos(link.alpha / 2), np.sin(link.alpha / 2), 0, 0)
        model.revolute(
            link.joint,
            inner,
            body,
            frame_b=lw.Frame((link.a, 0, link.d), turn).inverse(),
            armature=link.gear**2 * link.rotor,
            damping=friction * link.gear**2 * link.friction,
            position=start,
        )
        inner = body
    return model


def error(run: lw.Trajectory) -> float:
    """How far the tip of the hand is at the end from where it was at the start, mm: the error of CD03's Table 3.

    >>> import linkwork.gallery.puma as puma
    >>> puma.error(lw.simulate(puma.build(), until=0.5, **puma.METHOD)) > 1
    True
    """
    first, last = (lw.Frame(run["hand.position"][k], run["hand.rotation"][k]).point(TIP) for k in (0, -1))
    return 1e3 * float(np.linalg.norm(last - first))


def plan(system: Any, handover: float = 0.5) -> Plan:
    """The motion and the torques that make it, of an assembled arm.

    >>> motion = lw.gallery.puma.plan(lw.assemble(lw.gallery.puma.arm()))
    >>> bool(motion.pin[200].any()), bool(motion.pin[350].any())
    (True, False)
    """
    start, before, after = np.array(START), *(np.array(wrist) for wrist in WRIST)
    there = reach(system, np.array([*ARM_NEAR, *before]))
    rest = np.zeros(3)
    motion: list[tuple[Floats, Floats, Floats]] = []
    times = np.linspace(0.0, UNTIL, round(UNTIL / STEP) + 1)
    q = there
    for t in times:
        if t <= PINNED:
            s, sd, sdd = ease(t, 0.0, PINNED)
            q, v, a = start + s * (there - start), sd * (there - start), sdd * (there - start)
            motion.append((q, lw.inverse_dynamics(system, q, v, a), rest))
            q = there
        elif t < RELEASED + 0.5 * STEP:
            s, sd, sdd = ease(t, PINNED, RELEASED)
            q = reach(system, np.array([*q[:3], *(before + s * (after - before))]))
            torque, pin = pinned(system, q, sd * (after - before), sdd * (after - before), share(t, handover))
            motion.append((q, torque, pin))
            away = q
        else:
            s, sd, sdd = ease(t, RELEASED, UNTIL)
            q, v, a = away + s * (start - away), sd * (start - away), sdd * (start - away)
            motion.append((q, lw.inverse_dynamics(system, q, v, a), rest))
    return Plan(times, *(np.array(column) for column in zip(*motion, strict=True)))


def ease(t: float, begin: float, end: float) -> tuple[float, float, float]:
    """From 0 to 1 between two instants, with its two rates; four derivatives are zero at both ends.

    >>> lw.gallery.puma.ease(1.0, 0.0, 2.0)[0]
    0.5
    """
    span = end - begin
    u = min(max((t - begin) / span, 0.0), 1.0)
    s = u**5 * (126.0 + u * (-420.0 + u * (540.0 + u * (-315.0 + 70.0 * u))))
    rate = 630.0 * (u * (1.0 - u)) ** 4
    return s, rate / span, 2520.0 * (u * (1.0 - u)) ** 3 * (1.0 - 2.0 * u) / span**2


def share(t: float, handover: float) -> float:
    """The part of its torques that the arm keeps while the hand is pinned: 1 at both ends, 0 in between.

    >>> lw.gallery.puma.share(2.0, 0.5), lw.gallery.puma.share(3.0, 0.5), lw.gallery.puma.share(6.0, 0.5)
    (1.0, 0.0, 1.0)
    """
    return 1.0 - ease(t, PINNED, PINNED + handover)[0] + ease(t, RELEASED - handover, RELEASED)[0]


def reach(system: Any, near: Floats) -> Floats:
    """The pose with the tip at PIN and the wrist as in `near`: Newton's iteration in the three angles of the arm.

    >>> system = lw.assemble(lw.gallery.puma.arm())
    >>> q = lw.gallery.puma.reach(system, np.array([0.4, -1.2, -0.8, -1.2, -0.6, -1.2]))
    >>> tip = lw.Frame(*lw.forward_kinematics(system, q)["hand"]).point((0, 0, 0.15))
    >>> bool(np.abs(tip - (0.69, 0.03, 0.0)).max() < 1e-9)
    True
    """
    q = near.copy()
    for _ in range(20):
        gap = lw.Frame(*lw.forward_kinematics(system, q)["hand"]).point(TIP) - np.array(PIN)
        if float(np.abs(gap).max()) < 1e-14:
            break
        q[:3] -= np.linalg.solve(tip_rows(system, q)[:, :3], gap)
    return q


def tip_rows(system: Any, q: Floats) -> Floats:
    """(3, 6): velocity of the tip per unit of the joints' velocities.

    >>> lw.gallery.puma.tip_rows(lw.assemble(lw.gallery.puma.arm()), np.zeros(6)).shape
    (3, 6)
    """
    return lw.jacobian(system, q, "hand", TIP)[3:]


def pinned(system: Any, q: Floats, wrist_v: Floats, wrist_a: Floats, kept: float) -> tuple[Floats, Floats]:
    """Torques and the force of the pin for a motion of the wrist, where the arm keeps a part of its own torques.

    >>> import linkwork.gallery.puma as puma
    >>> system = lw.assemble(puma.arm())
    >>> q = puma.reach(system, np.array([0.4, -1.2, -0.8, -1.2, -0.6, -1.2]))
    >>> torque, pin = puma.pinned(system, q, np.zeros(3), np.zeros(3), 0.0)
    >>> bool(torque[:3].any()), bool(pin.any())
    (False, True)
    """
    G = tip_rows(system, q)
    arm_rows, wrist_rows = G[:, :3], G[:, 3:]
    v = np.concatenate([-np.linalg.solve(arm_rows, wrist_rows @ wrist_v), wrist_v])
    fast = float(np.abs(v).max())
    hair = 1e-5 / fast if fast > 0.0 else 1.0
    turning = (tip_rows(system, q + hair * v) - tip_rows(system, q - hair * v)) @ v / (2.0 * hair)
    a = np.concatenate([-np.linalg.solve(arm_rows, wrist_rows @ wrist_a + turning), wrist_a])
    # tau + G^T lam = what the open arm would need; the arm's share of tau is given, so lam and the wrist's follow
    needed = lw.inverse_dynamics(system, q, v, a)
    lam: Any = np.linalg.solve(arm_rows.T, (1.0 - kept) * needed[:3])
    return np.concatenate([kept * needed[:3], needed[3:] - wrist_rows.T @ lam]), lam
