"""Long runs go to an HDF5 file block by block, so that memory stays as it is and a killed run keeps what it had.

    metadata              JSON, written before the first row: names, units, scene
    rows                  how many rows are complete, written after the rows themselves; and how many of them are sure
                          to have reached the disk
    time                  s
    data/0, data/1, …     columns and ledgers, in the order of "names" in the metadata
    state/0, state/1      two places for the whole state, used in turn: an npz in bytes, which may be of another size
                          when joints have come or gone; `state/newest` says which is complete, and its size
    certificate           JSON, when the run has ended

The file is written so that others may read it meanwhile (HDF5 calls that single writer, multiple readers), by one
process at a time, and every block of it carries a checksum. How it is read: `hdf5`.
"""

from __future__ import annotations

import errno
import json
import os
import time as clock
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork._disk import sync_file, whole
from linkwork.errors import OptionError, RunError
from linkwork.simulation.recording import STATE_SECONDS
from linkwork.simulation.results.judging.bounds import checked_bounds, refuse_poor
from linkwork.simulation.results.judging.certificate import Certificate
from linkwork.simulation.results.judging.warning import warn_of_doubts
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.simulation.stepping.remote_links import letting_go
from linkwork.simulation.storage.disk_space import Room
from linkwork.simulation.storage.files import (
    LEDGERS,
    check_format,
    check_path,
    digest_of,
    refuse_same,
    trajectory,
    write_failure,
    writing,
)
from linkwork.simulation.storage.hdf5 import h5py_module, read
from linkwork.simulation.storage.npz import DAMAGES, Damaged, packed, unpacked
from linkwork.simulation.storage.writer_lock import WriterLock, being_written
from linkwork.simulation.structure.snapshot import refuse_forgetful, state_arrays

if TYPE_CHECKING:
    from linkwork.simulation.run import Simulation

FORMAT = "linkwork stream"
CHUNK = 1024  # rows of a chunk of the file
CACHE = 1 << 18  # bytes of memory for the chunks of a column
INDEX = 512  # bytes, at most, by which a chunk more makes the index of its column grow


class Stream:
    """A file that rows go to."""

    def __init__(self, file: str | PathLike[str]) -> None:
        self.path = check_path(file, (".h5",))
        self._h5py = h5py_module()
        self._file: Any = None
        self._lock = WriterLock(self.path)
        self._empty()

    def _empty(self) -> None:
        self._states = True
        self._turn, self._next_state = 0, 0.0
        self._room = Room(self.path)

    def begin_again(self) -> None:
        """Forget the rows so far: the run starts anew, and opens the file again."""
        self.release()
        self._empty()

    def open(self, metadata: dict[str, Any], block: dict[str, Any], sim: Simulation) -> None:
        """Make the file with room for what comes; `block` shows what rows look like."""
        try:
            refuse_forgetful(sim)
        except OptionError:
            self._states = False
        names = [name for name in block if name != "time"]
        metadata = {"format": FORMAT, "version": 1, "names": names, **metadata}
        with _writing(self.path):
            self._room.probe()
            self._lock.take()
            try:
                # made, closed and opened again under its name: Windows renames no open file
                with whole(self.path) as beside, self._opened(beside, "w") as file:
                    _make(file, metadata, names, block)
                self._file = self._opened(self.path, "r+")
                self._file.swmr_mode = True
            except BaseException:
                self.release()
                raise
            self._room.grow(self.path.stat().st_size)

    def _opened(self, place: Path, mode: str) -> Any:
        return self._h5py.File(place, mode, libver="latest", rdcc_nbytes=CACHE)

    def release(self) -> None:
        """Close what is open, whatever state it is in."""
        if self._file is not None:
            with suppress(Exception):
                self._file.close()
        self._lock.release()

    def add(self, block: dict[str, Any], sim: Simulation, sound: bool) -> None:
        """Write further rows, and now and then see to it that they reach the disk, with the state."""
        file = self._file
        with _writing(self.path):
            rows = int(file["rows"][0])
            more = len(block["time"])
            values = [block["time"], *(values for name, values in block.items() if name != "time")]
            self._room.grow(_growth(rows, more, values))
            places = [file["time"], *(file[f"data/{k}"] for k in range(len(values) - 1))]
            for place, numbers in zip(places, values, strict=True):
                place.resize(rows + more, axis=0)
                place[rows:] = numbers
            file.flush()
            file["rows"][0] = rows + more
            file["rows"].flush()
            if clock.monotonic() >= self._next_state:
                self._checkpoint(sim, sound)

    def _checkpoint(self, sim: Simulation, sound: bool) -> None:
        """Rows so far, and the state unless a step of it failed, reach the disk; then the file says that it has them.

        After a power cut one of the two states is whole, and so are all rows of the last checkpoint.
        """
        newest = self._put_state(sim) if sound and self._states else None
        self._sync()
        self._file["rows"][1] = self._file["rows"][0]
        if newest is not None:
            self._file["state/newest"][:] = newest
            self._turn = 1 - self._turn
        self._sync()
        self._next_state = clock.monotonic() + STATE_SECONDS

    def _put_state(self, sim: Simulation) -> tuple[int, int]:
        """Write the state to the place whose turn it is; returns that and its size."""
        place = self._file[f"state/{self._turn}"]
        try:
            arrays = state_arrays(sim, self._turn)
        except RunError:
            self._states = False  # a component elsewhere was lost; the state before this one stays
            raise
        data = np.frombuffer(packed(arrays), dtype=np.uint8)
        if len(data) > len(place):
            self._room.grow(len(data) - len(place) + place.chunks[0] + INDEX)
            place.resize(len(data), axis=0)
        place[: len(data)] = data
        return self._turn, len(data)

    def _sync(self) -> None:
        """What was written so far reaches the disk."""
        self._file.flush()
        try:
            os.fsync(self._file.id.get_vfd_handle())
        except OSError as error:
            if error.errno != errno.EBADF:
                raise
            sync_file(self.path)  # on Windows HDF5 has numbers of its own for open files

    def _text(self, place: Any, facts: dict[str, Any]) -> None:
        data = np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)
        place.resize(len(data), axis=0)
        place[:] = data

    def finish(self, certificate: Certificate, sim: Simulation, sound: bool) -> None:
        """Write the certificate, and the last state unless a step of it failed; close the file."""
        with _writing(self.path):
            self._checkpoint(sim, sound)
            self._text(self._file["certificate"], certificate.as_dict())
            self._sync()
            self._file.close()
            sync_file(self.path)
        self._lock.release()


