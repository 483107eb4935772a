"""Every element of an MJCF file in the receipt: those that are no objects, and those that nobody told yet."""

from __future__ import annotations

from linkwork.formats.mjcf.attributes import ACTUATORS, INSIDE, KNOWN, SOFTNESS
from linkwork.formats.mjcf.context import MjcfReading
from linkwork.formats.mjcf.source import SEEN, UNSAID
from linkwork.formats.mjcf.touches import tell_sensors
from linkwork.formats.xml_tree import XmlElement

SECTIONS = ("asset", "worldbody", "contact", "tendon", "equality", "actuator", "keyframe")
FLUID = ("density", "viscosity")
SOLVER = "settings of MuJoCo's solver, which has no part here"


def tell_elements(reading: MjcfReading) -> None:
    """Mark what is taken into account, and tell the rest."""
    root = reading.source.root
    for name in KNOWN["mujoco"]:
        root.get(name)
    for include in reading.source.included:
        reading.receipt.understand("<include>", reading.source.place(include), include.need("file"))
    for child in root.children:
        _tell(reading, root, child, in_defaults=False)
    for node, name in root.unread():
        what = f"{name}= of {node.told}" if name else node.told
        reading.receipt.ignore(what, reading.source.place(node), "it is not understood")


def _tell(reading: MjcfReading, parent: XmlElement, node: XmlElement, in_defaults: bool) -> None:
    receipt, place = reading.receipt, reading.source.place(node)
    if node.tag == "sensor":
        tell_sensors(reading, node)
    elif node.tag in SEEN:
        receipt.ignore(node.told, place, SEEN[node.tag], matters=False)
    elif node.tag in UNSAID:
        receipt.ignore(node.told, place, UNSAID[node.tag])
    if node.tag in SEEN or node.tag in UNSAID:
        parent.all(node.tag)
        node.read_whole()
        return
    known = INSIDE.get((parent.tag, node.tag), KNOWN.get(node.tag))
    if known is None:
        return
    parent.all(node.tag)
    for name in node.attributes:
        if name in known:
            node.get(name)
        if name in SOFTNESS:
            receipt.approximate(f"{name} of {node.told}", place, "softness of a constraint, which is rigid here")
    if id(node) not in reading.told:
        _tell_rest(reading, parent, node, in_defaults)
    for child in node.children:
        _tell(reading, node, child, in_defaults or node.tag == "default")


def _tell_rest(reading: MjcfReading, parent: XmlElement, node: XmlElement, in_defaults: bool) -> None:
    """An element that became no part of the model by itself."""
    receipt, place = reading.receipt, reading.source.place(node)
    settings = ", ".join(f"{name}={value[:40]}" for name, value in node.attributes.items())
    if node.tag == "default":
        name = node.attributes.get("class", "")
        receipt.understand(f"defaults of class '{name}'" if name else "defaults", place, "")
    elif in_defaults:
        receipt.understand(f"defaults for <{node.tag}>", place, settings)
    elif node.tag == "compiler":
        receipt.understand("<compiler>", place, settings)
    elif node.tag in ("option", "flag"):
        _tell_option(reading, node)
    elif node.tag in ("mesh", "hfield"):
        receipt.understand(node.told, place, "a shape")
    elif node.tag == "material":
        receipt.understand(node.told, place, "its colour")
    elif node.tag == "site" and parent.tag != "spatial":
        receipt.ignore(node.told, place, "a mark on a body, which has no part in motion", matters=False)
    elif node.tag == "key":
        receipt.ignore(node.told, place, "a start; choose it by keyframe=", matters=False)
    elif node.tag == "body":
        receipt.understand(node.told, place, "one with its parent by fusestatic")
    elif node.tag == "geom" and parent.tag != "spatial":
        receipt.understand(node.told, place, "left out by the compiler")
    elif node.tag == "pair" or (node.tag == "exclude" and parent.tag == "contact"):
        receipt.ignore(node.told, place, "nothing meets here", matters=False)
    elif node.tag in ("frame", "replicate", "inertial") or parent.tag in ("fixed", "spatial"):
        receipt.understand(node.told, place, settings)
    elif node.tag in SECTIONS or node.tag in ACTUATORS:
        receipt.understand(node.told, place, "")
    else:
        receipt.understand(node.told, place, settings)


def _tell_option(reading: MjcfReading, node: XmlElement) -> None:
    receipt, place = reading.receipt, reading.source.place(node)
    used = {"gravity", "actuatorgroupdisable"} if node.tag == "option" else set(node.attributes)
    taken = [f"{name}={value}" for name, value in node.attributes.items() if name in used]
    rest = [f"{name}={value}" for name, value in node.attributes.items() if name not in {*used, *FLUID, "wind"}]
    if taken or not node.attributes:
        receipt.understand(node.told, place, ", ".join(taken))
    if rest:
        receipt.ignore(f"{node.told} {', '.join(rest)}", place, SOLVER, matters=False)


def tell_world(reading: MjcfReading) -> None:
    """What acts on all bodies: gravity, air and water; and the softness of all constraints."""
    m, receipt = reading.m, reading.receipt
    option = next((node for node in reading.source.root.children if node.tag == "option"), None)
    place = reading.source.place(option) if option is not None else ""
    if m.opt.density or m.opt.viscosity:
        receipt.ignore(
            f"<option> density={m.opt.density:g}, viscosity={m.opt.viscosity:g}",
            place,
            "forces of the air or water around have no counterpart",
        )
    elif m.opt.wind.any():
        receipt.ignore("<option> wind", place, "it moves nothing without density or viscosity", matters=False)
    soft = [
        word
        for word, there in (
            ("limits", any(joint.limits is not None for joint in reading.model.all_joints())),
            ("constraints", any(True for _ in reading.joints) and bool(m.neq)),
            ("contacts", any(True for _ in reading.model.all_colliders())),
        )
        if there
    ]
    if soft:
        receipt.approximate(
            f"default softness of {', '.join(soft)}", "", "rigid here; MuJoCo's give way by solref and solimp"
        )
