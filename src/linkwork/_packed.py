"""Tables as one pointer: a NamedTuple of arrays goes to compiled code as the address of a block of slots.

numba hands a NamedTuple of arrays by value, seven machine words for each array, from kernel to kernel; the tables of a
model are some 250 arrays, which made compiling slow. Here a table is one pointer. Its block holds a slot of 8 bytes for
each number, and for each C-contiguous array its address and its shape; inner NamedTuples lie inside. Reading
`tables.tree.dof_link` becomes loads at a known offset, which LLVM may move freely: a block is never written to.
Kernels do not notice: they read fields by name as before.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from typing import Any

import numpy as np
from llvmlite import ir
from numba import typeof
from numba.core import types
from numba.core.datamodel import models, register_default
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import NativeValue, typeof_impl, unbox
from numba.np import arrayobj

KEPT = 64  # blocks that are remembered: simulations that take turns need not be packed again
SLOT = ir.IntType(64)


class PackedType(types.Type):  # type: ignore[misc]
    """The compiled type of a packed table: its fields with their types and first slots."""

    def __init__(self, name: str, fields: dict[str, tuple[Any, int]]) -> None:
        self.fields = fields
        super().__init__(name=name)

    @property
    def key(self) -> str:
        return str(self.name)

    def __reduce__(self) -> Any:
        fields = tuple((name, kind) for name, (kind, _) in self.fields.items())
        return packed_type, (self.name.split("#")[0], fields)


_types: dict[Any, PackedType] = {}


def packed_type(label: str, fields: tuple[tuple[str, Any], ...]) -> PackedType:
    """The type for these fields; one object for equal fields."""
    if (label, fields) not in _types:
        slots, slot = {}, 0
        for name, kind in fields:
            slots[name] = (kind, slot)
            slot += slot_count(kind)
        digest = hashlib.sha256(repr([(name, str(kind)) for name, kind in fields]).encode()).hexdigest()[:10]
        _types[label, fields] = PackedType(f"{label}#{digest}", slots)
    return _types[label, fields]


def slot_count(kind: Any) -> int:
    if isinstance(kind, PackedType):
        return sum(slot_count(field) for field, _ in kind.fields.values())
    return 1 + kind.ndim if isinstance(kind, types.Array) else 1


class Packed:
    """A NamedTuple and its block of slots."""

    __slots__ = ("address", "block", "kind", "value")

    def __init__(self, value: Any) -> None:
        slots: list[int] = []
        self.value = value  # keeps the arrays alive
        self.kind = _fill(value, slots)
        self.block = np.array(slots, dtype=np.int64)
        self.address = self.block.ctypes.data


def _fill(value: Any, slots: list[int]) -> Any:
    """Append the slots of a value; returns its compiled type."""
    if hasattr(value, "_fields"):
        return packed_type(
            type(value).__name__, tuple((name, _fill(getattr(value, name), slots)) for name in value._fields)
        )
    if isinstance(value, np.ndarray):
        assert value.flags.c_contiguous, "tables hold C-contiguous arrays only"
        slots.append(value.__array_interface__["data"][0])
        slots.extend(value.shape)
        return types.Array(_dtype(value.dtype), value.ndim, "C")
    if isinstance(value, float):
        slots.append(int(np.float64(value).view(np.int64)))
        return types.float64
    if isinstance(value, bool):
        slots.append(int(value))
        return types.boolean
    if isinstance(value, (int, np.integer)):
        slots.append(int(value))
        return types.int64
    raise TypeError(f"a table cannot hold a {type(value).__name__}")


_dtypes: dict[Any, Any] = {}


def _dtype(dtype: Any) -> Any:
    if dtype not in _dtypes:
        _dtypes[dtype] = typeof(np.zeros(0, dtype)).dtype
    return _dtypes[dtype]


_recent: OrderedDict[int, Packed] = OrderedDict()
_one_thread = threading.Lock()  # remembers and forgets


def packed(value: Any) -> Any:
    """The argument as compiled code takes it: a NamedTuple packed, anything else as it is."""
    if not hasattr(value, "_fields"):
        return value
    found = _recent.get(id(value))  # an entry keeps its value alive, so that no other can have its id
    if found is None:
        found = Packed(value)
        with _one_thread:
            _recent[id(value)] = found
            if len(_recent) > KEPT:
                _recent.popitem(last=False)
    return found


# --- what numba has to know ---------------------------------------------------------------------------


@typeof_impl.register(Packed)  # type: ignore[untyped-decorator]
def _typeof(value: Packed, _: Any) -> PackedType:
    kind: PackedType = value.kind
    return kind


@register_default(PackedType)
class _Pointer(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, kind: PackedType) -> None:
        super().__init__(manager, kind, SLOT.as_pointer())


@infer_getattr
class _Fields(AttributeTemplate):  # type: ignore[misc]
    key = PackedType

    def generic_resolve(self, kind: PackedType, name: str) -> Any:
        return kind.fields[name][0] if name in kind.fields else None


@lower_getattr_generic(PackedType)  # type: ignore[untyped-decorator]
def _read(context: Any, builder: Any, kind: PackedType, block: Any, name: str) -> Any:
    """Loads of a field: of an inner table its place, of an array its address and shape."""
    field, first = kind.fields[name]
    place = builder.gep(block, [ir.Constant(SLOT, first)], inbounds=True)
    if isinstance(field, PackedType):
        return place

    def load(slot: int, as_type: Any = SLOT) -> Any:
        at = builder.gep(place, [ir.Constant(SLOT, slot)], inbounds=True)
        value = builder.load(builder.bitcast(at, as_type.as_pointer()))
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
        return value

    if isinstance(field, types.Array):
        return _array(context, builder, field, load)
    if field == types.float64:
        return load(0, ir.DoubleType())
    return builder.trunc(load(0), ir.IntType(1)) if field == types.boolean else load(0)


def _array(context: Any, builder: Any, kind: Any, load: Any) -> Any:
    item = context.get_data_type(kind.dtype)
    size = ir.Constant(SLOT, context.get_abi_sizeof(item))
    data = load(0, item.as_pointer())
    shape = [load(1 + k) for k in range(kind.ndim)]
    strides: list[Any] = []
    stride = size
    for length in reversed(shape):
        strides.insert(0, stride)
        if len(strides) < kind.ndim:
            stride = builder.mul(stride, length, flags=["nsw"])
    array = context.make_array(kind)(context, builder)
    arrayobj.populate_array(array, data=data, shape=shape, strides=strides, itemsize=size, meminfo=None)
    return array._getvalue()


@unbox(PackedType)  # type: ignore[untyped-decorator]
def _unbox(kind: PackedType, thing: Any, c: Any) -> NativeValue:
    address = c.pyapi.object_getattr_string(thing, "address")
    pointer = c.pyapi.long_as_voidptr(address)
    c.pyapi.decref(address)
    return NativeValue(c.builder.bitcast(pointer, SLOT.as_pointer()))
