"""The graph of bodies and joints, cut into a spanning forest with short paths to the grounds, and loop-closing cuts."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from linkwork.errors import ModelError
from linkwork.model import Body, Joint, Model, Rotor


class TreeStep(NamedTuple):
    """A joint of the forest, walked from `parent` to `child`; `joint` is None for a body that flies free."""

    joint: Joint | None
    parent: Body
    child: Body
    backward: bool


class Forest(NamedTuple):
    steps: list[TreeStep]  # depth first, in declaration order
    cuts: list[Joint]
    floating: list[Body]  # roots of groups of bodies that no joint holds to a ground


def scatter(model: Model) -> Forest:
    """Every body by itself, every joint a cut: the forest of absolute coordinates."""
    bodies = list(model.all_bodies())
    return Forest([TreeStep(None, model.ground, body, False) for body in bodies], list(model.all_joints()), [])


def span(model: Model) -> Forest:
    """Breadth first from the grounds, which makes the paths short; then numbered depth first as declared."""
    grounds = list(model.all_grounds())
    bodies = sorted(model.all_bodies(), key=lambda body: isinstance(body, Rotor))  # which hang on others
    joints = list(model.all_joints())
    neighbours: dict[int, list[Joint]] = {id(body): [] for body in grounds + bodies}
    for joint in joints:
        if not joint.cut:
            neighbours[id(joint.a)].append(joint)
            neighbours[id(joint.b)].append(joint)

    parent_joint: dict[int, Joint | None] = {id(ground): None for ground in grounds}
    floating: list[Body] = []
    _reach(deque(grounds), neighbours, parent_joint)
    for body in bodies:
        if id(body) not in parent_joint:
            parent_joint[id(body)] = None
            floating.append(body)
            _reach(deque([body]), neighbours, parent_joint)

    in_tree = {id(joint) for joint in parent_joint.values() if joint is not None}
    cuts = [joint for joint in joints if id(joint) not in in_tree]
    for joint in cuts:
        if joint.kind == "free":
            raise ModelError(
                f"free joint '{joint.path}' joins '{joint.a.path}' and '{joint.b.path}', which other joints hold "
                "already, so it does nothing; remove it"
            )
        if joint.armature:
            raise ModelError(
                f"joint '{joint.path}' closes a loop and has an armature, which only joints of the tree can have; "
                "say cut=True at another joint of its loop"
            )
    steps: list[TreeStep] = []
    for ground in grounds:
        _walk(ground, neighbours, parent_joint, in_tree, steps)
    for body in floating:
        steps.append(TreeStep(None, model.ground, body, False))
        _walk(body, neighbours, parent_joint, in_tree, steps)
    return Forest(steps, cuts, floating)


def _reach(queue: deque[Body], neighbours: dict[int, list[Joint]], parent_joint: dict[int, Joint | None]) -> None:
    while queue:
        body = queue.popleft()
        for joint in neighbours[id(body)]:
            other = joint.b if joint.a is body else joint.a
            if id(other) not in parent_joint:
                parent_joint[id(other)] = joint
                queue.append(other)


def _walk(
    root: Body,
    neighbours: dict[int, list[Joint]],
    parent_joint: dict[int, Joint | None],
    in_tree: set[int],
    steps: list[TreeStep],
) -> None:
    """Depth first without recursion: chains of thousands of links must not meet Python's stack."""
    stack = [(root, iter(neighbours[id(root)]))]
    while stack:
        body, waiting = stack[-1]
        for joint in waiting:
            child = joint.b if joint.a is body else joint.a
            if id(joint) in in_tree and parent_joint[id(child)] is joint:
                backward = child is joint.a
                if backward and joint.kind == "free":
                    raise ModelError(
                        f"free joint '{joint.path}': its a, '{joint.a.path}', is held by its b, '{joint.b.path}'; "
                        "exchange them, so that a is the one nearer to the ground"
                    )
                steps.append(TreeStep(joint, body, child, backward))
                stack.append((child, iter(neighbours[id(child)])))
                break
        else:
            stack.pop()


def reached(bodies: Iterable[Body], neighbours: dict[int, list[Body]]) -> set[int]:
    """Identities of all bodies that are connected to these."""
    waiting = list(bodies)
    found = {id(body) for body in waiting}
    while waiting:
        for body in neighbours.get(id(waiting.pop()), ()):
            if id(body) not in found:
                found.add(id(body))
                waiting.append(body)
    return found
