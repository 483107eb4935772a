"""All arrays that compiled code works on, and the blocks of its calls, in one piece of memory that can be moved.

Addresses inside it are listed as relocations (place of the address, place that it means), both in bytes from its
beginning. Arrays that share memory share it in the image too.
"""

from __future__ import annotations

import ctypes
import struct
from bisect import bisect_right
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from linkwork._kernels.packing import Packed, fill

ALIGNED = 64  # bytes, where arrays begin
SLOT = 8  # bytes


class Stretch(NamedTuple):
    """Memory of one array, or of several that overlap."""

    address: int
    size: int  # bytes
    place: int  # in the image
    dtype: str  # of its numbers; "" where arrays of several kinds overlap


class MemoryImage:
    """The image of some arrays; `add_call` puts the block of a call behind them."""

    def __init__(self, *arguments: Any) -> None:
        self.arrays = list(_arrays(arguments))  # kept alive
        self.stretches = _laid_out(self.arrays)
        self._first = [each.address for each in sorted(self.stretches)]
        self._sorted = sorted(self.stretches)
        last = self.stretches[-1] if self.stretches else Stretch(0, 0, 0, "")
        self.content = bytearray(_aligned(last.place + last.size))
        for each in self.stretches:
            self.content[each.place : each.place + each.size] = ctypes.string_at(each.address, each.size)
        self.relocations: list[tuple[int, int]] = []
        self._tables: dict[int, int] = {}  # blocks of tables: where they are

    def place(self, numbers: Any) -> int:
        """Where the first number of an array or a view is."""
        address = int(numbers.__array_interface__["data"][0])
        k = bisect_right(self._first, address) - 1
        if k < 0 or address >= self._sorted[k].address + self._sorted[k].size:
            raise KeyError("these numbers are not in the image")
        return self._sorted[k].place + address - self._sorted[k].address

    def holds(self, numbers: Any) -> bool:
        """Whether the numbers are in the image."""
        try:
            self.place(numbers)
        except KeyError:
            return False
        return True

    def add_call(self, arguments: tuple[Any, ...], results: int) -> tuple[int, list[int], int]:
        """The block of a call, as `kernel.Call` lays it out: its place, those of its arguments, that of its results."""
        tables = {id(each): self._table(each) for each in arguments if hasattr(each, "_fields")}
        slots: list[int] = []
        pointers: list[tuple[int, int]] = []
        firsts = []
        for each in arguments:
            firsts.append(len(slots))
            if id(each) in tables:
                pointers.append((len(slots), tables[id(each)]))
                slots.append(0)
            else:
                self._fill(each, slots, pointers)
        place = len(self.content)
        at = place + SLOT * (len(slots) + 4)
        pointers += [(len(slots), at), (len(slots) + 2, at)]
        slots += [0, results, 0, results]
        self._append(slots + [0] * results, pointers)
        return place, [place + SLOT * each for each in firsts], at

    def number_place(self, table: Any, *names: str) -> int:
        """Where a number of a table lies in the table's block; several names lead through inner tables."""
        slot, inside = 0, table
        for name in names:
            for field, each in zip(inside._fields, inside, strict=True):
                if field == name:
                    inside = each
                    break
                slot += len(_slots(each))
        return self._tables[id(table)] + SLOT * slot

    def add_numbers(self, numbers: Any) -> int:
        """Further numbers at the end, which no call knows of; their place."""
        place = len(self.content)
        self.content += np.asarray(numbers, dtype=float).tobytes()
        return place

    def _table(self, value: Any) -> int:
        if id(value) not in self._tables:
            slots: list[int] = []
            pointers: list[tuple[int, int]] = []
            self._fill(value, slots, pointers)
            self._tables[id(value)] = len(self.content)
            self._append(slots, pointers)
        return self._tables[id(value)]

    def _fill(self, value: Any, slots: list[int], pointers: list[tuple[int, int]]) -> None:
        """As `packing.fill`, with the places of addresses noted."""
        if isinstance(value, np.ndarray):
            if value.size:
                pointers.append((len(slots), self.place(value)))
            slots += [0, *value.shape]
        elif hasattr(value, "_fields"):
            for each in value:
                self._fill(each, slots, pointers)
        else:
            fill(value, slots)

    def _append(self, slots: list[int], pointers: list[tuple[int, int]]) -> None:
        place = len(self.content)
        self.content += struct.pack(f"<{len(slots)}q", *slots)
        self.relocations += [(place + SLOT * slot, target) for slot, target in pointers]


def _slots(value: Any) -> list[int]:
    slots: list[int] = []
    fill(value, slots)
    return slots


def _arrays(value: Any) -> Iterator[Any]:
    """Every array of arguments and of the tables in them."""
    if isinstance(value, np.ndarray):
        if value.size:
            yield value
    elif isinstance(value, (tuple, list)):
        for each in value:
            yield from _arrays(each)
    elif isinstance(value, Packed):
        yield from _arrays(value.value)


def _laid_out(arrays: list[Any]) -> list[Stretch]:
    """Stretches of memory, in the order in which arrays name them first; those that overlap are one."""
    spans = [(each.__array_interface__["data"][0], each.nbytes, each.dtype.str[1:], k) for k, each in enumerate(arrays)]
    joined: list[list[Any]] = []  # address, end, kind, first array
    for address, size, kind, k in sorted(spans):
        if joined and address < joined[-1][1]:
            last = joined[-1]
            last[1], last[3] = max(last[1], address + size), min(last[3], k)
            last[2] = kind if kind == last[2] else ""
        else:
            joined.append([address, address + size, kind, k])
    place, stretches = 0, []
    for address, end, kind, _ in sorted(joined, key=lambda each: each[3]):
        stretches.append(Stretch(address, end - address, place, kind))
        place = _aligned(place + end - address)
    return stretches


def _aligned(size: int) -> int:
    return -(-size // ALIGNED) * ALIGNED
