"""Plots of frequency responses, gain and phase over the frequency; of roots over a parameter."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.assembly.tables import Floats
from linkwork.simulation.analysis.linear.frequency import Response
from linkwork.simulation.analysis.linear.root_locus import RootLocus
from linkwork.simulation.storage.files import check_path
from linkwork.viewer.pictures.panels import PlotPanel, draw
from linkwork.viewer.pictures.plots import SUFFIXES

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def plot_response(response: Response, file: str | PathLike[str] | None = None, show: bool = False) -> Figure:
    """Gain of every output, one panel a unit, and all phases below."""
    path = None if file is None else check_path(file, SUFFIXES)
    gains: dict[str, PlotPanel] = {}
    over: dict[str, Any] = {"across": "frequency (Hz)", "decades": _has_even_ratios(response.frequencies)}
    phases = PlotPanel("phase (deg)", **over)
    for j, output in enumerate(response.outputs):
        for k, source in enumerate(response.inputs):
            label = output if len(response.inputs) == 1 else f"{output} by {source}"
            unit = response.unit(j, k)
            panel = gains.setdefault(unit, PlotPanel(f"gain ({unit})", logarithmic=True, **over))
            panel.lines.append((label, response.frequencies, response.gain[:, j, k]))
            phases.lines.append((label, response.frequencies, np.degrees(response.phase[:, j, k])))
    title = f"{response.model_name}: response to {', '.join(response.inputs)}"
    return draw([*gains.values(), phases], title, "", path, show)


def plot_locus(locus: RootLocus, file: str | PathLike[str] | None = None, show: bool = False) -> Figure:
    """Frequency and growth of every root over the parameter."""
    path = None if file is None else check_path(file, SUFFIXES)
    upper = np.flatnonzero(locus.eigenvalues.imag.max(axis=0) >= 0.0)
    panels = [PlotPanel(label, across=locus.parameter) for label in ("frequency (Hz)", "growth (1/s)")]
    for k, root in enumerate(upper):
        for panel, values in zip(panels, (locus.frequencies, locus.eigenvalues.real), strict=True):
            panel.lines.append((f"root {k + 1}", locus.values, values[:, root]))
    told = "; ".join(f"{hertz:.3g} Hz at {value:.4g}" for value, hertz in locus.crossings)
    title = f"{locus.model_name}: roots over {locus.parameter}"
    return draw(panels, title, f"crosses: {told}" if told else "", path, show)


def _has_even_ratios(frequencies: Floats) -> bool:
    """Whether frequencies are spread over decades rather than evenly."""
    if len(frequencies) < 3 or not frequencies[0] > 0.0:
        return False
    return bool(frequencies[1] - frequencies[0] < 0.5 * (frequencies[-1] - frequencies[-2]))
