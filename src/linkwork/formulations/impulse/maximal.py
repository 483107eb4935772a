"""[MST17] SIMMC: sequential impulses in maximal coordinates, every body free and every joint some rows.

The same rows, the same loop as `impulse`: it runs on tables in which each body is a tree of its own. Effective masses
are then those of two bodies, and impulses have to travel along a mechanism from joint to joint, sweep by sweep, unless
they are solved for directly. The method of piles of loose bodies, and the paper's rival to its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from linkwork.contact.scratch import warn_of_lost
from linkwork.formulations.impulse.impulse import SUPPORTS, Workspace, run, workspace


@dataclass(frozen=True, kw_only=True)
class Maximal:
    """Impulses on free bodies, joints as constraints like all others; options as those of `lw.Impulse`.

    >>> lw.Maximal(dt=0.01, solver="sequential", iterations=2000).iterations
    2000
    """

    name: ClassVar[str] = "maximal"
    supports: ClassVar[frozenset[str]] = SUPPORTS - {"armature"}
    coordinates: ClassVar[str] = "absolute"
    integrator: ClassVar[str] = "semi-implicit"
    pushes: ClassVar[bool] = True
    loop: ClassVar[str] = run.__module__  # whose compiled loop it runs in

    dt: float = 1e-3
    solver: str = "direct"
    epsilon: float = 1e-6
    iterations: int = 50
    position_iterations: int = 2
    rank_tolerance: float = 1e-10

    def prepare(self, tables: Any) -> Workspace:
        """Scratch and carried memory for the tables of one system."""
        return workspace(tables, self)

    def run(self, _tables: Any, *arguments: Any) -> Any:
        """The compiled loop of this method; the workspace has its own tables."""
        result = run(*arguments)
        warn_of_lost(arguments[0].contact_scratch)
        return result
