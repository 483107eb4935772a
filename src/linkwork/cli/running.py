"""A run of the command line: its model, its options, a progress bar, and the state that a failed run leaves."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from linkwork.cli.results import written
from linkwork.errors import ModelError, OptionError, RunError

if TYPE_CHECKING:
    from linkwork.formats.receipt import Receipt
    from linkwork.simulation.results.trajectory import Trajectory
    from linkwork.targets import Target

FOR_ALL = ("dt", "every", "start", "ignore", "strict", "record")  # options of a piece that are not of its method
KEYWORD = re.compile(r"\b(strict|repair|meshes|contact)=(True|False)\b")  # of lw.read, as messages give them
QUIET_SECONDS = 1.0  # a progress bar for anything shorter is only a flicker


def target_of(
    name: str,
    settings: list[str] | None,
    reading: list[str] | None = None,
    *,
    viewing: bool = False,
    whole_receipt: bool = False,
) -> Target:
    """The model that a command names. The receipt of a model file goes to stderr."""
    from linkwork.targets import find, parse_reading, parse_settings

    with options_for_keywords():
        target = find(name, parse_settings(settings or []), viewing=viewing, reading=parse_reading(reading or []))
    if target.receipt is not None:
        typer.echo(receipt_text(target.receipt, whole_receipt), err=True)
    return target


@contextlib.contextmanager
def options_for_keywords() -> Iterator[None]:
    """Errors of readers and writers name keywords of Python; here they name options of the command line."""
    try:
        yield
    except ModelError as error:
        told = str(error).replace("lossy=True", "--lossy")
        raise ModelError(KEYWORD.sub(lambda found: f"--read {found[1]}={found[2].lower()}", told)) from error


def receipt_text(receipt: Receipt, whole: bool) -> str:
    """A receipt in print: what was approximated and ignored, or the whole."""
    return receipt.details() if whole else str(receipt).replace("receipt.details()", "--receipt")


def options_of(target: Target, given: dict[str, Any]) -> dict[str, Any]:
    """Options of the piece, overridden by those of the command line."""
    said = {name: value for name, value in given.items() if value is not None}
    own = dict(target.options)
    if "method" in said and said["method"] != own.get("method"):
        own = {name: own[name] for name in ("dt", "start") if name in own}  # the rest belongs to the other method
    return own | said


def options_of_methods(target: Target) -> dict[str, dict[str, Any]]:
    """Options of the piece for single methods: for its own, or for every method that has such an option."""
    from dataclasses import fields

    from linkwork.simulation.methods import ALL

    own = {name: value for name, value in target.options.items() if name not in (*FOR_ALL, "method")}
    method = target.options.get("method", "auto")
    if method != "auto":
        return {method: own}
    known = {name: {each.name for each in fields(kind)} for name, kind in ALL.items()}
    return {name: {key: own[key] for key in own if key in has} for name, has in known.items()}


def bounds_of(strict: bool, given: list[str]) -> dict[str, float]:
    """The bounds of a run: the default ones if it is strict, overridden by the given ones."""
    from linkwork.simulation.results.judging.bounds import checked_bounds

    bounds = checked_bounds(strict)
    for text in given:
        name, _, number = text.partition("=")
        try:
            bounds |= checked_bounds({name.strip(): float(number)})
        except ValueError as error:
            if isinstance(error, OptionError):
                raise
            raise OptionError(f"--bound {text} is not NAME=NUMBER; write --bound energy=1e-6, for example") from None
    return bounds


def simulate(
    target: Target, until: float, options: dict[str, Any], out: str | None, whole: bool
) -> tuple[Trajectory | None, str | None]:
    """The run as far as it got, and why it stopped early. A long run is written to a file; `whole` reads it back."""
    import linkwork as lw

    progress = Progress(target.name, until) if sys.stderr.isatty() else None
    long = out is not None and out.lower().endswith(".h5")
    failure = None
    trajectory: Trajectory | None = None
    try:
        if long:
            lw.stream(target.model, out, until=until, progress=progress, **options)  # type: ignore[arg-type]
        else:
            trajectory = lw.simulate(target.model, until=until, progress=progress, **options)
    except RunError as error:
        trajectory, failure = error.run, str(error) + _keep_state(error, target, out)
    finally:
        if progress is not None:
            progress.close()
    if long:
        from linkwork.simulation.storage.stream import read_run

        trajectory = read_run(Path(str(out)), last=not whole)
    if failure is None and trajectory is not None and trajectory.stopped is not None:
        failure = f"the run of {target.name} stopped early: {trajectory.stopped}"
    return trajectory, failure


def _keep_state(error: RunError, target: Target, out: str | None) -> str:
    """Write the last good state beside the run. Returns the sentence that reports it."""
    if not error.has_state:  # it reached its end
        return ""
    file = str(Path(out).with_suffix(".last.npz")) if out else f"{Path(target.name).stem}.last.npz"
    place, problem = written(error.save_state, file)
    if place is None:
        return f" No state is kept to go on from: {problem}."
    return f" The last good state is in {place}: go on with --from {place}."


class Progress:
    """A progress bar on stderr for runs longer than a second. Called with the time reached, s."""

    def __init__(self, name: str, until: float) -> None:
        from time import monotonic

        self._clock = monotonic
        self._start = monotonic()
        self._name, self._until = name, until
        self._bar: Any = None

    def __call__(self, time: float, *_: Any) -> None:
        if self._bar is None:
            if self._clock() - self._start < QUIET_SECONDS:
                return
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self._bar = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                TextColumn("t = {task.completed:.4g} of {task.total:g} s"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(self._name, total=self._until)
        self._bar.update(self._task, completed=time)
        if time >= self._until:
            self.close()  # what is said from now on stands by itself

    def close(self) -> None:
        if self._bar is not None:
            self._bar.stop()
