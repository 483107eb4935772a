"""Arguments of compiled code: a NamedTuple of arrays becomes one pointer to a block of 8-byte slots.

A slot holds a number; an array takes a slot for its address and one for each length of its shape; inner NamedTuples lie
inside. What the slots mean is the table's kind, a description without compiler. Compiled code reads fields at known
offsets, and only reads: what it writes lies in the arrays.
"""

from __future__ import annotations

import hashlib
import struct
import threading
from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np

KEPT = 64  # blocks that are remembered: simulations that take turns need not be packed again
FLOAT, WHOLE, TRUTH = "f8", "i8", "b1"  # kinds of numbers


class ArrayKind(NamedTuple):
    """A C-contiguous array."""

    dtype: str  # "f8", as numpy writes it
    ndim: int

    def __str__(self) -> str:
        return f"{self.dtype}[{self.ndim}]"


class TupleKind(NamedTuple):
    """A plain tuple, as an argument of a call."""

    members: tuple[Any, ...]

    def __str__(self) -> str:
        return f"({','.join(map(str, self.members))})"


class Pointer(NamedTuple):
    """The address of a table's block, as the block of a call holds it."""

    table: TableKind

    def __str__(self) -> str:
        return f"*{self.table}"


class TableKind:
    """The fields of a NamedTuple: their names, kinds and first slots. One object for equal fields."""

    def __init__(self, name: str, fields: tuple[tuple[str, Any], ...]) -> None:
        self.name, self.slots = name, 0
        self.fields: dict[str, tuple[Any, int]] = {}
        for field, kind in fields:
            self.fields[field] = (kind, self.slots)
            self.slots += slot_count(kind)
        text = ",".join(f"{field}:{kind}" for field, kind in fields)
        self.digest = hashlib.sha256(text.encode()).hexdigest()[:16]

    def __str__(self) -> str:
        return f"{self.name}#{self.digest}"


_tables: dict[Any, TableKind] = {}


def table_kind(name: str, fields: tuple[tuple[str, Any], ...]) -> TableKind:
    """The kind with these fields."""
    found = _tables.get((name, fields))
    return found if found is not None else _tables.setdefault((name, fields), TableKind(name, fields))


def slot_count(kind: Any) -> int:
    """Slots that a value of this kind takes inside a block."""
    if isinstance(kind, TableKind):
        return kind.slots
    return 1 + kind.ndim if isinstance(kind, ArrayKind) else 1


def replaced(kind: Any, old: str, new: str) -> Any:
    """The kind with arrays of another sort of numbers."""
    if isinstance(kind, TableKind):
        fields = tuple((name, replaced(field, old, new)) for name, (field, _) in kind.fields.items())
        return table_kind(kind.name, fields)
    if isinstance(kind, Pointer):
        return Pointer(replaced(kind.table, old, new))
    if isinstance(kind, TupleKind):
        return TupleKind(tuple(replaced(member, old, new) for member in kind.members))
    return kind._replace(dtype=new) if isinstance(kind, ArrayKind) and kind.dtype == old else kind


def has(kind: Any, dtype: str) -> bool:
    """Whether there are arrays of such numbers in a kind."""
    return bool(replaced(kind, dtype, "") != kind)


class Packed:
    """A NamedTuple and its block of slots."""

    __slots__ = ("address", "block", "kind", "value")

    def __init__(self, value: Any) -> None:
        slots: list[int] = []
        self.value = value  # keeps the arrays alive
        self.kind = fill(value, slots)
        self.block = np.array(slots, dtype=np.int64)
        self.address = int(self.block.ctypes.data)


def fill(value: Any, slots: list[int]) -> Any:
    """Append the slots of a value; returns its kind."""
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise TypeError("compiled code takes C-contiguous arrays only")
        slots.append(value.__array_interface__["data"][0])
        slots.extend(value.shape)
        return _array_kind(value.dtype, value.ndim)
    if hasattr(value, "_fields"):
        kinds = [fill(each, slots) for each in value]
        return table_kind(type(value).__name__, tuple(zip(value._fields, kinds, strict=True)))
    if isinstance(value, (bool, np.bool_)):
        slots.append(int(value))
        return TRUTH
    if isinstance(value, (int, np.integer)):
        slots.append(int(value))
        return WHOLE
    if isinstance(value, (float, np.floating)):
        slots.append(_bits(value))
        return FLOAT
    raise TypeError(f"compiled code cannot take a {type(value).__name__}")


def _bits(number: Any) -> int:
    return int(struct.unpack("q", struct.pack("d", number))[0])


_arrays: dict[Any, ArrayKind] = {}


def _array_kind(dtype: Any, ndim: int) -> ArrayKind:
    found = _arrays.get((dtype, ndim))
    return found if found is not None else _arrays.setdefault((dtype, ndim), ArrayKind(dtype.str[1:], ndim))


def fill_argument(value: Any, slots: list[int], kept: list[Any]) -> Any:
    """Append the slots of an argument to the block of a call; returns its kind. `kept` lives as long as the block."""
    if type(value) is tuple:
        return TupleKind(tuple([fill_argument(each, slots, kept) for each in value]))
    if hasattr(value, "_fields"):
        table = packed(value)
        kept.append(table)
        slots.append(table.address)
        return Pointer(table.kind)
    return fill(value, slots)


_recent: OrderedDict[int, Packed] = OrderedDict()
_one_thread = threading.Lock()  # remembers and forgets


def packed(value: Any) -> Packed:
    """The block of a NamedTuple; blocks of late are remembered."""
    found = _recent.get(id(value))  # a block keeps its value alive, so that no other can have its id
    if found is None:
        found = Packed(value)
        with _one_thread:
            _recent[id(value)] = found
            if len(_recent) > KEPT:
                _recent.popitem(last=False)
    return found
