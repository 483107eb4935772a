"""Ways into the kernels of contact, which tests share so that they are compiled once, and colliders at given poses."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import linkwork as lw
from linkwork._jit import entry
from linkwork.contact.broad_phase import find_contacts
from linkwork.contact.polyhedra.clip import choose_four, clip_face, incident_face
from linkwork.contact.polyhedra.many_corners import middle_of_simplex, polyhedra_axis
from linkwork.contact.round.arc_search import support_point
from linkwork.contact.round.cylinder_axis import cylinder_separation
from linkwork.contact.round.cylinder_faces import segment_over_disc, segment_over_flat
from linkwork.contact.round.nearest_points import nearest_between_segments, nearest_on_segment, signed_distance
from linkwork.contact.scratch import make_contact_scratch
from linkwork.contact.table import make_contacts
from linkwork.contact.terrain.field_grid import height_above, nearest_on_triangle
from linkwork.contact.terrain.field_ridges import is_peak, is_ridge, underside
from linkwork.contact.terrain.field_slopes import slope_nearer
from linkwork.mechanics.tree.workspace import tree_work
from linkwork.model.frame import Frame
from linkwork.spatial.vectors import load3

# what `ask` can be asked
DISTANCE, ON_SEGMENT, BETWEEN_SEGMENTS, POLYHEDRA, CYLINDER, SUPPORT, CLIP, FOUR, OVER_FACE, OVER_DISC = range(10)
HEIGHT, TRIANGLE, PEAK, RIDGE, SLOPE, UNDERSIDE, STONES = range(10, 17)


@entry
def find(colliders, work, next_v, coast, scratch, contacts, h):  # type: ignore[no-untyped-def]
    find_contacts(colliders, work, next_v, coast, scratch, contacts, h)


@entry
def ask(question, colliders, scratch, i, j, k, points, margin, out):  # type: ignore[no-untyped-def]
    """One kernel: numbers i, j, k, vectors in `points`; what it returns goes into `out`."""
    a = load3(points, 0)
    b = load3(points, 1)
    c = load3(points, 2)
    d = load3(points, 3)
    if question == DISTANCE:
        (out[0], out[1], out[2]), out[3] = signed_distance(colliders, scratch, j, a)
    elif question == ON_SEGMENT:
        out[0] = nearest_on_segment(colliders, scratch, j, a, b)
    elif question == BETWEEN_SEGMENTS:
        out[0], out[1] = nearest_between_segments(a, b, c, d)
    elif question == POLYHEDRA:
        out[0], out[1], (out[2], out[3], out[4]), out[5], _ = polyhedra_axis(colliders, scratch, i, j, margin)
    elif question == CYLINDER:
        out[0], out[1], (out[2], out[3], out[4]), out[5] = cylinder_separation(colliders, scratch, i, j, margin)
    elif question == SUPPORT:
        out[0], out[1], out[2] = support_point(colliders, scratch, i, a)
    elif question == CLIP:
        out[2] = incident_face(colliders, scratch, j, a)
        out[0], out[1] = clip_face(colliders, scratch, i, a, int(out[2]))
    elif question == FOUR:
        out[0], out[1], out[2], out[3] = choose_four(scratch, 0, i, a)
    elif question == OVER_FACE:
        out[0], out[1] = segment_over_flat(colliders, scratch, i, j, a, b, c, d)
    elif question == OVER_DISC:
        out[0], out[1] = segment_over_disc(a, b, margin, c, d)
    elif question == HEIGHT:
        out[0], (out[1], out[2], out[3]) = height_above(colliders, j, a)
    elif question == TRIANGLE:
        (out[0], out[1], out[2]), within = nearest_on_triangle(a, b, c, d)
        out[3] = 1.0 if within else 0.0
    elif question == PEAK:
        out[0] = 1.0 if is_peak(colliders, j, i, k) else 0.0
    elif question == RIDGE:
        out[0] = 1.0 if is_ridge(colliders, i, j, k // 3, k % 3) else 0.0
    elif question == SLOPE:
        out[0] = 1.0 if slope_nearer(colliders, j, a, margin) else 0.0
    elif question == STONES:
        out[0], out[1], (out[2], out[3], out[4]), out[5], points = polyhedra_axis(colliders, scratch, i, j, margin)
        out[6], out[7], out[8] = middle_of_simplex(scratch, points)
    elif question == UNDERSIDE:
        out[0], (out[1], out[2], out[3]), (out[4], out[5], out[6]) = underside(colliders, scratch, i, a)


class Found:
    """Colliders in a table at given poses, and their contacts for steps in which nothing moves."""

    def __init__(self, shapes: list[lw.Body | Any], plane: bool = False, field: lw.HeightField | None = None) -> None:
        model = lw.Model("shapes")
        for k, shape in enumerate(shapes):
            model.body(f"body {k}", mass=1.0, shape=shape, material=lw.Material(), inertia=(1, 1, 1), com=(0, 0, 0))
        if plane:
            model.plane("plane")
        if field is not None:
            model.collider("field", "ground", field)
        system = lw.assemble(model)
        self.colliders = system.tables.colliders
        self.links = [int(link) for link in system.tables.tree.body_link]
        self.work = tree_work(system.tables)
        self.work.pose_R[0] = np.eye(3).ravel()
        self.contact_scratch = make_contact_scratch(self.colliders)
        self.table = make_contacts(self.colliders.capacity)

    def at(self, *poses: Frame, speed: float = 0.0) -> list[tuple[Any, Any, float, int]]:
        """Points, normals, depths and ids of the contacts; `speed` lets them be looked for farther away."""
        for link, pose in zip(self.links, poses, strict=True):
            self.work.pose_R[link] = pose.matrix.ravel()
            self.work.pose_p[link] = pose.position
            self.work.pose_v[link, 3] = speed
        coast = np.zeros_like(self.work.pose_v)
        find(self.colliders, self.work, self.work.pose_v, coast, self.contact_scratch, self.table, 1.0)
        t = self.table
        return [
            (t.point[e].copy(), t.normal[e].copy(), float(t.depth[e]), int(t.id[e])) for e in range(int(t.count[0]))
        ]

    def vertices(self, k: int) -> Any:
        """World vertices of collider k."""
        start = self.colliders.vertex_start
        return self.contact_scratch.vertex[start[k] : start[k + 1]].copy()

    def ask(self, question: int, *points: Any, i: int = 0, j: int = 0, k: int = 0, margin: float = math.inf) -> Any:
        """What a kernel returns for the colliders as they stand."""
        given, out = np.zeros((4, 3)), np.zeros(9)
        for e, point in enumerate(points):
            given[e] = point
        ask(question, self.colliders, self.contact_scratch, i, j, k, given, margin, out)
        return out


def poses(seed: int, spread: float) -> tuple[Frame, Frame]:
    """Two random poses, `spread` m from the origin or so."""
    rng = np.random.default_rng(seed)
    return tuple(Frame(rng.normal(size=3) * spread, rng.normal(size=4)) for _ in range(2))  # type: ignore[return-value]


def reach(shape: Any, pose: Frame, n: Any) -> Any:
    """Farthest that a shape comes along each row of n (world)."""
    d = n @ pose.matrix
    match shape:
        case lw.Box():
            far = np.abs(d) @ shape.size / 2
        case lw.Cylinder():
            far = np.hypot(d[:, 0], d[:, 1]) * shape.radius + np.abs(d[:, 2]) * shape.length / 2
        case lw.Sphere():
            far = shape.radius * np.linalg.norm(d, axis=1)
        case lw.Capsule():
            far = shape.radius * np.linalg.norm(d, axis=1) + np.abs(d[:, 2]) * shape.length / 2
        case _:
            far = (d @ np.array(shape.points).T).max(axis=1)
    return far + n @ np.array(pose.position)


def support(shape: Any, pose: Frame, n: Any) -> Any:
    """A point of a shape that is farthest along n (world)."""
    d = n @ pose.matrix
    match shape:
        case lw.Box():
            x = np.copysign(shape.size, d) / 2
        case lw.Cylinder():
            x = np.array([*shape.radius * d[:2] / np.hypot(*d[:2]), np.copysign(shape.length / 2, d[2])])
        case lw.Sphere():
            x = shape.radius * d / np.linalg.norm(d)
        case lw.Capsule():
            x = shape.radius * d / np.linalg.norm(d) + (0, 0, np.copysign(shape.length / 2, d[2]))
        case _:
            x = np.array(shape.points)[np.argmax(np.array(shape.points) @ d)]
    return np.array(pose.point(x))


def apart(a: Any, at_a: Frame, b: Any, at_b: Frame) -> float:
    """How far two shapes are apart along the best direction of thousands, made better and better."""
    rng = np.random.default_rng(0)

    def along(n: Any) -> Any:
        return -reach(a, at_a, n) - reach(b, at_b, -n)

    n = rng.normal(size=(2000, 3))
    n /= np.linalg.norm(n, axis=1)[:, None]
    n = n[np.argsort(along(n))[-8:]]
    spread = 0.06
    for _ in range(24):
        tried = n[:, None] + spread * np.concatenate([np.zeros((8, 1, 3)), rng.normal(size=(8, 30, 3))], axis=1)
        tried /= np.linalg.norm(tried, axis=2)[..., None]
        best = along(tried.reshape(-1, 3)).reshape(8, 31).argmax(axis=1)
        n = tried[np.arange(8), best]
        spread *= 0.55
    return float(along(n).max())


def distance(shape: Any, x: Any) -> float:
    """From a point to a shape in whose frame it is; 0 inside. By other formulas than the kernels'."""
    if isinstance(shape, lw.Box):
        return float(np.linalg.norm(np.maximum(np.abs(x) - np.array(shape.size) / 2, 0.0)))
    if isinstance(shape, lw.Cylinder):
        return math.hypot(max(math.hypot(x[0], x[1]) - shape.radius, 0.0), max(abs(x[2]) - shape.length / 2, 0.0))
    # a hull: Frank-Wolfe would crawl; least squares over weights of its corners that are positive and sum to one
    from scipy.optimize import nnls

    corners = np.array(shape.points) - x
    big = 1e4
    weights, _ = nnls(np.vstack([corners.T, np.full(len(corners), big)]), np.array([0.0, 0.0, 0.0, big]))
    return float(np.linalg.norm(weights @ corners / weights.sum()))
