"""NAME.joints.toml beside a STEP file: joints that somebody looked at, and the parts by which they are found again."""

from __future__ import annotations

import json
import re
import tomllib
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

import numpy as np

from linkwork.errors import ModelError
from linkwork.formats.sources import read_bytes
from linkwork.formats.step.part_matching import KnownPart, known_part
from linkwork.formats.step.suggestions import Suggestion
from linkwork.model import checked
from linkwork.model.frame import Frame
from linkwork.simulation.storage.files import write_file

if TYPE_CHECKING:
    from linkwork.formats.step.suggestions import Suggestions

VERSION = 1
LARGEST = 16 * 1024 * 1024  # bytes
KINDS = ("fixed", "revolute", "prismatic", "cylindrical", "screw", "universal", "ball", "planar", "free")
OPTIONS = ("position", "velocity", "limits", "friction", "damping", "stiffness", "rest", "pitch", "cut")
JOINT_KEYS = ("name", "kind", "a", "b", "at", "axis", "accept", "confidence", "faces", "reason", *OPTIONS)
PART_KEYS = ("name", "volume", "moments", "position", "rotation", "centre")
_TABLE = re.compile(r"\s*\[\[\s*(\w+)\s*\]\]")
_KEY = re.compile(r"\s*\"?(\w+)\"?\s*=")


class JointsFile:
    """What such a file says: joints with the lines they stand in, and known parts."""

    def __init__(self, path: Path, joints: list[tuple[Suggestion, int]], parts: list[KnownPart]) -> None:
        self.path, self.joints, self.parts = path, joints, parts


# --- writing --------------------------------------------------------------------------------------------------


def write_joints(suggestions: Suggestions, path: Path) -> Path:
    """Write suggestions; what stands in the file already stays as it is."""
    joints, parts = list(suggestions), [known_part(body) for body in suggestions.cad.bodies]
    if path.exists():
        old = read_joints(path)
        had = {frozenset((each.a, each.b)) for each, _ in old.joints}
        joints = [each for each in joints if frozenset((each.a, each.b)) not in had]
        same = {(part.name, part.volume, *part.moments) for part in old.parts}
        parts = [part for part in parts if (part.name, part.volume, *part.moments) not in same]
        text = path.read_text(encoding="utf-8").rstrip("\n") + "\n"
    else:
        text = _HEAD.format(file=suggestions.cad.file.name, version=VERSION)
    text += "".join(_joint_text(each) for each in joints) + "".join(_part_text(part) for part in parts)
    write_file(path, partial(_put, text.encode()))
    return path


_HEAD = """\
# Joints of {file}, suggested by geometry. Change kind and accept, add options (position, velocity, limits, friction,
# damping, stiffness) and joints of your own. Lengths in m, angles in rad; at and axis are in the world of the CAD file.
# The parts at the end are how they are found again after a new export: leave them as they are.
version = {version}
"""


def _put(data: bytes, stream: BinaryIO) -> None:
    stream.write(data)


def _joint_text(each: Suggestion) -> str:
    said: dict[str, Any] = {"name": each.name, "kind": each.kind, "a": each.a, "b": each.b}
    said |= {"at": each.at, "axis": each.axis, "accept": each.accept} | each.options
    said |= {"confidence": each.confidence, "reason": each.reason, "faces": list(each.faces[:8])}
    return _table("joint", said)


def _part_text(part: KnownPart) -> str:
    said = {"name": part.name, "volume": part.volume, "moments": part.moments, "position": part.world.position}
    return _table("part", said | {"rotation": part.world.rotation, "centre": part.centre})


def _table(name: str, said: dict[str, Any]) -> str:
    return f"\n[[{name}]]\n" + "".join(f"{key} = {_value(value)}\n" for key, value in said.items())


