"""Plots of runs: columns over time, the ledgers of energy and drift, several runs side by side.

Made for print: thin frames, one panel per unit, colours that colour-blind readers can tell apart (Okabe and Ito),
line styles where the colours run out. matplotlib is loaded on the first plot only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import OptionError
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.simulation.storage.files import check_path, writing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito, strongest first; their yellow is too pale for thin lines on paper and is left out
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
LINES = ("-", "--", "-.", ":")
SUFFIXES = (".png", ".svg", ".pdf")
MOST_LINES = 60
_QUANTITIES = {
    "rad": "angle",
    "rad/s": "angular velocity",
    "rad/s^2": "angular acceleration",
    "m": "position",
    "m/s": "velocity",
    "m/s^2": "acceleration",
    "N": "force",
    "N m": "torque",
    "J": "energy",
    "W": "power",
    "1": "rotation (quaternion)",
}
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
class _Panel:
    label: str
    logarithmic: bool = False
    named: bool = False
    """True where the label of the axis says all about a single line."""
    across: str | None = None
    """What the lines are drawn over, where that is not time."""
    lines: list[tuple[str, NDArray[Any], NDArray[Any]]] = field(default_factory=list)


def plot(
    run: Trajectory,
    *columns: str,
    file: str | PathLike[str] | None = None,
    show: bool = False,
    title: str | None = None,
) -> Figure:
    """Draw columns of a run over time (s), one panel per unit; see `Trajectory.plot`.

    "energy" and "drift" draw the ledgers, "phase" the velocity of every joint over its position, "iterations" what the
    method needed in each step. Without a name the positions of the joints are drawn, or the energy.
    """
    path = None if file is None else check_path(file, SUFFIXES)
    panels = _panels(run, columns or _default(run))
    heading = run.model_name if title is None else title
    return _draw(panels, heading, _subtitle(run), path, show)


def plot_compare(
    runs: Mapping[str, Trajectory] | Sequence[Trajectory],
    column: str,
    *,
    file: str | PathLike[str] | None = None,
    show: bool = False,
    title: str | None = None,
) -> Figure:
    """The same column of several runs over each other and, below, how far each is from the first.

    `runs` maps the label of a run to it; a plain list is labelled by the methods. Runs with other times are compared
    on the times of the first, as far as both go, by cubic splines through their rows.
    """
    path = None if file is None else check_path(file, SUFFIXES)
    labelled = dict(runs) if isinstance(runs, Mapping) else _labelled(runs)
    if len(labelled) < 2:
        raise OptionError("plot_compare needs at least two runs")
    parts = {name: _components(run, column) for name, run in labelled.items()}
    reference, *others = labelled
    if len({len(part) for part in parts.values()}) > 1:
        raise OptionError(f"column {column!r} does not have the same shape in all runs")
    panels = []
    for k, (label, unit, _) in enumerate(parts[reference]):
        last = label.removeprefix(column).lstrip(".")
        panel = _Panel(f"{last} {_axis_label(unit)}".strip())
        panel.lines = [(name, run.time, parts[name][k][2]) for name, run in labelled.items()]
        panels.append(panel)
    apart = _Panel("distance from the first", logarithmic=True)
    time = labelled[reference].time
    for name in others:
        shared = time[(time >= labelled[name].time[0]) & (time <= labelled[name].time[-1])]
        inside = np.isin(time, shared)
        gaps = [
            np.abs(_between(labelled[name].time, mine, shared) - first[inside])
            for (_, _, mine), (_, _, first) in zip(parts[name], parts[reference], strict=True)
        ]
        apart.lines.append((name, shared, np.max(gaps, axis=0)))
    panels.append(apart)
    # one colour per run in every panel: the first is not in the last one
    places = {name: k for k, name in enumerate(labelled)}
    return _draw(panels, title or f"{labelled[reference].model_name}: {column}", "", path, show, places)


def plot_lines(
    panels: Mapping[str, Mapping[str, tuple[NDArray[Any], NDArray[Any]]]],
    *,
    title: str = "",
    note: str = "",
    logarithmic: bool = False,
    file: str | PathLike[str] | None = None,
    show: bool = False,
) -> Figure:
    """Any lines over time in the style of the other plots: {label of a panel's axis: {line: (times, values)}}.

    Lines of the same name have the same colour in all panels. `note` stands beside the title.
    """
    path = None if file is None else check_path(file, SUFFIXES)
    made = [
        _Panel(label, logarithmic, lines=[(name, time, values) for name, (time, values) in lines.items()])
        for label, lines in panels.items()
    ]
    names = dict.fromkeys(name for panel in made for name, _, _ in panel.lines)
    shared = len(names) < sum(len(panel.lines) for panel in made)
    places = {name: k for k, name in enumerate(names)} if shared else None
    return _draw(made, title, note, path, show, places)


# --- what goes where --------------------------------------------------------------------------------------


def _default(run: Trajectory) -> tuple[str, ...]:
    angles = [name for name in run.names if name.endswith(".position") and run.columns[name].ndim == 1]
    return tuple(angles[:12]) or ("energy",)


def _panels(run: Trajectory, columns: Iterable[str]) -> list[_Panel]:
    by_unit: dict[str, _Panel] = {}
    ledgers: list[_Panel] = []
    given: list[Any] = list(columns)
    for each in given:
        if not isinstance(each, str):
            run.matching(each)  # which refuses it
    for wanted in dict.fromkeys(given):
        if wanted == "energy":
            ledgers += _energy(run)
            continue
        if wanted == "drift":
            ledgers.append(_drift(run))
            continue
        if wanted == "iterations":
            ledgers += _iterations(run)
            continue
        if wanted == "phase":
            ledgers += _phase(run)
            continue
        for name in run.matching(wanted):
            for label, unit, values in run.components(name):
                panel = by_unit.setdefault(unit, _Panel(_axis_label(unit)))
                panel.lines.append((label, run.time, values))
    panels = [*by_unit.values(), *ledgers]
    count = sum(len(panel.lines) for panel in panels)
    if count > MOST_LINES:
        raise OptionError(f"that would draw {count} lines; name fewer columns ({MOST_LINES} lines at most)")
    for panel in panels:
        _shorten(panel)
    return panels


def _energy(run: Trajectory) -> list[_Panel]:
    if not run.energy:
        raise OptionError("this run has no energy ledger; record it to plot it")
    ledger = _Panel(_axis_label("J"))
    for name, values in run.energy.items():
        quiet = name in ("springs", "dissipated", "impacts", "work") and not np.any(values)
        if name != "balance" and not quiet:
            ledger.lines.append((name, run.time, values))
    panels = [ledger]
    if "balance" in run.energy:
        panels.append(_Panel("energy balance [J]", named=True, lines=[("balance", run.time, run.energy["balance"])]))
    return panels


def _drift(run: Trajectory) -> _Panel:
    if not run.drift:
        raise OptionError("this run has no record of its drift")
    units = {"position": "position [m, rad]", "velocity": "velocity [m/s, rad/s]"}
    lines = [(units.get(name, name), run.time, values) for name, values in run.drift.items()]
    return _Panel("drift of loops", logarithmic=True, lines=lines)


def _iterations(run: Trajectory) -> list[_Panel]:
    """What the method needed in each step: iterations or sweeps, and the residual they left."""
    counts = [name for name in ("iterations", "sweeps") if name in run.solver]
    if not counts:
        raise OptionError(
            f"method {run.certificate.method!r} does not iterate, so there is nothing to plot; run it with 'hybrid', "
            "'semi-recursive' or 'impulse', or leave \"iterations\" out"
        )
    panels = [_Panel(f"{counts[0]} a step", named=True, lines=[(counts[0], run.time, run.solver[counts[0]])])]
    if "residual" in run.solver:
        lines = [("residual", run.time, run.solver["residual"])]
        panels.append(_Panel("residual", logarithmic=True, named=True, lines=lines))
    return panels


def _phase(run: Trajectory) -> list[_Panel]:
    """Velocity over position of each joint of one coordinate, one panel per unit."""
    by_unit: dict[str, _Panel] = {}
    for name in run.names:
        joint, _, word = name.rpartition(".")
        speed = f"{joint}.velocity"
        if word != "position" or run.columns[name].ndim != 1 or speed not in run or run[speed].ndim != 1:
            continue
        unit = run.unit(name)
        panel = by_unit.setdefault(unit, _Panel(_axis_label(run.unit(speed)), across=_axis_label(unit)))
        panel.lines.append((joint, run[name], run[speed]))
    if not by_unit:
        raise OptionError("this run has no joint with a position and a velocity; record both to plot its phase")
    return list(by_unit.values())


def _shorten(panel: _Panel) -> None:
    """Drop the last word where all lines share it and the axis already says it: `pin.position` becomes `pin`."""
    labels = [label for label, _, _ in panel.lines]
    endings = {label.rpartition(".")[2] for label in labels}
    heads = [label.rpartition(".")[0] for label in labels]
    if len(endings) == 1 and all(heads) and len(set(heads)) == len(heads) and endings <= {"position", "velocity"}:
        panel.lines = [(head, time, values) for head, (_, time, values) in zip(heads, panel.lines, strict=True)]


def _axis_label(unit: str) -> str:
    quantity = _QUANTITIES.get(unit, "")
    return " ".join(word for word in (quantity, _in_brackets(unit)) if word) or "value"


def _in_brackets(unit: str) -> str:
    return "" if unit in ("", "1") else f"[{unit.replace('^2', '²')}]"


def _subtitle(run: Trajectory) -> str:
    made = run.certificate
    words = [made.method, made.integrator, f"dt = {made.dt:g} s" if made.dt else ""]
    if run.stopped is not None:
        words.append(f"stopped early: {run.stopped}")
    return ", ".join(word for word in words if word)


def _labelled(runs: Sequence[Trajectory]) -> dict[str, Trajectory]:
    labelled: dict[str, Trajectory] = {}
    for k, run in enumerate(runs):
        label = _subtitle(run) or f"run {k + 1}"
        labelled[label if label not in labelled else f"{label} ({k + 1})"] = run
    return labelled


def _components(run: Trajectory, column: str) -> list[tuple[str, str, NDArray[Any]]]:
    if len(run) == 0:
        raise OptionError(f"a run of {run.model_name!r} has no samples to compare")
    return run.components(column)


def _between(time: NDArray[Any], values: NDArray[Any], wanted: NDArray[Any]) -> NDArray[Any]:
    """Values at other times, exact where the times agree."""
    from scipy.interpolate import CubicSpline

    kept = np.concatenate([[True], np.diff(time) > 0])
    if np.count_nonzero(kept) < 4:
        return np.asarray(np.interp(wanted, time, values))
    return np.asarray(CubicSpline(time[kept], values[kept])(wanted))


# --- drawing ----------------------------------------------------------------------------------------------


def _draw(
    panels: list[_Panel],
    title: str,
    subtitle: str,
    path: Any,
    show: bool,
    places: dict[str, int] | None = None,
) -> Figure:
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise OptionError('plots need matplotlib: pip install "linkwork[plot]"') from error
    with mpl.rc_context(STYLE):
        size = (7.2, 0.9 + sum(_height(panel) for panel in panels))
        if path is not None and not show:
            figure = Figure(figsize=size, layout="constrained")  # no window system, no global state
        else:
            from matplotlib import pyplot

            figure = pyplot.figure(figsize=size, layout="constrained")
        heights = [_height(panel) for panel in panels]
        shared = all(panel.across is None for panel in panels)
        grid = figure.subplots(len(panels), 1, sharex=shared, squeeze=False, height_ratios=heights)
        for axes, panel in zip(grid[:, 0], panels, strict=True):
            _draw_panel(axes, panel, places)
            if panel.across is not None or not shared:
                axes.set_xlabel(panel.across or "time [s]")
        if shared:
            grid[-1, 0].set_xlabel("time [s]")
        grid[0, 0].set_title(title, loc="left", fontweight="bold", fontsize=10.5, pad=10)
        if subtitle:
            grid[0, 0].set_title(subtitle, loc="right", color="#666666", fontsize=8, pad=10)
        figure.align_ylabels(list(grid[:, 0]))
        if path is not None:
            with writing(path) as beside:
                figure.savefig(beside)
        if show:
            from matplotlib import pyplot

            pyplot.show()
    return figure


def _height(panel: _Panel) -> float:
    """Height in inches: room for the legend, which stands beside the panel."""
    return max(1.9 if panel.across is None else 3.6, 0.35 + 0.18 * len(panel.lines))


def _draw_panel(axes: Axes, panel: _Panel, places: dict[str, int] | None) -> None:
    """One panel; `places` gives each label its colour where several panels show the same runs."""
    logarithmic = panel.logarithmic and any(np.any(values > 0) for _, _, values in panel.lines)
    for k, (label, time, values) in enumerate(panel.lines):
        place = k if places is None else places[label]
        shown = np.asarray(values, dtype=float)
        if logarithmic:
            shown = np.where(shown > 0, shown, np.nan)  # exact zeros have no place on a logarithmic axis
        axes.plot(
            time,
            shown,
            label=label,
            color=COLOURS[place % len(COLOURS)],
            linestyle=_line(place, over=places is not None and not logarithmic),
            linewidth=0.8 if logarithmic else 1.4,
            marker="o" if len(time) == 1 else "",
        )
    if logarithmic:
        axes.set_yscale("log")
    axes.set_ylabel(panel.label)
    axes.margins(x=0 if panel.across is None else 0.03)
    if len(panel.lines) > 1 or not panel.named:
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1.02), borderaxespad=0.0, handlelength=2.2)


def _line(place: int, over: bool) -> Any:
    """Line style; curves expected to lie over each other get dashes that let the lower ones through."""
    if over and place > 0:
        return (0.0, (4.0, 1.5 + 2.0 * place))
    return LINES[(place // len(COLOURS)) % len(LINES)]
