"""Entries become plain C functions: numba types and lowers the kernels, LLVM joins, optimises and translates them.

numba makes a library of every function, optimised by itself and linked into its callers. Here the kernels of an entry
stay in LLVM's language until all of them are known; then the entry and its kernels are optimised and translated once,
as one closed module whose only name to the outside is a function `int64 name(int64 *block)`. So the same entry is the
same machine code in every process, and needs numba no more.

This is done by classes of our own that inherit from numba's: a context, its code generator, its libraries and the
dispatcher. numba as others use it in the same process is left as it is.
"""

from __future__ import annotations

import functools
import threading
from typing import Any, NamedTuple

import llvmlite.binding as llvm
import numba
from llvmlite import ir
from numba.core import types
from numba.core.callconv import CPUCallConv
from numba.core.codegen import AOTCodeLibrary, AOTCPUCodegen
from numba.core.cpu import CPUContext
from numba.core.registry import CPUDispatcher, CPUTarget, cpu_target

from linkwork._kernels.checked import checked, compiled_line
from linkwork._kernels.numba_types import SLOT, numba_type
from linkwork._kernels.packing import FLOAT, WHOLE, ArrayKind, TableKind, TupleKind
from linkwork.errors import OptionError

one_thread = threading.RLock()  # threads compile one after the other
NUMBERS, WHOLES = "numbers", "wholes"  # fields of a call's block: where results go
OPTIONS = {"nopython": True, "nogil": True, "_nrt": False, "error_model": "numpy", "no_cpython_wrapper": True}


# --- numba, with kernels that stay in LLVM's language ---


class _Library(AOTCodeLibrary):  # type: ignore[misc]
    """The code of one kernel, without that of the kernels it calls."""

    def add_linking_library(self, library: Any) -> None:
        self._linking_libraries.append(library)

    def finalize(self) -> None:
        self._finalized = True


class _Codegen(AOTCPUCodegen):  # type: ignore[misc]
    _library_class = _Library

    def set_env(self, name: str, environment: Any) -> None:
        """Kernels need no environment: they raise nothing."""


class _Context(CPUContext):  # type: ignore[misc]
    """numba's context with everything that is registered there, and our code generator."""

    def __init__(self, base: CPUContext) -> None:
        self.__dict__.update(base.__dict__)
        self._internal_codegen = _Codegen("linkwork", cpu_name="host")
        self._codelib_stack: list[Any] = []

    @functools.cached_property
    def call_conv(self) -> Any:
        return _TellingConvention(self) if checked() else CPUCallConv(self)

    def get_executable(self, library: Any, fndesc: Any, env: Any) -> Any:
        """A mark of the kernel, by which its callers find it: nothing to call yet."""
        return _Mark(fndesc.mangled_name)


class _TellingConvention(CPUCallConv):  # type: ignore[misc]
    """numba's convention for calls; errors know the line of the kernel."""

    def build_excinfo_struct(self, exc: Any, exc_args: Any, loc: Any, func_name: Any) -> Any:
        kind, words, place = super().build_excinfo_struct(exc, exc_args, loc, func_name)
        at = compiled_line()
        return kind, words, place if at is None else (str(func_name), *at)


class _Mark(NamedTuple):
    name: str


class _Target(CPUTarget):  # type: ignore[misc]
    @property
    def _toplevel_target_context(self) -> Any:
        return _context()

    @property
    def _toplevel_typing_context(self) -> Any:
        return cpu_target.typing_context


_contexts: list[_Context] = []


def _context() -> _Context:
    if not _contexts:
        base = cpu_target.target_context
        base.refresh()
        _contexts.append(_Context(base))
    return _contexts[0]


class _Dispatcher(CPUDispatcher):  # type: ignore[misc]
    """A kernel for numba: compiled for the types it is called with, never called from Python."""

    targetdescr = _Target("cpu")

    def add_overload(self, compiled: Any) -> None:
        self.overloads[tuple(compiled.signature.args)] = compiled


def dispatcher(function: Any, options: dict[str, Any]) -> Any:
    """What numba calls a kernel by."""
    checks = {"boundscheck": True} if checked() else {}
    return _Dispatcher(function, targetoptions={**OPTIONS, "no_cfunc_wrapper": True, **checks, **options})


def _check_numba() -> None:
    """Raise where this numba has not what the classes above build on."""
    wanted = (
        (AOTCodeLibrary, ("_get_module_for_linking", "finalize", "add_linking_library")),
        (AOTCPUCodegen, ("_create_empty_module", "_check_llvm_bugs", "create_library")),
        (CPUContext, ("get_executable", "call_conv", "create_module")),
        (CPUDispatcher, ("add_overload", "compile")),
    )
    missing = [f"{kind.__name__}.{name}" for kind, names in wanted for name in names if not hasattr(kind, name)]
    if missing:
        raise OptionError(f"numba {numba.__version__} has no {', '.join(missing)}; install another version of numba")


_check_numba()


# --- an entry as a C function ---


class Lowered(NamedTuple):
    """An entry in LLVM's language, and what it returns: ["i", "i"] for two whole numbers in a tuple."""

    module: Any
    results: Any


