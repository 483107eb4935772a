"""Vector instructions for blocks of six, against numpy; what lies beside is not written."""

from __future__ import annotations

import numpy as np
import pytest

from linkwork._jit import entry
from linkwork.numerics.lanes import (
    BLOCK,
    LANES,
    SIX,
    add_outer_products,
    add_row,
    add_three_rows,
    invert_block,
    multiply_block,
    subtract_block_product,
    three_dots,
)


@entry
def rows_of_blocks(A, B, U, x, f, out):  # type: ignore
    add_row(A, 1, f, B, 3)
    subtract_block_product(A, 60, 110, 160)
    multiply_block(B, A, 210)
    w = U.shape[1]
    add_outer_products(A, 260, f, 2.0, 3.0, U, w + 1, U, w + 7, w)
    out[0], out[1], out[2] = three_dots(U, w + 2, w, x, 4)
    add_three_rows(x, 11, f, 2.0, 3.0, U, w + 2, w)


@entry
def inverse(A, o, B):  # type: ignore
    return invert_block(A, o, B)


def test_compiled_is_what_plain_python_does() -> None:
    """The same calls compiled, and in numpy; every number that should not change is compared too."""
    rng = np.random.default_rng(0)
    given = [rng.normal(size=n) for n in (400, BLOCK, (6, 15), 20)]
    results = []
    for call in (rows_of_blocks, rows_of_blocks.py_func):
        A, B, U, x = (each.copy() for each in given)
        out = np.zeros(3)
        call(A, B, U, x, 1.5, out)
        results.append((A, B, U, x, out))
    for one, two in zip(*results, strict=True):
        assert one == pytest.approx(two, rel=1e-13, abs=1e-13)
    assert np.abs(results[0][0] - given[0]).max() > 1.0  # and something did


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_inverse_of_a_block(scale: float) -> None:
    rng = np.random.default_rng(1)
    A = np.full(3 + BLOCK, np.nan)  # the two numbers beyond a row may be anything
    square = scale * rng.normal(size=(SIX, SIX))
    A[3:].reshape(SIX, LANES)[:, :SIX] = square
    B = np.zeros(BLOCK)
    assert inverse(A, 3, B)
    assert B.reshape(SIX, LANES)[:, :SIX] @ square == pytest.approx(np.eye(SIX), abs=1e-10)


def test_no_inverse() -> None:
    assert not inverse(np.zeros(BLOCK), 0, np.zeros(BLOCK))
    assert not inverse(np.full(BLOCK, np.nan), 0, np.zeros(BLOCK))
