"""Parts and assemblies made with OCP, written as STEP files: what the tests of the STEP reader read."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np


class Cad:
    """A document with parts and assemblies, in millimetres. Needs OCP."""

    def __init__(self) -> None:
        from OCP.TCollection import TCollection_ExtendedString
        from OCP.TDocStd import TDocStd_Document
        from OCP.XCAFDoc import XCAFDoc_DocumentTool, XCAFDoc_ShapeTool

        XCAFDoc_ShapeTool.SetAutoNaming_s(False)
        self.document = TDocStd_Document(TCollection_ExtendedString("BinXCAF"))
        main = self.document.Main()
        self.shapes = XCAFDoc_DocumentTool.ShapeTool_s(main)
        self.colours = XCAFDoc_DocumentTool.ColorTool_s(main)
        self.materials = XCAFDoc_DocumentTool.MaterialTool_s(main)
        self.layers = XCAFDoc_DocumentTool.LayerTool_s(main)

    def _named(self, label: Any, name: str) -> Any:
        from OCP.TCollection import TCollection_ExtendedString
        from OCP.TDataStd import TDataStd_Name

        TDataStd_Name.Set_s(label, TCollection_ExtendedString(name))
        return label

    def part(
        self, name: str, shape: Any, *, colour: str | None = None, material: tuple[str, float] | None = None
    ) -> Any:
        """A part; its `material` is a name and a density in g/cm3."""
        from OCP.Quantity import Quantity_Color, Quantity_TOC_sRGB
        from OCP.TCollection import TCollection_HAsciiString
        from OCP.XCAFDoc import XCAFDoc_ColorSurf

        label = self._named(self.shapes.AddShape(shape, False), name)
        if colour is not None:
            red, green, blue = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
            self.colours.SetColor(label, Quantity_Color(red, green, blue, Quantity_TOC_sRGB), XCAFDoc_ColorSurf)
        if material is not None:
            words = [TCollection_HAsciiString(word) for word in (material[0], "", "density measure")]
            kind = TCollection_HAsciiString("POSITIVE_RATIO_MEASURE")
            self.materials.SetMaterial(label, words[0], words[1], material[1], words[2], kind)
        return label

    def assembly(self, name: str) -> Any:
        """An empty assembly."""
        return self._named(self.shapes.NewShape(), name)

    def put(self, assembly: Any, label: Any, name: str = "", place: Any = None) -> Any:
        """A part or an assembly in an assembly, at a place made by `moved`."""
        from OCP.TopLoc import TopLoc_Location

        where = TopLoc_Location() if place is None else TopLoc_Location(place)
        component = self.shapes.AddComponent(assembly, label, where)
        return self._named(component, name) if name else component

    def write(self, path: Path, *, unit: str = "MM", schema: str = "AP214IS") -> Path:
        """The STEP file; the document's numbers stay, in another unit they are converted."""
        from OCP.Interface import Interface_Static
        from OCP.STEPCAFControl import STEPCAFControl_Writer

        self.shapes.UpdateAssemblies()
        Interface_Static.SetCVal_s("write.step.unit", unit)
        Interface_Static.SetCVal_s("write.step.schema", schema)
        writer = STEPCAFControl_Writer()
        for mode in ("Color", "Name", "Material", "Layer"):
            getattr(writer, f"Set{mode}Mode")(True)
        assert writer.Transfer(self.document)
        writer.Write(str(path))
        assert path.exists()
        return path


def moved(position: Any = (0, 0, 0), axis: Any = (0, 0, 1), angle: float = 0.0) -> Any:
    """A placement: turned about an axis through the origin, then shifted (mm)."""
    from OCP.gp import gp_Ax1, gp_Dir, gp_Pnt, gp_Trsf, gp_Vec

    turn, shift = gp_Trsf(), gp_Trsf()
    turn.SetRotation(gp_Ax1(gp_Pnt(0, 0, 0), gp_Dir(*axis)), angle)
    shift.SetTranslation(gp_Vec(*position))
    return shift * turn


def box(low: Any, high: Any) -> Any:
    """A box between two corners (mm)."""
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox
    from OCP.gp import gp_Pnt

    return BRepPrimAPI_MakeBox(gp_Pnt(*low), gp_Pnt(*high)).Shape()


def cylinder(start: Any, axis: Any, radius: float, length: float) -> Any:
    """A cylinder from a point along an axis (mm)."""
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeCylinder
    from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt

    return BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(*start), gp_Dir(*axis)), radius, length).Shape()