def _make(file: Any, metadata: dict[str, Any], names: list[str], block: dict[str, Any]) -> None:
    """Lay out an empty file."""

    def add(name: str, shape: tuple[int, ...], kind: Any, chunk: int, data: Any = None) -> None:
        """A dataset that grows by rows, every chunk of it with a checksum."""
        options = {"maxshape": (None, *shape[1:]), "chunks": (chunk, *shape[1:]), "fletcher32": True}
        file.create_dataset(name, shape if data is None else None, kind, data, **options)

    text = np.frombuffer(json.dumps(metadata).encode(), dtype=np.uint8)
    add("metadata", text.shape, np.uint8, len(text), text)
    add("certificate", (0,), np.uint8, 4096)
    add("rows", (2,), np.int64, 2, np.zeros(2, dtype=np.int64))
    add("time", (0,), "f8", CHUNK)
    for k, name in enumerate(names):
        add(f"data/{k}", (0, *np.shape(block[name])[1:]), "f8", CHUNK)
    add("state/newest", (2,), np.int64, 2, np.array([-1, 0]))
    for turn in range(2):
        add(f"state/{turn}", (0,), np.uint8, 1 << 16)


def save_run(run: Trajectory, path: Path) -> None:
    """A run that is over, as `lw.stream` would have left it, but for states to continue from. See `Trajectory.save`."""
    if run.contacts is not None:
        raise OptionError(f"cannot write {path}: contacts go into .npz files only; give a name that ends so")
    ledgers = {kind: getattr(run, kind) for kind in LEDGERS}
    block = {f"column/{name}": values for name, values in run.columns.items()}
    block |= {f"{kind}/{name}": values for kind, ledger in ledgers.items() for name, values in ledger.items()}
    said = {"model_name": run.model_name, "columns": list(run.columns), "units": run.units, "scene": run.scene}
    said["scene_digest"] = digest_of(run.scene)
    said |= {kind: list(ledger) for kind, ledger in ledgers.items()}
    metadata = {"format": FORMAT, "version": 1, "names": list(block), **said}
    with writing(path) as beside, _writing(path), h5py_module().File(beside, "w", libver="latest") as file:
        _make(file, metadata, list(block), block)
        for place, values in zip(
            ["time", *(f"data/{k}" for k in range(len(block)))], [run.time, *block.values()], strict=True
        ):
            file[place].resize(len(run), axis=0)
            file[place][:] = values
        file["rows"][:] = len(run)
        text = np.frombuffer(json.dumps(run.certificate.as_dict() | {"stopped": run.stopped}).encode(), dtype=np.uint8)
        file["certificate"].resize(len(text), axis=0)
        file["certificate"][:] = text


