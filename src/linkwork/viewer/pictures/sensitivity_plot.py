"""Pictures of sensitivities: columns with bands for a change of each parameter; parameters by their influence."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import OptionError
from linkwork.simulation.results.columns.components import component_labels
from linkwork.simulation.storage.files import check_path, writing
from linkwork.viewer.pictures.panels import COLOURS, STYLE, new_figure, show_figure
from linkwork.viewer.pictures.plots import SUFFIXES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from linkwork.simulation.analysis.linear.sensitivity import Sensitivity, Tornado


def plot_bands(
    found: Sensitivity, column: str, share: float, file: str | PathLike[str] | None = None, show: bool = False
) -> Figure:
    """A panel for each component, with a band for a change of each parameter by `share` of it."""
    values = found[column].reshape(len(found.time), -1)
    labels = component_labels(column, found.units[column], found[column].shape[1:])
    drawn = [k for k in range(values.shape[1]) if np.any(values[:, k])] or [0]
    path, figure = _figure((7.2, 0.9 + 2.2 * len(drawn)), file, show)
    with style():
        panels = figure.subplots(len(drawn), 1, sharex=True, squeeze=False)[:, 0]
    for k, axes in zip(drawn, panels, strict=True):
        for j, (name, value) in enumerate(found.parameters.items()):
            slope = found.slope(column, name).reshape(values.shape)[:, k]
            off = share * abs(value) * np.abs(slope)
            colour = COLOURS[(j + 1) % len(COLOURS)]
            label = f"{name} by {share:.0%}"
            axes.fill_between(found.time, values[:, k] - off, values[:, k] + off, color=colour, alpha=0.3, label=label)
        axes.plot(found.time, values[:, k], color=COLOURS[0], linewidth=1.4)
        label, unit = labels[k]
        axes.set_ylabel(f"{label} [{unit}]" if unit not in ("", "1") else label)
    panels[0].legend(loc="upper left", bbox_to_anchor=(1.01, 1.02), borderaxespad=0.0)
    panels[-1].set_xlabel("time [s]")
    return _finish(figure, f"{found.model_name}: {column}", path, show)


def plot_tornado(tornado: Tornado, file: str | PathLike[str] | None = None, show: bool = False) -> Figure:
    """A bar for each parameter, the longest on top."""
    path, figure = _figure((7.2, max(2.0, 1.0 + 0.28 * len(tornado))), file, show)
    with style():
        axes = figure.subplots()
    effects = 0.1 * np.array([effect for _, effect in tornado])
    rows = np.arange(len(tornado))
    axes.barh(rows, effects, color=np.where(effects < 0.0, COLOURS[1], COLOURS[0]), height=0.7)
    axes.axvline(0.0, color="#555555", linewidth=0.7)
    axes.set_yticks(rows, [name for name, _ in tornado])
    axes.invert_yaxis()
    axes.set_xlabel(f"change of {tornado.measure} for each 10 % more")
    return _finish(figure, f"{tornado.model_name}: which parameter matters", path, show)


def style() -> Any:
    """The style of all plots, which axes take when they are made."""
    import matplotlib as mpl

    return mpl.rc_context(STYLE)


def _figure(size: tuple[float, float], file: Any, show: bool) -> tuple[Any, Any]:
    path = None if file is None else check_path(file, SUFFIXES)
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise OptionError('plots need matplotlib: pip install "linkwork[plot]"') from error
    with mpl.rc_context(STYLE):
        return path, new_figure(size, windowed=path is None or show)


def _finish(figure: Figure, title: str, path: Any, show: bool) -> Figure:
    figure.suptitle(title)
    if path is not None:
        with writing(path) as target:
            figure.savefig(target, format=path.suffix[1:])
    if show:
        show_figure(figure)
    return figure
