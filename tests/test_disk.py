"""A file has its name only once its data is on the disk: the order of writing, syncing and renaming is recorded.

What is not synced when a name is given, a power cut may lose: the disk is free to write the name first.
"""

import math
import os
from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork._disk import whole

MOTION = {"method": "recursive", "dt": 0.01}


class Disk:
    """What a disk would hold: the bytes of each file when it was last synced, and which of them names lead to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.synced: dict[int, bytes] = {}  # by inode
        self.names: dict[str, bytes | None] = {}  # what a target held on the disk when it got its name
        self.pending: set[str] = set()  # named, but the folder was not synced yet
        self.log: list[str] = []
        self._fsync, self._replace = os.fsync, os.replace
        monkeypatch.setattr(os, "fsync", self.fsync)
        monkeypatch.setattr(os, "replace", self.replace)

    def fsync(self, handle: int) -> None:
        self._fsync(handle)
        place = Path(os.readlink(f"/proc/self/fd/{handle}"))
        if place.is_dir():
            self.pending = {name for name in self.pending if Path(name).parent != place}
            self.log.append("sync folder")
        else:
            self.synced[os.fstat(handle).st_ino] = place.read_bytes()
            self.log.append("sync")

    def replace(self, old: os.PathLike[str], new: os.PathLike[str]) -> None:
        inode = os.stat(old).st_ino
        content = Path(old).read_bytes()
        self._replace(old, new)
        self.names[str(new)] = content if self.synced.get(inode) == content else None
        self.pending.add(str(new))
        self.log.append("rename")

    def holds(self, path: Path) -> bool:
        """Whether a power cut now would leave the whole file under its name."""
        named = self.names.get(str(path)) is not None and str(path) not in self.pending
        return named and self.synced.get(path.stat().st_ino) == path.read_bytes()


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    if not Path("/proc/self/fd").is_dir():
        pytest.skip("the recording needs /proc")
    return Disk(monkeypatch)


@pytest.fixture(scope="module")
def run() -> lw.Trajectory:
    return lw.simulate(lw.gallery.pendulum.build(), until=0.1, **MOTION)


def replay(run, file):
    run.replay(file)


def table(run, file):
    run.to_csv(file, columns="pin.position")


def picture(run, file):
    pytest.importorskip("matplotlib")
    run.plot("pin.position", file=file)


def film(run, file):
    pytest.importorskip("PIL")
    run.film(file, width=80, fps=20, renderer="drawing")


def moving_film(run, file):
    from linkwork.viewer.pictures.film import ffmpeg

    if ffmpeg() is None:
        pytest.skip("needs ffmpeg")
    run.film(file, width=80, fps=20, renderer="drawing")


def drawing(run, file):
    pytest.importorskip("matplotlib")
    from linkwork.viewer.pictures.still import still

    still(lw.gallery.pendulum.build(), file=file, size=(1.0, 1.0))


def state(run, file):
    lw.Simulation(lw.gallery.pendulum.build(), **MOTION).save(file)


def kept_state(run, file):
    from linkwork.distribute.kept_states import Keep
    from linkwork.simulation.stepping.remote_links import KEEP

    sim = lw.Simulation(lw.gallery.pendulum.build(), **MOTION)
    assert Keep(str(file.parent)).obey(sim, [KEEP, int(file.stem.removeprefix("state-"), 16), 7.0]) == ""


def measured(run, file):
    pytest.importorskip("matplotlib")
    from linkwork.bench import SceneReport, page

    page.write(str(file), [SceneReport("tree", [])], quick=True)


def long_run(run, file):
    pytest.importorskip("h5py")
    lw.stream(lw.gallery.pendulum.build(), file, until=0.1, **MOTION)


WRITERS = [
    ("run.npz", lambda run, file: run.save(file)),
    ("run.csv", table),
    ("state.npz", state),
    (f"state-{11:014x}.npz", kept_state),
    ("run.h5", long_run),
    ("run.html", replay),
    ("run.png", picture),
    ("run.svg", picture),
    ("film.png", film),
    ("film.gif", film),
    ("film.mp4", moving_film),
    ("still.png", drawing),
    ("bench.html", measured),
]


@pytest.mark.parametrize(("name", "write"), WRITERS, ids=[name for name, _ in WRITERS])
def test_data_is_on_the_disk_before_its_name(tmp_path, disk, run, name, write):
    file = tmp_path / name
    write(run, file)
    assert disk.names.get(str(file)) is not None, disk.log
    assert disk.holds(file), disk.log
    assert [found.name for found in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(("name", "write"), WRITERS, ids=[name for name, _ in WRITERS])
def test_a_disk_that_fails_leaves_the_older_file(tmp_path, monkeypatch, run, name, write):
    file = tmp_path / name
    write(run, file)
    before = file.read_bytes()

    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    if "state-" in name:
        with pytest.raises(AssertionError, match="the disk is full"):  # told to the whole, in words
            write(run, file)
    else:
        with pytest.raises(lw.OptionError, match="the disk is full"):
            write(run, file)
    assert file.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == [name]


def test_the_state_of_a_long_run_is_synced_before_it_is_called_the_newest(tmp_path, disk, monkeypatch):
    """At every sync of a long run the file holds a whole state: the older one until the newer is on the disk."""
    pytest.importorskip("h5py")
    from linkwork.simulation import recording
    from linkwork.simulation.storage import stream

    monkeypatch.setattr(stream, "STATE_SECONDS", 0.0)
    monkeypatch.setattr(recording, "STATE_SECONDS", 0.0)
    file, copy = tmp_path / "run.h5", tmp_path / "copy.h5"
    seen, fsync = [], os.fsync

    def looked(handle):
        fsync(handle)
        if file.exists() and not Path(os.readlink(f"/proc/self/fd/{handle}")).is_dir():
            copy.write_bytes(file.read_bytes())  # what a power cut now would leave
            try:
                seen.append(lw.Simulation(lw.gallery.pendulum.build(), resume=copy).time)
            except lw.OptionError as error:
                seen.append(-1.0 if "no state" in str(error) else math.nan)

    monkeypatch.setattr(os, "fsync", looked)
    lw.stream(lw.gallery.pendulum.build(), file, until=0.5, **MOTION)
    pairs = list(zip(seen[::2], seen[1::2], strict=False))
    assert len(pairs) >= 2
    assert all(before < after or before == seen[-1] for before, after in pairs)
    assert seen[-1] == pytest.approx(0.5)


def test_a_link_stays_a_link_and_a_private_file_private(tmp_path, run):
    real, link = tmp_path / "real.npz", tmp_path / "latest.npz"
    real.write_bytes(b"")
    real.chmod(0o600)
    link.symlink_to(real)
    run.save(link)
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o600
    assert np.array_equal(lw.load_run(real)["pin.position"], run["pin.position"])


def test_a_long_name_in_another_script(tmp_path, run):
    file = tmp_path / ("振" * 80 + ".npz")
    run.save(file)
    assert file.exists()


def test_what_fails_leaves_nothing_beside(tmp_path):
    def stopped():
        with whole(tmp_path / "page.html") as beside:
            beside.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert list(tmp_path.iterdir()) == []
