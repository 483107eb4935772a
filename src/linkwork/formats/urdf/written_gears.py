"""Gears and racks of two joints as URDF's <mimic>."""

from __future__ import annotations

from linkwork.formats.receipt import Receipt
from linkwork.formats.urdf.written_joints import JointTexts
from linkwork.formats.urdf.written_xml import attribute, numbers
from linkwork.model import Coupling, Joint, Model


class Followers:
    """Which joint follows which; every joint follows one at most, and none itself."""

    def __init__(self, model: Model, joints: JointTexts, receipt: Receipt) -> None:
        self._texts: dict[str, str] = {}
        self._leader: dict[str, str] = {}
        for drive in model.all_drives():
            if not isinstance(drive, Coupling):
                continue
            reason = self._why_not(drive, joints) or self._follow(drive, joints)
            what = f"{drive.word} '{drive.path}'"
            if reason:
                receipt.ignore(what, "", reason)
            else:
                receipt.understand(what, "", "a mimic")

    def of(self, joint: str) -> str:
        """The <mimic> of a joint, or nothing."""
        return self._texts.get(joint, "")

    def _why_not(self, drive: Coupling, joints: JointTexts) -> str:
        if len(drive.whole) != 2 or any(term.curve is not None for term in drive.whole):
            return "a mimic of URDF couples two joints by a constant ratio"
        if drive.backlash:
            return "a mimic of URDF has no backlash"
        if any(id(term.joint) not in joints.named for term in drive.whole):
            return "one of its joints is not in the tree, or is two joints there"
        return ""

    def _follow(self, drive: Coupling, joints: JointTexts) -> str:
        """Let the second joint follow the first, or the first the second; returns why neither can."""
        (one, other), total = drive.whole, drive.offset
        if not drive.counted:  # the sum keeps what it is at the start
            total = sum(term.factor * _start(term.joint) for term in drive.whole)
        for follower, leader in ((one, other), (other, one)):
            led, leads = joints.named[id(follower.joint)], joints.named[id(leader.joint)]
            if led in self._leader or self._first(leads) == led:
                continue
            self._leader[led] = leads
            ratio, offset = -leader.factor / follower.factor, total / follower.factor
            more = f' offset="{numbers([offset])}"' if offset else ""
            self._texts[led] = f'<mimic joint={attribute(leads)} multiplier="{numbers([ratio])}"{more}/>'
            return ""
        return "both joints follow others already"

    def _first(self, joint: str) -> str:
        while joint in self._leader:
            joint = self._leader[joint]
        return joint


def _start(joint: Joint) -> float:
    return joint.position[0] if joint.position else 0.0
