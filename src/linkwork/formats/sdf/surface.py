"""Surfaces of SDF: friction, restitution and colours."""

from __future__ import annotations

import math

from linkwork.formats.sdf.building import Build
from linkwork.formats.sdf.scopes import Item
from linkwork.formats.sdf.values import flag_of, number_of, saying
from linkwork.formats.xml_tree import XmlElement
from linkwork.model import Material

FRICTION = 1.0  # of a surface that says nothing, in SDF
LARGEST = 1e4  # friction above this is meant as one that never slips


def material_of(build: Build, link: Item, collision: XmlElement) -> Material | None:
    """The material of a collision; None where it never pushes."""
    surface = collision.one("surface")
    if surface is None:
        return Material(friction=FRICTION)
    receipt, place = build.receipt, link.file.place(surface)
    contact = surface.one("contact")
    if contact is not None and _contact(build, contact, link):
        return None
    restitution, slow = _restitution(surface.one("bounce"))
    rubbing = surface.one("friction")
    friction = _friction(build, rubbing, link)
    torsional = 0.0 if rubbing is None else _torsional(build, rubbing, link)
    if friction > LARGEST:
        receipt.approximate("<friction>", place, f"a coefficient of {friction:g} stands as {LARGEST:g}")
        friction = LARGEST
    with saying(surface):
        return Material(friction=friction, restitution=restitution, bounce_speed=slow, torsional=torsional)


def _friction(build: Build, friction: XmlElement | None, link: Item) -> float:
    """The coefficient: that of ODE, or of Bullet where there is no other."""
    if friction is None:
        return FRICTION
    place = link.file.place(friction)
    found: list[float] = []
    for engine, first, second in (("ode", "mu", "mu2"), ("bullet", "friction", "friction2")):
        values = friction.one(engine)
        if values is None:
            continue
        mu = number_of(values, first, FRICTION)
        other = number_of(values, second, mu)
        found.append(mu)
        if other != mu:
            told = f"{mu:g} in all directions, {other:g} across is left out"
            build.receipt.approximate(f"<{engine}> friction", place, told)
        values.one("fdir1")
        for tag in ("slip1", "slip2", "rolling_friction"):
            if number_of(values, tag, 0.0) not in (0.0, 1.0 if tag == "rolling_friction" else 0.0):
                build.receipt.ignore(f"<{tag}>", place, "surfaces have dry friction alone here")
    return found[0] if found else FRICTION


def _torsional(build: Build, friction: XmlElement, link: Item) -> float:
    """Resistance against turning, m: 3 pi / 16 of the radius of the patch of contact, times the coefficient."""
    torsional = friction.one("torsional")
    if torsional is None:
        return 0.0
    place, coefficient = link.file.place(torsional), number_of(torsional, "coefficient", 1.0)
    patch, curved = (number_of(torsional, tag, 0.0) for tag in ("patch_radius", "surface_radius"))
    by_patch = flag_of(torsional, "use_patch_radius", True)
    torsional.read_whole()
    if by_patch and patch > 0.0:
        length = 3 * math.pi / 16 * patch * coefficient
        build.receipt.understand("<torsional>", place, f"a torque of {length:g} m times the normal force")
        return length
    told = "the patch that grows with the overlap has no counterpart; give patch_radius"
    build.receipt.ignore("<torsional>", place, told, matters=not by_patch and curved > 0.0)
    return 0.0


def _restitution(bounce: XmlElement | None) -> tuple[float, float | None]:
    """Restitution, and the speed below which nothing bounces."""
    if bounce is None:
        return 0.0, None
    value = number_of(bounce, "restitution_coefficient", 0.0)
    threshold = number_of(bounce, "threshold", 1e5)
    return value, threshold if value else None


def _contact(build: Build, contact: XmlElement, link: Item) -> bool:
    """Whether the collision makes no forces; what is soft there is rigid here."""
    place = link.file.place(contact)
    silent = flag_of(contact, "collide_without_contact")
    if silent:
        build.receipt.ignore("<collide_without_contact>", place, "it makes no forces: no collider", matters=False)
    for tag in ("collide_bitmask", "category_bitmask"):
        mask = contact.one(tag)
        if mask is not None and mask.text.strip().lower() not in ("65535", "0xffff"):
            build.receipt.ignore(f"<{tag}>", place, "everything meets everything here; use no_contact")
    for engine in ("ode", "bullet"):
        values = contact.one(engine)
        if values is not None:
            values.read_whole()
            told = "contacts are rigid here; another solver's softness is left out"
            build.receipt.approximate(f"<contact> <{engine}>", place, told)
    if number_of(contact, "elastic_modulus", -1.0) > 0.0:
        build.receipt.approximate("<elastic_modulus>", place, "contacts are rigid here")
    contact.one("poissons_ratio")
    contact.one("collide_without_contact_bitmask")
    return silent


def colour_of(visual: XmlElement) -> tuple[float, ...] | None:
    """The colour of a visual: diffuse, or ambient where it has no other."""
    material = visual.one("material")
    if material is None:
        return None
    found = None
    for tag in ("ambient", "diffuse"):
        child = material.one(tag)
        if child is not None:
            numbers = child.own_numbers(len(child.text.split()) if len(child.text.split()) in (3, 4) else 4)
            found = tuple(min(max(each, 0.0), 1.0) for each in numbers)
    opaque = 1.0 - min(max(number_of(visual, "transparency", 0.0), 0.0), 1.0)
    if found is None or math.isnan(opaque):
        return None
    return (*found[:3], (found[3] if len(found) == 4 else 1.0) * opaque)
