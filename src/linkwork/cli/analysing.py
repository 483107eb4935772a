"""`linkwork modes`: natural frequencies of a model."""

from __future__ import annotations

from typing import Annotated

import typer

from linkwork.cli.app import AsJson, ModelName, Reading, Settings, app
from linkwork.cli.console import print_json, speaking, stdout_kept_clean
from linkwork.cli.running import target_of


@app.command()
def modes(
    model: ModelName,
    at: Annotated[str, typer.Option(help="equilibrium, found and at rest; or start, the model's start values.")] = (
        "equilibrium"
    ),
    setting: Settings = None,
    reading: Reading = None,
    plot: Annotated[str | None, typer.Option(metavar="FILE.png", help="Plot the modes (png, svg, pdf).")] = None,
    as_json: AsJson = False,
) -> None:
    """Natural frequencies, damping, and which bodies move: small motions about a position of rest."""
    with speaking(as_json):
        import linkwork as lw

        with stdout_kept_clean(as_json):
            linear = lw.linearise(target_of(model, setting, reading).model, at=at)
            found = linear.modes()
            if plot is not None:
                found.plot(plot)
        if as_json:
            print_json({**found.as_dict(), "about": linear.about})
        else:
            typer.echo(str(linear))
            typer.echo(str(found))
            if plot is not None:
                typer.echo(f"plot     {plot}")
