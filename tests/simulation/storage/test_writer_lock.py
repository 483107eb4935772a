"""One writer a file: the second is told who the first is, a killed one leaves no lock behind."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import linkwork as lw
from linkwork.simulation.storage.writer_lock import WriterLock, being_written, lock_of

HOLD = """
import sys, time
from pathlib import Path
from linkwork.simulation.storage.writer_lock import WriterLock
lock = WriterLock(Path(sys.argv[1]))
lock.take()
print("taken", flush=True)
time.sleep(60)
"""


def test_the_second_writer_is_told_of_the_first(tmp_path: Path) -> None:
    pytest.importorskip("h5py", reason="long runs need the extra hdf5")
    file = tmp_path / "run.h5"
    model = lw.gallery.pendulum.build()
    first = lw.stream(model, file, until=0.1, method="recursive", dt=0.01)
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(file)], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "taken\n"
        assert being_written(file)
        with pytest.raises(lw.OptionError, match=rf"being written to by process {process.pid} on .*another file"):
            lw.stream(model, file, until=0.2, method="recursive", dt=0.01)
        assert lw.load_run(file).certificate.steps == first.steps  # and it is as it was
    finally:
        process.kill()
        process.wait()
    assert not being_written(file)
    lw.stream(model, file, until=0.2, method="recursive", dt=0.01)
    assert len(lw.load_run(file)) == 21
    assert not lock_of(file).exists()
    assert sorted(os.listdir(tmp_path)) == ["run.h5"]


def test_one_after_the_other(tmp_path: Path) -> None:
    locks = [WriterLock(tmp_path / "run.h5") for _ in range(2)]
    locks[0].take()
    with pytest.raises(lw.OptionError, match=f"process {os.getpid()}"):
        locks[1].take()
    locks[0].release()
    locks[1].take()
    locks[1].release()
    assert not any(tmp_path.iterdir())


def test_a_run_that_cannot_start_leaves_the_older_file(tmp_path: Path) -> None:
    pytest.importorskip("h5py", reason="long runs need the extra hdf5")
    file = tmp_path / "run.h5"
    model = lw.gallery.pendulum.build()
    lw.stream(model, file, until=0.1, method="recursive", dt=0.01)
    before = file.read_bytes()
    with pytest.raises(lw.OptionError):
        lw.stream(model, file, until=0.1, method="recursive", dt=0.01, record="nothing of this name")
    assert file.read_bytes() == before
