"""XML from strangers: a tree with line numbers that knows what of it was read.

No entities, no outside references, bounded size and depth. `read_xml` gives the root; a reader asks a node for its
attributes and children, and whatever nobody asked for is told at the end by `XmlElement.unread`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from linkwork.errors import ModelError
from linkwork.formats.receipt import printable
from linkwork.formats.sources import read_bytes

DEEPEST = 200  # elements inside one another
MOST = 2_000_000  # elements and attributes of a file


def plain(name: str) -> str:
    """The beginning of a name, on one line."""
    return printable(name[:80])


class XmlElement:
    """An element: `tag`, `text`, `line`, its `attributes` and `children`. Asking for one marks it as read."""

    __slots__ = ("_asked", "attributes", "children", "file", "line", "tag", "text", "whole")

    def __init__(self, tag: str, attributes: dict[str, str], file: str, line: int) -> None:
        self.tag, self.attributes, self.file, self.line = tag, attributes, file, line
        self.children: list[XmlElement] = []
        self.text = ""
        self.whole = False  # everything below counts as read
        self._asked: set[str | int] = set()

    @property
    def place(self) -> str:
        """Where it stands, for receipts."""
        return f"line {self.line}"

    @property
    def told(self) -> str:
        """The element in a sentence: <joint name='elbow'>."""
        name = self.attributes.get("name")
        return f"<{plain(self.tag)}>" if name is None else f"<{plain(self.tag)} name='{plain(name)}'>"

    def wrong(self, reason: str) -> NoReturn:
        """Raise with the place of this element; the reason says what to do."""
        raise ModelError(f"{self.file}, line {self.line}: {self.told}: {printable(reason)}")

    def get(self, name: str, default: str | None = None) -> str | None:
        """An attribute, or the default."""
        self._asked.add(name)
        return self.attributes.get(name, default)

    def need(self, name: str) -> str:
        """An attribute that must be there."""
        value = self.get(name)
        if value is None:
            self.wrong(f'it has no attribute {name}; add {name}="..."')
        return value

    def numbers(self, name: str, count: int, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """An attribute as finite numbers."""
        value = self.get(name)
        if value is None:
            if default is None:
                self.wrong(f"it has no attribute {name}; add {count} number{'s' * (count > 1)}")
            return default
        return self._floats(value, count, name)

    def number(self, name: str, default: float | None = None) -> float:
        """An attribute as one finite number."""
        return self.numbers(name, 1, None if default is None else (default,))[0]

    def own_numbers(self, count: int) -> tuple[float, ...]:
        """The text of the element as finite numbers."""
        return self._floats(self.text, count, "its text")

    def _floats(self, value: str, count: int, name: str) -> tuple[float, ...]:
        words = value.split()
        try:
            found = tuple(math.nan if "_" in word else float(word) for word in words)  # Python takes 1_0 for ten
        except ValueError:
            found = (math.nan,)
        if len(found) != count or not all(math.isfinite(each) for each in found):
            self.wrong(
                f"{name} is '{value.strip()[:60]}' but must be {count} finite number{'s' * (count > 1)}; correct it"
            )
        return found

    def all(self, tag: str) -> list[XmlElement]:
        """The children of this tag; they count as read, what is in them does not yet."""
        found = [child for child in self.children if child.tag == tag]
        self._asked.update(id(child) for child in found)
        return found

    def one(self, tag: str) -> XmlElement | None:
        """The child of this tag, or None; raises where there are several."""
        found = self.all(tag)
        if len(found) > 1:
            found[1].wrong(f"<{self.tag}> has a second <{tag}>; remove one of them")
        return found[0] if found else None

    def read_whole(self) -> XmlElement:
        """Mark all of it as read, because the reader told about it already."""
        self.whole = True
        return self

    def unread(self) -> Iterator[tuple[XmlElement, str]]:
        """Every element and attribute below that nobody asked for: (node, name of the attribute or '')."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            if node.whole:
                continue
            yield from ((node, name) for name in node.attributes if name not in node._asked)
            for child in node.children:
                if id(child) in node._asked or child.whole:
                    waiting.append(child)
                else:
                    yield child, ""


ENDINGS = {"robot": ".urdf", "sdf": ".sdf", "mujoco": ".mjcf"}


def read_xml(path: Path, tag: str, wanted: str) -> XmlElement:
    """The root element of a file, which has this tag; `wanted` says in errors what it should be, as "a URDF file"."""
    root = parse_xml(read_bytes(path, wanted), path.name)
    if root.tag != tag:
        other = ENDINGS.get(root.tag)
        remedy = f"give this one the ending {other}" if other else "give such a file"
        root.wrong(f"the root of {wanted} is <{tag}>; {remedy}")
    return root


def parse_xml(content: bytes, file: str) -> XmlElement:
    """The root element of a text; `file` names it in errors.

    >>> root = parse_xml(b"<robot name='arm'><link name='base'/></robot>", "arm.urdf")
    >>> root.need("name"), [link.line for link in root.all("link")], list(root.unread())[0][1]
    ('arm', [1], 'name')
    """
    parser = expat.ParserCreate()
    parser.buffer_text = True
    stack: list[XmlElement] = []
    roots: list[XmlElement] = []
    texts: list[list[str]] = []  # pieces of the texts of those in the stack
    count = 0

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1 + len(attributes)
        line = parser.CurrentLineNumber
        if len(stack) >= DEEPEST or count > MOST:
            raise ModelError(f"{file}, line {line}: it is nested too deeply or too large for a model; correct the file")
        node = XmlElement(tag, attributes, file, line)
        (stack[-1].children if stack else roots).append(node)
        stack.append(node)
        texts.append([])

    def end(_: str) -> None:
        stack.pop().text = "".join(texts.pop())

    def text(data: str) -> None:
        if texts:
            texts[-1].append(data)

    def refuse(*_: object) -> None:
        raise ModelError(
            f"{file}, line {parser.CurrentLineNumber}: it declares entities or a document type, which models do not "
            "need and readers do not open; remove the <!DOCTYPE ...>"
        )

    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, text
    parser.StartDoctypeDeclHandler = parser.EntityDeclHandler = parser.ExternalEntityRefHandler = refuse  # type: ignore[assignment]
    try:
        parser.Parse(content, True)
    except expat.ExpatError as error:
        if not content.strip():
            raise ModelError(f"{file}: it is empty; give a file with a model") from None
        reason = _reason(content, error)
        raise ModelError(f"{file}, line {error.lineno}: it is not XML ({reason}); correct the file") from None
    except (ValueError, LookupError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{file}: its text cannot be read ({error}); save it as UTF-8") from None
    return roots[0]


def _reason(content: bytes, error: expat.ExpatError) -> str:
    """Why it is not XML."""
    declared = re.match(rb"\s*<\?xml[^>]*encoding", content)
    try:
        content.decode()
    except UnicodeDecodeError:
        if error.code == expat.errors.codes[expat.errors.XML_ERROR_INVALID_TOKEN] and not declared:
            return "it is binary, or text that is not in UTF-8"
    return str(expat.errors.messages.get(error.code, "not well formed"))
