"""Andrews' squeezer: seven bodies, three loops, one degree of freedom, driven by a motor and held by a spring.

Benchmark A03 of the IFToMM library and problem "Andrews' squeezing mechanism" of the test set for initial value problem
solvers; the names of points, bodies and angles are those of the latter. A torque of 0.033 N m turns the crank OF. Three
arms connect E to the ground, one at B and, over G and H, two at A. A spring pulls D towards C. There is no gravity; the
motion is in the plane x y and lasts milliseconds, so steps must be short.

What it must show, from rest at beta = -0.0617138900142764496 rad: the seven angles at 0.03 s, where beta =
15.81077119629904 and Theta = -15.75637105984298 rad, and beta(0.05 s) = 33.8258677670 rad; energy = start + torque *
beta.

All masses, lengths and moments of inertia are published ones. The source is planar; that the bodies are flat plates
(which sets the moments of inertia across, without effect on the motion) and all widths in pictures are our assumptions.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

import linkwork as lw

TITLE = "Andrews' squeezing mechanism, seven bodies and three loops in milliseconds"
PAPER = "IFToMM benchmark A03, IVP test set"
UNTIL = 0.05
METHOD = {"method": "recursive", "integrator": "rk4", "dt": 1e-5, "every": 10}
PLOTS = ["[BGH].position", "A *.position", "FE.position", "O.velocity", "energy"]

ANGLES = ("beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon")
JOINTS = ("O", "F", "B", "G", "A delta", "H", "A epsilon")  # whose positions these angles are

# published consistent start, rad, in the order of ANGLES
START = (
    -0.0617138900142764496,
    0.0,
    0.455279819163070380,
    0.222668390165885885,
    0.487364979543842550,
    -0.222668390165885885,
    1.23054744454982119,
)

# points on the ground, m
O, A, B, C = (0.0, 0.0), (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)

# lengths of the bodies and places of their centres of mass, m, by the source's letters
rr, ra = 0.007, 0.00092
d, da = 0.028, 0.0115
ss, sa, sb, sc, sd = 0.035, 0.01874, 0.01043, 0.018, 0.02
e, ea = 0.02, 0.01421
zt, ta, tb = 0.04, 0.02308, 0.00916
zf, fa = 0.02, 0.01421
u, ua, ub = 0.04, 0.01228, 0.00449

# kg and kg m2 about the centre of mass
MASS = {"OF": 0.04325, "FE": 0.00365, "BDE": 0.02373, "GE": 0.00706, "AG": 0.07050, "HE": 0.00706, "AH": 0.05498}
MOMENT = {
    "OF": 2.194e-6,
    "FE": 4.410e-7,
    "BDE": 5.255e-6,
    "GE": 5.667e-7,
    "AG": 1.169e-5,
    "HE": 5.667e-7,
    "AH": 1.912e-5,
}


def build(
    *,
    beta: float = START[0],
    torque: float = 0.033,
    stiffness: float = 4530.0,
    spring_length: float = 0.07785,
    gravity: float = 0.0,
) -> lw.Model:
    """The mechanism at rest with its crank at `beta` (rad); the other angles follow from the loops.

    `torque` of the motor in N m, `stiffness` (N/m) and `spring_length` (m) of the spring from D to C, `gravity` in
    m/s2 along -y. Joints O, F, B, G, "A delta", H, "A epsilon" carry the seven angles of the source as their
    positions; three joints at E close the loops. Bodies are named by their points: OF, FE, BDE, GE, AG, HE, AH.

    >>> list(lw.gallery.andrews.build().bodies)
    ['OF', 'BDE', 'AG', 'AH', 'FE', 'GE', 'HE']
    """
    model = lw.Model("andrews", gravity=(0, -gravity, 0))
    _, Theta, gamma, Phi, delta, Omega, epsilon = START
    F = _along(O, rr, beta)
    G = _along(A, zt, delta)
    H = _along(A, u, epsilon - math.pi / 2)

    def body(name: str, at: tuple[float, float], angle: float, com: tuple[float, float], shape: lw.Box) -> lw.Body:
        """A flat body whose frame stands at its first point, turned by the source's angle."""
        moment = MOMENT[name]
        return model.body(
            name,
            mass=MASS[name],
            inertia=(moment / 2, moment / 2, moment),
            com=(*com, 0),
            shape=shape,
            position=(*at, 0),
            rotation=(math.cos(angle / 2), 0, 0, math.sin(angle / 2)),
        )

    # in each frame: the far point, then the centre of mass
    crank = body("OF", O, beta, (ra, 0), _bar((rr, 0), 0.003))
    plate = body("BDE", B, gamma, (sb, -sa), _bar((0, -ss), 0.003))
    arm_g = body("AG", A, delta, (ta, tb), _bar((zt, 0), 0.004))
    arm_h = body("AH", A, epsilon, (ua, -ub), _bar((0, -u), 0.004))
    rod_f = body("FE", F, beta + Theta, (-da, 0), _bar((-d, 0), 0.0022))
    rod_g = body("GE", G, Phi + delta, (0, -(e - ea)), _bar((0, -e), 0.0022))
    rod_h = body("HE", H, Omega + epsilon, (zf - fa, 0), _bar((zf, 0), 0.0022))

    # each joint's zero is where the two frames are parallel, as the source counts its angles
    model.revolute("O", model.ground, crank, frame_a=_pivot(*O), frame_b=_pivot(), position=beta)
    model.revolute("B", model.ground, plate, frame_a=_pivot(*B), frame_b=_pivot())
    model.revolute("A delta", model.ground, arm_g, frame_a=_pivot(*A), frame_b=_pivot())
    model.revolute("A epsilon", model.ground, arm_h, frame_a=_pivot(*A), frame_b=_pivot())
    model.revolute("F", crank, rod_f, frame_a=_pivot(rr), frame_b=_pivot())
    model.revolute("G", arm_g, rod_g, frame_a=_pivot(zt), frame_b=_pivot())
    model.revolute("H", arm_h, rod_h, frame_a=_pivot(0, -u), frame_b=_pivot())
    model.revolute("E plate", rod_f, plate, frame_a=_pivot(-d), frame_b=_pivot(0, -ss), cut=True)
    model.revolute("E rod g", rod_f, rod_g, frame_a=_pivot(-d), frame_b=_pivot(0, -e), cut=True)
    model.revolute("E rod h", rod_f, rod_h, frame_a=_pivot(-d), frame_b=_pivot(zf), cut=True)

    model.torque("motor", "O", torque)
    model.spring(
        "spring", plate, model.ground, at_a=(sd, -sc, 0), at_b=(*C, 0), stiffness=stiffness, length=spring_length
    )
    return model


