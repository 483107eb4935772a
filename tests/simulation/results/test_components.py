"""Components of columns by name: in runs, in simulations, in what is recorded, drawn and written."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import four_bar, loop_of


@pytest.fixture(scope="module")
def run() -> lw.Trajectory:
    return lw.simulate(four_bar(), until=0.1, dt=0.01, method="recursive")


@pytest.mark.parametrize(
    ("name", "column", "place", "unit"),
    [
        ("crank bar.position.z", "crank bar.position", 2, "m"),
        ("crank bar.rotation.w", "crank bar.rotation", 0, "1"),
        ("crank bar.rotation.z", "crank bar.rotation", 3, "1"),
        ("crank bar.angular_velocity.y", "crank bar.angular_velocity", 1, "rad/s"),
        ("crank.reaction.fx", "crank.reaction", 0, "N"),
        ("crank.reaction.force x", "crank.reaction", 0, "N"),
        ("crank.reaction.tz", "crank.reaction", 5, "N m"),
    ],
)
def test_one_component(run: lw.Trajectory, name: str, column: str, place: int, unit: str) -> None:
    assert np.array_equal(run[name], run[column][:, place])
    assert run.unit(name) == unit
    assert name in run
    assert [(label, word) for label, word, _ in run.components(name)] == [(name, unit)]
    sim = lw.Simulation(four_bar(), "recursive", dt=0.01)
    sim.step(5)
    assert sim[name] == sim[column][place]
    reader = sim.reader([name, column])
    sim.step(5)
    values = reader()
    assert values[0] == values[1 + place] == sim[name] == run[name][10]
    assert reader.units[name] == unit


def test_components_of_joints_of_several_coordinates() -> None:
    run = lw.simulate(loop_of("cylindrical"), until=0.02, dt=0.01, method="recursive")
    assert np.array_equal(run["joint 0.position.slide"], run["joint 0.position"][:, 1])
    assert run.unit("joint 0.velocity.slide") == "m/s"
    assert np.array_equal(run["joint 3.position.second"], run["joint 3.position"][:, 1])
    assert np.array_equal(run["joint 2.velocity.z"], run["joint 2.velocity"][:, 2])  # a ball


def test_patterns(run: lw.Trajectory) -> None:
    assert run.matching("*.position.z") == [f"{name} bar.position.z" for name in ("crank", "coupler", "rocker")]
    assert run.matching("crank.reaction.t?") == [f"crank.reaction.torque {axis}" for axis in "xyz"]
    assert run.matching("crank bar.*") == [name for name in run.names if name.startswith("crank bar.")]  # columns first


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("crank bar.position.q", "components of 'crank bar.position' are x, y, z"),
        ("crank.position.x", "'crank.position' has no components"),
        ("crank.reaction.mx", "are force x, force y, force z, torque x"),
        ("crank bar.positon.z", "did you mean 'crank bar.position'"),
    ],
)
def test_near_names(run: lw.Trajectory, name: str, message: str) -> None:
    with pytest.raises(lw.OptionError, match=message):
        run[name]
    sim = lw.Simulation(four_bar(), "recursive", dt=0.01)
    with pytest.raises(lw.OptionError, match="there is no column"):
        sim[name]


@pytest.mark.parametrize("asked", ["crank.reaction.fx", "crank.reaction.force x"])
def test_recorded_alone(run: lw.Trajectory, asked: str, tmp_path: Path) -> None:
    alone = lw.simulate(
        four_bar(), until=0.1, dt=0.01, method="recursive", record=["crank bar.position.z", asked, "foot.position"]
    )
    assert alone.names == ["foot.position", "crank bar.position.z", "crank.reaction.force x"]
    for name in ("crank bar.position.z", "crank.reaction.fx", "crank.reaction.force x"):
        assert np.array_equal(alone[name], run[name])
        assert alone.unit(name) == run.unit(name)
    alone.save(tmp_path / "alone.npz")
    assert np.array_equal(lw.load_run(tmp_path / "alone.npz")["crank.reaction.fx"], run["crank.reaction.fx"])
    with pytest.raises(lw.OptionError, match="fits no column"):
        lw.simulate(four_bar(), until=0.1, dt=0.01, record="crank bar.position.q")


def test_a_component_of_a_joint_that_comes_and_goes() -> None:
    model = lw.Model("caught")
    model.body("stone", mass=2.0, shape=lw.Sphere(0.1))
    model.attach("ground", "stone", "ball", name="grip", at=(0, 0, 0.1), time=0.1)
    model.release("grip", time=0.2)
    record = ["grip.reaction.fz", "grip.position.w"]
    run = lw.simulate(model, until=0.3, dt=0.01, method="recursive", record=record)
    whole = lw.simulate(model, until=0.3, dt=0.01, method="recursive")
    assert np.array_equal(run["grip.reaction.fz"], whole["grip.reaction"][:, 2])
    assert np.array_equal(run["grip.position.w"], whole["grip.position"][:, 0])
    assert (run["grip.reaction.fz"][12:19] > 1.0).all()
    assert not run["grip.reaction.fz"][21:].any()


def test_parts_that_share_a_name_and_names_in_quotes(tmp_path: Path) -> None:
    model = lw.Model("twins")
    model.body("arm", mass=1.0, shape=lw.Box((1, 0.1, 0.1)), position=(0.5, 0, 0))
    model.revolute("arm", "ground", "body:arm", at=(0, 0, 0), axis=(0, 1, 0))
    model.body("a.b", mass=1.0, shape=lw.Sphere(0.1), position=(0, 3, 0))
    model.fixed("weld", "ground", "a.b")
    run = lw.simulate(model, until=0.05, dt=0.01, method="recursive")
    assert np.array_equal(run["arm.rotation.w"], run["body:arm.rotation"][:, 0])
    assert np.array_equal(run["body:arm.position.z"], run["body:arm.position"][:, 2])
    assert np.array_equal(run["arm.reaction.fz"], run["joint:arm.reaction"][:, 2])
    assert np.array_equal(run["'a.b'.position.y"], run["'a.b'.position"][:, 1])
    assert run.matching("arm.reaction.f*") == [f"joint:arm.reaction.force {axis}" for axis in "xyz"]
    sim = lw.Simulation(model, "recursive", dt=0.01)
    sim.step(5)
    assert sim["arm.reaction.fz"] == run["arm.reaction.fz"][-1]
    assert sim.reader(["arm.rotation.w"]).units == {"body:arm.rotation.w": "1"}
    moved = run.reaction("arm", at=(0.5, 0, 0), axes="arm")
    assert np.array_equal(moved, run.reaction("joint:arm", at=(0.5, 0, 0), body="arm", axes="body:arm"))
    alone = lw.simulate(model, until=0.05, dt=0.01, method="recursive", record=["arm.rotation.w", "energy.*"])
    assert alone.names == ["body:arm.rotation.w"]
    run.to_csv(tmp_path / "twins.csv", ["arm.rotation.w", "energy.*"])
    assert table(tmp_path / "twins.csv")[0][:3] == [
        "time [s]",
        "arm.rotation.w [1]",
        "energy.kinetic [J]",
    ]  # as asked for


# --- tables -----------------------------------------------------------------------------------------------------


def table(file: Path) -> tuple[list[str], Any]:
    with open(file, newline="", encoding="utf-8") as stream:
        header, *rows = csv.reader(stream)
    return header, np.array(rows, dtype=float)


def test_csv_of_chosen_columns(run: lw.Trajectory, tmp_path: Path) -> None:
    file = tmp_path / "some.csv"
    run.to_csv(file, ["crank bar.position.z", "foot.reaction", "*.velocity.x", "energy.total", "foot.position"])
    header, numbers = table(file)
    assert header[:3] == ["time [s]", "crank bar.position.z [m]", "foot.reaction.force x [N]"]
    assert header[8:] == [
        *(f"{name} bar.velocity.x [m/s]" for name in ("crank", "coupler", "rocker")),
        "energy.total [J]",
        "foot.position [rad]",
    ]
    assert np.array_equal(numbers[:, 0], run.time)
    assert np.array_equal(numbers[:, 1], run["crank bar.position"][:, 2])
    assert np.array_equal(numbers[:, 2:8], run["foot.reaction"])
    assert np.array_equal(numbers[:, -2], run.energy["total"])
    run.to_csv(file, "foot.position")
    assert table(file)[0] == ["time [s]", "foot.position [rad]"]


def test_csv_of_everything_is_what_save_writes(run: lw.Trajectory, tmp_path: Path) -> None:
    run.to_csv(tmp_path / "a.csv")
    run.save(tmp_path / "b.csv")
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


def test_csv_refusals(run: lw.Trajectory, tmp_path: Path) -> None:
    file = tmp_path / "none.csv"
    with pytest.raises(lw.OptionError, match="did you mean 'foot.position'"):
        run.to_csv(file, ["foot.positon"])
    with pytest.raises(lw.OptionError, match=r"known are \.csv"):
        run.to_csv(tmp_path / "run.npz")
    with pytest.raises(lw.OptionError, match="columns"):
        run.to_csv(file, 3)  # type: ignore[arg-type]
    assert not file.exists()


# --- peaks ------------------------------------------------------------------------------------------------------


def test_peaks_of_a_known_motion() -> None:
    time = np.linspace(0.0, 1.0, 101)
    made = lw.Trajectory(
        time,
        {"a.position": np.sin(2 * np.pi * time), "b.position": np.column_stack([time, -time, 0 * time])},
        {"a.position": "rad"},
        certificate=lw.Certificate(method=""),
        model_name="waves",
    )
    peaks = made.peaks()
    assert [peak.name for peak in peaks] == ["a.position", "b.position.x", "b.position.y", "b.position.z"]
    first = peaks["a.position"]
    assert (first.unit, first.largest, first.largest_at) == ("rad", 1.0, 0.25)
    assert (first.smallest, first.smallest_at) == (-1.0, 0.75)
    assert peaks["b.position.y"].largest_at == 0.0
    assert [peak.name for peak in made.peaks("a.*", "b.position.y")] == ["a.position", "b.position.y"]
    text = str(made.peaks("a.*")).splitlines()
    assert text[0].split() == ["column", "unit", "smallest", "at", "t", "largest", "at", "t"]
    assert text[1].split() == ["a.position", "rad", "-1", "0.75", "1", "0.25"]


def test_peaks_of_a_run(run: lw.Trajectory) -> None:
    peaks = run.peaks("*.reaction")
    assert len(peaks) == 6 * 4
    for peak in peaks:
        assert peak.largest == run[peak.name].max()
        assert run[peak.name][np.flatnonzero(run.time == peak.smallest_at)[0]] == peak.smallest
    assert run.peaks("energy.balance")["energy.balance"].unit == "J"
    assert peaks["crank.reaction.fx"] == peaks["crank.reaction.force x"]
    with pytest.raises(lw.OptionError, match=r"did you mean 'crank\.reaction'"):
        run.peaks("crnk.reaction")
    with pytest.raises(lw.OptionError, match="there is no peak of 'foot.position'"):
        peaks["foot.position"]


def test_peaks_skip_what_is_not_a_number() -> None:
    made = lw.Trajectory(
        [0.0, 1.0, 2.0],
        {"a.position": [np.nan, 2.0, 1.0], "b.position": [np.nan] * 3},
        {},
        certificate=lw.Certificate(method=""),
        model_name="holes",
    )
    peaks = made.peaks()
    assert (peaks["a.position"].largest, peaks["a.position"].smallest_at) == (2.0, 2.0)
    assert np.isnan(peaks["b.position"].largest)
