"""The `@kernel` decorator and its variants. What they compile is kept by `_cache`."""

from __future__ import annotations

import contextlib
import functools
import threading
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numba
from numba.core.codegen import CPUCodeLibrary, JITCPUCodegen

from linkwork._cache import alone, keep
from linkwork._packed import packed

Function = TypeVar("Function", bound=Callable[..., Any])

# no "nnan", no "ninf": a NaN must stay visible
FAST = {"contract", "afn", "reassoc", "nsz", "arcp"}
_one_thread = threading.RLock()  # threads compile one after the other, as processes do


def kernel(function: Function) -> Function:
    """Compile `function` for use inside other kernels: numbers, tuples and the arrays it is handed, nothing else.

    Whether it is written into its callers is left to the compiler, also where a caller itself is: numba would hand
    that down, and a method would become one function of a hundred thousand instructions.
    """
    return _compile(function, no_cpython_wrapper=True, forceinline=False)


def small(function: Function) -> Function:
    """A kernel always written into its callers: a few lines, whose tuples then stay in registers, or in a hot loop."""
    return _compile(function, no_cpython_wrapper=True, forceinline=True)


def entry(function: Function) -> Function:
    """A kernel that Python calls. Few of these: each gets a Python wrapper, which takes a second to compile.

    It is compiled by one process and kept; the others wait and load what the first has made. So all of them run the
    same machine code, and the same run gives the same bits in each: see `_closed`. Other entries may be compiled by
    other processes meanwhile.

    Finding the compiled types of the arguments takes longer than a step: with the same tables again they are known.
    """
    compiled: Any = _compile(function, no_cpython_wrapper=False, forceinline=False)
    known: tuple[tuple[Any, ...], tuple[Any, ...], Any] = ((), (), None)  # the last arguments, as handed on, their code

    def code_for(kinds: tuple[Any, ...]) -> Any:
        if kinds not in compiled.overloads:
            with _one_thread:
                if kinds not in compiled.overloads:
                    with alone(f"{function.__module__}.{function.__qualname__}"), _closed():
                        compiled.compile(kinds)
        return compiled.overloads[kinds].entry_point

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        nonlocal known
        last, handed, code = known
        if len(arguments) == len(last) and all(map(_same, arguments, last)):
            return code(*[h if a is l else a for a, l, h in zip(arguments, last, handed, strict=True)])
        handed = tuple(map(packed, arguments))
        code = code_for(tuple(map(compiled.typeof_pyval, handed)))
        known = (arguments, handed, code)
        return code(*handed)

    call.compiled = compiled  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def _same(a: Any, b: Any) -> bool:
    """Whether a is of b's compiled type for sure: the same tables, or a number as plain as b."""
    return a is b or (type(a) is type(b) and type(a) in (int, float))


@contextlib.contextmanager
def _closed() -> Iterator[None]:
    """While this lasts entries are compiled as closed pieces of code, each with kernels of its own.

    numba makes a library of every function: optimised by itself, turned into machine code, and linked with all its
    callees into its callers under weak names. So a process that has another entry's copy of a kernel already, or has
    just compiled it alone, runs that copy, which may round in another order. And every level of calls is optimised too.
    Here kernels stay in LLVM's language (kept as that, too), and an entry is optimised and translated once, with its
    kernels inside.
    """
    library, codegen = CPUCodeLibrary, JITCPUCodegen
    optimize, finalize, serialize, set_env = (
        library._optimize_final_module,
        library._finalize_final_module,
        library.serialize_using_object_code,
        codegen.set_env,
    )

    def functions(made: Any) -> list[Any]:
        return [f for f in made._final_module.functions if not f.is_declaration]

    def whole(made: Any) -> bool:
        """It is an entry: Python has a way in, or it comes out of the cache as machine code."""
        loaded = made._object_caching_enabled and made._compiled_object is not None
        return loaded or any(f.name.startswith("_ZN7cpython") for f in functions(made))

    def optimize_entry(made: Any) -> None:
        if whole(made):
            for f in functions(made):
                if f.linkage.name == "linkonce_odr":
                    f.linkage = "internal"
            optimize(made)

    def finalize_entry(made: Any) -> None:
        if whole(made):
            finalize(made)
        else:
            made._finalize_dynamic_globals()
            made._finalized = True

    def as_kept(made: Any) -> Any:
        return serialize(made) if made._compiled else made.serialize_using_bitcode()

    def set_environment(engine: Any, name: str, environment: Any) -> None:
        if engine._engine.get_global_value_address(name):  # kernels have none: they raise nothing
            set_env(engine, name, environment)

    library._optimize_final_module, library._finalize_final_module = optimize_entry, finalize_entry
    library.serialize_using_object_code, codegen.set_env = as_kept, set_environment
    try:
        yield
    finally:
        library._optimize_final_module, library._finalize_final_module = optimize, finalize
        library.serialize_using_object_code, codegen.set_env = serialize, set_env


def written_out(function: Function) -> Function:
    """A long kernel with one caller: written out there, so that it is compiled once."""
    return _compile(function, no_cpython_wrapper=True, inline="always")


def exact(function: Function) -> Function:
    """A small kernel whose sums keep their order, where the rounding of each step counts."""
    return _compile(function, no_cpython_wrapper=True, forceinline=True, fastmath={"contract"})


def _compile(function: Function, **options: Any) -> Function:
    options.setdefault("fastmath", FAST)
    compiled = numba.njit(nogil=True, _nrt=False, error_model="numpy", no_cfunc_wrapper=True, **options)(function)
    keep(compiled, function)
    return compiled  # type: ignore[no-any-return]
