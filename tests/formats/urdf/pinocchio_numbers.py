"""The same robot by Pinocchio: mass, centre of mass, mass matrix and gravity torques at random poses."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

import linkwork as lw

PACKAGES = ("example-robot-data", "icub-models")


def robots() -> list[Path]:
    """All URDF files of the packages that are installed."""
    found: list[Path] = []
    for package in PACKAGES:
        try:
            files = importlib.metadata.files(package) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        found += [Path(str(file.locate())).resolve() for file in files if file.suffix == ".urdf"]
    return found


def as_read(file: Path, model: lw.Model, receipt: Any) -> str:
    """The text of the file; links whose inertia was repaired have that of the model there."""
    tree = ElementTree.parse(file)
    repaired = {line.what for line in receipt.approximated}
    for link in tree.getroot().findall("link"):
        body = next((body for body in model.bodies.values() if body.name == link.get("name")), None)
        inertial = link.find("inertial")
        if body is None or inertial is None or f"link '{link.get('name')}'" not in repaired:
            continue
        for child in list(inertial):
            inertial.remove(child)
        ElementTree.SubElement(inertial, "origin", xyz=" ".join(map(repr, body.com.tolist())), rpy="0 0 0")
        ElementTree.SubElement(inertial, "mass", value=repr(body.mass))
        I = body.inertia.tolist()
        entries = {f"i{a}{b}": repr(I[k][j]) for k, a in enumerate("xyz") for j, b in enumerate("xyz") if j >= k}
        ElementTree.SubElement(inertial, "inertia", entries)
    return ElementTree.tostring(tree.getroot(), encoding="unicode")


class Compared:
    """A model of ours and one of Pinocchio's, joints matched by name."""

    def __init__(self, model: lw.Model, text: str, floating: bool) -> None:
        import pinocchio

        self.pin = pinocchio
        self.theirs: Any = (
            pinocchio.buildModelFromXML(text, pinocchio.JointModelFreeFlyer())
            if floating
            else pinocchio.buildModelFromXML(text)
        )
        self.data = self.theirs.createData()
        self.system = lw.assemble(model)
        self.floating = floating
        ours = {place.name.removeprefix("joint:").strip("'"): place for place in self.system.joints}
        self.pairs = [
            (ours[name] if name != "root_joint" else ours["floating base"], index)
            for index, name in enumerate(self.theirs.names)
            if index > 0 and (name in ours or name == "root_joint") and self._moves(ours, name)
        ]
        # joints that move nothing are welded in ours
        self.left_out = self.theirs.njoints - 1 - len(self.pairs)

    @staticmethod
    def _moves(ours: Any, name: str) -> bool:
        return name == "root_joint" or ours[name].v.stop > ours[name].v.start

    def worst(self, count: int) -> tuple[float, float, float, float]:
        """The worst differences at so many poses: mass, centre of mass (m), mass matrix and gravity, relative."""
        chance = np.random.default_rng(1)
        worst = np.zeros(4)
        for _ in range(count):
            worst = np.maximum(worst, self._at(chance))
        return tuple(worst.tolist())

    def _at(self, chance: Any) -> Any:
        pin, system = self.pin, self.system
        theirs, ours = pin.neutral(self.theirs), system.q_start.copy()
        T = np.zeros((system.nv, self.theirs.nv))  # their velocities from ours: v' = T.T v
        for place, index in self.pairs:
            joint = self.theirs.joints[index]
            if joint.nq == 7:
                quaternion = chance.normal(size=4)
                quaternion /= np.linalg.norm(quaternion)
                position = chance.normal(size=3)
                ours[place.q] = [*position, *quaternion]
                theirs[joint.idx_q : joint.idx_q + 7] = [*position, *quaternion[1:], quaternion[0]]
                R = lw.Frame((0, 0, 0), quaternion).matrix
                for k in (0, 3):
                    T[place.v.start + k : place.v.start + k + 3, joint.idx_v + k : joint.idx_v + k + 3] = R
                continue
            angle = chance.uniform(-2.5, 2.5)
            ours[place.q] = angle
            theirs[joint.idx_q : joint.idx_q + joint.nq] = (np.cos(angle), np.sin(angle)) if joint.nq == 2 else angle
            T[place.v.start, joint.idx_v] = 1.0
        M = lw.mass_matrix(system, ours)
        pin.crba(self.theirs, self.data, theirs)
        upper = np.triu(self.data.M)
        M_theirs = T @ (upper + upper.T - np.diag(np.diag(upper))) @ T.T
        zero = np.zeros(system.nv)
        gravity = lw.inverse_dynamics(system, ours, zero, zero, loops="open")
        gravity_theirs = T @ pin.computeGeneralizedGravity(self.theirs, self.data, theirs)
        mass, centre = self._masses(ours)
        pin.forwardKinematics(self.theirs, self.data, theirs)
        inertias = list(self.theirs.inertias)
        total = sum(each.mass for each in inertias)
        middle = sum(each.mass * self.data.oMi[k].act(each.lever) for k, each in enumerate(inertias))
        size = np.abs(M_theirs).max(initial=1e-300)
        weight = np.abs(gravity_theirs).max(initial=1e-6 * total)
        return np.array(
            [
                abs(mass - total) / total,
                np.abs(centre - middle / total).max(),
                np.abs(M - M_theirs).max(initial=0.0) / size,
                np.abs(gravity - gravity_theirs).max(initial=0.0) / weight,
            ]
        )

    def _masses(self, q: Any) -> tuple[float, Any]:
        poses = lw.forward_kinematics(self.system, q)
        bodies = list(self.system.model.all_bodies())
        total = sum(body.mass for body in bodies)
        centre = sum(body.mass * lw.Frame(*poses[body.path]).point(body.com) for body in bodies)
        return total, centre / total
