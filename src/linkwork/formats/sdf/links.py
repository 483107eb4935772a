"""Links of SDF: bodies with their mass, pictures and colliders; those of static models become part of the ground."""

from __future__ import annotations

import numpy as np

from linkwork.formats.inertia import inertia_fault, nearest_inertia
from linkwork.formats.naming import fitting
from linkwork.formats.sdf.auto_inertia import from_colliders
from linkwork.formats.sdf.building import Build
from linkwork.formats.sdf.geometry import Geometry
from linkwork.formats.sdf.scopes import Item, Scope
from linkwork.formats.sdf.surface import colour_of, material_of
from linkwork.formats.sdf.values import finite_of, flag, flag_of, number_of, raw_pose, saying
from linkwork.formats.xml_tree import XmlElement
from linkwork.model import Body
from linkwork.model.checked import LARGEST, Vector
from linkwork.model.frame import Frame

MOMENTS = (("ixx", "ixy", "ixz"), ("ixy", "iyy", "iyz"), ("ixz", "iyz", "izz"))


def read_link(build: Build, scope: Scope, link: Item) -> None:
    """Make the body of a link, with everything on it."""
    container = build.holders[scope].container
    if scope.static:
        body: Body = container.ground
        pose = build.pose(scope, link)
        _skip_inertial(link.element)
        build.receipt.understand(f"link '{link.name[:80]}'", link.place, "static: part of the ground")
    else:
        body = _body(build, scope, link)
        pose = Frame()
    _refuse_settings(build, link, scope)
    geometry = Geometry(build, link)
    for visual in link.element.all("visual"):
        _visual(build, scope, link, visual, body, pose, geometry)
    for collision in link.element.all("collision"):
        _collision(build, scope, link, collision, body, pose, geometry)


def _body(build: Build, scope: Scope, link: Item) -> Body:
    holder = build.holders[scope]
    name = fitting(holder.container, link.name, "body", build.receipt, link.place)
    mass, inertia, com = _mass_properties(build, scope, link)
    frame = build.pose(scope, link)
    with saying(link.element):
        body = holder.container.body(
            name, mass=mass, inertia=inertia, com=com, position=frame.position, rotation=frame.rotation
        )
    build.bodies[scope, link.name] = body
    build.receipt.understand(f"link '{link.name[:80]}'", link.place, f"{mass:g} kg")
    return body


def _mass_properties(build: Build, scope: Scope, link: Item) -> tuple[float, Vector, Vector]:
    """Mass, inertia about the centre of mass in the axes of the link, and that centre."""
    inertial = link.element.one("inertial")
    what = f"link '{link.name[:80]}'"
    if inertial is None:
        build.receipt.approximate(what, link.place, "it has no <inertial>: 1 kg and 1 kg m2, the default of SDF")
        return 1.0, np.eye(3), np.zeros(3)
    place = link.file.place(inertial)
    if flag(inertial.get("auto", "false") or "false", inertial):
        found = from_colliders(build, scope, link, inertial)
        inertial.read_whole()
        if found is not None:
            build.receipt.understand(f"<inertial auto> of {what}", place, "computed from its colliders")
            return found
        told = "masses are computed from boxes, spheres, cylinders and capsules alone; give it in the file"
        build.receipt.ignore(f"<inertial auto> of {what}", place, told)
        return 1.0, np.eye(3), np.zeros(3)
    mass = finite_of(inertial, "mass", 1.0)
    pose = inertial.one("pose")
    frame = raw_pose(pose)
    if pose is not None and not pose.get("frame"):
        pose.get("relative_to")  # an inertia is always given in its link
    moments = inertial.one("inertia")
    if moments is None:
        build.receipt.approximate(what, place, "it has no <inertia>: 1 kg m2, the default of SDF")
        own = np.eye(3)
    else:
        values = {name: finite_of(moments, name, 1.0 if name[1] == name[2] else 0.0) for name in set(sum(MOMENTS, ()))}
        own = np.array([[values[name] for name in row] for row in MOMENTS])
    if not max(abs(mass), float(np.abs(own).max())) < LARGEST:
        inertial.wrong("its mass or inertia is too large to be one; correct it")
    fault = inertia_fault(mass, own)
    if fault and build.options.repair and mass >= 0.0:
        own = nearest_inertia(own) if mass else np.zeros((3, 3))
        build.receipt.approximate(what, place, f"{fault}; repaired to the nearest that a body can have")
    elif fault:
        build.faults.append(f"{what} ({place}): {fault}")
        return 1.0, np.eye(3), frame.position
    R = frame.matrix
    turned = R @ own @ R.T
    return mass, (turned + turned.T) / 2, frame.position


