"""Links that fixed joints hold together: each such group moves as one body."""

from __future__ import annotations

from linkwork.assembly.reference import Reference
from linkwork.model import Frame, Model


def welded_links(
    model: Model, reference: Reference, place: dict[int, tuple[int, Frame]]
) -> dict[int, tuple[int, Frame]]:
    """Of each link that a fixed joint holds the first link of its group, and its pose in that.

    What events attach later holds where the bodies are by then, so it does not count.
    """
    beside: dict[int, list[tuple[int, Frame]]] = {}
    built = {id(joint) for joint in model.built.all_joints()}
    for joint in model.all_joints():
        if joint.kind != "fixed" or id(joint) not in built or not {id(joint.a), id(joint.b)} <= place.keys():
            continue
        (a, in_a), (b, in_b) = place[id(joint.a)], place[id(joint.b)]
        if a != b:
            frame_a, frame_b = reference.frames(joint)
            b_in_a = in_a @ frame_a @ frame_b.inverse() @ in_b.inverse()
            beside.setdefault(a, []).append((b, b_in_a))
            beside.setdefault(b, []).append((a, b_in_a.inverse()))
    found: dict[int, tuple[int, Frame]] = {}
    for first in sorted(beside):
        if first in found:
            continue
        found[first] = (first, Frame())
        waiting = [first]
        while waiting:
            link = waiting.pop()
            for other, pose in beside[link]:
                if other not in found:
                    found[other] = (first, found[link][1] @ pose)
                    waiting.append(other)
    return found
