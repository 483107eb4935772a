"""A linear model: its matrices with the names of states, inputs and outputs, and what is made of them."""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

import numpy as np

from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats
from linkwork.errors import OptionError
from linkwork.simulation.analysis.linear.frequency import Response, frequency_response
from linkwork.simulation.analysis.linear.modes import Modes, find_modes
from linkwork.simulation.analysis.linear.strains import Strain
from linkwork.simulation.storage.files import check_path, save_table, writing


@dataclass(frozen=True)
class LinearModel:
    """Small motions about a state: d/dt x = A x + B u, y = C x + D u. SI units, radians.

    `states` are the independent coordinates ("pin.position", "pin.velocity"), all positions first; `inputs` and
    `outputs` as asked for. `M`, `K` and `G` are mass, stiffness, and damping with gyroscopic terms of the independent
    coordinates: M x'' + G x' + K x = 0. `constraints` are the rows of loops and rigid motors that hold, `redundant` how
    many of them the others imply. Wheels that roll leave positions free whose velocities they forbid: these come last
    among the positions, and `K` has a column for them too.
    """

    model_name: str
    about: str
    A: Floats
    B: Floats
    C: Floats
    D: Floats
    M: Floats
    states: list[str]
    inputs: list[str]
    outputs: list[str]
    output_units: list[str]
    input_units: list[str]
    constraints: list[str]
    redundant: int
    moves: Floats = field(repr=False)  # (nv, positions) displacements of all joints for those of the independent ones
    bodies: dict[str, Floats] = field(repr=False)  # (6, positions) of each body: of its centre of mass, turning
    masses: dict[str, tuple[float, Any]] = field(repr=False)  # kg, and (3, 3) kg m2 in world axes about that centre
    joints: list[str] = field(repr=False)  # to which the rows of `moves` belong
    strains: dict[str, Strain] = field(repr=False)  # of springs, stiff joints, bushings and tyres
    unit: Floats = field(repr=False)  # of each state: m, as a part of the size, or one radian
    place: tuple[System, Floats, float] = field(repr=False)  # of what, its coordinates and the time, to draw it

    @property
    def freedom(self) -> int:
        """Number of independent velocities."""
        return len(self.M)

    @property
    def positions(self) -> int:
        """Number of independent positions: as many, or more where wheels roll."""
        return len(self.states) - self.freedom

    @property
    def K(self) -> Floats:
        """Stiffness of the independent coordinates, N/m and N m/rad."""
        return -self.M @ self.A[self.positions :, : self.positions]

    @property
    def G(self) -> Floats:
        """Damping and gyroscopic terms of the independent coordinates, N s/m and N m s/rad."""
        return -self.M @ self.A[self.positions :, self.positions :]

    def modes(self) -> Modes:
        """Natural frequencies (Hz), damping ratios, shapes, and who moves."""
        return find_modes(self)

    def frequency_response(self, hertz: Any) -> Response:
        """The outputs for inputs that swing, at frequencies (Hz): complex, (frequency, output, input)."""
        return frequency_response(self, hertz)

    def to_scipy(self) -> Any:
        """The same as a `scipy.signal.StateSpace`."""
        from scipy.signal import StateSpace

        if not self.inputs or not self.outputs:
            raise OptionError("a state space needs inputs and outputs; name them in lw.linearise(…, inputs=, outputs=)")
        return StateSpace(self.A, self.B, self.C, self.D)

    def to_control(self) -> Any:
        """The same as a `control.StateSpace` with all names; needs python-control."""
        try:
            control = importlib.import_module("control")
        except ImportError:
            raise OptionError("python-control is not installed; pip install control") from None
        return control.ss(self.A, self.B, self.C, self.D, states=self.states, inputs=self.inputs, outputs=self.outputs)

    def save(self, file: str | PathLike[str]) -> None:
        """Write the matrices and names to `file`: .npz, .mat for MATLAB, or A and B over C and D as a table, .csv."""
        path = check_path(file, (".npz", ".mat", ".csv"))
        names = {name: np.array(getattr(self, name), dtype=object) for name in ("states", "inputs", "outputs")}
        arrays = {name: getattr(self, name) for name in ("A", "B", "C", "D", "M", "K", "G")}
        if path.suffix == ".csv":
            whole = np.block([[self.A, self.B], [self.C, self.D]])
            rows = np.array([*(f"rate of {name}" for name in self.states), *self.outputs])
            save_table(path, ["", *self.states, *self.inputs], [rows, *whole.T])
            return
        with writing(path) as target:
            if path.suffix == ".mat":
                from scipy.io import savemat

                savemat(target, {**arrays, **names})
            else:
                with open(target, "wb") as stream:
                    kept: Any = arrays | {name: each.astype(str) for name, each in names.items()}
                    np.savez(stream, **kept)

    def __str__(self) -> str:
        names = ", ".join(name.removesuffix(".velocity") for name in self.states[self.positions :])
        parts = [f"{self.freedom} degree{'' if self.freedom == 1 else 's'} of freedom ({names})"]
        if self.constraints:
            more = f", {self.redundant} of them redundant" if self.redundant else ""
            parts.append(f"{len(self.constraints)} rows of loops and couplings hold{more}")
        parts += [f"inputs {', '.join(self.inputs)}"] if self.inputs else []
        parts += [f"outputs {', '.join(self.outputs)}"] if self.outputs else []
        return f"'{self.model_name}' linearised about {self.about}: " + "; ".join(parts)
