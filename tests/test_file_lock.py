"""Locks on files, by flock and by the calls of Windows, for which a stand-in is used here; and other calls of Unix."""

import errno
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import linkwork as lw
from linkwork import _disk, _file_lock
from linkwork._kernels import store as _cache
from linkwork.simulation.storage.writer_lock import WriterLock, being_written, lock_of

LOCK, NOT_WAITING, UNLOCK = 1, 2, 0


class Windows:
    """Python's msvcrt: locks on bytes of a file, which belong to an open file and go when it is closed."""

    LK_LOCK, LK_NBLCK, LK_UNLCK = LOCK, NOT_WAITING, UNLOCK

    def __init__(self) -> None:
        self.held: dict[tuple[int, int], int] = {}  # (inode, byte): handle

    def locking(self, handle: int, mode: int, count: int) -> None:
        assert count == 1
        place = os.fstat(handle).st_ino, os.lseek(handle, 0, os.SEEK_CUR)
        owner = self.held.get(place)
        if mode == UNLOCK:
            if owner != handle:
                raise PermissionError(errno.EACCES, "not locked")
            del self.held[place]
        elif owner is not None:
            raise PermissionError(errno.EACCES, "locked")
        else:
            self.held[place] = handle

    def closed(self, handle: int) -> None:
        self.held = {place: owner for place, owner in self.held.items() if owner != handle}


@pytest.fixture(params=["unix", "windows"])
def system(request, monkeypatch):
    if request.param == "unix":
        return None
    return as_windows(monkeypatch)


def as_windows(monkeypatch):
    """No fcntl, and open files can neither be removed nor be renamed."""
    made, opened, close, unlink = Windows(), {}, os.close, os.unlink
    monkeypatch.setattr(_file_lock, "fcntl", None)
    monkeypatch.setattr(_file_lock, "msvcrt", made)

    def open_(path, *arguments, real=os.open, **options):
        handle = real(path, *arguments, **options)
        opened[handle] = os.path.abspath(path) if isinstance(path, str | os.PathLike) else None
        return handle

    def close_(handle):
        opened.pop(handle, None)
        made.closed(handle)
        close(handle)

    def unlink_(path, **options):
        if os.path.abspath(path) in opened.values():
            raise PermissionError(errno.EACCES, "it is open")
        unlink(path, **options)

    monkeypatch.setattr(os, "open", open_)
    monkeypatch.setattr(os, "close", close_)
    monkeypatch.setattr(os, "unlink", unlink_)
    for name in ("pread", "preadv", "pwrite", "posix_fallocate", "getuid", "sched_yield", "nice"):
        monkeypatch.delattr(os, name, raising=False)
    return made


def test_one_process_has_the_lock(system, tmp_path):
    file = tmp_path / "lock"
    handles = [os.open(file, os.O_RDWR | os.O_CREAT) for _ in range(2)]
    assert _file_lock.can_lock()
    assert _file_lock.lock(handles[0])
    assert not _file_lock.lock(handles[1])
    assert not _file_lock.lock(handles[1], shared=True)
    _file_lock.unlock(handles[0])
    assert _file_lock.lock(handles[1], wait=True)
    os.close(handles[1])  # lets it go
    assert _file_lock.lock(handles[0])
    os.close(handles[0])


def test_windows_waits_for_a_lock(monkeypatch, tmp_path):
    windows = as_windows(monkeypatch)
    handles = [os.open(tmp_path / "lock", os.O_RDWR | os.O_CREAT) for _ in range(2)]
    assert _file_lock.lock(handles[0])
    pauses = []
    sleeping = SimpleNamespace(sleep=lambda seconds: (pauses.append(seconds), windows.closed(handles[0])))
    monkeypatch.setattr(_file_lock, "time", sleeping)
    assert _file_lock.lock(handles[1], wait=True)
    assert pauses == [_file_lock.PAUSE]
    for handle in handles:
        os.close(handle)


def test_without_locks_work_goes_on(monkeypatch, tmp_path):
    monkeypatch.setattr(_file_lock, "fcntl", None)
    monkeypatch.setattr(_file_lock, "msvcrt", None)
    lock = WriterLock(tmp_path / "run.h5")
    lock.take()
    assert being_written(tmp_path / "run.h5")  # it may be
    lock.release()
    assert list(tmp_path.iterdir()) == []


def test_one_writer_a_file(system, tmp_path):
    file = tmp_path / "run.h5"
    locks = [WriterLock(file) for _ in range(2)]
    assert not being_written(file)
    locks[0].take()
    assert being_written(file)
    with pytest.raises(lw.OptionError, match=f"being written to by process {os.getpid()}"):
        locks[1].take()
    locks[0].release()
    assert not being_written(file)
    locks[1].take()
    locks[1].release()
    assert list(tmp_path.iterdir()) == []


