"""The `@kernel` decorator and its variants, and the folder in which compiled kernels are kept.

numba's cache looks only at a function's own file: a kernel that calls an edited kernel would go on running the
old code. So the folder's name is a hash of every source file that holds kernels or the numbers they use; one edited
line, one new folder.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core.caching import IndexDataCacheFile
from numba.core.codegen import CPUCodeLibrary, JITCPUCodegen

try:
    import fcntl
except ImportError:  # not on Windows
    fcntl = None  # type: ignore[assignment]

Function = TypeVar("Function", bound=Callable[..., Any])

# no "nnan", no "ninf": a NaN must stay visible
FAST = {"contract", "afn", "reassoc", "nsz", "arcp"}
KERNEL_ROOMS = ("spatial", "mechanics", "numerics", "contact", "formulations")
KEPT_FOLDERS = 3
_one_thread = threading.RLock()  # threads compile one after the other, as processes do


@lru_cache(maxsize=1)
def cache_folder() -> Path:
    """The folder of compiled kernels; `LINKWORK_CACHE` moves it."""
    root = os.environ.get("LINKWORK_CACHE")
    if not root:
        root = os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "linkwork")
    return Path(root) / _source_hash()


def _source_hash() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    package = Path(__file__).parent
    for file in sorted(package.rglob("*.py")):
        content = file.read_bytes()
        if file.parent.name in KERNEL_ROOMS or b"import kernel" in content:
            digest.update(file.relative_to(package).as_posix().encode())
            digest.update(content)
    return digest.hexdigest()[:16]


def cold(method: str) -> bool:
    """True while the loop of this method has not been compiled and kept: its next run will have to wait for it."""
    return not any(cache_folder().rglob(f"{method.replace('-', '_')}*.run-*.nbi"))


@lru_cache(maxsize=1)
def _prepared_folder() -> str:
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        others = [f for f in folder.parent.iterdir() if f.is_dir() and f != folder]
        others.sort(key=lambda f: f.stat().st_mtime, reverse=True)
        for old in others[KEPT_FOLDERS - 1 :]:
            shutil.rmtree(old, ignore_errors=True)
    except OSError:
        return ""  # a read-only home: numba falls back on its own places
    return str(folder)


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
    """A kernel that Python calls. Few of these: each unpacks its tables anew, which takes a second to compile.

    It is compiled by one process and kept; the others wait and load what the first has made. So all of them run the
    same machine code, and the same run gives the same bits in each: see `_closed`. Other entries may be compiled by
    other processes meanwhile.

    To find the compiled type of hundreds of arrays takes longer than a step: with the same tables again it is known.
    """
    compiled: Any = _compile(function, no_cpython_wrapper=False, forceinline=False)
    ready = False
    only: Any = None  # the first code, mostly the only one: to find it among others takes milliseconds
    known: tuple[tuple[Any, ...], Any] = ((), None)  # the last arguments and the code for their types, read at once

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        nonlocal ready, only, known
        last, code = known
        if len(arguments) == len(last) and all(map(_same, arguments, last)):
            if code is None:
                code = only if len(compiled.overloads) == 1 else None
                code = code or compiled.overloads[tuple(map(compiled.typeof_pyval, arguments))].entry_point
                known = (last, code)
            return code(*arguments)
        if not ready:
            with _one_thread:
                if not ready:
                    with _alone(f"{function.__module__}.{function.__qualname__}"), _closed():
                        compiled.compile(tuple(map(compiled.typeof_pyval, arguments)))
                    only = next(iter(compiled.overloads.values())).entry_point
                    ready = True
        result = compiled(*arguments)
        known = (arguments, None)
        return result

    call.compiled = compiled  # type: ignore[attr-defined]
    return call  # type: ignore[return-value]


def _same(a: Any, b: Any) -> bool:
    """Whether a is of b's compiled type for sure: the same tables, or a number as plain as b."""
    return a is b or (type(a) is type(b) and type(a) in (int, float))


@contextlib.contextmanager
def _alone(what: str) -> Iterator[None]:
    """While this lasts no other process is busy with `what`; where files cannot be locked it is done without."""
    folder = _prepared_folder()
    if not folder or fcntl is None:
        yield
        return
    with open(Path(folder) / f"{what}.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(file, fcntl.LOCK_UN)


@contextlib.contextmanager
def _closed() -> Iterator[None]:
    """While this lasts entries are compiled as closed pieces of code, each with kernels of its own.

    numba makes a library of every function: optimised by itself, turned into machine code, and linked with all its
    callees into its callers under weak names. So a process that has another entry's copy of a kernel already, or has
    just compiled it alone, runs that copy, which may round in another order. And every level of calls is optimised too.
    Here kernels stay in LLVM's language (kept as that, too), and an entry is optimised and translated once, with its
    kernels inside. The kernels themselves are kept one at a time: two processes that keep the same kernel for
    different arguments would otherwise take the same file for it.
    """
    library, codegen, kept = CPUCodeLibrary, JITCPUCodegen, IndexDataCacheFile
    optimize, finalize, serialize, set_env = (
        library._optimize_final_module,
        library._finalize_final_module,
        library.serialize_using_object_code,
        codegen.set_env,
    )
    save = kept.save

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

    def keep(made: Any) -> Any:
        return serialize(made) if made._compiled else made.serialize_using_bitcode()

    def save_alone(file: Any, key: Any, data: Any) -> None:
        with _alone("keeping"):
            save(file, key, data)

    def set_environment(engine: Any, name: str, environment: Any) -> None:
        if engine._engine.get_global_value_address(name):  # kernels have none: they raise nothing
            set_env(engine, name, environment)

    library._optimize_final_module, library._finalize_final_module = optimize_entry, finalize_entry
    library.serialize_using_object_code, codegen.set_env = keep, set_environment
    kept.save = save_alone
    try:
        yield
    finally:
        library._optimize_final_module, library._finalize_final_module = optimize, finalize
        library.serialize_using_object_code, codegen.set_env = serialize, set_env
        kept.save = save


def written_out(function: Function) -> Function:
    """A long kernel with one caller: written out there, so that it is compiled once."""
    return _compile(function, no_cpython_wrapper=True, inline="always")


def exact(function: Function) -> Function:
    """A small kernel whose sums keep their order, where the rounding of each step counts."""
    return _compile(function, no_cpython_wrapper=True, forceinline=True, fastmath={"contract"})


def _compile(function: Function, **options: Any) -> Function:
    options.setdefault("fastmath", FAST)
    kept = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = _prepared_folder()
    try:
        return numba.njit(  # type: ignore[no-any-return]
            cache=True, nogil=True, _nrt=False, error_model="numpy", no_cfunc_wrapper=True, **options
        )(function)
    finally:
        numba.config.CACHE_DIR = kept
