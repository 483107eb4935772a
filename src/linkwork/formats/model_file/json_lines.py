"""Where things stand in a JSON file: the line of every key and of every item of a list."""

from __future__ import annotations

import json
import re
from typing import Any

from linkwork.formats.model_file.lines import Lines

TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)


def json_lines(text: str) -> Lines:
    """The line, from 1, of everything in a text that is JSON.

    >>> json_lines('{"body": [\\n {"name": "rod",\\n  "mass": 1}]}').line(("body", 0, "mass"))
    3
    """
    lines = Lines()
    path: list[Any] = []  # of what is being read; the last is a key, or the number of an item
    lists: list[bool] = []  # whether each open bracket is a list
    key_next = False
    line, at = 1, 0
    for token in TOKEN.finditer(text):
        line += text.count("\n", at, token.start())
        at = token.start()
        word = token[0]
        if word in "{[":
            if lists and lists[-1]:
                lines.note(tuple(path), line)
            lists.append(word == "[")
            path.append(0 if word == "[" else None)
            key_next = word == "{"
        elif word in "}]":
            lists.pop()
            path.pop()
            key_next = False
        elif word == ",":
            if lists[-1]:
                path[-1] += 1
            key_next = not lists[-1]
        elif word == ":":
            continue
        elif key_next:
            path[-1] = json.loads(word)
            lines.note(tuple(path), line)
            key_next = False
        elif lists and lists[-1]:  # an item; of a pair the line is that of its key
            lines.note(tuple(path), line)
    return lines
