"""`linkwork export`: a model as an FMU."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from linkwork.cli.app import ModelName, Reading, Settings, app
from linkwork.cli.console import speaking
from linkwork.cli.running import options_of


@app.command()
def export(
    model: ModelName,
    file: Annotated[str, typer.Argument(metavar="FILE.fmu", help="The FMU to write.")],
    kind: Annotated[str, typer.Option(help="cs (co-simulation), me (model exchange) or both.")] = "cs",
    fmi: Annotated[int | None, typer.Option(help="Version of FMI: 2 or 3.")] = None,
    method: Annotated[str | None, typer.Option(help="Method to step with. By default that of the piece.")] = None,
    integrator: Annotated[str | None, typer.Option(help="Integrator of the method.")] = None,
    dt: Annotated[float | None, typer.Option(help="Length of a step, s.")] = None,
    inputs: Annotated[
        list[str] | None,
        typer.Option("--input", metavar="NAME", help="A force, torque or motor to set, or a pattern. Repeatable."),
    ] = None,
    outputs: Annotated[
        list[str] | None,
        typer.Option("--output", metavar="COLUMN", help="A column, or a pattern such as *.position. Repeatable."),
    ] = None,
    parameters: Annotated[
        list[str] | None,
        typer.Option(
            "--parameter", metavar="NAME", help="A number to set before a run: *.mass, gravity.z. Repeatable."
        ),
    ] = None,
    systems: Annotated[
        list[str] | None,
        typer.Option("--system", metavar="SYSTEM", help="linux-x86_64, win32-x86_64 … Repeatable."),
    ] = None,
    levels: Annotated[
        list[str] | None,
        typer.Option("--level", metavar="LEVEL", help="Level of CPU, such as x86-64-v3. Repeatable."),
    ] = None,
    no_picture: Annotated[bool, typer.Option("--no-picture", help="Write no picture of the model.")] = False,
    setting: Settings = None,
    reading: Reading = None,
) -> None:
    """Write a model as an FMU, which runs in every tool that speaks FMI, without Python.

    FILE.py:Class and PIECE:Class write a subsystem with its ports, sealed, for exact coupling in linkwork.
    """
    with speaking(False):
        import linkwork as lw
        from linkwork.targets import find, find_component, parse_reading, parse_settings

        chosen, settings = {"method": method, "integrator": integrator, "dt": dt}, parse_settings(setting or [])
        options: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
        what: Any
        if ":" in model:
            what = find_component(model, settings)()
        else:
            target = find(model, settings, reading=parse_reading(reading or []))
            what, options = target.model, options_of(target, chosen)
        for name in ("every", "record", "strict"):  # of recorded runs
            options.pop(name, None)
        given: dict[str, Any] = {"inputs": inputs, "outputs": outputs, "parameters": parameters}
        given |= {"systems": systems, "levels": levels, "kind": kind, "version": fmi}
        options |= {name: values for name, values in given.items() if values}
        path = lw.export_fmu(what, file, picture=not no_picture, **options)
        typer.echo(f"written {file}  {path.stat().st_size / 1e6:.2f} MB")
