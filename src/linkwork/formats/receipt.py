"""The receipt of a file: what was understood, what was approximated, what was ignored, each with its place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from linkwork.errors import ModelError

SHOWN = 12  # lines of one heading in print; the lists hold all
_VARYING = re.compile(r"'[^']*'|-?\d[\w.+-]*|, ")  # names, numbers and lists of them


def printable(text: str) -> str:
    """A text on one line: what breaks it or cannot be displayed becomes a blank.

    >>> printable("a\\nb")
    'a b'
    """
    return text if text.isprintable() else "".join(each if each.isprintable() else " " for each in text)


class ReceiptLine(NamedTuple):
    """One line of a receipt: what it is about, its place in the file, and what was made of it.

    `matters` is False for what is ignored and has no part in mechanics, such as a camera.
    """

    what: str
    place: str
    told: str
    matters: bool = True

    def __str__(self) -> str:
        place = f" ({self.place})" if self.place else ""
        return printable(f"{self.what}{place}{': ' if self.told else ''}{self.told}")


@dataclass
class Receipt:
    """What became of a file: `understood`, `approximated` and `ignored`, lists of lines with their places in it.

    Of what was ignored, `lost` are the lines that matter to the motion. `lw.read` refuses a file that has such lines,
    unless you give `strict=False`.

    >>> receipt = Receipt("robot.urdf")
    >>> receipt.understand("joint 'elbow'", "line 12", "revolute")
    >>> receipt.ignore("<gazebo>", "line 40", "speaks to another simulator", matters=False)
    >>> print(receipt)
    robot.urdf: 1 understood, 0 approximated, 1 ignored
    ignored:
      <gazebo> (line 40): speaks to another simulator
    """

    file: str
    understood: list[ReceiptLine] = field(default_factory=list)
    approximated: list[ReceiptLine] = field(default_factory=list)
    ignored: list[ReceiptLine] = field(default_factory=list)

    def understand(self, what: str, place: str = "", told: str = "") -> None:
        """Something has an exact counterpart in the model."""
        self.understood.append(ReceiptLine(what, place, told))

    def approximate(self, what: str, place: str = "", told: str = "") -> None:
        """Something stands in the model as nearly as it can; `told` says how it differs."""
        self.approximated.append(ReceiptLine(what, place, told))

    def ignore(self, what: str, place: str = "", told: str = "", *, matters: bool = True) -> None:
        """Something is not in the model. What has no part in mechanics does not matter."""
        self.ignored.append(ReceiptLine(what, place, told, matters))

    @property
    def lost(self) -> list[ReceiptLine]:
        """What was ignored and matters to the motion."""
        return [entry for entry in self.ignored if entry.matters]

    def refuse_losses(self, remedy: str, told: str = "not understood") -> None:
        """Raise where something that matters was ignored; `remedy` ends the sentence."""
        if self.lost:
            first, *others = _groups(self.lost)
            told_first = "; ".join(_joined(each) for each in (first, *others[:2]))
            more = f"; and {sum(map(len, others[2:]))} more" if len(others) > 2 else ""
            raise ModelError(f"{self.file}: {told}: {told_first}{more}; {remedy}")

    def __str__(self) -> str:
        counts = ", ".join(f"{len(entries)} {word}" for word, entries in self._headings())
        lines = [f"{self.file}: {counts}"]
        for word, entries in self._headings()[1:]:
            if entries:
                lines += [f"{word}:", *(f"  {line}" for line in _listed(entries))]
        return "\n".join(lines)

    def details(self) -> str:
        """All lines under all headings, those understood too."""
        lines = [f"{self.file}"]
        for word, entries in self._headings():
            lines += [f"{word}: {len(entries)}", *(f"  {entry}" for entry in entries)]
        return "\n".join(lines)

    def _headings(self) -> list[tuple[str, list[ReceiptLine]]]:
        return [("understood", self.understood), ("approximated", self.approximated), ("ignored", self.ignored)]


def _groups(entries: Sequence[ReceiptLine]) -> list[list[ReceiptLine]]:
    """Those together that differ in names and numbers alone."""
    groups: dict[str, list[ReceiptLine]] = {}
    for entry in entries:
        groups.setdefault(_VARYING.sub("", f"{entry.what}: {entry.told}"), []).append(entry)
    return list(groups.values())


def _joined(alike: Sequence[ReceiptLine]) -> str:
    """The first of some, and how many more there are."""
    return f"{alike[0]}; and {len(alike) - 1} more like it" if len(alike) > 1 else str(alike[0])


def _listed(entries: Sequence[ReceiptLine]) -> list[str]:
    """One line for those alike."""
    groups = _groups(entries)
    lines = [_joined(alike) for alike in groups[:SHOWN]]
    left = len(groups) - len(lines)
    return [*lines, f"and {left} other kinds; receipt.details() lists all"] if left else lines
