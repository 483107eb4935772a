"""Columns of joints, whether they carry a tree or close a loop, and of bodies."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from linkwork.assembly.massless import taken_off
from linkwork.assembly.system import System
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.simulation.results.columns.column import Column, Read, Seen, nothing, row_shape
from linkwork.simulation.results.columns.units import BODY_UNITS, joint_units


def joint_columns(system: System) -> Iterator[Column]:
    """Joints of the trees, then cuts; those that may be attached later are there, too, and empty until then."""
    for k, place in enumerate(() if system.absolute else system.joints):
        yield from _columns(
            place.name,
            place.kind,
            (_size(place.q), _size(place.v)),
            position=partial(_coordinates, part=place.q),
            velocity=partial(_velocities, part=place.v),
            acceleration=partial(_accelerations, part=place.v),
            reaction=partial(_reaction, k=k),
        )
    for k, cut in enumerate(system.cuts):
        yield from _columns(
            cut.name,
            cut.kind,
            (_size(cut.q), _size(cut.v)),
            position=partial(_cut_coordinates, part=cut.q),
            velocity=partial(_cut_rates, part=cut.v),
            acceleration=partial(_cut_accelerations, part=cut.v),
            reaction=partial(_cut_reaction, k=k),
        )
    for event in system.model.all_events():
        if event.joint is not None:
            yield from _columns(event.path, event.joint.kind, (event.joint.nq, event.joint.nv))


def _columns(name: str, kind: str, sizes: tuple[int, int], **reads: Read) -> Iterator[Column]:
    """Columns of a joint: of its coordinates and their rates, where it has some, and what it carries."""
    units, (nq, nv) = joint_units(kind), sizes
    carried = 6 if KINDS[kind].carries else 0
    for quantity, size in (("position", nq), ("velocity", nv), ("acceleration", nv), ("reaction", carried)):
        if size:
            yield Column(f"{name}.{quantity}", row_shape(size), units[quantity], reads.get(quantity, nothing))


def _size(part: slice) -> int:
    return part.stop - part.start  # type: ignore[no-any-return]


def _coordinates(seen: Seen, part: slice) -> Any:
    return seen.q[:, part]


def _velocities(seen: Seen, part: slice) -> Any:
    return seen.v[:, part]


def _accelerations(seen: Seen, part: slice) -> Any:
    return seen.vd[:, part]


def _reaction(seen: Seen, k: int) -> Any:
    return seen.observation.reaction[:, k]


def _cut_coordinates(seen: Seen, part: slice) -> Any:
    return seen.samples.cut_q[: seen.rows, part]


def _cut_rates(seen: Seen, part: slice) -> Any:
    return seen.samples.cut_rate[: seen.rows, part]


def _cut_accelerations(seen: Seen, part: slice) -> Any:
    return seen.observation.cut_acceleration[:, part]


def _cut_reaction(seen: Seen, k: int) -> Any:
    """What a cut carries; of one that stands for a weld without what its massless body was lent."""
    system, tree = seen.system, seen.tables.tree
    held = seen.system.tables.cuts.cut_a.size
    reaction = seen.samples.cut_force[: seen.rows, k] if held else np.zeros((seen.rows, 6))
    if any(each.cut == k for each in system.carried):
        return taken_off(system.carried, tree.gravity, seen.q, seen.v, seen.vd, k, reaction)
    return reaction


def body_columns(system: System) -> Iterator[Column]:
    """Pose and velocities of bodies, world axes."""
    parts = {"position": (0, 3), "rotation": (3, 7), "velocity": (7, 10), "angular_velocity": (10, 13)}
    for k, name in enumerate(system.body_names):
        for quantity, (first, last) in parts.items():
            read = partial(_body, k=k, part=slice(first, last))
            yield Column(f"{name}.{quantity}", (last - first,), BODY_UNITS[quantity], read)


def _body(seen: Seen, k: int, part: slice) -> Any:
    return seen.observation.body[:, k, part]


def touch_columns(system: System) -> Iterator[Column]:
    """The sum of all contact forces on each body that can touch something, N; nothing without impulses."""
    places = {name: k for k, name in enumerate(system.body_names)}
    for name in dict.fromkeys(collider.body.path for collider in system.model.all_colliders()):
        if name in places:
            link = system.tables.tree.body_link[places[name]]
            yield Column(f"{name}.contact_force", (3,), BODY_UNITS["contact_force"], partial(_touch, link=link))


def _touch(seen: Seen, link: int) -> Any:
    force = seen.samples.contact_force
    return force[: seen.rows, link] if force.shape[1] else None
