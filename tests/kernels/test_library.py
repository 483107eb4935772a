"""The library of kernels: it is used where it fits; where it does not, one line says why and kernels are compiled."""

import ctypes
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import linkwork as lw
from linkwork._kernels import code_lookup, collect, cpu, library, prepare, store
from linkwork._kernels.duals import WITH_SLOPES
from linkwork._kernels.library import Library, Refused, file_name

FOUND = library.library()
needs_library = pytest.mark.skipif(
    not isinstance(FOUND, Library), reason="no library of kernels; make kernels builds it"
)


@pytest.fixture
def look(monkeypatch, tmp_path):
    """Look for a library in a folder of our own."""

    def call():
        monkeypatch.setenv("LINKWORK_KERNELS", str(tmp_path))
        return library.library.__wrapped__()

    return call


def test_no_library(look, tmp_path):
    found = look()
    assert isinstance(found, Refused)
    assert str(tmp_path) in found.reason


def test_it_can_be_left_aside(monkeypatch):
    monkeypatch.setenv("LINKWORK_KERNELS", "compile")
    found = library.library.__wrapped__()
    assert isinstance(found, Refused)
    assert "leaves the library aside" in found.reason


def test_a_library_for_other_cpus(look, tmp_path, monkeypatch):
    (tmp_path / file_name(cpu.system_name(), "x86-64-v9")).write_bytes(b"")
    assert "for other CPUs" in look().reason
    monkeypatch.setattr(cpu, "levels", lambda: ())
    assert "x86-64-v9" in look().reason


def test_a_damaged_library(look, tmp_path):
    (tmp_path / file_name(cpu.system_name(), cpu.levels()[0])).write_bytes(b"no library at all")
    assert "cannot be loaded" in look().reason


@needs_library
def test_the_best_level_is_taken(look, tmp_path):
    shutil.copy(FOUND.file, tmp_path / file_name(cpu.system_name(), cpu.levels()[-1]))
    found = look()
    assert isinstance(found, Library)
    shutil.copy(FOUND.file, tmp_path / file_name(cpu.system_name(), cpu.levels()[0]))
    assert look().file.name == file_name(cpu.system_name(), cpu.levels()[0])


@needs_library
def test_a_library_of_other_sources(look, tmp_path):
    content = FOUND.file.read_bytes()
    place = tmp_path / file_name(cpu.system_name(), cpu.levels()[0])
    place.write_bytes(content.replace(store.source_hash().encode(), b"0123456789abcdef"))
    assert "other sources" in look().reason
    assert not library.fits(place)
    assert library.fits(FOUND.file)


@needs_library
def test_an_entry_with_other_arguments_is_not_taken_from_it():
    name = "linkwork.mechanics.tree.entry_points.moved"
    assert FOUND.code(name, FOUND.entries[name]["signature"]) is not None
    assert FOUND.code(name, "0123456789abcdef") is None
    assert FOUND.code("linkwork.no_such.entry", "") is None


@needs_library
def test_every_entry_is_in_it():
    from linkwork._kernels.collect import entries

    found = entries()
    assert {name: code_lookup.signature_of(kinds) for name, (_, kinds) in found.items()} == {
        name: each["signature"] for name, each in _all_entries().items()
    }


def _all_entries():
    slopes = library.library_of_slopes()
    assert slopes is not None
    return {**FOUND.entries, **slopes.entries}


