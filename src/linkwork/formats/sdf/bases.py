"""Bases of SDF models: held by the world, welded to it on request, or free."""

from __future__ import annotations

from collections.abc import Iterable

from linkwork.formats.naming import fitting
from linkwork.formats.sdf.building import Build
from linkwork.formats.sdf.poses import held_by
from linkwork.formats.sdf.scopes import HERE, Scope
from linkwork.formats.sdf.values import saying
from linkwork.model import Body, Ground, Joint


def hold_bases(build: Build, world: Scope) -> None:
    """Weld models with base="fixed", and let what hangs together and is not held move freely."""
    root = build.holders[world].container
    grounded = _reached(root.all_joints(), None)
    roots: list[Body] = []
    for item in world.models:
        scope = item.inner
        if scope is None or scope.static or not any(each.links for each in scope.walk()):
            continue
        held = held_by(scope, HERE, item.element)
        body = None if held is None else build.bodies[held[0], held[1].name]
        what = f"base of {scope.told}"
        if body is None or body in grounded:
            if build.options.base == "floating":
                item.element.wrong(f'the file holds {scope.told} to the world; leave out base="floating"')
            build.receipt.understand(what, item.place, "held by the world, as the file says")
        elif build.options.base == "fixed":
            _join(build, scope, item.place, body, "fixed")
            grounded |= _reached(root.all_joints(), body)
            build.receipt.understand(what, item.place, f"'{body.path}' is welded to the world")
        else:
            roots.append(body)
            build.receipt.understand(what, item.place, "moves freely, as the file says")
    _free(build, world, roots, grounded)


def _free(build: Build, world: Scope, roots: list[Body], grounded: set[Body]) -> None:
    """A free joint for every group of joined bodies that nothing holds: at its canonical link, or its first."""
    root = build.holders[world].container
    joined = {body for joint in root.all_joints() for body in (joint.a, joint.b)}
    known = set(grounded)
    owners = {body: scope for (scope, _), body in build.bodies.items()}
    for body in (*roots, *root.all_bodies()):
        if body in known or body not in joined or body not in owners:
            continue
        _join(build, owners[body], owners[body].file.place(owners[body].element), body, "free")
        known |= _reached(root.all_joints(), body)


def _join(build: Build, scope: Scope, place: str, body: Body, kind: str) -> None:
    container = build.holders[scope].container
    name = fitting(container, f"{body.name} base", "joint", build.receipt, place)
    with saying(scope.element):
        getattr(container, kind)(name, container.ground, body)


def _reached(joints: Iterable[Joint], start: Body | None) -> set[Body]:
    """The bodies that joints connect to a body, or to a ground where none is given; free joints hold nothing."""
    neighbours: dict[Body, list[Body]] = {}
    waiting: list[Body] = [] if start is None else [start]
    for joint in joints:
        for body, other in ((joint.a, joint.b), (joint.b, joint.a)):
            if not isinstance(body, Ground):
                neighbours.setdefault(body, []).append(other)
            elif start is None:
                waiting.append(other)
    found: set[Body] = set()
    while waiting:
        body = waiting.pop()
        if body not in found and not isinstance(body, Ground):
            found.add(body)
            waiting.extend(neighbours.get(body, ()))
    return found
