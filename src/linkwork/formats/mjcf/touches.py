"""Touch sensors of MJCF: a site is the region of its body in which contacts are felt."""

from __future__ import annotations

from typing import Any

from linkwork.formats.mjcf.context import MjcfReading
from linkwork.formats.xml_tree import XmlElement
from linkwork.model import Box, Frame, Sphere

SPHERE, CAPSULE, CYLINDER, BOX = 2, 3, 5, 6  # types of sites
AROUND = "the box around its site"
MEASURES = "sensors measure and move nothing; add model.sensor in Python"


def touches(reading: MjcfReading) -> list[XmlElement]:
    """The touch sensors of the file."""
    sections = [node for node in reading.source.root.children if node.tag == "sensor"]
    return [node for section in sections for node in section.children if node.tag == "touch"]


def add_touches(reading: MjcfReading, contact: bool) -> None:
    """Touch sensors as ours."""
    m = reading.m
    sites = {reading.compiled.name("site", number): number for number in range(m.nsite)}
    colliding = {id(collider.body) for collider in reading.model.all_colliders()} if contact else set()
    for node in touches(reading):
        reading.told.add(id(node))
        what, place = f"touch sensor {node.attributes.get('name', '')!r}", reading.source.place(node)
        site = sites.get(node.attributes.get("site", ""))
        if site is None:
            reading.receipt.ignore(what, place, "there is no such site; correct site=")
            continue
        body = reading.bodies[int(m.site_bodyid[site])]
        if id(body) not in colliding:
            reading.receipt.ignore(what, place, f"nothing touches '{body.path}' here", matters=False)
            continue
        region, told = _region(m, site)
        name = reading.free_name(node.attributes.get("name") or f"{body.name} touch", "touch sensor")
        reading.model.touch_sensor(name, body, region=region)
        if told:
            reading.receipt.approximate(what, place, told)
        else:
            reading.receipt.understand(what, place, "contacts in its site; MuJoCo also counts those that point at it")


def _region(m: Any, site: int) -> tuple[Box | Sphere, str]:
    """The shape of a site in its body, and how it differs from that of the file."""
    kind, size = int(m.site_type[site]), [float(each) for each in m.site_size[site]]
    pose = Frame(m.site_pos[site], m.site_quat[site])
    if kind == SPHERE:
        return Sphere(size[0], pose=pose), ""
    if kind == BOX:
        return Box([2.0 * each for each in size], pose=pose), ""
    if kind in (CAPSULE, CYLINDER):
        half = size[1] + (size[0] if kind == CAPSULE else 0.0)
        return Box((2.0 * size[0], 2.0 * size[0], 2.0 * half), pose=pose), f"feels in {AROUND}"
    return Box([2.0 * each for each in size], pose=pose), f"feels in {AROUND}"


def tell_sensors(reading: MjcfReading, section: XmlElement) -> None:
    """The other sensors, which are left out."""
    reading.receipt.ignore(section.told, reading.source.place(section), MEASURES, matters=False)
    for node in section.children:
        if id(node) not in reading.told:
            reading.receipt.ignore(node.told, reading.source.place(node), MEASURES, matters=False)