@needs_library
def test_runs_import_no_compiler():
    """Every method, a Python law, a state and its restart, reading and stepping by hand: numba stays outside."""
    script = """
import sys
import linkwork as lw
for method in ("recursive", "component", "absolute", "hybrid", "semi-recursive", "global", "impulse", "maximal"):
    lw.simulate(lw.gallery.double_four_bar.build(), until=0.01, dt=1e-3, method=method)
model = lw.Model("pushed")
bob = model.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1))
model.revolute("pin", model.ground, bob, at=(0, 0, 0.5), axis=(0, 1, 0))
model.torque("push", "pin", lambda t, q, v: -q)
sim = lw.Simulation(model)
sim.step(10)
print(sim["pin.position"], sim.copy().time, lw.simulate(model, until=0.01).certificate.versions["kernels"])
print(sorted({"numba", "llvmlite"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "[]"
    assert FOUND.level in done.stdout


def test_without_library_and_numba_one_sentence_says_so(monkeypatch):
    monkeypatch.setattr(code_lookup, "library", lambda: Refused("the library is for other CPUs"))
    monkeypatch.setattr(code_lookup, "find_spec", lambda name: None)
    with pytest.raises(lw.OptionError, match=r"for other CPUs, and numba.*linkwork\[laws\]"):
        code_lookup.need_numba()


@pytest.mark.parametrize(
    ("refused", "lines"), [(Refused("it is for other CPUs"), 1), (Refused("asked", wanted=True), 0)]
)
def test_where_a_library_is_not_used_one_line_says_why(refused, lines, monkeypatch, capsys):
    monkeypatch.setattr(prepare, "library", lambda: refused)
    monkeypatch.setattr(prepare, "_start", lambda method, run: None)
    monkeypatch.setattr(collect, "entries", lambda methods: {})
    prepare._compile("linkwork.formulations.explicit.recursive", "recursive")
    shown = capsys.readouterr().err
    assert shown.count("note: it is for other CPUs; methods are compiled instead\n") == lines
    assert "linkwork compiles method 'recursive'" in shown


def test_a_level_that_the_cpu_lacks_is_refused(monkeypatch):
    monkeypatch.setenv("LINKWORK_KERNELS", "compile:x86-64-v9")
    with pytest.raises(lw.OptionError, match=r"cannot run code of level 'x86-64-v9'"):
        code_lookup._need_level()


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ({"AVX2": True, "FMA3": True, "F16C": True, "AVX512F": True, "AVX512_SKX": True}, "x86-64-v4"),
        ({"AVX2": True, "FMA3": True, "F16C": True, "AVX512F": True}, "x86-64-v3"),
        ({"AVX2": True, "SSE42": True, "POPCNT": True}, "x86-64-v2"),
    ],
)
def test_the_level_of_a_cpu(features, expected, monkeypatch):
    monkeypatch.setattr(cpu, "system_name", lambda: "linux-x86_64")
    monkeypatch.setattr(cpu, "_numpy_features", lambda: features)
    assert cpu.levels.__wrapped__()[0] == expected


def test_levels_by_the_list_of_the_system(monkeypatch):
    """Where numpy does not tell, as good as what numpy tells."""
    if not (sys.platform == "linux" and cpu.system_name().endswith("x86_64")):
        pytest.skip("Linux lists the features of x86-64 CPUs")
    by_numpy = cpu.levels.__wrapped__()
    monkeypatch.setattr(cpu, "_numpy_features", lambda: None)
    assert cpu.levels.__wrapped__() == by_numpy


# --- from C ---

PROGRAM = """
#include <stdio.h>
#include "linkwork_kernels.h"
extern const char linkwork_kernels_manifest[];
int main(void) {
  printf("%s %d %d\\n", LINKWORK_KERNELS_SOURCES, (int)sizeof(linkwork_mechanics_tree_entry_points_moved_call) / 8,
         linkwork_kernels_manifest[0] == '{');
  return 0;
}
"""


@needs_library
@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_the_header_and_the_library_serve_c(tmp_path):
    folder = FOUND.file.parent
    (tmp_path / "program.c").write_text(PROGRAM)
    program = tmp_path / "program"
    flags = ["-Wall", "-Wextra", "-Werror", "-std=c11", f"-I{folder}"]
    source = [str(tmp_path / "program.c"), str(FOUND.file), f"-Wl,-rpath,{folder}", "-lm"]
    subprocess.run(["cc", *flags, *source, "-o", str(program)], check=True)
    shown = subprocess.run([program], capture_output=True, text=True, check=True).stdout.split()
    # tree, q and v with their lengths, h, out with its length, and twice the place of the results
    assert shown == [store.source_hash(), str(1 + 2 + 2 + 1 + 2 + 2 + 2), "1"]


@needs_library
def test_the_header_has_the_layout_of_the_tables():
    """Sizes of structs as a C compiler would have them: every member takes 8 bytes."""
    from linkwork._kernels.collect import entries
    from linkwork._kernels.packing import Pointer

    header = (FOUND.file.parent / "linkwork_kernels.h").read_text()
    plain = {name: kinds for name, (_, kinds) in entries().items() if not name.endswith(WITH_SLOPES)}
    for kinds in plain.values():
        for kind in kinds:
            if isinstance(kind, Pointer):
                name = f"linkwork_{kind.table.name}_{kind.table.digest[:6]}"
                assert f"}} {name};  /* {kind.table.slots} slots */" in header
    manifest = json.loads(ctypes.string_at(ctypes.addressof(ctypes.c_char.in_dll(FOUND.handle, library.MANIFEST))))
    assert manifest["entries"].keys() == plain.keys()
    assert Path(FOUND.file).stat().st_size < 20e6
