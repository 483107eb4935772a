"""`linkwork check`, `compare`, `modes` and `bench`: what there is, and what to think of it."""

from __future__ import annotations

from typing import Annotated

import typer

from linkwork.cli.app import AsJson, ModelName, Reading, Settings, WholeReceipt, app
from linkwork.cli.console import FAILED, print_json, speaking, stdout_kept_clean
from linkwork.cli.running import options_of_methods, target_of
from linkwork.errors import OptionError


@app.command()
def check(
    model: ModelName,
    setting: Settings = None,
    reading: Reading = None,
    receipt: WholeReceipt = False,
    as_json: AsJson = False,
) -> None:
    """Check a model before you run it: degrees of freedom, loops, redundant rows, cuts, mass."""
    with speaking(as_json):
        import linkwork as lw

        with stdout_kept_clean(as_json):
            target = target_of(model, setting, reading, whole_receipt=receipt)
            report = lw.check(target.model)
        if as_json:
            print_json({"model": target.model.name, **report.as_dict()})
        else:
            for line in report.lines():
                hint = line.startswith("hint: ")
                typer.echo(typer.style(line, fg=typer.colors.YELLOW) if hint else line)


@app.command()
def compare(
    model: ModelName,
    method: Annotated[
        list[str] | None, typer.Option(help="A method to compare. By default all that support the model. Repeatable.")
    ] = None,
    until: Annotated[float | None, typer.Option(help="End of the runs, s.")] = None,
    dt: Annotated[
        float | None, typer.Option(help="Step size, s. It is halved twice to estimate the error of each method.")
    ] = None,
    matched: Annotated[
        str, typer.Option(help="dt: all methods take the same step; cost: all take the same time.")
    ] = "dt",
    ignore: Annotated[
        list[str] | None,
        typer.Option(help="A feature of the model that methods may leave out, such as friction. Repeatable."),
    ] = None,
    setting: Settings = None,
    reading: Reading = None,
    receipt: WholeReceipt = False,
    plot: Annotated[str | None, typer.Option(metavar="FILE.png", help="Plot the distances (png, svg, pdf).")] = None,
    as_json: AsJson = False,
) -> None:
    """Run every method on one model and report whether they agree. The exit code is 1 unless they do."""
    with speaking(as_json):
        import linkwork as lw
        from linkwork.simulation.storage.files import check_path

        if plot is not None:
            check_path(plot, (".png", ".svg", ".pdf"))
        with stdout_kept_clean(as_json):
            target = target_of(model, setting, reading, whole_receipt=receipt)
            end = until if until is not None else target.until
            if end is None:
                raise OptionError(f"{model} does not say how long to run; give --until SECONDS")
            found = lw.compare(
                target.model,
                until=end,
                methods=method or None,
                dt=dt if dt is not None else target.options.get("dt", 1e-3),
                matched=matched,
                start=target.options.get("start"),
                ignore=tuple(ignore or target.options.get("ignore", ())),
                options=options_of_methods(target),
            )
            if plot is not None:
                found.plot(plot)
        if as_json:
            print_json(found.as_dict())
        else:
            typer.echo("\n".join(found.lines()))
            if plot is not None:
                typer.echo(f"plot     {plot}")
    if not found.agree:
        raise typer.Exit(FAILED)


@app.command()
def modes(
    model: ModelName,
    at: Annotated[str, typer.Option(help="equilibrium, found and at rest; or start, the model's start values.")] = (
        "equilibrium"
    ),
    setting: Settings = None,
    reading: Reading = None,
    plot: Annotated[str | None, typer.Option(metavar="FILE.png", help="Plot the modes (png, svg, pdf).")] = None,
    out: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A page of all modes (html), a film of one (gif, mp4), or a table (csv)."),
    ] = None,
    mode: Annotated[int | None, typer.Option(help="Which mode to film, or to show first: its number.")] = None,
    view: Annotated[bool, typer.Option("--view", help="Show the modes in a browser.")] = False,
    as_json: AsJson = False,
) -> None:
    """Natural frequencies, damping, and which bodies move: small motions about a position of rest."""
    with speaking(as_json):
        import linkwork as lw
        from linkwork.simulation.storage.files import check_path

        with stdout_kept_clean(as_json):
            linear = lw.linearise(target_of(model, setting, reading).model, at=at)
            found = linear.modes()
            if plot is not None:
                found.plot(plot)
            if out is not None:
                ending = check_path(out, (".html", ".htm", ".gif", ".mp4", ".csv")).suffix.lower()
                if ending == ".csv":
                    found.to_csv(out)
                else:
                    (found.replay if ending in (".html", ".htm") else found.animate)(out, mode)
        if as_json:
            print_json({**found.as_dict(), "about": linear.about})
        else:
            typer.echo(str(linear))
            typer.echo(str(found))
            for word, file in (("plot", plot), ("written", out)):
                if file is not None:
                    typer.echo(f"{word:<8} {file}")
        if view:
            found.view(mode)


@app.command()
def bench(
    scenes: Annotated[
        list[str] | None, typer.Argument(metavar="[SCENE]...", help="Scenes to measure. By default all.")
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer repetitions, less accurate figures.")] = False,
    page: Annotated[str | None, typer.Option("--page", metavar="FILE", help="Write an HTML page with charts.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure the speed of linkwork beside the other engines that are installed."""
    with speaking(as_json):
        from linkwork import bench as benchmarks

        status = benchmarks.run(scenes=scenes or [], as_json=as_json, quick=quick, page=page)
    raise typer.Exit(status)
