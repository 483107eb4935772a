"""Shapes as polyhedra: corners, faces with all their corners, edges, and which corners are neighbours."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from linkwork.assembly.tables import Floats, Ints
from linkwork.model import Box, Capsule, Cylinder, Ellipsoid, HeightField, Hull, Plane, Sphere
from linkwork.spatial import codes

SAME_FACE = 1e-6  # triangles of a hull whose normals differ less (1 - cosine) are one face


class Polyhedron(NamedTuple):
    """A polyhedron in its own axes; a point or a segment has no faces, a cylinder or ellipsoid not even vertices."""

    vertices: Floats  # (vertex, 3) m
    normals: Floats  # (face, 3)
    loops: list[Any]  # vertices around each face, counter-clockwise
    edges: Floats  # (edge, 3) directions, parallel ones once
    neighbour_start: Ints  # (vertex + 1,) into neighbours
    neighbours: Ints  # vertices at the other ends of the edges of a vertex


def without_faces(vertices: Any, edges: Any = ()) -> Polyhedron:
    """Points alone."""
    corners = np.array(vertices, dtype=float).reshape(-1, 3)
    none = np.zeros(len(corners) + 1, dtype=np.int64)
    directions = np.array(edges, dtype=float).reshape(-1, 3)
    return Polyhedron(corners, np.zeros((0, 3)), [], directions, none, none[:0])


def polyhedron(shape: Any) -> tuple[int, list[float], Polyhedron, Floats]:
    """Code, sizes, vertices and faces of a shape about its centre, and where the centre is in the shape's frame."""
    middle = np.zeros(3)
    match shape:
        case Plane():
            return codes.PLANE, [0.0, 0.0, 0.0], without_faces([]), middle
        case Sphere():
            return codes.SPHERE, [shape.radius, 0.0, 0.0], without_faces([np.zeros(3)]), middle
        case Capsule():
            half = shape.length / 2
            if half == 0.0:
                return codes.SPHERE, [shape.radius, 0.0, 0.0], without_faces([np.zeros(3)]), middle
            ends = [np.array([0.0, 0.0, z]) for z in (-half, half)]
            return codes.CAPSULE, [shape.radius, half, 0.0], without_faces(ends, edges=[[0.0, 0.0, 1.0]]), middle
        case Box():
            half_sides = np.array(shape.size) / 2
            corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * half_sides
            return codes.BOX, half_sides.tolist(), convex(corners), middle
        case Cylinder():
            return codes.CYLINDER, [shape.radius, shape.length / 2, 0.0], without_faces([]), middle
        case Ellipsoid():
            if min(shape.radii) == max(shape.radii):
                return codes.SPHERE, [shape.radii[0], 0.0, 0.0], without_faces([np.zeros(3)]), middle
            return codes.ELLIPSOID, list(shape.radii), without_faces([]), middle
        case HeightField():
            # the box around it, as deep below as it is wide
            x, y = shape.size[0] / 2, shape.size[1] / 2
            low, high = float(shape.heights.min()) - max(shape.size), float(shape.heights.max())
            around = [np.array([i * x, j * y, z]) for i in (-1, 1) for j in (-1, 1) for z in (low, high)]
            return codes.FIELD, [x, y, 0.0], without_faces(around), middle
        case Hull():
            middle = shape.triangles.reshape(-1, 3).mean(axis=0)
            corners = np.unique(shape.triangles.reshape(-1, 3), axis=0) - middle
            return codes.HULL, [0.0, 0.0, 0.0], convex(corners), middle
    raise AssertionError(shape)


def convex(points: Floats) -> Polyhedron:
    """The polyhedron around points: its faces, each with all its corners, and the directions of its edges."""
    return _convex(points.tobytes())


