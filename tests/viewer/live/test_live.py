"""`view` and its refusals: runs, models, keys, the command line."""

import pytest
from typer.testing import CliRunner

import linkwork as lw
from flywheel import flywheel
from linkwork.cli import app
from linkwork.simulation.results.judging.certificate import Certificate
from linkwork.simulation.results.scene.scene import scene_of
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.viewer.live import live


def test_five_runs_are_too_many(swing):
    with pytest.raises(lw.OptionError, match="one to 4 runs"):
        live.view_run(*[swing()] * 5)


def test_without_websockets_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for command in (["view", "pendulum"], ["run", "pendulum", "--view"]):
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 1
        assert 'pip install "linkwork[view]"' in done.stderr
        assert done.stderr.count("\n") == 1


def test_wrong_words_on_the_command_line(tmp_path, swing):
    swing().save(tmp_path / "run.npz")
    for words, said in (
        (["view", str(tmp_path / "run.npz"), "pendulum"], "saved runs are laid over saved runs only"),
        (["view", "pendulum", "car"], "one model is shown at a time"),
        (["run", "pendulum", "--view", "--json"], "give one of them"),
    ):
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 2
        assert said in done.stderr


@pytest.mark.parametrize(
    ("keys", "said"),
    [('{"w": {"a": 1}}', "KEYS must"), ('{"W": 1}', "KEYS must"), ('{"W": {"a": 1}}', "no input of 'm'")],
)
def test_keys_of_a_file_are_checked(tmp_path, keys, said):
    text = "import linkwork as lw\nmodel = lw.Model('m')\nmodel.body('b', mass=1.0, inertia=(1, 1, 1))\n"
    (tmp_path / "m.py").write_text(f"{text}KEYS = {keys}\n")
    done = CliRunner().invoke(app, ["view", str(tmp_path / "m.py"), "--method", "recursive"])
    assert done.exit_code in (1, 2)
    assert said in done.stderr


def test_a_run_of_nothing_is_refused():
    model = flywheel()
    run = Trajectory([], {}, {}, certificate=Certificate(method=""), model_name="m", scene=scene_of(model))
    with pytest.raises(lw.OptionError, match="no samples"):
        live.view_run(run)


def test_a_simulation_that_starts_at_rest_starts_there_again(monkeypatch):
    """Reset, and another method, on the page of sim.view()."""
    model = lw.Model("scales")
    pan = model.body("pan", mass=2.0, inertia=0)
    model.prismatic("guide", "ground", pan, at=(0, 0, 0), axis=(0, 0, 1), stiffness=981.0)
    sim = lw.Simulation(model, "recursive", dt=1e-3, start="equilibrium")
    made = []
    monkeypatch.setattr(live, "view_simulation", lambda make, *_, **__: made.append(make))
    sim.view()
    for again in (made[0](None, None), made[0]("hybrid", 0.01)):
        assert again["guide.position"] == pytest.approx(-0.02, abs=1e-9)
