"""A state file holds numbers, never structure or addresses; edited ones are refused in a sentence, never run."""

import io
import json
import random
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.simulation.storage.npz import packed, unpacked

METHODS = ["recursive", "absolute", "component", "hybrid", "semi-recursive", "global", "impulse", "maximal"]


def model() -> lw.Model:
    """A four-bar with a law in Python, whose address must never be in a file."""
    made = lw.gallery.double_four_bar.build()
    made.torque("push", "foot 1", lambda t: 0.1 * t)
    return made


def saved(method: str, folder: Path) -> Path:
    sim = lw.Simulation(model(), method, dt=0.01)
    sim.step(5)
    sim.save(folder / "here.npz")
    return folder / "here.npz"


@pytest.mark.parametrize("method", METHODS)
def test_no_structure_and_no_address_is_in_the_file(method: str, tmp_path: Path) -> None:
    _, arrays = unpacked(saved(method, tmp_path))
    whole = {name for name, values in arrays.items() if values.dtype.kind != "f"}
    assert not any("address" in name or "table" in name for name in arrays)
    assert whole <= {
        "state.count",
        "workspace.sleep.asleep",
        "workspace.loops.rank",
        "workspace.blocks.sure",
        "workspace.factors.blocks.sure",
        "workspace.near_singular.near",
        "workspace.near_singular.looked",
        *(f"workspace.{name}" for name in ("rows", "columns", "best_rows", "best_columns", "rank")),
        "workspace.contacts.count",
        "workspace.contacts.id",
    }


@pytest.mark.parametrize("method", METHODS)
def test_edited_numbers_are_refused_or_harmless(method: str, tmp_path: Path) -> None:
    file = saved(method, tmp_path)
    facts, arrays = unpacked(file)
    chance = random.Random(method)
    names = sorted(name for name, values in arrays.items() if values.size)
    for name in names:
        values = arrays[name].copy()
        odd: Any = chance.choice([-1, 7, 2**40, 2**62, -(2**62)]) if values.dtype.kind != "f" else np.inf
        values.flat[chance.randrange(values.size)] = odd
        other = {"metadata": np.array(json.dumps(facts)), **arrays, name: values}
        file.write_bytes(packed(other))
        try:
            lw.Simulation(model(), resume=file).step(2)
        except (lw.OptionError, lw.RunError):
            continue


def test_other_shapes_kinds_and_facts_are_refused(tmp_path: Path) -> None:
    file = saved("recursive", tmp_path)
    facts, arrays = unpacked(file)

    def refused(facts: Any, arrays: dict[str, Any], words: str) -> None:
        file.write_bytes(packed({"metadata": np.array(json.dumps(facts)), **arrays}))
        with pytest.raises(lw.OptionError, match=words):
            lw.Simulation(model(), resume=file)

    refused(facts, {**arrays, "state.vd": np.zeros(100)}, "state.vd does not fit")
    refused(facts, {**arrays, "state.y": arrays["state.y"].astype("f4")}, "does not fit")
    refused(facts, {**arrays, "state.y": arrays["state.y"] * np.nan}, "state.y is not finite")
    refused(facts, {name: values for name, values in arrays.items() if name != "laws"}, "laws does not fit")
    refused({**facts, "h": -1.0}, arrays, "clock")
    refused({**facts, "steps": "many"}, arrays, "steps is not in it or is damaged")
    refused({**facts, "history": {}}, arrays, "damaged")
    refused({**facts, "version": 99}, arrays, "another version")
    refused({**facts, "model_hash": "0"}, arrays, "another model")
    refused({**facts, "method": "magic"}, arrays, "magic")
    refused([], arrays, "damaged")


def test_a_file_of_zeros_in_a_zip_is_refused(tmp_path: Path) -> None:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("metadata.npy", bytes(1000))
    (tmp_path / "zeros.npz").write_bytes(stream.getvalue())
    with pytest.raises(lw.OptionError, match="damaged"):
        lw.Simulation(model(), resume=tmp_path / "zeros.npz")


@pytest.mark.parametrize("method", ["impulse", "maximal"])
def test_a_law_in_python_goes_on_in_another_process(method: str, tmp_path: Path) -> None:
    file = saved(method, tmp_path)
    script = """
import sys
import linkwork as lw
model = lw.gallery.double_four_bar.build()
model.torque("push", "foot 1", lambda t: 0.1 * t)
sim = lw.Simulation(model, resume=sys.argv[1])
sim.step(20)
print(sim.state.y.tobytes().hex())
"""
    done = subprocess.run([sys.executable, "-c", script, str(file)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    sim = lw.Simulation(model(), method, dt=0.01)
    sim.step(25)
    assert done.stdout.strip() == sim.state.y.tobytes().hex()


def turntable() -> lw.Model:
    """A motor of given velocity: how far it has come is in no pose."""
    made = lw.Model("turntable")
    disc = made.body("disc", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0.1, 0, 0))
    pin = made.revolute("pin", "ground", disc, at=(0, 0, 0), axis=(0, 1, 0))
    made.motor("drive", pin, velocity=3.0)
    return made


ROWS = [method for method in METHODS if method not in ("impulse", "maximal")]  # a rigid motor is a row


@pytest.mark.parametrize("first", ROWS)
@pytest.mark.parametrize("then", ROWS)
def test_another_method_goes_on_where_a_motor_has_come_to(first: str, then: str, tmp_path: Path) -> None:
    sim = lw.Simulation(turntable(), first, dt=1e-3)
    sim.step(1500)
    sim.save(tmp_path / "here.npz")
    other = lw.Simulation(turntable(), then, dt=1e-3, resume=tmp_path / "here.npz")
    other.step(100)
    assert other["pin.position"] == pytest.approx(3.0 * 1.6, abs=1e-6)


def test_a_method_that_takes_motors_otherwise_is_named(tmp_path: Path) -> None:
    sim = lw.Simulation(turntable(), "recursive", dt=1e-3)
    sim.save(tmp_path / "here.npz")
    with pytest.raises(lw.OptionError, match="by method 'recursive', which takes the motors of 'turntable' otherwise"):
        lw.Simulation(turntable(), "impulse", dt=1e-3, resume=tmp_path / "here.npz")
