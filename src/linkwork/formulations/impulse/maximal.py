"""[MST17] SIMMC: sequential impulses in maximal coordinates, every body free and every joint some rows.

The same rows and the same loop as `impulse`, on tables in which each body is a tree of its own. Effective masses are
then those of two bodies, and impulses travel along a mechanism from joint to joint, sweep by sweep, unless they are
solved for directly. The method for piles of free bodies; in the paper the method that SIMGC is compared with.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from linkwork.formulations.impulse.method import SUPPORTS, ImpulseMethod


@dataclass(frozen=True, kw_only=True)
class Maximal(ImpulseMethod):
    """Impulses on free bodies, joints as constraints like all others; options as those of `lw.Impulse`.

    >>> lw.Maximal(dt=0.01, solver="sequential", iterations=2000).iterations
    2000
    """

    name: ClassVar[str] = "maximal"
    supports: ClassVar[frozenset[str]] = SUPPORTS - {"armature"}
    coordinates: ClassVar[str] = "absolute"

    @property
    def torn_remedy(self) -> str:
        """Joints of trees cannot be torn."""
        return super().torn_remedy + " or method='impulse', whose joints hold by themselves"
