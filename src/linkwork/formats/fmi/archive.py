"""The archive: an FMU is a zip file with the model description, binaries, resources, sources and a picture."""

from __future__ import annotations

import tempfile
import zipfile
from dataclasses import dataclass
from functools import partial
from html import escape
from pathlib import Path
from typing import Any, BinaryIO

from linkwork._kernels.targets import target
from linkwork.formats.fmi.binaries import fmi_library, kernel_libraries, source_files
from linkwork.formats.fmi.compiled_law_code import LawCode, laws_library
from linkwork.formats.fmi.exported_variables import ExportedVariable
from linkwork.formats.fmi.model_description import Description, build_description, terminals
from linkwork.formats.fmi.standard import PLATFORMS
from linkwork.simulation.storage.files import write_file

SAME_DATE = (1980, 1, 1, 0, 0, 0)  # of all members: equal models are equal files


@dataclass(frozen=True)
class Contents:
    """What goes into the archive."""

    description: Description
    variables: list[ExportedVariable]
    version: int
    model: bytes
    described: bytes
    laws: list[LawCode]
    entries: list[str]  # compiled functions that it calls
    systems: tuple[str, ...]
    levels: list[str] | None
    picture: Any  # the model to draw, or None


def write_archive(path: Path, contents: Contents) -> None:
    """Write the file, completely or not at all."""
    members = {"modelDescription.xml": contents.described, "resources/model.bin": contents.model}
    for system in contents.systems:
        members |= _binaries(contents, system)
    members |= {f"sources/{name}": data for name, data in source_files().items()}
    members["documentation/index.html"] = _page(contents)
    image = None if contents.picture is None else _picture(contents.picture)
    if image is not None:
        members["model.png" if contents.version == 2 else "terminalsAndIcons/icon.png"] = image
    if contents.version == 3:
        members["sources/buildDescription.xml"] = build_description(contents.description)
        members["terminalsAndIcons/terminalsAndIcons.xml"] = terminals(contents.variables, image is not None)
    write_file(path, partial(_write, members))


def _write(members: dict[str, bytes], stream: BinaryIO) -> None:
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, data in members.items():
            info = zipfile.ZipInfo(name, SAME_DATE)
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (0o755 if name.startswith("binaries/") else 0o644) << 16
            archive.writestr(info, data)


def _binaries(contents: Contents, system: str) -> dict[str, bytes]:
    """The functions of FMI, the kernels and compiled laws for a system."""
    folder = f"binaries/{PLATFORMS[system][contents.version - 2]}"
    suffix = target(system).suffix
    kernels = kernel_libraries(system, contents.levels, contents.entries)
    members = {f"{folder}/{contents.description.identifier}{suffix}": fmi_library(system).read_bytes()}
    members |= {f"{folder}/{file.name}": file.read_bytes() for file in kernels}
    if contents.laws:
        least = min(file.stem.partition(f"{system}-")[2] for file in kernels)
        members[f"{folder}/linkwork_laws{suffix}"] = laws_library(contents.laws, system, least)
    return members


def _picture(model: Any) -> bytes | None:
    """The mechanism at its start as a png; None where nothing here draws."""
    try:
        from linkwork.viewer.pictures.still import still
    except ImportError:
        return None
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.png"
        try:
            still(model, size=(4.0, 3.0), file=file)
        except ImportError:  # matplotlib is an extra
            return None
        return file.read_bytes()


def _page(contents: Contents) -> bytes:
    """A page that lists the variables."""
    rows = "".join(
        f"<tr><td>{escape(each.name)}<td>{each.causality}<td>{escape(each.unit)}<td>{escape(each.description)}"
        for each in contents.variables
    )
    given, name = contents.description, escape(contents.description.model_name)
    return (
        f"<!doctype html><meta charset=utf-8><title>{name}</title><h1>{name}</h1>"
        f"<p>{escape(given.text)}. SI units, radians; z is up. Inputs are held during a communication step.</p>"
        f"<table><tr><th>variable<th>causality<th>unit<th>meaning{rows}</table>\n"
    ).encode()
