"""Lines of a file by the way to what stands there: ("body", 0, "mass") -> 12."""

from __future__ import annotations

from typing import Any, TypeAlias

Path: TypeAlias = tuple[Any, ...]  # keys and numbers of items, from the whole file inwards
MOST = 300_000  # entries


class Lines:
    """The line of each key and item. What stands in the line of what holds it is not kept.

    >>> lines = Lines()
    >>> lines.note(("body",), 4)
    >>> lines.line(("body", 0, "mass"))
    4
    """

    def __init__(self) -> None:
        self._lines: dict[Path, int] = {(): 1}

    def note(self, path: Path, line: int) -> None:
        """Keep the line of something, the first that is told."""
        if path not in self._lines and len(self._lines) < MOST and self.line(path[:-1]) != line:
            self._lines[path] = line

    def keep(self, path: Path, line: int) -> None:
        """Keep the line of a table, also where others stand in it."""
        if len(self._lines) < MOST:
            self._lines.setdefault(path, line)

    def line(self, path: Path) -> int:
        """The line of something, or of what holds it."""
        while path not in self._lines:
            path = path[:-1]
        return self._lines[path]
