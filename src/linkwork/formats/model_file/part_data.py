"""Parts of a model as the tables of a file: the keywords with which the verb makes the same part again."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.errors import ModelError
from linkwork.formats.model_file.beside import CannotSay
from linkwork.formats.model_file.value_data import (
    Data,
    ValueWriter,
    along_data,
    bits,
    calspan_data,
    cone_data,
    frame_data,
    is_zero,
    material_data,
    place_keys,
    soft_data,
)
from linkwork.model import names
from linkwork.model.body import Body, Ground, Part, Rotor, mass_properties
from linkwork.model.contact.collider import Collider, Plane
from linkwork.model.contact.contact_pair import ContactPair
from linkwork.model.contact.material import Material
from linkwork.model.contact.touch import TouchSensor
from linkwork.model.container import Container, find_body, find_joint
from linkwork.model.control.event import Event
from linkwork.model.forces.bushing import Bushing
from linkwork.model.forces.drive import Motor
from linkwork.model.forces.force import Force, ForceElement, Spring, Torque, TorsionSpring
from linkwork.model.forces.roads import FlatRoad
from linkwork.model.forces.tyre import Gyroscope, Tyre
from linkwork.model.frame import Frame
from linkwork.model.joints.cone import Cone
from linkwork.model.joints.coupling import Coupling
from linkwork.model.joints.joint import Distance, Joint, Slot, SurfaceJoint
from linkwork.model.joints.rolling import Rolling, RollingPair
from linkwork.model.shapes.visual import Visual


class PartWriter:
    """The parts of one container as data; other parts are named from there."""

    def __init__(self, container: Container, values: ValueWriter) -> None:
        self.container = container
        self.values = values

    def name(self, part: Part) -> str:
        """The name by which the container finds a part."""
        return self.path(part, part.path)

    def path(self, part: Part | None, whole: str) -> str:
        """A full name as it is told in the container; `part` is what it must find, if that is known."""
        outer = self.container.path
        text = whole[len(outer) + 1 :] if outer else whole
        *before, last = names.split(text)
        kinds = [names.joined([*before, names.PathStep(kind, last.name)]) for kind in names.KINDS]
        find = find_joint if isinstance(part, Joint) else find_body
        for each in (text, *kinds) if part is not None else ():
            try:
                if find(self.container, each, "") is part:
                    return each
            except ModelError:
                continue
        if part is not None:
            raise CannotSay(f"'{whole}' has a name that others have too; give it another one")
        return text

    # bodies

    def body(self, body: Body) -> Data:
        """A body: the shortest way to say its mass properties that gives the same bits."""
        data: Data = {"name": body.name}
        if isinstance(body, Rotor):
            data["rotor"] = float(body.inertia[2, 2])
        elif body.density is None:
            data["mass"] = body.mass
        else:
            data["density"] = body.density
        if body.shape is not None:
            data["shape"] = self.values.shape(body.shape, body.path)
        data |= ({} if isinstance(body, Rotor) else self._moments(body)) | pose_data(body.reference)
        return data | surface_data(body.material, body.group, always=False)

    def _moments(self, body: Body) -> Data:
        mass = body.mass if body.density is None else None
        centre: Data = {"com": body.com.tolist()}
        whole: Any = body.inertia.tolist()
        moments: list[Data] = [{"inertia": np.diag(body.inertia).tolist()}, {"inertia": whole}]
        if is_zero(body.inertia):
            moments.insert(0, {"inertia": 0.0})
        for said in ({}, centre, *moments, *(each | centre for each in moments)):
            try:
                made = mass_properties("", mass, body.density, said.get("inertia"), said.get("com"), body.shape)
            except ModelError:
                continue
            if [bits(each) for each in made] == [bits(body.mass), bits(body.inertia), bits(body.com)]:
                return said
        raise CannotSay(f"body '{body.path}' has an inertia that model.body would not give it")

    def moving_ground(self, ground: Ground) -> Data:
        """A ground with a motion."""
        if ground.motion is None or type(ground) is not Ground:
            raise CannotSay("it belongs to a component elsewhere; write that one by itself")
        pose = place_keys(ground.reference or Frame())
        return {"name": ground.name, "motion": self.values.motion(ground.motion, ground.path), **pose}

    # joints

    def joint(self, joint: Joint) -> Data:
        """A joint."""
        data: Data = {"kind": joint.kind, "name": joint.name, "a": self.name(joint.a), "b": self.name(joint.b)}
        match joint:
            case Distance():
                data |= points_data(joint)
                return data if joint.length is None else {**data, "length": joint.length}
            case Rolling():
                ways = (("normal", "at_a"), ("axis", "at_b"))
                return data | {"radius": joint.radius} | wheels_data(joint, ways)
            case RollingPair():
                sizes = {"radius_a": joint.radius_a, "radius_b": joint.radius_b}
                inner = {"inside": True} if joint.inside else {}
                return data | sizes | inner | wheels_data(joint, (("axis_a", "at_a"), ("axis_b", "at_b")))
            case Slot():
                data["curve"] = self.values.guide(joint.curve, joint.path)
            case SurfaceJoint():
                data["surface"] = self.values.guide_surface(joint.surface, joint.path)
            case _:
                return data | place_data(joint) | amounts_data(joint)
        if joint.frame_a is not None and frame_data(joint.frame_a):
            data["frame_a"] = frame_data(joint.frame_a)
        if joint.frame_b is not None and not is_zero(joint.frame_b.position):
            data["at_b"] = joint.frame_b.position.tolist()
        return data | amounts_data(joint, "cut")

    # forces

    def force(self, force: ForceElement) -> Data:
        """A spring, torque, force, bushing, tyre or gyroscope."""
        told = force.path
        match force:
            case Spring():
                return self._spring(force, told)
            case TorsionSpring():
                data: Data = {"kind": "torsion_spring", "name": force.name, "joint": self.name(force.joint)}
                data |= some_of(force, "stiffness", "damping")
                return data if is_zero(force.angle) else {**data, "angle": force.angle}
            case Torque():
                data = {"kind": "torque", "name": force.name, "target": self.name(force.target)}
                data["law"] = self.values.law(force.law, told)
                if isinstance(force.target, Joint):
                    return {**data, "coordinate": force.coordinate} if force.coordinate else data
                return data | axis_data(force)
            case Force():
                data = {"kind": "force", "name": force.name, "body": self.name(force.body)}
                data["law"] = self.values.law(force.law, told)
                return data | axis_data(force) | ({} if is_zero(force.at) else {"at": force.at.tolist()})
            case Bushing():
                data = {"kind": "bushing", "name": force.name, "a": self.name(force.a), "b": self.name(force.b)}
                return data | matrices_data(force) | place_data(force)
            case Tyre():
                return self._tyre(force, told)
            case Gyroscope():
                data = {"kind": "gyroscope", "name": force.name, "body": self.name(force.body)}
                return data | {"axis": force.axis.tolist(), "momentum": force.momentum}
        raise CannotSay(f"files have no {force.word}")

    def _spring(self, spring: Spring, told: str) -> Data:
        data: Data = {"kind": "spring", "name": spring.name, "a": self.name(spring.a), "b": self.name(spring.b)}
        data |= {key: getattr(spring, key).tolist() for key in ("at_a", "at_b") if not is_zero(getattr(spring, key))}
        amounts: Data = {"stiffness": spring.stiffness, "damping": spring.damping}
        said = {key: self.values.amount(value, f"{told} {key}") for key, value in amounts.items() if value != 0.0}
        if not said and spring.law is None:
            said = {"stiffness": 0.0}
        data |= said
        if not is_zero(spring.length):
            data["length"] = spring.length
        if spring.axis is not None:
            data["axis"] = spring.axis.tolist()
        return data if spring.law is None else {**data, "law": self.values.law(spring.law, told)}

    def _tyre(self, tyre: Tyre, told: str) -> Data:
        data: Data = {"kind": "tyre", "name": tyre.name, "body": self.name(tyre.body)}
        data |= {"radius": tyre.radius, "stiffness": tyre.stiffness}
        if not is_zero(tyre.damping):
            data["damping"] = tyre.damping
        if not is_zero(tyre.at):
            data["at"] = tyre.at.tolist()
        if bits(tyre.axis) != bits((0.0, 1.0, 0.0)):
            data["axis"] = tyre.axis.tolist()
        if tyre.road != FlatRoad():
            data["road"] = self.values.road(tyre.road, told)
        return data if tyre.side is None else {**data, "side": calspan_data(tyre.side)}

    # drives

    def drive(self, drive: Motor | Coupling) -> Data:
        """A motor or a coupling."""
        data: Data = {"kind": type(drive).__name__.lower(), "name": drive.name}
        if isinstance(drive, Motor):
            return data | self._motor(drive)
        joints = [self.name(term.joint) for term in drive.terms]
        factor = -drive.terms[1].factor
        tied = {} if is_zero(drive.backlash) else {"backlash": drive.backlash}
        if drive.counted:
            tied["offset"] = drive.offset
        match data["kind"]:
            case "gear":
                carrier = {"carrier": joints[2]} if len(joints) > 2 else {}
                return data | {"joint_a": joints[1], "joint_b": joints[0], "ratio": factor, **carrier, **tied}
            case "rack":
                return data | {"pinion": joints[1], "rack": joints[0], "radius": factor, **tied}
            case "differential":
                return data | {"left": joints[0], "right": joints[1], "cage": joints[2]}
            case "cam":
                shape = drive.terms[1].curve
                assert shape is not None
                curve = self.values.curve(shape.curve, drive.path)
                repeats = {"periodic": bool(shape.period)}
                return data | {"joint": joints[1], "follower": joints[0], "curve": curve, **repeats}
            case "repeater":
                return data | {"joint": joints[1], "follower": joints[0], "ratio": factor}
        raise CannotSay(f"files have no {drive.word}")

    def _motor(self, motor: Motor) -> Data:
        data: Data = {"joint": self.name(motor.joint)}
        for key, law in (("velocity", motor.velocity), ("position", motor.position)):
            if law is not None:
                data[key] = self.values.law(law, motor.path)
        if motor.max_torque != float("inf"):
            data["max_torque"] = motor.max_torque
        if motor.softness is not None:
            data["softness"] = soft_data(motor.softness)
        return {**data, "coordinate": motor.coordinate} if motor.joint.nv > 1 else data

    # contacts, pictures, events

    def contact(self, collider: Collider) -> Data:
        """A plane or another shape that collides."""
        material = surface_data(collider.material, collider.group, always=True)
        if isinstance(collider.shape, Plane):
            data: Data = {"kind": "plane", "name": collider.name}
            on = {} if collider.body is self.container.ground else {"on": self.name(collider.body)}
            place = along_data(collider.shape.pose, "normal", "at")
            return data | ({"pose": frame_data(collider.shape.pose)} if place is None else place) | material | on
        data = {"kind": "collider", "name": collider.name, "body": self.name(collider.body)}
        return {**data, "shape": self.values.shape(collider.shape, collider.path), **material}

    def touch_sensor(self, sensor: TouchSensor) -> Data:
        """A touch sensor."""
        data: Data = {"kind": "touch_sensor", "name": sensor.name, "body": self.name(sensor.body)}
        return data if sensor.region is None else {**data, "region": self.values.shape(sensor.region, sensor.path)}

    def pair(self, pair: ContactPair) -> Data:
        """Two bodies or two materials that meet in their own way."""
        data: Data = {"kind": "contact_pair"}
        if isinstance(pair.a, Material) and isinstance(pair.b, Material):
            data = {"kind": "material_pair", "a": material_data(pair.a), "b": material_data(pair.b)}
        elif isinstance(pair.a, Body) and isinstance(pair.b, Body):
            data |= {"a": self.name(pair.a), "b": self.name(pair.b)}
        return data | pair.numbers.given()

    def visual(self, visual: Visual) -> Data:
        """A shape that is only drawn."""
        data: Data = {"name": visual.name, "body": self.name(visual.body)}
        data["shape"] = self.values.shape(visual.shape, visual.path)
        if visual.colour is None:
            return data
        coded = "#" + "".join(f"{round(255 * x):02x}" for x in visual.colour)
        exact = all(round(255 * x) / 255 == x for x in visual.colour)
        return {**data, "colour": (coded[:7] if coded[7:] == "ff" else coded) if exact else list(visual.colour)}

    def event(self, event: Event) -> Data:
        """A joint attached or released at a time."""
        if event.time is None:
            raise CannotSay("it happens on a condition, which files do not hold; give it a time")
        if event.joint is None:
            return {"kind": "release", "joint": self.path(None, event.path), "time": event.time}
        joint = event.joint
        data: Data = {"kind": "attach", "a": self.name(joint.a), "b": self.name(joint.b), "joint": joint.kind}
        data |= {"name": event.name, "time": event.time}
        for key in ("at", "axis"):
            if getattr(joint, key) is not None:
                data[key] = getattr(joint, key).tolist()
        frames = {key: getattr(joint, key) for key in ("frame_a", "frame_b")}
        data |= {key: frame_data(frame) for key, frame in frames.items() if frame is not None}
        amounts = {key: getattr(joint, key) for key in ("damping", "stiffness", "rest", "pitch")}
        return data | {key: value for key, value in amounts.items() if not is_zero(value)}


def pose_data(frame: Frame | None) -> Data:
    """Position and rotation of a body; at least the position where it has a place at all."""
    if frame is None:
        return {}
    return place_keys(frame) or {"position": [0.0, 0.0, 0.0]}


def surface_data(material: Material | None, group: str | None, *, always: bool) -> Data:
    """Material and group; a material that is the usual one is left out where `always` one is there."""
    said = {} if material is None else material_data(material)
    data: Data = {"material": said} if material is not None and (said or not always) else {}
    return data if group is None else {**data, "group": group}


def place_data(part: Joint | Bushing) -> Data:
    """Point and axis, or frames."""
    data: Data = {}
    for key in ("at", "axis"):
        value = getattr(part, key)
        if value is not None:
            data[key] = value.tolist()
    if part.frame_a is None or part.frame_b is None:
        return data
    frames = {"frame_a": frame_data(part.frame_a), "frame_b": frame_data(part.frame_b)}
    said = {key: frame for key, frame in frames.items() if frame}
    free = isinstance(part, Joint) and part.kind == "free"
    return data | (said or ({} if free else {"frame_a": {"position": [0.0, 0.0, 0.0]}}))


def amounts_data(joint: Joint, *left_out: str) -> Data:
    """Start values, stops and what acts in a joint."""
    data: Data = {}
    for key in ("position", "velocity"):
        values = getattr(joint, key)
        if values is not None:
            data[key] = values[0] if len(values) == 1 else list(values)
    if isinstance(joint.limits, Cone):
        data["limits"] = cone_data(joint.limits)
    elif joint.limits is not None:
        data["limits"] = [list(each) if isinstance(each, tuple) else each for each in joint.limits]
    if joint.limit_softness is not None:
        data["limit_softness"] = soft_data(joint.limit_softness)
    amounts = ("friction", "damping", "stiffness", "rest", "armature", "pitch")
    data |= {key: getattr(joint, key) for key in amounts if not is_zero(getattr(joint, key))}
    return {**data, "cut": True} if joint.cut and "cut" not in left_out else data


def points_data(joint: Distance) -> Data:
    """The two points of a rod."""
    ends = {"at_a": joint.frame_a, "at_b": joint.frame_b}
    return {
        key: frame.position.tolist() for key, frame in ends.items() if frame is not None and not is_zero(frame.position)
    }


def wheels_data(joint: Joint, words: tuple[tuple[str, str], tuple[str, str]]) -> Data:
    """Axes and points of wheels, or their frames where these do not give them to the last bit."""
    assert joint.frame_a is not None
    assert joint.frame_b is not None
    first, second = along_data(joint.frame_a, *words[0]), along_data(joint.frame_b, *words[1])
    if first is None or second is None:
        return {"frame_a": frame_data(joint.frame_a), "frame_b": frame_data(joint.frame_b)}
    return first | second


def axis_data(force: Torque | Force) -> Data:
    """The direction of a force or torque on a body, and the axes it is in."""
    data: Data = {} if force.axis is None else {"axis": force.axis.tolist()}
    usual = "world" if force.axis is None else "body"
    return data if force.frame == usual else {**data, "frame": force.frame}


def matrices_data(bushing: Bushing) -> Data:
    """Stiffness and damping of a bushing: six numbers where nothing couples them."""
    data: Data = {}
    for key, matrix in (("stiffness", bushing.stiffness), ("damping", bushing.damping)):
        diagonal = np.diag(matrix)
        if not is_zero(matrix):
            data[key] = (diagonal if bits(np.diag(diagonal)) == bits(matrix) else matrix).tolist()
    return data or {"stiffness": [0.0] * 6}


def some_of(part: Part, *keys: str) -> Data:
    """The numbers that are not zero; the first one where all are."""
    data = {key: getattr(part, key) for key in keys if not is_zero(getattr(part, key))}
    return data or {keys[0]: getattr(part, keys[0])}
