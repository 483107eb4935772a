"""Bases of SDF models: held by the world, welded to it on request, or free."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from linkwork.formats.naming import fitting
from linkwork.formats.sdf.building import Build
from linkwork.formats.sdf.poses import held_by
from linkwork.formats.sdf.scopes import HERE, Scope
from linkwork.formats.sdf.values import saying
from linkwork.model import Body, Ground, Joint

Neighbours: TypeAlias = dict[Body, list[Body]]


def hold_bases(build: Build, world: Scope) -> None:
    """Weld models with base="fixed", and let what hangs together and is not held move freely."""
    root = build.holders[world].container
    neighbours = _neighbours(root.all_joints())
    grounded = _reached(neighbours, [body for body in neighbours if isinstance(body, Ground)])
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
            grounded |= _reached(neighbours, [body])
            build.receipt.understand(what, item.place, f"'{body.path}' is welded to the world")
        else:
            roots.append(body)
            build.receipt.understand(what, item.place, "moves freely, as the file says")
    _free(build, world, roots, grounded, neighbours)


def _free(build: Build, world: Scope, roots: list[Body], held: set[Body], neighbours: Neighbours) -> None:
    """A free joint for every group of joined bodies that nothing holds: at its canonical link, or its first."""
    root = build.holders[world].container
    owners = {body: scope for (scope, _), body in build.bodies.items()}
    for body in (*roots, *root.all_bodies()):
        if body in held or body not in neighbours or body not in owners:
            continue
        _join(build, owners[body], owners[body].file.place(owners[body].element), body, "free")
        held |= _reached(neighbours, [body])


def _join(build: Build, scope: Scope, place: str, body: Body, kind: str) -> None:
    container = build.holders[scope].container
    name = fitting(container, f"{body.name} base", "joint", build.receipt, place)
    with saying(scope.element):
        getattr(container, kind)(name, container.ground, body)


def _neighbours(joints: Iterable[Joint]) -> Neighbours:
    found: Neighbours = {}
    for joint in joints:
        found.setdefault(joint.a, []).append(joint.b)
        found.setdefault(joint.b, []).append(joint.a)
    return found


def _reached(neighbours: Neighbours, start: list[Body]) -> set[Body]:
    """The bodies that joints connect to these; not through the ground."""
    found: set[Body] = set()
    waiting = [other for body in start for other in (neighbours[body] if isinstance(body, Ground) else [body])]
    while waiting:
        body = waiting.pop()
        if body not in found and not isinstance(body, Ground):
            found.add(body)
            waiting.extend(neighbours.get(body, ()))
    return found
