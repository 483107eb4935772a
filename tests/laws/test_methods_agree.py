"""Random mechanisms by every method that supports them: they agree as far as their own errors allow.

Trees and loops of all kinds of joints, redundant rows among them, with stiff springs where the name says so. A seed
that ever failed is kept in the lists.
"""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from case_choice import rest_long
from random_mechanisms import random_loops, random_tree

EXACT = ("recursive", "component", "absolute")


def sprung(model: lw.Model, stiffness: float) -> lw.Model:
    """The same with springs from the ground to two of its bodies."""
    for k, body in enumerate(list(model.all_bodies())[:2]):
        model.spring(f"spring {k}", model.ground, body, stiffness=stiffness, damping=1e-2 * stiffness**0.5)
    return model


MODELS = {
    **{f"tree {seed}": lambda seed=seed: random_tree(seed, 4) for seed in (1, 2, 3)},
    **{f"rotors {seed}": lambda seed=seed: random_tree(seed, 4, rotors=True) for seed in (1, 2, 3, 4)},
    **{f"loops {seed}": lambda seed=seed: random_loops(seed, 5, 1) for seed in (1, 2, 3, 4)},
    **{f"stiff {seed}": lambda seed=seed: sprung(random_loops(seed, 4, 1), 1e4) for seed in (5, 6)},
}


@pytest.mark.parametrize("name", rest_long(MODELS, ("tree 1", "rotors 2", "loops 1", "loops 3", "stiff 5")))
def test_methods_agree(name: str) -> None:
    found = lw.compare(MODELS[name](), until=0.1, dt=2.5e-4 if name.startswith("stiff") else 2e-3)
    # methods of first order need smaller steps than these for stiff springs: they tell, and the others must agree
    assert found.agree or (name.startswith("stiff") and found.outcome == "not shown"), found.verdict
    ran = {entry.method: entry for entry in found.entries if entry.ran}
    assert set(EXACT) <= set(ran), found.verdict
    for method in EXACT:
        assert ran[method].distance < 1e-5, found.verdict
        assert ran[method].energy < 1e-5, found.verdict
        assert ran[method].drift < 1e-8, found.verdict
    assert {"hybrid", "impulse"} <= set(ran), found.verdict
    assert all(entry.standing == "agrees" for entry in ran.values() if entry.expected_order >= 2.0), found.verdict
    assert np.isfinite([entry.error for entry in ran.values()]).all()
