"""Joints that follow others: gears whose offset ties positions, and start positions that fit them and all limits."""

from __future__ import annotations

import math

from linkwork.formats.naming import fitting
from linkwork.formats.receipt import Receipt
from linkwork.formats.urdf.joints import ONE_WAY, UrdfJoint
from linkwork.model import Joint, Model


def check_leaders(joints: dict[str, UrdfJoint], receipt: Receipt) -> None:
    """Raise for joints that follow nothing or themselves; followers of what cannot move lose what they follow."""
    fine: set[str] = set()  # joints whose leaders have been looked at
    for joint in joints.values():
        way: dict[str, None] = {}
        here = joint
        while here.mimic is not None and here.mimic.leader in joints and here.name not in fine:
            way[here.name] = None
            if here.mimic.leader in way:
                here.mimic.node.wrong(f"joint '{here.mimic.leader[:80]}' follows itself; let one of these joints lead")
            here = joints[here.mimic.leader]
        fine.update(way)
    for joint in joints.values():
        if joint.mimic is None:
            continue
        followed = joints.get(joint.mimic.leader)
        if followed is None or followed.kind not in ONE_WAY:
            why = "not in the file" if followed is None else f"{followed.kind} here"
            told = f"the joint '{joint.mimic.leader[:80]}', which it follows, is {why}; it moves freely"
            receipt.ignore(f"<mimic> of joint '{joint.name}'", joint.mimic.node.place, told)
            joint.mimic = None


def start_positions(joints: dict[str, UrdfJoint], receipt: Receipt) -> dict[str, float]:
    """Start positions other than zero: as near to it as limits allow, and where leaders put their followers."""
    ties: dict[str, list[tuple[UrdfJoint, float, float]]] = {}  # followers of each first leader, all the way down
    known: dict[str, tuple[str, float, float]] = {}  # first leader, ratio and offset
    for joint in joints.values():
        way, here = [], joint
        while here.name not in known and here.mimic is not None:
            way.append(here)
            here = joints[here.mimic.leader]
        known.setdefault(here.name, (here.name, 1.0, 0.0))
        for each in reversed(way):
            assert each.mimic is not None
            first, ratio, shift = known[each.mimic.leader]
            m, o = each.mimic.multiplier, each.mimic.offset
            known[each.name] = (first, m * ratio, m * shift + o)
    for name, (first, ratio, shift) in known.items():
        ties.setdefault(first, []).append((joints[name], ratio, shift))
    found: dict[str, float] = {}
    for followers in ties.values():
        low, high = -math.inf, math.inf
        for joint, ratio, shift in sorted(followers, key=lambda each: each[0].mimic is not None):
            if joint.limits is None or ratio == 0.0:
                continue
            ends = sorted((limit - shift) / ratio for limit in joint.limits)
            if max(low, ends[0]) > min(high, ends[1]):
                told = f"what it follows never lets it be within {joint.limits[0]:g} to {joint.limits[1]:g}"
                receipt.ignore(f"<limit> of joint '{joint.name}'", joint.place, told)
                joint.limits = None
                continue
            low, high = max(low, ends[0]), min(high, ends[1])
        start = min(max(0.0, low), high)
        places = {joint.name: ratio * start + shift for joint, ratio, shift in followers}
        if any(places.values()):
            found |= places
    for name in found:
        low, high = joints[name].limits or (-math.inf, math.inf)
        found[name] = min(max(found[name], low), high)  # off by rounding alone
    return found


def couple(model: Model, made: dict[str, Joint], joints: dict[str, UrdfJoint], receipt: Receipt) -> None:
    """A gear for each joint that follows another, or a rack from a turn to a slide."""
    for joint in joints.values():
        mimic = joint.mimic
        if mimic is None:
            continue
        name = fitting(model, f"{joint.name} mimic", "gear", receipt, mimic.node.place)
        led, leader = made[joint.name], made[mimic.leader]
        ratio, offset = mimic.multiplier, mimic.offset
        if led.kind == leader.kind:
            model.gear(name, leader, led, ratio=ratio, offset=offset)
        elif led.kind == "prismatic":
            model.rack(name, leader, led, radius=ratio, offset=offset)
        else:
            model.rack(name, led, leader, radius=1.0 / ratio, offset=-offset / ratio)
        told = f"its position is {ratio:g} times that of '{mimic.leader}'" + (f" plus {offset:g}" if offset else "")
        receipt.understand(f"<mimic> of joint '{joint.name}'", mimic.node.place, told)