def lower(function: Any, options: dict[str, Any], kinds: tuple[Any, ...], symbol: str) -> Lowered:
    """The closed module of an entry for arguments of these kinds; its C function is `symbol`."""
    with one_thread:
        inner = dispatcher(function, options)
        inner.compile(tuple(map(numba_type, kinds)))
        (compiled,) = inner.overloads.values()
        results = _result_kind(compiled.signature.return_type)
        call = _caller(inner, kinds, results)
        outer = dispatcher(call, options)
        outer.compile((numba_type(call_kind(kinds)),))
        (compiled,) = outer.overloads.values()
        module = _joined(compiled.library)
        module.link_in(_c_function(compiled.fndesc, symbol))
        for each in (*module.functions, *module.global_variables):
            if not each.is_declaration:
                each.linkage = "external" if each.name == symbol else "internal"
        module.verify()
        return Lowered(module, results)


def call_kind(kinds: tuple[Any, ...]) -> TableKind:
    """The block of a call (see `kernel.Call`): the arguments, flattened, and two arrays for the results."""
    fields: list[tuple[str, Any]] = []
    for k, kind in enumerate(kinds):
        _flatten(f"a{k}", kind, fields)
    return TableKind("Call", (*fields, (NUMBERS, ArrayKind(FLOAT, 1)), (WHOLES, ArrayKind(WHOLE, 1))))


def _flatten(name: str, kind: Any, fields: list[tuple[str, Any]]) -> None:
    if isinstance(kind, TupleKind):
        for k, member in enumerate(kind.members):
            _flatten(f"{name}_{k}", member, fields)
    else:
        fields.append((name, kind))


def _caller(inner: Any, kinds: tuple[Any, ...], results: Any) -> Any:
    """A function of the block alone that calls the entry and stores what it returns."""
    arguments = ", ".join(_expression(f"block.a{k}", kind) for k, kind in enumerate(kinds))
    lines = ["def call(block):", f"    r = inner({arguments})"]
    stores = _stores("r", results, [])
    if stores:
        lines += [f"    block.{array}[{k}] = {value}" for k, (array, value) in enumerate(stores)]
    scope = {"inner": inner, "__name__": inner.py_func.__module__}
    exec("\n".join(lines), scope)
    scope["call"].__qualname__ = f"{inner.py_func.__qualname__}_call"
    return scope["call"]


def _expression(name: str, kind: Any) -> str:
    if not isinstance(kind, TupleKind):
        return name
    return f"({''.join(_expression(f'{name}_{k}', member) + ', ' for k, member in enumerate(kind.members))})"


def _stores(name: str, results: Any, found: list[tuple[str, str]]) -> list[tuple[str, str]]:
    if isinstance(results, list):
        for k, member in enumerate(results):
            _stores(f"{name}[{k}]", member, found)
    elif results:
        found.append((NUMBERS if results == "f" else WHOLES, name))
    return found


def _result_kind(kind: Any) -> Any:
    """What is returned: "" for nothing, "f", "i" or "b" for a number, a list for a tuple."""
    if isinstance(kind, types.BaseTuple):
        return [_result_kind(member) for member in kind]
    if isinstance(kind, types.NoneType):
        return ""
    if isinstance(kind, types.Boolean):
        return "b"
    if isinstance(kind, types.Integer):
        return "i"
    if isinstance(kind, types.Float):
        return "f"
    raise TypeError(f"an entry cannot return {kind}")


def _joined(library: Any) -> Any:
    """One module of a kernel and all that it calls."""
    module = library._final_module.clone()
    seen, waiting, foreign = {library}, list(library._linking_libraries), []
    while waiting:
        each = waiting.pop()
        if each in seen or each.name == "nrt":  # numba's memory: kernels allocate nothing
            continue
        seen.add(each)
        if isinstance(each, _Library):
            module.link_in(each._final_module.clone())
            waiting += each._linking_libraries
        else:  # a function of numba's own, with all that it calls; last, for of these only what is wanted is linked
            foreign.append(each)
    for each in foreign:
        module.link_in(each._get_module_for_linking().clone())
    missing = [
        function.name for function in module.functions if function.is_declaration and "linkwork" in function.name
    ]
    assert not missing, missing
    return module


def _c_function(fndesc: Any, symbol: str) -> Any:
    """int64 symbol(int64 *block): calls the function by numba's convention; returns 0, or a code of numba's.

    Of checked kernels that is the address of an error.
    """
    context = _context()
    module = context.create_module("entry")
    kind = context.call_conv.get_function_type(fndesc.restype, fndesc.argtypes)
    callee = ir.Function(module, kind, fndesc.llvm_func_name)
    function = ir.Function(module, ir.FunctionType(SLOT, [SLOT.as_pointer()]), symbol)
    builder = ir.IRBuilder(function.append_basic_block("entry"))
    status, _ = context.call_conv.call_function(builder, callee, fndesc.restype, fndesc.argtypes, function.args)
    code = builder.sext(status.code, SLOT)
    if checked():  # where what was raised is described
        raised = builder.ptrtoint(status.excinfoptr, SLOT)
        code = builder.select(status.is_error, raised, code)
    builder.ret(code)
    return llvm.parse_assembly(str(module))
