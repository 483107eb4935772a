"""Poses of SDF: frames given relative to one another, and the links that they are attached to."""

from __future__ import annotations

from linkwork.formats.receipt import Receipt
from linkwork.formats.sdf.scopes import HERE, Item, Scope
from linkwork.formats.sdf.values import raw_pose, text_of
from linkwork.formats.xml_tree import XmlElement
from linkwork.model.frame import Frame

NAMED_FRAMES = (1, 7)  # since this version poses name the frame that they are relative to


class Poses:
    """Finds the pose of every frame in its scope, each once; frames that depend on themselves are refused."""

    def __init__(self, receipt: Receipt) -> None:
        self.receipt = receipt
        self._known: dict[tuple[Scope, str], Frame] = {}
        self._told: set[int] = set()

    def inside(self, scope: Scope, name: str, asker: XmlElement) -> Frame:
        """The pose of a frame, in the coordinates of a scope."""
        waiting = [(scope, name)]
        begun = {(scope, name)}
        while waiting:
            here, wanted = waiting[-1]
            if (here, wanted) not in self._known:
                missing = [need for need in self._needs(here, wanted, asker) if need not in self._known]
                for need in missing[:1]:
                    if need in begun:
                        asker.wrong(
                            f"the frame '{wanted[:80]}' of {here.told} depends on itself; correct relative_to or "
                            "attached_to"
                        )
                    begun.add(need)
                    waiting.append(need)
                if missing:
                    continue
                self._known[here, wanted] = self._composed(here, wanted, asker)
            waiting.pop()
        return self._known[scope, name]

    def of_item(self, scope: Scope, item: Item) -> Frame:
        """The pose of an item, in the coordinates of its scope."""
        frame = self.inside(scope, self._relative(scope, item), item.element) @ raw_pose(_pose(item))
        if item.inner is not None and item.inner.placement:
            frame = frame @ self.inside(item.inner, item.inner.placement, item.element).inverse()
        return frame

    def of_child(self, scope: Scope, link: Item, pose: XmlElement | None) -> Frame:
        """The pose of what is fixed to a link, seen from it."""
        name = self._named(scope, link, pose)
        if not name:
            return raw_pose(pose)
        seen = self.of_item(scope, link).inverse() @ self.inside(scope, name, link.element)
        return seen @ raw_pose(pose)

    def _needs(self, scope: Scope, name: str, asker: XmlElement) -> list[tuple[Scope, str]]:
        """What must be known before."""
        if _origin(scope, name):
            return []
        first, _, rest = name.partition("::")
        item = scope.find(first, asker)
        if rest:
            return [(scope, first), (_inner(scope, item, asker), rest)]
        needs = [(scope, self._relative(scope, item))]
        if item.inner is not None and item.inner.placement:
            needs.append((item.inner, item.inner.placement))
        return needs

    def _composed(self, scope: Scope, name: str, asker: XmlElement) -> Frame:
        """The pose of a frame from those that it needs."""
        if _origin(scope, name):
            return Frame()
        first, _, rest = name.partition("::")
        item = scope.find(first, asker)
        if rest:
            return self._known[scope, first] @ self._known[_inner(scope, item, asker), rest]
        frame = self._known[scope, self._relative(scope, item)] @ raw_pose(_pose(item))
        if item.inner is not None and item.inner.placement:
            frame = frame @ self._known[item.inner, item.inner.placement].inverse()
        return frame

    def _relative(self, scope: Scope, item: Item) -> str:
        """The name of the frame that an item's pose is given in."""
        named = self._named(scope, item, _pose(item))
        if named:
            return named
        if item.kind == "joint":
            return child_of(item)
        if item.kind == "frame":
            return at_home(item, item.element.get("attached_to", "") or "")
        return item.home

    def _named(self, scope: Scope, item: Item, pose: XmlElement | None) -> str:
        """The frame that a <pose> names, or nothing."""
        if pose is None:
            return ""
        older = pose.get("frame", "") or ""
        name = pose.get("relative_to", "") or ""
        if older and item.file.version < NAMED_FRAMES and not name and id(pose) not in self._told:
            self._told.add(id(pose))
            what, place = f"<pose frame='{older[:80]}'>", item.file.place(pose)
            if older.partition("::")[0] in scope.frames:
                self.receipt.approximate(what, place, "read as relative_to")
            else:
                self.receipt.ignore(what, place, "there is no such frame")
        if older and item.file.version < NAMED_FRAMES and older.partition("::")[0] in scope.frames:
            name = name or older
        return at_home(item, name) if name else ""


def held_by(scope: Scope, name: str, asker: XmlElement) -> tuple[Scope, Item] | None:
    """The link that a frame is attached to, with its scope; None for the world and for what is static."""
    seen: set[tuple[Scope, str]] = set()
    while True:
        if (scope, name) in seen:
            asker.wrong(f"the frame '{name[:80]}' is attached to itself; correct attached_to")
        seen.add((scope, name))
        if scope.static or (scope.world and _origin(scope, name)) or (name == "world" and "world" not in scope.frames):
            return None
        if name == HERE:
            name = canonical(scope, asker)
            continue
        first, _, rest = name.partition("::")
        item = scope.find(first, asker)
        if rest or item.kind == "model":
            scope, name = _inner(scope, item, asker), rest or HERE
        elif item.kind == "link":
            return scope, item
        elif item.kind == "joint":
            name = child_of(item)
        elif item.kind == "merged" and item.inner is not None:
            name = canonical(item.inner, asker)
        else:
            name = at_home(item, item.element.get("attached_to", "") or "")


def canonical(scope: Scope, asker: XmlElement) -> str:
    """The name of the link, or of the model in it, to which the frame of a model is attached."""
    if scope.canonical:
        return scope.canonical
    first = next(iter((*scope.links, *scope.models)), None)
    if first is None:
        asker.wrong(f"{scope.told} has no link; give it one")
    return first.name


def child_of(joint: Item) -> str:
    """The name of a joint's child."""
    name = text_of(joint.element, "child")
    if not name or name == "world":
        joint.element.wrong("it has no child; add <child> with the name of a link")
    return at_home(joint, name)


def at_home(item: Item, name: str) -> str:
    """A name as the scope knows it; the frame of the model stands for none."""
    return item.home if name in ("", HERE) else name


def _origin(scope: Scope, name: str) -> bool:
    """Whether a name stands for the frame of the scope itself."""
    return name == HERE or (scope.world and name in ("world", "__root__"))


def _inner(scope: Scope, item: Item, asker: XmlElement) -> Scope:
    if item.inner is None or item.kind != "model":
        asker.wrong(f"'{item.name[:80]}' in {scope.told} is a {item.kind} and holds nothing; correct the name")
    return item.inner


def _pose(item: Item) -> XmlElement | None:
    return item.inner.pose if item.inner is not None else item.element.one("pose")
