"""Contacts of cylinders with faces, caps, edges, sides and rims: points that can be worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw
from found_contacts import Found, apart, poses, reach
from known_shapes import SHAPES
from linkwork.contact.in_time.time_of_impact import NEAR
from linkwork.model.frame import Frame


@pytest.mark.parametrize("other", ["box", "hull", "cylinder"])
def test_cylinders_are_round_whatever_they_meet(other: str) -> None:
    """Ends, sides and rims: the deepest contact is as deep as the bodies overlap along the best of all directions."""
    cylinder, solid = SHAPES["cylinder"], SHAPES[other]
    found = Found([cylinder, solid])
    checked = 0
    for seed in range(150):
        one, two = poses(seed, 0.2)
        contacts = found.at(one, two)
        gap = apart(cylinder, one, solid, two)
        if gap > NEAR * found.colliders.slop.min():
            assert contacts == []
        if not -0.1 < gap < 0.0:  # deeper, there are several ways out
            continue
        checked += 1
        assert 1 <= len(contacts) <= 4
        deepest = max(contacts, key=lambda contact: contact[2])
        way = deepest[1] if found.table.link_a[0] == found.links[0] else -deepest[1]
        along = float(-reach(cylinder, one, way[None])[0] - reach(solid, two, -way[None])[0])
        assert deepest[2] == pytest.approx(-along, abs=1e-6)
        # as good as the best, but that an end is taken only where it is better than a face by 1e-4 of the size
        assert along > gap - 5e-5
    assert checked > 25


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
