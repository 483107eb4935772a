"""Compiled kernels are kept in a folder of our own; whatever befalls it, runs go on, and others' files stay."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from linkwork._kernels import store

# a kernel inside an entry, kept; prints the value, and which entries were compiled rather than loaded
PROBE = """
import sys
sys.path.insert(0, sys.argv[1])
from linkwork._kernels import roads, store
made = []
compile_entry = roads._compile
def counted(entry, *rest):
    made.append(entry.__name__)
    return compile_entry(entry, *rest)
roads._compile = counted
import small_kernels
value = small_kernels.twice(3.0)
print(value, ",".join(made), store.cache_folder())
"""
KERNELS = """
from linkwork._jit import entry, kernel

@kernel
def half(x):
    return {half}

@entry
def twice(x):
    return 4.0 * half(x)
"""


@pytest.fixture
def probe(tmp_path: Path):
    """Call the probe in another process with an environment of its own."""
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "small_kernels.py").write_text(KERNELS.format(half="0.5 * x"))

    def call(**environment: str | None) -> tuple[float, str, str]:
        settings = {**os.environ, "LINKWORK_CACHE": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
        settings = {name: value for name, value in {**settings, **environment}.items() if value is not None}
        done = subprocess.run(
            [sys.executable, "-c", PROBE, str(tmp_path / "code")], env=settings, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        value, made, folder = done.stdout.rstrip("\n").split(" ", 2)
        return float(value), made, folder

    return call


def kept(folder: str) -> list[Path]:
    return sorted(file for file in Path(folder).rglob("*") if file.suffix == ".o")


def test_folders_of_others_stay(probe, tmp_path):
    root = tmp_path / "cache"
    for name in ("photos", "thesis", "2024", "2025", "notes"):
        (root / name).mkdir(parents=True)
        (root / name / "mine.txt").write_text("mine")
        inside = root / store.OUR_FOLDER / name  # and what somebody put into ours, without our mark
        inside.mkdir(parents=True)
        (inside / "mine.txt").write_text("mine")
    value, _, folder = probe()
    assert value == 6.0
    assert Path(folder).parent == root / store.OUR_FOLDER
    assert len(list(root.rglob("mine.txt"))) == 10


def test_only_the_newest_of_ours_are_kept(probe, tmp_path):
    ours = tmp_path / "cache" / store.OUR_FOLDER
    for age, name in enumerate(("a", "b", "c", "d")):
        (ours / name).mkdir(parents=True)
        (ours / name / store.MARKER).touch()
        os.utime(ours / name, (1e9 - age, 1e9 - age))
    _, _, folder = probe()
    assert sorted(f.name for f in ours.iterdir()) == sorted(["a", "b", Path(folder).name])


def test_what_was_compiled_is_loaded_again(probe):
    assert probe()[1] != ""
    assert probe()[1] == ""


def test_an_edited_file_is_compiled_again(probe, tmp_path):
    probe()
    (tmp_path / "code" / "small_kernels.py").write_text(KERNELS.format(half="0.25 * x"))
    assert probe()[0] == 3.0


@pytest.mark.parametrize("damage", ["empty", "short", "flipped", "other"])
def test_damaged_files_are_compiled_again(probe, damage):
    folder = probe()[2]
    files = kept(folder)
    assert len(files) == 1
    for file in files:
        content = bytearray(file.read_bytes())
        if damage == "empty":
            content = bytearray()
        elif damage == "short":
            content = content[: len(content) // 2]
        elif damage == "flipped":
            content[len(content) // 2] ^= 16
        else:
            content = bytearray(b"\x80\x04cos\nsystem\n(S'true'\ntR.")  # a pickle that would call something
        file.write_bytes(bytes(content))
    value, made, _ = probe()
    assert value == 6.0
    assert made != ""
    assert probe()[1] == ""  # and mended


def test_a_place_that_is_a_file(probe, tmp_path):
    (tmp_path / "cache").write_text("not a folder")
    value, _, folder = probe(TMPDIR=str(tmp_path))
    assert value == 6.0
    assert folder.startswith(str(tmp_path / store.OUR_FOLDER))
    assert (tmp_path / "cache").read_text() == "not a folder"


def test_no_home(probe, tmp_path):
    value, _, _ = probe(LINKWORK_CACHE=None, XDG_CACHE_HOME=None, HOME="~", TMPDIR=str(tmp_path))
    assert value == 6.0
    assert not Path("~").exists()


def test_nowhere_at_all(probe, tmp_path):
    (tmp_path / "cache").write_text("")
    # the folder among the temporary files is somebody else's to write: not to be trusted
    (tmp_path / f"{store.OUR_FOLDER}-{os.getuid()}").mkdir()
    (tmp_path / f"{store.OUR_FOLDER}-{os.getuid()}").chmod(0o777)
    value, _, folder = probe(TMPDIR=str(tmp_path))
    assert value == 6.0
    assert folder == "None"


def test_a_full_disk_is_no_reason_to_stop(probe, tmp_path):
    # every write of kept code fails, as on a full disk
    code = (tmp_path / "code" / "small_kernels.py").read_text()
    full = "import os\ndef full(*_):\n    raise OSError(28, 'No space left on device')\nos.replace = full\n"
    (tmp_path / "code" / "small_kernels.py").write_text(f"{full}{code}")
    value, _, folder = probe()
    assert value == 6.0
    assert kept(folder) == []


@pytest.mark.parametrize("place", ["mechanics/forces.py", "formulations/impulse/rows.py", "contact/inner/more.py"])
def test_every_kernel_source_counts_however_deep_it_lies(place, tmp_path, monkeypatch):
    package = tmp_path / "linkwork"
    file = package / place
    file.parent.mkdir(parents=True)
    for maker in store.MAKERS:
        (package / maker).parent.mkdir(exist_ok=True)
        (package / maker).touch()
    monkeypatch.setattr(store, "PACKAGE", package)
    hashes = []
    for source in ("x = 1", "x = 2"):
        file.write_text(source)
        hashes.append(store.source_hash())
    assert hashes[0] != hashes[1]
    (package / "simulation").mkdir()
    (package / "simulation" / "plain.py").write_text("x = 1")  # no kernels there
    assert store.source_hash() == hashes[1]


def test_what_is_being_compiled_is_known(tmp_path, monkeypatch):
    monkeypatch.setattr(store, "cache_folder", lambda: tmp_path)
    assert store.being_compiled() == []
    with store.alone("linkwork.some.run"):
        assert store.being_compiled() == ["linkwork.some.run"]
    assert store.being_compiled() == []
