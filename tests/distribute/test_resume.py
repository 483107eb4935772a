"""Runs with components elsewhere go on after one was lost: each side keeps its state of the same moment."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.distribute import kept_states as keeping
from linkwork.distribute.kept_states import Keep
from linkwork.simulation import recording
from linkwork.simulation.stepping.remote_links import KEEP, RESTORE
from linkwork.simulation.stepping.workspaces import ready_components
from linkwork.simulation.storage import stream

sys.path.insert(0, str(Path(__file__).parent))
import far_parts
from far_parts import Arm
from processes import Process
from test_remote import listening, loop_across

DT = 1e-3


@pytest.fixture(scope="module", autouse=True)
def ready() -> None:
    ready_components()


def machine(address: str) -> lw.Model:
    return loop_across(lambda _, __: lw.Remote(address, timeout=20))


def component(address: str, **options: Any) -> lw.Simulation:
    return lw.Simulation(machine(address), "component", dt=DT, **options)


def numbers(sim: lw.Simulation) -> Any:
    return np.concatenate([sim.state.y, sim.state.cut_q, [sim.time, sim.steps]])


@pytest.mark.parametrize("integrator", ["rk4", "abm4"])
def test_a_saved_state_goes_on_to_the_last_bit(integrator: str, tmp_path: Path) -> None:
    """By a server that was started anew, with the same folder; abm4 remembers steps on both sides."""
    with listening(Arm, keep=Keep(str(tmp_path / "arm"))) as address:
        sim = component(address, integrator=integrator)
        sim.step(30)
        sim.save(tmp_path / "whole.npz")
        sim.step(20)
        wanted = numbers(sim)
        sim.close()
    with listening(Arm, keep=Keep(str(tmp_path / "arm"))) as address:
        again = lw.Simulation(machine(address), resume=tmp_path / "whole.npz")
        assert again.steps == 30
        again.step(20)
        assert np.array_equal(numbers(again), wanted)
        again.close()


def test_a_run_that_lost_its_peer_is_resumed(
    process: Callable[..., Process], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process of the component is killed; another one, with its folder, takes its place."""
    pytest.importorskip("h5py")
    monkeypatch.setattr(stream, "STATE_SECONDS", 0.0)
    part = f"{far_parts.__file__}:Arm"
    far = process(part, "--keep", str(tmp_path / "arm"))
    options: dict[str, Any] = {"dt": DT, "method": "component"}
    wanted = lw.simulate(machine(far.address), until=0.3, **options)

    def told(moment: float) -> None:
        if moment > 0.1:
            os.kill(far.process.pid, signal.SIGKILL)
            far.process.wait()

    with pytest.raises(lw.RunError, match=r"component 'arm' was lost"):
        lw.stream(machine(far.address), tmp_path / "lost.h5", until=60.0, progress=told, **options)
    near = process(part, "--keep", str(tmp_path / "arm"))
    run = lw.simulate(machine(near.address), until=0.3, resume=tmp_path / "lost.h5")
    assert 0.0 < run.time[0] < 0.3
    rest = len(wanted) - len(run)
    for name in run.names:
        assert np.array_equal(run[name], wanted[name][rest:]) or name.startswith(("energy.", "solver."))


def test_a_failed_run_in_memory_leaves_a_state_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "STATE_SECONDS", 0.0)
    states = Keep(str(tmp_path / "arm"))
    with listening(Arm, keep=states) as address:
        wanted = component(address)
        wanted.step(200)
        wanted.close()
        model = machine(address)

        def told(moment: float) -> None:
            if moment > 0.02:
                model.subsystems["arm"].transport.close()  # type: ignore[attr-defined]

        with pytest.raises(lw.RunError, match="'arm'") as caught:
            lw.simulate(model, until=60.0, dt=DT, method="component", progress=told)
        caught.value.save_state(str(tmp_path / "last.npz"))
        assert len(states.states()) == 2  # places take turns
        again = lw.Simulation(machine(address), resume=tmp_path / "last.npz")
        assert 0 < again.steps < 200
        again.step(200 - again.steps)
        assert np.array_equal(numbers(again), numbers(wanted))
        again.close()


