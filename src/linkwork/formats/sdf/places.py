"""Where the files lie that an SDF file names: beside it, in given folders, in those of the environment."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import unquote

from linkwork.errors import OptionError
from linkwork.formats.sources import inside
from linkwork.model.checked import shown

VARIABLES = ("GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "SDF_PATH", "GAZEBO_MODEL_PATH")
Folders: TypeAlias = str | PathLike[str] | Sequence[str | PathLike[str]]
Packages: TypeAlias = Folders | Mapping[str, str | PathLike[str]]


class Places:
    """Finds files by their URI: model://name/path, package://name/path, file://path, or a path beside the file."""

    def __init__(self, path: Path, packages: Packages, allow: Folders) -> None:
        self.home = path.parent
        self.named: dict[str, Path] = {}
        if isinstance(packages, Mapping):
            self.named = dict(zip(packages, _paths(list(packages.values()), "packages"), strict=True))
        listed = [] if isinstance(packages, Mapping) else _paths(packages, "packages")
        told = [Path(word) for name in VARIABLES for word in os.environ.get(name, "").split(os.pathsep) if word]
        self.folders = [*listed, *told]
        self.allowed = [self.home, *self.named.values(), *self.folders, *_paths(allow, "allow")]

    def find(self, uri: str, beside: Path, what: str) -> Path | None:
        """The file or folder of a URI, or None where there is none; `what` names who asks."""
        kind, separator, rest = uri.partition("://")
        if not separator:
            return self._there(beside / uri, what)
        if kind == "file":
            return self._there(beside / unquote(rest), what)
        if kind not in ("model", "package"):
            return None
        name, _, inner = unquote(rest).partition("/")
        if not name or name in (".", ".."):
            return None
        if name in self.named:
            return self._there(self.named[name] / inner, what)
        for folder in (*self.folders, beside, self.home):
            found = self._there(folder / name / inner, what)
            if found is not None:
                return found
        return self._above(name, inner, what)

    def _above(self, name: str, inner: str, what: str) -> Path | None:
        """In a folder of this name around the file: a model names its own package."""
        for folder in self.home.resolve().parents[:-2]:
            if folder.name == name and (folder / inner).exists():
                return inside(folder / inner, [folder, *self.allowed], what)
        whole = self.home.resolve()
        return self._there(whole / inner, what) if whole.name == name else None

    def _there(self, path: Path, what: str) -> Path | None:
        """The path where there is something, inside an allowed folder."""
        try:
            there = path.exists()
        except (OSError, ValueError):
            there = False
        return inside(path, self.allowed, what) if there else None


def _paths(given: Any, option: str) -> list[Path]:
    """Folders from one or several paths."""
    try:
        return [Path(each) for each in ([given] if isinstance(given, (str, PathLike)) else given)]
    except TypeError:
        raise OptionError(f"{option}={shown(given)} must be folders; give a path or a list of paths") from None
