"""Segments over faces and caps, and the discs and faces that touch a cap."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw
from found_contacts import OVER_DISC, OVER_FACE, Found, apart, distance
from linkwork.model.frame import Frame

PLACES = np.linspace(0, 1, 2001)


def test_the_part_of_a_segment_over_a_disc() -> None:
    found = Found([lw.Sphere(0.1)])
    rng = np.random.default_rng(0)
    some = 0
    for _ in range(60):
        n = rng.normal(size=3)
        n /= np.linalg.norm(n)
        centre, x, dx = rng.normal(size=(3, 3)) * 0.4
        low, high = found.ask(OVER_DISC, centre, n, x, dx, margin=0.3)[:2]
        d = x + PLACES[:, None] * dx - centre
        over = PLACES[np.linalg.norm(d - (d @ n)[:, None] * n, axis=1) <= 0.3]
        if len(over) == 0:
            assert high - low < 1e-3
            continue
        some += 1
        assert (low, high) == pytest.approx((over[0], over[-1]), abs=1e-3)
    assert some > 10


def test_the_part_of_a_segment_over_a_face() -> None:
    found = Found([lw.Box((0.6, 0.8, 1)), lw.Sphere(0.1)])
    pose = Frame((0.1, 0.2, 0.3), (0.9, 0.1, -0.2, 0.3))
    found.at(pose, Frame((5, 5, 5)))
    top = next(f for f in range(6) if found.colliders.face_normal[f][2] > 0.9)
    n, base = pose.matrix @ (0, 0, 1), pose.point((0, 0, 0.5))
    rng = np.random.default_rng(1)
    some = 0
    for _ in range(60):
        x, dx = rng.normal(size=(2, 3)) * 0.5
        low, high = found.ask(OVER_FACE, base, n, x, dx, i=0, j=top)[:2]
        local = (x + PLACES[:, None] * dx - pose.position) @ pose.matrix
        over = PLACES[(np.abs(local[:, 0]) <= 0.3) & (np.abs(local[:, 1]) <= 0.4)]
        if len(over) == 0:
            assert high - low < 1e-3
            continue
        some += 1
        assert (low, high) == pytest.approx((over[0], over[-1]), abs=1e-3)
    assert some > 10


@pytest.mark.parametrize("lean", [0.0, 0.03, 0.2])
def test_a_drum_over_the_edge_of_a_table(lean: float) -> None:
    """All points of contact are on both bodies, and the deepest is as deep as these overlap."""
    drum, table = lw.Cylinder(0.2, 0.1), lw.Box((1, 1, 0.2))
    found = Found([table, drum])
    turned = Frame(rotation=(math.cos(lean / 2), 0, math.sin(lean / 2), 0))
    pose = Frame((0.45, 0.1, 0.15 - 1e-3), turned.rotation)
    contacts = found.at(Frame(), pose)
    deepest = max(depth for _, _, depth, _ in contacts)
    assert deepest == pytest.approx(-apart(table, Frame(), drum, pose), abs=5e-5)
    for point, normal, depth, _ in contacts:
        assert depth > -3e-4
        assert distance(drum, np.array(pose.inverse().point(point))) <= abs(depth) / 2 + 1e-6
        assert distance(table, point) <= abs(depth) / 2 + 1e-6
        assert abs(normal[2]) == pytest.approx(1.0) or abs(normal @ turned.matrix[:, 2]) == pytest.approx(1.0)


def test_a_bar_that_lies_leaves_the_table() -> None:
    found = Found([lw.Box((1, 1, 0.2)), lw.Cylinder(0.1, 0.6)])
    contacts = found.at(Frame(), Frame((0.4, 0, 0.199), Frame.along((1, 0, 0)).rotation))
    assert sorted(p[0] for p, *_ in contacts) == pytest.approx([0.1, 0.5])
    assert [depth for _, _, depth, _ in contacts] == pytest.approx([1e-3, 1e-3])