def _value(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(float(value))
    return f"[{', '.join(_value(each) for each in value)}]"


# --- reading --------------------------------------------------------------------------------------------------


def read_joints(path: Path) -> JointsFile:
    """Read and check such a file; errors name its line."""
    content = read_bytes(path, "a file of joints", LARGEST)
    try:
        text = content.decode("utf-8")
        said = tomllib.loads(text)
    except UnicodeDecodeError:
        raise ModelError(f"{path.name}: its text cannot be read; save it as UTF-8") from None
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ModelError(f"{path.name}: it is not TOML: {error}; correct the file") from None
    checker = _Checker(path.name, text)
    return JointsFile(path, *checker.read(said))


class _Checker:
    """Turns what a file says into joints and parts, and knows in which line each key stands."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.lines: dict[tuple[str, int, str], int] = {}
        table, counts = "", {"": 0}
        for number, line in enumerate(text.splitlines(), 1):
            head, key = _TABLE.match(line), _KEY.match(line)
            if head:
                table = head[1]
                counts[table] = counts.get(table, -1) + 1
                self.lines[table, counts[table], ""] = number
            elif key:
                self.lines.setdefault((table, counts[table], key[1]), number)

    def wrong(self, table: str, index: int, key: str, reason: str) -> NoReturn:
        line = self.lines.get((table, index, key), self.lines.get((table, index, ""), 1))
        raise ModelError(f"{self.file}, line {line}: {reason}")

    def read(self, said: dict[str, Any]) -> tuple[list[tuple[Suggestion, int]], list[KnownPart]]:
        self._keys(said, "", 0, ("version", "joint", "part"))
        version = said.get("version", VERSION)
        if version != VERSION:
            self.wrong("", 0, "version", f"version is {version!r}, but this linkwork reads {VERSION}; update linkwork")
        for table in ("joint", "part"):
            if not isinstance(said.get(table, []), list):
                self.wrong(table, 0, "", f"{table} must be a list of tables; write [[{table}]]")
        joints = [self._joint(each, k) for k, each in enumerate(said.get("joint", []))]
        parts = {part.name: part for part in (self._part(each, k) for k, each in enumerate(said.get("part", [])))}
        return joints, list(parts.values())

    def _keys(self, said: Any, table: str, index: int, known: tuple[str, ...]) -> None:
        if not isinstance(said, dict):
            self.wrong(table, index, "", f"[[{table}]] must hold keys and values; correct it")
        for key in said:
            if key not in known:
                hint = checked.did_you_mean(key, known) or f"; give one of {', '.join(known)}"
                self.wrong(table, index, key, f"unknown key '{str(key)[:40]}'{hint}")

    def _text(self, said: dict[str, Any], table: str, index: int, key: str) -> str:
        value = said.get(key)
        if not isinstance(value, str) or not value.strip():
            self.wrong(table, index, key, f'{key} must be a text; give {key} = "..."')
        return value

    def _numbers(self, said: dict[str, Any], table: str, index: int, key: str, count: int) -> np.ndarray:
        value = said.get(key)
        numbers = value if isinstance(value, list) and len(value) == count else [None]
        if not all(isinstance(x, (int, float)) and not isinstance(x, bool) and abs(x) < 1e9 for x in numbers):
            self.wrong(table, index, key, f"{key} must be {count} numbers; give {key} = [...]")
        return np.array(numbers, dtype=float)

    def _joint(self, said: dict[str, Any], k: int) -> tuple[Suggestion, int]:
        self._keys(said, "joint", k, JOINT_KEYS)
        kind = self._text(said, "joint", k, "kind")
        if kind not in KINDS:
            hint = checked.did_you_mean(kind, KINDS) or f"; give one of {', '.join(KINDS)}"
            self.wrong("joint", k, "kind", f"there is no joint of kind '{kind[:40]}'{hint}")
        a, b = (self._text(said, "joint", k, key) for key in "ab")
        name = self._text(said, "joint", k, "name") if "name" in said else f"{a} to {b}"
        at = self._numbers(said, "joint", k, "at", 3) if "at" in said or kind not in ("fixed", "free") else np.zeros(3)
        axis = self._axis(said, k, kind)
        accept = said.get("accept", True)
        if not isinstance(accept, bool):
            self.wrong("joint", k, "accept", "accept must be true or false; correct it")
        options = {key: said[key] for key in OPTIONS if key in said}
        confidence = said.get("confidence", 1.0)
        if isinstance(confidence, bool) or not isinstance(confidence, (int, float)):
            self.wrong("joint", k, "confidence", "confidence must be a number from 0 to 1; correct it")
        faces = tuple(str(each) for each in said.get("faces", [])) if isinstance(said.get("faces", []), list) else ()
        found = Suggestion(
            name, kind, a, b, at, axis, float(confidence), faces, str(said.get("reason", "")), accept, options
        )
        return found, self.lines.get(("joint", k, ""), 1)

    def _axis(self, said: dict[str, Any], k: int, kind: str) -> Any:
        if kind == "universal":
            pair = said.get("axis")
            if not isinstance(pair, list) or len(pair) != 2:
                self.wrong(
                    "joint", k, "axis", "axis of a universal joint must be two directions; give [[x, y, z], [x, y, z]]"
                )
            return np.array([self._numbers({"axis": each}, "joint", k, "axis", 3) for each in pair])
        if "axis" not in said and kind in ("fixed", "ball", "free"):
            return np.array([0.0, 0.0, 1.0])
        axis = self._numbers(said, "joint", k, "axis", 3)
        if not float(np.linalg.norm(axis)) > 1e-9:
            self.wrong("joint", k, "axis", "axis is zero; give a direction")
        return axis / np.linalg.norm(axis)

    def _part(self, said: dict[str, Any], k: int) -> KnownPart:
        self._keys(said, "part", k, PART_KEYS)
        name = self._text(said, "part", k, "name")
        volume = said.get("volume")
        if isinstance(volume, bool) or not isinstance(volume, (int, float)) or not volume > 0.0:
            self.wrong("part", k, "volume", "volume must be a positive number, in m3; correct it")
        moments, position, centre = (
            self._numbers(said, "part", k, key, 3) for key in ("moments", "position", "centre")
        )
        rotation = self._numbers(said, "part", k, "rotation", 4)
        if not 0.5 < float(np.linalg.norm(rotation)) < 2.0:
            self.wrong("part", k, "rotation", "rotation must be a unit quaternion; give w, x, y, z")
        line = self.lines.get(("part", k, ""), 1)
        return KnownPart(name, float(volume), moments, Frame(position, rotation), centre, f"{self.file}, line {line}")
