"""All that is wrong with a model file, each with its line, reported at once."""

from __future__ import annotations

from typing import NamedTuple

from linkwork.errors import ModelError
from linkwork.formats.model_file import lines
from linkwork.formats.model_file.document import Document

SHOWN = 30
MOST = 200  # then reading ends
LONGEST = 600  # letters of one; the middle of more is left out


class Problem(NamedTuple):
    """One thing that is wrong."""

    file: str
    line: int
    told: str


class Problems:
    """What is wrong, collected while the file is read."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[Problem] = []

    def add(self, document: Document, place: lines.Path, told: str) -> None:
        """Something is wrong at a place of a file."""
        words = " ".join(told.split())
        if len(words) > LONGEST:  # what to do is said at the end
            words = f"{words[: LONGEST // 2]} ... {words[-LONGEST // 2 :]}"
        entry = Problem(document.path.name, document.line(place), words)
        if words and entry not in self.found:
            self.found.append(entry)
        if len(self.found) >= MOST:
            self.refuse()

    def refuse(self) -> None:
        """Raise with all of them, in the order of the lines."""
        if not self.found:
            return
        first = [entry for entry in self.found if entry.file == self.file]
        entries = [
            *sorted(first, key=lambda entry: entry.line),
            *(entry for entry in self.found if entry.file != self.file),
        ]
        told = [
            f"{'' if entry.file == self.file else f'{entry.file}: '}line {entry.line}: {entry.told}"
            for entry in entries
        ]
        if len(told) == 1:
            raise ModelError(f"{self.file}: {told[0]}")
        more = [f"and {len(told) - SHOWN} more"] if len(told) > SHOWN else []
        raise ModelError("\n  ".join([f"{self.file}: {len(told)} errors", *told[:SHOWN], *more]))
