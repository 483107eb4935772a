"""Densities of solids: by the user's number, name pattern or colour, or else from the file's materials."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any, NamedTuple

from linkwork.errors import ModelError, OptionError
from linkwork.formats.receipt import Receipt
from linkwork.model import checked

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


class Wanted(NamedTuple):
    """A solid that needs a density: the names it goes by, the name of its part in the file, and its colour."""

    names: tuple[str, ...]
    part: str
    colour: str


def matches(pattern: str, names: tuple[str, ...]) -> bool:
    """Whether a pattern with * and ? fits one of the names, whatever their case.

    The first name is the full one, with dots; only patterns with a dot are compared with it.

    >>> matches("bolt*", ("frame.Bolt 2", "Bolt 2")), matches("frame.*", ("frame.Bolt 2", "Bolt 2"))
    (True, True)
    >>> matches("fr*", ("frame.Bolt 2", "Bolt 2"))
    False
    """
    return any(fnmatchcase(name.lower(), pattern.lower()) for name in (names if "." in pattern else names[1:]))


class Densities:
    """Finds densities (kg/m3), and remembers which solids have none and which patterns fit nothing."""

    def __init__(self, given: Any, of_file: dict[str, set[float]], file: str) -> None:
        self.given, self.of_file, self.file = _checked(given, file), of_file, file
        self.missing: list[str] = []
        self.used: set[str] = set()

    def of(self, wanted: Wanted, receipt: Receipt) -> float:
        """The density of a solid: what the user says goes before what the file says."""
        if isinstance(self.given, float):
            return self.given
        for pattern, density in self.given.items():
            colour = _COLOUR.fullmatch(pattern)
            if pattern.upper() == wanted.colour.upper() if colour else matches(pattern, wanted.names):
                self.used.add(pattern)
                return density
        said = self.of_file.get(wanted.part, set())
        if len(said) == 1:
            (found,) = said
            receipt.understand(f"material of '{wanted.names[0]}'", "", f"{found:g} kg/m3")
            return found
        self.missing.append(wanted.names[0])
        return 1.0

    def finish(self, receipt: Receipt) -> None:
        """Raise where densities are missing; tell of patterns that fit nothing."""
        if self.missing:
            shown = ", ".join(f"'{name}'" for name in self.missing[:5]) + (", …" if len(self.missing) > 5 else "")
            raise ModelError(
                f"{self.file}: the density of {len(self.missing)} solids is not known ({shown}); give density=7850 in "
                'kg/m3 for all, or by name and colour: density={"bolt*": 7850, "#C0C0C0": 2700}'
            )
        if not isinstance(self.given, float):
            for pattern in self.given.keys() - self.used:
                receipt.ignore(f"density of '{pattern}'", "", "no part has this name or colour", matters=False)


def _checked(given: Any, file: str) -> float | dict[str, float]:
    what = f"read {file}"
    try:
        if given is None:
            return {}
        if isinstance(given, Mapping):
            if not all(isinstance(key, str) and key for key in given):
                raise ModelError(
                    f"{what}: density= has keys that are no text; give names such as 'bolt*', or '#C0C0C0'"
                )
            return {key: checked.positive(value, what, f"density of '{key}'", "kg/m3") for key, value in given.items()}
        return checked.positive(given, what, "density", "kg/m3")
    except ModelError as error:
        raise OptionError(str(error)) from None
