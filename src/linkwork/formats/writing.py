"""Models to files: `model.write` finds the writer by the file's name."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

from linkwork.errors import ModelError, OptionError
from linkwork.formats.receipt import Receipt
from linkwork.model import checked
from linkwork.model.subsystem import Model
from linkwork.simulation.storage.files import write_file

# endings, and where the function for them lives: (model, path, receipt, **options) -> the texts by their paths
WRITERS = {
    ".urdf": "linkwork.formats.urdf.writer:write_urdf",
    ".xml": "linkwork.formats.mjcf.writer:write_mjcf",
    ".mjcf": "linkwork.formats.mjcf.writer:write_mjcf",
    ".toml": "linkwork.formats.model_file.writer:write_model_file",
    ".json": "linkwork.formats.model_file.writer:write_model_file",
}


def write(model: Model, file: str | PathLike[str], *, lossy: bool = False, **options: Any) -> Receipt:
    """Write a model to a file, with its meshes beside it, and return the receipt; see `Model.write`."""
    path = Path(file)
    ending = path.suffix.lower()
    if ending not in WRITERS:
        raise OptionError(f"{path.name}: models are not written to '{ending}'; give one of {', '.join(WRITERS)}")
    module, name = WRITERS[ending].split(":")
    writer: Callable[..., dict[Path, bytes]] = getattr(importlib.import_module(module), name)
    known = [item.name for item in inspect.signature(writer).parameters.values() if item.kind is item.KEYWORD_ONLY]
    try:
        checked.unknown_options(
            [each for each in options if each not in known], ["lossy", *known], f"write {path.name}"
        )
    except ModelError as error:
        raise OptionError(str(error)) from None
    receipt = Receipt(path.name)
    list_control(model, receipt)
    content = writer(model, path, receipt, **options)
    if not lossy:
        receipt.refuse_losses(
            f"{ending} files cannot say this; lossy=True writes the rest and lists this", "cannot be written"
        )
    for place, data in content.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        write_file(place, partial(_put, data))
    return receipt


def list_control(model: Model, receipt: Receipt) -> None:
    """Controllers, sensors and signals, which no file holds."""
    for part in (*model.all_controllers(), *model.all_sensors()):
        receipt.ignore(f"{part.word} '{part.path}'", told="what is sampled is not written; add it in Python")
    for container in model.walk():
        for name in container.signals:
            receipt.ignore(f"signal '{container.inner_path(name)}'", told="signals are not written; add it in Python")


def _put(data: bytes, stream: BinaryIO) -> None:
    stream.write(data)
