"""Odd places to run in: full and read-only disks, no home, no permission, an odd clock, forks, spawns and threads.

Every job works, or ends with one sentence and exit code 1 or 2; what was there before is then still there.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import linkwork as lw
from linkwork._kernels import store as _cache

PATIENCE = 600.0  # s for one job, which may compile
COMMAND = [sys.executable, "-c", "from linkwork.cli import main; main()"]  # as the installed program
MOTION = ["--until", "0.1", "--method", "recursive"]

SAVE = """
import sys
import linkwork as lw
sim = lw.Simulation(lw.gallery.pendulum.build(), "recursive", dt=0.01)
sim.step(3)
try:
    sim.save(sys.argv[1])
except lw.OptionError as error:
    sys.exit(f"linkwork: {error}")
"""
# what is written, and how; {run} is a run that was saved, {out} the file
JOBS = {
    "run.npz": [*COMMAND, "run", "pendulum", *MOTION, "--out", "{out}"],
    "run.csv": [*COMMAND, "run", "pendulum", *MOTION, "--out", "{out}"],
    "run.h5": [*COMMAND, "run", "pendulum", *MOTION, "--out", "{out}"],
    "plot.png": [*COMMAND, "run", "pendulum", *MOTION, "--plot", "{out}"],
    "page.html": [*COMMAND, "replay", "{run}", "{out}"],
    "film.gif": [*COMMAND, "film", "{run}", "{out}", "--width", "80"],
    "film.mp4": [*COMMAND, "film", "{run}", "{out}", "--width", "80"],
    "state.npz": [sys.executable, "-c", SAVE, "{out}"],
    "": [*COMMAND, "check", "pendulum"],
}
# simulations made before, and stepped in other processes or threads: the same bits everywhere
SEVERAL = """
import multiprocessing, sys, threading
import linkwork as lw

def made():
    sim = lw.Simulation(lw.gallery.pendulum.build(), "recursive", dt=0.001)
    sim.step(10)
    return sim

def go_on(sim, answers):
    sim.step(500)
    answers.put(sim.state.y.tobytes())

def anew(answers):
    go_on(made(), answers)

if __name__ == "__main__":
    way, sims = sys.argv[1], [made() for _ in range(8)]
    threads = way == "threads"
    context = multiprocessing.get_context("fork" if threads else way)
    if threads:
        import queue
        answers = queue.Queue()
        start = lambda sim: threading.Thread(target=go_on, args=(sim, answers))
    else:
        answers = context.Queue()
        start = lambda sim: context.Process(**(
            {"target": go_on, "args": (sim, answers)} if way == "fork" else {"target": anew, "args": (answers,)}
        ))
    started = [start(sim) for sim in (sims if way != "spawn" else sims[:2])]
    for each in started:
        each.start()
    found = {answers.get(timeout=300) for _ in started}
    for each in started:
        each.join()
    alone = made()
    alone.step(500)
    sys.exit(0 if found == {alone.state.y.tobytes()} else "other bits")
