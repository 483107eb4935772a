"""Contacts of two shapes against slow routes: differences of polyhedra, points tried one by one, turning the world."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import linkwork as lw
from known_shapes import SHAPES
from linkwork._jit import entry
from linkwork.contact.find import SKIN, find_contacts
from linkwork.contact.scratch import make_meeting
from linkwork.contact.separate import FACES_FIRST
from linkwork.contact.table import make_contacts
from linkwork.mechanics.workspace import tree_work
from linkwork.model.frame import Frame

SOLIDS = ("box", "hull", "cylinder")
SIZE = 0.5  # m, none of the shapes reaches farther


@entry
def call(colliders, work, ahead_v, meeting, contacts, h):  # type: ignore[no-untyped-def]
    find_contacts(colliders, work, ahead_v, meeting, contacts, h)


class Found:
    """Colliders in a table at given poses, and their contacts for steps in which nothing moves."""

    def __init__(self, shapes: list[lw.Body | Any], plane: bool = False) -> None:
        model = lw.Model("shapes")
        for k, shape in enumerate(shapes):
            model.body(f"body {k}", mass=1.0, shape=shape, material=lw.Material(), inertia=(1, 1, 1), com=(0, 0, 0))
        if plane:
            model.plane("plane")
        system = lw.assemble(model)
        self.colliders = system.tables.colliders
        self.links = [int(link) for link in system.tables.tree.body_link]
        self.work = tree_work(system.tables.tree)
        self.meeting = make_meeting(self.colliders)
        self.table = make_contacts(self.colliders.room)

    def at(self, *poses: Frame, speed: float = 0.0) -> list[tuple[Any, Any, float, int]]:
        """Points, normals, depths and ids of the contacts; `speed` lets them be looked for farther away."""
        for link, pose in zip(self.links, poses, strict=True):
            self.work.pose_R[link] = pose.matrix.ravel()
            self.work.pose_p[link] = pose.position
            self.work.pose_v[link, 3] = speed
        call(self.colliders, self.work, self.work.pose_v, self.meeting, self.table, 1.0)
        t = self.table
        return [
            (t.point[e].copy(), t.normal[e].copy(), float(t.depth[e]), int(t.id[e])) for e in range(int(t.count[0]))
        ]

    def vertices(self, k: int) -> Any:
        """World vertices of collider k."""
        start = self.colliders.vertex_start
        return self.meeting.vertex[start[k] : start[k + 1]].copy()


def poses(seed: int, spread: float) -> tuple[Frame, Frame]:
    rng = np.random.default_rng(seed)
    return tuple(Frame(rng.normal(size=3) * spread, rng.normal(size=4)) for _ in range(2))  # type: ignore[return-value]


def overlap(A: Any, B: Any) -> tuple[float, Any]:
    """Least overlap of two polyhedra (negative when apart) and its direction: the origin in their difference."""
    hull = ConvexHull((B[:, None] - A[None, :]).reshape(-1, 3))
    distance = hull.equations[:, 3]  # of the origin to the facets, negative inside
    k = int(np.argmax(distance))
    return -float(distance[k]), -hull.equations[k, :3]


@pytest.mark.parametrize(("a", "b"), list(itertools.combinations_with_replacement(SOLIDS, 2)))
def test_polyhedra_overlap_as_their_difference_says(a: str, b: str) -> None:
    found = Found([SHAPES[a], SHAPES[b]])
    meeting = 0
    for seed in range(60):
        contacts = found.at(*poses(seed, 0.2))
        depth, direction = overlap(found.vertices(0), found.vertices(1))
        if depth < -2 * SKIN:
            assert contacts == []
        if not 1e-3 < depth < 0.2 * SIZE:  # deeper, edges are looked at from one side only
            continue
        meeting += 1
        deepest = max(contacts, key=lambda contact: contact[2])
        # a face is preferred to edges that are better by a thousandth of the size; the side of a cylinder is round
        near = 2 * FACES_FIRST * SIZE + (0.01 * SHAPES["cylinder"].radius if "cylinder" in (a, b) else 0.0)
        assert deepest[2] == pytest.approx(depth, abs=near)
        first_is_a = found.table.link_a[0] == found.links[0]
        n = deepest[1] if first_is_a else -deepest[1]
        A, B = found.vertices(0), found.vertices(1)
        assert (A @ n).max() - (B @ n).min() > deepest[2] - near
        assert deepest[2] > 0.02 or n @ direction > 0.9 or abs(depth - deepest[2]) < near
    assert meeting > 5


@pytest.mark.parametrize("solid", ["box", "hull", "cylinder"])
@pytest.mark.parametrize("ball", ["sphere", "capsule"])
def test_balls_and_capsules_outside_solids(ball: str, solid: str) -> None:
    """The gap is the least distance of any point of the capsule's axis, less its radius."""
    found = Found([SHAPES[ball], SHAPES[solid]])
    radius, half = SHAPES[ball].radius, getattr(SHAPES[ball], "length", 0.0) / 2
    checked = 0
    for seed in range(40):
        one, two = poses(seed, 0.3)
        contacts = found.at(one, two, speed=0.2)
        axis = [one.point((0, 0, z)) for z in np.linspace(-half, half, 801 if half else 1)]
        far = min(distance(SHAPES[solid], two.inverse().point(x)) for x in axis)
        if far < 1e-6:
            continue
        checked += 1
        deepest = max(contacts, key=lambda contact: contact[2], default=None)
        if far - radius > 0.4 + 2 * SKIN:
            assert deepest is None
        else:
            assert deepest is not None
            # where a capsule lies on the end of a cylinder that end has corners
            near = (1e-3 if solid == "cylinder" else 3e-4) if half else 1e-12
            assert -deepest[2] == pytest.approx(far - radius, abs=near)
    assert checked > 10


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