@lru_cache(maxsize=1024)  # a robot is assembled again and again, with the same hulls
def _convex(numbers: bytes) -> Polyhedron:
    from scipy.spatial import ConvexHull

    points = np.frombuffer(numbers).reshape(-1, 3)
    hull = ConvexHull(points)
    used, corner_of = np.unique(hull.simplices, return_inverse=True)
    corners, triangles = points[used], corner_of.reshape(-1, 3)
    normals = hull.equations[:, :3] / np.linalg.norm(hull.equations[:, :3], axis=1)[:, None]
    # counter-clockwise seen from outside
    a, b, c = (corners[triangles[:, k]] for k in range(3))
    turned = np.einsum("ni,ni->n", np.cross(b - a, c - a), normals) < 0.0
    triangles[turned] = triangles[turned][:, ::-1]
    face = _faces(hull.equations, hull.neighbors, corners[triangles])
    first = np.unique(face, return_index=True)[1]
    members = np.split(np.argsort(face, kind="stable"), np.cumsum(np.bincount(face))[:-1])
    loops = [
        triangles[m[0]].tolist() if len(m) == 1 else _around(corners, triangles[m], normals[m[0]]) for m in members
    ]
    start, neighbours = _neighbours(triangles, len(corners))
    edges = _directions(corners, triangles, face)
    return Polyhedron(corners, normals[first], loops, edges, start, neighbours)


def _faces(planes: Floats, beside: Ints, triangles: Floats) -> Ints:
    """For each triangle the number of its face: those beside it whose corners lie in its plane belong to the same."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import connected_components

    n, least = len(planes), SAME_FACE * float(np.abs(triangles).max())

    def off(plane: Floats, corners: Floats) -> Floats:
        """Largest distance of three corners from a plane."""
        heights = np.einsum("ni,nki->nk", plane[:, :3], corners) + plane[:, 3:]
        return np.asarray(np.abs(heights).max(axis=1))

    i, k = np.repeat(np.arange(n), 3), beside.ravel()
    flat = (off(planes[i], triangles[k]) < least) & (off(planes[k], triangles[i]) < least)
    pairs = coo_matrix((np.ones(int(flat.sum())), (i[flat], k[flat])), shape=(n, n))
    _, found = connected_components(pairs, directed=False)
    # what bends a little from one triangle to the next is no face
    first = np.unique(found, return_index=True)[1]
    bent = np.isin(found, found[off(planes[first][found], triangles) > 4.0 * least])
    found = np.where(bent, found.max() + 1 + np.arange(n), found)
    # numbered as they come
    _, first, numbers = np.unique(found, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank[numbers.ravel()])


def _around(corners: Floats, triangles: Ints, n: Floats) -> list[int]:
    """Corners of triangles in one plane, counter-clockwise about n."""
    on = np.unique(triangles)
    centre = corners[on].mean(axis=0)
    x = corners[on[0]] - centre
    y = np.cross(n, x)
    order = np.argsort(np.arctan2((corners[on] - centre) @ y, (corners[on] - centre) @ x))
    return [int(k) for k in on[order]]


def _neighbours(triangles: Ints, count: int) -> tuple[Ints, Ints]:
    """Where the neighbours of each corner begin, and all of them."""
    pairs = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]  # each edge is in two triangles, once in each direction
    start = np.concatenate([[0], np.cumsum(np.bincount(pairs[:, 0], minlength=count))]).astype(np.int64)
    return start, pairs[:, 1].astype(np.int64)


def _directions(corners: Floats, triangles: Ints, face: Ints) -> Floats:
    """Directions of the edges between faces, parallel ones once, in the order in which they come."""
    ends = np.concatenate([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [2, 0]]])
    order = np.lexsort((ends.max(axis=1), ends.min(axis=1)))
    pairs = order.reshape(-1, 2)  # the two triangles of each edge
    owner = np.tile(face, 3)
    sharp = pairs[owner[pairs[:, 0]] != owner[pairs[:, 1]], 0]
    along = corners[ends[sharp, 1]] - corners[ends[sharp, 0]]
    along /= np.linalg.norm(along, axis=1)[:, None]
    largest = np.abs(along).argmax(axis=1)
    along *= np.sign(along[np.arange(len(along)), largest])[:, None]
    _, first = np.unique(np.round(along / SAME_FACE**0.5), axis=0, return_index=True)
    return np.asarray(along[np.sort(first)])
