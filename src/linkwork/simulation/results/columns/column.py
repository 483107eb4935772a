"""One recorded column: its name, the shape of a row, its unit, and where it is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from linkwork.assembly.system import System
    from linkwork.assembly.tables import Tables
    from linkwork.formulations.samples import Samples
    from linkwork.mechanics.observation import Observation


class Seen(NamedTuple):
    """Kept rows of a run with what they show: what columns are read from."""

    system: System
    tables: Tables
    samples: Samples
    observation: Observation
    rows: int

    @property
    def q(self) -> Any:
        """Coordinates of the joints."""
        return self.samples.y[: self.rows, : self.system.nq]

    @property
    def v(self) -> Any:
        """Velocities of the joints."""
        return self.samples.y[: self.rows, self.system.nq : self.system.nq + self.system.nv]

    @property
    def vd(self) -> Any:
        """Accelerations of the joints."""
        return self.samples.vd[: self.rows]


Read = Callable[[Seen], Any]


def nothing(seen: Seen) -> None:
    """For a column that nothing fills now: that of a joint which does not hold yet."""


class Column(NamedTuple):
    """A column by its full name; `read` gives its rows, or None where the run has none of it.

    >>> Column("pin.position", (), "rad", lambda seen: seen.q[:, 0]).shape
    ()
    """

    name: str
    shape: tuple[int, ...]
    unit: str
    read: Read = nothing


def row_shape(size: int) -> tuple[int, ...]:
    """The shape of a row of so many numbers."""
    return () if size == 1 else (size,)
