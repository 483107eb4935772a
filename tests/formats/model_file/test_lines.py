"""The line of every key and table of a file."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from linkwork.formats.model_file.json_lines import json_lines
from linkwork.formats.model_file.toml_lines import toml_lines
from random_models import random_model

ODD = '''# all that TOML has
linkwork = 1
"a b".c = [1,
 2, {x = 1, y.z = [
 3]}]
[parameters]   # [[not a table]]
L = """
[[x]]
M = 3 """
d = 1979-05-27 07:32:00  # key = 3
'q"' = 'it is = [ "'
t = "quoted \\" = ["
[1.2]
one = -1.5e-3
[[body]]
name = 'r"[od'
shape = {kind = "box", size = [1,2,3]}
[[body]]
mass = 2.0
[[subsystem]]
[[subsystem.body]]
name="a"
[subsystem.ports]
x = "a"
[[subsystem.body]]
list = [
  1, # one
  "two",
  [ 3 ]
]
empty = []
last = {}'''


def test_a_file_with_all_that_toml_has() -> None:
    lines = toml_lines(ODD)
    for path, line in (
        (("linkwork",), 2), (("a b", "c"), 3), (("a b", "c", 1), 4), (("a b", "c", 2, "y", "z"), 4),
        (("a b", "c", 2, "y", "z", 0), 5), (("parameters",), 6), (("parameters", "L"), 7), (("parameters", "d"), 10),
        (("parameters", 'q"'), 11), (("parameters", "t"), 12), (("1", "2", "one"), 14), (("body", 0), 15),
        (("body", 0, "shape", "size", 1), 17), (("body", 1, "mass"), 19), (("subsystem", 0), 20),
        (("subsystem", 0, "body", 0), 21), (("subsystem", 0, "ports", "x"), 24), (("subsystem", 0, "body", 1), 25),
        (("subsystem", 0, "body", 1, "list", 1), 28), (("subsystem", 0, "body", 1, "list", 2, 0), 29),
        (("subsystem", 0, "body", 1, "last"), 32), (("nothing", "at", "all"), 1),
    ):  # fmt: skip
        assert lines.line(path) == line, path
    tomllib.loads(ODD)


def keys(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The ways to all keys of tables."""
    pairs = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in pairs:
        if isinstance(data, dict):
            yield (*path, key)
        yield from keys(value, (*path, key))


@pytest.mark.parametrize("ending", ["toml", "json"])
def test_every_key_is_in_its_line(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"machine.{ending}"
    for seed in range(5):
        random_model(seed).write(path)
        text = path.read_text()
        data, lines = (
            (tomllib.loads(text), toml_lines(text)) if ending == "toml" else (json.loads(text), json_lines(text))
        )
        rows = text.split("\n")
        found = list(keys(data))
        assert len(found) > 50
        for way in found:
            written = json.dumps(way[-1], ensure_ascii=False)[1:-1]  # quotes in a name have a backslash
            assert written in rows[lines.line(way) - 1], way


def test_odd_json() -> None:
    text = '{"a": [1,\n2, {"b":\n {}, "c\\u0041": [\n[], 3]}],\n "d": "\\"{"}'
    lines = json_lines(text)
    for path, line in ((("a", 0), 1), (("a", 2, "b"), 2), (("a", 2, "cA", 1), 4), (("d",), 5)):
        assert lines.line(path) == line, path
    assert json.loads(text)["a"][2]["cA"] == [[], 3]