def torus(centre: Any, axis: Any, large: float, small: float) -> Any:
    """A torus (mm)."""
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeTorus
    from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt

    return BRepPrimAPI_MakeTorus(gp_Ax2(gp_Pnt(*centre), gp_Dir(*axis)), large, small).Shape()


def ball(centre: Any, radius: float) -> Any:
    """A sphere (mm)."""
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeSphere
    from OCP.gp import gp_Pnt

    return BRepPrimAPI_MakeSphere(gp_Pnt(*centre), radius).Shape()


def prism(corners: Any, along: Any) -> Any:
    """A polygon, pushed along a vector (mm)."""
    from OCP.BRepBuilderAPI import BRepBuilderAPI_MakeFace, BRepBuilderAPI_MakePolygon
    from OCP.BRepPrimAPI import BRepPrimAPI_MakePrism
    from OCP.gp import gp_Pnt, gp_Vec

    polygon = BRepBuilderAPI_MakePolygon()
    for corner in corners:
        polygon.Add(gp_Pnt(*(float(x) for x in corner)))
    polygon.Close()
    return BRepPrimAPI_MakePrism(BRepBuilderAPI_MakeFace(polygon.Wire()).Face(), gp_Vec(*along)).Shape()


def joined(*shapes: Any) -> Any:
    """One solid of several that overlap."""
    from OCP.BRepAlgoAPI import BRepAlgoAPI_Fuse
    from OCP.ShapeUpgrade import ShapeUpgrade_UnifySameDomain

    whole = shapes[0]
    for shape in shapes[1:]:
        whole = BRepAlgoAPI_Fuse(whole, shape).Shape()
    unified = ShapeUpgrade_UnifySameDomain(whole)
    unified.Build()
    return solid_of(unified.Shape())


def without(shape: Any, *tools: Any) -> Any:
    """A solid with others cut out of it."""
    from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut

    for tool in tools:
        shape = BRepAlgoAPI_Cut(shape, tool).Shape()
    return solid_of(shape)


def solid_of(shape: Any) -> Any:
    """The only solid in a shape."""
    from OCP.TopAbs import TopAbs_SOLID
    from OCP.TopExp import TopExp_Explorer

    walk = TopExp_Explorer(shape, TopAbs_SOLID)
    found = walk.Current()
    walk.Next()
    assert not walk.More()
    return found


def bolt(radius: float, length: float, *, head: float = 4.0) -> Any:
    """A hexagon bolt: its shank hangs down from the origin, its head stands above it (mm)."""
    across = 1.7 * radius / math.cos(math.pi / 6)
    corners = [(across * math.cos(k * math.pi / 3), across * math.sin(k * math.pi / 3), 0) for k in range(6)]
    return joined(cylinder((0, 0, -length), (0, 0, 1), radius, length + head / 2), prism(corners, (0, 0, head)))


def nut(radius: float, height: float) -> Any:
    """A hexagon nut on the origin, upwards (mm)."""
    across = 1.7 * radius / math.cos(math.pi / 6)
    corners = [(across * math.cos(k * math.pi / 3), across * math.sin(k * math.pi / 3), 0) for k in range(6)]
    return without(prism(corners, (0, 0, height)), cylinder((0, 0, -1), (0, 0, 1), radius, height + 2))


def mass_of(shape: Any) -> tuple[float, np.ndarray, np.ndarray]:
    """Volume (m3), centre (m) and inertia per density about it (m5), by OCP."""
    from OCP.BRepGProp import BRepGProp
    from OCP.GProp import GProp_GProps

    found = GProp_GProps()
    BRepGProp.VolumeProperties_s(shape, found)
    centre, matrix = found.CentreOfMass(), found.MatrixOfInertia()
    inertia = np.array([[matrix.Value(i, j) for j in (1, 2, 3)] for i in (1, 2, 3)])
    return found.Mass() * 1e-9, np.array([centre.X(), centre.Y(), centre.Z()]) * 1e-3, inertia * 1e-15


def bodies_of(**shapes: Any) -> list[Any]:
    """Bodies made from solids that stand in the world as they are, without a file; underscores become blanks."""
    from linkwork.formats.step.cad_model import CadBody
    from linkwork.formats.step.occt_solids import read_solid
    from linkwork.model import Frame

    found = []
    for key, shape in shapes.items():
        name = key.replace("_", " ")
        solid = read_solid(shape, name, "", None)
        assert solid is not None
        found.append(CadBody(name, Frame(), solid.volume * 7850, solid, name, True))
    return found
