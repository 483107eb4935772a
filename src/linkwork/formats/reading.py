"""Models from files: `lw.read` finds the reader by the file's name."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any

from linkwork.errors import ModelError, OptionError
from linkwork.formats.by_ending import load, refuse_unknown
from linkwork.formats.receipt import Receipt
from linkwork.formats.sources import read_bytes
from linkwork.model.subsystem import Model

# endings, and where the function for them lives: (path, receipt, **options) -> Model
READERS = {
    ".urdf": "linkwork.formats.urdf.reader:read_urdf",
    ".sdf": "linkwork.formats.sdf.reader:read_sdf",
    ".world": "linkwork.formats.sdf.reader:read_sdf",
    ".mjcf": "linkwork.formats.mjcf.reader:read_mjcf",
    ".step": "linkwork.formats.step.reader:read_step",
    ".stp": "linkwork.formats.step.reader:read_step",
    ".toml": "linkwork.formats.model_file.reader:read_model_file",
    ".json": "linkwork.formats.model_file.reader:read_model_file",
}
ROOTS = {b"<robot": ".urdf", b"<sdf": ".sdf", b"<mujoco": ".mjcf"}  # of .xml files
OTHERS = {  # files that hold something else, and what to do with them
    ".xacro": "it holds macros of URDF; expand it first: xacro FILE > robot.urdf",
    ".py": "it is a program; run it, or give it to linkwork run",
    ".npz": "it holds a run or a state; give it to lw.load_run",
    ".h5": "it holds a run; give it to lw.load_run",
    ".fmu": "it is an FMU; give it to lw.FMU",
    **dict.fromkeys((".stl", ".obj", ".dae"), "it is a mesh and no model; give it to lw.Mesh as the shape of a body"),
}
LOOKED_AT = 65536  # bytes of an .xml file, in which its root stands


def read(file: str | PathLike[str], *, strict: bool = True, **options: Any) -> tuple[Model, Receipt]:
    """A model from a file, and a receipt: what was understood, approximated and ignored.

    The ending tells the format: .urdf, .sdf, .world, .mjcf, .xml (by its root element), .step and .stp, .toml and
    .json. A file that says something about motion which the model cannot hold is refused, with the lines;
    `strict=False` reads it and lists them in `receipt.lost`. `options` are those of the format; see the page "Import".

    >>> from pathlib import Path
    >>> _ = Path("arm.urdf").write_text(
    ...     "<robot name='arm'><link name='base'/><link name='rod'><inertial><mass value='2'/>"
    ...     "<inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    ...     "<joint name='pin' type='continuous'><parent link='base'/><child link='rod'/><axis xyz='0 1 0'/></joint>"
    ...     "</robot>"
    ... )
    >>> model, receipt = lw.read("arm.urdf")
    >>> model
    <Model 'arm': 1 body, 1 joint>
    """
    path = Path(file)
    reader = find_reader(path)
    refuse_unknown(reader, options, "strict", f"read {path.name}")
    receipt = Receipt(path.name)
    model = reader(path, receipt, **options)
    if strict:
        receipt.refuse_losses("strict=False reads the rest and lists this in the receipt")
    return model, receipt


def can_read(path: Path) -> bool:
    """Whether a file of this name holds a model that `read` reads."""
    return path.suffix.lower() in (*READERS, ".xml")


def find_reader(path: Path) -> Callable[..., Model]:
    """The reader for a file."""
    ending = path.suffix.lower()
    if ending == ".xml":
        ending = _kind_of_xml(path)
    if ending not in READERS:
        raise OptionError(f"{path.name}: {OTHERS.get(ending) or _unknown(ending)}")
    return load(READERS[ending])


def _kind_of_xml(path: Path) -> str:
    head = read_bytes(path, "a URDF, SDF or MJCF file")[:LOOKED_AT]
    if not head.strip():
        raise ModelError(f"{path.name}: it is empty; give a file with a model")
    found = {head.find(root): ending for root, ending in ROOTS.items() if root in head}
    if not found:
        raise ModelError(f"{path.name}: its root is neither <robot>, <sdf> nor <mujoco>; give a URDF, SDF or MJCF file")
    return found[min(found)]


def _unknown(ending: str) -> str:
    told = (
        f"models have no files with the ending '{ending}'"
        if ending
        else "its name has no ending, which tells the format"
    )
    return f"{told}; give one of {', '.join(READERS)} or .xml"
