"""Colliders become a table: poses in links, polyhedra, and who may meet whom."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from linkwork.assembly.drive_tables import softness_row
from linkwork.assembly.polyhedra import polyhedron
from linkwork.assembly.tables import Colliders
from linkwork.model import (
    Body,
    Collider,
    Frame,
    Ground,
    HeightField,
    Hull,
    Model,
)
from linkwork.model.joint_kinds import ATTACHED
from linkwork.spatial import codes

CONTACTS = 16  # room for each collider
PAIR = 8  # contacts of two colliders
BESIDE = 1e-2  # of its size: colliders nearer than this to one are its neighbours


def collider_tables(model: Model, place: dict[int, tuple[int, Frame]], grounds: int) -> Colliders:
    """`place` says where bodies went: link, and pose in it."""
    found = list(model.all_colliders())
    n = len(found)
    columns: dict[str, list[Any]] = {name: [] for name in ("link", "kind", "R", "p", "size", "bound", "thin")}
    vertices: list[Any] = []
    normals: list[Any] = []
    loops: list[list[int]] = []
    edges: list[Any] = []
    starts: dict[str, list[int]] = {"vertex": [0], "face": [0], "edge": [0]}
    for collider in found:
        link, pose = place[id(collider.body)]
        kind, size, solid, centre = polyhedron(collider.shape)
        pose = pose @ collider.shape.pose @ Frame(centre)
        first = len(vertices)
        vertices += solid.vertices
        normals += solid.normals
        loops += [[first + k for k in loop] for loop in solid.loops]
        edges += solid.edges
        starts["vertex"].append(len(vertices))
        starts["face"].append(len(normals))
        starts["edge"].append(len(edges))
        columns["link"].append(link)
        columns["kind"].append(kind)
        columns["R"].append(pose.matrix.ravel())
        columns["p"].append(pose.position)
        columns["size"].append(size)
        columns["thin"].append(thinness(kind, size, solid.vertices))
        round_by = size[0] if kind in (codes.SPHERE, codes.CAPSULE) else 0.0
        far = max((math.sqrt(float(np.dot(x, x))) for x in solid.vertices), default=math.inf)
        columns["bound"].append(math.hypot(size[0], size[1]) if kind == codes.CYLINDER else far + round_by)
    empty = np.zeros((0, 0))
    fields = [c.shape.heights if isinstance(c.shape, HeightField) else empty for c in found]
    meets = meeting(model, found, columns["link"], columns["kind"], grounds)
    beside = neighbours(columns, vertices, starts["vertex"])
    many = sum(len(c.shape.points) for c in found if isinstance(c.shape, Hull))  # all of them may lie on a plane
    walls = PAIR * int(meets[np.array(columns["kind"], dtype=np.int64) == codes.FIELD].sum())  # beside what is below
    return Colliders(
        link=np.array(columns["link"], dtype=np.int64),
        kind=np.array(columns["kind"], dtype=np.int64),
        R=np.array(columns["R"], dtype=float).reshape(-1, 9),
        p=np.array(columns["p"], dtype=float).reshape(-1, 3),
        size=np.array(columns["size"], dtype=float).reshape(-1, 3),
        bound=np.array(columns["bound"], dtype=float),
        thin=np.array(columns["thin"], dtype=float),
        friction=np.array([c.material.friction for c in found], dtype=float),
        restitution=np.array([c.material.restitution for c in found], dtype=float),
        soft=np.array([softness_row(c.material.softness) for c in found], dtype=float).reshape(-1, 3),
        meets=meets,
        neighbour_start=np.cumsum([0, *map(len, beside)], dtype=np.int64),
        neighbour=np.array([k for members in beside for k in members], dtype=np.int64),
        vertex_start=np.array(starts["vertex"], dtype=np.int64),
        vertex=np.array(vertices, dtype=float).reshape(-1, 3),
        face_start=np.array(starts["face"], dtype=np.int64),
        face_normal=np.array(normals, dtype=float).reshape(-1, 3),
        face_loop=np.concatenate([[0], np.cumsum([len(loop) for loop in loops])]).astype(np.int64),
        loop=np.array([k for loop in loops for k in loop], dtype=np.int64),
        edge_start=np.array(starts["edge"], dtype=np.int64),
        edge=np.array(edges, dtype=float).reshape(-1, 3),
        grid_start=np.cumsum([0, *(field.size for field in fields[:-1])], dtype=np.int64)[:n],
        grid_shape=np.array([field.shape for field in fields], dtype=np.int64).reshape(-1, 2),
        grid=np.concatenate([np.zeros(0), *(field.ravel() for field in fields)]),
        room=min(CONTACTS * n, PAIR * int(meets.sum()) // 2) + many + walls,
    )


def meeting(model: Model, found: list[Collider], links: list[int], kinds: list[int], grounds: int) -> Any:
    """1 for each two colliders that may meet."""
    n = len(found)
    pairs = np.ones((n, n), dtype=np.int8)
    np.fill_diagonal(pairs, 0)
    link, kind = np.array(links, dtype=np.int64), np.array(kinds, dtype=np.int64)
    still = link < grounds
    pairs[still[:, None] & still[None, :]] = 0
    pairs[(kind[:, None] == codes.PLANE) & (kind[None, :] == codes.PLANE)] = 0
    pairs[link[:, None] == link[None, :]] = 0
    at: dict[int, list[int]] = {}
    groups: dict[str, list[int]] = {}
    for k, collider in enumerate(found):
        at.setdefault(id(collider.body), []).append(k)
        if collider.group is not None:
            groups.setdefault(collider.group, []).append(k)

    def part(a: Body, b: Body) -> None:
        for i in at.get(id(a), ()):
            for j in at.get(id(b), ()):
                pairs[i, j] = pairs[j, i] = 0

    for members in groups.values():
        pairs[np.ix_(members, members)] = 0
    for joint in model.all_joints():
        if joint.kind in ATTACHED and not any(isinstance(body, Ground) for body in (joint.a, joint.b)):
            part(joint.a, joint.b)
    for container in model.walk():
        for a, b in container.apart:
            part(a, b)
    return pairs


def thinness(kind: int, size: list[float], corners: list[Any]) -> float:
    """Half the least width of a shape, m; inf for planes and fields."""
    match kind:
        case codes.SPHERE | codes.CAPSULE:
            return size[0]
        case codes.BOX:
            return min(size)
        case codes.CYLINDER:
            return min(size[:2])
        case codes.HULL:
            cloud = np.array(corners)
            _, axes = np.linalg.eigh(np.cov(cloud.T))
            return float(np.ptp(cloud @ axes, axis=0).min()) / 2
    return math.inf


def neighbours(columns: dict[str, list[Any]], vertices: list[Any], starts: list[int]) -> list[list[int]]:
    """Of each collider the solids of the same link that touch it or overlap it, by boxes around them."""
    n = len(columns["link"])
    low, high = np.full((n, 3), math.inf), np.full((n, 3), -math.inf)
    solid = np.isin(columns["kind"], [codes.BOX, codes.CYLINDER, codes.HULL])
    for k in np.flatnonzero(solid):
        R, p = np.array(columns["R"][k]).reshape(3, 3), np.array(columns["p"][k])
        if columns["kind"][k] == codes.CYLINDER:
            radius, half, _ = columns["size"][k]
            far = half * np.abs(R[:, 2]) + radius * np.sqrt(np.maximum(0.0, 1.0 - R[:, 2] ** 2))
            low[k], high[k] = p - far, p + far
        else:
            corners = p + np.array(vertices[starts[k] : starts[k + 1]]) @ R.T
            low[k], high[k] = corners.min(axis=0), corners.max(axis=0)
    link, found = np.array(columns["link"], dtype=np.int64), []
    for i in range(n):
        near = BESIDE * columns["bound"][i] if solid[i] else 0.0
        touching = solid & solid[i] & (link == link[i])
        for s in range(3):
            touching &= (low[:, s] <= high[i, s] + near) & (high[:, s] >= low[i, s] - near)
        found.append([int(e) for e in np.flatnonzero(touching) if e != i])
    return found
