"""Processes killed while they stream, save, compile or serve: nothing is lost but the block being written."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from unittest.mock import patch

import numpy as np

import linkwork as lw
from attacks.wire import DT, Server, half_axle
from linkwork.simulation.storage import stream

STREAM = """
import sys
import linkwork as lw
sim = lw.Simulation(lw.gallery.pendulum.build(), "recursive", dt=1e-3)
print("ready", flush=True)
lw.stream(lw.gallery.pendulum.build(), sys.argv[1], until=1e4, method="recursive", dt=1e-3, every=100)
"""
SAVE = """
import sys
import linkwork as lw
run = lw.simulate(lw.gallery.pendulum.build(), until=20.0, method="recursive", dt=1e-3)
run.save(sys.argv[1])
print("ready", flush=True)
while True:
    run.save(sys.argv[1])
"""
COMPILE = """
import sys
sys.path.insert(0, sys.argv[1])
print("ready", flush=True)
import linkwork as lw
lw.mass_matrix(lw.assemble(lw.gallery.pendulum.build()), [0.3])
print("done", flush=True)
"""


def _killed(script: str, argument: Path, after: float, **environment: str) -> None:
    """Start the script and kill it so many seconds after it said that it is ready."""
    with subprocess.Popen(
        [sys.executable, "-c", script, str(argument)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, **environment},
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(after)
        process.send_signal(signal.SIGKILL)


def _stream(chance: random.Random, folder: Path, whole: lw.Trajectory) -> str:
    file = folder / "run.h5"
    _killed(STREAM, file, chance.uniform(0.2, 3.0))
    if not file.exists():
        return "kept"  # before the file was whole
    try:
        run = lw.load_run(file)
    except lw.OptionError as error:
        return "kept" if "no complete row" in str(error) else "lost"
    rows = min(len(run), len(whole))
    if run["pin.position"][:rows].tobytes() != whole["pin.position"][:rows].tobytes():
        return "wrong numbers"
    try:
        more = lw.Simulation(lw.gallery.pendulum.build(), resume=file)
    except lw.OptionError as error:
        return "kept" if "no state" in str(error) else "lost"
    straight = lw.Simulation(lw.gallery.pendulum.build(), "recursive", dt=1e-3)
    if more.steps:
        straight.step(more.steps)
    return "kept" if straight.state.y.tobytes() == more.state.y.tobytes() else "wrong numbers"


def _save(chance: random.Random, folder: Path, whole: lw.Trajectory) -> str:
    file = folder / "run.npz"
    _killed(SAVE, file, chance.uniform(0.0, 0.5))
    try:
        run = lw.load_run(file)
    except lw.OptionError:
        return "lost"
    return (
        "kept"
        if np.array_equal(run["pin.position"][::100][: len(whole)], whole["pin.position"][: len(run)])
        else "lost"
    )


def _compile(chance: random.Random, folder: Path, whole: lw.Trajectory) -> str:
    settings = {"LINKWORK_CACHE": str(folder), "LINKWORK_KERNELS": "compile"}
    _killed(COMPILE, folder, chance.uniform(0.0, 8.0), **settings)
    command, environment = [sys.executable, "-c", COMPILE, str(folder)], {**os.environ, **settings}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    compiled = "done" in done.stdout and any(file.is_file() and file.stat().st_size for file in folder.rglob("*"))
    return "kept" if done.returncode == 0 and compiled else "lost"


def _serve(chance: random.Random, folder: Path, whole: lw.Trajectory) -> str:
    """The server of a component is killed; another one with its folder takes its place."""
    file, keep, every = folder / "run.h5", ("--keep", str(folder / "wheel")), 10
    with Server(*keep) as far:
        threading.Timer(chance.uniform(0.1, 2.0), far.process.kill).start()
        try:
            with patch.object(stream, "STATE_SECONDS", 0.0):
                lw.stream(half_axle(lw.Remote(far.address)), file, until=1e4, dt=DT, method="component", every=every)
        except lw.RunError as error:
            if error.culprit != "wheel":
                return f"lost: {error}"
    with Server(*keep) as near:
        try:
            run = lw.load_run(file)
            more = lw.Simulation(half_axle(lw.Remote(near.address)), resume=file)
        except lw.OptionError as error:
            early = not file.exists() or "no complete row" in str(error) or "no state" in str(error)
            return "kept" if early else f"lost: {error}"
        straight = lw.Simulation(half_axle(lw.Remote(near.address)), "component", dt=DT)
        rows = [straight["guide.position"]]
        while len(rows) < len(run):
            straight.step(every)
            rows.append(straight["guide.position"])
        more.step(straight.steps + every - more.steps)
        straight.step(every)
        same = np.array_equal(run["guide.position"], rows) and straight.state.y.tobytes() == more.state.y.tobytes()
        more.close()
        straight.close()
    return "kept" if same else "wrong numbers"


def main(count: int) -> tuple[Counter[str], list[str]]:
    """`count` kills: of streams, of saves and, every tenth, of a compiler and of a server."""
    whole = lw.simulate(lw.gallery.pendulum.build(), until=20.0, method="recursive", dt=1e-3, every=100)
    outcomes, bad = Counter[str](), []
    for k in range(count):
        chance = random.Random(k)
        attack = {2: _serve, 9: _compile}.get(k % 10, _stream if k % 2 else _save)
        with tempfile.TemporaryDirectory() as folder:
            outcome = attack(chance, Path(folder), whole)
        outcomes[outcome.partition(":")[0]] += 1
        if outcome != "kept":
            bad.append(f"{attack.__name__} {k}: {outcome}")
    return outcomes, bad
