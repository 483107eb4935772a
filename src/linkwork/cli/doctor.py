"""`linkwork doctor`: what runs here, what does not, and what to install."""

from __future__ import annotations

import platform
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import typer

from linkwork._version import __version__
from linkwork.cli.app import AsJson, app
from linkwork.cli.console import FAILED, print_json, say, speaking

NEEDED = ("numpy", "scipy")
ALSO = ("numba",)  # told where it is installed


class Extra(NamedTuple):
    """Something that needs packages of its own, and the extra of linkwork that brings them."""

    extra: str
    packages: tuple[str, ...]


EXTRAS = {
    "plots": Extra("plot", ("matplotlib",)),
    "live page": Extra("view", ("websockets",)),
    "films": Extra("film", ("pillow", "imageio-ffmpeg")),
    "HDF5 files": Extra("hdf5", ("h5py",)),
    "concave meshes": Extra("mesh", ("coacd",)),
    "MPI": Extra("mpi", ("mpi4py",)),
    "compiled laws": Extra("laws", ("numba",)),
}
INSTEAD = {"imageio-ffmpeg": "ffmpeg"}  # packages that a program of the system replaces


@app.command()
def doctor(as_json: AsJson = False) -> None:
    """Report what runs here: code of the kernels, versions, cache, extras. Exit code 1 if nothing can be simulated."""
    with speaking(as_json):
        facts = findings()
        if as_json:
            print_json(facts)
        else:
            for line in _lines(facts):
                typer.echo(line)
        if facts["problem"]:
            say(facts["problem"])
            raise typer.Exit(FAILED)


def findings() -> dict[str, Any]:
    """What was found, as it goes into the JSON document."""
    from linkwork.cli.code_facts import code_facts

    kernels = code_facts()
    versions = {"linkwork": __version__, "python": platform.python_version()}
    versions |= {name: found for name in (*NEEDED, *ALSO) if (found := _version(name)) is not None}
    missing = [name for name in NEEDED if name not in versions]
    lacking = f"{' and '.join(missing)} cannot be found; pip install {' '.join(missing)}" if missing else ""
    problem = lacking or kernels.problem
    return {
        "ready": not problem,
        "problem": problem,
        "kernels": kernels.code,
        "cache": {"folder": kernels.folder and str(kernels.folder), "bytes": kernels.size},
        "versions": versions,
        "machine": f"{platform.system()} {platform.machine()}",
        "place": str(Path(__file__).parents[1]),
        "extras": {name: _state(extra) for name, extra in EXTRAS.items()},
    }


def _state(extra: Extra) -> dict[str, Any]:
    """Whether all packages of an extra are there."""
    found = {name: _version(name) or _program(name) for name in extra.packages}
    usable = None not in found.values()
    return {"usable": usable, "packages": found, "install": f'pip install "linkwork[{extra.extra}]"'}


def _version(package: str) -> str | None:
    """The version of an installed package, found without importing it."""
    from importlib import metadata  # here, because it takes a while

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _program(package: str) -> str | None:
    """The program of the system that does the same."""
    return shutil.which(INSTEAD[package]) if package in INSTEAD else None


def _lines(facts: dict[str, Any]) -> list[str]:
    """The same for people."""
    cache = facts["cache"]
    kept = f"{cache['folder']}, {cache['bytes'] / 1e6:.1f} MB" if cache["folder"] else "no folder can be written"
    lines = [
        ", ".join(f"{name} {found}" for name, found in facts["versions"].items()),
        f"{'machine':<16}{facts['machine']}",
        f"{'installed in':<16}{facts['place']}",
        f"{'kernels':<16}{facts['kernels']}",
        f"{'cache':<16}{kept}",
    ]
    for name, state in facts["extras"].items():
        there = ", ".join(f"{package} {found}" for package, found in state["packages"].items() if found)
        lines.append(f"{name:<16}{f'yes, {there}' if state['usable'] else 'no: ' + state['install']}")
    if facts["ready"]:
        lines.append("simulations can run")
    return lines
