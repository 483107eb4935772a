"""Models as URDF files: trees of bodies, each link with its frame at the joint that carries it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from linkwork.assembly.graph import Forest, span
from linkwork.assembly.massless import rounded
from linkwork.assembly.reference import Reference
from linkwork.assembly.rotors import Inertia
from linkwork.errors import ModelError, OptionError
from linkwork.formats.receipt import Receipt
from linkwork.formats.urdf.written_gears import Followers
from linkwork.formats.urdf.written_joints import JointTexts
from linkwork.formats.urdf.written_shapes import ShapeTexts
from linkwork.formats.urdf.written_xml import attribute, numbers, pose
from linkwork.model import Body, Coupling, Frame, Model, Motor, Rotor, names

EARTH = (0.0, 0.0, -9.81)  # m/s2; programs that read URDF bring their own gravity
NEARLY = 0.02  # m/s2 by which it may differ


def write_urdf(model: Model, path: Path, receipt: Receipt, *, meshes: str = "obj") -> dict[Path, bytes]:
    """The files of a model: the URDF, and a file in the folder meshes/ for each mesh, in `meshes` format (obj, stl)."""
    if meshes not in ("obj", "stl"):
        raise OptionError(f'meshes is {meshes!r}; give "obj", which keeps all digits, or "stl"')
    forest = span(model)
    _refuse_free_groups(forest)
    links = LinkNames(model)
    reference = Reference(model)
    joints = JointTexts(forest, reference, links, receipt, _motors(model))
    joints.write()
    shapes = ShapeTexts(model, path, joints.frames, receipt, meshes)
    followers = Followers(model, joints, receipt)
    _tell_losses(model, forest, receipt)
    lines = ['<?xml version="1.0"?>', f"<robot name={attribute(model.name)}>"]
    lines += shapes.colours
    lines += [f"  <link name={attribute(links.world)}>", *shapes.on_ground, "  </link>"]
    lent = rounded(model, reference)
    for body in joints.order:
        frame, has = joints.frames[id(body)], lent.get(id(body)) or Inertia(body.mass, body.com, body.inertia)
        lines += [f"  <link name={attribute(links.of(body))}>", *_inertial(has, frame), *shapes.of(body), "  </link>"]
        receipt.understand(f"body '{body.path}'", "", f"{has.mass:g} kg")
        if isinstance(body, Rotor) and id(body) not in lent:
            receipt.ignore(f"rotor '{body.path}'", "", "its carrier has too little inertia to make it a body")
    lines += [f"  <link name={attribute(name)}/>" for name in joints.between]
    for joint in joints.texts:
        lines += joint.lines(followers.of(joint.name))
    return {path: "\n".join([*lines, "</robot>", ""]).encode()} | shapes.files


class LinkNames:
    """Names of links: full names of bodies, each once."""

    def __init__(self, model: Model) -> None:
        self._names: dict[int, str] = {}
        self._taken: set[str] = set()
        for body in model.all_bodies():
            self._names[id(body)] = self.fresh(names.without_kinds(body.path))
        self.world = "world" if "world" not in self._taken else self.fresh("ground")

    def fresh(self, wanted: str) -> str:
        """A name that no other link has."""
        found, number = wanted, 2
        while found in self._taken:
            found, number = f"{wanted} {number}", number + 1
        self._taken.add(found)
        return found

    def of(self, body: Body) -> str:
        """The link of a body; of a ground, the world."""
        return self._names.get(id(body), self.world)


def _inertial(has: Inertia, frame: Frame) -> list[str]:
    """Mass, centre of mass and inertia, in the axes of the link."""
    if has.mass == 0.0:
        return []
    seen = frame.inverse()
    R = seen.matrix
    I = R @ has.moments @ R.T
    I = (I + I.T) / 2
    moments = " ".join(
        f'{name}="{numbers([I[i, j]])}"'
        for name, i, j in (("ixx", 0, 0), ("ixy", 0, 1), ("ixz", 0, 2), ("iyy", 1, 1), ("iyz", 1, 2), ("izz", 2, 2))
    )
    return [
        "    <inertial>",
        f"      {pose(Frame(seen.point(has.com)))}",
        f'      <mass value="{numbers([has.mass])}"/>',
        f"      <inertia {moments}/>",
        "    </inertial>",
    ]


def _motors(model: Model) -> dict[int, float]:
    """The largest torque of the motor of a joint."""
    drives = [drive for drive in model.all_drives() if isinstance(drive, Motor)]
    return {id(drive.joint): drive.max_torque for drive in drives if np.isfinite(drive.max_torque)}


def _refuse_free_groups(forest: Forest) -> None:
    """Raise for what a URDF tree cannot be."""
    joined = {id(step.parent) for step in forest.steps if step.joint is not None}
    for body in forest.floating:
        if id(body) in joined:
            raise ModelError(
                f"body '{body.path}' is joined to other bodies but none of them to a ground; join one of them to a "
                f"ground, or say model.free(name, model.ground, '{body.path}')"
            )


def _tell_losses(model: Model, forest: Forest, receipt: Receipt) -> None:
    """What URDF has no words for."""
    for joint in forest.cuts:
        receipt.ignore(f"{joint.kind} joint '{joint.path}'", "", "it closes a loop, and URDF has trees alone")
    for force in model.all_forces():
        receipt.ignore(f"{force.word} '{force.path}'", "", "URDF has no forces")
    for drive in model.all_drives():
        if not isinstance(drive, Coupling):
            receipt.ignore(f"{drive.word} '{drive.path}'", "", "URDF has no motors that run")
    for event in model.all_events():
        receipt.ignore(f"{event.word} '{event.path}'", "", "URDF has no events")
    for ground in model.all_grounds():
        if ground.motion is not None:
            receipt.ignore(f"moving ground '{ground.path}'", "", "the world does not move in URDF")
    if np.abs(model.gravity - EARTH).max() > NEARLY:
        receipt.ignore("gravity", "", f"{numbers(model.gravity)} m/s2; URDF cannot say it")
    colliding = {id(collider.body) for collider in model.all_colliders()}
    for container in model.walk():
        for a, b in container.apart:
            if id(a) in colliding and id(b) in colliding:
                receipt.ignore(f"no contact of '{a.path}' and '{b.path}'", "", "URDF cannot say it")
        if container is not model:
            receipt.approximate(f"subsystem '{container.path}'", "", "its parts stand in the robot by their full names")
