"""Result files: `.npz` keeps a whole run and brings it back bit for bit, `.csv` is a table for other programs.

Long runs go to `.h5` while they last: see `stream`.

Inside the npz every array stands under its column's name, the ledgers as "energy/total", "drift/position",
"solver/iterations", and the certificate, the units, the names and the scene (what there is to draw) in one JSON text
called "metadata". Nothing is pickled.
"""

from __future__ import annotations

import csv
import errno
import hashlib
import io
import json
import math
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from linkwork._disk import whole
from linkwork.errors import OptionError
from linkwork.model.checked import shown
from linkwork.simulation.results.judging.certificate import Certificate
from linkwork.simulation.results.scene.contact_log import ContactLog
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.simulation.storage.npz import DAMAGES, Damaged, reason, unpacked, write_members

FORMAT = "linkwork run"
FORMAT_VERSION = 1
SUFFIXES = (".npz", ".csv")
REMEDY = "give a file that run.save(...) wrote"
LEDGERS = ("energy", "drift", "solver")
_ROWS_AT_ONCE = 4096


def save(run: Trajectory, file: str | PathLike[str]) -> None:
    """Write a run to `.npz` (everything), `.h5` (without contacts) or `.csv` (the table).

    An existing file is replaced only once all is written. A path that cannot be written, a full disk or an unknown
    suffix raises `OptionError`.
    """
    path = check_path(file, (*SUFFIXES, ".h5"))
    if path.suffix.lower() == ".h5":
        from linkwork.simulation.storage.stream import save_run

        return save_run(run, path)
    write = _write_csv if path.suffix.lower() == ".csv" else _write_npz
    write_file(path, lambda stream: write(run, stream))


def load_run(file: str | PathLike[str]) -> Trajectory:
    """Read back what `Trajectory.save("….npz")` or `lw.stream("….h5")` wrote, certificate included.

    >>> load_run("nowhere.npz")
    Traceback (most recent call last):
    linkwork.errors.OptionError: there is no file nowhere.npz; give a file that run.save(...) wrote
    """
    path = path_of(file)
    if path.suffix.lower() == ".csv":
        raise OptionError(f"{path} is a table for other programs; save the run as .npz to load it again")
    if not path.exists():
        raise OptionError(f"there is no file {path}; {REMEDY}")
    if path.is_dir():
        raise OptionError(f"{path} is a folder; {REMEDY}")
    if path.suffix.lower() == ".h5":
        from linkwork.simulation.storage.stream import read_run

        return read_run(path)
    try:
        facts, arrays = unpacked(path)
        check_format(path, facts)
        return trajectory(facts, arrays, facts["certificate"], facts["columns"])
    except OptionError:
        raise
    except PermissionError as error:
        raise OptionError(f"cannot read {path}: no permission; {REMEDY}") from error
    except DAMAGES as error:
        raise OptionError(f"{path} is not a linkwork run, or it is damaged{reason(error)}; {REMEDY}") from error


def trajectory(facts: Any, data: dict[str, Any], certificate: dict[str, Any], columns: Any) -> Trajectory:
    """A run from what its file says of it and its arrays; `columns` leads from the name of each to its array's."""
    ledgers = {kind: {str(name): data[f"{kind}/{name}"] for name in facts.get(kind, [])} for kind in LEDGERS}
    if any(not isinstance(unit, str) for unit in facts["units"].values()) or not isinstance(facts["model_name"], str):
        raise Damaged("its names and units are no text")
    if facts.get("scene_digest", digest := digest_of(facts.get("scene"))) != digest:
        raise Damaged("what there is to draw of it was changed")
    names = columns if isinstance(columns, dict) else {name: name for name in columns}
    told = Certificate.from_dict(certificate)
    str(told)  # raises where its parts do not fit together
    if any(why is not None and not isinstance(why, str) for why in (facts["stopped"], told.stopped)):
        raise Damaged("why it stopped is no text")
    run = Trajectory(
        time=data["time"],
        columns={name: data[place] for name, place in names.items()},
        units=facts["units"],
        certificate=told,
        model_name=facts["model_name"],
        stopped=facts["stopped"],
        scene=facts.get("scene"),
        contacts=_contacts(facts.get("contacts"), data),
        **ledgers,
    )
    for name in names:
        words, width = run.unit(name).count(",") + 1, math.prod(data[names[name]].shape[1:])
        if words not in (1, width):
            raise Damaged(f"its unit of '{name}' is for {words} numbers and not for {width}")
    return run


