"""WORDS: what a user says. Bodies, joints, forces, shapes, drives, ports, subsystems; no index, no algebra."""

from linkwork.errors import ModelError
from linkwork.model.body import Body, Foreign, Ground, Part
from linkwork.model.container import AnyDrive, AnyForce, Container
from linkwork.model.drive import Motor, Repeater
from linkwork.model.event import AttachOptions, Event, attached_joint
from linkwork.model.event_verbs import attached_name
from linkwork.model.force import Force, Spring, Torque, TorsionSpring
from linkwork.model.frame import Frame
from linkwork.model.joint import KINDS, Joint, JointKind, JointOptions
from linkwork.model.laws import Constant, Cosine, Law, LawLike, Motion, PythonLaw, Table, as_law, compiled
from linkwork.model.shapes import Box, Capsule, Cylinder, Mesh, Shape, Sphere
from linkwork.model.subsystem import Altered, Model, Parts, Subsystem

__all__ = [
    "KINDS",
    "Altered",
    "AnyDrive",
    "AnyForce",
    "AttachOptions",
    "Body",
    "Box",
    "Capsule",
    "Constant",
    "Container",
    "Cosine",
    "Cylinder",
    "Event",
    "Force",
    "Foreign",
    "Frame",
    "Ground",
    "Joint",
    "JointKind",
    "JointOptions",
    "Law",
    "LawLike",
    "Mesh",
    "Model",
    "ModelError",
    "Motion",
    "Motor",
    "Part",
    "Parts",
    "PythonLaw",
    "Repeater",
    "Shape",
    "Sphere",
    "Spring",
    "Subsystem",
    "Table",
    "Torque",
    "TorsionSpring",
    "as_law",
    "attached_joint",
    "attached_name",
    "compiled",
]
