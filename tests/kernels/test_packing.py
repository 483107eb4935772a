"""Tables handed to kernels as one pointer: every field arrives, arrays are written in place, no block is mixed up."""

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
import pytest

from linkwork._jit import entry, kernel
from linkwork._kernels import packing


class Inner(NamedTuple):
    scale: float
    grid: Any  # (a, b, c)


class Table(NamedTuple):
    count: int
    values: Any  # (count,)
    inner: Inner
    signed: bool
    index: Any  # (n,) whole numbers
    out: Any  # (1,)


@kernel
def picked(inner, index):
    return inner.scale * inner.grid[index[0], index[1], index[2]]


@entry
def total(table, factor):
    found = picked(table.inner, table.index)
    for k in range(table.count):
        found += factor * table.values[k]
    table.out[0] = -found if table.signed else found
    return found


def make(seed: int) -> Table:
    rng = np.random.default_rng(seed)
    grid = rng.normal(size=(2, 3, 4))
    return Table(
        5, rng.normal(size=5), Inner(float(rng.normal()), grid), bool(seed % 2), np.array([1, 2, 3]), np.zeros(1)
    )


def plain(table: Table, factor: float) -> float:
    return table.inner.scale * table.inner.grid[1, 2, 3] + factor * table.values.sum()


def test_every_field_arrives() -> None:
    for seed in range(2):
        table = make(seed)
        assert total(table, 2.0) == pytest.approx(plain(table, 2.0), rel=1e-14)
        assert table.out[0] == pytest.approx((-1) ** seed * plain(table, 2.0), rel=1e-14)


def test_tables_that_take_turns_are_not_mixed_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also when more of them are used than are remembered, and when one is dropped and another takes its place."""
    monkeypatch.setattr(packing, "KEPT", 3)
    tables = [make(seed) for seed in range(7)]
    for turn in range(4):
        for k, table in enumerate(tables):
            assert total(table, float(turn)) == pytest.approx(plain(table, turn), rel=1e-14)
            tables[k] = make(10 * turn + k)


def test_threads_pack_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables are remembered and forgotten by many threads at the same time."""
    monkeypatch.setattr(packing, "KEPT", 3)
    before = sys.getswitchinterval()
    tables = [make(seed) for seed in range(8)]

    def work(first: int) -> bool:
        turns = [tables[(first + k) % 8] for k in range(2000)]
        return all(packing.packed(table).value is table for table in turns)

    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(work, range(8)))
    finally:
        sys.setswitchinterval(before)


def test_a_change_of_an_array_is_seen() -> None:
    table = make(3)
    total(table, 1.0)
    table.values[:] = 7.0
    assert total(table, 1.0) == pytest.approx(plain(table, 1.0), rel=1e-14)


def test_what_cannot_be_packed_is_refused() -> None:
    table = make(4)
    with pytest.raises(TypeError, match="contiguous"):
        packing.packed(table._replace(values=np.zeros((5, 2))[:, 0]))
    with pytest.raises(TypeError, match="str"):
        packing.packed(table._replace(count="five"))


@entry
def first_of(values):
    return values[0]


def test_arrays_of_other_kinds_have_code_of_their_own() -> None:
    """Writable or not, of whole numbers or of others, in turns: each is read by code that was compiled for it."""
    frozen = np.array([5.0, 6.0])
    frozen.flags.writeable = False
    for _ in range(3):
        for values in (np.array([2.5]), frozen, np.array([7]), frozen[1:]):
            assert first_of(values) == values[0]
