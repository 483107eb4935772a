"""Models to TOML and JSON files, which read back equal, to the last bit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from linkwork.errors import ModelError
from linkwork.formats.model_file.allowed_modules import AllowedModules
from linkwork.formats.model_file.beside import Beside, CannotSay
from linkwork.formats.model_file.building import VERSION
from linkwork.formats.model_file.document import LARGEST
from linkwork.formats.model_file.file_text import json_text, toml_text
from linkwork.formats.model_file.part_data import PartWriter
from linkwork.formats.model_file.value_data import Data, ValueWriter, place_keys
from linkwork.formats.receipt import Receipt
from linkwork.model.body import Part
from linkwork.model.container import Container
from linkwork.model.shapes.mesh import Mesh
from linkwork.model.subsystem import Model


def write_model_file(model: Model, path: Path, receipt: Receipt, *, modules: Sequence[str] = ()) -> dict[Path, bytes]:
    """The files that hold a model: one .toml or .json, with long tables and meshes in a folder beside it.

    `modules` lists modules whose compiled laws it may name, beside those of the gallery.
    """
    whole = model.built
    values = ValueWriter(Beside(path, _meshes(whole)), AllowedModules(modules))
    data: Data = {"linkwork": VERSION, "name": whole.name, "gravity": whole.gravity.tolist()}
    data |= content_data(whole, values, receipt)
    text = json_text(data) + "\n" if path.suffix.lower() == ".json" else toml_text(data)
    try:
        content = text.encode()
    except UnicodeEncodeError as error:
        raise ModelError(f"model '{whole.name}': a text in it cannot be written ({error.reason}); correct it") from None
    if len(content) > LARGEST:
        raise ModelError(
            f"model '{whole.name}': it takes {len(content) / 1e6:.0f} MB, more than the {LARGEST / 1e6:.0f} MB that a "
            "model file may have; write its subsystems as models of their own"
        )
    return {path: content, **values.beside.files}


def _meshes(model: Model) -> list[Mesh]:
    """All meshes of a model."""
    shapes = [body.shape for body in model.all_bodies()]
    for container in model.walk():
        shapes += [collider.shape for collider in container.colliders.values()]
        shapes += [visual.shape for visual in container.visuals.values()]
    return [shape for shape in shapes if isinstance(shape, Mesh)]


def content_data(container: Container, values: ValueWriter, receipt: Receipt) -> Data:
    """The parts of a container by section, inner subsystems last."""
    parts = PartWriter(container, values)
    ports = {name: parts.name(body) for name, body in container.ports.items()}
    moving = [ground for name, ground in container.grounds.items() if name != "ground"]
    sections: dict[str, list[Data]] = {
        "moving_ground": _all(moving, parts.moving_ground, receipt, needed=True),
        "body": _all(container.bodies.values(), parts.body, receipt, needed=True),
        "joint": _all(container.joints.values(), parts.joint, receipt, needed=True),
        "force": _all(container.forces.values(), parts.force, receipt),
        "drive": _all(container.drives.values(), parts.drive, receipt),
        "contact": _all(container.colliders.values(), parts.contact, receipt),
        "visual": _all(container.visuals.values(), parts.visual, receipt),
        "event": _all(container.events, parts.event, receipt),
    }
    sections["contact"] += _all(container.touch_sensors.values(), parts.touch_sensor, receipt)
    sections["contact"] += [{"kind": "no_contact", "a": parts.name(a), "b": parts.name(b)} for a, b in container.apart]
    sections["contact"] += [parts.pair(pair) for pair in container.pairs]
    sections["subsystem"] = [
        {"name": inner.name, **place_keys(inner.placement), **content_data(inner, values, receipt)}
        for inner in container.subsystems.values()
    ]
    found: Data = {"ports": ports} if ports else {}
    return found | {name: section for name, section in sections.items() if section}


def _all(parts: Iterable[Any], said: Callable[[Any], Data], receipt: Receipt, *, needed: bool = False) -> list[Data]:
    """The tables of parts; what files cannot say stands in the receipt, or raises where others need it."""
    tables = []
    for part in parts:
        if getattr(part, "hidden", False):
            continue  # it comes with another part
        try:
            tables.append(said(part))
        except CannotSay as reason:
            if needed:
                raise ModelError(f"{_told(part)}: {reason}") from None
            receipt.ignore(_told(part), "", str(reason))
        else:
            receipt.understand(_told(part))
    return tables


def _told(part: Part) -> str:
    told: str = getattr(part, "told", "") or f"{part.word} '{part.path}'"
    return told
