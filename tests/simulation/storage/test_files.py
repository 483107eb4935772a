"""Files: a run comes back bit for bit, and what cannot be written or read says why."""

import csv
import errno
import os

import numpy as np
import pytest

from linkwork import targets
from linkwork.distribute.kept_states import Keep
from linkwork.errors import OptionError
from linkwork.simulation.results.judging.certificate import Certificate
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.simulation.storage import files
from linkwork.simulation.storage.files import check_path, load_run, save
from linkwork.simulation.structure.snapshot import read_state


@pytest.fixture
def run():
    random = np.random.default_rng(1)
    rows = 9
    return Trajectory(
        time=np.linspace(0, 1, rows),
        columns={
            "pin.position": random.normal(size=rows),
            'odd, "name".piston.position': random.normal(size=(rows, 3)),
            "Gelenk ä/1.reaction": random.normal(size=(rows, 6)),
            "loop.active": np.arange(rows) % 2 == 0,
            "energy.position": np.full(rows, np.nan),  # a body may be called energy
        },
        units={"pin.position": "rad", "reaction": "N,N,N,N m,N m,N m", "position": "m"},
        energy={"kinetic": random.normal(size=rows), "total": np.ones(rows)},
        drift={"position": np.zeros(rows), "velocity": np.zeros(rows)},
        certificate=Certificate(
            method="recursive",
            dt=0.1 + 0.2,
            energy_balance_worst=float("nan"),
            redundant_rows=["pin row 2"],
            settings={"atol": 1e-9, "pair": [1, 2]},
        ),
        model_name="sample ü",
        stopped="interrupted at t = 1 s",
    )


def test_round_trip_is_bit_for_bit(run, tmp_path):
    file = tmp_path / "run.npz"
    run.save(file)
    back = load_run(file)
    assert back == run
    assert back.names == run.names
    assert back.certificate.dt == run.certificate.dt
    assert back.stopped == run.stopped
    assert os.listdir(tmp_path) == ["run.npz"]


def test_numpy_alone_can_read_it_without_pickle(run, tmp_path):
    run.save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz", allow_pickle=False) as archive:
        assert np.array_equal(archive["pin.position"], run["pin.position"])
        assert np.array_equal(archive["energy/kinetic"], run.energy["kinetic"])


def test_saving_twice_replaces(run, tmp_path):
    file = tmp_path / "run.npz"
    file.write_text("something else")
    run.save(file)
    run.save(file)
    assert load_run(file) == run


def test_csv_has_units_and_every_digit(run, tmp_path):
    file = tmp_path / "run.csv"
    run.save(file)
    with open(file, newline="", encoding="utf-8") as stream:
        rows = list(csv.reader(stream))
    header = rows[0]
    assert header[:3] == ["time [s]", "pin.position [rad]", 'odd, "name".piston.position.x [m]']
    assert "Gelenk ä/1.reaction.torque z [N m]" in header
    assert "energy.total [J]" in header
    assert len(rows) == 1 + len(run)
    written = np.array([float(row[1]) for row in rows[1:]])
    assert np.array_equal(written, run["pin.position"])


def test_csv_longer_than_one_block(tmp_path):
    rows = 2 * files._ROWS_AT_ONCE + 1
    run = Trajectory(np.arange(rows), {}, {}, certificate=Certificate(method="m"), model_name="long")
    run.save(tmp_path / "long.csv")
    assert np.array_equal(np.loadtxt(tmp_path / "long.csv", skiprows=1), np.arange(rows))


def test_csv_is_not_read_back(run, tmp_path):
    run.save(tmp_path / "run.csv")
    with pytest.raises(OptionError, match=r"save the run as \.npz"):
        load_run(tmp_path / "run.csv")


@pytest.mark.parametrize("name", ["run.xls", "run", "run.npz.old"])
def test_unknown_suffix_lists_the_known(run, tmp_path, name):
    with pytest.raises(OptionError, match=r"known are \.npz, \.csv"):
        run.save(tmp_path / name)


def test_missing_folder(run, tmp_path):
    with pytest.raises(OptionError, match="does not exist"):
        run.save(tmp_path / "no" / "run.npz")
    (tmp_path / "file").write_text("")
    with pytest.raises(OptionError, match="is not a folder"):
        check_path(tmp_path / "file" / "run.npz")
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(OptionError, match="it is a folder"):
        check_path(tmp_path / "folder.npz")


