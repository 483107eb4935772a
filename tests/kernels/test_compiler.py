"""Entries as C functions: every kind of argument and result arrives, and numba of others is left alone."""

import math
import threading
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from linkwork._jit import entry, kernel, small
from linkwork._kernels import compiler, packing
from linkwork._kernels.kernel import Call


class Pair(NamedTuple):
    scale: float
    values: Any


@small
def squared(x):
    return x * x


@kernel
def length(values):
    total = 0.0
    for k in range(values.size):
        total += squared(values[k])
    return math.sqrt(total)


@entry
def everything(pair, number, count, flag, point, matrix):
    found = pair.scale * length(pair.values) + number
    for k in range(count):
        found += point[0] * matrix[k, 1]
    matrix[0, 0] = -1.0
    return found, count + 1, not flag, (point[1], 7)


@entry
def nothing(values):
    values[0] = 5.0


@entry
def one(x):
    return 2.0 * x


def arguments():
    matrix = np.arange(6.0).reshape(3, 2)
    return Pair(2.0, np.array([3.0, 4.0])), 0.5, 3, True, (10.0, np.float64(-2.0)), matrix


def test_every_kind_of_argument_and_result() -> None:
    given = arguments()
    assert everything(*given) == (10.5 + 10.0 * (1.0 + 3.0 + 5.0), 4, False, (-2.0, 7))
    assert given[-1][0, 0] == -1.0
    found = everything(*arguments())
    assert [type(each) for each in found[:3]] == [float, int, bool]


def test_plain_python_gives_the_same() -> None:
    assert everything.py_func(*arguments()) == everything(*arguments())
    assert length(np.array([3.0, 4.0])) == 5.0  # a kernel called from Python


def test_no_result_and_one_result() -> None:
    values = np.zeros(2)
    assert nothing(values) is None
    assert values[0] == 5.0
    assert one(1.5) == 3.0


def test_a_prepared_call_takes_other_numbers() -> None:
    @entry
    def line(pair, a, k, values):
        return a * pair.scale + k + values[0], k

    values = np.zeros(1)
    call = line.bind(Pair(2.0, values), 0.0, 0, values)
    assert call(1.5, 4) == (7.0, 4)
    values[0] = 1.0
    assert call(2.0, 1) == (6.0, 1)
    assert call.again() == (6.0, 1)
    assert isinstance(call, Call)


def test_arrays_that_are_not_contiguous_are_refused() -> None:
    with pytest.raises(TypeError, match="C-contiguous"):
        nothing(np.zeros((4, 2))[:, 0])
    with pytest.raises(TypeError, match="cannot take a str"):
        one("2")


def test_an_entry_cannot_return_an_array() -> None:
    @entry
    def back(values):
        return values

    with pytest.raises(TypeError, match="cannot return"):
        back(np.zeros(1))


def test_numba_of_others_is_left_alone() -> None:
    """While entries are compiled, other threads may compile functions of their own, and the other way round."""
    found = []

    def work() -> None:
        for k in range(3):
            found.append(numba.njit(lambda x, k=k: [x + k])(1.0)[0] - k)  # with memory of numba's, which kernels lack

    thread = threading.Thread(target=work)
    thread.start()
    for k in range(3):

        @entry
        def mine(x, k=k):
            return x + 1.0

        assert mine(float(k), 0) == k + 1.0
    thread.join()
    assert found == [1.0, 1.0, 1.0]


def test_only_the_entry_has_a_name_outside() -> None:
    """And only functions of the C library are wanted from outside."""
    slots: list[int] = []
    kinds = tuple(packing.fill_argument(each, slots, []) for each in arguments())
    module = compiler.lower(everything.py_func, everything.targetoptions, kinds, "an_entry").module
    shown = [f.name for f in module.functions if not f.is_declaration and f.linkage.name == "external"]
    assert shown == ["an_entry"]
    wanted = {f.name for f in module.functions if f.is_declaration and not f.name.startswith("llvm.")}
    assert wanted <= {"sqrt", "memset"}