def angles(run: lw.Trajectory) -> NDArray[Any]:
    """The seven angles beta, Theta, gamma, Phi, delta, Omega, epsilon over the run, (k, 7), rad, continuous over turns.

    >>> run = lw.simulate(lw.gallery.andrews.build(), until=1e-3, dt=1e-5)
    >>> lw.gallery.andrews.angles(run)[0, :3].round(12).tolist()
    [-0.061713890014, 0.0, 0.455279819163]
    """
    return np.column_stack([run[f"{joint}.position"] for joint in JOINTS])


def rates(run: lw.Trajectory) -> NDArray[Any]:
    """The rates of the seven angles over the run, (k, 7), rad/s.

    >>> run = lw.simulate(lw.gallery.andrews.build(), until=1e-3, dt=1e-5)
    >>> bool(abs(lw.gallery.andrews.rates(run)[0]).max() == 0.0)
    True
    """
    return np.column_stack([run[f"{joint}.velocity"] for joint in JOINTS])


def _along(start: tuple[float, float], length: float, angle: float) -> tuple[float, float]:
    return start[0] + length * math.cos(angle), start[1] + length * math.sin(angle)


def _pivot(x: float = 0.0, y: float = 0.0) -> lw.Frame:
    return lw.Frame((x, y, 0))


def _bar(end: tuple[float, float], width: float) -> lw.Box:
    """A flat bar from the frame's origin to `end`, for pictures."""
    length, angle = math.hypot(*end), math.atan2(end[1], end[0])
    turn = (math.cos(angle / 2), 0, 0, math.sin(angle / 2))
    return lw.Box((length + width, width, width / 2), pose=lw.Frame((end[0] / 2, end[1] / 2, 0), turn))
