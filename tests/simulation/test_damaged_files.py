"""A file is data: whatever its bytes, it is read right or refused in one sentence; nothing hangs or is believed."""

import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw


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
    [((10**12,), 800, False), ((10**7,), 8 * 10**7, True), ((2**62, 4), 8, False), ((-5,), 8, False)],
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


def test_a_unit_of_other_length_is_refused(tmp_path: Path) -> None:
    run = lw.simulate(lw.gallery.pendulum.build(), until=0.01, dt=1e-3)
    run.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz") as file:
        arrays = dict(file)
    text = str(arrays["metadata"])
    assert '"bob.rotation": "1"' in text
    arrays["metadata"] = np.array(text.replace('"bob.rotation": "1"', '"bob.rotation": "1,1,1,1,1,m"'))
    np.savez(tmp_path / "other.npz", **arrays)
    with pytest.raises(lw.OptionError, match=r"damaged \(its unit of 'bob.rotation' is for 6 numbers and not for 4\)"):
        lw.load_run(tmp_path / "other.npz")


def test_a_header_that_ends_in_a_word_is_refused(tmp_path: Path) -> None:
    """numpy reads such a header token by token."""
    text = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1L,), "
    header = text + b" " * (63 - (10 + len(text)) % 64) + b"\n"
    content = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + bytes(8)
    with zipfile.ZipFile(tmp_path / "run.npz", "w") as archive:
        archive.writestr("metadata.npy", content)
    with pytest.raises(lw.OptionError, match="damaged"):
        lw.load_run(tmp_path / "run.npz")


@pytest.mark.parametrize(("name", "value"), [("steps", 10**30), ("begin", 10**400), ("time", 1e300), ("h", -1.0)])
def test_a_clock_beyond_all_bounds_is_refused(tmp_path: Path, name: str, value: float) -> None:
    model = lw.gallery.pendulum.build()
    sim = lw.Simulation(model, "recursive", dt=1e-3)
    sim.save(tmp_path / "state.npz")
    held = dict(np.load(tmp_path / "state.npz"))
    facts = json.loads(str(held["metadata"])) | {name: value}
    np.savez(tmp_path / "state.npz", **held | {"metadata": np.array(json.dumps(facts))})
    with pytest.raises(lw.OptionError, match="its clock is damaged"):
        lw.Simulation(model, resume=tmp_path / "state.npz")


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("scene", "bodies", 0, "shape"), {"kind": []}),
        (("scene", "joints"), [1]),
        (("scene", "gravity"), "down"),
        (("certificate", "events"), ["it fell"]),
        (("certificate", "ignored"), [7]),
        (("certificate", "stopped"), 7),
    ],
)
def test_what_pictures_and_certificates_are_made_of_is_checked(tmp_path: Path, place, value) -> None:
    """When the file is read, and not where it is first used, in a replay perhaps."""
    run, file = lw.simulate(lw.gallery.pendulum.build(), until=0.01, dt=1e-3), tmp_path / "run.npz"
    run.save(file)
    assert lw.load_run(file).scene == json.loads(json.dumps(run.scene))
    with np.load(file) as held:
        arrays = dict(held)
    facts = json.loads(str(arrays["metadata"]))
    inside = facts
    for step in place[:-1]:
        inside = inside[step]
    inside[place[-1]] = value
    np.savez(file, **arrays | {"metadata": np.array(json.dumps(facts))})
    with pytest.raises(lw.OptionError, match="damaged"):
        lw.load_run(file)
