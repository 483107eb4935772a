"""The description of a mechanism: bodies, joints, forces, shapes, drives, ports, subsystems; no index, no algebra."""

from linkwork.errors import ModelError
from linkwork.model.body import Body, Foreign, Ground, Part, Rotor
from linkwork.model.contact.collider import Collider, HeightField, Plane
from linkwork.model.contact.material import Material
from linkwork.model.container import AnyDrive, Container
from linkwork.model.control.event import AttachOptions, Event, attached_joint
from linkwork.model.control.event_verbs import attached_name
from linkwork.model.forces.bushing import Bushing
from linkwork.model.forces.curves import Curve
from linkwork.model.forces.drive import Motor
from linkwork.model.forces.force import Force, ForceElement, Spring, Torque, TorsionSpring
from linkwork.model.forces.roads import CosineBump, FlatRoad, Kerb, Profile, Ramp, Road, RoadPiece, Stairs, Surface
from linkwork.model.forces.soft import Soft
from linkwork.model.forces.tyre import Calspan, Tyre
from linkwork.model.frame import Frame
from linkwork.model.joints.cone import Cone
from linkwork.model.joints.coupling import Cam, Coupling, Differential, Gear, Rack, Repeater, Term
from linkwork.model.joints.guide_curve import GuideCurve
from linkwork.model.joints.guide_surface import GuideSurface
from linkwork.model.joints.joint import Distance, Joint, JointOptions, Slot, SurfaceJoint
from linkwork.model.joints.joint_kinds import KINDS, JointKind
from linkwork.model.joints.rolling import Rolling, RollingPair
from linkwork.model.laws.compiled_laws import compiled, compiled_state
from linkwork.model.laws.law_factory import law_factory, law_origin
from linkwork.model.laws.laws import Constant, Cosine, Law, LawLike, Motion, PythonLaw, Table, as_law
from linkwork.model.laws.step import Step
from linkwork.model.shapes.mesh import Mesh
from linkwork.model.shapes.shapes import Box, Capsule, Cylinder, Ellipsoid, Hull, Shape, Sphere
from linkwork.model.shapes.visual import Visual
from linkwork.model.subsystem import Altered, Model, Parts, Subsystem

__all__ = [
    "KINDS",
    "Altered",
    "AnyDrive",
    "AttachOptions",
    "Body",
    "Box",
    "Bushing",
    "Calspan",
    "Cam",
    "Capsule",
    "Collider",
    "Cone",
    "Constant",
    "Container",
    "Cosine",
    "CosineBump",
    "Coupling",
    "Curve",
    "Cylinder",
    "Differential",
    "Distance",
    "Ellipsoid",
    "Event",
    "FlatRoad",
    "Force",
    "ForceElement",
    "Foreign",
    "Frame",
    "Gear",
    "Ground",
    "GuideCurve",
    "GuideSurface",
    "HeightField",
    "Hull",
    "Joint",
    "JointKind",
    "JointOptions",
    "Kerb",
    "Law",
    "LawLike",
    "Material",
    "Mesh",
    "Model",
    "ModelError",
    "Motion",
    "Motor",
    "Part",
    "Parts",
    "Plane",
    "Profile",
    "PythonLaw",
    "Rack",
    "Ramp",
    "Repeater",
    "Road",
    "RoadPiece",
    "Rolling",
    "RollingPair",
    "Rotor",
    "Shape",
    "Slot",
    "Soft",
    "Sphere",
    "Spring",
    "Stairs",
    "Step",
    "Subsystem",
    "Surface",
    "SurfaceJoint",
    "Table",
    "Term",
    "Torque",
    "TorsionSpring",
    "Tyre",
    "Visual",
    "as_law",
    "compiled_state",
    "attached_joint",
    "attached_name",
    "compiled",
    "law_factory",
    "law_origin",
]