def digest_of(scene: Any) -> str:
    """Of what there is to draw: many parts that only pictures read, long after the file was."""
    return hashlib.sha256(json.dumps(scene).encode()).hexdigest()[:16]


def _contacts(said: Any, data: dict[str, Any]) -> ContactLog | None:
    """The contacts that a file holds, if it does."""
    if said is None:
        return None
    arrays = {str(name): data[f"contacts/{name}"] for name in said["arrays"]}
    if len({len(values) for name, values in arrays.items() if name != "time"}) > 1:
        raise Damaged("its contacts are not whole")
    return ContactLog.from_arrays(said["names"], arrays)


def path_of(file: Any) -> Path:
    """The path, once it is sure that a file can be called so.

    >>> path_of("a\\0b.npz")
    Traceback (most recent call last):
    linkwork.errors.OptionError: 'a\\x00b.npz' cannot be the name of a file here (embedded null byte); give another
    """
    if not isinstance(file, (str, os.PathLike)):
        raise OptionError(f"{shown(file)} is not a file name; give one as text or a path")
    path = Path(file)
    why: object = None
    try:
        os.lstat(path)
    except ValueError as error:  # a letter that no name of a file can have
        why = error
    except OSError as error:  # whether it is there, and may be read, is another question
        why = error.strerror if error.errno in (errno.ENAMETOOLONG, errno.EINVAL, errno.EILSEQ) else None
    if why is not None:
        raise OptionError(f"{shown(str(path))} cannot be the name of a file here ({why}); give another")
    return path


def check_path(file: str | PathLike[str], suffixes: tuple[str, ...] = SUFFIXES) -> Path:
    """The path, once it is sure that its suffix is known and its folder can be written to. Ask before a long run.

    >>> check_path("run.xls")
    Traceback (most recent call last):
    linkwork.errors.OptionError: cannot write run.xls: unknown suffix '.xls'; known are .npz, .csv
    """
    path = path_of(file)
    if path.suffix.lower() not in suffixes:
        what = f"unknown suffix {path.suffix!r}" if path.suffix else "the name has no suffix"
        raise OptionError(f"cannot write {path}: {what}; known are {', '.join(suffixes)}")
    folder = path.parent
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "does not exist"
        raise OptionError(f"cannot write {path}: the folder {folder} {what}; create it or choose another place")
    if path.is_dir():
        raise OptionError(f"cannot write {path}: it is a folder; give a file name")
    if not os.access(folder, os.W_OK) or (path.exists() and not os.access(path, os.W_OK)):
        raise OptionError(f"cannot write {path}: no permission; choose another place")
    return path


def refuse_same(resume: Any, file: Any) -> None:
    """A run must not overwrite the state that it starts from.

    >>> refuse_same("run.h5", "./run.h5")
    Traceback (most recent call last):
    linkwork.errors.OptionError: ./run.h5 holds the state that the run starts from; write to another file
    """
    if resume is not None and file is not None and path_of(resume).resolve() == path_of(file).resolve():
        raise OptionError(f"{file} holds the state that the run starts from; write to another file")


