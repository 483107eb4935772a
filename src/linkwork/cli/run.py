"""`linkwork run`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from linkwork.cli.app import AsJson, ModelName, Reading, Settings, WholeReceipt, app
from linkwork.cli.console import FAILED, need_websockets, print_json, say, speaking, stdout_kept_clean
from linkwork.cli.results import check_columns, document_of, picture, print_summary, table_columns, write
from linkwork.cli.running import bounds_of, options_of, simulate, target_of
from linkwork.errors import OptionError

if TYPE_CHECKING:
    from linkwork.simulation.results.trajectory import Trajectory
    from linkwork.targets import Target


@app.command()
def run(
    model: ModelName,
    method: Annotated[str | None, typer.Option(help="Method, such as recursive. auto chooses one.")] = None,
    until: Annotated[float | None, typer.Option(help="End of the run, s.")] = None,
    dt: Annotated[float | None, typer.Option(help="Step size, s.")] = None,
    integrator: Annotated[
        str | None, typer.Option(help="semi-implicit, rk2, rk4, abm4, trapezoidal or adaptive (with --rtol, --atol).")
    ] = None,
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance of the adaptive integrator.")] = None,
    atol: Annotated[float | None, typer.Option(help="Absolute tolerance of the adaptive integrator.")] = None,
    every: Annotated[int | None, typer.Option(help="Record every Nth step.")] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(help="A feature of the model the method may leave out, such as friction. Repeatable."),
    ] = None,
    setting: Settings = None,
    reading: Reading = None,
    receipt: WholeReceipt = False,
    out: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write the run to FILE.npz or .csv, or during a long run to .h5."),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(metavar="COLUMN,...", help="Columns to write to FILE.csv: names or patterns. By default all."),
    ] = None,
    resume: Annotated[
        str | None, typer.Option("--from", metavar="FILE", help="Continue from the state in FILE (.h5, .npz).")
    ] = None,
    plot: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE.png[=COLUMN,...]",
            help="Plot to a file (png, svg, pdf). Columns: names or patterns, energy, drift. Repeatable.",
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail if the certificate exceeds its bounds (energy, drift, ...).")
    ] = False,
    bound: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=NUMBER", help="A bound for --strict, such as energy=1e-6. Repeatable."),
    ] = None,
    view: Annotated[
        bool, typer.Option("--view", help="Show the run in the browser afterwards. Ctrl-C stops it.")
    ] = False,
    ranks: Annotated[
        str | None,
        typer.Option(
            metavar="COMPONENT=RANK,...", help="Components on other MPI ranks (under mpiexec). Rank 0 has the rest."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Simulate a model and print a short summary with its certificate."""
    if view:
        need_websockets()
    with speaking(as_json) as warned:
        if view and as_json:
            raise OptionError("--json prints one document and ends, --view goes on until Ctrl-C; give one of them")
        from linkwork.simulation.storage.files import check_path, refuse_same

        pictures, chosen = [picture(text) for text in plot or []], table_columns(columns, out)
        if out is not None:
            check_path(out, (".npz", ".csv", ".h5"))
            refuse_same(resume, out)
        with stdout_kept_clean(as_json):
            target = target_of(model, setting, reading, whole_receipt=receipt)
            given = {"method": method, "integrator": integrator, "dt": dt, "rtol": rtol, "atol": atol, "every": every}
            options = _options(target, given, resume)
            if ignore:
                options["ignore"] = tuple(ignore)
            if strict or bound:
                options["strict"] = bounds_of(strict, bound or [])
            end = until if until is not None else target.until
            if end is None:
                raise OptionError(f"{model} does not say how long to run; give --until SECONDS")
            check_columns(target, [column for _, drawn in pictures for column in drawn])
            check_columns(target, chosen or [], sets=())
            if ranks is not None:
                from linkwork.distribute.mpi import spread

                if not spread(target.model, ranks):
                    return
            trajectory, failure = simulate(target, end, options, out, whole=bool(pictures) or view)
        files, problem = write(trajectory, target, out, pictures, chosen)
        if as_json:
            print_json(_document(target, trajectory, files, failure, problem, warned))
        elif trajectory is not None:
            print_summary(target, trajectory, files)
    for sentence in (failure, problem):
        if sentence:
            say(sentence)
    if view and trajectory is not None:
        with speaking(False):
            trajectory.view(say=typer.echo)
    if failure and ranks is not None:
        from linkwork.distribute.mpi import abandon

        abandon()
    if failure or problem:
        raise typer.Exit(FAILED)


def _options(target: Target, given: dict[str, Any], resume: str | None) -> dict[str, Any]:
    """Options of the run from those of the command line; a run that goes on from a file keeps the file's method."""
    if resume is None:
        return options_of(target, given)
    every = given["every"] or target.options.get("every")
    kept = {"dt": given["dt"], "every": every, "method": given["method"] or None}
    return {"resume": resume} | {name: value for name, value in kept.items() if value is not None}


def _document(
    target: Target,
    trajectory: Trajectory | None,
    files: list[str],
    failure: str | None,
    problem: str | None,
    warned: list[str],
) -> dict[str, Any]:
    """What --json prints."""
    if trajectory is None:
        return {"error": {"kind": "RunError", "message": failure}}
    document = document_of(target, trajectory, files) | {"warnings": warned}
    if failure or problem:
        document["error"] = {"kind": "RunError" if failure else "OptionError", "message": failure or problem}
    return document
