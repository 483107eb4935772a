"""Where things stand in a TOML file: the line of every key, table and item of a list. The text is known to be TOML."""

from __future__ import annotations

import re
import tomllib
from collections import deque
from collections.abc import Iterator
from typing import Any

from linkwork.formats.model_file.lines import Lines, Path

# alternatives inside a repetition would take memory for every letter: so runs of plain letters come first
TOKEN = re.compile(
    r"\[[\s\d.eE+\-]*,[\s\d.,eE+\-]*\]"  # a whole list of numbers, which need no lines of their own
    r'|"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*"""+'
    r"|\'\'\'.*?\'\'\'+"
    r'|"[^"\\\n]*(?:\\.[^"\\\n]*)*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*|\n|[\[\]{}=,.]"
    r"|[^\s\[\]{}=,.#\"']+",
    re.DOTALL,
)
OPENING, CLOSING = ("[", "{"), ("]", "}")


class TomlLines:
    """Reads the tokens of a TOML text and keeps the lines of what they name."""

    def __init__(self, text: str) -> None:
        self.lines = Lines()
        self._lists: dict[Path, int] = {}  # tables in each list of tables
        self._tokens = _tokens(text)
        self._ahead: deque[tuple[str, int]] = deque()
        table: Path = ()
        while word := self._word():
            if word == "\n":
                self._skip()
            elif word == "[":
                table = self._header()
            else:
                self._pair(table)

    def _word(self, ahead: int = 0) -> str:
        """The token at hand, or one after it; empty at the end."""
        while len(self._ahead) <= ahead:
            self._ahead.append(next(self._tokens, ("", 0)))
        return self._ahead[ahead][0]

    @property
    def _line(self) -> int:
        self._word()
        return self._ahead[0][1]

    def _skip(self, count: int = 1) -> None:
        for _ in range(count):
            self._word()
            self._ahead.popleft()

    def _header(self) -> Path:
        """A line [table] or [[list of tables]]; the path of the table."""
        line, several = self._line, self._word(1) == "["
        self._skip(1 + several)
        keys = self._keys()
        self._skip(1 + several)
        path: Path = ()
        for k, key in enumerate(keys):
            path = (*path, key)
            if several and k == len(keys) - 1:
                self._lists[path] = self._lists.get(path, -1) + 1
                path = (*path, self._lists[path])
            elif path in self._lists:
                path = (*path, self._lists[path])
        for cut in range(len(path), 0, -1):
            self.lines.keep(path[:cut], line)
        return path

    def _pair(self, table: Path) -> None:
        """key = value."""
        line, path = self._line, table
        for key in self._keys():
            path = (*path, key)
            self.lines.note(path, line)
        self._skip()
        self._value(path)

    def _keys(self) -> list[str]:
        """A key with dots, up to what follows it."""
        keys = []
        while (word := self._word()) not in ("=", "]", ""):
            self._skip()
            if word != ".":
                keys.append(_bare(word))
        return keys

    def _value(self, path: Path) -> None:
        """What stands behind =, or an item of a list. Lists and tables inside it wait on a stack, not on Python's."""
        open_ones: list[list[Any]] = []  # path, whether a list, number of the item
        waiting: Path | None = path
        while waiting is not None or open_ones:
            word, line = self._word(), self._line
            if not word or (word == "\n" and not open_ones):
                return
            if word in ("\n", ","):
                if word == "," and open_ones[-1][1]:
                    open_ones[-1][2] += 1
                self._skip()
                continue
            if word in CLOSING:
                open_ones.pop()
                self._skip()
                waiting = None
                continue
            if waiting is None:
                holder, is_list, number = open_ones[-1]
                if is_list:
                    waiting = (*holder, number)
                else:
                    waiting = holder
                    for key in self._keys():
                        waiting = (*waiting, key)
                        self.lines.note(waiting, line)
                    self._skip()  # =
                    continue
            self.lines.note(waiting, line)
            if word in OPENING:
                open_ones.append([waiting, word == "[", 0])
                self._skip()
            else:
                self._scalar()
            waiting = None

    def _scalar(self) -> None:
        """A number, a text, a date: all tokens of it."""
        while self._word() not in ("\n", ",", "", *CLOSING):
            self._skip()


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    """The words of the text with their lines, comments left out."""
    line, at = 1, 0
    for token in TOKEN.finditer(text):
        line += text.count("\n", at, token.start())
        at = token.start()
        if not token[0].startswith("#"):
            yield token[0], line


def _bare(word: str) -> str:
    """A key without its quotes."""
    return next(iter(tomllib.loads(f"{word} = 0"))) if word[0] in "\"'" else word


def toml_lines(text: str) -> Lines:
    """The line, from 1, of everything in a text that is TOML.

    >>> toml_lines('[[body]]\\nname = "rod"\\nmass = 1').line(("body", 0, "mass"))
    3
    """
    return TomlLines(text).lines
