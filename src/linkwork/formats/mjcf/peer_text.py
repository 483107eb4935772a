"""Our models in MuJoCo's words (MJCF), so that both engines simulate the same machine.

Bodies start where the model places them, and there all coordinates of hinges and slides are zero. What closes a loop
becomes a `connect` constraint, a gear one between joints; motors become servos with the torque that ours have, soft
ones with the softness that is told; springs become tendons. Shapes meet whom they meet in ours.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from linkwork.assembly.assemble import assemble
from linkwork.errors import ModelError
from linkwork.model import Body, Cone, Coupling, Frame, Joint, Model, Spring, TorsionSpring

GEOMS = {name.capitalize(): name for name in ("box", "sphere", "ellipsoid", "cylinder", "capsule", "plane")}
GEOMS["Hull"] = "mesh"
TYPES = {"revolute": "hinge", "prismatic": "slide"}


def mjcf(
    model: Model,
    dt: float,
    *,
    loops: Collection[str] = (),
    solver: str = "",
    servos: Mapping[str, tuple[float, float]] | None = None,
    integrator: str = "Euler",
) -> str:
    """A model as MuJoCo reads it, for steps of `dt` seconds: `loops` are the joints that become constraints.

    `solver` are attributes for their softness, `servos` stiffness (N m/rad) and damping of position motors.

    >>> text = mjcf(lw.gallery.peaucellier.build(drive="motor"), 1e-3, loops=("left corner", "right corner"))
    >>> text.count("<joint "), text.count("<connect ")
    (8, 2)
    """
    return _Writer(model, dt, loops, solver, servos or {}, integrator).text()


def _surface(material: Any) -> str:
    """Friction; against turning and rolling too where there is such."""
    condim = 6 if material.rolling else 4 if material.torsional else 3
    return f'friction="{material.mean_friction} {material.torsional} {material.rolling}" condim="{condim}"'


def _told(numbers: Any) -> str:
    return " ".join(f"{number:.17g}" for number in np.atleast_1d(numbers))


class _Writer:
    def __init__(self, model: Model, dt: float, loops: Any, solver: str, servos: Any, integrator: str) -> None:
        self.model, self.dt, self.loops, self.solver, self.servos = model, dt, loops, solver, servos
        self.integrator = integrator
        self.pose = {body.path: body.reference or Frame() for body in model.all_bodies()} | {"ground": Frame()}
        self.carried: dict[str, list[Joint]] = {}
        held = set()
        for joint in model.all_joints():
            if joint.path not in loops:
                self.carried.setdefault(joint.a.path, []).append(joint)
                held.add(joint.b.path)
        self.loose = [body for body in model.all_bodies() if body.path not in held]
        forces: list[Any] = list(model.all_forces())
        self.coils = {force.joint.path: force for force in forces if isinstance(force, TorsionSpring)}
        self.lines = [force for force in forces if isinstance(force, Spring)]
        self.geoms: dict[str, list[str]] = {}
        self.meshes = ""
        for k, collider in enumerate(model.all_colliders()):
            self.geoms.setdefault(collider.body.path, []).append(self._geom(collider, k))

    def text(self) -> str:
        ground = "".join(self._body(joint) for joint in self.carried.get("ground", ()))
        ground += "".join(self._free(body) for body in self.loose)
        contact = "" if self.geoms else '<flag contact="disable"/>'
        return (
            f'<mujoco><compiler angle="radian" boundmass="0" boundinertia="0"/>'
            f'<option timestep="{self.dt}" gravity="{_told(self.model.gravity)}" integrator="{self.integrator}">'
            f"{contact}</option><asset>{self.meshes}</asset><worldbody>{self._inside('ground')}{ground}</worldbody>"
            f"<contact>{self._apart()}</contact><tendon>{self._tendons()}</tendon>"
            f"<equality>{self._closing()}</equality><actuator>{self._motors()}</actuator></mujoco>"
        )

    def _inside(self, path: str) -> str:
        """Shapes and ends of springs that are fixed in a body."""
        sites = ""
        for spring in self.lines:
            for end, body, at in (("a", spring.a, spring.at_a), ("b", spring.b, spring.at_b)):
                if body.path == path:
                    sites += f'<site name="{spring.path} {end}" pos="{_told(at)}"/>'
        return "".join(self.geoms.get(path, ())) + sites

    def _geom(self, collider: Any, k: int) -> str:
        shape, kind = collider.shape, type(collider.shape).__name__
        size: Any = (20, 20, 1)
        if kind == "Box":
            size = np.array(shape.size) / 2
        elif kind == "Sphere":
            size = shape.radius
        elif kind == "Hull":
            self.meshes += f'<mesh name="hull {k}" vertex="{_told(np.ravel(shape.points))}"/>'
        elif kind == "Ellipsoid":
            size = shape.radii
        elif kind != "Plane":
            size = (shape.radius, shape.length / 2)
        sized = f'mesh="hull {k}"' if kind == "Hull" else f'size="{_told(size)}"'
        return (
            f'<geom name="shape {k}" type="{GEOMS[kind]}" {sized} pos="{_told(shape.pose.position)}" '
            f'quat="{_told(shape.pose.rotation)}" {_surface(collider.material)} mass="0"/>'
        )

    def _inertial(self, body: Body) -> str:
        I = body.inertia
        told = [I[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        return f'<inertial pos="{_told(body.com)}" mass="{body.mass:.17g}" fullinertia="{_told(told)}"/>'

    def _place(self, joint: Joint) -> Any:
        return joint.at if joint.at is not None else self.pose[joint.b.path].position

    def _body(self, joint: Joint) -> str:
        here, link = self.pose[joint.b.path], joint.b
        seen = self.pose[joint.a.path].inverse() @ here
        rest = "".join(self._body(inner) for inner in self.carried.get(link.path, ()))
        return (
            f'<body name="{link.path}" pos="{_told(seen.position)}" quat="{_told(seen.rotation)}">'
            f"{self._joint(joint, here)}{self._inertial(link)}{self._inside(link.path)}{rest}</body>"
        )

    def _free(self, body: Body) -> str:
        here = self.pose[body.path]
        rest = "".join(self._body(inner) for inner in self.carried.get(body.path, ()))
        return (
            f'<body name="{body.path}" pos="{_told(here.position)}" quat="{_told(here.rotation)}"><freejoint/>'
            f"{self._inertial(body)}{self._inside(body.path)}{rest}</body>"
        )

    def _joint(self, joint: Joint, here: Frame) -> str:
        if joint.kind == "fixed":
            return ""
        if joint.kind == "free":
            return f'<freejoint name="{joint.path}"/>'
        axis = (0, 0, 1) if joint.axis is None else joint.axis
        more = f' frictionloss="{joint.friction}"'
        if joint.limits is not None and not isinstance(joint.limits, Cone):
            more += f' limited="true" range="{_told(joint.limits)}"'
        damping = joint.damping
        if joint.path in self.coils:
            coil = self.coils[joint.path]
            damping += coil.damping
            more += f' stiffness="{coil.stiffness}" springref="{coil.angle}"'
        if damping:
            more += f' damping="{damping}"'
        return (
            f'<joint name="{joint.path}" type="{TYPES[joint.kind]}" '
            f'pos="{_told(here.inverse().point(self._place(joint)))}" '
            f'axis="{_told(here.matrix.T @ np.asarray(axis, dtype=float))}"{more}/>'
        )

    def _apart(self) -> str:
        """Pairs of bodies that never meet."""
        colliders = list(self.model.all_colliders())
        can_collide = assemble(self.model).tables.colliders.can_collide
        said = set()
        for i, j in itertools.combinations(range(len(colliders)), 2):
            pair = tuple(sorted((colliders[i].body.path, colliders[j].body.path)))
            if pair[0] != pair[1] and not can_collide[i, j] and "ground" not in pair:
                said.add(pair)
        return "".join(f'<exclude body1="{a}" body2="{b}"/>' for a, b in sorted(said))

    def _tendons(self) -> str:
        return "".join(
            f'<spatial stiffness="{spring.stiffness:.17g}" damping="{spring.damping:.17g}" '
            f'springlength="{spring.length:.17g}"><site site="{spring.path} a"/><site site="{spring.path} b"/>'
            "</spatial>"
            for spring in self.lines
        )

    def _closing(self) -> str:
        text = ""
        for joint in self.model.all_joints():
            if joint.path in self.loops:
                anchor = _told(self.pose[joint.a.path].inverse().point(self._place(joint)))
                text += f'<connect body1="{joint.a.path}" body2="{joint.b.path}" anchor="{anchor}"{self.solver}/>'
        for drive in self.model.all_drives():
            if isinstance(drive, Coupling):
                text += self._gear(drive)
        return text

    def _gear(self, coupling: Coupling) -> str:
        first, *others = coupling.whole
        if len(others) != 1 or others[0].curve is not None or coupling.backlash:
            raise ModelError(
                f"{coupling.word} '{coupling.path}' has no counterpart in MJCF, which couples two joints by a constant "
                "ratio; use gears without backlash"
            )
        ratio = -others[0].factor / first.factor
        joints = f'joint1="{first.joint.path}" joint2="{others[0].joint.path}"'
        return f'<joint {joints} polycoef="0 {ratio} 0 0 0"{self.solver}/>'

    def _motors(self) -> str:
        text = ""
        for drive in self.model.all_drives():
            if isinstance(drive, Coupling):
                continue
            kp, kv = self.servos.get(drive.path, (0.0, 0.0))
            if drive.softness is not None:
                kp, kv = drive.softness.stiffness, drive.softness.damping
            most = drive.max_torque
            bound = "" if most is None or math.isinf(most) else f' forcelimited="true" forcerange="{-most} {most}"'
            how = (
                f'<position joint="{{}}" kp="{kp}" kv="{kv}"'
                if drive.position is not None
                else (f'<velocity joint="{{}}" kv="{kv}"')
            )
            text += how.format(drive.joint.path) + f' name="{drive.path}"{bound}/>'
        return text
