"""Small FMUs for the tests, compiled from `small.c`, and archives with what strangers may write."""

import functools
import subprocess
import tempfile
import zipfile
from pathlib import Path

import pytest

from linkwork._kernels import cpu
from linkwork._kernels.targets import NoLinker, linker
from linkwork.formats.fmi.standard import PLATFORMS

CAN = 'canGetAndSetFMUstate="true" canSerializeFMUstate="true"'
FIXED, DISCRETE = ("parameter", "fixed"), "discrete"
TABLE = (  # name, causality, variability, type and start; the value reference is the place
    ("u", "input", "continuous", 'Real start="0"'),
    ("v", "input", "continuous", 'Real start="0"'),
    ("force", "output", "continuous", "Real"),
    ("gain", *FIXED, 'Real start="10"'),
    ("damping", *FIXED, 'Real start="1"'),
    ("target", "input", "continuous", 'Real start="0"'),
    ("rate", *FIXED, 'Real start="0"'),
    ("whole", "output", DISCRETE, "Integer"),
    ("on", "input", DISCRETE, 'Boolean start="true"'),
    ("text", *FIXED, 'String start=""'),
    ("word", "output", DISCRETE, "String"),
)
VARIABLES = "".join(
    f'<ScalarVariable name="{name}" valueReference="{k}" causality="{causality}" variability="{variability}">'
    f"<{kind}/></ScalarVariable>"
    for k, (name, causality, variability, kind) in enumerate(TABLE)
)


@functools.cache
def binary(*macros):
    """The compiled FMU; skips where nothing compiles."""
    try:
        command = linker(cpu.system_name())
    except NoLinker as error:
        pytest.skip(str(error))
    file = Path(tempfile.mkdtemp()) / "small.so"
    source = Path(__file__).parent / "small.c"
    flags = [f"-D{macro}" for macro in macros]
    done = subprocess.run([*command, "-shared", "-fPIC", "-O1", *flags, "-o", file, source, "-lm"], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    return file.read_bytes()


def description(
    *,
    version="2.0",
    guid="small",
    can=CAN,
    variables=VARIABLES,
    kinds=("CoSimulation", "ModelExchange"),
    states=1,
    indicators=None,
    more="",
):
    """modelDescription.xml of the small FMU."""
    tags = "".join(f'<{kind} modelIdentifier="small" {can}/>' for kind in kinds)
    indicators = states - 1 if indicators is None else indicators
    unknowns = '<Unknown index="1"/>' * states
    return (
        f'<?xml version="1.0"?>{more}<fmiModelDescription fmiVersion="{version}" modelName="small" guid="{guid}" '
        f'numberOfEventIndicators="{indicators}">{tags}<ModelVariables>{variables}</ModelVariables>'
        f"<ModelStructure><Derivatives>{unknowns}</Derivatives></ModelStructure></fmiModelDescription>"
    )


def folder(version=2):
    """Where the binary of this platform is."""
    return f"binaries/{PLATFORMS[cpu.system_name()][version - 2]}"


def members_for(version, content=b"no library"):
    """The binary of this platform as a member of an archive."""
    ending = {"linux": "so", "win32": "dll", "darwin": "dylib"}[cpu.system_name().split("-")[0]]
    return {f"{folder(version)}/small.{ending}": content}


def archive(path, members):
    """A zip archive with these members."""
    with zipfile.ZipFile(path, "w") as target:
        for name, content in members.items():
            target.writestr(name, content)
    return path


def small_fmu(path, *macros, members=None, **options):
    """The small FMU as a file."""
    inside = {"modelDescription.xml": description(**options), **members_for(2, binary(*macros))}
    return archive(path, inside | (members or {}))
