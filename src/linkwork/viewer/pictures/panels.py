"""Panels of lines, drawn for print: thin frames, colours that colour-blind readers can tell apart (Okabe and Ito).

Line styles come in where the colours run out, and where curves lie over each other. matplotlib is loaded on the first
plot only.
"""

from __future__ import annotations

import importlib
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import OptionError
from linkwork.simulation.storage.files import writing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Line = tuple[str, NDArray[Any], NDArray[Any]]
"""Label, what the line is drawn over, and values."""

# Okabe and Ito, strongest first; their yellow is too pale for thin lines on paper and is left out
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
LINES = ("-", "--", "-.", ":")
COINCIDE = 0.004  # of the height of a panel: closer curves cannot be seen apart
SHOWN_BY = "_ipython_display_"  # what a notebook calls first to show a value
STYLE: Any = {
    "font.size": 9.0,
    "axes.labelsize": 9.0,
    "axes.titlesize": 9.0,
    "legend.fontsize": 8.0,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "axes.linewidth": 0.7,
    "axes.edgecolor": "#555555",
    "axes.labelcolor": "#222222",
    "xtick.color": "#444444",
    "ytick.color": "#444444",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#D9D9D9",
    "grid.linewidth": 0.5,
    "axes.axisbelow": True,
    "lines.linewidth": 1.4,
    "legend.frameon": False,
    "figure.dpi": 110.0,
    "savefig.dpi": 200.0,
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "axes.formatter.use_mathtext": True,
    "axes.formatter.limits": (-4, 5),
    "svg.fonttype": "none",
}


@dataclass
class PlotPanel:
    """Lines that share their axes."""

    label: str
    logarithmic: bool = False
    named: bool = False
    """True where the label of the axis says all about a single line."""
    across: str | None = None
    """What the lines are drawn over, where that is not time."""
    decades: bool = False
    """Whether that has a logarithmic axis."""
    polar: bool = False
    """Whether they are drawn around a centre, over an angle."""
    equal: bool = False
    """Whether both axes have one scale: a path in space."""
    note: str = ""
    """What is not drawn, and why."""
    lines: list[Line] = field(default_factory=list)


def draw(
    panels: list[PlotPanel],
    title: str,
    subtitle: str,
    path: Any,
    show: bool,
    places: dict[str, int] | None = None,
) -> Figure:
    """The figure of panels one below the other; it is written to `path` if there is one.

    `places` gives each label its colour where several panels show the same runs.
    """
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise OptionError('plots need matplotlib: pip install "linkwork[plot]"') from error
    with mpl.rc_context(STYLE):
        heights = [_height(panel) for panel in panels]
        size = (7.2, 0.9 + sum(heights))
        figure = new_figure(size, windowed=path is None or show)
        grid = figure.add_gridspec(len(panels), 1, height_ratios=heights)
        shared = all(panel.across is None for panel in panels)
        drawn: list[Axes] = []
        for k, panel in enumerate(panels):
            axes = figure.add_subplot(
                grid[k], sharex=drawn[0] if shared and drawn else None, projection="polar" if panel.polar else None
            )
            drawn.append(axes)
            _draw_panel(axes, panel, places)
            last = k == len(panels) - 1
            if not panel.polar and (last or not shared):
                axes.set_xlabel(panel.across or "time [s]")
            axes.tick_params(labelbottom=last or not shared)
        _head(figure, drawn, title, subtitle)
        if path is not None:
            with writing(path) as beside:
                figure.savefig(beside)
        if show:
            show_figure(figure)
    return figure


def in_notebook() -> bool:
    """Whether a notebook shows what a cell returns."""
    import matplotlib as mpl

    return "IPython" in sys.modules and "inline" in str(mpl.get_backend()).lower()


def new_figure(size: tuple[float, float], windowed: bool) -> Figure:
    """A figure; only a `windowed` one belongs to the window system. A notebook shows what is returned, once."""
    from matplotlib.figure import Figure

    if not windowed or in_notebook():
        return Figure(figsize=size, layout="constrained")
    from matplotlib import pyplot

    made: Figure = pyplot.figure(figsize=size, layout="constrained")
    return made


