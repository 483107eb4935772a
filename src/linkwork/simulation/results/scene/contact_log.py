"""All contacts of a run, row by row, and how they press on one body: pressure maps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import OptionError
from linkwork.model.checked import did_you_mean, shown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Numbers = NDArray[Any]


@dataclass(frozen=True, eq=False)
class ContactLog:
    """The contacts of a run with `contacts=True`, one entry for each point in each row; `run.contacts`.

    Each is one of the step that ends in its row; points are where the bodies were when that step began. `a` and `b` are
    the numbers of the two bodies in `names`, `normal` points from a to b, `force` (N) is what b gets.

    >>> model = lw.Model("stone")
    >>> floor = model.plane("floor")
    >>> stone = model.body("stone", shape=lw.Sphere(0.1), mass=2.0, position=(0, 0, 0.1), material=lw.Material())
    >>> run = lw.simulate(model, until=0.1, method="impulse", dt=0.01, contacts=True)
    >>> run.contacts
    <10 contacts in 11 rows>
    >>> felt = run.pressure("stone")
    >>> felt.points[-1].round(6).tolist(), float(felt.forces[-1].round(6))
    ([0.0, 0.0, -0.1], 19.62)
    """

    time: Numbers  # (row,) s, of the rows of the run
    names: tuple[str, ...]  # of bodies
    row: Numbers  # (contact,)
    a: Numbers  # (contact,)
    b: Numbers
    point: Numbers  # (contact, 3) m, world
    point_a: Numbers  # (contact, 3) m, in the frame of a; of grounds in the world
    point_b: Numbers
    normal: Numbers  # (contact, 3) unit, world
    force: Numbers  # (contact, 3) N, world
    depth: Numbers  # (contact,) m of overlap
    area: Numbers  # (contact,) m2 that it stands for, where a surface has a bedding; else 0

    def __len__(self) -> int:
        return len(self.row)

    def __repr__(self) -> str:
        return f"<{len(self)} contacts in {len(self.time)} rows>"

    @property
    def normal_force(self) -> Numbers:
        """(contact,) N, how hard the two are pressed together."""
        pressed: Numbers = np.einsum("ni,ni->n", self.force, self.normal)
        return pressed

    def on(self, body: Any) -> PressureMap:
        """Where and how hard others press on a body, in its own frame."""
        name = getattr(body, "path", body)
        if name not in self.names:
            hint = did_you_mean(str(name), self.names) or f"; give one of {', '.join(map(repr, self.names[:12]))}"
            raise OptionError(f"no contact of {shown(name)} can be in this run{hint}")
        number = self.names.index(name)
        first, second = self.a == number, self.b == number
        held = np.flatnonzero(first | second)
        points = np.where(second[held, None], self.point_b[held], self.point_a[held])
        return PressureMap(str(name), self.time, self.row[held], points, self.normal_force[held], self.area[held])

    def arrays(self) -> dict[str, Numbers]:
        """All but the names, for files."""
        return {each.name: getattr(self, each.name) for each in fields(self) if each.name != "names"}

    @classmethod
    def from_arrays(cls, names: Any, arrays: Mapping[str, Numbers]) -> ContactLog:
        """What `arrays` gave."""
        unknown = {"area": np.zeros(len(arrays["row"]))}  # of files from before there were areas
        return cls(names=tuple(str(name) for name in names), **{**unknown, **arrays})


@dataclass(frozen=True, eq=False)
class PressureMap:
    """Points of a body at which others press on it, in its frame, with the normal forces; made by `run.pressure`."""

    body: str
    time: Numbers  # (row,) s, of the rows of the run
    row: Numbers  # (point,)
    points: Numbers  # (point, 3) m
    forces: Numbers  # (point,) N
    areas: Numbers  # (point,) m2 that it stands for, where a surface has a bedding; else 0

    def __repr__(self) -> str:
        return f"<pressure on {self.body}: {len(self.row)} points in {len(self.time)} rows>"

    @property
    def pressures(self) -> Numbers:
        """(point,) N/m2, the mean over the area of a point; NaN where no surface has a bedding.

        >>> model = lw.Model("mat")
        >>> mat = model.plane("mat", material=lw.Material(softness=lw.Soft(bedding=1e6)))
        >>> box = lw.Box((0.2, 0.1, 0.1))
        >>> block = model.body("block", shape=box, mass=2.0, position=(0, 0, 0.05), material=lw.Material())
        >>> run = lw.simulate(model, until=1.0, method="impulse", dt=2e-3, contacts=True)
        >>> run.pressure("block").pressures[-4:].round(3).tolist()  # 2 kg g / 0.02 m2
        [981.0, 981.0, 981.0, 981.0]
        """
        found: Numbers = np.full(len(self.forces), np.nan)
        np.divide(self.forces, self.areas, out=found, where=self.areas > 0.0)
        return found

    @property
    def total(self) -> Numbers:
        """(row,) N, the sum of the normal forces."""
        return np.bincount(self.row, weights=self.forces, minlength=len(self.time))

    @property
    def centre(self) -> Numbers:
        """(row, 3) m, the centre of pressure in the frame of the body; NaN where nothing presses."""
        found = np.full((len(self.time), 3), np.nan)
        total = self.total
        for axis in range(3):
            sums = np.bincount(self.row, weights=self.forces * self.points[:, axis], minlength=len(self.time))
            found[total > 0.0, axis] = sums[total > 0.0] / total[total > 0.0]
        return found

    def plot(
        self,
        *,
        axes: str | None = None,
        cells: int = 24,
        file: str | PathLike[str] | None = None,
        show: bool = False,
        title: str | None = None,
    ) -> Figure:
        """Draw where it is pressed and how hard: mean normal forces in cells of a plane, and their sum over time.

        `axes` are two of the body's ("xy"); by default the two along which the points spread most. `cells` is how many
        there are along the longer side. Needs the extra `plot`. Returns the matplotlib figure.

        >>> run.pressure("sole").plot(file="sole.png")  # doctest: +SKIP
        """
        from linkwork.viewer.pictures.pressure import plot_pressure

        return plot_pressure(self, axes, cells, file, show, title)
