"""Tables of model files that stand for objects: frames, shapes, materials, laws, curves, roads, guides.

Their keys are the keywords of the classes, so that {kind = "box", size = [1, 2, 3]} is lw.Box(size=(1, 2, 3)).
"""

from __future__ import annotations

from functools import reduce
from operator import add
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.formats.model_file.csv_numbers import read_numbers
from linkwork.formats.model_file.values import (
    FILE,
    FLAG,
    LIMITS,
    NUMBER,
    NUMBERS,
    TEXT,
    VECTOR,
    WHOLE,
    ChoiceType,
    TableType,
    ValueType,
    vector,
)
from linkwork.model import checked
from linkwork.model.contact.collider import HeightField
from linkwork.model.contact.material import Material
from linkwork.model.forces.curves import Curve
from linkwork.model.forces.roads import CosineBump, FlatRoad, Kerb, Profile, Ramp, Road, Stairs, Surface
from linkwork.model.forces.soft import Soft
from linkwork.model.forces.tyre import Calspan
from linkwork.model.frame import Frame
from linkwork.model.joints.cone import Cone
from linkwork.model.joints.guide_curve import GuideCurve
from linkwork.model.joints.guide_surface import GuideSurface
from linkwork.model.laws.laws import Cosine, Motion, Table
from linkwork.model.laws.step import Step
from linkwork.model.shapes.mesh import Mesh
from linkwork.model.shapes.shapes import Box, Capsule, Cylinder, Ellipsoid, Hull, Sphere

MOST_POINTS = 20_000  # of a guide curve: whether it crosses itself takes the square of this

MOST_STEPS = 10_000  # of stairs, each of which is a piece of the road


def _frame(along: Any = None, at: Any = None, **pose: Any) -> Frame:
    if along is None and at is None:
        return Frame(**pose)
    if along is None or pose:
        raise ModelError("a frame is given by position and rotation, or by along and at; give one of the two")
    return Frame.along(along, (0.0, 0.0, 0.0) if at is None else at)


FRAME = TableType("frame", {"position?": VECTOR, "rotation?": NUMBERS, "along?": VECTOR, "at?": VECTOR}, _frame)
_POSE = {"pose?": FRAME}


def _mesh(file: Path, **options: Any) -> Mesh:
    return Mesh(str(file), **options)


SHAPE = ChoiceType(
    "shape",
    {
        "box": TableType("box", {"size": VECTOR, **_POSE}, Box),
        "sphere": TableType("sphere", {"radius": NUMBER, **_POSE}, Sphere),
        "ellipsoid": TableType("ellipsoid", {"radii": VECTOR, **_POSE}, Ellipsoid),
        "cylinder": TableType(
            "cylinder", {"radius": NUMBER, "length": NUMBER, "inner_radius?": NUMBER, **_POSE}, Cylinder
        ),
        "capsule": TableType("capsule", {"radius": NUMBER, "length": NUMBER, **_POSE}, Capsule),
        "hull": TableType("hull", {"points": NUMBERS, **_POSE}, Hull),
        "mesh": TableType("mesh", {"file": FILE, "scale?": NUMBERS, "concavity?": NUMBER, **_POSE}, _mesh),
        "height_field": TableType("height field", {"heights": NUMBERS, "size": vector(2), **_POSE}, HeightField),
    },
)
SOFT = TableType(
    "softness",
    {"stiffness?": NUMBER, "damping?": NUMBER, "hertz?": NUMBER, "damping_ratio?": NUMBER, "bedding?": NUMBER},
    Soft,
)
CONE = TableType("cone", {"swing?": NUMBER, "twist?": LIMITS, "turn?": NUMBER}, Cone)


def _limits_or_cone(value: Any, info: Any) -> Any:
    return CONE.validate(value, info) if isinstance(value, dict) else LIMITS.validate(value, info)


LIMITS_OR_CONE = ValueType("low and high, or a cone", _limits_or_cone)
MATERIAL = TableType(
    "material",
    {
        "friction?": NUMBERS,
        "restitution?": NUMBER,
        "softness?": SOFT,
        "bounce_speed?": NUMBER,
        "rolling?": NUMBER,
        "torsional?": NUMBER,
        "grain?": VECTOR,
    },
    Material,
)


# laws


