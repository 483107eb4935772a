"""Includes of SDF: files and folders of models that others name, opened once each, and only inside allowed folders."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from linkwork.errors import ModelError
from linkwork.formats.receipt import Receipt
from linkwork.formats.sdf.places import Places
from linkwork.formats.sdf.values import flag_of, text_of
from linkwork.formats.xml_tree import XmlElement, read_xml

MOST = 1000  # includes, those in included files too
DEEPEST = 30  # files that include one another
OLDEST, NEWEST = (1, 4), (1, 11)


@dataclass(eq=False)
class SdfFile:
    """One file: its root, its version, its folder, and how deep it is included."""

    path: Path
    root: XmlElement
    version: tuple[int, int]
    depth: int = 0

    def place(self, element: XmlElement) -> str:
        """Where an element stands, for receipts; the file is named where it is not the one that was asked for."""
        return f"{self.path.name}, {element.place}" if self.depth else element.place


class Included(NamedTuple):
    """A model and what is said where it is placed; `asker` is the element that has its pose."""

    element: XmlElement
    asker: XmlElement
    file: SdfFile
    name: str
    pose: XmlElement | None
    static: bool | None
    placement: str


class SdfLibrary:
    """Opens files; every file once."""

    def __init__(self, path: Path, places: Places, receipt: Receipt) -> None:
        self.places, self.receipt = places, receipt
        self.count = 0
        self.files: dict[Path, SdfFile] = {}
        self.main = self._open(path, 0)

    def _open(self, path: Path, depth: int) -> SdfFile:
        key = path.resolve()
        if key not in self.files:
            root = read_xml(path, "sdf", "an SDF file")
            self.files[key] = SdfFile(path, root, self._version(root), depth)
        return self.files[key]

    def _version(self, root: XmlElement) -> tuple[int, int]:
        text = root.get("version") or ""
        try:
            major, minor = (int(word) for word in text.split(".")[:2])
        except ValueError:
            root.wrong(f"its version is '{text[:40]}'; give one such as 1.9")
        if (major, minor) < OLDEST:
            root.wrong(f"version {text} is older than 1.4; convert it, for example by gz sdf -p")
        if (major, minor) > NEWEST:
            self.receipt.approximate(f"version {text}", root.place, "newer than this reader, read as 1.11")
        return major, minor

    def roots(self) -> Iterator[SdfFile]:
        """Every file that was opened."""
        return iter(self.files.values())

    def include(self, include: XmlElement, file: SdfFile) -> Included | None:
        """The model that an <include> names, or None where the receipt says why there is none."""
        self.count += 1
        if self.count > MOST:
            include.wrong(f"the file includes more than {MOST} models, with those in included files; correct it")
        if file.depth >= DEEPEST:
            include.wrong(f"more than {DEEPEST} files include one another; correct the circle")
        uri = text_of(include, "uri")
        place = file.place(include)
        path = self.places.find(uri, file.path.parent, f"{file.path.name}, {include.place}")
        if path is None:
            told = _not_found(uri)
            self.receipt.ignore(f"<include> of '{uri[:120]}'", place, told)
            include.read_whole()
            return None
        opened = self._open(self._model_file(path, include), file.depth + 1)
        models = opened.root.all("model")
        if len(models) != 1:
            kinds = ", ".join(sorted({child.tag for child in opened.root.children})[:5])
            matters = any(child.tag in ("model", "world") for child in opened.root.children)
            told = f"it holds {kinds or 'nothing'} and not one model"
            self.receipt.ignore(f"<include> of '{uri[:120]}'", place, told, matters=matters)
            include.read_whole()
            opened.root.read_whole()
            return None
        model = models[0]
        own_name = model.need("name")
        self.receipt.understand(f"<include> of '{uri[:120]}'", place, f"{opened.path.name}")
        pose = include.one("pose")
        placement = text_of(include, "placement_frame") or model.get("placement_frame", "") or ""
        own_pose = model.one("pose")
        if pose is not None and own_pose is not None:
            own_pose.read_whole()
        return Included(
            model,
            include,
            opened,
            text_of(include, "name") or own_name,
            own_pose if pose is None else pose,
            flag_of(include, "static") if include.one("static") is not None else None,
            placement,
        )

    def _model_file(self, path: Path, include: XmlElement) -> Path:
        """The file itself, or the one that the model.config of a folder names."""
        if not path.is_dir():
            return path
        config = path / "model.config"
        if not config.is_file():
            return path / "model.sdf"
        best: tuple[tuple[int, ...], str] = ((0,), "model.sdf")
        for entry in read_xml(config, "model", "a model.config").all("sdf"):
            words = (entry.get("version") or "1.0").split(".")
            version = tuple(int(word) for word in words if word.isdecimal() and len(word) < 9)
            if NEWEST >= version >= best[0]:
                best = (version, entry.text.strip() or "model.sdf")
        found = self.places.find(best[1], path, f"{config.name} of {path.name}")
        if found is None:
            raise ModelError(f"{include.file}, line {include.line}: the folder '{path.name}' has no '{best[1][:80]}'")
        return found


def _not_found(uri: str) -> str:
    """Why an <include> gives nothing, and what to do."""
    kind = uri.partition("://")[0] if "://" in uri else ""
    if kind in ("model", "package"):
        return "it lies in none of the folders that are known; give packages= the folder that holds it"
    if kind not in ("", "file"):
        return "files from the network are not fetched; download it, and name it by model:// or its path"
    return "there is no such file or folder; add it, or correct the uri"
