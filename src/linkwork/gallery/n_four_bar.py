"""N four-bar windows side by side: 2N + 1 equal rods, one degree of freedom, singular whenever the cranks lie level.

Benchmark A02 of the IFToMM library (N = 40), after the double four-bar of CD03 (N = 2). N + 1 upright cranks stand on
the ground at x = 0, 1, … N; N level couplers join their tips. Every rod is uniform, 1 m, 1 kg. B0, the tip of the
first crank, starts with 1 m/s along x. The benchmark draws it in x and y with y up; here z is up, so its y is our z.

With the cranks level all rods lie on one line. There the degrees of freedom rise from 1 to N + 1, the loops lose rank,
and a method may switch to another branch. `recursive` steps over these instants. On both sides of them the loops have
their full rank of 2 N in the plane (3 N more rows, out of the plane, are redundant everywhere and get multipliers of
least norm), the factorisation finds that rank, and the accelerations are smooth. It passes ten of them in 10 s, and all
cranks stay parallel to 1e-11 rad. If a step ends on a singular position, the rows that vanished are evaluated slightly
further (1e-5 rad) along the motion, and that step is not stabilised: the error at 10 s stays near 1e-9 m.

What it must show: B0 at 10 s for N = 40 at (0.180512227, 0.983572741) m with (1.148441277, -0.210770067) m/s; for N = 2
see `double_four_bar`; the motion of one crank, phi'' = g ((N+1)/2 + N) / ((N+1)/3 + N) sin(phi). All numbers are the
benchmark's; the thickness of the rods is only for pictures.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import linkwork as lw
from linkwork.model.checked import whole

TITLE = "N four-bar linkages in a row, through singular positions"
PAPER = "IFToMM benchmark A02"
UNTIL = 10.0
METHOD = {"method": "recursive", "integrator": "rk4", "dt": 5e-3, "every": 2}
PLOTS = ["coupler 1.position", "foot 0.velocity", "energy", "drift"]

THICKNESS = 0.05  # of a rod, as part of its length


def build(
    *,
    n: int = 40,
    length: float = 1.0,
    mass: float = 1.0,
    speed: float = 1.0,
    gravity: float = 9.81,
    name: str = "n four bar",
) -> lw.Model:
    """`n` windows of rods of `length` (m) and `mass` (kg); B0 starts with `speed` (m/s) along x; `gravity` in m/s2.

    Bodies "crank 0" to "crank n" stand on joints "foot 0" to "foot n"; "coupler k" hangs between cranks k - 1 and k on
    "left pin k" and "right pin k". The frame of "coupler 1" is at B0: `run["coupler 1.position"]` is where B0 is.

    >>> len(lw.gallery.n_four_bar.build(n=3).bodies)
    7
    """
    n = whole(n, "n four bar", "n", "windows")
    model = lw.Model(name, gravity=(0, 0, -gravity))
    thick, moment = THICKNESS * length, mass * length**2 / 12
    about_itself = mass * thick**2 / 8  # plays no part in the plane, but a body in space has it
    cranks = []
    for k in range(n + 1):
        foot = (k * length, 0, 0)
        crank = model.body(
            f"crank {k}",
            mass=mass,
            inertia=(moment, moment, about_itself),
            shape=lw.Box((thick, thick, length + thick), pose=lw.Frame((0, 0, length / 2))),
            position=foot,
        )
        # about +y: clockwise for who looks along +y, towards +x from upright
        rate = speed / length if k == 0 else None
        model.revolute(f"foot {k}", model.ground, crank, at=foot, axis=(0, 1, 0), velocity=rate)
        cranks.append(crank)
    for k in range(1, n + 1):
        left, right = ((k - 1) * length, 0, length), (k * length, 0, length)
        coupler = model.body(
            f"coupler {k}",
            mass=mass,
            inertia=(about_itself, moment, moment),
            shape=lw.Box((length + thick, thick, thick), pose=lw.Frame((length / 2, 0, 0))),
            position=left,
        )
        model.revolute(f"left pin {k}", cranks[k - 1], coupler, at=left, axis=(0, 1, 0))
        model.revolute(f"right pin {k}", coupler, cranks[k], at=right, axis=(0, 1, 0))
    return model


def tip(run: lw.Trajectory) -> NDArray[Any]:
    """Where B0 is and how it moves, in the benchmark's order x, y, vx, vy (its y is our z); (k, 4), m and m/s.

    >>> run = lw.simulate(lw.gallery.double_four_bar.build(), until=0.1, dt=0.01)
    >>> lw.gallery.n_four_bar.tip(run)[0].round(12).tolist()
    [0.0, 1.0, 1.0, 0.0]
    """
    where, speed = run["coupler 1.position"], run["coupler 1.velocity"]
    return np.column_stack([where[:, 0], where[:, 2], speed[:, 0], speed[:, 2]])
