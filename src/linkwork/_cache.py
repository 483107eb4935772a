"""Where compiled kernels are kept, and how: a damaged or missing file is compiled again, never run and never fatal.

numba's cache looks only at a function's own file: a kernel that calls an edited kernel would go on running the
old code. So the folder's name is a hash of every source file that holds kernels or the numbers they use; one edited
line, one new folder. numba's files are also taken as they are: one cut short by a full disk or a power cut would fail
every later run, or be run as machine code. Here each carries a checksum.
"""

from __future__ import annotations

import contextlib
import hashlib
import inspect
import os
import pickle
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile

from linkwork import _file_lock

KERNEL_ROOMS = ("spatial", "mechanics", "numerics", "contact", "formulations")
KEPT_FOLDERS = 3
OUR_FOLDER = "linkwork-kernels"  # inside the folder that the user names: nothing beside it is ours
MARKER = ".compiled-by-linkwork"  # only folders with this file in them are ever removed
FORMAT = "1"  # of the files below


def wanted_root() -> Path | None:
    """Where kernels should be kept, as the user or the system says; None where there is no such place."""
    root = os.environ.get("LINKWORK_CACHE")
    if root:
        return Path(root).absolute() / OUR_FOLDER
    home = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(home) / "linkwork" / OUR_FOLDER if os.path.isabs(home) else None


@lru_cache(maxsize=1)
def cache_folder() -> Path | None:
    """The folder of compiled kernels for these sources; None where there is none that can be used.

    `LINKWORK_CACHE` moves it. What cannot be written but holds these kernels is read; else a folder of this user's
    among the temporary files is taken.
    """
    name = source_hash()
    wanted = wanted_root()
    for root in (wanted, _temporary_root()):
        if root is None:
            continue
        if _writable(root / name):
            _forget_old(root, root / name)
            return root / name
        if root == wanted and (root / name / MARKER).is_file():
            return root / name
    return None


def source_hash() -> str:
    """Sixteen digits that change with every source of a kernel."""
    digest = hashlib.sha256(f"{numba.__version__} {FORMAT}".encode())
    package = Path(__file__).parent
    for file in sorted(package.rglob("*.py")):
        content = file.read_bytes()
        place = file.relative_to(package)
        if place.parts[0] in KERNEL_ROOMS or b"import kernel" in content or place.name in ("_jit.py", "_packed.py"):
            digest.update(place.as_posix().encode())
            digest.update(content)
    return digest.hexdigest()[:16]


def cold(module: str) -> bool:
    """True while the `run` of this method's module has not been compiled and kept: its next run has to wait for it."""
    folder = cache_folder()
    room, _, file = module.rpartition(".")
    return folder is None or not any((folder / room).glob(f"{file}.run-*.nbi"))


def _temporary_root() -> Path | None:
    """A folder of this user's among the temporary files, which nobody else can have put there."""
    user = str(os.getuid()) if hasattr(os, "getuid") else "me"
    root = Path(tempfile.gettempdir()) / f"{OUR_FOLDER}-{user}"
    try:
        root.mkdir(mode=0o700, exist_ok=True)
        found = root.lstat()
    except OSError:
        return None
    if not hasattr(os, "getuid"):  # Windows, where each user has temporary files of his own
        return root if stat.S_ISDIR(found.st_mode) else None
    ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
    return root if ours and not found.st_mode & 0o022 else None


def _writable(folder: Path) -> bool:
    """Make the folder with our mark; False where that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MARKER).touch()
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


def _forget_old(root: Path, present: Path) -> None:
    """Remove all but the newest folders of other sources; only what carries our mark."""
    with contextlib.suppress(OSError):
        others = [f for f in root.iterdir() if f != present and not f.is_symlink() and (f / MARKER).is_file()]
        others.sort(key=lambda f: f.stat().st_mtime, reverse=True)
        for old in others[KEPT_FOLDERS - 1 :]:
            shutil.rmtree(old, ignore_errors=True)


@contextlib.contextmanager
def alone(what: str) -> Iterator[None]:
    """While this lasts no other process is busy with `what`; where files cannot be locked it is done without."""
    with contextlib.ExitStack() as held:
        folder = cache_folder()
        if folder is not None:
            with contextlib.suppress(OSError):
                file = held.enter_context(open(folder / f"{what}.lock", "w"))
                _file_lock.lock(file.fileno(), wait=True)
                held.callback(_file_lock.unlock, file.fileno())
        yield


class _Files(IndexDataCacheFile):  # type: ignore[misc]
    """numba's two files for each function, an index and the code, each behind a checksum."""

    def _load_index(self) -> dict[Any, Any]:
        found = _read(self._index_path)
        if found is None or found[0] != self._source_stamp:
            return {}
        return found[1]  # type: ignore[no-any-return]

    def _save_index(self, overloads: dict[Any, Any]) -> None:
        _write(self._index_path, self._dump((self._source_stamp, overloads)))

    def _load_data(self, name: str) -> Any:
        found = _read(self._data_path(name))
        if found is None:
            raise OSError(f"{name} is damaged")
        return found

    def _save_data(self, name: str, data: Any) -> None:
        _write(self._data_path(name), self._dump(data))


def _read(path: str) -> Any:
    """What a file holds; None where it is missing or is not what was written."""
    try:
        content = Path(path).read_bytes()
    except OSError:
        return None
    if hashlib.sha256(content[32:]).digest() != content[:32]:
        return None
    return pickle.loads(content[32:])


def _write(path: str, content: bytes) -> None:
    """At once under its name: another process may look for it, and this one may be stopped."""
    unfinished = f"{path}.{os.getpid()}.tmp"
    try:
        Path(unfinished).write_bytes(hashlib.sha256(content).digest() + content)
        os.replace(unfinished, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(unfinished)
        raise


class _Place:
    """Where the files of one function lie: by its module, so that a package that was moved finds them."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._py_file = file
        self._line = function.__code__.co_firstlineno
        folder = cache_folder()
        assert folder is not None
        self._path = folder / function.__module__.rpartition(".")[0]

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> _Place:
        return cls(function, file)

    def ensure_cache_path(self) -> None:
        self._path.mkdir(exist_ok=True)

    def get_cache_path(self) -> str:
        return str(self._path)

    def get_source_stamp(self) -> str:
        return hashlib.sha256(Path(self._py_file).read_bytes()).hexdigest()

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Kept(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes: ClassVar[list[Any]] = [_Place]


class KernelCache(FunctionCache):  # type: ignore[misc]
    """The kept code of one function. Whatever is wrong with its files is a miss; what cannot be kept is not."""

    _impl_class = _Kept

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file: Any = _Files(
            self._cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp()
        )

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        # kept one at a time: two processes with the same kernel for different arguments would take the same file
        with contextlib.suppress(OSError), alone("keeping"):
            super().save_overload(sig, data)


def keep(compiled: Any, function: Callable[..., Any]) -> None:
    """Let numba keep what it compiles of this function, where there is a place for it."""
    if cache_folder() is not None and os.path.isfile(inspect.getfile(function)):
        compiled._cache = KernelCache(function)
