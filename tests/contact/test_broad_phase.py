"""The broad phase: pairs against all pairs tried one by one, bounding boxes against support functions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import linkwork as lw
from found_contacts import Found, poses, reach
from known_shapes import SHAPES
from linkwork.contact.in_time.time_of_impact import NEAR
from linkwork.model.frame import Frame


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
            if np.linalg.norm(at[i] - at[j]) < 0.4 + NEAR * found.colliders.slop[0]
        }
        assert got == near
        assert len(near) > 20
    assert found.contact_scratch.lost[0] == 0


@pytest.mark.parametrize("name", SHAPES)
def test_boxes_are_as_wide_as_the_shapes_and_their_margin(name: str) -> None:
    found = Found([SHAPES[name], SHAPES[name]])
    axes = np.concatenate([np.eye(3), -np.eye(3)])
    for seed in range(5):
        two = poses(seed, 1.0)
        found.at(*two, speed=0.3)
        scratch = found.contact_scratch
        for k, pose in enumerate(two):
            assert scratch.margin[k] == pytest.approx(0.3)
            wide = reach(SHAPES[name], pose, axes) + 0.3 + NEAR / 2 * found.colliders.slop[k]
            assert scratch.aabb_high[k] == pytest.approx(wide[:3])
            assert scratch.aabb_low[k] == pytest.approx(-wide[3:])


def test_what_turns_is_looked_for_farther_away() -> None:
    """The margin grows with the speed of the farthest point: 2 rad/s at 0.5 m from the axis of a long box."""
    found = Found([lw.Box((1.0, 1e-3, 1e-3)), lw.Sphere(0.1)])
    found.work.pose_v[found.links[0], 2] = 2.0
    near = Frame((0.5 + 0.1 + 0.9, 0, 0))
    assert len(found.at(Frame(), near)) == 1
    found.work.pose_v[found.links[0], 2] = 0.0
    assert found.at(Frame(), near) == []


def test_the_order_is_kept_and_sorted() -> None:
    found = Found([lw.Sphere(0.05)] * 30)
    rng = np.random.default_rng(0)
    for _ in range(3):
        at = rng.uniform(-1, 1, size=(30, 3))
        found.at(*(Frame(x) for x in at))
        assert found.contact_scratch.sweep_order.tolist() == np.argsort(at[:, 0]).tolist()
