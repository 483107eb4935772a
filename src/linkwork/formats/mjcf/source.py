"""An MJCF file as one tree: included files in their places, files of meshes found and bounded, and a text for MuJoCo.

MuJoCo gets a text of one element a line and the bytes of the meshes, and opens no file itself. What has no part in
mechanics (cameras, sensors, textures, plugins) is left out of the text.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import quoteattr

from linkwork.errors import ModelError
from linkwork.formats.mjcf.assets import ASSET_FOLDERS, asset_bytes, check_made_asset
from linkwork.formats.sources import inside, read_bytes
from linkwork.formats.xml_tree import XmlElement, parse_xml, read_xml

MOST_FILES = 200  # that one model includes
MOST_COPIES = 20_000  # elements after <replicate>

# left out of the text for MuJoCo: what is only seen or measured, what runs code, and what has no counterpart
SEEN = {
    "camera": "a camera",
    "light": "a light",
    "texture": "a texture",
    "layer": "a texture",
    "skin": "a skin is only drawn",
    "visual": "settings of pictures",
    "statistic": "sizes for pictures and solvers",
    "size": "sizes of memory",
    "sensor": "sensors measure and move nothing",
    "custom": "custom data",
    "lengthrange": "how lengths of actuators are found",
}
UNSAID = {
    "plugin": "plugins are code and are not run",
    "extension": "plugins are code and are not run",
    "deformable": "flexible bodies have no counterpart",
    "flexcomp": "flexible bodies have no counterpart",
    "flex": "flexible bodies have no counterpart",
    "flexvert": "flexible bodies have no counterpart",
    "flexstrain": "flexible bodies have no counterpart",
    "composite": "composite bodies have no counterpart",
    "attach": "models attached from other files are not read",
    "model": "models attached from other files are not read",
}
SILENT = {"user", "texture", "meshdir", "texturedir", "assetdir", "strippath", "usethread"}  # attributes left out


@dataclass
class MjcfSource:
    """The tree of a model with all it includes, and what MuJoCo gets of it."""

    root: XmlElement
    file: str
    text: str = ""
    lines: dict[int, XmlElement] = field(default_factory=dict)  # of the text
    assets: dict[str, bytes] = field(default_factory=dict)
    parents: dict[int, XmlElement] = field(default_factory=dict)  # by the identity of the child
    included: list[XmlElement] = field(default_factory=list)  # the <include> elements, which are no longer in the tree

    def place(self, element: XmlElement) -> str:
        """Where an element stands, for receipts."""
        return element.place if element.file == self.file else f"{element.file}, {element.place}"

    def at_line(self, info: str) -> XmlElement | None:
        """The element that a text of MuJoCo such as "line 12" is about."""
        words = info.replace(",", " ").split()
        for word, number in itertools.pairwise(words):
            if word == "line" and number.isdigit() and int(number) in self.lines:
                return self.lines[int(number)]
        return None


def load(path: Path, allow: Sequence[Path], meshes: bool) -> MjcfSource:
    """The tree of a file, checked, and the text for MuJoCo."""
    root = read_xml(path, "mujoco", "an MJCF file")
    source = MjcfSource(root, path.name)
    folders = [path.parent, *allow]
    _include(source, root, path.parent, path.parent, folders, {path.resolve()})
    _count(root)
    _mesh_files(source, path.parent, folders, meshes)
    written: list[str] = []
    _write(source, root, written)
    source.text = "\n".join(written)
    return source


def _include(
    source: MjcfSource, node: XmlElement, main: Path, here: Path, folders: Sequence[Path], known: set[Path]
) -> None:
    """Put what included files hold in the places of their <include>."""
    children: list[XmlElement] = []
    for child in node.children:
        if child.tag != "include":
            source.parents[id(child)] = node
            children.append(child)
            _include(source, child, main, here, folders, known)
            continue
        name = child.need("file").replace("\\", "/")
        what = f"{child.file}, line {child.line}: <include>"
        path = inside(main / name, folders, what)
        if not path.is_file() and (here / name).is_file():
            path = inside(here / name, folders, what)
        if path in known:
            child.wrong(f"the file '{path.name}' is included already; remove one <include>")
        known.add(path)
        if len(known) > MOST_FILES:
            child.wrong(f"a model has at most {MOST_FILES} files; join some of them")
        if not path.exists():
            child.wrong(f"the file '{name[:80]}' does not exist; correct file= or add the file")
        inner = parse_xml(read_bytes(path, "an MJCF file"), path.name)
        _include(source, inner, main, path.parent, folders, known)
        for each in inner.children:
            source.parents[id(each)] = node
        children += inner.children
        source.included.append(child)
    node.children = children


def _count(root: XmlElement) -> None:
    """Raise where copies of elements are too many."""
    waiting, total = [(root, 1)], 0
    while waiting:
        node, times = waiting.pop()
        if node.tag == "replicate":
            count = node.number("count", 1.0)
            if not 0 <= count <= MOST_COPIES:
                node.wrong(f"count is {count:g}; give a number of copies up to {MOST_COPIES}")
            times *= int(count)
        total += times if times > 1 else 0
        if total > MOST_COPIES:
            node.wrong(f"copies make more than {MOST_COPIES} elements of the model; give a smaller count=")
        waiting += [(child, times) for child in node.children]


def _mesh_files(source: MjcfSource, main: Path, folders: Sequence[Path], meshes: bool) -> None:
    """Read the files of meshes and height fields; they get plain names."""
    settings = {"meshdir": "", "strippath": "false"}
    known: dict[Path, str] = {}
    for section in source.root.children:
        if section.tag == "compiler":
            for option in ASSET_FOLDERS:
                if option in section.attributes:
                    settings["meshdir"] = section.attributes[option].replace("\\", "/")
            settings["strippath"] = section.attributes.get("strippath", settings["strippath"])
    for section in source.root.children:
        for asset in section.children if section.tag == "asset" else ():
            if asset.tag not in ("mesh", "hfield"):
                continue
            check_made_asset(asset)
            name = asset.attributes.get("file")
            if name is None:
                continue
            name = name.replace("\\", "/")
            asset.attributes.setdefault("name", Path(name).stem)
            asset.get("name"), asset.get("file")
            short = Path(name).name if settings["strippath"] == "true" else name
            path = inside(main / settings["meshdir"] / short, folders, f"{asset.file}, line {asset.line}: {asset.told}")
            if path not in known:
                known[path] = f"{len(known)}{path.suffix.lower()}"
                if asset.tag == "mesh" and not meshes:
                    known[path] = f"{len(known)}.stl"
                source.assets[known[path]] = asset_bytes(asset, path, meshes)
            asset.attributes["file"] = known[path]


def _write(source: MjcfSource, node: XmlElement, written: list[str]) -> None:
    """One element a line, so that a line tells the element."""
    pairs = [(name, value) for name, value in node.attributes.items() if name not in SILENT]
    if node.tag == "compiler":
        pairs = [(name, value) for name, value in pairs if name != "coordinate" or value != "local"]
    attributes = "".join(f" {name}={quoteattr(value)}" for name, value in pairs)
    kept = [child for child in node.children if child.tag not in SEEN and child.tag not in UNSAID]
    source.lines[len(written) + 1] = node
    if not kept:
        written.append(f"<{node.tag}{attributes}/>")
        return
    written.append(f"<{node.tag}{attributes}>")
    for child in kept:
        _write(source, child, written)
    written.append(f"</{node.tag}>")


def stem_of(path: Path) -> str:
    """A name for a model that has none."""
    return path.stem if path.stem.isprintable() and path.stem.strip() else "model"


def refused(source: MjcfSource, error: Exception) -> ModelError:
    """What MuJoCo says against a file, in one line that names the place."""
    said = " ".join(str(error).split())
    element = source.at_line(said)
    for cut in ("Element name", "Element '"):
        said = said.split(cut)[0].strip()
    for word in ("XML Error:", "Error:", "XML", "Error"):
        said = said.removeprefix(word).strip()
    said = "".join(letter if letter.isprintable() else "?" for letter in said)[:200].rstrip(" .;") or "it is wrong"
    where = source.file if element is None else f"{element.file}, line {element.line}: {element.told}"
    return ModelError(f"{where}: MuJoCo refuses it: {said}; correct the file")
