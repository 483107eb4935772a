"""Objects of a model as the data of a file: what the tables of value_tables.py read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.formats.model_file.allowed_modules import AllowedModules
from linkwork.formats.model_file.beside import Beside, CannotSay
from linkwork.model.contact.collider import HeightField
from linkwork.model.contact.material import Material
from linkwork.model.forces.curves import Curve
from linkwork.model.forces.roads import (
    CosineBump,
    FlatRoad,
    Kerb,
    Profile,
    Ramp,
    Road,
    Stairs,
    SummedRoad,
    Surface,
)
from linkwork.model.forces.soft import Soft
from linkwork.model.forces.tyre import Calspan
from linkwork.model.frame import Frame
from linkwork.model.joints.cone import WHOLE_TURN, Cone
from linkwork.model.joints.guide_curve import GuideCurve
from linkwork.model.joints.guide_surface import GuideSurface
from linkwork.model.laws.laws import Constant, Cosine, Law, Motion, PythonLaw, Table
from linkwork.model.laws.step import Step
from linkwork.model.shapes.mesh import Mesh
from linkwork.model.shapes.shapes import Box, Capsule, Cylinder, Ellipsoid, Hull, Shape, Sphere

Data = dict[str, Any]

PLAIN_SHAPES: Mapping[type, str] = {
    Box: "box",
    Sphere: "sphere",
    Ellipsoid: "ellipsoid",
    Cylinder: "cylinder",
    Capsule: "capsule",
}
PLAIN_ROADS: Mapping[type, str] = {CosineBump: "cosine_bump", Kerb: "kerb", Ramp: "ramp", Stairs: "stairs"}


def bits(value: Any) -> bytes:
    """Numbers to the last bit, the sign of a zero too."""
    return np.asarray(value, dtype=float).tobytes()


def is_zero(value: Any) -> bool:
    """Whether all numbers are positive zeros."""
    return not any(bits(value))


def frame_data(frame: Frame) -> Data:
    """A frame: by its z axis where that is told in fewer digits and gives the same bits."""
    plain, along = place_keys(frame), along_data(frame, "along", "at")
    return along if along is not None and len(repr(along)) < len(repr(plain)) else plain


def place_keys(frame: Frame) -> Data:
    """Position and rotation of a frame, where they are not zero."""
    data: Data = {}
    if not is_zero(frame.position):
        data["position"] = frame.position.tolist()
    if bits(frame.rotation) != bits((1.0, 0.0, 0.0, 0.0)):
        data["rotation"] = frame.rotation.tolist()
    return data


def field_data(value: Any, *left_out: str) -> Data:
    """The fields of an object that differ from their defaults."""
    data: Data = {}
    for each in fields(value):
        said = getattr(value, each.name)
        if each.name in left_out or not each.init or said is None:
            continue
        if isinstance(said, float) and isinstance(each.default, float) and bits(said) == bits(each.default):
            continue
        data[each.name] = list(said) if isinstance(said, tuple) else said
    return data


def soft_data(soft: Soft) -> Data:
    """An `lw.Soft`."""
    return field_data(soft)


def cone_data(cone: Cone) -> Data:
    """An `lw.Cone`."""
    data: Data = {} if cone.swing == math.inf else {"swing": cone.swing}
    if cone.twist != WHOLE_TURN:
        data["twist"] = list(cone.twist)
    return data if cone.turn == math.inf else {**data, "turn": cone.turn}


def material_data(material: Material) -> Data:
    """An `lw.Material`."""
    data = field_data(material, "softness")
    return data if material.softness is None else {**data, "softness": soft_data(material.softness)}


def calspan_data(law: Calspan) -> Data:
    """An `lw.Calspan`."""
    return field_data(law)


class ValueWriter:
    """Shapes, laws, curves and roads as data; long numbers go into files beside."""

    def __init__(self, beside: Beside, modules: AllowedModules) -> None:
        self.beside = beside
        self.modules = modules

    def shape(self, shape: Shape, told: str) -> Data:
        """A shape."""
        pose = frame_data(shape.pose)
        end: Data = {"pose": pose} if pose else {}
        if type(shape) in PLAIN_SHAPES:
            return {"kind": PLAIN_SHAPES[type(shape)], **field_data(shape, "pose"), **end}
        if isinstance(shape, Hull):
            return {"kind": "hull", "points": self.beside.numbers(shape.points, f"{told} points"), **end}
        if isinstance(shape, Mesh):
            how = {"concavity": shape.concavity} if shape.concavity != 0.05 else {}
            return {"kind": "mesh", **self.beside.mesh(shape, f"{told} mesh"), **how, **end}
        if isinstance(shape, HeightField):
            heights = self.beside.numbers(shape.heights, f"{told} heights")
            return {"kind": "height_field", "heights": heights, "size": list(shape.size), **end}
        raise CannotSay(f"its shape is a {type(shape).__name__}, which files do not have")

    def law(self, law: Law, told: str) -> Any:
        """A law."""
        match law:
            case Constant():
                return law.value.tolist() if isinstance(law.value, np.ndarray) else float(law.value)
            case Cosine():
                return {"kind": "cosine", **field_data(law)}
            case Step():
                data: Data = {"kind": "step", "value": _amount(law.value), "at": law.at}
                if not (isinstance(law.before, float) and is_zero(law.before)):
                    data["before"] = _amount(law.before)
                return data if is_zero(law.rise) else {**data, "rise": law.rise}
            case Table():
                return {"kind": law.kind, **self._table(law, told)}
            case PythonLaw():
                return self._compiled(law)
        raise CannotSay(f"its law is a {type(law).__name__}, which files do not have")

    def _table(self, law: Table, told: str) -> Data:
        file = self.beside.columns([law.times, law.values], f"{told} table")
        return {"file": file} if file else {"times": law.times.tolist(), "values": law.values.tolist()}

    def _compiled(self, law: PythonLaw) -> Data:
        origin = self.modules.named(law)
        if isinstance(origin, str):
            raise CannotSay(origin)
        data: Data = {"compiled": f"{origin.module}:{origin.name}"}
        return {**data, "parameters": dict(origin.numbers)} if origin.numbers else data

    def motion(self, motion: Motion, told: str) -> Data:
        """The motion of a ground."""
        data: Data = {"position": [self.law(law, told) for law in motion.position]}
        if bits(motion.axis) != bits((0.0, 0.0, 1.0)):
            data["axis"] = motion.axis.tolist()
        if motion.angle != Constant(0.0):
            data["angle"] = self.law(motion.angle, told)
        return data

    def curve(self, curve: Curve, told: str) -> Data:
        """A piecewise polynomial."""
        used = [k for k in range(curve.pieces.shape[1]) if not is_zero(curve.pieces[:, k])]
        rows = curve.pieces[:, : max(max(used, default=0) + 1, 2)]
        data: Data = {
            "breaks": self.beside.numbers(curve.breaks, f"{told} breaks"),
            "pieces": self.beside.numbers(rows, f"{told} pieces"),
        }
        if not is_zero(curve.origins):
            data["origins"] = self.beside.numbers(curve.origins, f"{told} origins")
        return data

    def amount(self, value: float | Curve, told: str) -> Any:
        """A number or a curve."""
        return self.curve(value, told) if isinstance(value, Curve) else float(value)

    def guide(self, curve: GuideCurve, told: str) -> Data:
        """A curve that guides a point."""
        if "points" not in curve.given:
            return {"kind": "ellipse", **curve.given}
        data: Data = {"points": self.beside.numbers(curve.given["points"], f"{told} points")}
        return {**data, "closed": True} if curve.closed else data

    def guide_surface(self, surface: GuideSurface, told: str) -> Data:
        """A surface that guides a point."""
        data: Data = {"kind": surface.kind}
        if surface.kind == "heights":
            grid = {"x": surface.x, "y": surface.y, "z": surface.z}
            return data | {key: self.beside.numbers(value, f"{told} {key}") for key, value in grid.items()}
        if surface.kind != "plane":
            data["radius"] = surface.radius
        if surface.kind != "sphere":
            data["normal" if surface.kind == "plane" else "axis"] = surface.axis.tolist()
        return data if is_zero(surface.center) else {**data, "center": surface.center.tolist()}

    def road(self, road: Road, told: str) -> Any:
        """A road, or a list of roads that are added."""
        if isinstance(road, SummedRoad):
            return [self.road(each, f"{told} {k + 1}") for k, each in enumerate(road.summands)]
        if type(road) in PLAIN_ROADS:
            return {"kind": PLAIN_ROADS[type(road)], **field_data(road)}
        if isinstance(road, FlatRoad):
            level = {} if road.height == Constant(0.0) else {"height": self.law(road.height, told)}
            return {"kind": "flat_road", **level}
        if isinstance(road, Profile):
            return {"kind": "profile", "curve": self.curve(road.curve, told)}
        if isinstance(road, Surface):
            return {"kind": "surface", "function": self.law(road.function, told)}
        raise CannotSay(f"its road is a {type(road).__name__}, which files do not have")


def _amount(value: Any) -> Any:
    return value.tolist() if isinstance(value, np.ndarray) else float(value)


def along_data(frame: Frame, axis: str, at: str) -> Data | None:
    """Axis and point from which `Frame.along` gives this very frame; None where none is found."""
    for way in (np.round(frame.matrix[:, 2], 15) + 0.0, frame.matrix[:, 2]):
        try:
            same = Frame.along(way, frame.position)
        except ModelError:
            continue
        if bits(same.rotation) == bits(frame.rotation):
            usual = bits(way) == bits((0.0, 0.0, 1.0)) and axis != "along"
            place: Data = {} if usual else {axis: way.tolist()}
            return place if is_zero(frame.position) else {**place, at: frame.position.tolist()}
    return None
