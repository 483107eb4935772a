"""The description of a mechanism: bodies, joints, forces, shapes, drives, ports, subsystems; no index, no algebra."""

from linkwork.errors import ModelError
from linkwork.model.body import Body, Foreign, Ground, Part, Rotor
from linkwork.model.bushing import Bushing
from linkwork.model.collider import Collider, HeightField, Plane
from linkwork.model.compiled_laws import compiled, compiled_state
from linkwork.model.cone import Cone
from linkwork.model.container import AnyDrive, Container
from linkwork.model.coupling import Cam, Coupling, Differential, Gear, Rack, Repeater, Term
from linkwork.model.curves import Curve
from linkwork.model.drive import Motor
from linkwork.model.event import AttachOptions, Event, attached_joint
from linkwork.model.event_verbs import attached_name
from linkwork.model.force import Force, ForceElement, Spring, Torque, TorsionSpring
from linkwork.model.frame import Frame
from linkwork.model.guide_curve import GuideCurve
from linkwork.model.guide_surface import GuideSurface
from linkwork.model.joint import Distance, Joint, JointOptions, Slot, SurfaceJoint
from linkwork.model.joint_kinds import KINDS, JointKind
from linkwork.model.law_factory import law_factory, law_origin
from linkwork.model.laws import Constant, Cosine, Law, LawLike, Motion, PythonLaw, Table, as_law
from linkwork.model.material import Material
from linkwork.model.mesh import Mesh
from linkwork.model.roads import CosineBump, FlatRoad, Kerb, Profile, Ramp, Road, RoadPiece, Stairs, Surface
from linkwork.model.rolling import Rolling, RollingPair
from linkwork.model.shapes import Box, Capsule, Cylinder, Ellipsoid, Hull, Shape, Sphere
from linkwork.model.soft import Soft
from linkwork.model.step import Step
from linkwork.model.subsystem import Altered, Model, Parts, Subsystem
from linkwork.model.tyre import Calspan, Tyre
from linkwork.model.visual import Visual

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
