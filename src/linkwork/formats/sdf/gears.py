"""Gearbox joints and mimics of SDF as gears and racks."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from linkwork.errors import ModelError
from linkwork.formats.naming import fitting
from linkwork.formats.sdf.building import Build, Hinge
from linkwork.formats.sdf.joints import axis_direction
from linkwork.formats.sdf.poses import at_home, child_of
from linkwork.formats.sdf.scopes import Item, Scope
from linkwork.formats.sdf.values import finite_of, saying, text_of
from linkwork.formats.xml_tree import XmlElement
from linkwork.model import Body, Joint
from linkwork.model.checked import Vector
from linkwork.model.joints.coupling import slides

PARALLEL = 1e-6  # rad, by which axes that count as parallel may differ
FARTHEST = 1e100  # rad, m
MANY = 100  # hinges of one wheel that are looked at


class SdfMimic(NamedTuple):
    """A joint that follows another: multiplier * (leader - reference) + offset."""

    scope: Scope
    joint: Item
    element: XmlElement
    leader: tuple[Scope, str]
    multiplier: float
    offset: float
    reference: float


def mimics(build: Build, scope: Scope) -> dict[tuple[Scope, str], SdfMimic]:
    """The joints of a scope that follow others."""
    found = {}
    for joint in scope.joints:
        for tag in ("axis", "axis2"):
            axis = joint.element.one(tag)
            element = None if axis is None else axis.one("mimic")
            if element is None:
                continue
            leader = element.need("joint")
            here: Scope = scope
            *models, name = leader.split("::")
            for model in models:
                inner = here.find(model, element).inner
                if inner is None:
                    element.wrong(f"'{model[:80]}' is no model; correct joint=")
                here = inner
            if tag == "axis2" or element.get("axis", "axis") != "axis":
                told = "followers of second axes are not known here"
                build.receipt.ignore(f"<mimic> of joint '{joint.name[:80]}'", joint.file.place(element), told)
                element.read_whole()
                continue
            numbers = [finite_of(element, *each) for each in (("multiplier", 1.0), ("offset", 0.0), ("reference", 0.0))]
            found[scope, joint.name] = SdfMimic(scope, joint, element, (here, name), *numbers)
    return found


def starts(followers: dict[tuple[Scope, str], SdfMimic]) -> dict[tuple[Scope, str], float]:
    """The positions of followers at the start, where leaders that follow none are at zero."""
    found: dict[tuple[Scope, str], float] = {}
    for key in followers:
        chain: dict[tuple[Scope, str], SdfMimic] = {}
        while key in followers and key not in found:
            if key in chain:
                followers[key].element.wrong("the joint follows itself; correct joint=")
            chain[key] = followers[key]
            key = followers[key].leader
        for each, mimic in reversed(chain.items()):
            value = mimic.multiplier * (found.get(mimic.leader, 0.0) - mimic.reference) + mimic.offset
            if not abs(value) < FARTHEST:
                mimic.element.wrong("its numbers are too large; correct them")
            found[each] = value
    return found


def make_mimic(build: Build, mimic: SdfMimic) -> None:
    """The gear, or rack, between a follower and its leader."""
    what, place = f"<mimic> of joint '{mimic.joint.name[:80]}'", mimic.joint.file.place(mimic.element)
    follower = build.hinges.get((mimic.scope, mimic.joint.name))
    leader = build.hinges.get(mimic.leader)
    if mimic.leader[1] not in mimic.leader[0].joint_names:
        mimic.element.wrong(f"there is no joint '{mimic.leader[1][:80]}'; correct joint=")
    if follower is None or leader is None or mimic.multiplier == 0.0:
        build.receipt.ignore(what, place, "only joints with one axis follow one another, by a multiplier that is not 0")
        return
    container = build.holders[mimic.scope].container
    name = fitting(container, f"{mimic.joint.name} mimic", "gear", build.receipt, place)
    factor, offset = mimic.multiplier, mimic.offset - mimic.multiplier * mimic.reference
    with saying(mimic.element):
        if slides(follower.joint) == slides(leader.joint):
            container.gear(name, leader.joint, follower.joint, ratio=factor, offset=offset)
        elif slides(follower.joint):
            container.rack(name, leader.joint, follower.joint, radius=factor, offset=offset)
        else:
            container.rack(name, follower.joint, leader.joint, radius=1.0 / factor, offset=-offset / factor)
    start = f", starts at {follower.start:g}" if follower.start else ""
    build.receipt.understand(what, place, f"follows '{leader.joint.path}' {mimic.multiplier:g} times{start}")


def make_gearbox(build: Build, turns: Turns, scope: Scope, joint: Item) -> None:
    """The gear of a <joint type='gearbox'>: theta_2 = -ratio * theta_1, both angles seen from the reference body.

    theta_1 is that of the parent about <axis>, theta_2 that of the child about <axis2>.
    """
    element, what = joint.element, f"gearbox '{joint.name[:80]}'"
    reference = text_of(element, "gearbox_reference_body")
    if not reference:
        element.wrong("it has no gearbox_reference_body; add the link that holds both axles")
    ratio = finite_of(element, "gearbox_ratio", 1.0)
    frame = build.body(scope, at_home(joint, reference), element)
    wheels = [
        build.body(scope, name, element) for name in (at_home(joint, text_of(element, "parent")), child_of(joint))
    ]
    axes = [element.one("axis"), element.one("axis2")]
    axes[1] = axes[0] if axes[1] is None else axes[1]
    ways = [build.to_world(scope, axis_direction(build, scope, joint, axis)) for axis in axes]
    for axis in axes:
        if axis is not None:
            for tag in ("limit", "dynamics"):
                for child in axis.all(tag):
                    child.read_whole()
                    told = "a gearbox has none; say it of the joints of its wheels"
                    build.receipt.ignore(
                        f"<{tag}> of {what}", joint.file.place(child), told, matters=bool(child.children)
                    )
    angles = [turns.angle(frame, wheel, way) for wheel, way in zip(wheels, ways, strict=True)]
    if ratio == 0.0 or any(angle is None for angle in angles):
        told = (
            f"no hinges with its axes lead from '{frame.name}' to both wheels; add them" if ratio else "its ratio is 0"
        )
        build.receipt.ignore(what, joint.place, told)
        return
    factors: dict[int, float] = {}
    hinges: dict[int, Joint] = {}
    for angle, weight in zip(angles, (ratio, 1.0), strict=True):
        for hinge, sign in angle or ():
            factors[id(hinge)] = factors.get(id(hinge), 0.0) + weight * sign
            hinges[id(hinge)] = hinge
    terms = [(hinges[key], factor) for key, factor in factors.items() if factor]
    told = _couple(build, scope, joint, terms, frame, -ratio)
    if told:
        build.receipt.understand(what, joint.place, told)
    else:
        build.receipt.ignore(what, joint.place, "its wheels hang on too many hinges to be one gear")


def _couple(
    build: Build, scope: Scope, joint: Item, terms: list[tuple[Joint, float]], frame: Body, ratio: float
) -> str:
    """Make the gear whose terms sum to zero; returns what it is, or nothing where none is."""
    container = build.holders[scope].container
    name = fitting(container, joint.name, "gear", build.receipt, joint.place)
    if len(terms) == 2:
        (a, factor_a), (b, factor_b) = terms
        with saying(joint.element):
            container.gear(name, a, b, ratio=-factor_a / factor_b)
        return f"gear of '{a.path}' and '{b.path}', ratio {-factor_a / factor_b:g}"
    arms = [each for each, _ in terms if each.b is frame]
    wheels = [each for each, _ in terms if each.b is not frame]
    if len(terms) != 3 or len(arms) != 1:
        return ""
    factors = {id(each): factor for each, factor in terms}
    turned = -factors[id(wheels[0])] / factors[id(wheels[1])]
    try:
        container.gear(name, wheels[0], wheels[1], ratio=turned, carrier=arms[0])
    except ModelError:
        return ""
    return f"gear of '{wheels[0].path}' and '{wheels[1].path}' on the carrier '{frame.name}', ratio {turned:g}"


class Turns:
    """The hinges of a model by the bodies that they join."""

    def __init__(self, build: Build) -> None:
        self.of: dict[int, list[tuple[Hinge, Body, float]]] = {}
        self.between: dict[tuple[int, int], list[tuple[Hinge, float]]] = {}
        for hinge in build.hinges.values():
            joint = hinge.joint
            if joint.kind != "revolute":
                continue
            for near, far, sign in ((joint.a, joint.b, 1.0), (joint.b, joint.a, -1.0)):
                self.of.setdefault(id(far), []).append((hinge, near, sign))
                self.between.setdefault((id(near), id(far)), []).append((hinge, sign))

    def angle(self, frame: Body, wheel: Body, way: Vector) -> list[tuple[Joint, float]] | None:
        """The turn of a wheel seen from a frame, about a direction: hinges with signs; None where there are none."""
        unit = way / max(float(np.linalg.norm(way)), 1e-300)
        direct = self._along(frame, wheel, unit)
        if direct is not None:
            return [direct]
        for hinge, middle, sign in self.of.get(id(wheel), ())[:MANY]:
            inner = self._along(frame, middle, unit)
            if inner is not None and inner[0] is not hinge.joint and _parallel(hinge, unit):
                return [inner, (hinge.joint, sign * _sign(hinge, unit))]
        return None

    def _along(self, near: Body, far: Body, unit: Vector) -> tuple[Joint, float] | None:
        for hinge, sign in self.between.get((id(near), id(far)), ())[:MANY]:
            if _parallel(hinge, unit):
                return hinge.joint, sign * _sign(hinge, unit)
        return None


def _sign(hinge: Hinge, unit: Vector) -> float:
    return math.copysign(1.0, float(hinge.axis @ unit))


def _parallel(hinge: Hinge, unit: Vector) -> bool:
    return bool(np.linalg.norm(np.cross(hinge.axis, unit)) <= PARALLEL * np.linalg.norm(hinge.axis))
