"""Where code that was compiled on this machine is kept: a damaged or missing file is compiled again, never run.

The folder's name is a hash of every source file that holds kernels or the numbers they use; one edited line, one new
folder. Each file carries a checksum, for it may be cut short by a full disk or a power cut.
"""

from __future__ import annotations

import contextlib
import glob
import hashlib
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from linkwork import _file_lock

PACKAGE = Path(__file__).parents[1]
MAKER_NAMES = (
    "checked",
    "compiler",
    "dual_types",
    "duals",
    "kernel",
    "machine",
    "numba_types",
    "packing",
    "vectors",
)
MAKERS = ("_jit.py", *(f"_kernels/{name}.py" for name in MAKER_NAMES))
KERNEL_ROOMS = ("spatial", "mechanics", "numerics", "contact", "formulations")
KEPT_FOLDERS = 3
OUR_FOLDER = "linkwork-kernels"  # inside the folder that the user names: nothing beside it is ours
MARKER = ".compiled-by-linkwork"  # only folders with this file in them are ever removed


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
    digest = hashlib.sha256()
    for room in KERNEL_ROOMS:
        for file in sorted((PACKAGE / room).rglob("*.py")):
            digest.update(file.relative_to(PACKAGE).as_posix().encode())
            digest.update(file.read_bytes())
    for name in MAKERS:
        digest.update((PACKAGE / name).read_bytes())
    return digest.hexdigest()[:16]


def has(entry: str) -> bool:
    """Whether an entry was compiled and kept: it is at hand, unless its arguments or this machine have changed."""
    folder = cache_folder()
    return folder is not None and any(folder.glob(f"{glob.escape(entry)}-*.o"))


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


def being_compiled() -> list[str]:
    """Entries that some process is busy with now."""
    folder, busy = cache_folder(), []
    for file in sorted(folder.glob("*.lock")) if folder is not None else []:
        with contextlib.suppress(OSError), open(file, "rb") as handle:
            if _file_lock.lock(handle.fileno(), wait=False):
                _file_lock.unlock(handle.fileno())
            else:
                busy.append(file.stem)
    return busy


def read(name: str) -> tuple[Any, bytes] | None:
    """What an entry returns, and its object code; None where the file is missing or is not what was written."""
    folder = cache_folder()
    if folder is None:
        return None
    try:
        content = (folder / name).read_bytes()
    except OSError:
        return None
    if hashlib.sha256(content[32:]).digest() != content[:32]:
        return None
    head, _, code = content[32:].partition(b"\n")
    return json.loads(head), code


def write(name: str, results: Any, code: bytes) -> None:
    """Keep it, at once under its name: another process may look for it, and this one may be stopped."""
    folder = cache_folder()
    if folder is None:
        return
    content = json.dumps(results).encode() + b"\n" + code
    unfinished = folder / f"{name}.{os.getpid()}.tmp"
    try:
        unfinished.write_bytes(hashlib.sha256(content).digest() + content)
        os.replace(unfinished, folder / name)
    except OSError:  # a full disk, for example: compiled again next time
        with contextlib.suppress(OSError):
            unfinished.unlink()
