"""A joint's parts forbid what its motions do not allow, and nothing else: parts . motions = 0, dof + rank = 6."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import CLOSING, again
from linkwork.assembly.kinds import KINDS, coordinates, misfit, placed
from linkwork.model.joint import KINDS as WORDS
from linkwork.simulation.start import Closure
from random_mechanisms import random_body_numbers, random_frame, random_rotation

EPS = np.finfo(float).eps


def joined(kind: str, seed: int, *, on_ground: bool) -> lw.Model:
    """Bodies "a" (or the ground) and "b", and "joint" between them."""
    rng = np.random.default_rng([seed, *kind.encode()])
    model = lw.Model("joined")
    a: Any = model.ground
    if not on_ground:
        a = model.body("a", **random_body_numbers(rng))
        model.free("flight", model.ground, a)
    b = model.body("b", **random_body_numbers(rng))
    extra = {"pitch": 0.4} if kind == "screw" else {}
    getattr(model, kind)("joint", a, b, frame_a=random_frame(rng), frame_b=random_frame(rng), **extra)
    return model


def random_position(kind: str, rng: np.random.Generator) -> np.ndarray:
    if kind == "ball":
        return random_rotation(rng)
    return rng.uniform(-1.4, 1.4, WORDS[kind].nq)


@pytest.mark.parametrize("kind", CLOSING)
def test_lists_agree_with_the_words(kind: str) -> None:
    assert sum(m.nq for m in KINDS[kind].motions) == WORDS[kind].nq
    assert sum(m.nv for m in KINDS[kind].motions) == WORDS[kind].nv
    assert [(m.nq, m.nv) for m in KINDS[kind].measures] == [(m.nq, m.nv) for m in KINDS[kind].motions if m.nv]
    assert len(KINDS[kind].parts) + WORDS[kind].nv == 6


@pytest.mark.parametrize("on_ground", [True, False])
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", CLOSING)
def test_parts_are_what_motions_leave_over(kind: str, seed: int, on_ground: bool) -> None:
    """The same two bodies twice: held by the joint in a tree, and flying free with the joint as a cut."""
    rng = np.random.default_rng(seed)
    model = joined(kind, seed, on_ground=on_ground)
    tree, flying = lw.assemble(model), lw.assemble(again(model, cuts=("joint",)))
    assert flying.cut_names == ["joint"]
    nv = WORDS[kind].nv
    others = 0 if on_ground else 6
    assert (tree.nv, flying.nv, flying.rows) == (nv + others, 6 + others, 6 - nv)

    # a configuration and a velocity that the joint allows
    q = np.concatenate([rng.normal(size=3), random_rotation(rng)] if others else [np.zeros(0)])
    q = np.concatenate([q, random_position(kind, rng)])
    v = rng.normal(size=tree.nv)
    bodies = ["b"] if on_ground else ["a", "b"]
    poses = lw.forward_kinematics(tree, q)
    rates = np.vstack([lw.jacobian(tree, q, body) for body in bodies])
    q_flying = np.concatenate([np.concatenate(poses[body]) for body in bodies])
    # a free joint has linear velocity first
    order = np.concatenate([np.array([3, 4, 5, 0, 1, 2]) + 6 * k for k in range(len(bodies))])
    motions = rates[order]

    closure = Closure(flying)
    closure.at(q_flying, motions @ v)
    size = 10.0  # of the numbers that enter: positions and levers of some metres
    assert np.max(np.abs(closure.g)) < 20 * EPS * size  # the loop is closed there
    assert np.max(np.abs(closure.gd)) < 50 * EPS * size * np.max(np.abs(v), initial=1.0)
    # parts . motions = 0, dof + rank = 6
    assert np.max(np.abs(closure.G @ motions), initial=0.0) < 50 * EPS * size
    values = np.linalg.svd(closure.G, compute_uv=False) if flying.rows else np.ones(1)
    assert (np.linalg.matrix_rank(motions) if tree.nv else 0) + np.count_nonzero(values > 1e-9 * values[0]) == flying.nv
    if kind != "fixed":
        # the cut still reads its coordinates and rates
        read = closure.cut_q if kind != "ball" else closure.cut_q * np.sign(closure.cut_q @ q[-4:])
        assert read == pytest.approx(q[tree.joints[-1].q], abs=50 * EPS * size)
        assert closure.cut_rate[:nv] == pytest.approx(v[tree.joints[-1].v], abs=100 * EPS * size)
        # and knows how they change with the joints
        change = closure.directions @ motions
        wanted = np.zeros((nv, tree.nv))
        wanted[:, tree.joints[-1].v] = np.eye(nv)
        assert change == pytest.approx(wanted, abs=100 * EPS * size)


@pytest.mark.parametrize("kind", CLOSING)
def test_rows_by_differences(kind: str) -> None:
    """G is the derivative of the rows' values also where the loop is open, which is what closing it relies on."""
    rng = np.random.default_rng(3)
    flying = lw.assemble(again(joined(kind, 1, on_ground=False), cuts=("joint",)))
    closure = Closure(flying)
    q, v = lw.integrate(flying, flying.q_start, 0.3 * rng.normal(size=12), 1.0), rng.normal(size=12)
    h = 1e-5
    found = []
    for step in (h, -h):
        closure.at(lw.integrate(flying, q, v, step), np.zeros(12))
        found.append(closure.g.copy())
    closure.at(q, v)
    rate = (found[0] - found[1]) / (2 * h)
    # the third derivative times h^2 / 6, and rounding over h
    error = 20 * (np.linalg.norm(v) ** 3 * h**2 + EPS / h)
    exact = slice(0, -1) if kind == "screw" else slice(None)  # an angle about z is one only where the axes are parallel
    assert np.max(np.abs(closure.g)) > 0.01
    assert rate[exact] == pytest.approx((closure.G @ v)[exact], abs=error)
    assert rate[exact] == pytest.approx(closure.gd[exact], abs=error)


@pytest.mark.parametrize("kind", WORDS)
def test_coordinates_and_places(kind: str) -> None:
    """A joint is where its coordinates say, at any turn of a screw; what it cannot do shows as a misfit."""
    rng = np.random.default_rng(len(kind))
    pitch = 0.07 if kind == "screw" else 0.0
    for _ in range(10):
        q = rng.uniform(-3, 3, WORDS[kind].nq)
        if kind == "screw":
            q *= 10
        elif kind == "universal":
            q[1] /= 2  # beyond a right angle the other pair of angles is found
        elif kind in ("ball", "free"):
            q[-4:] /= np.linalg.norm(q[-4:]) * np.sign(q[-4])
        there = placed(kind, q, pitch)
        assert coordinates(kind, there, pitch) == pytest.approx(q, abs=1e-12)
        assert max(misfit(kind, there, pitch)) < 1e-12
        if kind != "free":
            aside = there @ lw.Frame((0.3, 0.2, 0.1), random_rotation(rng))
            assert max(misfit(kind, aside, pitch)) > 1e-3
