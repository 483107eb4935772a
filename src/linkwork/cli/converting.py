"""`linkwork convert`: a model from one kind of file to another."""

from __future__ import annotations

from typing import Annotated

import typer

from linkwork.cli.app import ModelName, Reading, Settings, WholeReceipt, app
from linkwork.cli.console import speaking
from linkwork.cli.running import options_for_keywords, receipt_text
from linkwork.errors import OptionError


@app.command()
def convert(
    model: ModelName,
    file: Annotated[str, typer.Argument(metavar="FILE", help="FILE.toml, .json, .urdf or .xml (MuJoCo) to write.")],
    lossy: Annotated[
        bool, typer.Option("--lossy", help="Leave out what the file cannot say, and list it. By default it is refused.")
    ] = False,
    setting: Settings = None,
    reading: Reading = None,
    receipt: WholeReceipt = False,
) -> None:
    """Write a model to another kind of file, and print what was understood, approximated and left out."""
    with speaking(False):
        from pathlib import Path

        from linkwork.formats.writing import WRITERS
        from linkwork.simulation.storage.files import check_path
        from linkwork.targets import find, parse_reading, parse_settings

        path = check_path(file, tuple(WRITERS))
        if Path(model).exists() and path.exists() and path.samefile(model):
            raise OptionError(f"{file} is the file that is read; give another name to write to")
        with options_for_keywords():
            target = find(model, parse_settings(setting or []), reading=parse_reading(reading or []))
            if target.receipt is not None:
                typer.echo(receipt_text(target.receipt, receipt))
            written = target.model.write(path, lossy=lossy)
        typer.echo(receipt_text(written, receipt))
        typer.echo(f"written {file}")
