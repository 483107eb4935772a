"""The narrow phase: pairs of shapes against differences of polyhedra, support functions and points tried one by one."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import linkwork as lw
from found_contacts import Found, apart, distance, poses, reach, support
from known_shapes import SHAPES
from linkwork.contact.in_time.time_of_impact import NEAR
from linkwork.contact.polyhedra.box_axis import FACE_PREFERENCE
from linkwork.model.frame import Frame

POLYHEDRA = ("box", "hull")
SIZE = 0.5  # m, none of the shapes reaches farther


@pytest.mark.parametrize(("a", "b"), list(itertools.combinations_with_replacement(SHAPES, 2)))
def test_every_pair_is_as_deep_as_along_the_best_of_all_directions(a: str, b: str) -> None:
    """Two shapes put together where both are farthest along a random direction: they overlap by 10 mm at most."""
    found = Found([SHAPES[a], SHAPES[b]])
    rng = np.random.default_rng(1)
    # a face is preferred to edges, and a cap to a side, unless these are better by a thousandth of the size
    near = 2 * FACE_PREFERENCE * SIZE if a in POLYHEDRA and b in POLYHEDRA else 1e-4
    checked = 0
    for _ in range(16):
        n = rng.normal(size=3)
        n /= np.linalg.norm(n)
        one, two = Frame((0, 0, 0), rng.normal(size=4)), Frame((0, 0, 0), rng.normal(size=4))
        two = Frame(support(SHAPES[a], one, n) - support(SHAPES[b], two, -n) - 0.01 * n, two.rotation)
        gap = apart(SHAPES[a], one, SHAPES[b], two)
        contacts = found.at(one, two)
        if gap > NEAR * found.colliders.slop.min() + near:
            assert contacts == []
        if not gap < 0.0:
            continue
        checked += 1
        point, normal, depth, _ = max(contacts, key=lambda contact: contact[2])
        assert depth < -gap + near
        # they overlap so much along the normal, from the first to the second, and the point is where they do
        normal = normal if found.table.link_a[0] == found.links[0] else -normal
        high, low = float(reach(SHAPES[a], one, normal[None])[0]), -float(reach(SHAPES[b], two, -normal[None])[0])
        assert high - low == pytest.approx(depth, abs=near)
        assert low - near < normal @ point < high + near
    assert checked > 8


def overlap(A: Any, B: Any) -> tuple[float, Any]:
    """Least overlap of two polyhedra (negative when apart) and its direction: the origin in their difference."""
    hull = ConvexHull((B[:, None] - A[None, :]).reshape(-1, 3))
    distance = hull.equations[:, 3]  # of the origin to the facets, negative inside
    k = int(np.argmax(distance))
    return -float(distance[k]), -hull.equations[k, :3]


@pytest.mark.parametrize(("a", "b"), list(itertools.combinations_with_replacement(POLYHEDRA, 2)))
def test_polyhedra_overlap_as_their_difference_says(a: str, b: str) -> None:
    found = Found([SHAPES[a], SHAPES[b]])
    checked = 0
    for seed in range(60):
        contacts = found.at(*poses(seed, 0.2))
        depth, direction = overlap(found.vertices(0), found.vertices(1))
        if depth < -NEAR * found.colliders.slop.min():
            assert contacts == []
        if not 1e-3 < depth < 0.2 * SIZE:  # deeper, edges are looked at from one side only
            continue
        checked += 1
        deepest = max(contacts, key=lambda contact: contact[2])
        # a face is preferred to edges that are better by a thousandth of the size
        near = 2 * FACE_PREFERENCE * SIZE
        assert deepest[2] == pytest.approx(depth, abs=near)
        first_is_a = found.table.link_a[0] == found.links[0]
        n = deepest[1] if first_is_a else -deepest[1]
        A, B = found.vertices(0), found.vertices(1)
        assert (A @ n).max() - (B @ n).min() > deepest[2] - near
        assert deepest[2] > 0.02 or n @ direction > 0.9 or abs(depth - deepest[2]) < near
    assert checked > 5


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
        if far - radius > 0.4 + NEAR * found.colliders.slop.min():
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
