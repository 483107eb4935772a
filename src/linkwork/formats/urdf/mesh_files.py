"""Mesh files that a robot names: where they are, and what is in them, each opened once."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import unquote

from linkwork.errors import ModelError, OptionError
from linkwork.formats.sources import inside
from linkwork.model import Mesh
from linkwork.model.checked import shown

Folders: TypeAlias = Sequence[str | PathLike[str]]
Packages: TypeAlias = Mapping[str, str | PathLike[str]] | Folders | str | PathLike[str] | None

FAR = 5  # folders above the file in which a package is looked for


class MeshFiles:
    """Finds `package://name/path`, `file://` and plain paths; nothing outside the folders that may be read."""

    def __init__(self, robot: Path, packages: Packages, allow: Folders | str | PathLike[str]) -> None:
        self.robot = robot.absolute()
        self.allowed = [_folder(self.robot), *_paths(allow, "allow")]
        self.named: dict[str, Path] = {}
        self.places: list[Path] = []
        if isinstance(packages, Mapping):
            self.named = {str(name): Path(folder) for name, folder in packages.items()}
        elif packages is not None:
            self.places = _paths(packages, "packages")
        listed = os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep)
        self.places += [Path(place) for place in listed if place]
        prefixes = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
        self.places += [Path(place) / "share" for place in prefixes if place]
        self.roots: dict[str, Path | None] = {}
        self.read: dict[tuple[Path, tuple[float, ...]], Mesh] = {}

    def mesh(self, name: str, scale: tuple[float, ...], what: str) -> Mesh:
        """The mesh of a file; raises with the reason if there is none that can be read."""
        file = self.find(name, what)
        if (file, scale) not in self.read:
            factor = scale[0] if scale[0] == scale[1] == scale[2] and scale[0] > 0.0 else scale
            self.read[file, scale] = Mesh(file, factor)
        return self.read[file, scale]

    def find(self, name: str, what: str) -> Path:
        """The path of a file by the name that the robot gives it; `what` is for errors."""
        scheme, _, rest = name.partition("://")
        if not rest:
            return inside(self.robot.parent / name, self.allowed, what)
        if scheme == "file":
            return inside(Path(unquote(rest)), self.allowed, what)
        if scheme not in ("package", "model"):
            raise ModelError(f"{what}: '{name[:80]}' is not on this disk; give a file or package:// path")
        package, _, path = rest.lstrip("/").partition("/")
        if package not in self.roots:
            self.roots[package] = self._package(package)
        root = self.roots[package]
        if root is None:
            raise ModelError(
                f"{what}: the package '{package[:80]}' is neither in ROS_PACKAGE_PATH nor beside the file; give "
                f"packages={{'{package[:80]}': folder}}"
            )
        return inside(root / path, [root, *self.allowed], what)

    def _package(self, name: str) -> Path | None:
        """The folder of a package: as told, from the environment, or near the file."""
        if name in self.named:
            return self.named[name]
        if name in ("", ".", "..") or "\0" in name:
            return None
        near = [place for place in self.robot.parents if place != place.parent]
        candidates = [place if place.name == name else place / name for place in self.places]
        candidates += [place for place in near if place.name == name]
        candidates += [place / name for place in near[:FAR]]
        try:
            return next((place for place in candidates if place.is_dir()), None)
        except OSError:
            return None


def _paths(given: Any, option: str) -> list[Path]:
    values = [given] if isinstance(given, (str, PathLike)) else given
    try:
        return [Path(value) for value in values]
    except TypeError:
        raise OptionError(f"{option}={shown(given)} must be folders; give a path or a list of paths") from None


def _folder(robot: Path) -> Path:
    """The folder of the robot: that of its package, if it is in one, else its own."""
    near = [robot.parent, *robot.parent.parents][:FAR]
    return next((place for place in near if (place / "package.xml").is_file()), robot.parent)