def write_failure(path: Path, error: OSError) -> OptionError:
    """The sentence for a write that went wrong half way."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return OptionError(f"cannot write {path}: the disk is full; free some space or choose another place")
    return OptionError(f"cannot write {path}: {error.strerror or error}; choose another place")


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """A place beside the file to write it whole, with what goes wrong in a sentence."""
    try:
        with whole(path) as beside:
            yield beside
    except OSError as error:
        raise write_failure(path, error) from error


def write_file(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """`writing`, for what writes to an open file."""
    with writing(path) as beside, open(beside, "xb") as stream:
        write(stream)


def _write_npz(run: Trajectory, stream: BinaryIO) -> None:
    metadata = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "model_name": run.model_name,
        "stopped": run.stopped,
        "columns": list(run.columns),
        "units": run.units,
        "energy": list(run.energy),
        "drift": list(run.drift),
        "solver": list(run.solver),
        "certificate": run.certificate.as_dict(),
        "scene": run.scene,
        "scene_digest": digest_of(run.scene),
    }
    log = {} if run.contacts is None else run.contacts.arrays()
    if run.contacts is not None:
        metadata["contacts"] = {"names": list(run.contacts.names), "arrays": list(log)}
    arrays = {"metadata": np.array(json.dumps(metadata)), "time": run.time, **run.columns}
    arrays |= {f"contacts/{name}": values for name, values in log.items()}
    arrays |= {f"energy/{name}": values for name, values in run.energy.items()}
    arrays |= {f"drift/{name}": values for name, values in run.drift.items()}
    arrays |= {f"solver/{name}": values for name, values in run.solver.items()}
    write_members(arrays, stream)


def write_arrays(path: Path, arrays: dict[str, Any]) -> None:
    """Write arrays by name to an npz."""
    write_file(path, lambda stream: write_members(arrays, stream))


def read_arrays(file: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The state that a file holds: what is said of it, and its arrays."""
    path = path_of(file)
    if not path.is_file():
        raise OptionError(f"there is no file {path}; give one with a state to start from")
    try:
        if path.suffix.lower() == ".h5":
            from linkwork.simulation.storage.stream import read_state

            return read_state(path)
        return unpacked(path)
    except OptionError:
        raise
    except DAMAGES as error:
        raise OptionError(
            f"{path} is no state of linkwork, or it is damaged{reason(error)}; give another file"
        ) from error


def save_csv(run: Trajectory, file: str | PathLike[str], columns: str | Sequence[str] | None) -> None:
    """See `Trajectory.to_csv`."""
    path = check_path(file, (".csv",))
    wanted = [columns] if isinstance(columns, str) else columns
    if wanted is not None and (not isinstance(wanted, (list, tuple)) or not wanted):
        raise OptionError(f"columns must be names such as 'pin.position', not {shown(columns)}; correct columns=")
    names = None if wanted is None else [name for pattern in wanted for name in run.matching(pattern)]
    write_file(path, lambda stream: _write_csv(run, stream, names))


def _write_csv(run: Trajectory, stream: BinaryIO, names: list[str] | None = None) -> None:
    header, series = ["time [s]"], [run.time]
    ledgers = [f"energy.{name}" for name in run.energy] + [f"drift.{name}" for name in run.drift]
    ledgers += [f"solver.{name}" for name in run.solver]
    for name in dict.fromkeys([*run.columns, *ledgers] if names is None else names):
        if name == "time":
            continue
        for label, unit, values in run.components(name):
            header.append(f"{label} [{unit}]" if unit else label)
            series.append(values)
    _write_columns(stream, header, series)


def save_table(file: str | PathLike[str], header: list[str], series: Sequence[Any]) -> None:
    """Write columns of numbers of the same length to `.csv`."""
    write_file(check_path(file, (".csv",)), lambda stream: _write_columns(stream, header, series))


def _write_columns(stream: BinaryIO, header: list[str], series: Sequence[Any]) -> None:
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
    rows = csv.writer(text)
    rows.writerow(header)
    for start in range(0, len(series[0]), _ROWS_AT_ONCE):
        block = [values[start : start + _ROWS_AT_ONCE].tolist() for values in series]
        rows.writerows(zip(*block, strict=True))
    text.detach()  # flushed, and the stream stays open


def check_format(path: Path, facts: dict[str, Any], format_name: str = FORMAT) -> None:
    """Refuse what is another kind of file, or was written by a later version."""
    if facts.get("format") != format_name:
        raise OptionError(f"{path} is not a linkwork run; {REMEDY}")
    if not facts.get("version", 0) <= FORMAT_VERSION:
        raise OptionError(f"{path} was written by a newer linkwork; install that version to read it")
