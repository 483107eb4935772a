"""Scopes of SDF: worlds and models with the links, joints, frames and models in them, by name, includes opened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from linkwork.formats.sdf.include import Included, SdfFile, SdfLibrary
from linkwork.formats.sdf.values import flag, flag_of
from linkwork.formats.xml_tree import XmlElement

HERE = "__model__"  # the frame of the model (or world) itself
DEEPEST = 40  # models inside one another
MOST = 100_000  # links, joints, frames and models of a file and all that it includes
ItemKind: TypeAlias = Literal["link", "joint", "frame", "model", "merged"]


class Item(NamedTuple):
    """A link, joint, frame or model of a scope; `home` is the frame that is "__model__" where it was written."""

    kind: ItemKind
    name: str
    element: XmlElement
    file: SdfFile
    home: str
    inner: Scope | None = None

    @property
    def place(self) -> str:
        """Where it stands, for receipts."""
        return self.file.place(self.element)


@dataclass(eq=False)
class Scope:
    """A world or model: what is in it by kind, and all its frames by name."""

    name: str
    element: XmlElement
    file: SdfFile
    world: bool = False
    static: bool = False
    owner: Scope | None = None
    pose: XmlElement | None = None
    placement: str = ""
    canonical: str = ""
    links: list[Item] = field(default_factory=list)
    joints: list[Item] = field(default_factory=list)
    models: list[Item] = field(default_factory=list)
    frames: dict[str, Item] = field(default_factory=dict)
    joint_names: set[str] = field(default_factory=set)

    @property
    def told(self) -> str:
        """It, in a sentence."""
        return f"{'world' if self.world else 'model'} '{self.name[:80]}'"

    def find(self, name: str, asker: XmlElement) -> Item:
        """The item with this name; raises where the asking element names nothing."""
        item = self.frames.get(name)
        if item is None:
            known = ", ".join(f"'{each[:40]}'" for each in list(self.frames)[:8])
            asker.wrong(f"there is no '{name[:80]}' in {self.told}; give one of {known or 'nothing, it is empty'}")
        return item

    def walk(self) -> Iterator[Scope]:
        """This scope and all models in it, each before its own."""
        waiting = [self]
        while waiting:
            here = waiting.pop()
            yield here
            waiting.extend(item.inner for item in reversed(here.models) if item.inner is not None)


class ScopeReader:
    """Makes scopes of elements; counts, so that files which include one another come to an end."""

    def __init__(self, library: SdfLibrary) -> None:
        self.library, self.count = library, 0

    def world(self, element: XmlElement, file: SdfFile, name: str) -> Scope:
        """The scope of a <world>, or of a root that holds models."""
        scope = Scope(name, element, file, world=True)
        self._fill(scope, element, file, HERE, 0)
        return scope

    def _model(self, found: Included, owner: Scope, depth: int) -> Scope:
        """The scope of a <model>, with what an <include> says of it."""
        element, file = found.element, found.file
        if depth > DEEPEST:
            element.wrong(f"more than {DEEPEST} models lie inside one another; correct the file")
        static = flag_of(element, "static")
        if found.static is not None:
            static = found.static
        scope = Scope(
            found.name,
            element,
            file,
            static=static or owner.static,
            owner=owner,
            pose=found.pose,
            placement=found.placement,
            canonical=element.get("canonical_link", "") or "",
        )
        self._fill(scope, element, file, HERE, depth)
        return scope

    def _fill(self, scope: Scope, element: XmlElement, file: SdfFile, home: str, depth: int) -> None:
        """Put everything with a name that stands in an element into a scope."""
        for link in element.all("link"):
            self._keep(scope, Item("link", self._name(link, scope), link, file, home))
        models = [self._plain(model, file) for model in element.all("model")]
        for include in element.all("include"):
            found = self.library.include(include, file)
            if found is None:
                continue
            if flag(include.get("merge", "false") or "false", include):
                self._merge(scope, found, home, depth)
            else:
                models.append(found)
        for found in models:
            inner = self._model(found, scope, depth + 1)
            self._keep(scope, Item("model", found.name, found.asker, file, home, inner))
        for frame in element.all("frame"):
            self._keep(scope, Item("frame", self._name(frame, scope), frame, file, home))
        for joint in element.all("joint"):
            self._keep(scope, Item("joint", self._name(joint, scope), joint, file, home))

    def _plain(self, model: XmlElement, file: SdfFile) -> Included:
        """A <model> that stands in the file itself."""
        name = model.need("name")
        return Included(model, model, file, name, model.one("pose"), None, model.get("placement_frame", "") or "")

    def _merge(self, scope: Scope, found: Included, home: str, depth: int) -> None:
        """An included model whose parts become parts of the scope; a frame stands for its own."""
        if depth >= DEEPEST:
            found.element.wrong(f"more than {DEEPEST} models lie inside one another; correct the file")
        proxy = f"_merged__{found.name}__model__"
        inner = self._model(found, scope, depth + 1)
        self._keep(scope, Item("merged", proxy, found.asker, found.file, home, inner))
        self._fill(scope, found.element, found.file, proxy, depth + 1)

    def _name(self, element: XmlElement, scope: Scope) -> str:
        name = element.need("name")
        if not name.strip() or "::" in name or name in (HERE, "world"):
            element.wrong(f"it cannot have this name in {scope.told}; give it another one, without ::")
        return name

    def _keep(self, scope: Scope, item: Item) -> None:
        self.count += 1
        if self.count > MOST:
            item.element.wrong(f"the file and what it includes hold more than {MOST} parts; correct the includes")
        table = {"link": scope.links, "joint": scope.joints, "model": scope.models}.get(item.kind)
        taken = scope.frames.get(item.name)
        if taken is not None and (taken.kind == item.kind or item.kind in ("frame", "merged")):
            item.element.wrong(f"{scope.told} has another {taken.kind} of this name; rename one of them")
        if item.kind == "joint":
            if item.name in scope.joint_names:
                item.element.wrong(f"{scope.told} has another joint of this name; rename one of them")
            scope.joint_names.add(item.name)
        if table is not None:
            table.append(item)
        if taken is None:  # a joint may share the name of a link, which then is the frame of this name
            scope.frames[item.name] = item
