"""Models to files: `model.write` finds the writer by the file's name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

from linkwork.errors import OptionError
from linkwork.formats.by_ending import load, refuse_unknown
from linkwork.formats.receipt import Receipt
from linkwork.model import PythonLaw
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
    writer: Callable[..., dict[Path, bytes]] = load(WRITERS[ending])
    refuse_unknown(writer, options, "lossy", f"write {path.name}")
    receipt = Receipt(path.name)
    list_control(model, receipt)
    if ending not in (".toml", ".json"):
        for touch in model.all_touch_sensors():
            receipt.ignore(f"touch sensor '{touch.path}'", told="it is not written; add it in Python", matters=False)
    with without_states(model, receipt):
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
    """Inputs, controllers, sensors and signals, which no file holds."""
    for part in (*model.all_controllers(), *model.all_sensors()):
        receipt.ignore(f"{part.word} '{part.path}'", told="what is sampled is not written; add it in Python")
    for each in model.all_inputs():
        receipt.ignore(f"input '{each.path}'", told="inputs of laws are not written; add it in Python")
    for container in model.walk():
        for name in container.signals:
            receipt.ignore(f"signal '{container.inner_path(name)}'", told="signals are not written; add it in Python")


@contextmanager
def without_states(model: Model, receipt: Receipt) -> Iterator[None]:
    """The model without torques and forces whose law has states, or sees those of others, and without these states."""
    kept = [(each, each.bodies, each.joints, each.forces) for each in model.walk()]
    for container, bodies, joints, forces in kept:
        laws = {name: getattr(force, "law", None) for name, force in forces.items()}
        lost = {name for name, law in laws.items() if isinstance(law, PythonLaw) and _of_states(law)}
        for name in lost:
            told = "laws with states, and those that see them, are not written; add it in Python"
            receipt.ignore(f"{forces[name].word} '{forces[name].path}'", told=told)
        container.bodies = {name: body for name, body in bodies.items() if not body.hidden}
        container.joints = {name: joint for name, joint in joints.items() if not joint.b.hidden}
        container.forces = {name: each for name, each in forces.items() if name not in lost and not each.hidden}
    try:
        yield
    finally:
        for container, bodies, joints, forces in kept:
            container.bodies, container.joints, container.forces = bodies, joints, forces


def _of_states(law: PythonLaw) -> bool:
    return bool(law.start) or any("state" in column.split(".") for column in law.sees)


def _put(data: bytes, stream: BinaryIO) -> None:
    stream.write(data)
