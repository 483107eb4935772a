"""The image of arrays and calls: everything is in it once, and addresses lead to the right place."""

import struct
from typing import Any, NamedTuple

import numpy as np
import pytest

from linkwork.formats.fmi.memory_image import MemoryImage


class Inner(NamedTuple):
    numbers: Any
    count: int


class Outer(NamedTuple):
    first: Any
    inner: Inner
    factor: float


def slots(image, place, count):
    return struct.unpack_from(f"<{count}q", image.content, place)


def test_blocks_hold_shapes_numbers_and_places_of_arrays():
    a, b = np.arange(6.0).reshape(2, 3), np.arange(4)
    table = Outer(a, Inner(b, 7), 2.5)
    image = MemoryImage((table, a))
    block, places, results = image.add_call((table, a, 1.5, 3), 2)
    targets = dict(image.relocations)
    (outer,) = (targets[block],)  # the address of the table's block
    assert slots(image, outer, 3)[1:] == (2, 3)
    assert slots(image, outer + 8 * 4, 2) == (4, 7)
    assert struct.unpack_from("<d", image.content, outer + 8 * 6) == (2.5,)
    at = targets[outer]
    assert struct.unpack_from("<6d", image.content, at) == tuple(range(6))
    assert targets[places[1]] == at  # the array alone is the same memory
    assert struct.unpack_from("<d", image.content, places[2]) == (1.5,)
    assert slots(image, places[3], 1) == (3,)
    assert targets[places[3] + 8] == targets[places[3] + 24] == results
    assert slots(image, places[3] + 16, 1) == (2,)


def test_views_share_the_memory_of_their_array():
    a = np.arange(10.0)
    image = MemoryImage((a, a[3:5]))
    assert image.place(a[3:5]) == image.place(a) + 24
    assert len(image.stretches) == 1
    assert image.holds(a[9:])
    assert not image.holds(np.zeros(1))


def test_arrays_without_numbers_have_no_address():
    image = MemoryImage((np.zeros((0, 3)),))
    block, places, _ = image.add_call((np.zeros((0, 3)),), 0)
    assert slots(image, places[0], 3) == (0, 0, 3)
    assert [slot for slot, _ in image.relocations if slot == block] == []


def test_arrays_that_are_not_in_the_image_are_refused():
    image = MemoryImage((np.zeros(3),))
    with pytest.raises(KeyError):
        image.add_call((np.ones(2),), 0)