def _growth(rows: int, more: int, values: list[Any]) -> int:
    """Bytes by which the file grows at most when so many rows are added: whole chunks, and where they are told."""
    chunks = -(-(rows + more) // CHUNK) - -(-rows // CHUNK)
    return chunks * sum(CHUNK * 8 * int(np.prod(each.shape[1:])) + INDEX for each in values)


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Failures of writing as one sentence."""
    try:
        yield
    except (OptionError, RunError):
        raise
    except OSError as error:
        raise write_failure(path, error) from error
    except (RuntimeError, ValueError) as error:
        what = " ".join(str(error).split())[:80]
        raise OptionError(f"cannot write {path} ({what}); choose another place") from error


def stream(
    model: Any,
    file: str | PathLike[str],
    *,
    until: float,
    method: Any = "auto",
    record: str | Sequence[str] = "all",
    every: int = 1,
    progress: Callable[[float], None] | None = None,
    ignore: Sequence[str] = (),
    resume: str | PathLike[str] | None = None,
    strict: bool | Mapping[str, float] = False,
    **options: Any,
) -> Certificate:
    """`lw.simulate` for long runs: writes samples to `file` (.h5) during the run. Returns the certificate.

    Memory use does not grow. The file can be read during the run, and after it was killed; `lw.load_run(file)` returns
    the trajectory. It also contains the state of every two seconds and of the end: `resume=file` of `lw.simulate`,
    `lw.stream` or `lw.Simulation` continues from there, bit for bit. `strict` and warnings are those of `lw.simulate`.
    Needs the extra `hdf5`.

    >>> import tempfile, os.path
    >>> file = os.path.join(tempfile.mkdtemp(), "run.h5")
    >>> made = lw.stream(lw.gallery.pendulum.build(), file, until=1.0, method="recursive", dt=0.01)
    >>> made.steps, len(lw.load_run(file))
    (100, 101)
    """
    from linkwork.simulation.simulate import recorded

    with letting_go(model):
        bounds = checked_bounds(strict)
        refuse_same(resume, file)
        sink = Stream(file)
    made, _ = recorded(model, until, method, record, every, progress, ignore, {**options, "resume": resume}, sink)
    name = made.sim.system.model.name
    refuse_poor(made.certificate, bounds, name)
    warn_of_doubts(made.certificate, name)
    return made.certificate


def _said(place: Any) -> dict[str, Any]:
    found = json.loads(bytes(place[:]).decode())
    if not isinstance(found, dict):
        raise Damaged("it is no table")
    return found


def read_run(path: Path, last: bool = False) -> Trajectory:
    """The complete rows of a file, or its `last` one; the certificate of a killed run says no more than that."""
    return read(path, lambda file: _run(path, file, last), lambda: being_written(path))


def _run(path: Path, file: Any, last: bool) -> Trajectory:
    facts = _said(file["metadata"])
    check_format(path, facts, FORMAT)
    rows = int(file["rows"][0])
    if rows <= 0:
        raise OptionError(f"{path} has no complete row; run it again")
    data = _rows(file, facts["names"], rows, last)
    certificate = {"method": "", "reached": float(data["time"][-1]), "stopped": "the run did not come to its end"}
    if file["certificate"].shape[0]:
        try:
            certificate = _said(file["certificate"])
        except DAMAGES:  # a power cut while the file was ended: the rows were on the disk before
            certificate["stopped"] = "its certificate is damaged"
    facts["stopped"] = certificate["stopped"]
    return trajectory(facts, data, certificate, {name: f"column/{name}" for name in facts["columns"]})


def _rows(file: Any, names: list[str], rows: int, last: bool) -> dict[str, Any]:
    """The rows of all columns, or the last; after a power cut those of the last checkpoint, to whole chunks."""
    counts = [rows]
    if file["rows"].shape[0] > 1 and not file["certificate"].shape[0]:
        sure = int(file["rows"][1])
        counts += [count for count in (sure, sure - sure % CHUNK) if 0 < count < rows]
    for count in counts:
        with suppress(*(DAMAGES if count != counts[-1] else ())):
            return _first_rows(file, names, count, last)
    raise Damaged("no samples of it can be read")


def _first_rows(file: Any, names: list[str], rows: int, last: bool) -> dict[str, Any]:
    places = {"time": "time"} | {str(name): f"data/{k}" for k, name in enumerate(names)}
    if any(file[place].shape[0] < rows for place in places.values()):
        raise Damaged("it has fewer samples than it declares")
    return {name: file[place][rows - 1 if last else 0 : rows] for name, place in places.items()}


def read_state(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The newest complete state of a file."""
    return read(path, lambda file: _state(path, file), lambda: being_written(path))


def _state(path: Path, file: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    newest, size = (int(number) for number in file["state/newest"][:]) if "state/newest" in file else (-1, 0)
    if newest < 0:
        raise OptionError(f"{path} holds no state to start from; run from the start")
    return unpacked(bytes(file[f"state/{newest}"][:size]))
