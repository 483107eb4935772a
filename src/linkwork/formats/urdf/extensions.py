"""What a URDF file says to other programs: Gazebo, controllers, sensors; and what nobody understands."""

from __future__ import annotations

from linkwork.formats.receipt import Receipt
from linkwork.formats.urdf.links import UrdfLink
from linkwork.formats.xml_tree import XmlElement
from linkwork.model import Material

LISTED = {
    "transmission": "how a motor drives a joint; the model has no motor in it",
    "sensor": "sensors are not part of the model",
    "ros2_control": "settings of a controller",
    "hardwareInterface": "settings of a controller",
    "verbose": "a setting of another program",
    "self_collision_checking": "a setting of another program; see self_collision=",
}
# in <gazebo>: what changes how bodies move, if it is not one of these values
MECHANICS = {
    "joint": (),
    "link": (),
    "model": (),
    "static": ("false", "0"),
    "turnGravityOff": ("false", "0"),
    "gravity": ("true", "1"),
    "springStiffness": ("0", "0.0"),
}
HARMLESS = {("link", "type"), ("joint", "dont_collapse"), ("robot", "version")}
NOT_MECHANICS = ("collision_checking", "kinematic", "material", "self_filter", "verbose")


def list_others(root: XmlElement, links: dict[str, UrdfLink], receipt: Receipt) -> None:
    """Transmissions, sensors and settings, each in a line; for <gazebo> whether it changes the mechanics."""
    for tag, told in LISTED.items():
        for node in root.all(tag):
            receipt.ignore(node.told, node.read_whole().place, told, matters=False)
    for node in root.all("gazebo"):
        _gazebo(node.read_whole(), links, receipt)


def _gazebo(node: XmlElement, links: dict[str, UrdfLink], receipt: Receipt) -> None:
    about = node.attributes.get("reference")
    what = "<gazebo>" if about is None else f"<gazebo reference='{about[:80]}'>"
    moving = [
        child.tag for child in node.children if child.tag in MECHANICS and _value(child) not in MECHANICS[child.tag]
    ]
    if moving:
        told = f"its <{moving[0]}> changes the mechanics, and is not in the model"
        receipt.ignore(what, node.place, told)
        return
    used = ("mu", "mu1", "mu2") if about in links else ()
    tags = ", ".join(dict.fromkeys(child.tag for child in node.children if child.tag not in used))
    if not tags and used:
        return
    receipt.ignore(what, node.place, f"{tags[:120] or 'nothing'}: for another simulator", matters=False)


def _value(node: XmlElement) -> str:
    return (node.attributes.get("value") or node.text).strip().lower()


def surfaces(root: XmlElement, links: dict[str, UrdfLink], receipt: Receipt) -> dict[str, Material]:
    """Friction and restitution of links where <contact> (Bullet) or <gazebo> tell it."""
    found: dict[str, Material] = {}
    for node in root.all("gazebo"):
        name = node.attributes.get("reference", "")
        told = {child.tag: child for child in node.children if child.tag in ("mu1", "mu2", "mu")}
        if told and name in links:
            amounts = [_amount(child) for child in told.values()]
            found[name] = Material(friction=max(amounts))
            receipt.understand(f"friction of link '{name}'", node.place, f"{max(amounts):g}, from <gazebo>")
    for link in links.values():
        for surface in link.node.all("surface"):  # as SDF has it
            _sdf_friction(surface.read_whole(), link, found, receipt)
        for contact in link.node.all("contact"):
            values = {child.tag: child for child in contact.read_whole().children}
            friction, bounce = (values.get(tag) for tag in ("lateral_friction", "restitution"))
            kept = [tag for tag in ("lateral_friction", "restitution") if tag in values]
            if kept:
                found[link.name] = Material(
                    friction=0.5 if friction is None else _amount(friction),
                    restitution=0.0 if bounce is None else min(_amount(bounce), 1.0),
                )
                receipt.understand(f"<contact> of '{link.name}'", contact.place, ", ".join(kept))
            other = [tag for tag in values if tag not in kept]
            if other:
                told_so = f"{', '.join(other)[:120]}: for another simulator; contacts are rigid here"
                receipt.ignore(f"<contact> of '{link.name}'", contact.place, told_so, matters=False)
    return found


def _sdf_friction(surface: XmlElement, link: UrdfLink, found: dict[str, Material], receipt: Receipt) -> None:
    waiting, amounts = [surface], []
    while waiting:
        here = waiting.pop()
        waiting += here.children
        if here.tag in ("mu", "mu1", "mu2"):
            amounts.append(_amount(here))
    if amounts:
        found[link.name] = Material(friction=max(amounts))
        receipt.understand(f"friction of link '{link.name}'", surface.place, f"{max(amounts):g}")
    told = "its friction is kept; the rest is for another simulator"
    receipt.ignore(f"<surface> of '{link.name}'", surface.place, told, matters=False)


def _amount(node: XmlElement) -> float:
    """A number that is not negative, as an attribute or as text."""
    value = node.number("value") if "value" in node.attributes else node.own_numbers(1)[0]
    if value < 0.0:
        node.wrong(f"it is {value:g} but cannot be negative; correct it")
    return min(value, 1e6)


def list_unread(root: XmlElement, receipt: Receipt) -> None:
    """Whatever else the file says; it may matter unless it is known not to."""
    for node, attribute in root.unread():
        if attribute:
            harmless = (node.tag, attribute) in HARMLESS or attribute.startswith("xmlns") or node.tag == "limit"
            told = "URDF has no such attribute"
            receipt.ignore(f"{attribute} of {node.told}", node.place, told, matters=not harmless)
        else:
            receipt.ignore(node.told, node.place, "URDF has no such element here", matters=_may_matter(node))


def _foreign(node: XmlElement) -> bool:
    return ":" in node.tag and not node.tag.startswith("xacro:")


def _may_matter(node: XmlElement) -> bool:
    """Whether an element that URDF does not know may speak of the mechanics."""
    if node.tag in NOT_MECHANICS or _foreign(node) or _value(node) in MECHANICS.get(node.tag, ()):
        return False
    if node.tag.startswith("xacro:"):
        node.wrong("it is a macro and no URDF; expand the file by the program xacro first")
    words = " ".join(node.attributes.values()).split()
    return not (node.tag == "origin" and all(word.strip("-0.") == "" for word in words))  # nothing is moved
