"""What the package depends on, and the wheel with the library of kernels, which `make wheel` asks for.

Such a wheel is for one kind of machine and needs no compiler: numba is an extra there. Everything else, an editable
checkout for example, compiles kernels with numba.
"""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

# No upper pins: numba itself says which numpy it can take, and pip follows it.
CORE = ["numpy>=1.26", "scipy>=1.11", "typer>=0.16", "rich>=13"]
COMPILER = ["numba>=0.61"]
LIBRARIES = Path("src/linkwork/_kernels/lib")


def platform_wheel() -> bool:
    return os.environ.get("LINKWORK_PLATFORM_WHEEL") == "1"


class Dependencies(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        metadata["dependencies"] = CORE if platform_wheel() else [*CORE, *COMPILER]


class Kernels(BuildHookInterface):  # type: ignore[type-arg]
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if not platform_wheel():
            return
        files = sorted((Path(self.root) / LIBRARIES).glob("linkwork_kernels*"))
        if not any(file.suffix in (".so", ".dylib", ".dll") for file in files):
            raise SystemExit("there is no library of kernels to put into the wheel; call make kernels first")
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{_tag()}"
        for file in files:
            build_data["force_include"][str(file)] = f"linkwork/_kernels/lib/{file.name}"


def _tag() -> str:
    """The machines that can use the library: on Linux those with glibc 2.29, the oldest that has its functions."""
    machine = platform.machine().lower()
    if sys.platform == "linux":
        return f"manylinux_2_29_{machine}"
    if sys.platform == "darwin":
        return "macosx_11_0_arm64" if machine == "arm64" else "macosx_10_15_x86_64"
    return "win_amd64" if machine in ("amd64", "x86_64") else f"win_{machine}"
