"""The C header of the library of kernels: a struct for every table, and a function for every entry."""

from __future__ import annotations

import inspect
from typing import Any

from linkwork._kernels.kernel import EntryPoint
from linkwork._kernels.packing import ArrayKind, Pointer, TableKind, TupleKind

TYPES = {"f8": "double", "i8": "int64_t", "b1": "int64_t", "i4": "int32_t", "i1": "int8_t", "u1": "uint8_t"}
ITEMS = {**TYPES, "b1": "uint8_t"}  # inside arrays a truth value takes one byte

HEAD = """\
/* linkwork_kernels.h: every compiled loop of linkwork as a C function. Made by `make kernels`; do not edit.

   A function takes the address of its call: the arguments, and where the results go. Every member takes 8 bytes. An
   array is its address and its lengths; its numbers lie row by row. Results are written to `numbers` (double) or
   `wholes` (int64_t), two names of the same places. A function returns 0.

   Structs carry the first digits of a hash of their members: another layout has another name. */

#ifndef LINKWORK_KERNELS_H
#define LINKWORK_KERNELS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

"""


def c_header(found: dict[str, tuple[EntryPoint, Any]], manifest: dict[str, Any], sources: str) -> str:
    """The text of the header."""
    from linkwork.formulations import status

    text = [HEAD, f'#define LINKWORK_KERNELS_SOURCES "{sources}"\n\n/* why a loop stopped, its third result */\n']
    codes = {name: code for name, code in vars(status).items() if name.isupper() and isinstance(code, int)}
    text += [f"#define LINKWORK_{name} {code}\n" for name, code in codes.items()]
    done: set[str] = set()
    for name, (entry, kinds) in sorted(found.items()):
        for kind in kinds:
            _structs(kind, done, text)
        symbol = manifest[name]["symbol"]
        text.append(f"\ntypedef struct {{\n{_arguments(entry, kinds)}}} {symbol}_call;\n")
        text.append(f"int64_t {symbol}({symbol}_call *call);  /* results: {_results(manifest[name]['results'])} */\n")
    text.append("\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n")
    return "".join(text)


def _structs(kind: Any, done: set[str], text: list[str]) -> None:
    """Structs of a kind and of what lies inside it, each once."""
    if isinstance(kind, TupleKind):
        for member in kind.members:
            _structs(member, done, text)
    elif isinstance(kind, Pointer):
        _structs(kind.table, done, text)
    elif isinstance(kind, TableKind) and _name(kind) not in done:
        done.add(_name(kind))
        for field, _ in kind.fields.values():
            _structs(field, done, text)
        members = "".join(_member(name, field) for name, (field, _) in kind.fields.items())
        text.append(f"\ntypedef struct {{\n{members}}} {_name(kind)};  /* {kind.slots} slots */\n")


def _name(kind: TableKind) -> str:
    return f"linkwork_{kind.name}_{kind.digest[:6]}"


def _member(name: str, kind: Any) -> str:
    if isinstance(kind, TableKind):
        return f"  {_name(kind)} {name};\n"
    if isinstance(kind, Pointer):
        return f"  const {_name(kind.table)} *{name};\n"
    if isinstance(kind, TupleKind):
        return "".join(_member(f"{name}_{k}", member) for k, member in enumerate(kind.members))
    if isinstance(kind, ArrayKind):
        return f"  {ITEMS[kind.dtype]} *{name}; int64_t {name}_lengths[{kind.ndim}];\n"
    return f"  {TYPES[kind]} {name};\n"


def _arguments(entry: EntryPoint, kinds: tuple[Any, ...]) -> str:
    names = inspect.signature(entry.py_func).parameters
    members = [_member(name, kind) for name, kind in zip(names, kinds, strict=True)]
    return "".join([*members, _member("numbers", ArrayKind("f8", 1)), _member("wholes", ArrayKind("i8", 1))])


def _results(results: Any) -> str:
    if isinstance(results, list):
        return ", ".join(map(_results, results))
    return {"f": "double", "i": "int64_t", "b": "int64_t", "": "none"}[results]
