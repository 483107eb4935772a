"""Libraries for other systems: LLVM writes object files of each system's kind, zig links them, wheels carry a tag."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from linkwork._kernels import build, cpu, targets
from linkwork._kernels.build import Variant

ROOT = Path(__file__).parents[2]
# first bytes of object files: ELF, COFF for x86-64, Mach-O of 64 bits
FIRST = {"linux": b"\x7fELF", "win32": b"\x64\x86", "darwin": b"\xcf\xfa\xed\xfe"}
LIBRARY = {"linux": b"\x7fELF", "win32": b"MZ", "darwin": b"\xcf\xfa\xed\xfe"}


def test_this_system_is_among_them_or_stands_for_itself():
    own = targets.target(cpu.system_name())
    assert own.suffix in (".so", ".dylib", ".dll")
    assert targets.target("plan9-mips").triple == ""


@pytest.mark.parametrize("system", targets.TARGETS)
def test_object_files_are_of_the_kind_of_the_system(system, tmp_path):
    for level in targets.TARGETS[system].levels:
        file = build._manifest_object({"level": level}, Variant(system, level), str(tmp_path))
        content = file.read_bytes()
        assert content.startswith(FIRST[system.partition("-")[0]])
        assert f'{{"level": "{level}"}}'.encode() in content


@pytest.mark.parametrize("system", targets.TARGETS)
def test_zig_links_for_the_system(system, tmp_path):
    if not targets._works(targets.ZIG):
        pytest.skip("no zig: pip install ziglang")
    if system.startswith("win32"):
        pytest.skip("zig builds the C library of Windows first, minutes long")
    goal = Variant(system, targets.TARGETS[system].levels[0])
    made = build._manifest_object({"level": goal.level}, goal, str(tmp_path))
    file = tmp_path / goal.name
    targets.link(targets.linker(system), system, [made], file)
    assert file.read_bytes().startswith(LIBRARY[system.partition("-")[0]])


def test_without_zig_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setattr(targets, "_works", lambda command: False)
    other = next(system for system in targets.TARGETS if system != cpu.system_name())
    with pytest.raises(targets.NoLinker, match="pip install ziglang"):
        targets.linker(other)


def test_levels_that_are_built():
    own, other = cpu.system_name(), "darwin-x86_64"
    assert build._levels(own, None) == cpu.levels()[:1]
    assert build._levels(own, ["all"]) == targets.target(own).levels
    assert build._levels(other, None) == ("x86-64-v2", "x86-64-v3")
    assert build._levels(other, ["x86-64-v4"]) == ("x86-64-v4",)


def test_an_unknown_system_is_refused():
    done = subprocess.run(
        [sys.executable, "-m", "linkwork._kernels.build", "--system", "plan9-mips"], capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "there is no system 'plan9-mips'" in done.stderr


def test_every_system_has_a_tag_for_wheels():
    pytest.importorskip("hatchling")
    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    hatch_build = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hatch_build)
    assert hatch_build.TAGS.keys() == targets.TARGETS.keys()
    assert "numba" not in " ".join(hatch_build.dependencies("linux-x86_64"))
    assert "numpy>=2" in hatch_build.dependencies("win32-x86_64")
    assert any(word.startswith("numba") for word in hatch_build.dependencies(""))


def test_the_builder_is_a_program_of_its_own() -> None:
    """It imports the rooms in another order than linkwork does."""
    command = [sys.executable, "-m", "linkwork._kernels.build", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
