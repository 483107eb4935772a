"""One TOML or JSON file: its tables as Python data, and the line of everything in them."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any, NoReturn

from linkwork.errors import ModelError
from linkwork.formats.model_file import lines
from linkwork.formats.model_file.json_lines import json_lines
from linkwork.formats.model_file.toml_lines import toml_lines
from linkwork.formats.sources import read_bytes
from linkwork.model import checked

LARGEST = 8 * 1024 * 1024  # bytes of a model file; tables of numbers may stand in files beside it
# a key of so many parts that building its tables takes for ever
DEEP_KEY = re.compile(r"""(?<![\w\-"'])(?:[\w\-"']+[ \t]*\.[ \t]*){65}""")


class Document:
    """The content of one file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        content = read_bytes(path, "a model file", LARGEST)
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            line = content.count(b"\n", 0, error.start) + 1
            raise ModelError(f"{path.name}: line {line}: it is not text in UTF-8; save it in that encoding") from None
        is_json = path.suffix.lower() == ".json"
        try:
            self.data: dict[str, Any] = _from_json(text, path) if is_json else _from_toml(text, path)
        except RecursionError:
            raise ModelError(f"{path.name}: lists or tables stand too deep inside each other; correct it") from None
        self._lines = json_lines(text) if is_json else toml_lines(text)

    def line(self, place: lines.Path) -> int:
        """The line of a key or item, or of what holds it."""
        return self._lines.line(place)


def _from_toml(text: str, path: Path) -> dict[str, Any]:
    deep = DEEP_KEY.search(text)
    if deep:
        line = text.count("\n", 0, deep.start()) + 1
        raise ModelError(f"{path.name}: line {line}: a key has too many parts; correct it")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        told, line = _line_of(str(error), text)
        raise ModelError(f"{path.name}: line {line}: it is not TOML: {told}; correct it") from None
    except ValueError as error:  # a whole number of thousands of digits, a day that no month has
        raise ModelError(f"{path.name}: it is not TOML: {str(error)[:80]}; correct it") from None


def _line_of(message: str, text: str) -> tuple[str, int]:
    """What the parser says, and where."""
    found = re.search(r" \(at line (\d+), column \d+\)", message)
    told = " ".join(re.sub(r" \(at .*\)$", "", message).split())[:120]
    return told[:1].lower() + told[1:], int(found[1]) if found else text.count("\n") + 1


def _from_json(text: str, path: Path) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        table = dict(pairs)
        if len(table) < len(pairs):
            seen: set[str] = set()
            twice = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
            found = [each.start() for each in re.finditer(re.escape(json.dumps(twice)) + r"\s*:", text)]
            where = f"line {text.count(chr(10), 0, found[1]) + 1}: " if len(found) > 1 else ""
            raise ModelError(f"{path.name}: {where}the key {checked.shown(twice)} is given twice; remove one")
        return table

    def no_number(word: str) -> NoReturn:
        where = f"line {text.count(chr(10), 0, text.find(word)) + 1}: "
        raise ModelError(f'{path.name}: {where}{word} is no number of JSON; write "inf" in quotes where it is meant')

    try:
        data = json.loads(text, object_pairs_hook=once, parse_constant=no_number)
    except json.JSONDecodeError as error:
        raise ModelError(f"{path.name}: line {error.lineno}: it is not JSON: {error.msg}; correct it") from None
    except ValueError as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{path.name}: it is not JSON: {str(error)[:80]}; correct it") from None
    if not isinstance(data, dict):
        raise ModelError(f'{path.name}: it holds {checked.shown(data)} and no model; write {{"linkwork": 1, ...}}')
    return data
