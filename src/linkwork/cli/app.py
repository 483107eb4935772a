"""The application, and the options that several commands have."""

from __future__ import annotations

from typing import Annotated

import typer

from linkwork._version import __version__

app = typer.Typer(
    help="Simulate mechanisms: rigid bodies, joints, closed loops, springs, contact.",
    epilog="Start with: linkwork gallery, then linkwork run pendulum --plot pendulum.png",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _models(incomplete: str) -> list[str]:
    """Completions of a model's name: gallery pieces and files."""
    from glob import escape, iglob

    from linkwork import gallery

    pieces = [name for name in gallery.names() if name.startswith(incomplete)]
    return pieces + sorted(iglob(f"{escape(incomplete)}*"))


ModelName = Annotated[
    str,
    typer.Argument(
        metavar="MODEL",
        help="A gallery name, a Python file with `model` or build(), or a model file (.urdf, .sdf, .xml, .step …).",
        autocompletion=_models,
    ),
]
Host = Annotated[str, typer.Option(help="Address of the page. If other machines can reach it, they need a token.")]
Port = Annotated[int, typer.Option(help="Port of the page. If it is taken, the next free one is used.")]
Token = Annotated[str | None, typer.Option(help="Token that visitors need. By default one is generated when needed.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else there.")]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="NAME=VALUE", help="A parameter of build() or of a .toml, such as links=100. Repeatable."
    ),
]
Reading = Annotated[
    list[str] | None,
    typer.Option(
        "--read",
        metavar="NAME=VALUE",
        help="An option of lw.read for a model file, such as base=floating or strict=false. Repeatable.",
    ),
]
WholeReceipt = Annotated[
    bool, typer.Option("--receipt", help="Print every line of the receipt of a model file, not only what is amiss.")
]


@app.callback(invoke_without_command=True)
def _front(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
) -> None:
    if version:
        typer.echo(f"linkwork {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
