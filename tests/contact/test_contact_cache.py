"""The contact cache: impulses are carried over by id, or to the nearest contact of the pair."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import linkwork as lw
from found_contacts import Found, find
from linkwork.contact.contact_cache import FEATURES_PER_PAIR, SAME_CONTACT
from linkwork.contact.scratch import make_contact_scratch, warn_of_lost_contacts
from linkwork.contact.table import make_contacts
from linkwork.model.frame import Frame


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


def test_every_pair_of_many_finds_its_own_impulse_again() -> None:
    """One contact each, so that its id is its pair: the hash table holds them apart."""
    rng = np.random.default_rng(4)
    found = Found([lw.Sphere(0.2)] * 40)
    at = rng.uniform(-0.6, 0.6, size=(40, 3))
    found.at(*(Frame(x) for x in at))
    n = int(found.table.count[0])
    assert n > 40
    impulse = {int(found.table.id[e]): rng.normal(size=3) for e in range(n)}
    for e in range(n):
        found.table.impulse[e] = impulse[int(found.table.id[e])]
    found.at(*(Frame(x + 1e-5 * rng.normal(size=3)) for x in at))
    assert {int(k) for k in found.table.id[: int(found.table.count[0])]} <= set(impulse)
    for e in range(int(found.table.count[0])):
        assert found.table.impulse[e].tolist() == impulse[int(found.table.id[e])].tolist()


def test_ids_name_the_pair() -> None:
    found = Found([lw.Sphere(0.2)] * 3)
    found.at(Frame(), Frame((0.25, 0, 0)), Frame((0, 0.25, 0)))
    pairs = {int(id) // FEATURES_PER_PAIR for id in found.table.id[: int(found.table.count[0])]}
    assert pairs == {1 + i * 3 + j for i, j in itertools.combinations(range(3), 2)}


def test_a_contact_of_other_features_takes_over_from_the_nearest() -> None:
    """A box slides over the edge of a table: two of its corners give way to points of that edge."""
    found = Found([lw.Box((1, 1, 1)), lw.Box((0.4, 0.4, 0.4))])
    before = found.at(Frame(), Frame((0.299, 0, 0.6999)))
    given = {tuple(p.round(2)): k + 1.0 for k, (p, *_) in enumerate(before)}
    assert len(given) == 4
    for e, (p, *_) in enumerate(before):
        found.table.impulse[e, 0] = given[tuple(p.round(2))]
    after = found.at(Frame(), Frame((0.301, 0, 0.6999)))
    assert len({c[3] for c in before} & {c[3] for c in after}) == 2
    for e, (p, *_) in enumerate(after):
        assert found.table.impulse[e, 0] == given[tuple(p.round(2))]
    # farther away than that it is another contact
    moved = 2 * SAME_CONTACT * float(found.colliders.bound[1])
    found.at(Frame(), Frame((0.299, 0, 0.6999)))
    found.table.impulse[:4, 0] = 1.0
    found.at(Frame(), Frame((0.301, moved, 0.6999)))
    assert sorted(found.table.impulse[:4, 0]) == [0.0, 0.0, 1.0, 1.0]


def test_contacts_without_room_are_counted_and_reported() -> None:
    found = Found([lw.Box((1, 1, 1)), lw.Box((1, 1, 1))])
    found.at(Frame(), Frame((0.2, 0.3, 0.9999)))
    small, scratch = make_contacts(3), make_contact_scratch(found.colliders._replace(capacity=3))
    find(found.colliders, found.work, found.work.pose_v, np.zeros_like(found.work.pose_v), scratch, small, 1.0)
    assert (int(small.count[0]), int(scratch.lost[0])) == (3, 1)
    with pytest.warns(RuntimeWarning, match="1 contacts found no room in a table of 3"):
        warn_of_lost_contacts(scratch)
    assert scratch.lost[0] == 0


def test_tangents_are_perpendicular_to_the_normals() -> None:
    rng = np.random.default_rng(0)
    found = Found([lw.Sphere(0.2), lw.Sphere(0.3)])
    for _ in range(20):
        n = rng.normal(size=3)
        found.at(Frame(), Frame(0.49 * n / np.linalg.norm(n)))
        normal, tangent = found.table.normal[0], found.table.tangent[0]
        assert abs(normal @ tangent) < 1e-15
        assert np.linalg.norm(tangent) == pytest.approx(1.0)
