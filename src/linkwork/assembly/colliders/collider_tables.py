"""Colliders become a table: poses in links, polyhedra, and who may meet whom."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwork.assembly.colliders.beds import refuse_beds
from linkwork.assembly.colliders.polyhedra import Polyhedron, polyhedron
from linkwork.assembly.elements.drive_tables import softness_row
from linkwork.assembly.reference import Reference
from linkwork.assembly.tables import Colliders
from linkwork.assembly.welded import welded_links
from linkwork.model import (
    Body,
    Collider,
    Frame,
    Ground,
    HeightField,
    Model,
)
from linkwork.model.contact.contact_pair import ContactPair
from linkwork.model.contact.material import Material
from linkwork.model.joints.joint_kinds import ATTACHED
from linkwork.spatial import codes

CONTACTS = 16  # room for each collider
PAIR = 8  # contacts of two colliders
SLOP_SIZE = 4e-4  # of the radius of a shape: what is nearer touches it, and overlaps up to this are left
SLOP_THIN = 0.1  # of half its thickness: the same
LOW_BOUNCE = 1e-3  # of the smaller shape: what would rise less does not bounce
BESIDE = 1e-2  # of its size: colliders nearer than this to one are its neighbours


def collider_tables(model: Model, reference: Reference, place: dict[int, tuple[int, Frame]], grounds: int) -> Colliders:
    """`place` says where bodies went: link, and pose in it."""
    found = list(model.all_colliders())
    n = len(found)
    columns: dict[str, list[Any]] = {name: [] for name in ("link", "kind", "R", "p", "size", "bound", "thin")}
    solids = []
    starts: dict[str, list[int]] = {"vertex": [0], "face": [0], "edge": [0], "neighbour": [0]}
    for collider in found:
        link, pose = place[id(collider.body)]
        kind, size, solid, centre = polyhedron(collider.shape)
        pose = pose @ collider.shape.pose @ Frame(centre)
        solids.append(solid)
        starts["vertex"].append(starts["vertex"][-1] + len(solid.vertices))
        starts["face"].append(starts["face"][-1] + len(solid.normals))
        starts["edge"].append(starts["edge"][-1] + len(solid.edges))
        starts["neighbour"].append(starts["neighbour"][-1] + len(solid.neighbours))
        columns["link"].append(link)
        columns["kind"].append(kind)
        columns["R"].append(pose.matrix.ravel())
        columns["p"].append(pose.position)
        columns["size"].append(size)
        columns["thin"].append(thinness(kind, size, solid.vertices))
        round_by = size[0] if kind in (codes.SPHERE, codes.CAPSULE) else 0.0
        far = float(np.linalg.norm(solid.vertices, axis=1).max(initial=0.0)) if len(solid.vertices) else math.inf
        columns["bound"].append(bound_of(kind, size, far + round_by))
    empty = np.zeros((0, 0))
    fields = [c.shape.heights if isinstance(c.shape, HeightField) else empty for c in found]
    pairs = [pair for container in model.walk() for pair in container.pairs]
    welded = welded_links(model, reference, place)
    groups = [welded.get(link, (link, Frame())) for link in columns["link"]]
    can_collide = meeting(model, found, pairs, columns, [group for group, _ in groups], grounds)
    refuse_beds(found, can_collide)
    adjacent = adjacent_colliders(columns, solids, groups)
    few = [len(s.vertices) for s, k in zip(solids, columns["kind"], strict=True) if k == codes.HULL]
    many = sum(k for k in few if k <= codes.MANY_CORNERS)  # all of them may lie on a plane
    loops = [(first, loop) for first, s in zip(starts["vertex"], solids, strict=False) for loop in s.loops]
    lengths = [len(loop) for _, loop in loops]
    fielded = can_collide[np.array(columns["kind"], dtype=np.int64) == codes.FIELD]
    walls = PAIR * int(np.count_nonzero(fielded))  # beside what is below
    return Colliders(
        link=np.array(columns["link"], dtype=np.int64),
        kind=np.array(columns["kind"], dtype=np.int64),
        R=np.array(columns["R"], dtype=float).reshape(-1, 9),
        p=np.array(columns["p"], dtype=float).reshape(-1, 3),
        size=np.array(columns["size"], dtype=float).reshape(-1, 3),
        bound=np.array(columns["bound"], dtype=float),
        thin=np.array(columns["thin"], dtype=float),
        slop=np.minimum(SLOP_SIZE * np.array(columns["bound"]), SLOP_THIN * np.array(columns["thin"])),
        **surface_columns(found, place, columns["bound"], model),
        soft=np.array([softness_row(c.material.softness) for c in found], dtype=float).reshape(-1, 3),
        can_collide=can_collide,
        has_moments=int(any_moments(found, pairs)),
        **{
            f"pair_{name}": np.array([p.numbers.given().get(name, -1.0) for p in pairs], dtype=float)
            for name in ("friction", "restitution", "bounce_speed", "rolling", "torsional")
        },
        adjacent_start=np.cumsum([0, *map(len, adjacent)], dtype=np.int64),
        adjacent=np.array([k for members in adjacent for k in members], dtype=np.int64),
        vertex_start=np.array(starts["vertex"], dtype=np.int64),
        vertex=np.concatenate([np.zeros((0, 3)), *(s.vertices for s in solids)]),
        face_start=np.array(starts["face"], dtype=np.int64),
        face_normal=np.concatenate([np.zeros((0, 3)), *(s.normals for s in solids)]),
        face_loop=np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64),
        loop=np.array([first + k for first, loop in loops for k in loop], dtype=np.int64),
        neighbour_start=np.concatenate(
            [
                *(first + s.neighbour_start[:-1] for first, s in zip(starts["neighbour"], solids, strict=False)),
                starts["neighbour"][-1:],
            ]
        ).astype(np.int64),
        neighbour=np.concatenate(
            [np.zeros(0), *(first + s.neighbours for first, s in zip(starts["vertex"], solids, strict=False))]
        ).astype(np.int64),
        edge_start=np.array(starts["edge"], dtype=np.int64),
        edge=np.concatenate([np.zeros((0, 3)), *(s.edges for s in solids)]),
        grid_start=np.cumsum([0, *(field.size for field in fields[:-1])], dtype=np.int64)[:n],
        grid_shape=np.array([field.shape for field in fields], dtype=np.int64).reshape(-1, 2),
        grid=np.concatenate([np.zeros(0), *(field.ravel() for field in fields)]),
        capacity=min(CONTACTS * n, PAIR * int(np.count_nonzero(can_collide)) // 2) + many + int(walls),
    )


def surface_columns(
    found: list[Collider], place: dict[int, tuple[int, Frame]], bound: list[float], model: Model
) -> dict[str, Any]:
    """Friction, restitution and so on of the colliders' materials."""
    g, materials = float(np.linalg.norm(model.gravity)), [c.material for c in found]
    kinds, ratios, grains = [], [], []
    for collider, material in zip(found, materials, strict=True):
        along, across = material.frictions
        kinds.append(0 if along == across else codes.ALONG_GRAIN if along > across else codes.ACROSS_GRAIN)
        ratios.append(1.0 if along == across else min(along, across) / max(along, across))
        grain = np.zeros(3)
        if kinds[-1]:
            grain = place[id(collider.body)][1].direction(material.grain)
            grain /= np.linalg.norm(grain)
        grains.append(grain)
    return {
        "friction": np.array([max(m.frictions) for m in materials], dtype=float),
        "friction_ratio": np.array(ratios, dtype=float),
        "grain_kind": np.array(kinds, dtype=np.int64),
        "grain": np.array(grains, dtype=float).reshape(-1, 3),
        "restitution": np.array([m.restitution for m in materials], dtype=float),
        "bounce_speed": np.array([-1.0 if m.bounce_speed is None else m.bounce_speed for m in materials], dtype=float),
        "slow": np.array([math.sqrt(2.0 * g * LOW_BOUNCE * far) if g > 0.0 else 0.0 for far in bound], dtype=float),
        "rolling": np.array([m.rolling for m in materials], dtype=float),
        "torsional": np.array([m.torsional for m in materials], dtype=float),
    }


