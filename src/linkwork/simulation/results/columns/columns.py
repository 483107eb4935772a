"""Named columns of a run: found by name, by pattern and by component, with their units."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from linkwork.errors import OptionError
from linkwork.model.checked import shown
from linkwork.simulation.results.columns.column import Column
from linkwork.simulation.results.columns.column_names import find_column, fitting
from linkwork.simulation.results.columns.components import (
    all_components,
    component_labels,
    component_place,
    full_name,
    matching_components,
)
from linkwork.simulation.results.columns.units import BODY_UNITS
from linkwork.simulation.results.scene.scene import Scene


class NamedColumns:
    """Columns with one row per time, and the ledgers of energy, drift and solver beside them."""

    time: NDArray[np.float64]
    """Times of the rows, s."""
    columns: dict[str, NDArray[Any]]
    """Every column by its full name, as recorded."""
    units: dict[str, str]
    energy: dict[str, NDArray[Any]]
    """kinetic, potential, springs, total, dissipated, numerical (taken by soft contacts and stops beyond their law),
    impacts (lost when joints were attached), work, balance; J. Methods with impulses have velocities half a step
    behind positions, and springs are counted where the velocities are."""
    drift: dict[str, NDArray[Any]]
    """Norms of what the loops are off by: position (m and rad), velocity (m/s and rad/s)."""
    solver: dict[str, NDArray[Any]]
    """Of the step that ends in each row, where the method iterates: iterations and the residual (m, rad) they left;
    with impulses: sweeps over the rows, residual (part of m g dt), rows, and how many steps so far were cut short."""
    model_name: str
    scene: Scene | None
    """Shapes, joints and springs, for pictures (see `results.scene`); None in files of older versions."""

    def __init__(
        self,
        time: ArrayLike,
        columns: Mapping[str, ArrayLike],
        units: Mapping[str, str],
        energy: Mapping[str, ArrayLike],
        drift: Mapping[str, ArrayLike],
        solver: Mapping[str, ArrayLike],
        model_name: str,
        scene: Scene | None,
    ) -> None:
        self.time = _sealed("time", np.asarray(time, dtype=np.float64), None)
        rows = len(self.time)
        for name in columns:
            if "." not in name:
                raise ValueError(f"column {name!r} needs a full name such as 'pin.position'")
        self.columns = {name: _sealed(name, values, rows) for name, values in columns.items()}
        self.units = dict(units)
        self.energy = {name: _sealed(f"energy {name}", values, rows) for name, values in energy.items()}
        self.drift = {name: _sealed(f"drift {name}", values, rows) for name, values in drift.items()}
        self.solver = {name: _sealed(f"solver {name}", values, rows) for name, values in solver.items()}
        self.model_name = model_name
        self.scene = scene

    def __getitem__(self, name: str) -> NDArray[Any]:
        """The column of this name; also "time", "energy.total", "drift.position", "solver.iterations".

        A component has the name of its column and its own: "rod.position.z", "rod.rotation.w", "pin.reaction.fx" (force
        fx, fy, fz and torque tx, ty, tz, which tables write as "force x"); `run.components` lists those of a column.
        """
        found = self._find(name) if isinstance(name, str) else None
        if found is None:
            raise OptionError(self._unknown(name))
        return found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self._find(name) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        """Number of rows."""
        return len(self.time)

    @property
    def names(self) -> list[str]:
        """Full names of all columns, in the order of recording."""
        return list(self.columns)

    def matching(self, pattern: str) -> list[str]:
        """Names that fit a pattern with `*` and `?`; a plain name fits itself. Nothing found is an error.

        Columns come first; where none fits, components do, "*.position.z", and then the ledgers, "energy.*".

        >>> run = lw.Trajectory(
        ...     [0.0],
        ...     {"a.position": [0.0], "b.position": [1.0]},
        ...     {},
        ...     certificate=lw.Certificate(method=""),
        ...     model_name="two",
        ... )
        >>> run.matching("*.position")
        ['a.position', 'b.position']
        """
        if not isinstance(pattern, str):
            raise OptionError(self._unknown(pattern))
        if self._find(pattern) is not None:
            return [self._meant(pattern) or pattern]
        found = fitting(pattern, self.columns)
        if not found:
            ledgers = {"energy": self.energy, "drift": self.drift, "solver": self.solver}
            accounts = [f"{ledger}.{entry}" for ledger, entries in ledgers.items() for entry in entries]
            found = matching_components(all_components(self._specs), pattern) or fitting(pattern, accounts)
        if not found:
            raise OptionError(self._unknown(pattern))
        return found

    def unit(self, name: str) -> str:
        """Unit of a column: "rad", "m/s", or one per component as in "rad,m"; empty where nobody said."""
        if not isinstance(name, str):
            raise OptionError(self._unknown(name))
        name = self._meant(name) or name
        if name not in self.columns:
            if name == "time":
                return "s"
            part = self._component(name)
            if part is not None:
                return part[2]
            if self._find(name) is not None:
                return "J" if name.startswith("energy.") else ""
            raise OptionError(self._unknown(name))
        suffix = name.rpartition(".")[2]
        if name in self.units:
            return self.units[name]
        if suffix in self.units:
            return self.units[suffix]
        # position of a body (three numbers) is never an angle; that of a joint may be
        return BODY_UNITS.get(suffix, "") if self.columns[name].ndim > 1 else ""

    def components(self, name: str) -> list[tuple[str, str, NDArray[Any]]]:
        """The column taken apart: (label, unit, values over time) for each component.

        >>> run = lw.Trajectory(
        ...     [0.0], {"rod.position": [[1.0, 2.0, 3.0]]}, {}, certificate=lw.Certificate(method=""), model_name="one"
        ... )
        >>> [(label, unit) for label, unit, values in run.components("rod.position")]
        [('rod.position.x', 'm'), ('rod.position.y', 'm'), ('rod.position.z', 'm')]
        """
        values = self[name]
        name = self._meant(name) or name
        labels = component_labels(name, self.unit(name), values.shape[1:])
        flat = values.reshape(len(values), len(labels))
        return [(label, unit, flat[:, k]) for k, (label, unit) in enumerate(labels)]

    def _meant(self, name: Any) -> str | None:
        """The column that a name means, if there is one (see `column_names`)."""
        if not isinstance(name, str):
            return None
        found = find_column(name, self.columns, self._bodies)
        # a component that was recorded without the others may be asked for by its short name
        return found or (full_name(name) if full_name(name) in self.columns else None)

    def _bodies(self) -> set[str]:
        """Full names of the bodies."""
        if self.scene is not None:
            return {body["name"] for body in self.scene["bodies"]}
        return {name.removesuffix(".rotation") for name in self.columns if name.endswith(".rotation")}

    def _find(self, name: str) -> NDArray[Any] | None:
        meant = self._meant(name)
        if meant is not None:
            return self.columns[meant]
        if name == "time":
            return self.time
        ledger, _, entry = name.partition(".")
        if ledger == "energy" and entry in self.energy:
            return self.energy[entry]
        if ledger == "drift" and entry in self.drift:
            return self.drift[entry]
        if ledger == "solver" and entry in self.solver:
            return self.solver[entry]
        part = self._component(name)
        if part is None:
            return None
        return self.columns[part[0]].reshape(len(self), -1)[:, part[1]]

    @property
    def _specs(self) -> list[Column]:
        return [Column(name, values.shape[1:], self.unit(name)) for name, values in self.columns.items()]

    def _component(self, name: str) -> tuple[str, int, str] | None:
        """The column of a component, its place there and its unit."""
        head, _, label = name.rpartition(".")
        column = self._meant(head)
        if column is None:
            return None
        place = component_place(column, self.columns[column].shape[1:], self.unit(column), label)
        return None if place is None else (column, *place)

    def _unknown(self, name: Any) -> str:
        ledgers = {"energy": self.energy, "drift": self.drift, "solver": self.solver}
        known = [*self.columns, "time", *(f"{name}.{entry}" for name, ledger in ledgers.items() for entry in ledger)]
        if not isinstance(name, str):
            return f"columns of a run are found by name, not by {shown(name)}; write run['{known[0]}']"
        column = self._meant(name.rpartition(".")[0])
        close = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
        if column is not None:
            parts = [label.removeprefix(f"{column}.") for label, _, _ in self.components(column)]
            several = len(parts) > 1
            remedy = f"components of {column!r} are {', '.join(parts)}" if several else f"{column!r} has no components"
        elif close:
            remedy = "did you mean " + " or ".join(repr(c) for c in close) + "?"
        elif any(letter in name for letter in "*?["):
            remedy = "no recorded name fits this pattern, run.names lists them"
        else:
            remedy = "run.names lists what was recorded, record= of simulate decides it"
        return f"the run of '{self.model_name}' has no column {name!r}; {remedy}"


def _sealed(name: str, values: ArrayLike, rows: int | None) -> NDArray[Any]:
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise ValueError(f"{name} must hold numbers, not {array.dtype}")
    if array.ndim == 0 or (rows is None and array.ndim != 1):
        raise ValueError(f"{name} must have one row per time")
    if rows is not None and len(array) != rows:
        raise ValueError(f"{name} has {len(array)} samples for {rows} times")
    view = array.view()
    view.flags.writeable = False
    return view
