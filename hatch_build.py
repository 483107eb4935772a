"""What the package depends on; the 3D page in wheels; the wheel with the library of kernels: `make wheel` asks for it.

Such a wheel is for one system and needs no compiler: numba is an extra there. Everything else, an editable checkout
for example, compiles kernels with numba. `LINKWORK_PLATFORM_WHEEL` says which system: "linux-aarch64" for example, or
"1" for this one.
"""

from __future__ import annotations

import importlib
import os
import platform
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

# No upper pins: numba itself says which numpy it can take, and pip follows it.
CORE = ["numpy>=1.26", "scipy>=1.11", "typer>=0.16", "rich>=13", "pydantic>=2.6"]
COMPILER = ["numba>=0.61"]
LIBRARIES = Path("src/linkwork/_kernels/lib")
# machines that can use a library; on Linux those with glibc 2.29, the oldest that has its functions
TAGS = {
    "linux-x86_64": "manylinux_2_29_x86_64",
    "linux-aarch64": "manylinux_2_29_aarch64",
    "win32-x86_64": "win_amd64",
    "darwin-aarch64": "macosx_11_0_arm64",
    "darwin-x86_64": "macosx_10_15_x86_64",
}


def wheel_system() -> str:
    """The system of the wheel with the library; "" where no such wheel is asked for."""
    asked = os.environ.get("LINKWORK_PLATFORM_WHEEL", "")
    if asked != "1":
        return asked
    machine = platform.machine().lower()
    return f"{sys.platform}-{ {'amd64': 'x86_64', 'arm64': 'aarch64'}.get(machine, machine) }"


def dependencies(system: str) -> list[str]:
    """What the package needs; before numpy 2 whole numbers had 32 bits on Windows, which no library is built for."""
    if not system:
        return [*CORE, *COMPILER]
    return [*CORE, "numpy>=2"] if system.startswith("win32") else CORE


class Dependencies(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        metadata["dependencies"] = dependencies(wheel_system())


def add_page(root: str, build_data: dict[str, Any]) -> None:
    """Put the bundle of the 3D page into the wheel; where it cannot be built, a line says so."""
    sys.path.insert(0, str(Path(root) / "src"))
    page_bundle = importlib.import_module("linkwork.viewer.page_bundle")
    try:
        page_bundle.make_bundle()
    except ValueError as error:
        print(f"note: the wheel has no 3D page: {error}", file=sys.stderr)
        return
    for name in (*page_bundle.MADE, page_bundle.STAMP):
        build_data["force_include"][str(page_bundle.BUILT / name)] = f"linkwork/viewer/page/built/{name}"


class Kernels(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "editable":
            add_page(self.root, build_data)
        system = wheel_system()
        if not system:
            return
        if system not in TAGS:
            raise SystemExit(f"there are no wheels for {system}; there are for {', '.join(TAGS)}")
        folder = Path(self.root) / LIBRARIES
        libraries = [*folder.glob(f"linkwork_kernels-{system}-*"), *folder.glob(f"linkwork_slopes-{system}-*")]
        files = [file for file in sorted(libraries) if file.suffix != ".tmp"]
        if not files:
            raise SystemExit(f"there is no library of kernels for {system} in {LIBRARIES}; call make kernels first")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{TAGS[system]}"
        of_fmi = folder.glob(f"linkwork_fmi-{system}-*")
        for file in (*files, *of_fmi, folder / "linkwork_kernels.h"):
            build_data["force_include"][str(file)] = f"linkwork/_kernels/lib/{file.name}"
