"""The best direction between a cylinder and another solid: against directions tried by the thousand."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from found_contacts import CYLINDER, SUPPORT, Found, apart, poses, reach
from known_shapes import SHAPES
from linkwork.contact.round.cylinder_axis import CAP, CURVED, FACE, OTHER_CAP, SEPARATED
from linkwork.model.frame import Frame


@pytest.mark.parametrize("name", ["box", "cylinder", "hull"])
def test_support_points_are_farthest(name: str) -> None:
    found = Found([SHAPES[name], lw.Sphere(0.1)])
    pose, _ = poses(3, 0.4)
    found.at(pose, Frame((5, 5, 5)))
    rng = np.random.default_rng(0)
    for n in rng.normal(size=(50, 3)):
        assert n @ found.ask(SUPPORT, n)[:3] == pytest.approx(float(reach(SHAPES[name], pose, n[None])[0]))


@pytest.mark.parametrize("other", ["box", "hull", "cylinder"])
def test_the_separation_is_the_largest_of_all_directions(other: str) -> None:
    found = Found([SHAPES["cylinder"], SHAPES[other]])
    checked = 0
    for seed in range(60):
        one, two = poses(seed, 0.25)
        found.at(one, two)
        region, _, *n, f = found.ask(CYLINDER, i=0, j=1)[:6]
        n = np.array(n)
        along = -reach(SHAPES["cylinder"], one, n[None]) - reach(SHAPES[other], two, -n[None])
        assert region != SEPARATED
        assert np.linalg.norm(n) == pytest.approx(1.0)
        assert f == pytest.approx(float(along[0]), abs=1e-6)
        best = apart(SHAPES["cylinder"], one, SHAPES[other], two)
        if -0.1 < best < 0.0:
            checked += 1
            assert f > best - 5e-5
    assert checked > 4


def test_regions() -> None:
    """A drum on a table, a table on a drum, a drum on a drum, a bar on a table, two crossed bars."""
    drum, table = lw.Cylinder(0.2, 0.1), lw.Box((1, 1, 0.2))
    found = Found([drum, table])
    found.at(Frame((0, 0, 0.149)), Frame())
    assert found.ask(CYLINDER, i=0, j=1)[0] == FACE
    assert found.ask(CYLINDER, i=0, j=1)[5] == pytest.approx(-1e-3)
    # of an edge of the table on the cap there is but the cap's direction
    edge = Frame((0, 0, 0.05 + np.hypot(0.5, 0.1) - 1e-3)) @ Frame(rotation=(np.cos(0.69), np.sin(0.69), 0, 0))
    found.at(Frame(), edge)
    assert found.ask(CYLINDER, i=0, j=1)[0] in (CAP, CURVED)
    two = Found([drum, drum])
    two.at(Frame(), Frame((0.1, 0, 0.099)))
    assert two.ask(CYLINDER, i=0, j=1)[0] in (CAP, OTHER_CAP)
    lying = Frame.along((1, 0, 0))
    bars = Found([lw.Cylinder(0.1, 0.6), lw.Cylinder(0.1, 0.6)])
    bars.at(lying, Frame((0, 0, 0.199), Frame.along((0, 1, 0)).rotation))
    region, _, *n, f = bars.ask(CYLINDER, i=0, j=1)[:6]
    assert (region, f) == (CURVED, pytest.approx(-1e-3))
    assert np.array(n) == pytest.approx([0, 0, 1], abs=1e-6)
    bars.at(lying, Frame((0, 0, 0.3), lying.rotation))
    assert bars.ask(CYLINDER, i=0, j=1, margin=0.01)[0] == SEPARATED