@pytest.mark.parametrize(("a", "b"), [("sphere", "sphere"), ("sphere", "capsule"), ("capsule", "capsule")])
def test_round_shapes(a: str, b: str) -> None:
    found = Found([SHAPES[a], SHAPES[b]])
    for seed in range(30):
        one, two = poses(seed, 0.3)
        contacts = found.at(one, two, speed=1.0)
        lines = []
        for name, pose in ((a, one), (b, two)):
            half = getattr(SHAPES[name], "length", 0.0) / 2
            lines.append(np.array([pose.point((0, 0, z)) for z in np.linspace(-half, half, 301)]))
        far = np.linalg.norm(lines[0][:, None] - lines[1][None], axis=2).min()
        gap = far - SHAPES[a].radius - SHAPES[b].radius
        assert -max(depth for _, _, depth, _ in contacts) == pytest.approx(gap, abs=2e-3)


@pytest.mark.parametrize("name", SHAPES)
def test_a_plane_meets_the_lowest_point(name: str) -> None:
    found = Found([SHAPES[name]], plane=True)
    for seed in range(20):
        pose, _ = poses(seed, 0.0)
        pose = Frame((0.3, 0.1, 0.05), pose.rotation)
        contacts = found.at(pose)
        assert max(depth for _, _, depth, _ in contacts) == pytest.approx(-lowest(SHAPES[name], pose), abs=1e-12)
        for point, normal, depth, _ in contacts:
            assert normal.tolist() == [0, 0, 1]
            assert point[2] == pytest.approx(-depth / 2)


def lowest(shape: Any, pose: Frame) -> float:
    """Height of the lowest point, by the support function of each shape."""
    R, z = pose.matrix, pose.position[2]
    down = R.T @ (0, 0, -1)
    match shape:
        case lw.Sphere():
            reach = shape.radius
        case lw.Capsule():
            reach = shape.radius + abs(down[2]) * shape.length / 2
        case lw.Box():
            reach = np.abs(down) @ shape.size / 2
        case lw.Cylinder():
            reach = math.hypot(down[0], down[1]) * shape.radius + abs(down[2]) * shape.length / 2
        case _:
            reach = max(np.array(shape.points) @ down)
    return float(z - reach)


def test_manifolds_of_things_at_rest() -> None:
    box, capsule, cylinder = lw.Box((1, 1, 1)), lw.Capsule(0.1, 0.6), lw.Cylinder(0.2, 0.5)
    upright = Frame()
    lying = Frame.along((1, 0, 0))
    assert len(Found([box], plane=True).at(Frame((0, 0, 0.5)))) == 4
    assert len(Found([capsule], plane=True).at(Frame((0, 0, 0.1), lying.rotation))) == 2
    assert len(Found([cylinder], plane=True).at(Frame((0, 0, 0.2), lying.rotation))) == 2
    assert len(Found([cylinder], plane=True).at(Frame((0, 0, 0.25)))) == 4
    stacked = Found([box, box]).at(upright, Frame((0.2, 0.3, 1.0)))
    assert sorted(tuple(point.round(9)) for point, *_ in stacked) == sorted(
        [(0.5, 0.5, 0.5), (-0.3, 0.5, 0.5), (0.5, -0.2, 0.5), (-0.3, -0.2, 0.5)]
    )
    # turned by an eighth, an octagon of which four corners are kept
    turned = Frame((0, 0, 1), (math.cos(math.pi / 8), 0, 0, math.sin(math.pi / 8)))
    assert len(Found([box, box]).at(upright, turned)) == 4
    assert len(Found([box, capsule]).at(upright, Frame((0, 0, 0.6), lying.rotation))) == 2
    assert len(Found([capsule, capsule]).at(lying, Frame((0.1, 0, 0.2), lying.rotation))) == 2


