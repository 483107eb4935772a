"""Data as text: TOML and JSON with one part after the other, numbers to the last bit."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

WIDTH = 110  # columns that lines keep to where they can
BARE = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")


def toml_text(data: Mapping[str, Any]) -> str:
    """A container as TOML: its own keys, then its tables, then its lists of parts.

    >>> print(toml_text({"name": "arm", "body": [{"name": "rod", "com": [0.0, 0.1, 0.0]}]}))
    name = "arm"
    <BLANKLINE>
    [[body]]
    name = "rod"
    com = [0.0, 0.1, 0.0]
    <BLANKLINE>
    """
    return "\n".join(_toml_lines(data, "")) + "\n"


def _toml_lines(data: Mapping[str, Any], prefix: str) -> list[str]:
    lines = [f"{_key(key)} = {_value(value, True, 0)}" for key, value in data.items() if not _has_header(value)]
    for key, value in data.items():
        if isinstance(value, Mapping):
            lines += ["", f"[{prefix}{_key(key)}]"]
            lines += [f"{_key(name)} = {_value(each, True, 0)}" for name, each in value.items()]
    for key, value in data.items():
        if isinstance(value, list) and _has_header(value):
            for part in value:
                lines += ["", f"[[{prefix}{_key(key)}]]"]
                inner = _toml_lines(part, f"{prefix}{_key(key)}.") if key == "subsystem" else _part_lines(part)
                lines += inner
    return lines


def _part_lines(part: Mapping[str, Any]) -> list[str]:
    return [f"{_key(key)} = {_value(value, True, 0)}" for key, value in part.items()]


def _has_header(value: Any) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, list) and bool(value) and isinstance(value[0], Mapping))


def json_text(data: Mapping[str, Any]) -> str:
    """A container as JSON.

    >>> print(json_text({"name": "arm", "body": [{"name": "rod", "mass": 1.0}]}))
    {
      "name": "arm",
      "body": [
        {"name": "rod", "mass": 1.0}
      ]
    }
    """
    return _json_lines(data, 0)


def _json_lines(data: Mapping[str, Any], depth: int) -> str:
    blank = "  " * (depth + 1)
    entries = []
    for key, value in data.items():
        if isinstance(value, list) and _has_header(value):
            parts = [
                _json_lines(part, depth + 2) if key == "subsystem" else _value(part, False, depth + 2) for part in value
            ]
            inner = (",\n" + "  " * (depth + 2)).join(parts)
            entries.append(f"{_text(key)}: [\n{'  ' * (depth + 2)}{inner}\n{blank}]")
        else:
            entries.append(f"{_text(key)}: {_value(value, False, depth + 1)}")
    joined = (",\n" + blank).join(entries)
    return f"{{\n{blank}{joined}\n{'  ' * depth}}}"


def _value(value: Any, toml: bool, depth: int) -> str:
    """A value on one line, or a long list on several."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float):
        return _number(value, toml)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, Mapping):
        pairs = (
            f"{_key(key) if toml else _text(key)}{' = ' if toml else ': '}{_value(each, toml, depth + 1)}"
            for key, each in value.items()
        )
        return "{" + ", ".join(pairs) + "}"
    items = [_value(each, toml, depth + 1) for each in value]
    line = "[" + ", ".join(items) + "]"
    return line if len(line) <= WIDTH else _filled(items, "  " * (depth + 1))


def _filled(items: list[str], blank: str) -> str:
    """The items of a list on lines of some width."""
    lines = [blank + items[0]]
    for item in items[1:]:
        if len(lines[-1]) + len(item) + 2 <= WIDTH:
            lines[-1] += f", {item}"
        else:
            lines[-1] += ","
            lines.append(blank + item)
    return "\n".join(["[", *lines, blank[2:] + "]"])


def _number(value: float, toml: bool) -> str:
    if math.isinf(value):
        word = "inf" if value > 0.0 else "-inf"
        return word if toml else f'"{word}"'
    return repr(float(value))


def _key(key: str) -> str:
    return key if key and set(key) <= BARE else _text(key)


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