def _columns(file: Path, count: tuple[int, ...], told: str) -> Any:
    """The columns of a csv file."""
    rows = read_numbers(file)
    if rows.shape[1] not in count:
        raise ModelError(f"{file.name}: it has {rows.shape[1]} columns; give {told}")
    return rows.T


def _table(kind: Any) -> Any:
    """A maker of tables whose points are joined so."""

    def make(times: Any = None, values: Any = None, file: Path | None = None) -> Table:
        if file is None:
            if times is None or values is None:
                raise ModelError("a table needs times and values, or a file; give them")
            return Table(times, values, kind)
        if times is not None or values is not None:
            raise ModelError("its numbers are given twice; give times and values, or file")
        first, *rest = _columns(file, (2, 4), "the times and one number, or three, for each")
        return Table(first, rest[0] if len(rest) == 1 else np.array(rest).T, kind)

    return make


class CompiledLaw(TableType):
    """A compiled law of a module, by name."""

    def _checked(self, value: Any, info: Any) -> Any:
        keys = self.read(value, info.context)
        return info.context.modules.law(keys["compiled"], keys.get("parameters", {}))


def _law_numbers(value: Any, info: Any) -> dict[str, float]:
    if not isinstance(value, dict):
        raise ValueError(f"must be a table of numbers, got {checked.shown(value)}")
    return {
        name: each if isinstance(each, int) and not isinstance(each, bool) else NUMBER.validate(each, info)
        for name, each in value.items()
    }


LAW_NUMBERS = ValueType("table of numbers", _law_numbers)
_TABLE_KEYS = {"times?": NUMBERS, "values?": NUMBERS, "file?": FILE}
_AMOUNT = NUMBERS
LAW_TABLE = ChoiceType(
    "law",
    {
        "cosine": TableType(
            "cosine", {"amplitude": NUMBER, "frequency": NUMBER, "phase?": NUMBER, "offset?": NUMBER}, Cosine
        ),
        "step": TableType("step", {"value": _AMOUNT, "at": NUMBER, "before?": _AMOUNT, "rise?": NUMBER}, Step),
        "linear": TableType("table, linear between its points", _TABLE_KEYS, _table("linear")),
        "cubic": TableType("table, a cubic spline", _TABLE_KEYS, _table("cubic")),
        "compiled": CompiledLaw("compiled law", {"compiled": TEXT, "parameters?": LAW_NUMBERS}, dict),
    },
    {"compiled": "compiled", "times": "linear", "file": "linear"},
)


def _law(value: Any, info: Any) -> Any:
    return LAW_TABLE.validate(value, info) if isinstance(value, dict) else NUMBERS.validate(value, info)


LAW = ValueType("law", _law)


def _three_laws(value: Any, info: Any) -> Any:
    if not isinstance(value, list) or len(value) != 3:
        raise ValueError(f"must be three numbers or laws [x, y, z], got {checked.shown(value)}")
    return [_law(each, info) for each in value]


MOTION = TableType("motion", {"position?": ValueType("3 laws", _three_laws), "axis?": VECTOR, "angle?": LAW}, Motion)


# curves


def _points(x: Any, y: Any, file: Path | None) -> Any:
    if (x is None or y is None) == (file is None):
        raise ModelError("a curve needs x and y, or a file; give one of the two")
    return (x, y) if file is None else _columns(file, (2,), "x and y")


def _through(kind: Any) -> Any:
    def make(x: Any = None, y: Any = None, file: Path | None = None) -> Curve:
        across, up = _points(x, y, file)
        return Curve.through(across, up, kind)

    return make


def _cam(x: Any = None, y: Any = None, file: Path | None = None) -> Any:
    across, up = _points(x, y, file)
    return list(across), list(up)


_PIECES = TableType("polynomials", {"breaks": NUMBERS, "pieces": NUMBERS, "origins?": NUMBERS}, Curve)
_XY = {"x?": NUMBERS, "y?": NUMBERS, "file?": FILE}
_SAID = {"breaks": "pieces", "x": "linear", "file": "linear"}
CURVE_TABLE = ChoiceType(
    "curve",
    {
        "linear": TableType("linear between its points", _XY, _through("linear")),
        "cubic": TableType("a cubic spline", _XY, _through("cubic")),
        "pieces": _PIECES,
    },
    _SAID,
)
CAM_CURVE = ChoiceType(
    "curve of a cam",
    {"cubic": TableType("a cubic spline", _XY, _cam), "pieces": _PIECES},
    {"breaks": "pieces", "x": "cubic", "file": "cubic"},
)