def any_moments(found: list[Collider], pairs: list[ContactPair]) -> bool:
    """Whether some material or pair resists rolling or turning."""
    own = any(c.material.rolling > 0.0 or c.material.torsional > 0.0 for c in found)
    return own or any((p.numbers.rolling or 0.0) > 0.0 or (p.numbers.torsional or 0.0) > 0.0 for p in pairs)


def meeting(
    model: Model,
    found: list[Collider],
    pairs: list[ContactPair],
    columns: dict[str, list[Any]],
    together: list[int],
    grounds: int,
) -> Any:
    """1 for each two colliders that may meet, 2 + k where they do so as pair k says; not for those held together."""
    n = len(found)
    table = np.ones((n, n), dtype=np.int64)
    kind, group = np.array(columns["kind"], dtype=np.int64), np.array(together, dtype=np.int64)
    still = np.array(columns["link"], dtype=np.int64) < grounds
    never = still[:, None] & still[None, :]
    never |= (kind[:, None] == codes.PLANE) & (kind[None, :] == codes.PLANE)
    never |= group[:, None] == group[None, :]
    at: dict[int, list[int]] = {}
    groups: dict[str, list[int]] = {}
    for k, collider in enumerate(found):
        at.setdefault(id(collider.body), []).append(k)
        if collider.group is not None:
            groups.setdefault(collider.group, []).append(k)

    def between(a: Body, b: Body, value: int) -> None:
        one, two = at.get(id(a), []), at.get(id(b), [])
        table[np.ix_(one, two)] = value
        table[np.ix_(two, one)] = value

    for members in groups.values():
        table[np.ix_(members, members)] = 0
    for joint in model.all_joints():
        if joint.kind in ATTACHED and not any(isinstance(body, Ground) for body in (joint.a, joint.b)):
            between(joint.a, joint.b, 0)
    for k, pair in enumerate(pairs):
        if isinstance(pair.a, Material):
            one, two = (np.array([c.material == end for c in found], dtype=bool) for end in (pair.a, pair.b))
            alike = one[:, None] & two[None, :]
            table[(alike | alike.T) & (table > 0)] = 2 + k
    for container in model.walk():
        for a, b in container.apart:
            between(a, b, 0)
    for k, pair in enumerate(pairs):
        if isinstance(pair.a, Body) and isinstance(pair.b, Body):
            between(pair.a, pair.b, 2 + k)
    table[never] = 0
    return table