def test_no_permission(run, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(OptionError, match="no permission"):
        run.save(tmp_path / "run.npz")


@pytest.mark.parametrize("suffix", [".npz", ".csv"])
def test_full_disk_keeps_the_older_file(run, tmp_path, monkeypatch, suffix):
    file = tmp_path / f"run{suffix}"
    file.write_text("older")

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(files, "_write_npz" if suffix == ".npz" else "_write_csv", full)
    with pytest.raises(OptionError, match="disk is full"):
        save(run, file)
    assert file.read_text() == "older"
    assert os.listdir(tmp_path) == [file.name]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_device_that_is_really_full(run):
    with pytest.raises(OSError), open("/dev/full", "wb") as stream:
        files._write_npz(run, stream)


def test_what_is_no_run_is_refused(tmp_path):
    with pytest.raises(OptionError, match="there is no file"):
        load_run(tmp_path / "run.npz")
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(OptionError, match="not a linkwork run"):
        load_run(tmp_path / "text.npz")
    (tmp_path / "empty.npz").write_bytes(b"")
    with pytest.raises(OptionError, match="not a linkwork run"):
        load_run(tmp_path / "empty.npz")
    np.savez(tmp_path / "other.npz", a=np.ones(3))
    with pytest.raises(OptionError, match="no metadata"):
        load_run(tmp_path / "other.npz")
    np.save(tmp_path / "array.npy", np.ones(3))
    with pytest.raises(OptionError, match="not a linkwork run"):
        load_run(tmp_path / "array.npy")
    with pytest.raises(OptionError):
        load_run(tmp_path)


def test_half_a_file_is_refused(run, tmp_path):
    run.save(tmp_path / "run.npz")
    content = (tmp_path / "run.npz").read_bytes()
    (tmp_path / "half.npz").write_bytes(content[: len(content) // 2])
    with pytest.raises(OptionError, match="damaged"):
        load_run(tmp_path / "half.npz")


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04rest"])
def test_what_is_no_run_is_told_in_our_own_words(tmp_path, content):
    file = tmp_path / "odd.npz"
    file.write_bytes(content)
    for read in (load_run, files.read_arrays):
        with pytest.raises(OptionError, match="damaged") as refusal:
            read(file)
        assert not any(word in str(refusal.value).partition("odd.npz")[2] for word in ("pickle", "zip"))
        assert "; give a" in str(refusal.value)


def test_pickled_objects_are_not_read(tmp_path):
    np.savez(tmp_path / "odd.npz", metadata=np.array([{"format": "linkwork run"}], dtype=object))
    with pytest.raises(OptionError, match="is not a linkwork run, or it is damaged") as refusal:
        load_run(tmp_path / "odd.npz")
    assert "pickle" not in str(refusal.value).partition("odd.npz")[2]


def test_a_state_that_lacks_something_is_refused(tmp_path):
    np.savez(tmp_path / "odd.npz", metadata=np.array('{"format": "linkwork state"}'))
    with pytest.raises(OptionError, match="no whole state"):
        read_state(tmp_path / "odd.npz")


def test_newer_format_is_refused(run, tmp_path, monkeypatch):
    monkeypatch.setattr(files, "FORMAT_VERSION", 2)
    run.save(tmp_path / "run.npz")
    monkeypatch.undo()
    with pytest.raises(OptionError, match="newer linkwork"):
        load_run(tmp_path / "run.npz")


@pytest.mark.parametrize("name", ["a\0b", "a\ud800b", "x" * 300], ids=["nul", "surrogate", "long"])
def test_what_cannot_be_the_name_of_a_file(run, tmp_path, name):
    for use in (
        lambda: save(run, tmp_path / f"{name}.npz"),
        lambda: save(run, f"{name}.csv"),
        lambda: load_run(f"{name}.npz"),
        lambda: load_run(tmp_path / f"{name}.h5"),
        lambda: read_state(f"{name}.npz"),
        lambda: check_path(f"{name}.html", (".html",)),
        lambda: targets.find(f"{name}.py"),
        lambda: targets.find_component(f"{name}.py:Wheel"),
        lambda: Keep(str(tmp_path / name)),
    ):
        with pytest.raises(OptionError, match="cannot be the name of a file here|cannot keep states") as caught:
            use()
        assert str(caught.value).isprintable()
        assert len(str(caught.value)) < 200
