"""What numba has to know of tables: the type of a packed table, and how its fields are read."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import typeof
from numba.core import types
from numba.core.datamodel import models, register_default
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.np import arrayobj

from linkwork._kernels.dual_types import dual
from linkwork._kernels.duals import DUAL
from linkwork._kernels.packing import FLOAT, TRUTH, ArrayKind, Pointer, TableKind, TupleKind

SLOT = ir.IntType(64)


class PackedType(types.Type):  # type: ignore[misc]
    """The compiled type of a packed table: a pointer to its block."""

    def __init__(self, kind: TableKind) -> None:
        self.kind = kind
        self.fields = {name: (numba_type(field), slot) for name, (field, slot) in kind.fields.items()}
        super().__init__(name=str(kind))

    @property
    def key(self) -> str:
        return str(self.name)


_types: dict[Any, Any] = {}


def numba_type(kind: Any) -> Any:
    """The compiled type for a kind; one object for equal kinds."""
    found = _types.get(kind)
    return found if found is not None else _types.setdefault(kind, _make_type(kind))


def _make_type(kind: Any) -> Any:
    if isinstance(kind, TableKind):
        return PackedType(kind)
    if isinstance(kind, Pointer):
        return numba_type(kind.table)
    if isinstance(kind, TupleKind):
        return types.BaseTuple.from_types([numba_type(member) for member in kind.members])
    if isinstance(kind, ArrayKind) and kind.dtype == DUAL.str[1:]:
        return types.Array(dual, kind.ndim, "C")
    if isinstance(kind, ArrayKind):
        return types.Array(typeof(np.zeros(0, kind.dtype)).dtype, kind.ndim, "C")
    return types.float64 if kind == FLOAT else types.boolean if kind == TRUTH else types.int64


@register_default(PackedType)
class _BlockPointer(models.PrimitiveModel):  # type: ignore[misc]
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

    def load(slot: int, as_type: Any = SLOT) -> Any:
        at = builder.gep(place, [ir.Constant(SLOT, slot)], inbounds=True)
        value = builder.load(builder.bitcast(at, as_type.as_pointer()))
        value.set_metadata("invariant.load", builder.module.add_metadata([]))
        return value

    if isinstance(field, PackedType):
        return load(0, SLOT.as_pointer()) if isinstance(kind.kind.fields[name][0], Pointer) else place
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
