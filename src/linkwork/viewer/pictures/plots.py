"""Plots of runs: columns over time or over each other, the ledgers of energy and drift, several runs side by side.

One panel per unit. Components of a vector that are zero throughout are left out, and the plot says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from linkwork.errors import OptionError
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.simulation.storage.files import check_path
from linkwork.viewer.pictures.panels import PlotPanel, draw

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SUFFIXES = (".png", ".svg", ".pdf")
MOST_LINES = 60
NOTHING = 1e-12  # of the largest component, forces and torques together: one that stays below is rounding
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


def plot(
    run: Trajectory,
    *columns: str,
    x: str | None = None,
    polar: bool = False,
    file: str | PathLike[str] | None = None,
    show: bool = False,
    title: str | None = None,
) -> Figure:
    """Draw columns of a run over time (s), or over another column, one panel per unit; see `Trajectory.plot`.

    "energy" and "drift" draw the ledgers, "phase" the velocity of every joint over its position, "iterations" what the
    method needed in each step. Without a name the positions of the joints are drawn, or the energy.
    """
    path = None if file is None else check_path(file, SUFFIXES)
    if polar and x is None:
        raise OptionError('polar=True draws over an angle; name it, as in x="crank.position"')
    panels = _panels(run, columns or _default(run)) if x is None else _panels_over(run, columns, x, polar)
    heading = run.model_name if title is None else title
    return draw(panels, heading, _subtitle(run), path, show)


def plot_compare(
    runs: Mapping[str, Trajectory] | Sequence[Trajectory],
    column: str,
    *,
    distance: bool | None = None,
    file: str | PathLike[str] | None = None,
    show: bool = False,
    title: str | None = None,
) -> Figure:
    """The same column of several runs over each other and, below, how far each is from the first.

    `runs` maps the label of a run to it; a plain list is labelled by the methods. The panel of distances is drawn where
    all are runs of the same model; `distance=True` or `False` decides it. Runs with other times are compared on the
    times of the first, as far as both go, by cubic splines through their rows.

    >>> def pendulum(length):
    ...     return lw.gallery.pendulum.build(length=length)
    >>> runs = {f"{length} m": lw.simulate(pendulum(length), until=1.0, dt=0.01) for length in (0.5, 1.0)}
    >>> lw.plot_compare(runs, "pin.position", file="pendulums.png")  # doctest: +SKIP
    """
    path = None if file is None else check_path(file, SUFFIXES)
    labelled = dict(runs) if isinstance(runs, Mapping) else _labelled(runs)
    if len(labelled) < 2:
        raise OptionError("plot_compare needs at least two runs")
    parts = {name: _components(run, column) for name, run in labelled.items()}
    reference = next(iter(labelled))
    if len({len(part) for part in parts.values()}) > 1:
        raise OptionError(f"column {column!r} does not have the same shape in all runs")
    panels = []
    for k, (label, unit, _) in enumerate(parts[reference]):
        last = label.removeprefix(column).lstrip(".")
        panel = PlotPanel(f"{last} {_axis_label(unit)}".strip())
        panel.lines = [(name, run.time, parts[name][k][2]) for name, run in labelled.items()]
        panels.append(panel)
    if distance is None:
        distance = len({run.certificate.model_hash for run in labelled.values()}) == 1
    if distance:
        panels.append(_distances(labelled, parts))
    # one colour per run in every panel: the first is not in the last one
    places = {name: k for k, name in enumerate(labelled)}
    return draw(panels, title or f"{labelled[reference].model_name}: {column}", "", path, show, places)


def _distances(runs: dict[str, Trajectory], parts: dict[str, list[tuple[str, str, NDArray[Any]]]]) -> PlotPanel:
    """How far each run is from the first, in its component that is farthest off."""
    panel = PlotPanel("distance from the first", logarithmic=True)
    reference, *others = runs
    time = runs[reference].time
    for name in others:
        shared = time[(time >= runs[name].time[0]) & (time <= runs[name].time[-1])]
        inside = np.isin(time, shared)
        gaps = [
            np.abs(_between(runs[name].time, mine, shared) - first[inside])
            for (_, _, mine), (_, _, first) in zip(parts[name], parts[reference], strict=True)
        ]
        panel.lines.append((name, shared, np.max(gaps, axis=0)))
    return panel


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
        PlotPanel(label, logarithmic, lines=[(name, time, values) for name, (time, values) in lines.items()])
        for label, lines in panels.items()
    ]
    names = dict.fromkeys(name for panel in made for name, _, _ in panel.lines)
    shared = len(names) < sum(len(panel.lines) for panel in made)
    places = {name: k for k, name in enumerate(names)} if shared else None
    return draw(made, title, note, path, show, places)


# --- what goes where --------------------------------------------------------------------------------------


def _default(run: Trajectory) -> tuple[str, ...]:
    angles = [name for name in run.names if name.endswith(".position") and run.columns[name].ndim == 1]
    return tuple(angles[:12]) or ("energy",)


def _panels(run: Trajectory, columns: Iterable[str]) -> list[PlotPanel]:
    by_unit: dict[str, PlotPanel] = {}
    ledgers: list[PlotPanel] = []
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
            for label, unit, values in _told_components(run, name, by_unit):
                by_unit[unit].lines.append((label, run.time, values))
    return _finished([*by_unit.values(), *ledgers])


def _panels_over(run: Trajectory, columns: Iterable[str], x: str, polar: bool) -> list[PlotPanel]:
    """Columns over another one."""
    names = [name for wanted in dict.fromkeys(columns) for name in run.matching(wanted)]
    if not names:
        raise OptionError(f'name what to draw over {x!r}, as in run.plot("piston.reaction.fx", x={x!r})')
    across = run.components(x)
    if len(across) != 1:
        choice = ", ".join(label for label, _, _ in across)
        raise OptionError(f"{x!r} has {len(across)} components; take one of them as x: {choice}")
    label, unit, places = across[0]
    if polar and unit != "rad":
        raise OptionError(f"polar=True draws over an angle, and {x!r} is in {unit or 'no unit'}; leave polar out")
    by_unit: dict[str, PlotPanel] = {}
    for name in names:
        for told, its, values in _told_components(run, name, by_unit):
            by_unit[its].lines.append((told, places, values))
    for its_unit, panel in by_unit.items():
        panel.across = f"{label} {_in_brackets(unit)}".strip()
        panel.polar = polar
        panel.equal = (
            unit == "m" and its_unit == "m" and all(_is_place(told) for told, _, _ in panel.lines) and _is_place(label)
        )
    return _finished(list(by_unit.values()))


def _is_place(label: str) -> bool:
    """Whether a component is one of the position of a body, as "bob.position.x"."""
    return label.endswith((".position.x", ".position.y", ".position.z"))


def _told_components(run: Trajectory, name: str, by_unit: dict[str, PlotPanel]) -> list[tuple[str, str, NDArray[Any]]]:
    """Components of a column without those that are zero, which stand in the note of their panel."""
    parts = run.components(name)
    for _, unit, _ in parts:
        by_unit.setdefault(unit, PlotPanel(_axis_label(unit)))
    largest = max(float(np.nanmax(np.abs(values), initial=0.0)) for _, _, values in parts)
    empty = [np.all(np.abs(values) <= NOTHING * largest) for _, _, values in parts]
    if all(empty):
        return parts
    for (label, unit, _), zero in zip(parts, empty, strict=True):
        if zero:
            note = by_unit[unit].note
            by_unit[unit].note = f"{note}\n{label}" if note else f"zero throughout:\n{label}"
    return [part for part, zero in zip(parts, empty, strict=True) if not zero]


def _finished(panels: list[PlotPanel]) -> list[PlotPanel]:
    """Panels that have lines, with short labels; too many lines are refused."""
    for panel in panels:
        if not panel.lines and len(panels) > 1:  # of a vector whose components of this unit are all zero
            first = next(other for other in panels if other.lines)
            first.note = "\n".join([first.note, panel.note.partition("\n")[2]] if first.note else [panel.note])
    panels = [panel for panel in panels if panel.lines]
    count = sum(len(panel.lines) for panel in panels)
    if count > MOST_LINES:
        raise OptionError(f"that would draw {count} lines; name fewer columns ({MOST_LINES} lines at most)")
    for panel in panels:
        _shorten(panel)
    return panels


def _energy(run: Trajectory) -> list[PlotPanel]:
    if not run.energy:
        raise OptionError("this run has no energy ledger; record it to plot it")
    ledger = PlotPanel(_axis_label("J"))
    for name, values in run.energy.items():
        quiet = name in ("springs", "dissipated", "numerical", "impacts", "work") and not np.any(values)
        if name != "balance" and not quiet:
            ledger.lines.append((name, run.time, values))
    panels = [ledger]
    if "balance" in run.energy:
        panels.append(PlotPanel("energy balance [J]", named=True, lines=[("balance", run.time, run.energy["balance"])]))
    return panels


def _drift(run: Trajectory) -> PlotPanel:
    if not run.drift:
        raise OptionError("this run has no record of its drift")
    units = {"position": "position [m, rad]", "velocity": "velocity [m/s, rad/s]"}
    lines = [(units.get(name, name), run.time, values) for name, values in run.drift.items()]
    return PlotPanel("drift of loops", logarithmic=True, lines=lines)


def _iterations(run: Trajectory) -> list[PlotPanel]:
    """What the method needed in each step: iterations or sweeps, and the residual they left."""
    counts = [name for name in ("iterations", "sweeps") if name in run.solver]
    if not counts:
        raise OptionError(
            f"method {run.certificate.method!r} does not iterate, so there is nothing to plot; run it with 'hybrid', "
            "'semi-recursive' or 'impulse', or leave \"iterations\" out"
        )
    panels = [PlotPanel(f"{counts[0]} a step", named=True, lines=[(counts[0], run.time, run.solver[counts[0]])])]
    if "residual" in run.solver:
        lines = [("residual", run.time, run.solver["residual"])]
        panels.append(PlotPanel("residual", logarithmic=True, named=True, lines=lines))
    return panels


def _phase(run: Trajectory) -> list[PlotPanel]:
    """Velocity over position of each joint of one coordinate, one panel per unit."""
    by_unit: dict[str, PlotPanel] = {}
    for name in run.names:
        joint, _, word = name.rpartition(".")
        speed = f"{joint}.velocity"
        if word != "position" or run.columns[name].ndim != 1 or speed not in run or run[speed].ndim != 1:
            continue
        unit = run.unit(name)
        panel = by_unit.setdefault(unit, PlotPanel(_axis_label(run.unit(speed)), across=_axis_label(unit)))
        panel.lines.append((joint, run[name], run[speed]))
    if not by_unit:
        raise OptionError("this run has no joint with a position and a velocity; record both to plot its phase")
    return list(by_unit.values())


def _shorten(panel: PlotPanel) -> None:
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