"""
CLOCK = """
import time
began = time.monotonic()
time.time = lambda: 60.0 - (time.monotonic() - began)
time.time_ns = lambda: int(1e9 * time.time())
"""


@dataclass
class Place:
    """Where a job runs: the folder that it writes to, and what is odd about its process."""

    out: Path
    environment: dict[str, str | None] = field(default_factory=dict)
    process: dict[str, Any] = field(default_factory=dict)
    spoil: Callable[[], object] = lambda: None  # called once older files lie there


class Unavailable(Exception):
    """This machine has no such place; the message says why."""


def _must(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Unavailable(f"{command[0]} is not possible here ({done.stderr.strip()})")


@contextmanager
def full_disk(folder: Path) -> Iterator[Place]:
    _must("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder))
    try:
        yield Place(folder, spoil=lambda: _fill(folder / "filler"))
    finally:
        _must("umount", str(folder))


def _fill(filler: Path) -> None:
    with open(filler, "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            return


@contextmanager
def read_only_disk(folder: Path) -> Iterator[Place]:
    _must("mount", "--bind", str(folder), str(folder))
    try:
        yield Place(folder, spoil=lambda: _must("mount", "-o", "remount,ro,bind", str(folder)))
    finally:
        _must("umount", str(folder))


@contextmanager
def no_permission(folder: Path) -> Iterator[Place]:
    yield Place(folder, process={"preexec_fn": _powerless}, spoil=lambda: folder.chmod(0o555))
    folder.chmod(0o700)


def _powerless() -> None:
    """Let a super-user obey permissions too (Linux)."""
    for capability in (1, 2):  # to write and to read whatever it is
        ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)


@contextmanager
def no_folder(folder: Path) -> Iterator[Place]:
    (folder / "file").write_text("no folder")
    yield Place(folder / "file")


@contextmanager
def folder_gone(folder: Path) -> Iterator[Place]:
    """The process stands in a folder that is removed, and writes to it."""
    (folder / "gone").mkdir()
    yield Place(Path(), process={"cwd": folder / "gone", "preexec_fn": lambda: shutil.rmtree(folder / "gone")})


@contextmanager
def full_stdout(folder: Path) -> Iterator[Place]:
    with open("/dev/full", "w") as full:
        yield Place(folder, process={"stdout": full})


def _set_to(**environment: str | None) -> Callable[[Path], AbstractContextManager[Place]]:
    """A process whose settings lead nowhere: {no} becomes a folder that cannot be made, {tmp} one with the kernels."""

    @contextmanager
    def place(folder: Path) -> Iterator[Place]:
        (folder / "file").write_text("")
        kernels, kept = folder / "tmp" / f"{_cache.OUR_FOLDER}-{os.getuid()}", _cache.cache_folder()
        kernels.mkdir(mode=0o700, parents=True)
        if kept is not None:
            (kernels / kept.name).symlink_to(kept)
        words = {"no": folder / "file" / "nowhere", "tmp": folder / "tmp"}
        (folder / "out").mkdir()
        yield Place(folder / "out", {name: value and value.format(**words) for name, value in environment.items()})

    return place


@contextmanager
def clock_set_back(folder: Path) -> Iterator[Place]:
    """A minute after the first of January 1970, and running backwards."""
    (folder / "sitecustomize.py").write_text(CLOCK)
    (folder / "out").mkdir()
    yield Place(folder / "out", {"PYTHONPATH": f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"})


HOMELESS: dict[str, str | None] = {"LINKWORK_CACHE": None, "XDG_CACHE_HOME": None, "TMPDIR": "{tmp}"}
PLACES: dict[str, Callable[[Path], AbstractContextManager[Place]]] = {
    "full disk": full_disk,
    "read-only disk": read_only_disk,
    "no permission": no_permission,
    "HOME nowhere": _set_to(**HOMELESS | {"HOME": "{no}"}),
    "clock set back": clock_set_back,
    "file for a folder": no_folder,
    "folder gone": folder_gone,
    "full standard output": full_stdout,
    "no HOME": _set_to(HOME=None),
    "XDG_CACHE_HOME nowhere": _set_to(**HOMELESS | {"XDG_CACHE_HOME": "{no}"}),
    "TMPDIR nowhere": _set_to(TMPDIR="{no}"),
}
WAYS = ("fork", "spawn", "threads")


def _in_place(name: str, job: str, run: Path, folder: Path) -> str:
    with PLACES[name](folder) as place:
        target = place.process.get("cwd", place.out) / job
        old = b""
        if job and target.parent.is_dir() and name != "full standard output":
            old = run.read_bytes()
            target.write_bytes(old)
        place.spoil()
        words = {"{run}": str(run), "{out}": str(place.out / job)}
        done = _done([words.get(word, word) for word in JOBS[job]], place)
        outcome = _judged(done)
        if not job or not target.parent.is_dir():
            return outcome
        now = target.read_bytes() if target.exists() else b""
        if outcome == "works" and (now in (b"", old) or not _whole(target)):
            return "lost: no new file"
        if outcome == "one sentence" and now != old and not _whole(target):
            return f"lost: {len(old)} bytes are {len(now)}"
        beside = [found.name for found in target.parent.iterdir() if found.name.startswith(f".{target.stem}")]
        return f"left behind: {beside}" if beside else outcome


def _done(command: list[str], place: Place) -> subprocess.CompletedProcess[str]:
    paths = [os.path.abspath(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    settings = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), **place.environment}
    options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "text": True, "timeout": PATIENCE}
    kept = {name: value for name, value in settings.items() if value is not None}
    return subprocess.run(command, env=kept, **{**options, **place.process})


def _judged(done: subprocess.CompletedProcess[str]) -> str:
    """How a command ended: it works, or one sentence says why not."""
    if done.returncode == 0:
        return "works"
    said = [line for line in done.stderr.splitlines() if line.strip()]
    ours = [line for line in said if line.startswith("linkwork: ")]
    if done.returncode in (1, 2) and len(said) == len(ours) == 1 and "mistake in linkwork" not in ours[0]:
        return "one sentence"
    return f"raw exception: exit {done.returncode}, {' '.join(said[-2:])[-300:]}"


def _whole(file: Path) -> bool:
    """What was written can be read."""
    content = file.read_bytes()
    if file.stem == "run" and file.suffix != ".csv":
        return len(lw.load_run(file)) > 10
    ends = {".csv": b"\n", ".html": b"</html>", ".png": b"IEND\xaeB`\x82", ".gif": b";", ".mp4": b"", ".npz": b""}
    return len(content) > 100 and content.rstrip(b"\n").endswith(ends[file.suffix].rstrip(b"\n"))


def _several(way: str, folder: Path) -> str:
    script = folder / "several.py"
    script.write_text(SEVERAL)
    done = _done([sys.executable, str(script), way], Place(folder))
    return "works" if done.returncode == 0 else f"wrong numbers: {done.stderr[-300:]}"


def main(count: int) -> tuple[Counter[str], list[str]]:
    """`count` jobs in odd places, each with another job than the one before; 102 are all there are."""
    places, jobs = list(PLACES), list(JOBS)  # 11 and 9, so that all pairs are met
    pairs = [(places[k % len(places)], jobs[k % len(jobs)]) for k in range(len(places) * len(jobs))]
    cases = [("fork", ""), ("threads", ""), *pairs, ("spawn", "")]
    outcomes, bad = Counter[str](), []
    with tempfile.TemporaryDirectory() as kept:
        run = Path(kept) / "kept.npz"
        lw.simulate(lw.gallery.pendulum.build(), until=0.5, method="recursive", dt=0.01).save(run)
        for name, job in cases[:count]:
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                try:
                    way = name in WAYS
                    outcome = _several(name, Path(folder)) if way else _in_place(name, job, run, Path(folder))
                except subprocess.TimeoutExpired:
                    outcome = "hang"
                except Unavailable as why:
                    outcome = f"skipped: {why}"
            kind = outcome.partition(":")[0]
            outcomes[kind] += 1
            if kind not in ("works", "one sentence", "skipped"):
                bad.append(f"{name}, {job}: {outcome}")
    return outcomes, bad
