"""Reads a STEP file by OCP, in a process of its own: `python -m` this module with FILE OUT TOLERANCE MEMORY.

OCCT is a large C++ library, and a damaged file can crash it, let it run for ever, or fill the memory. So it reads in
a process that may die, with bounds; what it found goes to OUT, see `cad_data`.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

from OCP.collections import (
    HSequence_TCollection_ExtendedString,
    Sequence_TCollection_AsciiString,
    Sequence_TDF_Label,
)
from OCP.IFSelect import IFSelect_RetDone
from OCP.Quantity import Quantity_Color, Quantity_TOC_sRGB
from OCP.STEPCAFControl import STEPCAFControl_Reader
from OCP.TCollection import TCollection_AsciiString, TCollection_ExtendedString
from OCP.TDataStd import TDataStd_Name
from OCP.TDF import TDF_Label, TDF_Tool
from OCP.TDocStd import TDocStd_Document
from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE, TopAbs_SHELL, TopAbs_SOLID
from OCP.XCAFDoc import (
    XCAFDoc_ColorGen,
    XCAFDoc_ColorSurf,
    XCAFDoc_DocumentTool,
    XCAFDoc_ShapeTool,
)

from linkwork.formats.step.cad_data import CadComponent, CadFile, CadPart, save
from linkwork.formats.step.occt_solids import explored, placement, read_solid

MOST_PARTS = 20_000
REFUSED = 3  # exit code: the reason stands in OUT


class NotReadable(Exception):
    """Why a file cannot be read, for the user."""


def extract(path: Path, out: Path, tolerance: float | None) -> None:
    """Read a STEP file and save what it says."""
    reader = STEPCAFControl_Reader()
    for mode in ("Color", "Name", "Layer"):
        getattr(reader, f"Set{mode}Mode")(True)
    document = TDocStd_Document(TCollection_ExtendedString("BinXCAF"))
    if reader.ReadFile(str(path)) != IFSelect_RetDone:
        raise NotReadable("is not a STEP file (ISO 10303-21); export it again as STEP AP203, AP214 or AP242")
    if not reader.Transfer(document):
        raise NotReadable("holds no shapes that can be read; export it again with solids")
    save(_Document(document, tolerance).read(_unit(reader)), out)


def _unit(reader: Any) -> str:
    lengths, angles, solid_angles = (Sequence_TCollection_AsciiString() for _ in range(3))
    reader.ChangeReader().FileUnits(lengths, angles, solid_angles)
    return str(lengths.First().ToCString()) if lengths.Length() else "unknown"


class _Document:
    """What stands in the document, label by label."""

    def __init__(self, document: Any, tolerance: float | None) -> None:
        main = document.Main()
        self.shapes = XCAFDoc_DocumentTool.ShapeTool_s(main)
        self.colours = XCAFDoc_DocumentTool.ColorTool_s(main)
        self.layers = XCAFDoc_DocumentTool.LayerTool_s(main)
        self.tolerance = tolerance
        self.parts: dict[str, CadPart] = {}

    def read(self, unit: str) -> CadFile:
        free = Sequence_TDF_Label()
        self.shapes.GetFreeShapes(free)
        top = [CadComponent(_name(label), self._part(label), placement(_placed(label)), "") for label in free]
        return CadFile(self.parts, top, unit)

    def _part(self, label: Any) -> str:
        """The key of a part or an assembly, which is read when it is met for the first time."""
        waiting = [label]
        while waiting:
            each = waiting.pop()
            key = _entry(each)
            if key in self.parts:
                continue
            if len(self.parts) >= MOST_PARTS:
                raise NotReadable(f"has more than {MOST_PARTS} different parts; export a smaller assembly")
            part = self.parts[key] = CadPart(_name(each), self._colour(each), self._layers(each))
            if XCAFDoc_ShapeTool.IsAssembly_s(each):
                waiting += self._components(each, part)
            else:
                self._solids(each, part)
        return _entry(label)

    def _components(self, label: Any, part: CadPart) -> list[Any]:
        components, referred = Sequence_TDF_Label(), []
        XCAFDoc_ShapeTool.GetComponents_s(label, components)
        for component in components:
            target = TDF_Label()
            if not XCAFDoc_ShapeTool.GetReferredShape_s(component, target):
                continue
            place = placement(XCAFDoc_ShapeTool.GetLocation_s(component))
            name, colour = _name(component), self._colour(component)
            part.components.append(CadComponent(name, _entry(target), place, colour))
            referred.append(target)
        return referred

    def _solids(self, label: Any, part: CadPart) -> None:
        shape = XCAFDoc_ShapeTool.GetShape_s(label)
        if shape is None or shape.IsNull():
            return
        # a free shape may have a place of its own, which its component has already
        shape = shape.Located(type(shape.Location())())
        for solid in explored(shape, TopAbs_SOLID):
            name, colour = self._sub_name(label, solid), self._sub_colour(solid)
            found = read_solid(solid, name, colour, self.tolerance)
            if found is None:
                part.hollow += 1
            else:
                part.solids.append(found)
        part.sheets = sum(1 for _ in explored(shape, TopAbs_SHELL, TopAbs_SOLID))
        part.sheets += sum(1 for _ in explored(shape, TopAbs_FACE, TopAbs_SHELL))
        part.wires = sum(1 for _ in explored(shape, TopAbs_EDGE, TopAbs_FACE))

    def _sub_name(self, label: Any, solid: Any) -> str:
        found = TDF_Label()
        return _name(found) if self.shapes.FindSubShape(label, solid, found) else ""

    def _colour(self, label: Any) -> str:
        colour = Quantity_Color()
        for kind in (XCAFDoc_ColorSurf, XCAFDoc_ColorGen):
            if self.colours.GetColor_s(label, kind, colour):
                return _hex(colour)
        return ""

    def _sub_colour(self, solid: Any) -> str:
        """The colour of a solid, or else the commonest of its faces."""
        colour = Quantity_Color()
        for kind in (XCAFDoc_ColorSurf, XCAFDoc_ColorGen):
            if self.colours.GetColor(solid, kind, colour):
                return _hex(colour)
        counts: dict[str, int] = {}
        for face in explored(solid, TopAbs_FACE):
            if self.colours.GetColor(face, XCAFDoc_ColorSurf, colour):
                counts[_hex(colour)] = counts.get(_hex(colour), 0) + 1
        return max(counts, key=lambda each: counts[each]) if counts else ""

    def _layers(self, label: Any) -> list[str]:
        found = HSequence_TCollection_ExtendedString()
        if not self.layers.GetLayers(label, found):
            return []
        return [str(found.Value(k).ToExtString()) for k in range(1, found.Length() + 1)]


def _placed(label: Any) -> Any:
    return XCAFDoc_ShapeTool.GetLocation_s(label)


def _name(label: Any) -> str:
    found = TDataStd_Name()
    return str(found.Get().ToExtString()) if label.FindAttribute(TDataStd_Name.GetID_s(), found) else ""


def _entry(label: Any) -> str:
    text = TCollection_AsciiString()
    TDF_Tool.Entry_s(label, text)
    return str(text.ToCString())


def _hex(colour: Any) -> str:
    return "#" + "".join(f"{min(max(round(255 * value), 0), 255):02X}" for value in colour.Values(Quantity_TOC_sRGB))


def bound_memory(most: int) -> None:
    """Let this process have at most so many bytes, where the system can hold it to that."""
    try:
        resource = importlib.import_module("resource")
    except ImportError:  # Windows
        return
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main(arguments: list[str]) -> int:
    """Extract, as the arguments say; the exit code tells how it ended."""
    path, out, tolerance, memory = arguments
    bound_memory(int(memory))
    try:
        extract(Path(path), Path(out), float(tolerance) if tolerance else None)
    except NotReadable as reason:
        Path(out).write_text(str(reason), encoding="utf-8")
        return REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
