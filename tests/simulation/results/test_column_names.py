"""Columns by name: kinds, quotes, lists that are typed, and the accounts among the patterns of record=."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.cli.results import picture
from linkwork.model.names import split_list


def machine(name: str = "arm") -> lw.Model:
    model = lw.Model("machine")
    model.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -1))
    model.revolute(
        name, "ground", f"body:{name}" if "." not in name else name, at=(0, 0, 0), axis=(0, 1, 0), position=0.3
    )
    return model


def short(model: lw.Model, **options: object) -> lw.Trajectory:
    return lw.simulate(model, until=0.05, dt=0.01, method="recursive", **options)


@pytest.mark.parametrize("record", ["energy.*", ["energy.total", "drift.*"], "solver.*", "time", "energy"])
def test_accounts_are_good_patterns_and_always_kept(record):
    run = short(machine(), record=record)
    assert run.names == []
    assert np.array_equal(run["energy.total"], short(machine())["energy.total"])
    assert run.drift.keys() == {"position", "velocity"}
    assert run.certificate.complete


def test_accounts_beside_columns():
    assert short(machine(), record=["energy.*", "joint:arm.position"]).names == ["joint:arm.position"]
    assert short(machine(), record="arm.position").names == ["joint:arm.position", "body:arm.position"]


def test_a_run_of_accounts_alone_goes_to_files_and_back(tmp_path):
    run = short(machine(), record="energy.*")
    run.save(tmp_path / "run.npz")
    assert lw.load_run(tmp_path / "run.npz") == run
    run.save(tmp_path / "run.csv")
    assert "energy.total [J]" in (tmp_path / "run.csv").read_text()


@pytest.mark.parametrize("name", ["a.b", "a/b", "x[1]", "*", "it's", "..", "time", "metadata"])
def test_odd_names_go_to_files_and_back(tmp_path, name):
    run = short(machine(name))
    run.save(tmp_path / "run.npz")
    assert lw.load_run(tmp_path / "run.npz") == run
    for column in run.names:
        assert run.matching(column) == [column]


def test_a_joint_attached_by_hand_keeps_its_name_with_a_dot(tmp_path):
    model = machine("a.b")
    model.body("loose", mass=1.0, inertia=(0.1, 0.1, 0.1))
    sim = lw.Simulation(model, "recursive", dt=0.01)
    sim.attach("loose", "a.b", "fixed", name="c.d")
    sim.step(3)
    sim.save(tmp_path / "state.npz")
    again = lw.Simulation(model, "recursive", dt=0.01, resume=tmp_path / "state.npz")
    assert again.attached == sim.attached == ["'c.d'"]
    assert np.array_equal(again["'c.d'.reaction"], sim["'c.d'.reaction"])


def test_present_columns_are_found_by_the_same_names():
    sim = lw.Simulation(machine(), "recursive", dt=0.01)
    assert sim["joint:arm.position"] == pytest.approx(0.3)
    assert sim["arm.rotation"].shape == (4,)
    read = sim.reader(["arm.acceleration", "body:arm.position"])
    assert read.names == ["joint:arm.acceleration", "body:arm.position"]
    with pytest.raises(lw.OptionError, match="'body:arm.position' or 'joint:arm.position'"):
        sim["arm.position"]


def test_lists_that_are_typed():
    assert split_list("a.position,'x, y'.velocity , it's.position") == [
        "a.position",
        "'x, y'.velocity",
        "it's.position",
    ]
    assert picture("a.png='x, y'.velocity,energy") == ("a.png", ("'x, y'.velocity", "energy"))


def test_quotes_that_are_not_needed_do_no_harm():
    model = lw.Model("machine")
    model.body("x, y", mass=1.0, inertia=(0.1, 0.1, 0.1))
    run = short(model)
    assert run["'x, y'.position"] is run["x, y.position"]
