"""Pressure maps: where a body is pressed, in a plane of its own frame, and how hard, over time."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.errors import OptionError
from linkwork.model.checked import shown
from linkwork.simulation.results.scene.contact_log import PressureMap
from linkwork.simulation.storage.files import check_path, writing
from linkwork.viewer.pictures.panels import COLOURS, STYLE, new_figure, show_figure
from linkwork.viewer.pictures.plots import SUFFIXES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARGIN = 0.08  # of the larger side, around the points


def plot_pressure(
    pressed: PressureMap,
    axes: str | None,
    cells: int,
    file: str | PathLike[str] | None,
    show: bool,
    title: str | None,
) -> Figure:
    """See `PressureMap.plot`."""
    path = None if file is None else check_path(file, SUFFIXES)
    across, up = _axes(pressed, axes)
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise OptionError('plots need matplotlib: pip install "linkwork[plot]"') from error
    with mpl.rc_context(STYLE):
        figure = new_figure((7.2, 6.4), windowed=path is None or show)
        grid = figure.add_gridspec(2, 1, height_ratios=(2.4, 1.0))
        _draw_map(figure, figure.add_subplot(grid[0]), pressed, across, up, cells)
        below = figure.add_subplot(grid[1])
        below.plot(pressed.time, pressed.total, color=COLOURS[0])
        below.set_xlabel("time [s]")
        below.set_ylabel("sum [N]")
        below.set_ylim(bottom=0.0)
        figure.suptitle(f"pressure on {pressed.body}" if title is None else title)
        if path is not None:
            with writing(path) as beside:
                figure.savefig(beside, format=path.suffix[1:])
        if show:
            show_figure(figure)
    return figure


def _axes(pressed: PressureMap, axes: str | None) -> tuple[int, int]:
    """Two axes of the body: those named, or those along which the points spread most."""
    if axes is not None:
        if not isinstance(axes, str) or len(axes) != 2 or len(set(axes)) != 2 or set(axes) - set("xyz"):
            raise OptionError(f"axes={shown(axes)} are no plane; give two of x, y, z, such as axes='xy'")
        return "xyz".index(axes[0]), "xyz".index(axes[1])
    spread = np.ptp(pressed.points, axis=0) if len(pressed.points) else np.zeros(3)
    first, second = sorted(np.argsort(-spread, kind="stable")[:2].tolist())
    return first, second


def _draw_map(figure: Any, axes: Any, pressed: PressureMap, across: int, up: int, cells: int) -> None:
    """Mean normal forces in cells of the plane."""
    points, rows = pressed.points[:, [across, up]], max(1, len(pressed.time))
    if len(points) == 0:
        axes.text(0.5, 0.5, "nothing presses on it", ha="center", va="center", transform=axes.transAxes)
        axes.set_axis_off()
        return
    low, high = points.min(axis=0), points.max(axis=0)
    edge = MARGIN * max(float((high - low).max()), 1e-3)
    low, high = low - edge, high + edge
    size = float((high - low).max()) / max(1, int(cells))
    counts = np.maximum(np.ceil((high - low) / size).astype(int), 1)
    sums, xs, ys = np.histogram2d(
        points[:, 0],
        points[:, 1],
        bins=counts,
        range=[(low[k], low[k] + counts[k] * size) for k in range(2)],
        weights=pressed.forces,
    )
    mean = np.ma.masked_equal(sums.T / rows, 0.0)
    drawn = axes.pcolormesh(xs, ys, mean, cmap="viridis", vmin=0.0, rasterized=True)
    bar = figure.colorbar(drawn, ax=axes)
    bar.set_label("mean normal force in a cell [N]")
    centre = pressed.centre[:, [across, up]]
    axes.plot(centre[:, 0], centre[:, 1], color=COLOURS[1], linewidth=0.8, label="centre of pressure")
    axes.set_aspect("equal")
    axes.set_xlabel(f"{'xyz'[across]} of {pressed.body} [m]")
    axes.set_ylabel(f"{'xyz'[up]} of {pressed.body} [m]")
    axes.legend(loc="best")
