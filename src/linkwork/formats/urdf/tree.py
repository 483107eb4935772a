"""How links hang together: one root, no loops, and what each joint moves."""

from __future__ import annotations

from linkwork.formats.receipt import Receipt
from linkwork.formats.urdf.joints import UrdfJoint
from linkwork.formats.urdf.links import UrdfLink
from linkwork.formats.xml_tree import XmlElement


class LinkTree:
    """The links in order, the root first and parents before children, each with the joint that carries it."""

    def __init__(self, root: XmlElement, links: dict[str, UrdfLink], joints: dict[str, UrdfJoint]) -> None:
        self.links, self.joints = links, joints
        self.carrier: dict[str, UrdfJoint] = {}
        self.children: dict[str, list[UrdfJoint]] = {}
        for joint in joints.values():
            if joint.child in self.carrier:
                other = self.carrier[joint.child]
                joint.node.wrong(
                    f"link '{joint.child[:80]}' is the child of joint '{other.name[:80]}' ({other.place}) already, and "
                    "URDF has no loops; remove one of them"
                )
            self.carrier[joint.child] = joint
            self.children.setdefault(joint.parent, []).append(joint)
        roots = [name for name in links if name not in self.carrier]
        if len(roots) > 1:
            told = ", ".join(f"'{name[:80]}' ({links[name].place})" for name in roots[:5])
            more = f" and {len(roots) - 5} more" if len(roots) > 5 else ""
            root.wrong(f"it has {len(roots)} links that no joint carries: {told}{more}; join them to one root")
        self.order = self._order(roots)
        if len(self.order) < len(links):
            reached = set(self.order)
            here = next(name for name in links if name not in reached)
            round_trip = self._circle(here)
            told = ", ".join(f"'{joint.name[:80]}' ({joint.place})" for joint in round_trip[:6])
            root.wrong(f"its joints {told} go round in a circle; remove one of them")
        self.root = roots[0]

    def _order(self, roots: list[str]) -> list[str]:
        order, waiting = [], list(roots)
        while waiting:
            here = waiting.pop()
            order.append(here)
            waiting.extend(joint.child for joint in reversed(self.children.get(here, [])))
        return order

    def _circle(self, here: str) -> list[UrdfJoint]:
        """The joints of the loop that is met on the way up."""
        seen: dict[str, None] = {}
        while here not in seen:
            seen[here] = None
            here = self.carrier[here].parent
        way = list(seen)
        return [self.carrier[name] for name in way[way.index(here) :]]

    def weld_what_moves_nothing(self, receipt: Receipt, repair: bool) -> None:
        """Joints beyond which there is no mass become fixed ones, which is told."""
        beyond = {name: self.links[name].mass for name in self.order}
        for name in reversed(self.order):
            if name in self.carrier:
                beyond[self.carrier[name].parent] += beyond[name]
        for joint in self.joints.values():
            if joint.kind == "fixed" or beyond[joint.child] > 0.0:
                continue
            what = f"joint '{joint.name}'"
            told = f"link '{joint.child}' and what hangs on it have no mass, so that nothing moves it"
            if repair:
                receipt.approximate(what, joint.place, f"{told}; it is welded here")
            else:
                receipt.ignore(what, joint.place, f"{told}; give them masses, or repair=True welds it")
            joint.kind, joint.limits, joint.mimic = "fixed", None, None
            joint.options.clear()

    def rigid_groups(self) -> dict[str, str]:
        """For each link the first one of those that fixed joints weld together."""
        first: dict[str, str] = {}
        for name in self.order:
            carrier = self.carrier.get(name)
            first[name] = first[carrier.parent] if carrier is not None and carrier.kind == "fixed" else name
        return first
