"""Frequency response of a linear model."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwork.assembly.tables import Floats
from linkwork.errors import OptionError
from linkwork.simulation.storage.files import save_table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from linkwork.simulation.analysis.linear.linear_model import LinearModel


@dataclass(frozen=True)
class Response:
    """Outputs over inputs at `frequencies` (Hz): `values` are complex, (frequency, output, input)."""

    model_name: str
    frequencies: Floats
    values: NDArray[np.complex128]
    inputs: list[str]
    outputs: list[str]
    units: list[str]  # of the outputs
    input_units: list[str]

    @property
    def gain(self) -> Floats:
        """Largest output for an input that swings by 1."""
        return np.abs(self.values)

    @property
    def phase(self) -> Floats:
        """By how much outputs lead inputs, rad, without jumps."""
        return np.asarray(np.unwrap(np.angle(self.values), axis=0))

    def peak(self, output: int = 0, input: int = 0) -> tuple[float, float]:
        """Frequency (Hz) and gain where an output is largest."""
        k = int(np.argmax(self.gain[:, output, input]))
        return float(self.frequencies[k]), float(self.gain[k, output, input])

    def unit(self, output: int = 0, input: int = 0) -> str:
        """The unit of a gain: that of the output over that of the input."""
        of, over = self.units[output] or "1", self.input_units[input]
        if over in ("", "1"):
            return of
        return f"{of}/({over})" if " " in over or "/" in over else f"{of}/{over}"

    def to_csv(self, file: str | PathLike[str]) -> None:
        """Write a table to `.csv`: the frequencies (Hz), gain and phase (rad) of every output for every input."""
        columns = {"frequency [Hz]": self.frequencies}
        for j, output in enumerate(self.outputs):
            for k, source in enumerate(self.inputs):
                columns[f"{output} by {source}: gain [{self.unit(j, k)}]"] = self.gain[:, j, k]
                columns[f"{output} by {source}: phase [rad]"] = self.phase[:, j, k]
        save_table(file, list(columns), list(columns.values()))

    def plot(self, file: str | PathLike[str] | None = None, show: bool = False) -> Figure:
        """Gain and phase of every output over the frequency, one panel a unit; written to `file` (.png, .svg, .pdf)."""
        from linkwork.viewer.pictures.response import plot_response

        return plot_response(self, file, show)


def frequency_response(linear: LinearModel, hertz: Any) -> Response:
    """C (i w - A)^-1 B + D at every frequency."""
    if not linear.inputs or not linear.outputs:
        raise OptionError(
            "a frequency response needs inputs and outputs; name them in lw.linearise(…, inputs=, outputs=)"
        )
    f = np.atleast_1d(np.asarray(hertz, dtype=float))
    if f.ndim != 1 or not np.isfinite(f).all() or (f < 0.0).any():
        raise OptionError("frequencies are given in Hz, as finite numbers of 0 and more; correct them")
    n = linear.A.shape[0]
    shifted = 2j * np.pi * f[:, None, None] * np.eye(n) - linear.A
    try:
        found = linear.C @ np.linalg.solve(
            shifted, np.broadcast_to(linear.B.astype(complex), (f.size, *linear.B.shape))
        )
    except np.linalg.LinAlgError:
        raise OptionError(
            f"'{linear.model_name}' has an undamped mode at one of these frequencies, where the response is infinite; "
            "leave it out, or add damping"
        ) from None
    values = np.asarray(found + linear.D, dtype=complex)
    return Response(
        linear.model_name, f, values, linear.inputs, linear.outputs, linear.output_units, linear.input_units
    )