def bound_of(kind: int, size: list[float], far: float) -> float:
    """Radius of a ball around a shape whose corners reach so far, m."""
    match kind:
        case codes.CYLINDER:
            return math.hypot(size[0], size[1])
        case codes.ELLIPSOID:
            return max(size)
    return far


def thinness(kind: int, size: list[float], corners: Any) -> float:
    """Half the least width of a shape, m; inf for planes and fields."""
    match kind:
        case codes.SPHERE | codes.CAPSULE:
            return size[0]
        case codes.BOX | codes.ELLIPSOID:
            return min(size)
        case codes.CYLINDER:
            return min(size[:2])
        case codes.HULL:
            _, axes = np.linalg.eigh(np.cov(corners.T))
            return float(np.ptp(corners @ axes, axis=0).min()) / 2
    return math.inf


def adjacent_colliders(
    columns: dict[str, list[Any]], solids: list[Polyhedron], groups: list[tuple[int, Frame]]
) -> list[list[int]]:
    """Of each collider the solids of the same group that touch it or overlap it, by boxes around them.

    `groups`: the first link of those that move as one body with its own, and the pose of its own link in it.
    """
    n = len(columns["link"])
    low, high = np.full((n, 3), math.inf), np.full((n, 3), -math.inf)
    solid = np.isin(columns["kind"], [codes.BOX, codes.CYLINDER, codes.HULL])
    for k in np.flatnonzero(solid):
        X = groups[k][1]
        R, p = X.matrix @ np.array(columns["R"][k]).reshape(3, 3), X.point(columns["p"][k])
        if columns["kind"][k] == codes.CYLINDER:
            radius, half, _ = columns["size"][k]
            far = half * np.abs(R[:, 2]) + radius * np.sqrt(np.maximum(0.0, 1.0 - R[:, 2] ** 2))
            low[k], high[k] = p - far, p + far
        else:
            corners = p + solids[k].vertices @ R.T
            low[k], high[k] = corners.min(axis=0), corners.max(axis=0)
    group, found = np.array([first for first, _ in groups], dtype=np.int64), []
    for i in range(n):
        near = BESIDE * columns["bound"][i] if solid[i] else 0.0
        touching = solid & solid[i] & (group == group[i])
        for s in range(3):
            touching &= (low[:, s] <= high[i, s] + near) & (high[:, s] >= low[i, s] - near)
        found.append([int(e) for e in np.flatnonzero(touching) if e != i])
    return found
