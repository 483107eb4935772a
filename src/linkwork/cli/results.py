"""The results of a run: files, plots, the summary and the JSON document."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from linkwork.errors import OptionError

if TYPE_CHECKING:
    from linkwork.simulation.results.trajectory import Trajectory
    from linkwork.targets import Target

DOUBTFUL = re.compile(r"POOR|GAVE|STOPPED|\d+ STEPS CUT SHORT")  # words of a certificate that are shown in red
PLOTTED_SETS = ("energy", "drift", "phase", "iterations")


def picture(text: str) -> tuple[str, tuple[str, ...]]:
    """Parse FILE.png or FILE.png=column,column. This is checked before the run, which may be long."""
    from importlib.util import find_spec

    from linkwork.model.names import split_list
    from linkwork.simulation.storage.files import check_path
    from linkwork.viewer.pictures.plots import SUFFIXES

    file, _, columns = text.partition("=")
    check_path(file, SUFFIXES)
    if find_spec("matplotlib") is None:
        raise OptionError('--plot needs matplotlib; install it with: pip install "linkwork[plot]"')
    return file, tuple(split_list(columns))


def table_columns(text: str | None, out: str | None) -> list[str] | None:
    """Parse COLUMN,COLUMN for a table. Without a table they are an error."""
    from linkwork.model.names import split_list

    if text is None:
        return None
    columns = split_list(text)
    if not columns:
        raise OptionError("--columns names no column; give --columns pin.position,rod.position.z, for example")
    if out is None or not out.lower().endswith(".csv"):
        raise OptionError("--columns chooses the columns of a table; give --out FILE.csv too")
    return columns


def check_columns(target: Target, columns: list[str], sets: tuple[str, ...] = PLOTTED_SETS) -> None:
    """Raise, before the run starts, for columns (or `sets` of columns) that it will not have."""
    if not columns:
        return
    import difflib

    from linkwork.assembly.assemble import assemble
    from linkwork.simulation.results.columns.all_columns import columns_of
    from linkwork.simulation.results.columns.column_names import ACCOUNTS, find_column, fitting
    from linkwork.simulation.results.columns.components import all_components, matching_components

    system = assemble(target.model)
    specs = columns_of(system)
    recorded, components = list(specs), all_components(specs.values())
    known = [*recorded, "time", *(each for each in ACCOUNTS if "." in each), *sets]
    for column in columns:
        found = column in known or find_column(column, recorded, lambda: system.body_names) is not None
        if not found and not fitting(column, known) and not matching_components(components, column):
            close = difflib.get_close_matches(column, known, n=3, cutoff=0.5)
            listed = ", ".join(recorded[:6]) + (" and more" if len(recorded) > 6 else "")
            remedy = "did you mean " + " or ".join(close) + "?" if close else f"it has energy, drift, {listed}"
            raise OptionError(f"{target.name} has no column {column!r} to {'plot' if sets else 'write'}; {remedy}")


def write(
    trajectory: Trajectory | None,
    target: Target,
    out: str | None,
    pictures: list[tuple[str, tuple[str, ...]]],
    chosen: list[str] | None = None,
) -> tuple[list[str], str | None]:
    """The files that were written, and the error of the first that was not."""
    files: list[str] = []
    if trajectory is None:
        return files, None
    if out is not None:
        save = trajectory.save if chosen is None else partial(trajectory.to_csv, columns=chosen)
        place, problem = (out, "") if out.lower().endswith(".h5") else written(save, out)
        files += [place] if place else []
        if problem:
            return files, problem + (f". The run is in {place} instead." if place else "")
    try:
        for file, columns in pictures:
            trajectory.plot(*(columns or target.plots), file=file)
            files.append(file)
    except OptionError as error:
        return files, str(error)
    return files, None


def written(save: Callable[[str], None], file: str) -> tuple[str | None, str]:
    """Where a file was saved, and the error. If the disk is full or read-only, another folder is used."""
    from tempfile import gettempdir

    elsewhere = str(Path(gettempdir()) / f"linkwork-{os.getpid()}-{Path(file).name}")
    problem = ""
    for place in (file, elsewhere):
        try:
            save(place)
        except OptionError as error:
            problem = problem or str(error).rstrip(".")
        else:
            return place, problem
    return None, problem


def print_summary(target: Target, trajectory: Trajectory, files: list[str]) -> None:
    made = trajectory.certificate
    head = f"{target.name}: {target.title}" if target.title else target.name
    typer.echo(typer.style(head, bold=True) + (f" ({target.paper})" if target.paper else ""))
    facts = []
    if made.degrees_of_freedom is not None:
        facts.append(_count(made.degrees_of_freedom, "degree of freedom", "degrees of freedom"))
    if made.loops is not None:
        facts.append(_count(made.loops, "loop", "loops"))
    samples = "samples" if any(file.lower().endswith(".h5") for file in files) else f"{len(trajectory)} samples"
    facts.append(f"{samples} of {len(trajectory.names)} columns recorded")
    _print_fact("model", ", ".join(facts))
    if made.reason:
        _print_fact("chosen", made.reason)
    typer.echo("certificate")
    for line in made.lines():
        word, _, fact = line.partition(" ")
        _print_fact("  " + word, DOUBTFUL.sub(_in_red, fact.lstrip()))
    if files:
        _print_fact("written", ", ".join(files))


def _in_red(found: re.Match[str]) -> str:
    return typer.style(found[0], fg=typer.colors.RED, bold=True)


def _print_fact(word: str, fact: str) -> None:
    typer.echo(typer.style(word.ljust(11), fg=typer.colors.CYAN) + fact)


def document_of(target: Target, trajectory: Trajectory, files: list[str]) -> dict[str, Any]:
    """What --json prints of a run: the certificate and the last sample of every column."""
    last = {name: trajectory[name][-1].tolist() for name in trajectory.names} if len(trajectory) else {}
    return {
        "model": trajectory.model_name,
        "title": target.title,
        "paper": target.paper,
        "time": float(trajectory.time[-1]) if len(trajectory) else None,
        "rows": len(trajectory),
        "stopped": trajectory.stopped,
        "doubts": trajectory.certificate.doubts(),
        "certificate": trajectory.certificate.as_dict(),
        "final": last,
        "energy": {name: float(values[-1]) for name, values in trajectory.energy.items() if len(values)},
        "units": {name: trajectory.unit(name) for name in trajectory.names},
        "files": files,
    }


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
