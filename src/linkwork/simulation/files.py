"""Result files: `.npz` keeps a whole run and brings it back bit for bit, `.csv` is a table for other programs.

Long runs go to `.h5` while they last: see `stream`.

Inside the npz every array stands under its column's name, the ledgers as "energy/total", "drift/position",
"solver/iterations", and the certificate, the units, the names and the scene (what there is to draw) in one JSON text
called "metadata". Nothing is pickled.
"""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import secrets
import zipfile
from collections.abc import Callable
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from linkwork.errors import OptionError
from linkwork.model.checked import shown
from linkwork.simulation.certificate import Certificate
from linkwork.simulation.trajectory import Trajectory

FORMAT = "linkwork run"
FORMAT_VERSION = 1
SUFFIXES = (".npz", ".csv")
REMEDY = "give a file that run.save(...) wrote"
_ROWS_AT_ONCE = 4096


def save(run: Trajectory, file: str | PathLike[str]) -> None:
    """Write a run to `.npz` (everything) or `.csv` (the table). An existing file is replaced only once all is written.

    A path that cannot be written, a full disk or an unknown suffix raises `OptionError`.
    """
    path = check_path(file)
    write = _write_csv if path.suffix.lower() == ".csv" else _write_npz
    _write_whole(path, lambda stream: write(run, stream))


def load_run(file: str | PathLike[str]) -> Trajectory:
    """Read back what `Trajectory.save("….npz")` or `lw.stream("….h5")` wrote, certificate included.

    >>> load_run("nowhere.npz")
    Traceback (most recent call last):
    linkwork.errors.OptionError: there is no file nowhere.npz; give a file that run.save(...) wrote
    """
    path = _path(file)
    if path.suffix.lower() == ".csv":
        raise OptionError(f"{path} is a table for other programs; save the run as .npz to load it again")
    if not path.exists():
        raise OptionError(f"there is no file {path}; {REMEDY}")
    if path.is_dir():
        raise OptionError(f"{path} is a folder; {REMEDY}")
    if path.suffix.lower() == ".h5":
        from linkwork.simulation.stream import read_run

        return read_run(path)
    try:
        with open(path, "rb") as stream, np.load(stream, allow_pickle=False) as archive:
            if "metadata" not in archive.files:
                raise OptionError(f"{path} is not a linkwork run, it has no metadata; {REMEDY}")
            metadata = json.loads(str(archive["metadata"]))
            _check_format(path, metadata)
            return Trajectory(
                time=archive["time"],
                columns={name: archive[name] for name in metadata["columns"]},
                units=metadata["units"],
                energy={name: archive[f"energy/{name}"] for name in metadata["energy"]},
                drift={name: archive[f"drift/{name}"] for name in metadata["drift"]},
                solver={name: archive[f"solver/{name}"] for name in metadata.get("solver", [])},
                certificate=Certificate.from_dict(metadata["certificate"]),
                model_name=metadata["model_name"],
                stopped=metadata["stopped"],
                scene=metadata.get("scene"),
            )
    except OptionError:
        raise
    except OSError as error:
        raise OptionError(f"cannot read {path} ({error.strerror or error}); {REMEDY}") from error
    except (ValueError, KeyError, TypeError, AttributeError, EOFError, zipfile.BadZipFile) as error:
        raise OptionError(
            f"{path} is not a linkwork run, or it is damaged ({' '.join(str(error).split())[:80]}); {REMEDY}"
        ) from error


def _path(file: Any) -> Path:
    if not isinstance(file, (str, os.PathLike)):
        raise OptionError(f"{shown(file)} is not a file name; give one as text or a path")
    return Path(file)


def check_path(file: str | PathLike[str], suffixes: tuple[str, ...] = SUFFIXES) -> Path:
    """The path, once it is sure that its suffix is known and its folder can be written to. Ask before a long run.

    >>> check_path("run.xls")
    Traceback (most recent call last):
    linkwork.errors.OptionError: cannot write run.xls: unknown suffix '.xls'; known are .npz, .csv
    """
    path = _path(file)
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
    if resume is not None and file is not None and _path(resume).resolve() == _path(file).resolve():
        raise OptionError(f"{file} holds the state that the run starts from; write to another file")


def write_failure(path: Path, error: OSError) -> OptionError:
    """The sentence for a write that went wrong half way."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return OptionError(f"cannot write {path}: the disk is full; free some space or choose another place")
    return OptionError(f"cannot write {path}: {error.strerror or error}; choose another place")


def _write_whole(path: Path, write: Callable[[BinaryIO], None]) -> None:
    """Write beside the target and move it there, so that a failure leaves the older file as it was."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with open(beside, "xb") as stream:
            write(stream)
        os.replace(beside, path)
    except OSError as error:
        raise write_failure(path, error) from error
    finally:
        beside.unlink(missing_ok=True)


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
    }
    arrays = {"metadata": np.array(json.dumps(metadata)), "time": run.time, **run.columns}
    arrays |= {f"energy/{name}": values for name, values in run.energy.items()}
    arrays |= {f"drift/{name}": values for name, values in run.drift.items()}
    arrays |= {f"solver/{name}": values for name, values in run.solver.items()}
    _write_members(arrays, stream)


def _write_members(arrays: dict[str, Any], stream: BinaryIO) -> None:
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED, allowZip64=True) as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=False)


def write_arrays(path: Path, arrays: dict[str, Any]) -> None:
    """Write arrays by name to an npz."""
    _write_whole(path, lambda stream: _write_members(arrays, stream))


def packed(arrays: dict[str, Any]) -> bytes:
    """The bytes of an npz of these arrays."""
    stream = io.BytesIO()
    _write_members(arrays, stream)
    return stream.getvalue()


def unpacked(source: bytes | Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the metadata of an npz says, and its other arrays."""
    with np.load(io.BytesIO(source) if isinstance(source, bytes) else source, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    return json.loads(str(arrays.pop("metadata"))), arrays


def read_arrays(file: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The state that a file holds: what is said of it, and its arrays."""
    path = _path(file)
    if not path.is_file():
        raise OptionError(f"there is no file {path}; give one with a state to start from")
    try:
        if path.suffix.lower() == ".h5":
            from linkwork.simulation.stream import read_state

            return read_state(path)
        return unpacked(path)
    except (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        if isinstance(error, OptionError):
            raise
        raise OptionError(f"{path} is no state of linkwork, or it is damaged; give another file") from error


def _write_csv(run: Trajectory, stream: BinaryIO) -> None:
    header, series = ["time [s]"], [run.time]
    ledgers = [f"energy.{name}" for name in run.energy] + [f"drift.{name}" for name in run.drift]
    ledgers += [f"solver.{name}" for name in run.solver]
    for name in [*run.columns, *ledgers]:
        for label, unit, values in run.components(name):
            header.append(f"{label} [{unit}]" if unit else label)
            series.append(values)
    with io.TextIOWrapper(stream, encoding="utf-8", newline="") as text:
        rows = csv.writer(text)
        rows.writerow(header)
        for start in range(0, len(run), _ROWS_AT_ONCE):
            block = [values[start : start + _ROWS_AT_ONCE].tolist() for values in series]
            rows.writerows(zip(*block, strict=True))


def _check_format(path: Path, metadata: Any) -> None:
    if metadata.get("format") != FORMAT:
        raise OptionError(f"{path} is not a linkwork run; {REMEDY}")
    if metadata.get("version", 0) > FORMAT_VERSION:
        raise OptionError(f"{path} was written by a newer linkwork; install that version to read it")
