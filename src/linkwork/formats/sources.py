"""Files from strangers: bounded size, no devices, and no paths out of the folder unless allowed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from linkwork.errors import ModelError

LARGEST = 512 * 1024 * 1024  # bytes of one file


def read_bytes(path: Path, wanted: str, largest: int = LARGEST) -> bytes:
    """The content of a file; `wanted` says in errors what it should be, such as "an XML file"."""
    what = str(path) if str(path).isprintable() else repr(str(path))
    try:
        if path.is_dir():
            raise ModelError(f"{what}: is a folder; give the path of {wanted}")
        if path.exists() and not path.is_file():
            raise ModelError(f"{what}: is a device and no file; give the path of {wanted}")
        size = path.stat().st_size
        if size > largest:
            raise ModelError(f"{what}: has {size / 1e6:.0f} MB, more than the {largest / 1e6:.0f} MB a file may have")
        return path.read_bytes()
    except OSError as error:
        raise ModelError(f"{what}: cannot be read ({error.strerror}); give the path of {wanted}") from None
    except ValueError as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError(f"{what}: cannot be the name of a file ({error}); give the path of {wanted}") from None


def inside(path: Path, folders: Sequence[Path], what: str) -> Path:
    """The path, made whole, if it lies in one of the folders; `what` names who refers to it.

    >>> inside(Path("a/../../secret.stl"), [Path("a")], "line 3")
    Traceback (most recent call last):
    linkwork.errors.ModelError: line 3: the file 'secret.stl' lies outside the folder of the model; give allow=... a ...
    """
    try:
        whole = path.resolve()
        if any(whole.is_relative_to(folder.resolve()) for folder in folders):
            return whole
    except (OSError, ValueError, RuntimeError):
        raise ModelError(f"{what}: '{str(path)[:80]!r}' cannot be the name of a file; correct it") from None
    raise ModelError(
        f"{what}: the file '{whole.name[:80]}' lies outside the folder of the model; give allow=[...] a folder that "
        "holds it, if you trust this file"
    )
