"""Long runs in files: rows and states that survive a kill, and starts from them to the last bit."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.gallery import chain, double_four_bar, n_four_bar, pendulum, pile
from linkwork.simulation import recording
from linkwork.simulation.methods import ALL
from linkwork.simulation.storage import stream
from linkwork.simulation.structure.snapshot import read_state

QUICK = ("component", "hybrid", "maximal")

h5py = pytest.importorskip("h5py", reason="files of long runs need h5py")

WAYS: dict[str, dict[str, Any]] = {name: {"method": name, "dt": 0.01} for name in ALL}
WAYS["component in joints"] = {"method": "component", "coordinates": "joint", "dt": 0.01}
for integrator in ("rk2", "abm4", "adaptive", "trapezoidal", "semi-implicit"):
    WAYS[f"recursive {integrator}"] = {"method": "recursive", "integrator": integrator, "dt": 0.005}


def same(a: lw.Trajectory, b: lw.Trajectory, first: int) -> None:
    """All of a from row `first` on is b, bit for bit."""
    assert np.array_equal(a.time[first:], b.time)
    for name in b.names:
        left, right = a[name][first:], b[name]
        if name.endswith("rotation"):  # the sign of a quaternion follows from the first row
            left, right = np.abs(left), np.abs(right)
        assert left.tobytes() == right.tobytes(), name
    for name in ("total", "work", "dissipated"):
        assert a.energy[name][first:].tobytes() == b.energy[name].tobytes()


@pytest.mark.parametrize("way", WAYS)
def test_a_restart_is_the_uninterrupted_run(way: str, tmp_path: Path) -> None:
    file = tmp_path / "half.h5"
    options = WAYS[way]
    whole = lw.simulate(double_four_bar.build(), until=0.6, **options)
    lw.stream(double_four_bar.build(), file, until=0.3, **options)
    rest = lw.simulate(double_four_bar.build(), until=0.6, resume=file)
    same(whole, rest, len(whole) // 2)


def juggled(planned: bool = True) -> lw.Model:
    """A double pendulum whose tip is caught on a spring joint, let go, and whose elbow opens when it is fast."""
    model = lw.Model("juggled")
    for k, name in enumerate(("upper", "lower")):
        model.body(name, mass=1.0, inertia=(0.1, 0.2, 0.15), com=(0.5, 0, 0), position=(float(k), 0, 0))
    model.revolute("shoulder", "ground", "upper", at=(0, 0, 0), axis=(0, 1, 0))
    model.revolute("elbow", "upper", "lower", at=(1, 0, 0), axis=(0, 1, 0))
    if planned:
        model.attach("ground", "lower", "ball", name="catch", frame_b=lw.Frame((1, 0, 0)), time=0.2033, damping=0.3)
        model.release("catch", time=0.6511)
        model.release("elbow", when=lambda sim: sim.time > 0.7 and sim["lower.position"][2] < -0.5, within=1e-6)
    return model


@pytest.mark.parametrize(
    ("method", "stop"),
    [
        *(pytest.param(method, 0.4, marks=[] if method in QUICK else pytest.mark.long) for method in ALL),
        ("recursive", 0.1),
        ("absolute", 0.9),
    ],
)
def test_joints_that_come_and_go(method: str, stop: float, tmp_path: Path) -> None:
    """A run with events goes on as if it had never stopped, wherever it did."""
    options: dict[str, Any] = {"method": method, "dt": 0.01}
    whole = lw.simulate(juggled(), until=1.2, **options)
    assert [event.what for event in whole.events] == ["attached", "released", "released"]
    file = tmp_path / "part.h5"
    lw.stream(juggled(), file, until=stop, **options)
    rest = lw.simulate(juggled(), until=1.2, resume=file)
    same(whole, rest, round(stop / 0.01))
    assert rest.events == whole.events
    assert rest.energy["impacts"].tobytes() == whole.energy["impacts"][round(stop / 0.01) :].tobytes()


def test_joints_attached_by_hand(tmp_path: Path) -> None:
    sims = [lw.Simulation(juggled(planned=False), "recursive", dt=0.01) for _ in range(2)]
    for sim in sims:
        sim.step(20)
        sim.attach("ground", "lower", "revolute", at=sim["lower.position"], axis=(0, 1, 0), name="peg", damping=0.1)
        sim.release("elbow")
        sim.step(10)
    sims[1].save(tmp_path / "here.npz")
    again = lw.Simulation(juggled(planned=False), resume=tmp_path / "here.npz")
    assert again.attached == ["peg"]
    assert again.changes == sims[0].changes
    for sim in (sims[0], again):
        sim.step(30)
        sim.release("peg")
        sim.step(30)
    assert again.state.y.tobytes() == sims[0].state.y.tobytes()


def test_a_failed_run_with_events_can_be_started_again(tmp_path: Path) -> None:
    """The law fails in the step that an event splits: the state kept is that of the event."""
    broken = [True]

    def law(t: float) -> float:
        return float("nan") if broken[0] and t > 0.2049 else 1.0

    def make() -> lw.Model:
        model = juggled()
        model.torque("drive", "shoulder", law)
        return model

    with pytest.raises(lw.RunError) as caught:
        lw.simulate(make(), until=1.0, dt=0.01, method="recursive")
    assert caught.value.time == pytest.approx(0.2033)
    caught.value.save_state(str(tmp_path / "last.npz"))
    broken[0] = False
    sim = lw.Simulation(make(), resume=tmp_path / "last.npz")
    assert (sim.time, sim.attached) == (caught.value.time, ["catch"])
    sim.step(100)
    whole = lw.simulate(make(), until=1.2, dt=0.01, method="recursive")
    assert [event.joint for event in whole.events] == [change.joint for change in sim.changes]
    assert sim.changes[1].time == pytest.approx(0.6511)


def test_with_contacts_and_friction(tmp_path: Path) -> None:
    """Warm starts of contacts that last are part of the state."""
    make = lambda: pile.build(n=6)  # noqa: E731
    whole = lw.simulate(make(), until=0.8, dt=0.005)
    sim = lw.Simulation(make(), dt=0.005)
    sim.step(100)
    sim.save(tmp_path / "here.npz")
    rest = lw.simulate(make(), until=0.8, resume=tmp_path / "here.npz")
    same(whole, rest, 100)


def test_the_file_holds_the_run(tmp_path: Path) -> None:
    model = chain.build(n=3)
    file = tmp_path / "run.h5"
    made = lw.stream(model, file, until=1.0, dt=0.01, every=2, record="*.position")
    run = lw.simulate(model, until=1.0, dt=0.01, every=2, record="*.position")
    read = lw.load_run(file)
    same(run, read, 0)
    assert read.certificate.as_dict() | {"wall_seconds": 0} == run.certificate.as_dict() | {"wall_seconds": 0}
    assert made == read.certificate
    assert read.units == run.units
    assert read.scene is not None


def test_memory_stays_flat(tmp_path: Path) -> None:
    """A hundred thousand rows take no more than ten thousand do."""
    script = (
        "import resource, sys, linkwork as lw\n"
        "model = lw.gallery.pendulum.build()\n"
        "def most(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "lw.stream(model, sys.argv[1], until=10.0, dt=1e-3, method='recursive')\n"
        "before = most()\n"
        "lw.stream(model, sys.argv[1], until=100.0, dt=1e-3, method='recursive')\n"
        "print(most() - before)\n"
    )
    out = subprocess.run([sys.executable, "-c", script, str(tmp_path / "run.h5")], capture_output=True, text=True)
    assert out.returncode == 0, out.stderr
    assert int(out.stdout) < 15_000  # kB; the rows are 100 MB in memory


@pytest.mark.long
def test_a_million_steps_in_the_same_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A gigabyte of rows: between the tenth part of them and the last the process grows by less than 20 MB.

    Chunks of steps have one size here; else it is that of a tenth of a second, which depends on what else runs.
    """
    monkeypatch.setattr(recording, "next_chunk", lambda count, took: 2000)
    file, seen = tmp_path / "run.h5", []

    def look(t: float) -> None:
        with open("/proc/self/statm") as told:
            seen.append((t, int(told.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")))

    made = lw.stream(double_four_bar.build(), file, until=1000.0, dt=1e-3, method="recursive", progress=look)
    assert made.steps == 1_000_000
    assert made.energy_balance_relative < 1e-9
    assert file.stat().st_size > 1e9
    begun = next(size for t, size in seen if t > 100.0)
    assert max(size for _, size in seen) - begun < 20e6


def rows_in(file: Path) -> int:
    """How many rows of a run are complete so far."""
    try:
        return len(lw.load_run(file))
    except lw.OptionError:
        return 0


@pytest.mark.parametrize("seed", range(2))
def test_a_killed_run_keeps_its_rows(seed: int, tmp_path: Path) -> None:
    file = tmp_path / "run.h5"
    script = (
        "import sys, linkwork as lw\n"
        "from linkwork.simulation.storage import stream\n"
        "stream.STATE_SECONDS = 0.05\n"
        "lw.stream(lw.gallery.n_four_bar.build(n=2), sys.argv[1], until=1e4, dt=1e-3, method='recursive')\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script, str(file)])
    try:
        deadline = time.monotonic() + 240
        while rows_in(file) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.3 + random.Random(seed).random())
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    run = lw.load_run(file)
    assert len(run) > 1
    assert np.array_equal(run.time, np.arange(len(run)) * 1e-3) or np.allclose(run.time, np.arange(len(run)) * 1e-3)
    assert all(np.isfinite(run[name]).all() for name in run.names)
    assert run.stopped == "the run did not come to its end"
    sim = lw.Simulation(n_four_bar.build(n=2), resume=file)
    row = sim.steps
    if row < len(run):  # the state is older than the last rows, and stands on one of them
        assert sim["coupler 1.position"].tobytes() == run["coupler 1.position"][row].tobytes()
    sim.step(10)


def test_a_file_is_read_while_it_is_written(tmp_path: Path) -> None:
    file = tmp_path / "run.h5"
    seen: list[int] = []

    def look(_time: float) -> None:
        if file.exists() and len(seen) < 3:
            seen.append(len(lw.load_run(file)))

    lw.stream(pendulum.build(), file, until=20.0, dt=1e-3, method="recursive", progress=look)
    assert 0 < seen[0] <= seen[-1] < 20_001 == len(lw.load_run(file))


def exploding() -> lw.Model:
    """A spring that pushes away: fast beyond all bounds within seconds."""
    model = lw.Model("exploding")
    bob = model.body("bob", mass=1.0, inertia=(1, 1, 1))
    slide = model.prismatic("slide", model.ground, bob, axis=(1, 0, 0), position=0.1)
    model.torque("away", slide, lambda t, position, velocity: 1e4 * position if t < 5.0 else float("nan"))
    return model


def test_a_failed_run_leaves_a_state_to_start_from(tmp_path: Path) -> None:
    with pytest.raises(lw.RunError) as caught:
        lw.simulate(exploding(), until=20.0, dt=0.01, method="recursive")
    file = tmp_path / "last.npz"
    caught.value.save_state(str(file))
    sim = lw.Simulation(exploding(), resume=file, dt=1e-3)
    assert sim.time == pytest.approx(caught.value.time or 0.0)
    assert sim.method.dt == 1e-3
    assert np.array_equal(sim.state.y, caught.value.state)


def test_a_state_in_which_a_step_failed_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last state in the file is one to go on from, however often states are kept."""
    monkeypatch.setattr(stream, "STATE_SECONDS", 0.0)
    file = tmp_path / "failed.h5"
    with pytest.raises(lw.RunError) as caught:
        lw.stream(exploding(), file, until=100.0, method="recursive", dt=0.01)
    _, arrays = read_state(file)
    assert np.isfinite(arrays["state.y"]).all()
    sim = lw.Simulation(exploding(), resume=file)
    assert sim.time < (caught.value.time or 0.0)


def test_an_interrupted_run_goes_on_to_the_last_bit(tmp_path: Path) -> None:
    def stop(t: float) -> None:
        if t > 0.5:
            raise KeyboardInterrupt

    make = lambda: chain.build(n=3)  # noqa: E731
    with pytest.raises(lw.RunError, match="it was interrupted") as caught:
        lw.simulate(make(), until=50.0, dt=1e-3, method="recursive", integrator="abm4", progress=stop)
    step, until = caught.value.step or 0, (caught.value.time or 0.0) + 0.1
    caught.value.save_state(str(tmp_path / "last.npz"))
    whole = lw.simulate(make(), until=until, dt=1e-3, method="recursive", integrator="abm4")
    same(whole, lw.simulate(make(), until=until, resume=tmp_path / "last.npz"), step)


def test_a_full_disk(tmp_path: Path) -> None:
    """As far as the file may grow its rows are whole; the file says why it ended, and starts the rest."""
    resource = pytest.importorskip("resource")
    file, make = tmp_path / "run.h5", lambda: chain.build(n=3)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4_000_000, hard))
    try:
        with pytest.raises(lw.RunError, match=r"cannot write .*run.h5: .* samples up to t = .* are kept, and a state"):
            lw.stream(make(), file, until=100.0, dt=1e-3, method="recursive")
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
        with pytest.raises(lw.OptionError, match=r"cannot write .*none.h5"):
            lw.stream(make(), tmp_path / "none.h5", until=1.0, dt=1e-3, method="recursive")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    run = lw.load_run(file)
    assert "cannot write" in str(run.stopped)
    whole = lw.simulate(make(), until=float(run.time[-1]), dt=1e-3, method="recursive")
    assert len(run) == len(whole) > 100  # a chunk that does not fit is lost, and its length depends on the machine
    assert run["hinge 3.position"].tobytes() == whole["hinge 3.position"].tobytes()
    assert lw.Simulation(make(), resume=file).time <= run.time[-1]


def test_past_a_singular_position_by_another_method(tmp_path: Path) -> None:
    with pytest.raises(lw.RunError, match="singular position") as caught:
        lw.simulate(double_four_bar.build(), until=3.0, dt=0.01, method="semi-recursive")
    caught.value.save_state(str(tmp_path / "last.npz"))
    rest = lw.simulate(double_four_bar.build(), until=3.0, dt=0.01, method="hybrid", resume=tmp_path / "last.npz")
    assert rest.time[0] == caught.value.time
    assert rest.certificate.energy_balance_relative < 1e-3


def test_command(tmp_path: Path) -> None:
    half, rest, whole = (str(tmp_path / name) for name in ("half.h5", "rest.h5", "whole.npz"))
    say = CliRunner().invoke
    words = ["run", "pendulum", "--method", "recursive", "--dt", "0.01"]
    assert say(app, [*words, "--until", "1", "--out", half]).exit_code == 0
    shown = say(app, ["run", "pendulum", "--from", half, "--until", "2", "--out", rest, "--json"])
    assert shown.exit_code == 0
    assert json.loads(shown.output)["time"] == 2.0
    assert say(app, [*words, "--until", "2", "--out", whole]).exit_code == 0
    same(lw.load_run(whole), lw.load_run(rest), 10)  # every tenth step, as the piece says
    page = tmp_path / "rest.html"
    assert say(app, ["replay", rest, str(page)]).exit_code == 0
    assert page.stat().st_size > 10_000


def test_the_command_keeps_the_last_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.py").write_text(
        "import linkwork as lw\n"
        "model = lw.Model('bad')\n"
        "bob = model.body('bob', mass=1.0, inertia=(1, 1, 1))\n"
        "slide = model.prismatic('slide', model.ground, bob, axis=(1, 0, 0), position=0.1)\n"
        "model.torque('away', slide, lambda t, x, v: float('nan') if t > 0.5 else 0.0)\n"
    )
    shown = CliRunner().invoke(app, ["run", "bad.py", "--until", "1", "--dt", "0.01", "--method", "recursive"])
    assert shown.exit_code == 1
    assert "go on with --from bad.last.npz" in shown.output
    assert lw.Simulation(_model(tmp_path), resume=tmp_path / "bad.last.npz").time == pytest.approx(0.5)


def _model(folder: Path) -> lw.Model:
    from linkwork.targets import find

    return find(str(folder / "bad.py"), {}).model


def test_going_on_by_other_methods(tmp_path: Path) -> None:
    """Half by one method, half by another, through joints attached and released: nothing jumps, nothing is lost."""
    make, dt = juggled, 5e-3
    whole = lw.simulate(make(), until=1.0, dt=dt, method="recursive")
    ways = (("recursive", "absolute", 0.4), ("absolute", "recursive", 0.4), ("recursive", "semi-recursive", 0.1))
    for first, then, stop in ways:
        sim = lw.Simulation(make(), first, dt=dt)
        sim.step(round(stop / dt))
        sim.save(tmp_path / "here.npz")
        rest = lw.simulate(make(), until=1.0, method=then, dt=dt, resume=tmp_path / "here.npz")
        assert rest.time[0] == sim.time
        assert rest["lower.position"][0] == pytest.approx(sim["lower.position"], abs=1e-12)
        assert rest["lower.velocity"][0] == pytest.approx(sim["lower.velocity"], abs=1e-11)
        assert rest.energy["balance"][-1] == pytest.approx(0.0, abs=10 * dt**2)
        assert rest["lower.position"][-1] == pytest.approx(whole["lower.position"][-1], abs=100 * dt**2)
    other = lw.Simulation(make(), resume=tmp_path / "here.npz", dt=1e-3)  # the same method with another step
    assert (other.method.name, other.method.dt, other.time) == ("recursive", 1e-3, sim.time)


@pytest.mark.parametrize(
    ("words", "do"),
    [
        ("there is no file", lambda folder: lw.Simulation(pendulum.build(), resume=folder / "none.npz")),
        ("is a state of another model", lambda folder: lw.Simulation(chain.build(n=2), resume=folder / "state.npz")),
        (
            "is not after the start",
            lambda folder: lw.simulate(pendulum.build(), until=0.05, resume=folder / "state.npz"),
        ),
        ("plans other events", lambda folder: lw.Simulation(juggled(False), resume=folder / "juggled.npz")),
        ("is no state of linkwork", lambda folder: lw.Simulation(pendulum.build(), resume=folder / "noise.npz")),
        ("holds no state", lambda folder: lw.Simulation(pendulum.build(), resume=folder / "run.npz")),
        ("is no file of a long run", lambda folder: lw.load_run(folder / "noise.h5")),
        (
            "write to another file",
            lambda folder: lw.stream(pendulum.build(), folder / "a.h5", until=1.0, resume=folder / "b" / ".." / "a.h5"),
        ),
        (r"known are \.h5", lambda folder: lw.stream(pendulum.build(), folder / "run.xls", until=1.0)),
    ],
)
def test_refusals(words: str, do: Any, tmp_path: Path) -> None:
    sim = lw.Simulation(pendulum.build(), "recursive", dt=0.01)
    sim.step(10)
    sim.save(tmp_path / "state.npz")
    lw.Simulation(juggled(), "recursive", dt=0.01).save(tmp_path / "juggled.npz")
    lw.simulate(pendulum.build(), until=0.1, dt=0.01, method="recursive").save(tmp_path / "run.npz")
    for name in ("noise.npz", "noise.h5"):
        (tmp_path / name).write_bytes(b"nonsense" * 100)
    with pytest.raises(lw.OptionError, match=words):
        do(tmp_path)


def test_a_run_that_is_over_is_saved_as_one_that_was_streamed(tmp_path: Path) -> None:
    run = lw.simulate(lw.gallery.double_four_bar.build(), until=0.1, dt=1e-3)
    run.save(tmp_path / "run.h5")
    assert lw.load_run(tmp_path / "run.h5") == run
    with pytest.raises(lw.OptionError, match="holds no state to start from"):
        lw.Simulation(lw.gallery.double_four_bar.build(), resume=tmp_path / "run.h5")
    touching = lw.simulate(lw.gallery.pile.build(), until=0.02, dt=5e-3, contacts=True)
    with pytest.raises(lw.OptionError, match="contacts go into .npz files only"):
        touching.save(tmp_path / "contacts.h5")
    assert not (tmp_path / "contacts.h5").exists()
