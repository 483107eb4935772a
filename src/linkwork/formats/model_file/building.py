"""A model file becomes a model: the tables of each container are checked and given to the verbs of the model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from linkwork.errors import ModelError, OptionError
from linkwork.formats.model_file import lines
from linkwork.formats.model_file.allowed_modules import AllowedModules
from linkwork.formats.model_file.document import Document
from linkwork.formats.model_file.expressions import resolved
from linkwork.formats.model_file.part_tables import (
    COMPONENT,
    CONTENT,
    HEAD,
    INLINE,
    SECTIONS,
    SUBSYSTEM_FILE,
    Section,
)
from linkwork.formats.model_file.part_verbs import make_part
from linkwork.formats.model_file.problems import Problems
from linkwork.formats.model_file.values import TableType
from linkwork.formats.receipt import Receipt
from linkwork.formats.sources import inside
from linkwork.model import checked
from linkwork.model.subsystem import Parts, Subsystem
from linkwork.model.synonyms import meant

VERSION = 1
MOST_FILES = 500  # included, counted as often as they are
MOST_PARTS = 100_000
MOST_PARAMETERS = 2_000
DEEPEST = 40  # subsystems inside each other
NAMES = ("a", "b", "body", "joint", "joint_a", "joint_b", "target", "on", "pinion", "rack", "left", "right", "cage")
REFERENCES = (*NAMES, "carrier", "follower")  # keys that name other parts


@dataclass
class FileScope:
    """Where in which file something stands, and the parameters that are known there."""

    document: Document
    place: lines.Path
    parameters: Mapping[str, float]
    depth: int = 0
    within: tuple[Path, ...] = ()  # files that include this one
    failed: set[str] = field(default_factory=set)  # names of parts here that could not be built

    def at(self, *keys: Any) -> lines.Path:
        """The place of something in here."""
        return (*self.place, *keys)


class FileSubsystem(Subsystem):
    """A subsystem that a model file describes; `fill` adds its parts."""

    def build(self, *, name: str, fill: Any) -> None:
        """Add the parts of the file."""
        self.name = name
        fill(self)


class ModelBuild:
    """The reading of a file with all that it includes. Everything that is wrong is collected in `problems`."""

    def __init__(self, path: Path, receipt: Receipt, modules: AllowedModules, folders: Sequence[Path]) -> None:
        self.receipt = receipt
        self.modules = modules
        self.folders = folders
        self.problems = Problems(path.name)
        self._documents: dict[Path, Document] = {}
        self._files = self._parts = 0

    def document(self, path: Path) -> Document:
        """A file, read once."""
        if path not in self._documents:
            self._documents[path] = Document(path)
        return self._documents[path]

    def head(self, scope: FileScope) -> dict[str, Any]:
        """The keys of a whole file that are no parts: its version, name and gravity."""
        data = scope.document.data
        version = data.get("linkwork")
        if version is None:
            self._wrong(
                scope, (), f"it does not say which version of the format it is; begin it with linkwork = {VERSION}"
            )
        elif type(version) is not int or version != VERSION:
            told = f"linkwork = {checked.shown(version)}, and this linkwork reads version {VERSION} of the format"
            self._wrong(scope, ("linkwork",), f"{told}; correct it, or install a linkwork that reads it")
            self.problems.refuse()  # another version has other words
        own = {key: value for key, value in data.items() if key not in CONTENT and key != "linkwork"}
        return self.keys(scope, HEAD, own, "", ("linkwork", *CONTENT)) or {}

    # checking

    def keys(
        self, scope: FileScope, table: TableType, value: Mapping[str, Any], told: str, others: Sequence[str] = ()
    ) -> dict[str, Any] | None:
        """The values of a table; what is wrong with them is noted, and None returned."""
        context = ValueContext(self, scope)
        try:
            return table.read(value, context)
        except ValidationError as error:
            for each in error.errors(include_url=False, include_input=False):
                words = each["msg"]
                if words.startswith("unknown key") and others and len(each["loc"]) == 1:
                    words = _unknown(str(each["loc"][0]), (*table.keys, *others))
                if words:
                    self._wrong(scope, each["loc"], f"{told}{': ' if told else ''}{words}")
            return None

    def parameters(self, scope: FileScope, said: Any, given: Mapping[str, float]) -> dict[str, float]:
        """The parameters of a container: those around it, its own, and those that its user gave."""
        if not isinstance(said, dict):
            self._wrong(scope, ("parameters",), f"parameters must be a table, got {checked.shown(said)}")
            return dict(scope.parameters)
        if len(said) > MOST_PARAMETERS:
            self._wrong(
                scope, ("parameters",), f"it has {len(said)} parameters, and {MOST_PARAMETERS} at most; give fewer"
            )
            self.problems.refuse()
        found = dict(scope.parameters)
        for name, value in resolved({**said, **given}, scope.parameters):
            if isinstance(value, ModelError):
                self._wrong(scope, ("parameters", name), str(value))
                found[name] = math.nan  # what uses it is not reported too
            else:
                found[name] = value
        return found

    def _wrong(self, scope: FileScope, place: lines.Path, told: str) -> None:
        self.problems.add(scope.document, scope.at(*place), told)

    def _where(self, scope: FileScope, place: lines.Path) -> str:
        """The line of something in words, and the file where that is an included one."""
        name = scope.document.path.name
        return f"{f'{name}, ' if scope.within else ''}line {scope.document.line(scope.at(*place))}"

    # building

    def fill(self, container: Parts, data: Mapping[str, Any], scope: FileScope) -> None:
        """Add all parts of a table to a container."""
        for name, section in SECTIONS.items():
            if name == "joint":  # joints and all after them may name bodies of subsystems
                for k, table in enumerate(self._list(data, "subsystem", scope)):
                    self._subsystem(container, table, k, scope)
                self._ports(container, data.get("ports", {}), scope)
            for k, table in enumerate(self._list(data, name, scope)):
                self._part(container, name, section, table, k, scope)

    def _list(self, data: Mapping[str, Any], name: str, scope: FileScope) -> list[Any]:
        found = data.get(name, [])
        if isinstance(found, list):
            return found
        self._wrong(scope, (name,), f"'{name}' must be a list of tables; write [[{name}]] above each of them")
        return []

    def _part(self, container: Parts, name: str, section: Section, table: Any, k: int, scope: FileScope) -> None:
        self._count(scope, (name, k))
        told = _told(name, table)
        if not isinstance(table, dict):
            return self._wrong(scope, (name, k), f"{told}: it must be a table, got {checked.shown(table)}")
        kind, rest = "", table
        if section.choice is not None:
            try:
                kind, rest = section.choice.kind_of(table)
            except ValueError as error:
                self._fail(table, scope)
                return self._wrong(scope, (name, k, "kind") if "kind" in table else (name, k), f"{told}: {error}")
        part = section.kinds[kind]
        inner = FileScope(scope.document, scope.at(name, k), scope.parameters)
        said = self.keys(inner, part.keys, rest, told)
        if said is None or any(str(rest.get(key)) in scope.failed for key in REFERENCES):
            return self._fail(table, scope)
        try:
            make_part(container, part.verb, said)
        except (ModelError, OptionError) as error:
            self._fail(table, scope)
            return self._wrong(scope, (name, k, *_blamed(rest, str(error))), str(error))
        self.receipt.understand(told, self._where(scope, (name, k)), kind)
        return None

    def _fail(self, table: Mapping[str, Any], scope: FileScope) -> None:
        """Remember a part that could not be built: what names it is not wrong for that."""
        scope.failed.add(str(table.get("name")))

    def _ports(self, container: Parts, ports: Any, scope: FileScope) -> None:
        if not isinstance(ports, dict):
            return self._wrong(
                scope, ("ports",), f'ports must be a table {{name = "body"}}, got {checked.shown(ports)}'
            )
        for name, body in ports.items():
            if str(body) in scope.failed:
                continue
            try:
                if not isinstance(body, str):
                    raise ModelError(f"port '{name}': it must name a body, got {checked.shown(body)}")
                container.port(name, body)
            except ModelError as error:
                self._wrong(scope, ("ports", name), str(error))
        return None

    def _count(self, scope: FileScope, place: lines.Path) -> None:
        self._parts += 1
        if self._parts > MOST_PARTS:
            self._wrong(scope, place, f"the file and those that it includes have more than {MOST_PARTS} parts")
            self.problems.refuse()

    # subsystems

    def _subsystem(self, container: Parts, table: Any, k: int, scope: FileScope) -> None:
        place = ("subsystem", k)
        self._count(scope, place)
        told = _told("subsystem", table)
        if not isinstance(table, dict):
            return self._wrong(scope, place, f"{told}: it must be a table, got {checked.shown(table)}")
        inner = FileScope(scope.document, scope.at(*place), scope.parameters, scope.depth + 1, scope.within)
        before = len(self.problems.found)
        try:
            if inner.depth > DEEPEST:
                raise ModelError(f"{told}: more than {DEEPEST} subsystems stand inside each other; correct it")
            said, made = self._made(table, inner, told)
            if said is not None and made is not None and len(self.problems.found) == before:
                pose = {key: said[key] for key in ("position", "rotation") if key in said}
                container.add(said["name"], made, **pose)
                self.receipt.understand(told, self._where(scope, place))
                return None
        except (ModelError, OptionError) as error:
            self._wrong(scope, place, str(error))
        return self._fail_inside(table, scope)

    def _fail_inside(self, table: Mapping[str, Any], scope: FileScope) -> None:
        """A subsystem that is not complete: whatever names a part of it is not reported."""
        scope.failed = _Prefixed(scope.failed, f"{table.get('name')}.")

    def _made(
        self, table: Mapping[str, Any], scope: FileScope, told: str
    ) -> tuple[dict[str, Any] | None, Subsystem | None]:
        """A subsystem of one of the three kinds."""
        if "file" in table:
            said = self.keys(scope, SUBSYSTEM_FILE, table, told)
            return said, self._included(said, scope, told) if said else None
        if "component" in table:
            said = self.keys(scope, COMPONENT, table, told)
            if not said:
                return said, None
            given = said.get("parameters", {})
            if not isinstance(given, dict):
                raise ModelError(f"{told}: parameters must be a table, got {checked.shown(given)}")
            try:
                return said, self.modules.component(said["component"], given)
            except ModelError as error:
                raise ModelError(f"{told}: {error}") from None
        own = {key: value for key, value in table.items() if key not in CONTENT}
        scope.parameters = self.parameters(scope, table.get("parameters", {}), {})
        said = self.keys(scope, INLINE, own, told, (*CONTENT, "file", "component"))
        name = "" if said is None else said["name"]
        return said, FileSubsystem(name=name, fill=lambda part: self.fill(part, table, scope))

    def _included(self, said: Mapping[str, Any], scope: FileScope, told: str) -> Subsystem | None:
        """A subsystem from another file."""
        path = ValueContext(self, scope).beside(said["file"])
        self._files += 1
        if path in scope.within or path == scope.document.path.resolve():
            raise ModelError(f"{told}: the file '{path.name}' includes itself; remove file")
        if self._files > MOST_FILES:
            raise ModelError(f"{told}: more than {MOST_FILES} files are included; put parts into one file")
        document = self.document(path)
        given = said.get("parameters", {})
        known = document.data.get("parameters", {})
        if not isinstance(given, dict) or not isinstance(known, dict):
            raise ModelError(f"{told}: parameters must be a table; correct it")
        for name in given:
            if name not in known:
                listed = f"; it has {', '.join(known) or 'none'}"
                hint = checked.did_you_mean(name, known) or listed
                raise ModelError(f"{told}: '{path.name}' has no parameter '{name}'{hint}")
        inner = FileScope(document, (), {}, scope.depth, (*scope.within, scope.document.path.resolve()))
        inner.parameters = self.parameters(inner, known, given)
        if "gravity" in self.head(inner):
            why = "the gravity is that of the whole model"
            self.receipt.ignore("gravity", self._where(inner, ("gravity",)), why, matters=False)
        return FileSubsystem(name=said["name"], fill=lambda part: self.fill(part, document.data, inner))


class ValueContext:
    """What values of a file see: parameters, modules, and files beside it."""

    def __init__(self, build: ModelBuild, scope: FileScope) -> None:
        self.parameters = scope.parameters
        self.modules = build.modules
        self._folder, self._allowed = scope.document.path.parent, build.folders

    def beside(self, name: str) -> Path:
        """The path of a file named in the file at hand; raises where it may not be read."""
        if not name.strip() or not name.isprintable():
            raise ModelError(f"{checked.shown(name)} cannot be the name of a file; correct it")
        try:
            return inside(self._folder / name, self._allowed, "file")
        except ModelError as error:
            raise ModelError(str(error).removeprefix("file: ")) from None


class _Prefixed(set[str]):
    """Names, and all that begin in one of some ways."""

    def __init__(self, names: set[str], prefix: str) -> None:
        super().__init__(names)
        self.prefixes = (*getattr(names, "prefixes", ()), prefix)

    def __contains__(self, name: object) -> bool:
        return super().__contains__(name) or str(name).startswith(self.prefixes)


def _told(section: str, table: Any) -> str:
    """A part in words, for messages."""
    name = table.get("name") if isinstance(table, dict) else None
    return f"{section} {checked.shown(name)}" if isinstance(name, str) else section


def _blamed(table: Mapping[str, Any], message: str) -> tuple[str, ...]:
    """The key of a table that a message of a verb is about, if it tells."""
    missing = [key for key in REFERENCES if key in table and f"there is no '{checked.short(table[key])}'" in message]
    named = [key for key in table if f" {key}=" in message or f": {key} " in message]
    return tuple((missing or named)[:1])


def _unknown(key: str, known: Sequence[str]) -> str:
    hint = checked.or_meant(meant(key[:80], known)) or f"; it takes {', '.join(known)}"
    return f"unknown key {checked.shown(key)}{hint}"
