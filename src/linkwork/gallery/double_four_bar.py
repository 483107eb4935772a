"""The double four-bar: two windows of five equal rods, one degree of freedom, ten singular positions in 10 s.

The first example of CD03 and benchmark "double four bar mechanism" of the IFToMM library: `n_four_bar` with N = 2,
which explains how it is built. It starts upright, B0 (the tip of the first crank) with 1 m/s along x, and the cranks
turn over five times.

What it must show: B0 at 10 s at (0.328458112, 0.944518538) m with (1.423051470, -0.494868845) m/s; the energy stays at
1.5 J + 3.5 m g L; ten times the cranks lie level, where the degrees of freedom rise from 1 to 3. `recursive` passes
these positions with a rank-revealing factorisation; in every sample the rank is 4 (see `n_four_bar`).
"""

from __future__ import annotations

import linkwork as lw
from linkwork.gallery import n_four_bar

TITLE = "double four-bar linkage, ten times through a singular position"
PAPER = "CD03 example 1, IFToMM benchmark A02 with N = 2"
UNTIL = 10.0
METHOD = {"method": "recursive", "integrator": "rk4", "dt": 1e-3, "every": 10}
PLOTS = ["coupler 1.position", "foot 0.velocity", "energy", "drift"]

tip = n_four_bar.tip


def build(*, length: float = 1.0, mass: float = 1.0, speed: float = 1.0, gravity: float = 9.81) -> lw.Model:
    """Rods of `length` (m) and `mass` (kg); B0 starts with `speed` (m/s) along x; `gravity` in m/s2.

    >>> list(lw.gallery.double_four_bar.build().bodies)
    ['crank 0', 'crank 1', 'crank 2', 'coupler 1', 'coupler 2']
    """
    return n_four_bar.build(n=2, length=length, mass=mass, speed=speed, gravity=gravity, name="double four bar")
