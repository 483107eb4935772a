"""The archive of an FMU, from strangers: names, sizes and kinds of its members are checked before anything is written.

Only the binaries of this platform and the resources are unpacked, into a private folder that is removed at the end.
"""

from __future__ import annotations

import atexit
import hashlib
import io
import os
import posixpath
import shutil
import stat
import tempfile
import threading
import zipfile
import zlib
from pathlib import Path

from linkwork._kernels import cpu
from linkwork.errors import ModelError
from linkwork.formats.fmi.standard import PLATFORMS
from linkwork.formats.receipt import printable
from linkwork.formats.sources import read_bytes

MEMBERS = 20_000  # of an archive
UNPACKED = 2 * 1024**3  # bytes
DESCRIPTION = 256 * 1024**2  # bytes of modelDescription.xml
ENDINGS = {"linux": ".so", "win32": ".dll", "darwin": ".dylib"}
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError, KeyError)


class FMUFile:
    """The archive of an FMU whose members were checked."""

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, printable(path.name[:120])
        self.content = read_bytes(path, "an FMU")
        self.digest = hashlib.sha256(self.content).hexdigest()
        try:
            self.archive = zipfile.ZipFile(io.BytesIO(self.content))
        except BROKEN:
            raise ModelError(f"{self.name}: it is no zip archive, as an FMU must be; give the path of an FMU") from None
        self.members = self._checked()

    def _checked(self) -> dict[str, zipfile.ZipInfo]:
        found: dict[str, zipfile.ZipInfo] = {}
        infos = self.archive.infolist()
        if len(infos) > MEMBERS or sum(info.file_size for info in infos) > UNPACKED:
            raise ModelError(f"{self.name}: it has too many or too large files to unpack; give another FMU")
        for info in infos:
            # zipfile cuts names at a zero; the original one is looked at, too
            for name in (info.filename, info.orig_filename):
                steps = name.replace("\\", "/").split("/")
                if name.startswith(("/", "\\")) or ".." in steps or ":" in name or not name.isprintable():
                    raise ModelError(
                        f"{self.name}: its file '{printable(name[:60])}' would be written outside its folder; "
                        "do not trust this FMU"
                    )
            if stat.S_ISLNK(info.external_attr >> 16):
                told = printable(info.filename[:60])
                raise ModelError(f"{self.name}: its file '{told}' is a link to another file; do not trust this FMU")
            if info.is_dir():
                continue  # some tools list one again for each file in it
            if info.filename in found:
                told = printable(info.filename[:60])
                raise ModelError(f"{self.name}: it has the file '{told}' twice; do not trust this FMU")
            found[info.filename] = info
        return found

    def read(self, member: str) -> bytes:
        """The content of a member."""
        try:
            return self.archive.read(self.members[member])
        except BROKEN:
            raise ModelError(f"{self.name}: its file '{printable(member)}' is damaged; get the FMU again") from None

    def description(self) -> bytes:
        """The text of modelDescription.xml."""
        info = self.members.get("modelDescription.xml")
        if info is None:
            raise ModelError(f"{self.name}: it has no modelDescription.xml; give the path of an FMU")
        if info.file_size > DESCRIPTION:
            raise ModelError(f"{self.name}: its modelDescription.xml is too large to read; give another FMU")
        return self.read("modelDescription.xml")

    def binary(self, identifier: str, version: int) -> str:
        """The member with the binary for this machine, or a refusal that says which there are."""
        system = cpu.system_name()
        folder = PLATFORMS[system][version - 2] if system in PLATFORMS else system
        wanted = f"binaries/{folder}/{identifier}{ENDINGS[system.split('-')[0]]}"
        if wanted in self.members:
            return wanted
        there = sorted(
            {name.split("/")[1] for name in self.members if name.startswith("binaries/") and name[-1] != "/"}
        )
        told = f"it has {', '.join(map(printable, there[:6]))}" if there else "it has none"
        if any(name.startswith("sources/") for name in self.members):
            told += ", and sources that its maker can compile"
        raise ModelError(f"{self.name}: it has no binary for {folder} ({told}); ask its maker for one for this system")

    def unpack(self, binary: str, folder: Path) -> None:
        """Write the binaries of this platform and the resources into a folder."""
        (folder / "resources").mkdir()
        kept = (posixpath.dirname(binary) + "/", "resources/")
        for name, info in self.members.items():
            if not name.startswith(kept) or info.is_dir():
                continue
            target = folder.joinpath(*name.split("/"))
            try:
                target.parent.mkdir(parents=True, exist_ok=True)
                with self.archive.open(info) as source, target.open("xb") as copy:
                    shutil.copyfileobj(source, copy)
            except BROKEN:
                raise ModelError(
                    f"{self.name}: its file '{printable(name[:60])}' cannot be unpacked; get the FMU again"
                ) from None


_LOCK = threading.Lock()
_FOLDERS: dict[str, Path] = {}


def unpacked(path: Path, digest: str, binary: str) -> Path:
    """The private folder of an FMU, made when it is first asked for and removed when this process ends."""
    with _LOCK:
        if digest not in _FOLDERS:
            file = FMUFile(path)
            if file.digest != digest:
                raise ModelError(f"{file.name}: it has changed since it was read; make a new lw.FMU")
            folder = Path(tempfile.mkdtemp(prefix="linkwork-fmu-"))
            atexit.register(_remove, folder, os.getpid())
            file.unpack(binary, folder)
            _FOLDERS[digest] = folder
        return _FOLDERS[digest]


def _remove(folder: Path, process: int) -> None:
    if os.getpid() == process:  # not in a process that was forked from it
        shutil.rmtree(folder, ignore_errors=True)
