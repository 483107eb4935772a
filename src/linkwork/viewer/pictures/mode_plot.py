"""A picture of modes: the roots in the plane, and which bodies move in each."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

import numpy as np

from linkwork.errors import OptionError
from linkwork.simulation.analysis.linear.modes import Modes
from linkwork.simulation.storage.files import check_path, writing
from linkwork.viewer.pictures.panels import COLOURS, STYLE, new_figure, show_figure
from linkwork.viewer.pictures.plots import SUFFIXES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BODIES = 6  # with a colour of their own; the rest is grey


def plot_modes(modes: Modes, file: str | PathLike[str] | None = None, show: bool = False) -> Figure:
    """Roots on the left, on the right each mode's kinetic energy by bodies."""
    path = None if file is None else check_path(file, SUFFIXES)
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise OptionError('plots need matplotlib: pip install "linkwork[plot]"') from error
    with mpl.rc_context(STYLE):
        size = (8.4, max(3.0, 1.2 + 0.28 * len(modes)))
        figure = new_figure(size, windowed=path is None or show)
        roots, bars = figure.subplots(1, 2, width_ratios=(2, 3))
        values = np.where(modes.rigid, 0.0, modes.eigenvalues)
        roots.axvline(0.0, color="#555555", linewidth=0.7)
        roots.plot(values.real, values.imag / (2 * np.pi), "x", color=COLOURS[0], markersize=6)
        for k, value in enumerate(values):
            if not modes.rigid[k]:
                roots.annotate(f"{k + 1}", (value.real, value.imag / (2 * np.pi)), (4, 4), textcoords="offset points")
        roots.set_xlabel("growth (1/s)")
        roots.set_ylabel("frequency (Hz)")
        total = {name: float(part.sum()) for name, part in modes.energy.items()}
        named = sorted(total, key=lambda name: -total[name])[:BODIES]
        rows, left = np.arange(len(modes)), np.zeros(len(modes))
        for k, name in enumerate(named):
            bars.barh(rows, modes.energy[name], left=left, color=COLOURS[k], label=name, height=0.7)
            left = left + modes.energy[name]
        others = [part for name, part in modes.energy.items() if name not in named]
        if others:
            bars.barh(rows, np.sum(others, axis=0), left=left, color="#BBBBBB", label="others", height=0.7)
        words = ["rigid" if modes.rigid[k] else f"{modes.frequencies[k]:.4g} Hz" for k in range(len(modes))]
        bars.set_yticks(rows, [f"{k + 1}: {word}" for k, word in enumerate(words)])
        bars.invert_yaxis()
        bars.set_xlim(0.0, 1.0)
        bars.set_xlabel("part of the kinetic energy")
        bars.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
        figure.suptitle(f"Modes of {modes.model_name}")
        if path is not None:
            with writing(path) as target:
                figure.savefig(target, format=path.suffix[1:])
        if show:
            show_figure(figure)
    return figure
