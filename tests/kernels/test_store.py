"""Compiled kernels are kept in a folder of our own; whatever befalls it, runs go on, and others' files stay."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from linkwork._kernels import store

# a kernel inside an entry, kept; prints the value, and which entries were compiled rather than loaded
PROBE = """
import sys
sys.path.insert(0, sys.argv[1])
from linkwork._kernels import code_lookup, store
made = []
compile_entry = code_lookup._compile
def counted(entry, *rest):
    made.append(entry.__name__)
    return compile_entry(entry, *rest)
code_lookup._compile = counted
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


def probe_in(root: Path, **environment: str) -> tuple[float, str, str]:
    """Call the probe in another process; its kernels are below `root`, and its cache too unless told otherwise."""
    settings = {**os.environ, "LINKWORK_CACHE": str(root / "cache"), "PYTHONDONTWRITEBYTECODE": "1", **environment}
    command = [sys.executable, "-c", PROBE, str(root / "code")]
    done = subprocess.run(command, env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    value, made, folder = done.stdout.rstrip("\n").split(" ", 2)
    return float(value), made, folder


def write_code(root: Path, half: str = "0.5 * x", before: str = "") -> None:
    (root / "code").mkdir(exist_ok=True)
    (root / "code" / "small_kernels.py").write_text(before + KERNELS.format(half=half))


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the kernels and the cache of a process that compiled them."""
    root = tmp_path_factory.mktemp("compiled")
    write_code(root)
    value, made, _ = probe_in(root)
    assert (value, made) == (6.0, "twice")
    return root


@pytest.fixture
def copied(compiled: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    for name in ("code", "cache"):
        shutil.copytree(compiled / name, tmp_path / name)
    return tmp_path


@pytest.fixture
def folder_for(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Path | None]]:
    """The folder that a process with these settings takes."""

    def call(**environment: str | None) -> Path | None:
        for name, value in environment.items():
            monkeypatch.delenv(name, raising=False) if value is None else monkeypatch.setenv(name, value)
        monkeypatch.setattr(tempfile, "tempdir", None)
        store.cache_folder.cache_clear()
        return store.cache_folder()

    yield call
    store.cache_folder.cache_clear()


def kept(folder: str | Path) -> list[Path]:
    return sorted(file for file in Path(folder).rglob("*") if file.suffix == ".o")


def test_folders_of_others_stay(folder_for, tmp_path):
    root = tmp_path / "cache"
    for name in ("photos", "thesis", "2024", "2025", "notes"):
        (root / name).mkdir(parents=True)
        (root / name / "mine.txt").write_text("mine")
        inside = root / store.OUR_FOLDER / name  # and what somebody put into ours, without our mark
        inside.mkdir(parents=True)
        (inside / "mine.txt").write_text("mine")
    folder = folder_for(LINKWORK_CACHE=str(root))
    assert folder.parent == root / store.OUR_FOLDER
    assert folder.is_dir()
    assert len(list(root.rglob("mine.txt"))) == 10


def test_only_the_newest_of_ours_are_kept(folder_for, tmp_path):
    ours = tmp_path / "cache" / store.OUR_FOLDER
    for age, name in enumerate(("a", "b", "c", "d")):
        (ours / name).mkdir(parents=True)
        (ours / name / store.MARKER).touch()
        os.utime(ours / name, (1e9 - age, 1e9 - age))
    folder = folder_for(LINKWORK_CACHE=str(tmp_path / "cache"))
    assert sorted(f.name for f in ours.iterdir()) == sorted(["a", "b", folder.name])


def test_what_was_compiled_is_loaded_again(copied):
    assert probe_in(copied)[:2] == (6.0, "")


def test_an_edited_file_is_compiled_again(copied):
    write_code(copied, half="0.25 * x")
    assert probe_in(copied)[:2] == (3.0, "twice")


@pytest.mark.parametrize("damage", ["empty", "short", "flipped", "other"])
def test_damaged_files_are_compiled_again(copied, damage):
    (file,) = kept(copied)
    good = file.read_bytes()
    content = bytearray(good)
    if damage == "empty":
        content = bytearray()
    elif damage == "short":
        content = content[: len(content) // 2]
    elif damage == "flipped":
        content[len(content) // 2] ^= 16
    else:
        content = bytearray(b"\x80\x04cos\nsystem\n(S'true'\ntR.")  # a pickle that would call something
    file.write_bytes(bytes(content))
    assert probe_in(copied)[:2] == (6.0, "twice")
    assert file.read_bytes() == good  # and mended


def test_a_place_that_is_a_file(folder_for, tmp_path):
    (tmp_path / "cache").write_text("not a folder")
    folder = folder_for(LINKWORK_CACHE=str(tmp_path / "cache"), TMPDIR=str(tmp_path))
    assert str(folder).startswith(str(tmp_path / store.OUR_FOLDER))
    assert folder.is_dir()
    assert (tmp_path / "cache").read_text() == "not a folder"


def test_no_home(folder_for, tmp_path):
    folder = folder_for(LINKWORK_CACHE=None, XDG_CACHE_HOME=None, HOME="~", TMPDIR=str(tmp_path))
    assert str(folder).startswith(str(tmp_path / store.OUR_FOLDER))
    assert not Path("~").exists()


def test_nowhere_at_all(tmp_path):
    write_code(tmp_path)
    (tmp_path / "cache").write_text("")
    # the folder among the temporary files is somebody else's to write: not to be trusted
    (tmp_path / f"{store.OUR_FOLDER}-{os.getuid()}").mkdir()
    (tmp_path / f"{store.OUR_FOLDER}-{os.getuid()}").chmod(0o777)
    value, _, folder = probe_in(tmp_path, TMPDIR=str(tmp_path))
    assert value == 6.0
    assert folder == "None"


def test_a_full_disk_is_no_reason_to_stop(tmp_path):
    # every write of kept code fails, as on a full disk
    full = "import os\ndef full(*_):\n    raise OSError(28, 'No space left on device')\nos.replace = full\n"
    write_code(tmp_path, before=full)
    value, _, folder = probe_in(tmp_path)
    assert value == 6.0
    assert kept(folder) == []


@pytest.mark.parametrize(
    "place", ["mechanics/forces/forces.py", "formulations/impulse/rows/rows.py", "contact/inner/more.py"]
)
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