def _number_or_curve(value: Any, info: Any) -> Any:
    return CURVE_TABLE.validate(value, info) if isinstance(value, dict) else NUMBER.validate(value, info)


NUMBER_OR_CURVE = ValueType("number or curve", _number_or_curve)


def _guide(points: Any, closed: bool = False) -> GuideCurve:
    if np.ndim(points) and len(points) > MOST_POINTS:
        raise ModelError(f"a guide curve has {MOST_POINTS} points at most, not {len(points)}; give fewer")
    return GuideCurve(points, closed)


GUIDE_CURVE = ChoiceType(
    "guide curve",
    {
        "points": TableType("through points", {"points": NUMBERS, "closed?": FLAG}, _guide),
        "line": TableType("line", {"start": VECTOR, "end": VECTOR}, GuideCurve.line),
        "circle": TableType(
            "circle", {"radius": NUMBER, "center?": VECTOR, "normal?": VECTOR, "start?": VECTOR}, GuideCurve.circle
        ),
        "ellipse": TableType(
            "ellipse",
            {"first": VECTOR, "second": VECTOR, "center?": VECTOR, "angles?": vector(2)},
            GuideCurve.ellipse,
        ),
    },
    {"points": "points"},
)
GUIDE_SURFACE = ChoiceType(
    "guide surface",
    {
        "plane": TableType("plane", {"normal": VECTOR, "center?": VECTOR}, GuideSurface.plane),
        "cylinder": TableType("cylinder", {"radius": NUMBER, "axis": VECTOR, "center?": VECTOR}, GuideSurface.cylinder),
        "sphere": TableType("sphere", {"radius": NUMBER, "center?": VECTOR}, GuideSurface.sphere),
        "heights": TableType("heights", {"x": NUMBERS, "y": NUMBERS, "z": NUMBERS}, GuideSurface.heights),
    },
)


# roads


def _profile(x: Any = None, z: Any = None, file: Path | None = None, join: Any = "linear", curve: Any = None) -> Road:
    if curve is not None:
        if x is not None or z is not None or file is not None:
            raise ModelError("a profile is given twice; give curve, or x and z, or file")
        return Profile.along(curve)
    along, up = _points(x, z, file)
    return Profile(along, up, join)


def _stairs(steps: int, **options: Any) -> Stairs:
    if steps > MOST_STEPS:
        raise ModelError(f"stairs have {MOST_STEPS} steps at most, not {steps}; give fewer, or a ramp")
    return Stairs(steps=steps, **options)


_STRETCH = {"height": NUMBER, "at": NUMBER, "length": NUMBER}
ROAD_PIECE = ChoiceType(
    "road",
    {
        "flat_road": TableType("level ground", {"height?": LAW}, FlatRoad),
        "cosine_bump": TableType("bump", _STRETCH, CosineBump),
        "kerb": TableType("kerb", {"height": NUMBER, "at": NUMBER, "edge?": NUMBER}, Kerb),
        "ramp": TableType("ramp", _STRETCH, Ramp),
        "stairs": TableType(
            "stairs", {"height": NUMBER, "at": NUMBER, "tread": NUMBER, "steps": WHOLE, "edge?": NUMBER}, _stairs
        ),
        "profile": TableType(
            "profile", {"x?": NUMBERS, "z?": NUMBERS, "file?": FILE, "join?": TEXT, "curve?": CURVE_TABLE}, _profile
        ),
        "surface": TableType("surface", {"function": LAW}, Surface),
    },
)


def _road(value: Any, info: Any) -> Any:
    """One road, or a list of roads that are added."""
    if not isinstance(value, list):
        return ROAD_PIECE.validate(value, info)
    if not value:
        raise ValueError("is an empty list; give one road or more, or leave it out")
    return reduce(add, [ROAD_PIECE.validate(each, info) for each in value])


ROAD = ValueType("road, or a list of roads", _road)
CALSPAN = TableType("side force by Calspan", {f"{name}?": NUMBER for name in Calspan.__dataclass_fields__}, Calspan)
