"""Lengths of coordinates and rates, for every kind of joint in the tree and as the one that closes a loop."""

from __future__ import annotations

import pytest

import linkwork as lw
from known_mechanisms import CLOSING, loop_of
from linkwork.mechanics.counts import count_cut_q, count_cut_rates, count_q


@pytest.mark.parametrize("kind", CLOSING)
def test_lengths(kind):
    for cut in ("joint 0", None):
        system = lw.assemble(loop_of(kind, cut=cut))
        cuts = system.tables.cuts
        assert count_q(system.tables.tree) == system.nq
        assert count_cut_q(cuts) == len(system.cut_start)
        # room for every rate, whichever measure comes last
        assert all(count_cut_rates(cuts) >= rate + 3 for rate in cuts.measure_rate)


def test_free_bodies_have_quaternions():
    model = lw.Model("stones")
    for k in range(3):
        model.body(f"stone {k}", mass=1.0, inertia=(1.0, 1.0, 1.0))
    tree = lw.assemble(model).tables.tree
    assert (count_q(tree), tree.dof_link.size) == (21, 18)
    cuts = lw.assemble(model).tables.cuts
    assert (count_cut_q(cuts), count_cut_rates(cuts)) == (0, 0)
