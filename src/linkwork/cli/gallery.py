"""`linkwork gallery`: the mechanisms that come with linkwork."""

from __future__ import annotations

from typing import Annotated

import typer

from linkwork.cli.app import AsJson, app
from linkwork.cli.console import print_json, speaking


@app.command()
def gallery(
    name: Annotated[str | None, typer.Argument(help="The piece to describe. By default all are listed.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the mechanisms that come with linkwork, or describe one."""
    with speaking(as_json):
        from linkwork import gallery as pieces
        from linkwork.targets import parameters

        chosen = {each: pieces.piece(each) for each in ([name] if name else pieces.names())}
        if as_json:
            facts = [
                {"name": each, "title": piece.TITLE, "paper": piece.PAPER, "parameters": parameters(piece.build)}
                for each, piece in chosen.items()
            ]
            print_json(facts[0] if name else facts)
        elif name:
            piece = chosen[name]
            typer.echo(f"{typer.style(name, bold=True)}: {piece.TITLE} ({piece.PAPER})\n")
            if piece.__doc__:
                typer.echo(piece.__doc__.strip() + "\n")
            for option, default in parameters(piece.build).items():
                typer.echo(f"  --set {option}={default}")
            typer.echo(f"  linkwork run {name} --plot {name}.png")
        else:
            width = max((len(each) for each in chosen), default=0)
            for each, piece in chosen.items():
                typer.echo(f"{typer.style(each.ljust(width), bold=True)}  {piece.TITLE} ({piece.PAPER})")