def saved(address: str, file: Path) -> None:
    sim = component(address)
    sim.step(3)
    sim.save(file)
    sim.close()


def test_a_component_that_keeps_no_states_is_named(tmp_path: Path) -> None:
    with listening(Arm) as address:
        sim = component(address)
        with pytest.raises(lw.OptionError, match=r"component 'arm' lives elsewhere and keeps no states.*--keep"):
            sim.save(tmp_path / "whole.npz")
        sim.step(1)
        sim.close()


def test_a_state_that_the_component_does_not_have(tmp_path: Path) -> None:
    file = tmp_path / "whole.npz"
    with listening(Arm, keep=Keep(str(tmp_path / "arm"))) as address:
        saved(address, file)
        with pytest.raises(lw.OptionError, match="by other options than those given now"):
            lw.Simulation(machine(address), resume=file, dt=DT / 2)
    cases: list[tuple[Any, str, str]] = [
        (Arm, "other", "has kept no such state"),
        (lambda: Arm(mass=1.1), "arm", "is a state of another model"),
    ]
    for make, folder, words in cases:
        with listening(make, keep=Keep(str(tmp_path / folder))) as address:
            with pytest.raises(lw.OptionError, match=rf"component 'arm' cannot go on from .*whole.npz \(.*{words}"):
                lw.Simulation(machine(address), resume=file)
            component(address).close()  # the server is free again


@pytest.mark.parametrize("how", ["cut off", "another mark", "another type", "no facts"])
def test_files_of_states_are_not_believed(how: str, tmp_path: Path) -> None:
    states = Keep(str(tmp_path / "arm"))
    with listening(Arm, keep=states) as address:
        saved(address, tmp_path / "whole.npz")
        (file,) = states.states()
        arrays = dict(np.load(file))
        if how == "another mark":
            arrays["metadata"] = np.array(str(arrays["metadata"]).replace('"mark": ', '"mark": 1'))
        elif how == "another type":
            arrays["state.y"] = arrays["state.y"].astype(np.float32)
        elif how == "no facts":
            arrays["metadata"] = np.array(str(arrays["metadata"]).replace('"history"', '"story"'))
        np.savez(file, **arrays)
        if how == "cut off":
            file.write_bytes(file.read_bytes()[:2000])
        words = {
            "cut off": "is no state of linkwork, or it is damaged",
            "another mark": "a later state in that place",
            "another type": "is damaged",
            "no facts": "is no whole state, history is not in it or is damaged",
        }
        with pytest.raises(lw.OptionError, match=rf"component 'arm' cannot go on.*{words[how]}"):
            lw.Simulation(machine(address), resume=tmp_path / "whole.npz")


def test_a_whole_cannot_fill_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "MOST", 2)
    with listening(Arm, keep=Keep(str(tmp_path / "arm"))) as address:
        sim = component(address)
        for k in range(2):
            sim.save(tmp_path / f"{k}.npz")
        with pytest.raises(
            lw.OptionError, match=r"component 'arm' cannot keep its state \(it has kept 2 states already"
        ):
            sim.save(tmp_path / "more.npz")
        sim.step(1)  # nothing else is wrong
        sim.close()


@pytest.mark.parametrize("place", [-1.0, 0.5, np.nan, np.inf, 2.0**53])
def test_orders_that_make_no_sense(place: float, tmp_path: Path) -> None:
    for what in (KEEP, RESTORE):
        said = Keep(str(tmp_path)).obey(None, np.array([what, place, 1.0, 0.0, 0.0]))  # type: ignore[arg-type]
        assert "cannot be understood" in said
    assert Keep(str(tmp_path)).states() == []


def test_a_closed_simulation_has_no_whole_state(tmp_path: Path) -> None:
    with listening(Arm, keep=Keep(str(tmp_path / "arm"))) as address:
        sim = component(address)
        sim.step(1)
        sim.close()
        with pytest.raises(lw.OptionError, match="connections of 'loop across' to its components elsewhere are closed"):
            sim.save(tmp_path / "late.npz")


def test_a_folder_that_cannot_be(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    found = CliRunner().invoke(app, ["serve", "car:Wheel", "--keep", str(tmp_path / "file")])
    assert found.exit_code != 0
    assert "cannot keep states in" in found.stderr
