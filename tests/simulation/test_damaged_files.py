"""A file is data: whatever its bytes, it is read right or refused in one sentence; nothing hangs or is believed."""

import io
import os
import random
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from simulation.damaging import flipped, mutated

h5py = pytest.importorskip("h5py", reason="long runs need the extra hdf5")
MANY = 2000 if os.environ.get("LINKWORK_LONG") else 40


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[bytes, lw.Trajectory]]:
    """The same run in its two kinds of files."""
    folder = tmp_path_factory.mktemp("runs")
    model = lw.gallery.double_four_bar.build()
    run = lw.simulate(model, until=0.5, method="recursive", dt=5e-3)
    run.save(folder / "run.npz")
    lw.stream(model, folder / "run.h5", until=0.5, method="recursive", dt=5e-3)
    return {suffix: ((folder / f"run{suffix}").read_bytes(), run) for suffix in (".npz", ".h5")}


@pytest.mark.parametrize("damage", [flipped, mutated])
@pytest.mark.parametrize("suffix", [".npz", ".h5"])
def test_a_damaged_run_is_refused_or_right(runs, tmp_path: Path, suffix: str, damage) -> None:
    content, run = runs[suffix]
    chance = random.Random(f"{suffix} {damage.__name__}")
    refused = 0
    for k in range(MANY):
        file = tmp_path / f"{k}{suffix}"
        file.write_bytes(damage(content, chance))
        try:
            found = lw.load_run(file)
        except lw.OptionError:
            refused += 1
        else:  # the damage was where nothing is kept
            assert found.names == run.names
            for name in run.names:
                np.testing.assert_array_equal(found[name], run[name])
            str(found.certificate)
        file.unlink()
    assert refused > MANY // 3


@pytest.mark.parametrize("suffix", [".npz", ".h5"])
def test_a_damaged_state_is_refused_or_right(tmp_path: Path, suffix: str) -> None:
    model = lw.gallery.double_four_bar.build()
    whole, more = {"method": "recursive", "dt": 5e-3}, {"until": 0.3}
    if suffix == ".h5":
        lw.stream(model, tmp_path / "run.h5", until=0.2, **whole)
        content = (tmp_path / "run.h5").read_bytes()
    else:
        sim = lw.Simulation(model, **whole)
        sim.step(40)
        sim.save(tmp_path / "here.npz")
        content = (tmp_path / "here.npz").read_bytes()
    want = lw.simulate(model, **more, **whole)["crank 1.position"][-1]
    chance = random.Random(suffix)
    for k in range(MANY // 2):
        file = tmp_path / f"{k}{suffix}"
        file.write_bytes((flipped if k % 2 else mutated)(content, chance))
        try:
            run = lw.simulate(model, resume=file, **more)
        except lw.OptionError:
            continue
        else:
            np.testing.assert_array_equal(run["crank 1.position"][-1], want)


def bomb(shape: tuple[int, ...], size: int, compressed: bool) -> bytes:
    """An npz whose array says `shape` and has `size` bytes."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": shape})
    stream = io.BytesIO()
    kind = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with zipfile.ZipFile(stream, "w", kind) as archive:
        archive.writestr("metadata.npy", header.getvalue() + bytes(size))
        archive.writestr("time.npy", header.getvalue() + bytes(size))
    return stream.getvalue()


@pytest.mark.parametrize(
    ("shape", "size", "compressed"),
    [((10**12,), 800, False), ((10**8,), 8 * 10**8, True), ((2**62, 4), 8, False), ((-5,), 8, False)],
)
def test_a_bomb_takes_no_memory(tmp_path: Path, shape, size, compressed) -> None:
    file = tmp_path / "bomb.npz"
    file.write_bytes(bomb(shape, size, compressed))
    assert file.stat().st_size < 10_000_000
    probe = """
import resource, sys
import linkwork as lw
resource.setrlimit(resource.RLIMIT_AS, (2 * 1024**3, 2 * 1024**3))
for read in (lw.load_run, lambda file: lw.Simulation(lw.Model("nothing"), resume=file)):
    try:
        read(sys.argv[1])
    except lw.OptionError as error:
        print(error)
"""
    done = subprocess.run([sys.executable, "-c", probe, str(file)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("damaged") == 2


def test_deep_metadata_is_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "deep.npz", metadata=np.array("[" * 100_000))
    with pytest.raises(lw.OptionError, match="damaged"):
        lw.load_run(tmp_path / "deep.npz")


def test_pickles_are_refused_in_our_words(tmp_path: Path) -> None:
    np.savez(tmp_path / "objects.npz", metadata=np.array('{"format": "linkwork run"}'), time=np.array([{}, {}]))
    with pytest.raises(lw.OptionError, match="objects.npz is .*time.npy holds no plain numbers.; give a file"):
        lw.load_run(tmp_path / "objects.npz")
