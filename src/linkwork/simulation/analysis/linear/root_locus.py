"""`root_locus`: modes over a parameter, followed by their shapes, and where one turns unstable."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwork.assembly.tables import Floats
from linkwork.errors import OptionError
from linkwork.model import Model
from linkwork.model.checked import shown
from linkwork.simulation.analysis.linear.linear_model import LinearModel
from linkwork.simulation.analysis.linear.linearise import linearise

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Complexes = NDArray[np.complex128]
CLEAR = 1e-7  # of the fastest root: growth below this is rounding


@dataclass(frozen=True)
class RootLocus:
    """Eigenvalues (1/s) over the values of a parameter: (value, root), each column one root that is followed.

    `crossings` are the values at which a root turns unstable or stable, with its frequency (Hz), interpolated.
    """

    model_name: str
    parameter: str
    values: Floats
    eigenvalues: Complexes
    crossings: list[tuple[float, float]]

    @property
    def frequencies(self) -> Floats:
        """Hz, of each root."""
        return np.asarray(np.abs(self.eigenvalues.imag) / (2.0 * np.pi))

    @property
    def stable(self) -> Any:
        """(value,) whether no root grows."""
        clear = CLEAR * np.abs(self.eigenvalues).max(initial=0.0)
        return np.all(self.eigenvalues.real <= clear, axis=1)

    def plot(self, file: str | PathLike[str] | None = None, show: bool = False) -> Figure:
        """Frequency and growth of every root over the parameter; written to `file` (.png, .svg, .pdf)."""
        from linkwork.viewer.pictures.response import plot_locus

        return plot_locus(self, file, show)

    def __str__(self) -> str:
        lines = [f"roots of '{self.model_name}' over {self.parameter} = {self.values[0]:g} … {self.values[-1]:g}"]
        for value, hertz in self.crossings:
            lines.append(f"a root of {hertz:.4g} Hz crosses between growth and decay at {self.parameter} = {value:.6g}")
        if not self.crossings:
            lines.append("no root changes between growth and decay")
        return "\n".join(lines)


def root_locus(
    build: Callable[..., Model], parameter: Mapping[str, Sequence[float] | Floats], *, at: str = "start"
) -> RootLocus:
    """Modes of `build(name=value)` for each value of one parameter, as in `{"speed": np.linspace(0, 10, 101)}`.

    `at` is that of `lw.linearise`. The models must have the same independent coordinates.

    >>> def pendulum(length):
    ...     return lw.gallery.pendulum.build(length=length)
    >>> locus = lw.root_locus(pendulum, {"length": [0.5, 1.0, 2.0]}, at="equilibrium")
    >>> locus.frequencies[:, 0].round(3).tolist()
    [0.705, 0.498, 0.352]
    """
    if len(parameter) != 1:
        raise OptionError(f'one parameter is followed, as in {{"speed": [0, 1, 2]}}, not {shown(list(parameter))}')
    ((name, values),) = parameter.items()
    numbers = np.asarray(values, dtype=float).reshape(-1)
    if numbers.size < 2:
        raise OptionError(f"{name!r} needs two values or more to be followed")
    models = [linearise(build(**{name: float(value)}), at=at) for value in numbers]
    roots = [_roots(model) for model in models]
    if len({each[0].size for each in roots}) > 1 or len({tuple(model.states) for model in models}) > 1:
        raise OptionError(f"the independent coordinates change with {name!r}; follow it in parts where they do not")
    followed = [roots[0][0]]
    shapes = roots[0][1]
    for found, motions in roots[1:]:
        order = _matched(followed[-1], shapes, found, motions)
        followed.append(found[order])
        shapes = motions[:, order]
    eigenvalues = np.array(followed)
    return RootLocus(models[0].model_name, name, numbers, eigenvalues, _crossings(numbers, eigenvalues))


def _roots(linear: LinearModel) -> tuple[Complexes, Complexes]:
    """Eigenvalues by size, and their states without units, of length 1."""
    values, vectors = np.linalg.eig(linear.A * linear.unit / linear.unit[:, None])
    order = np.lexsort((values.imag, np.round(np.abs(values), 9)))
    return values[order].astype(complex), vectors[:, order].astype(complex)


def _matched(before: Complexes, shapes: Complexes, found: Complexes, motions: Complexes) -> Any:
    """The order in which new roots go on with the old ones: near, and of a like shape."""
    from scipy.optimize import linear_sum_assignment  # here, because it takes a third of a second

    size = max(float(np.abs(before).max(initial=0.0)), float(np.abs(found).max(initial=0.0))) or 1.0
    far = np.abs(before[:, None] - found) / size
    unlike = 1.0 - np.abs(shapes.conj().T @ motions) ** 2
    return linear_sum_assignment(far + 0.1 * unlike)[1]


def _crossings(values: Floats, eigenvalues: Complexes) -> list[tuple[float, float]]:
    """Where the real part of a root changes its sign, and by how many Hz it swings there; of two conjugate ones one."""
    clear = CLEAR * np.abs(eigenvalues).max(initial=0.0)
    growing = eigenvalues.real > clear
    found = set()
    for i, k in zip(*np.nonzero(growing[1:] != growing[:-1]), strict=True):
        low, high = eigenvalues[i, k].real, eigenvalues[i + 1, k].real
        part = low / (low - high) if low * high < 0.0 else float(abs(high) <= clear)
        hertz = abs((1 - part) * eigenvalues[i, k].imag + part * eigenvalues[i + 1, k].imag) / (2 * np.pi)
        found.add((round(float(values[i] + part * (values[i + 1] - values[i])), 9), round(float(hertz), 9)))
    return sorted(found)
