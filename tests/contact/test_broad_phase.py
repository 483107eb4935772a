"""Contacts of two shapes against slow routes: differences of polyhedra, points tried one by one, turning the world."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import linkwork as lw
from found_contacts import find
from known_shapes import SHAPES
from linkwork.contact.broad_phase import SKIN
from linkwork.contact.scratch import make_contact_scratch
from linkwork.contact.separating_axis import FACES_FIRST
from linkwork.contact.table import make_contacts
from linkwork.mechanics.workspace import tree_work
from linkwork.model.frame import Frame

POLYHEDRA = ("box", "hull")
SIZE = 0.5  # m, none of the shapes reaches farther


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
        self.contact_scratch = make_contact_scratch(self.colliders)
        self.table = make_contacts(self.colliders.room)

    def at(self, *poses: Frame, speed: float = 0.0) -> list[tuple[Any, Any, float, int]]:
        """Points, normals, depths and ids of the contacts; `speed` lets them be looked for farther away."""
        for link, pose in zip(self.links, poses, strict=True):
            self.work.pose_R[link] = pose.matrix.ravel()
            self.work.pose_p[link] = pose.position
            self.work.pose_v[link, 3] = speed
        find(self.colliders, self.work, self.work.pose_v, self.contact_scratch, self.table, 1.0)
        t = self.table
        return [
            (t.point[e].copy(), t.normal[e].copy(), float(t.depth[e]), int(t.id[e])) for e in range(int(t.count[0]))
        ]

    def vertices(self, k: int) -> Any:
        """World vertices of collider k."""
        start = self.colliders.vertex_start
        return self.contact_scratch.vertex[start[k] : start[k + 1]].copy()


def poses(seed: int, spread: float) -> tuple[Frame, Frame]:
    rng = np.random.default_rng(seed)
    return tuple(Frame(rng.normal(size=3) * spread, rng.normal(size=4)) for _ in range(2))  # type: ignore[return-value]


def overlap(A: Any, B: Any) -> tuple[float, Any]:
    """Least overlap of two polyhedra (negative when apart) and its direction: the origin in their difference."""
    hull = ConvexHull((B[:, None] - A[None, :]).reshape(-1, 3))
    distance = hull.equations[:, 3]  # of the origin to the facets, negative inside
    k = int(np.argmax(distance))
    return -float(distance[k]), -hull.equations[k, :3]


@pytest.mark.parametrize(("a", "b"), list(itertools.combinations_with_replacement(POLYHEDRA, 2)))
def test_polyhedra_overlap_as_their_difference_says(a: str, b: str) -> None:
    found = Found([SHAPES[a], SHAPES[b]])
    contact_scratch = 0
    for seed in range(60):
        contacts = found.at(*poses(seed, 0.2))
        depth, direction = overlap(found.vertices(0), found.vertices(1))
        if depth < -2 * SKIN:
            assert contacts == []
        if not 1e-3 < depth < 0.2 * SIZE:  # deeper, edges are looked at from one side only
            continue
        contact_scratch += 1
        deepest = max(contacts, key=lambda contact: contact[2])
        # a face is preferred to edges that are better by a thousandth of the size
        near = 2 * FACES_FIRST * SIZE
        assert deepest[2] == pytest.approx(depth, abs=near)
        first_is_a = found.table.link_a[0] == found.links[0]
        n = deepest[1] if first_is_a else -deepest[1]
        A, B = found.vertices(0), found.vertices(1)
        assert (A @ n).max() - (B @ n).min() > deepest[2] - near
        assert deepest[2] > 0.02 or n @ direction > 0.9 or abs(depth - deepest[2]) < near
    assert contact_scratch > 5


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


def reach(shape: Any, pose: Frame, n: Any) -> Any:
    """Farthest that a shape comes along each row of n (world)."""
    d = n @ pose.matrix
    match shape:
        case lw.Box():
            far = np.abs(d) @ shape.size / 2
        case lw.Cylinder():
            far = np.hypot(d[:, 0], d[:, 1]) * shape.radius + np.abs(d[:, 2]) * shape.length / 2
        case _:
            far = (d @ np.array(shape.points).T).max(axis=1)
    return far + n @ np.array(pose.position)


@pytest.mark.parametrize("other", ["box", "hull", "cylinder"])
def test_cylinders_are_round_whatever_they_meet(other: str) -> None:
    """Ends, sides and rims: the deepest contact is as deep as the bodies overlap along the best of all directions."""
    cylinder, solid = SHAPES["cylinder"], SHAPES[other]
    found = Found([cylinder, solid])
    contact_scratch = 0
    for seed in range(150):
        one, two = poses(seed, 0.2)
        contacts = found.at(one, two)
        gap = apart(cylinder, one, solid, two)
        if gap > 2 * SKIN:
            assert contacts == []
        if not -0.1 < gap < 0.0:  # deeper, there are several ways out
            continue
        contact_scratch += 1
        assert 1 <= len(contacts) <= 4
        deepest = max(contacts, key=lambda contact: contact[2])
        way = deepest[1] if found.table.link_a[0] == found.links[0] else -deepest[1]
        along = float(-reach(cylinder, one, way[None])[0] - reach(solid, two, -way[None])[0])
        assert deepest[2] == pytest.approx(-along, abs=1e-6)
        # as good as the best, but that an end is taken only where it is better than a face by 1e-4 of the size
        assert along > gap - 5e-5
    assert contact_scratch > 25


def test_ends_of_cylinders_touch_with_their_true_rims() -> None:
    drum, table = lw.Cylinder(0.2, 0.1), lw.Box((1, 1, 0.2))
    for spin in (0.0, 0.3, 1.1):  # about its own axis: all the same
        turned = (math.cos(spin / 2), 0, 0, math.sin(spin / 2))
        whole = Found([table, drum]).at(Frame(), Frame((0.1, 0.2, 0.15), turned))
        assert len(whole) == 4
        assert [math.hypot(p[0] - 0.1, p[1] - 0.2) for p, *_ in whole] == pytest.approx([0.2] * 4)
        assert np.mean([p for p, *_ in whole], axis=0) == pytest.approx([0.1, 0.2, 0.1])
        # half over the side of the table: where the rim crosses it, and no point beyond
        half = Found([table, drum]).at(Frame(), Frame((0.5, 0.0, 0.15), turned))
        crossing = sorted(tuple(p.round(9)) for p, *_ in half if p[0] > 0.499)
        assert crossing == [(0.5, -0.2, 0.1), (0.5, 0.2, 0.1)]
        assert max(p[0] for p, *_ in half) == pytest.approx(0.5)
        # on another, aside: where both rims cross, at x = 0.05, and the inner parts of both
        lens = Found([drum, drum]).at(Frame(), Frame((0.1, 0.0, 0.1), turned))
        assert len(lens) == 4
        for p, *_ in lens:
            assert max(math.hypot(p[0], p[1]), math.hypot(p[0] - 0.1, p[1])) == pytest.approx(0.2)
        assert max(p[1] for p, *_ in lens) == pytest.approx(math.sqrt(0.2**2 - 0.05**2))
    # a table that is smaller stands on the end of the drum with its corners
    small = Found([lw.Box((0.1, 0.1, 0.1)), drum]).at(Frame((0, 0, 0.1)), Frame())
    assert sorted(tuple(p.round(9)) for p, *_ in small) == [(x, y, 0.05) for x in (-0.05, 0.05) for y in (-0.05, 0.05)]


def test_a_leaning_coin_touches_with_the_lowest_point_of_its_rim() -> None:
    coin, radius, half = lw.Cylinder(0.2, 0.02), 0.2, 0.01
    for below in (lw.Box((1, 1, 0.2)), lw.Cylinder(0.5, 0.2)):
        for lean in (0.2, 0.8, 1.3):  # of its axis from the vertical
            pose = Frame((0.05, 0.03, 0.1 + radius * math.sin(lean) + half * math.cos(lean) - 1e-3))
            pose = pose @ Frame(rotation=(math.cos(lean / 2), 0, math.sin(lean / 2), 0))
            (point, normal, depth, _), *others = Found([below, coin]).at(Frame(), pose)
            assert others == []
            assert depth == pytest.approx(1e-3)
            assert abs(normal[2]) == pytest.approx(1.0)
            low = radius * math.cos(lean) - half * math.sin(lean)
            assert point == pytest.approx([0.05 + low, 0.03, 0.1 - 5e-4])


def test_cylinders_side_by_side_and_across() -> None:
    bar, lying = lw.Cylinder(0.1, 0.6), Frame.along((1, 0, 0))
    askew = Frame((0, 0, 0.2), (math.cos(0.01), 0, 0, math.sin(0.01))) @ lying
    across = Frame((0.1, 0.05, 0.2 - 1e-3), Frame.along((0, 1, 0)).rotation)
    along = Found([bar, bar]).at(lying, Frame((0.2, 0.0, 0.2 - 1e-3), lying.rotation))
    assert sorted(p[0] for p, *_ in along) == pytest.approx([-0.1, 0.3])
    assert [depth for _, _, depth, _ in along] == pytest.approx([1e-3, 1e-3])
    (point, normal, depth, _), *others = Found([bar, bar]).at(lying, across)
    assert others == []
    assert depth == pytest.approx(1e-3)
    assert abs(normal[2]) == pytest.approx(1.0)
    assert point == pytest.approx([0.1, 0.0, 0.1 - 5e-4], abs=1e-9)
    # a little askew, of bars as of capsules, it is between the ends that they touch
    for shape in (bar, lw.Capsule(0.1, 0.6)):
        deepest = max(Found([shape, shape]).at(lying, askew), key=lambda contact: contact[2])
        assert deepest[0] == pytest.approx([0, 0, 0.1], abs=1e-9)
        assert deepest[2] == pytest.approx(0.0, abs=1e-12)


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
        axis = [one.point((0, 0, z)) for z in np.linspace(-half, half, 201 if half else 1)]
        far = min(distance(SHAPES[solid], two.inverse().point(x)) for x in axis)
        if far < 1e-6:
            continue
        checked += 1
        deepest = max(contacts, key=lambda contact: contact[2], default=None)
        if far - radius > 0.4 + 2 * SKIN:
            assert deepest is None
        else:
            assert deepest is not None
            assert -deepest[2] == pytest.approx(far - radius, abs=3e-4 if half else 1e-12)
    assert checked > 10


def test_a_capsule_over_the_side_of_a_face() -> None:
    """Nearly along the side of a wide box and nearly level: as far as the nearest point of its axis."""
    rng = np.random.default_rng(5)
    capsule, box = lw.Capsule(0.1, 0.6), lw.Box((2, 2, 1))
    found = Found([capsule, box])
    for _ in range(30):
        yaw, tilt, beyond = rng.uniform(-1, 1, size=3) * (0.02, 0.005, 0.002)
        pose = Frame((1 + beyond, 0.3, 0.6)) @ Frame.along((yaw, 1, tilt))
        far = min(distance(box, pose.point((0, 0, z))) for z in np.linspace(-0.3, 0.3, 201))
        deepest = max(depth for _, _, depth, _ in found.at(pose, Frame(), speed=0.01))
        assert 0.1 - deepest == pytest.approx(far, abs=3e-5)


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
    assert found.contact_scratch.lost[0] == 0


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