def show_figure(figure: Figure) -> None:
    """Show a figure now; a notebook that gets it as the value of its cell, too, does not show it again."""
    if not in_notebook():
        from matplotlib import pyplot

        pyplot.show()
        return
    display: Any = importlib.import_module("IPython.display").display
    display(figure)

    setattr(figure, SHOWN_BY, lambda: delattr(figure, SHOWN_BY))


def _head(figure: Figure, drawn: list[Axes], title: str, subtitle: str) -> None:
    """The title on the left, how the run was made on the right."""
    pad = 24 if drawn[0].name == "polar" else 10
    drawn[0].set_title(title, loc="left", fontweight="bold", fontsize=10.5, pad=pad)
    if subtitle:
        drawn[0].set_title(subtitle, loc="right", color="#666666", fontsize=8, pad=pad)
    figure.align_ylabels(drawn)


def _height(panel: PlotPanel) -> float:
    """Height in inches: room for the legend, which stands beside the panel."""
    beside = 0.18 * len(panel.lines) + 0.15 * len(panel.note.splitlines())
    return max(1.9 if panel.across is None or panel.decades else 3.6, 0.35 + beside)


def _draw_panel(axes: Axes, panel: PlotPanel, places: dict[str, int] | None) -> None:
    logarithmic = panel.logarithmic and any(np.any(values > 0) for _, _, values in panel.lines)
    below = covered(_decades(panel.lines) if logarithmic else panel.lines)
    for k, (label, time, values) in enumerate(panel.lines):
        place = k if places is None else places[label]
        shown = np.asarray(values, dtype=float)
        if logarithmic:
            shown = np.where(shown > 0, shown, np.nan)  # exact zeros have no place on a logarithmic axis
        over = below[k] if logarithmic or places is None else max(below[k], place)
        axes.plot(
            time,
            shown,
            label=label,
            color=COLOURS[place % len(COLOURS)],
            linestyle=line_style(place, over),
            linewidth=0.8 if logarithmic else 1.4,
            marker="o" if len(time) == 1 else "",
        )
    if logarithmic:
        axes.set_yscale("log")
    if panel.decades:
        axes.set_xscale("log")
    if panel.polar:
        axes.set_xlabel(f"{panel.label} over {panel.across}")
        axes.set_rlabel_position(22.5)  # type: ignore[attr-defined]
    else:
        axes.set_ylabel(panel.label)
        axes.margins(x=0 if panel.across is None else 0.03)
        if panel.equal:
            axes.set_aspect("equal", adjustable="datalim")
    beside = 1.12 if panel.polar else 1.01
    if len(panel.lines) > 1 or not panel.named:
        axes.legend(loc="upper left", bbox_to_anchor=(beside, 1.02), borderaxespad=0.0, handlelength=2.6)
    if panel.note:
        axes.annotate(panel.note, (beside, 0.0), xycoords="axes fraction", va="bottom", fontsize=7.5, color="#666666")


def _decades(lines: list[Line]) -> list[Line]:
    """The lines as a logarithmic axis shows them."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = [np.log10(np.where(np.asarray(values) > 0, values, np.nan)) for _, _, values in lines]
    return [(label, across, values) for (label, across, _), values in zip(lines, logs, strict=True)]


def covered(lines: list[Line]) -> list[int]:
    """For each line how many before it run in the same place, so closely that an eye cannot tell them apart.

    >>> up = np.linspace(0.0, 1.0, 5)
    >>> covered([("a", up, up), ("b", up, up + 1e-6), ("c", up, 1.0 - up)])
    [0, 1, 0]
    """
    drawn = np.concatenate([np.asarray(values, dtype=float)[np.isfinite(values)] for _, _, values in lines])
    near = COINCIDE * float(np.ptp(drawn)) if len(drawn) else 0.0
    found = []
    for k, (_, across, values) in enumerate(lines):
        found.append(
            sum(
                len(others) == len(values)
                and np.array_equal(before, across)
                and bool(np.all((np.abs(others - values) <= near) | (np.isnan(others) & np.isnan(values))))
                for _, before, others in lines[:k]
            )
        )
    return found


def line_style(place: int, over: int) -> Any:
    """Line style; one that lies over `over` others has dashes that let these through."""
    if over > 0:
        return (0.0, (4.0, 1.5 + 2.0 * over))
    return LINES[(place // len(COLOURS)) % len(LINES)]