def _skip_inertial(link: XmlElement) -> None:
    for inertial in link.all("inertial"):
        inertial.read_whole()


def _refuse_settings(build: Build, link: Item, scope: Scope) -> None:
    """What a link can say of its motion and a model of ours cannot."""
    element, what = link.element, f"of link '{link.name[:80]}'"
    matters = not scope.static
    flags = (
        ("gravity", True, "gravity acts on every body here"),
        ("kinematic", False, "no body moves without regard to forces here; use a moving ground"),
        ("enable_wind", False, "there is no wind here"),
    )
    for tag, default, told in flags:
        if flag_of(element, tag, default) != default:
            build.receipt.ignore(f"<{tag}> {what}", link.place, told, matters=matters)
    decay = element.one("velocity_decay")
    if decay is not None and any(number_of(decay, tag, 0.0) for tag in ("linear", "angular")):
        told = "bodies have no drag of their own here"
        build.receipt.ignore(f"<velocity_decay> {what}", link.place, told, matters=matters)
    flag_of(element, "must_be_base_link")


def _visual(
    build: Build, scope: Scope, link: Item, visual: XmlElement, body: Body, pose: Frame, geometry: Geometry
) -> None:
    place, label = link.file.place(visual), visual.get("name", "") or "visual"
    own = pose @ build.poses.of_child(scope, link, visual.one("pose"))
    shape = geometry.visual(visual, own)
    colour = colour_of(visual)
    if shape is None:
        return
    container = build.holders[scope].container
    label = label if "visual" in label.lower() else f"{label} visual"  # colliders often have the same names
    name = fitting(container, f"{link.name} {label}", "visual", build.receipt, place)
    with saying(visual):
        container.visual(name, body, shape, colour=colour)
    build.receipt.understand(f"visual '{label[:80]}'", place, type(shape).__name__)


def _collision(
    build: Build, scope: Scope, link: Item, collision: XmlElement, body: Body, pose: Frame, geometry: Geometry
) -> None:
    place, label = link.file.place(collision), collision.get("name", "") or "collision"
    if not build.options.contact:
        collision.read_whole()
        build.receipt.ignore(f"collision '{label[:80]}'", place, "contact=False", matters=False)
        return
    own = pose @ build.poses.of_child(scope, link, collision.one("pose"))
    collision.one("density")
    shapes = geometry.colliders(collision, own, label, on_ground=scope.static)
    material = material_of(build, link, collision)
    if material is None:
        return
    container = build.holders[scope].container
    group = None if scope.static or _meets_its_own(build, scope, link) else build.holders[scope].top
    for shape in shapes:
        name = fitting(container, f"{link.name} {label}", "collider", build.receipt, place)
        with saying(collision):
            if type(shape).__name__ == "Plane":
                container.plane(
                    name, at=shape.pose.position, normal=shape.pose.direction((0, 0, 1)), material=material, on=body
                )
            else:
                container.collider(name, body, shape, material=material, group=group)
        build.receipt.understand(f"collision '{label[:80]}'", place, type(shape).__name__)


def _meets_its_own(build: Build, scope: Scope, link: Item) -> bool:
    """Whether a link meets other links of its model."""
    own = flag_of(link.element, "self_collide", flag_of(scope.element, "self_collide"))
    return own if build.options.self_collision is None else build.options.self_collision