def test_a_long_run_is_written_and_read(system, tmp_path):
    """With the calls that every system has."""
    pytest.importorskip("h5py", reason="long runs need the extra hdf5")
    file = tmp_path / "run.h5"
    for until in (0.1, 0.2):  # the second replaces the first
        lw.stream(lw.gallery.pendulum.build(), file, until=until, method="recursive", dt=0.01)
    assert len(lw.load_run(file)) == 21
    assert not lock_of(file).exists()


def test_a_handle_that_is_not_ours_is_synced_by_its_name(monkeypatch, tmp_path):
    """On Windows the numbers of HDF5's open files mean nothing to Python; other failures to sync are reported."""
    pytest.importorskip("h5py", reason="long runs need the extra hdf5")
    from linkwork.simulation.storage import stream

    synced, model = [], lw.gallery.pendulum.build()
    monkeypatch.setattr(stream, "os", SimpleNamespace(fsync=failing(errno.EBADF)))
    monkeypatch.setattr(stream, "sync_file", lambda path: synced.append(path))
    lw.stream(model, tmp_path / "run.h5", until=0.1, method="recursive", dt=0.01)
    assert set(synced) == {tmp_path / "run.h5"}
    monkeypatch.setattr(stream, "os", SimpleNamespace(fsync=failing(errno.EIO)))
    with pytest.raises(lw.OptionError, match=r"run\.h5"):
        lw.stream(model, tmp_path / "run.h5", until=0.1, method="recursive", dt=0.01)


def failing(number):
    def fsync(handle):
        raise OSError(number, os.strerror(number))

    return fsync


@pytest.mark.parametrize("times", [2, 99])
def test_a_file_that_is_read_is_replaced_a_moment_later(monkeypatch, tmp_path, times):
    """Windows refuses to replace an open file."""
    file, left, replace = tmp_path / "page.html", [times], os.replace
    file.write_text("old")

    def refusing(old, new):
        if left[0]:
            left[0] -= 1
            raise PermissionError(errno.EACCES, "it is open")
        replace(old, new)

    monkeypatch.setattr(os, "replace", refusing)
    monkeypatch.setattr(_disk, "TRIES", 4)
    monkeypatch.setattr(_disk, "PAUSE", 0.0)
    if times < 4:
        with _disk.whole(file) as beside:
            beside.write_text("new")
    else:
        with pytest.raises(PermissionError), _disk.whole(file) as beside:
            beside.write_text("new")
    assert file.read_text() == ("new" if times < 4 else "old")
    assert [each.name for each in tmp_path.iterdir()] == ["page.html"]


def test_compiled_kernels_have_a_place_and_a_lock(system, monkeypatch, tmp_path):
    """Also where users have no numbers, and folders no modes."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert _cache._temporary_root() is not None
    monkeypatch.setattr(_cache, "cache_folder", lambda: tmp_path)
    with _cache.alone("keeping"), open(tmp_path / "keeping.lock", "rb") as other:
        assert not _file_lock.lock(other.fileno())
    with open(tmp_path / "keeping.lock", "rb") as other:
        assert _file_lock.lock(other.fileno())


def test_room_on_a_disk_without_a_call_for_it(monkeypatch, tmp_path):
    from linkwork.simulation.storage import disk_space

    monkeypatch.delattr(os, "posix_fallocate", raising=False)
    room = disk_space.Room(tmp_path / "run.h5")
    room.probe()
    room.grow(1000)
    free = SimpleNamespace(disk_usage=lambda folder: SimpleNamespace(free=1000))
    monkeypatch.setattr(disk_space, "shutil", free)
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        room.grow(1000)


def test_memory_that_a_system_does_not_tell(monkeypatch):
    from linkwork.simulation.many import free_memory as recording

    def missing(*_, **__):
        raise FileNotFoundError

    monkeypatch.setattr(recording, "open", missing, raising=False)
    assert recording.free_memory() > 1e8
    monkeypatch.delattr(os, "sysconf", raising=False)
    assert recording.free_memory() == 4e9


def test_nothing_else_imports_what_one_system_has():
    """A module of Unix or of Windows is imported where the other has an alternative: in one file."""
    alone = {"fcntl", "msvcrt", "resource", "pwd", "grp", "termios", "pty", "winreg"}
    package = Path(lw.__file__).parent
    found = {
        file.relative_to(package).as_posix()
        for file in package.rglob("*.py")
        for line in file.read_text(encoding="utf-8").splitlines()
        if line.split()[:1] in (["import"], ["from"]) and line.split()[1] in alone
    }
    assert found == set()
    assert sys.platform == "win32" or _file_lock.fcntl is not None
