"""What the text of a STEP file says beside its shapes: schema, densities of materials, references to other files.

OCCT has a reader for densities that takes kilograms for grams, so they are read here, with their units.
"""

from __future__ import annotations

import re
from itertools import islice
from pathlib import Path

from linkwork.errors import ModelError

# strings, comments and the rest, each to its end or that of the file: nothing is looked at twice
_TOKEN = re.compile(r"'(?:[^']|'')*+'?|/\*(?:[^*]|\*(?!/))*+(?:\*/)?|;|[^;'/]++|/")
_ENTITY = re.compile(r"\s*#(\d{1,15})\s*=\s*(.*)", re.DOTALL)
_STRING = re.compile(r"'((?:[^']|'')*+)'")
_REFERENCE = re.compile(r"#(\d{1,15})")
_ENCODED = re.compile(r"\\X2\\((?:[0-9A-F]{4})+)\\X0\\|\\X\\([0-9A-F]{2})")
FEW = 8  # references of one statement that are followed
DENSEST = 1e6  # kg/m3: more is no material
_NUMBER = re.compile(r"\(\s*([-+]?\d+\.?\d*(?:[eE][-+]?\d+)?)\s*\)")
_PREFIX = {
    "$": 1.0,
    ".KILO.": 1e3,
    ".HECTO.": 1e2,
    ".DECI.": 1e-1,
    ".CENTI.": 1e-2,
    ".MILLI.": 1e-3,
    ".MICRO.": 1e-6,
    ".MEGA.": 1e6,
}
_SI = re.compile(r"SI_UNIT\s*\(\s*(\$|\.[A-Z]+\.)\s*,\s*\.(GRAM|METRE)\.\s*\)")
_ELSEWHERE = re.compile(rb"DOCUMENT_FILE|EXTERNAL_IDENTIFICATION_ASSIGNMENT|EXTERNALLY_DEFINED", re.IGNORECASE)


class StepText:
    """The statements of a STEP file. They are split only where something asks for them."""

    def __init__(self, content: bytes, file: str) -> None:
        self.content, self.file = content, file
        self._statements: dict[int, str] | None = None

    @property
    def schema(self) -> str:
        """AP203, AP214, AP242, or the name that the file gives."""
        found = re.search(rb"FILE_SCHEMA\s*\(\s*\(\s*'([^']*)'", self.content[:65536])
        name = found[1].decode("ascii", "replace").strip() if found else ""
        for word, schema in (("CONFIG_CONTROL", "AP203"), ("AUTOMOTIVE", "AP214"), ("MANAGED_MODEL", "AP242")):
            if name.upper().startswith(word) or word in name.upper():
                return schema
        return name[:60] or "no schema"

    @property
    def statements(self) -> dict[int, str]:
        """The text of each entity by its number."""
        if self._statements is None:
            self._statements = {}
            parts: list[str] = []
            for found in _TOKEN.finditer(self.content.decode("latin-1")):
                token = found[0]
                if token != ";":
                    parts.append("" if token.startswith("/*") else token)
                    continue
                entity = _ENTITY.match("".join(parts))
                if entity:
                    self._statements[int(entity[1])] = entity[2]
                parts.clear()
        return self._statements

    def refuse_paths(self) -> None:
        """Raise where the file wants other files that are not beside it."""
        if not _ELSEWHERE.search(self.content):
            return
        for number, statement in self.statements.items():
            if _ELSEWHERE.search(statement.encode("latin-1")):
                for name in _STRING.findall(statement):
                    if "/" in name or "\\" in name or ":" in name:
                        raise ModelError(
                            f"{self.file}, #{number}: it refers to the file '{name[:60]}', which is not beside it; put "
                            "all files of the assembly into one folder and export the references without folders"
                        )

    def densities(self) -> dict[str, set[float]]:
        """Densities (kg/m3) by the names of the products that have them; several where the file contradicts itself."""
        found: dict[str, set[float]] = {}
        if b"density" not in self.content.lower():
            return found
        known = self.statements
        for statement in known.values():
            if not statement.startswith("PROPERTY_DEFINITION_REPRESENTATION"):
                continue
            ends = [known.get(each, "") for each in _references(statement)]
            if len(ends) != 2 or "'density'" not in ends[0].lower() + ends[1].lower():
                continue
            density = self._density(ends[1])
            if density is not None:
                for product in self._products(ends[0]):
                    found.setdefault(product, set()).add(density)
        return found

    def _products(self, definition: str) -> list[str]:
        """Names of the products that a property is about: definition, formation, product."""
        names = []
        for first in _references(definition):
            for second in _references(self.statements.get(first, "")):
                for third in _references(self.statements.get(second, "")):
                    product = self.statements.get(third, "")
                    if re.match(r"PRODUCT\s*\(", product):
                        strings = _STRING.findall(product)
                        names += [_decoded(each) for each in (strings[1:2] or strings[:1])]
        return names

    def _density(self, representation: str) -> float | None:
        for item in _references(representation):
            measure = self.statements.get(item, "")
            number = _NUMBER.search(measure)
            units = _references(measure)
            if "MEASURE_REPRESENTATION_ITEM" in measure and number and units:
                factor = self._unit(units[-1])
                value = float(number[1])
                if factor is not None and 0.0 < value * factor < DENSEST:
                    return value * factor
        return None

    def _unit(self, number: int) -> float | None:
        """kg/m3 in a unit of mass and one of length; their exponents are 1 and -3, whatever the file says."""
        mass = length = None
        for element in _references(self.statements.get(number, "")):
            for unit in _references(self.statements.get(element, "")):
                kind, factor = self._base(self.statements.get(unit, ""))
                if kind == "GRAM":
                    mass = 1e-3 * factor
                elif kind == "METRE":
                    length = factor
        return mass / length**3 if mass and length and 1e-9 < length < 1e9 else None

    def _base(self, unit: str, deep: int = 0) -> tuple[str, float]:
        """A unit as GRAM or METRE times a factor."""
        found = _SI.search(unit)
        if found:
            return found[2], _PREFIX.get(found[1], float("nan"))
        if deep < 3 and "CONVERSION_BASED_UNIT" in unit:
            for each in _references(unit):
                measure = self.statements.get(each, "")
                number = _NUMBER.search(measure)
                if number:
                    for inner in _references(measure):
                        kind, factor = self._base(self.statements.get(inner, ""), deep + 1)
                        if kind:
                            return kind, factor * float(number[1])
        return "", 1.0


def _decoded(text: str) -> str:
    """A text of a STEP file: quotes are doubled in it, and letters beyond ASCII are numbers.

    >>> _decoded("it''s a K\\\\X2\\\\00FC\\\\X0\\\\bel")
    "it's a Kübel"
    """
    plain = _ENCODED.sub(lambda found: bytes.fromhex(found[1] or f"00{found[2]}").decode("utf-16-be", "replace"), text)
    return plain.replace("''", "'")


def _references(statement: str) -> list[int]:
    """The first entities that a statement refers to; those that matter here have few."""
    return [int(found[1]) for found in islice(_REFERENCE.finditer(statement), FEW)]


def read_text(path: Path, content: bytes) -> StepText:
    """The text of a file, after a look at its head."""
    if b"ISO-10303-21" not in content[:4096]:
        raise ModelError(
            f"{path.name}: is not a STEP file (ISO 10303-21); export it again as STEP AP203, AP214 or AP242"
        )
    return StepText(content, path.name)
