"""Order conditions of the tableaux, and the formulas on problems with known answers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from linkwork._jit import entry
from linkwork.numerics.runge_kutta import (
    CLASSIC,
    DORMAND_PRINCE,
    MIDPOINT,
    adams_bashforth,
    adams_moulton,
    error_norm,
    finish,
    stage,
)

EPS = np.finfo(float).eps


def order_conditions(a, c):
    """Elementary weights Phi(tree) and 1/gamma of every rooted tree up to order 5: sum b Phi must be 1/gamma."""
    one = np.ones(len(c))
    ac, acc = a @ c, a @ c**2
    return {
        1: [(one, 1)],
        2: [(c, 2)],
        3: [(c**2, 3), (ac, 6)],
        4: [(c**3, 4), (c * ac, 8), (acc, 12), (a @ ac, 24)],
        5: [
            (c**4, 5),
            (c**2 * ac, 10),
            (c * acc, 15),
            (c * (a @ ac), 30),
            (ac**2, 20),
            (a @ c**3, 20),
            (a @ (c * ac), 40),
            (a @ acc, 60),
            (a @ (a @ ac), 120),
        ],
    }


def order_of(a, b, c):
    """The largest order whose conditions all hold."""
    order = 0
    for k, trees in order_conditions(a, c).items():
        if any(abs(b @ phi - 1 / gamma) > 20 * EPS for phi, gamma in trees):
            return order
        order = k
    return order


@pytest.mark.parametrize(("tableau", "order"), [(MIDPOINT, 2), (CLASSIC, 4), (DORMAND_PRINCE, 5)])
def test_order(tableau, order):
    assert order_of(tableau.a, tableau.b, tableau.c) == order
    assert np.array_equal(np.triu(tableau.a), np.zeros_like(tableau.a))  # explicit
    assert tableau.c == pytest.approx(tableau.a.sum(axis=1), abs=4 * EPS)


def with_last_stage(tableau):
    """The tableau with the rate at the end of the step as one more stage."""
    n = tableau.b.size
    a = np.zeros((n + 1, n + 1))
    a[:n, :n], a[n, :n] = tableau.a, tableau.b
    return a, np.append(tableau.b, 0.0), np.append(tableau.c, 1.0)


def test_embedded_formula_is_one_order_lower():
    """b - e is the second formula of the pair, of order 4 and no more; e itself kills everything up to order 4."""
    a, b, c = with_last_stage(DORMAND_PRINCE)
    assert order_of(a, b, c) == 5
    assert order_of(a, b - DORMAND_PRINCE.e, c) == 4
    conditions = order_conditions(a, c)
    for order in range(1, 5):
        for phi, _ in conditions[order]:
            assert abs(DORMAND_PRINCE.e @ phi) < 20 * EPS
    assert any(abs(DORMAND_PRINCE.e @ phi) > 1e-5 for phi, _ in conditions[5])


@entry
def one_step(tableau, y, h, k, trial):
    """A step of y' = (1, y0, y1, ...): powers of t. The rates are filled by hand, stage by stage."""
    for s in range(k.shape[0]):
        if s == 0:
            for i in range(y.size):
                trial[i] = y[i]
        else:
            stage(tableau, s, y, h, k, trial)
        k[s, 0] = 1.0
        for i in range(1, y.size):
            k[s, i] = trial[i - 1]
    finish(tableau, y, h, k, trial)


@pytest.mark.parametrize(("tableau", "order"), [(MIDPOINT, 2), (CLASSIC, 4), (DORMAND_PRINCE, 5)])
def test_a_step_gives_as_many_terms_of_the_series(tableau, order):
    """y_i = t^(i+1) / (i+1)!: exact up to the order of the formula, not beyond."""
    h = 0.5
    y = np.zeros(7)
    k, trial = np.zeros((tableau.b.size, 7)), np.zeros(7)
    one_step(tableau, y, h, k, trial)
    exact = np.array([h ** (i + 1) / np.prod(np.arange(1, i + 2)) for i in range(7)])
    assert trial[:order] == pytest.approx(exact[:order], abs=4 * EPS)
    assert trial[order] != pytest.approx(exact[order], rel=1e-3)


@entry
def adams(y, h, f, end, predicted, corrected):
    adams_bashforth(y, h, f, predicted)
    adams_moulton(y, h, end, f, corrected)


def test_adams_formulas_integrate_cubics_exactly():
    """Four old rates, or three and the new one, determine a cubic; a quartic is missed by the known constant."""
    rng = np.random.default_rng(1)
    h = 0.25
    for degree in range(5):
        coefficients = rng.integers(-4, 5, degree + 1)
        coefficients[-1] = 3
        rate = np.polynomial.Polynomial(coefficients)
        whole = rate.integ()
        f = np.array([[rate(-j * h)] for j in range(4)])
        end = np.array([rate(h)])
        predicted, corrected = np.zeros(1), np.zeros(1)
        adams(np.array([whole(0.0)]), h, f, end, predicted, corrected)
        # Lagrange interpolation: the remainder is this part of h^5 times the fourth derivative
        fourth = 0.0 if degree < 4 else 24.0 * coefficients[4]
        assert whole(h) - predicted[0] == pytest.approx(float(Fraction(251, 720)) * h**5 * fourth, abs=40 * EPS)
        assert whole(h) - corrected[0] == pytest.approx(-float(Fraction(19, 720)) * h**5 * fourth, abs=40 * EPS)


@entry
def measured(tableau, y, new, h, k, end, rtol, atol, n):
    return error_norm(tableau, y, new, h, k, end, rtol, atol, n)


def test_error_norm():
    rng = np.random.default_rng(2)
    n, watched, h = 6, 4, 0.1
    y, new, end = rng.normal(size=(3, n))
    k = rng.normal(size=(DORMAND_PRINCE.b.size, n))
    rtol, atol = 1e-3, 1e-5
    error = h * (DORMAND_PRINCE.e[:-1] @ k + DORMAND_PRINCE.e[-1] * end)
    size = atol + rtol * np.maximum(np.abs(y), np.abs(new))
    wanted = np.sqrt(np.mean((error / size)[:watched] ** 2))
    assert measured(DORMAND_PRINCE, y, new, h, k, end, rtol, atol, watched) == pytest.approx(wanted, rel=1e-13)
    y[0] = np.nan
    assert np.isnan(measured(DORMAND_PRINCE, y, new, h, k, end, rtol, atol, watched))