def test_edges_cross_at_their_middle() -> None:
    """Two boxes on edge, one across the other."""
    box = lw.Box((1, 1, 1))
    half = math.sin(math.pi / 8), math.cos(math.pi / 8)
    low = Frame(rotation=(half[1], half[0], 0, 0))  # edge along x on top
    high = Frame((0.1, 0.2, math.sqrt(2) - 0.01), (half[1], 0, half[0], 0))  # edge along y below
    (point, normal, depth, _), *others = Found([box, box]).at(low, high)
    assert others == []
    assert depth == pytest.approx(0.01)
    assert normal == pytest.approx([0, 0, 1])
    assert point == pytest.approx([0.1, 0.0, math.sqrt(0.5) - 0.005])


def test_ids_stay_and_impulses_with_them() -> None:
    found = Found([lw.Box((1, 1, 1)), lw.Box((1, 1, 1))])
    before = found.at(Frame(), Frame((0.2, 0.3, 0.9999)))
    kept = {id: k for k, (_, _, _, id) in enumerate(before)}
    assert len(kept) == 4
    found.table.impulse[:4, 0] = [1, 2, 3, 4]
    after = found.at(Frame(), Frame((0.201, 0.299, 0.9998), (1, 0.0001, 0.0002, 0.001)))
    assert {id for *_, id in after} == set(kept)
    for e, (_, _, _, id) in enumerate(after):
        assert found.table.impulse[e, 0] == kept[id] + 1
    found.at(Frame(), Frame((0, 0, 5)))
    found.at(Frame(), Frame((0.2, 0.3, 0.9999)))
    assert not found.table.impulse[:4].any()


def test_the_sweep_finds_all_pairs() -> None:
    """Many balls: the pairs are those that all pairs tried one by one give."""
    rng = np.random.default_rng(3)
    found = Found([lw.Sphere(0.2)] * 40)
    for _ in range(3):
        at = rng.uniform(-0.7, 0.7, size=(40, 3))
        found.at(*(Frame(x) for x in at))
        count = int(found.table.count[0])
        got = {frozenset((int(found.table.link_a[e]), int(found.table.link_b[e]))) for e in range(count)}
        near = {
            frozenset((found.links[i], found.links[j]))
            for i, j in itertools.combinations(range(40), 2)
            if np.linalg.norm(at[i] - at[j]) < 0.4 + 2 * SKIN
        }
        assert got == near
        assert len(near) > 20
    assert found.meeting.lost[0] == 0


def test_turning_the_world_turns_the_contacts() -> None:
    found = Found([SHAPES["box"], SHAPES["hull"]])
    world = Frame((0.3, -1.0, 2.0), (0.5, -0.3, 0.2, 0.8))
    for seed in range(8):
        one, two = poses(seed, 0.15)
        before = sorted(found.at(one, two), key=lambda contact: contact[2])
        after = sorted(found.at(world @ one, world @ two), key=lambda contact: contact[2])
        assert [c[2] for c in after] == pytest.approx([c[2] for c in before], abs=1e-12)
        if before:
            assert after[-1][0] == pytest.approx(world.point(before[-1][0]), abs=1e-9)
            assert after[-1][1] == pytest.approx(world.matrix @ before[-1][1], abs=1e-9)


def test_a_wheel_is_round_on_boxes_and_their_edges() -> None:
    """A cylinder that lies on a box, or against an edge along it, is as far as its axis less its radius."""
    wheel, box = lw.Cylinder(0.3, 0.2), lw.Box((2, 1, 0.4))
    found = Found([box, wheel])
    for turn in np.linspace(0.0, 0.5, 7):
        lying = (math.cos(math.pi / 4) * math.cos(turn), math.sin(math.pi / 4) * math.cos(turn))
        rolled = Frame(rotation=(*lying, 0, 0)) @ Frame(rotation=(math.cos(turn), 0, 0, math.sin(turn)))
        on_top = found.at(Frame(), Frame((0.1, 0, 0.5 - 1e-3), rolled.rotation))
        assert [depth for _, _, depth, _ in on_top] == pytest.approx([1e-3, 1e-3])
        assert all(abs(normal[2]) == pytest.approx(1.0) for _, normal, _, _ in on_top)
        # before the edge at x = 1, z = 0.2, 40 degrees above it
        out = np.array([math.cos(0.7), 0, math.sin(0.7)])
        at_edge = found.at(Frame(), Frame(np.array([1, 0, 0.2]) + (0.3 - 1e-3) * out, rolled.rotation))
        assert [depth for _, _, depth, _ in at_edge] == pytest.approx([1e-3, 1e-3])
        assert all(abs(normal @ out) == pytest.approx(1.0) for _, normal, _, _ in at_edge)
        assert sorted(point[1] for point, *_ in at_edge) == pytest.approx([-0.1, 0.1])
