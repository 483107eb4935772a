"""[MST17] SIMGC: articulated bodies, semi-implicit Euler, and impulses for every constraint, limit, motor and friction.

The algorithm is in step.py, its rows in rows.py and row_kinds.py, the loop over them in row_solver.py; `maximal` runs
the same on other tables.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from linkwork.formulations.impulse.method import SUPPORTS, ImpulseMethod


@dataclass(frozen=True, kw_only=True)
class Impulse(ImpulseMethod):
    """Impulses on articulated bodies, for real time: limits, motors, friction, springs of any stiffness, loops.

    `dt` in seconds. `solver` is "direct" (bilateral constraints are solved for at once, only clipped impulses are
    iterated) or "sequential" (the paper's loop over all rows). The loop ends when a sweep changes no impulse by more
    than `epsilon` times m g dt, with m the mass that its row moves, or no velocity by more than `epsilon` times g dt
    (where things move fast: than a tenth of their velocity, times `epsilon`), or after `iterations` sweeps; the
    certificate reports how often that was.
    In a crowd of more than 64 contacts ten times as much is enough, or a thousandth of a blow.
    `position_iterations` close the loops at the new positions; 0 corrects them by pseudo velocities, as the paper does.
    With `sleep` free bodies that lie still on each other are not solved for until something touches or changes them.

    >>> lw.Impulse(dt=0.01, solver="sequential", position_iterations=0).epsilon
    1e-05
    """

    name: ClassVar[str] = "impulse"
    supports: ClassVar[frozenset[str]] = SUPPORTS
    coordinates: ClassVar[str] = "joint"
