"""The clipped loop finds the p that the bounds and the matrix ask for, whatever it starts from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from linkwork._jit import entry
from linkwork.numerics.clipped import make_guess, solve_clipped


@entry
def call(A, first, last, diag, b, low, high, normal, partner, friction, weight, p, epsilon, most, guessing, guess):  # type: ignore
    return solve_clipped(
        A, first, last, diag, b, low, high, normal, partner, friction, weight, p, epsilon, most, guessing, guess
    )


def solved(A: Any, b: Any, low: Any, high: Any, guessing: bool, *, contacts: Any = None, **options: Any) -> Any:
    n = len(b)
    normal, partner, friction = np.full(n, -1), np.full(n, -1), np.zeros(n)
    if contacts:
        normal, partner, friction = contacts
    p = options.pop("start", np.zeros(n)).copy()
    how = {"epsilon": 1e-12, "iterations": 20000, **options}
    rows = (low, high, normal, partner, friction, np.ones(n), p)
    end = (how["epsilon"], how["iterations"], guessing, make_guess(n))
    sweeps, worst = call(A, 0, n, np.diag(A).copy(), b.copy(), *rows, *end)
    return p, sweeps, worst


def problem(seed: int, n: int, rank: int | None = None) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    G = rng.normal(size=(n, rank or n + 3))
    A = G @ G.T
    low = np.where(rng.random(n) < 0.5, -rng.random(n), 0.0)
    high = np.where(rng.random(n) < 0.5, rng.random(n), np.inf)
    return A, A @ rng.normal(size=n), low, high


@pytest.mark.parametrize("guessing", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_complementary(seed: int, guessing: bool) -> None:
    A, b, low, high = problem(seed, 12)
    p, _, worst = solved(A, b, low, high, guessing)
    assert worst <= 1e-12
    assert (low <= p).all()
    assert (p <= high).all()
    left = b - A @ p
    scale = np.abs(b).max()
    inside = (p > low) & (p < high)
    assert np.abs(left[inside]).max(initial=0.0) < 1e-8 * scale
    assert (left[p == low] < 1e-8 * scale).all()
    assert (left[p == high] > -1e-8 * scale).all()


@pytest.mark.parametrize("seed", range(10))
def test_guessing_needs_fewer_sweeps_and_finds_the_same(seed: int) -> None:
    A, b, low, high = problem(seed, 20)
    plain, many, _ = solved(A, b, low, high, False)
    guessed, few, _ = solved(A, b, low, high, True)
    assert guessed == pytest.approx(plain, abs=1e-8)
    assert few < many


def test_a_right_guess_is_confirmed_by_one_sweep() -> None:
    A, b, low, high = problem(3, 20)
    p, _, _ = solved(A, b, low, high, True)
    again, sweeps, _ = solved(A, b * (1 + 1e-9), low, high, True, start=p, epsilon=1e-7)
    assert sweeps == 1
    assert again == pytest.approx(p, abs=1e-6)


@pytest.mark.parametrize("guessing", [False, True])
def test_dependent_rows(guessing: bool) -> None:
    """Four legs of a table: the loads are not unique, what they do is."""
    A, b, _, _ = problem(5, 8, rank=3)
    low, high = np.zeros(8), np.full(8, np.inf)
    p, _, worst = solved(A, b, low, high, guessing, epsilon=1e-10)
    assert worst <= 1e-10
    left = b - A @ p
    assert (p >= 0).all()
    assert np.abs(left[p > 0]).max() < 1e-6
    assert left.max() < 1e-6


@pytest.mark.parametrize("guessing", [False, True])
def test_friction_within_its_circle(guessing: bool) -> None:
    """A block that is pushed aslant: friction is along the push and mu times the load, not more on the diagonal."""
    A = np.eye(3)
    contacts = (np.array([-1, 0, 0]), np.array([-1, -1, 1]), np.array([0.0, 0.5, 0.5]))
    wide = np.full(3, np.inf)
    low = np.array([0.0, -np.inf, -np.inf])
    p, _, _ = solved(A, np.array([2.0, 3.0, 4.0]), low, wide, guessing, contacts=contacts)
    assert p == pytest.approx([2.0, 0.6, 0.8], abs=1e-9)
    p, _, _ = solved(A, np.array([2.0, 0.3, 0.4]), low, wide, guessing, contacts=contacts)
    assert p == pytest.approx([2.0, 0.3, 0.4])


def test_budget() -> None:
    A, b, low, high = problem(0, 12)
    _, sweeps, worst = solved(A, b, low, high, False, iterations=3)
    assert sweeps == 3
    assert worst > 1e-12
