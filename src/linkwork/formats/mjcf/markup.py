"""Elements of XML to be written: numbers with all their digits, one element a line."""

from __future__ import annotations

from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np

from linkwork.model import names
from linkwork.model.body import Part


def digits(numbers: Any) -> str:
    """Numbers as text that reads back to the same numbers.

    >>> digits((0.1, 2.0))
    '0.10000000000000001 2'
    """
    return " ".join(f"{float(number):.17g}" for number in np.atleast_1d(numbers))


class Markup:
    """An element with attributes (None leaves one out) and children.

    >>> print(Markup("body", Markup("joint", axis=(0, 0, 1)), name="arm").text())
    <body name="arm">
      <joint axis="0 0 1"/>
    </body>
    """

    def __init__(self, tag: str, *children: Markup, **attributes: Any) -> None:
        self.tag, self.children = tag, list(children)
        self.attributes = {name: value for name, value in attributes.items() if value is not None}

    def add(self, child: Markup) -> Markup:
        """Put a child behind the others; returns it."""
        self.children.append(child)
        return child

    def text(self, indent: str = "") -> str:
        """The element and all below."""
        told = "".join(
            f" {name}={quoteattr(value if isinstance(value, str) else digits(value))}"
            for name, value in self.attributes.items()
        )
        if not self.children:
            return f"{indent}<{self.tag}{told}/>"
        inner = "\n".join(child.text(indent + "  ") for child in self.children)
        return f"{indent}<{self.tag}{told}>\n{inner}\n{indent}</{self.tag}>"


class NameBook:
    """Names of MJCF by kind: those of our parts, without the marks that tell parts of one name apart."""

    def __init__(self) -> None:
        self.taken: dict[str, set[str]] = {"body": {"world"}}
        self.names: dict[tuple[str, int, str], str] = {}

    def of(self, kind: str, part: Part, suffix: str = "") -> str:
        """The name of a part among those of a kind; always the same."""
        key = (kind, id(part), suffix)
        if key not in self.names:
            plain = ".".join(step.name for step in names.split(part.path)) + suffix
            taken = self.taken.setdefault(kind, set())
            name, number = plain, 2
            while name in taken:
                name, number = f"{plain} {number}", number + 1
            taken.add(name)
            self.names[key] = name
        return self.names[key]
