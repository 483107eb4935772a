"""The command line: exit codes, one paragraph on stderr, one JSON document on stdout."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork
from linkwork import cli
from linkwork.cli import running
from linkwork.errors import OptionError, RunError
from linkwork.simulation.results.judging.certificate import Certificate
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.simulation.storage.files import load_run

SOURCE = Path(__file__).parent.parent / "src"
MODEL_FILE = """
import linkwork.model.subsystem as words

UNTIL = 0.5
METHOD = {"method": "recursive", "integrator": "rk4", "dt": 0.01}

def build(*, mass=1.0):
    model = words.Model("swing")
    rod = model.body("rod", mass=mass, inertia=(0.1, 0.1, 0.01), com=(0, 0, -1))
    model.revolute("pin", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0), position=0.3)
    return model
"""


def has_core() -> bool:
    try:
        return callable(linkwork.simulate)
    except (AttributeError, ImportError):
        return False


needs_core = pytest.mark.skipif(not has_core(), reason="linkwork.simulate is not there yet")


@pytest.fixture
def command():
    runner = CliRunner()
    return lambda *words: runner.invoke(cli.app, [str(word) for word in words])


@pytest.fixture
def swing(tmp_path):
    file = tmp_path / "swing.py"
    file.write_text(MODEL_FILE)
    return file


def recorded(stopped=None, rows=11):
    time = np.linspace(0, 0.5, rows)
    return Trajectory(
        time,
        {"pin.position": np.cos(time), "pin.velocity": np.full(rows, np.nan)},
        {"position": "rad", "velocity": "rad/s"},
        {"kinetic": time, "total": time, "balance": time},
        {"position": 0 * time, "velocity": 0 * time},
        certificate=Certificate(
            method="recursive",
            integrator="rk4",
            dt=0.05,
            until=0.5,
            reached=0.5,
            steps=10,
            wall_seconds=0.1,
            degrees_of_freedom=1,
            loops=0,
            energy_balance_worst=float("inf"),
            stopped=stopped,
        ),
        model_name="swing",
        stopped=stopped,
    )


@pytest.fixture
def simulated(monkeypatch):
    """Put a made-up run in the place of `linkwork.simulate`; returns the options it was called with."""
    seen = {}

    def put(outcome=None):
        def simulate(model, **options):
            seen.update(options, model=model)
            if isinstance(outcome, BaseException):
                raise outcome
            return outcome or recorded()

        monkeypatch.setattr(linkwork, "simulate", simulate, raising=False)
        return seen

    return put


def one_paragraph(text: str) -> bool:
    return "Traceback" not in text and len(text.strip().splitlines()) == 1


# --- the shell --------------------------------------------------------------------------------------------


def shell(*words, **more):
    environment = {**os.environ, "PYTHONPATH": str(SOURCE), "COLUMNS": "120", "TERM": "dumb"}
    return subprocess.run(
        [sys.executable, "-m", "linkwork.cli", *words], capture_output=True, text=True, env=environment, **more
    )


def test_help_lists_the_commands():
    answer = shell("--help")
    assert answer.returncode == 0
    for word in ("gallery", "run", "check", "bench"):
        assert word in answer.stdout


def test_help_loads_nothing_heavy():
    heavy = "numba scipy numpy matplotlib"
    code = (
        "import sys; sys.argv = ['linkwork', '--help']\n"
        "from linkwork.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"print([name for name in '{heavy}'.split() if name in sys.modules], file=sys.stderr)"
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert answer.stderr.strip() == "[]"


def test_alone_it_shows_its_help():
    answer = shell()
    assert answer.returncode == 0
    assert answer.stdout == shell("--help").stdout


def test_version_needs_no_installation():
    answer = shell("--version")
    assert answer.returncode == 0
    assert answer.stdout == f"linkwork {linkwork.__version__}\n"


def test_wrong_usage_is_exit_code_two():
    for words in (["nonsense"], ["run"], ["run", "car", "--nonsense"], ["run", "pendulum", "--dt", "tiny"]):
        answer = shell(*words)
        assert answer.returncode == 2, words
        assert "Traceback" not in answer.stderr
        assert answer.stdout == ""


# --- finding the model ------------------------------------------------------------------------------------


def test_unknown_model_is_wrong_usage(command):
    answer = command("run", "no such thing")
    assert answer.exit_code == 2
    assert one_paragraph(answer.stderr)
    assert "linkwork gallery" in answer.stderr
    assert answer.stdout == ""


def test_nearly_known_name_is_suggested(command, monkeypatch):
    from linkwork import gallery

    monkeypatch.setattr(gallery, "names", lambda: ["pendulum", "car"])
    assert "did you mean pendulum" in command("run", "pendulun").stderr


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("x = 1", "holds no model"),
        ("def build(): return 3", "must return a linkwork Model, not int"),
        ("def build(:", "line 1: it is not Python"),
        ("x = '\0'", "m.py: it is not Python"),
        ("import no_such_thing_at_all", "line 1: ModuleNotFoundError"),
        ("def build(): return build()", "line 1: RecursionError"),
        ("UNTIL = 'ten'", "UNTIL must be a positive number of seconds, not 'ten'"),
        ("UNTIL = float('nan')", "UNTIL must be"),
        ("METHOD = 'rk4'", "METHOD must be a dictionary"),
        ("PLOTS = 3", "PLOTS must list column names"),
        ("from linkwork import Subsystem\nmodel = Subsystem()", "holds no model"),
        ("x = 1\ny = z", "line 2: NameError"),
        ("import sys; sys.exit(3)", "ended Python by itself"),
        (
            "from linkwork.model.subsystem import Model\nmodel = Model('m')\nmodel.body('b', mass=-1, inertia=1)",
            "line 3: body 'b'",
        ),
        ("from linkwork.model.subsystem import Model\na = Model('a')\nb = Model('b')", "several models (a, b)"),
    ],
)
def test_a_file_without_a_good_model_fails(command, tmp_path, content, sentence):
    (tmp_path / "m.py").write_text(content)
    answer = command("run", tmp_path / "m.py")
    assert answer.exit_code == 1, answer.stderr
    assert sentence in answer.stderr
    assert one_paragraph(answer.stderr)


def test_a_single_model_of_any_name_is_found(command, tmp_path, simulated):
    seen = simulated()
    (tmp_path / "m.py").write_text("from linkwork.model.subsystem import Model\nmachine = Model('machine')")
    assert command("run", tmp_path / "m.py", "--until", "1").exit_code == 0
    assert seen["model"].name == "machine"


def test_the_line_is_told_of_a_file_in_this_folder_too(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.py").write_text("x = 1\nx.y")
    answer = command("run", "m.py")
    assert answer.exit_code == 1
    assert answer.stderr == "linkwork: m.py, line 2: AttributeError: 'int' object has no attribute 'y'\n"


def test_what_build_needs_is_asked_for(command, tmp_path, simulated):
    seen = simulated()
    (tmp_path / "m.py").write_text(MODEL_FILE.replace("mass=1.0", "mass"))
    answer = command("run", tmp_path / "m.py")
    assert answer.exit_code == 2
    assert "give --set mass=VALUE" in answer.stderr
    assert command("run", tmp_path / "m.py", "--set", "mass=3").exit_code == 0
    assert seen["model"].bodies["rod"].mass == 3


def test_folders_and_result_files_are_no_models(command, tmp_path):
    (tmp_path / "folder.py").mkdir()
    for folder in (tmp_path, tmp_path / "folder.py"):
        answer = command("run", folder)
        assert answer.exit_code == 2
        assert "is a folder; give the .py file" in answer.stderr
    (tmp_path / "run.npz").write_text("")
    answer = command("check", tmp_path / "run.npz")
    assert answer.exit_code == 2
    assert "is a result file, not a model" in answer.stderr


def test_missing_and_foreign_files(command, tmp_path):
    assert "there is no file" in command("run", tmp_path / "none.py").stderr
    (tmp_path / "robot.dwg").write_text("")
    answer = command("run", tmp_path / "robot.dwg")
    assert answer.exit_code == 2
    assert "not read from .dwg; give a file with one of .py, .urdf, .sdf" in answer.stderr


def test_neighbouring_files_can_be_imported(command, tmp_path, simulated):
    simulated()
    (tmp_path / "sizes_of_swing.py").write_text("LENGTH = 2.0")
    (tmp_path / "swing.py").write_text("from sizes_of_swing import LENGTH\n" + MODEL_FILE)
    assert command("run", tmp_path / "swing.py").exit_code == 0


def test_parameters_of_build(command, swing, simulated):
    seen = simulated()
    assert command("run", swing, "--set", "mass=2.5").exit_code == 0
    assert seen["model"].bodies["rod"].mass == 2.5
    answer = command("run", swing, "--set", "colour=red")
    assert answer.exit_code == 2
    assert "its parameters are mass" in answer.stderr
    assert command("run", swing, "--set", "mass").exit_code == 2


# --- run --------------------------------------------------------------------------------------------------


def test_summary(command, swing, simulated):
    seen = simulated()
    answer = command("run", swing)
    assert answer.exit_code == 0, answer.stderr
    assert seen["until"] == 0.5
    assert (seen["method"], seen["integrator"], seen["dt"]) == ("recursive", "rk4", 0.01)
    assert "1 degree of freedom, 0 loops" in answer.stdout
    assert "10 steps" in answer.stdout
    assert "5 x real time" in answer.stdout
    assert "\x1b" not in answer.stdout


@pytest.mark.parametrize(
    ("typed", "meant"), [("--step", "--dt"), ("--t-end", "--until"), ("--solver", "--method"), ("--tol", "--rtol")]
)
def test_options_of_other_programs_are_translated(command, typed, meant):
    answer = command("run", "pendulum", typed, "1")
    assert answer.exit_code == 2
    assert f"Possible options: {meant}" in answer.output or f", {meant})" in answer.output


def test_options_reach_the_run(command, swing, simulated):
    seen = simulated()
    words = ["--until", "2", "--dt", "0.1", "--integrator", "rk2", "--every", "5", "--ignore", "friction"]
    assert command("run", swing, *words).exit_code == 0
    assert (seen["until"], seen["dt"], seen["integrator"], seen["every"]) == (2.0, 0.1, "rk2", 5)
    assert seen["ignore"] == ("friction",)
    assert seen["method"] == "recursive"


def test_another_method_does_not_inherit_the_integrator(command, swing, simulated):
    seen = simulated()
    assert command("run", swing, "--method", "hybrid").exit_code == 0
    assert seen["method"] == "hybrid"
    assert "integrator" not in seen
    assert seen["dt"] == 0.01


def test_how_long_must_be_said(command, tmp_path, simulated):
    simulated()
    (tmp_path / "m.py").write_text("from linkwork.model.subsystem import Model\nmodel = Model('m')")
    answer = command("run", tmp_path / "m.py")
    assert answer.exit_code == 2
    assert "--until" in answer.stderr


def test_json_is_one_document(command, swing, simulated):
    simulated()
    swing.write_text("print('hello from the file')\n" + MODEL_FILE)
    answer = command("run", swing, "--json")
    assert answer.exit_code == 0
    document = json.loads(answer.stdout, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    assert document["model"] == "swing"
    assert document["certificate"]["steps"] == 10
    assert document["certificate"]["energy_balance_worst"] is None
    assert document["final"]["pin.position"] == pytest.approx(np.cos(0.5))
    assert document["final"]["pin.velocity"] is None
    assert document["units"]["pin.position"] == "rad"
    assert "hello" in answer.stderr


def test_files_are_written(command, swing, simulated, tmp_path):
    pytest.importorskip("matplotlib", reason="plots need the extra plot")
    simulated()
    out, table, picture, ledger = (tmp_path / name for name in ("run.npz", "run.csv", "run.png", "energy.png"))
    answer = command("run", swing, "--out", out, "--plot", picture, "--plot", f"{ledger}=energy, drift")
    assert answer.exit_code == 0, answer.stderr
    assert load_run(out) == recorded()
    assert picture.stat().st_size > 1000
    assert ledger.stat().st_size > 1000
    for file in (out, picture, ledger):
        assert str(file) in answer.stdout
    assert command("run", swing, "--out", table).exit_code == 0
    assert table.read_text().startswith("time [s],pin.position [rad]")


def test_a_table_of_chosen_columns(command, swing, simulated, tmp_path):
    table = tmp_path / "run.csv"
    words = ["--until", "0.1", "--dt", "0.01", "--method", "recursive", "--out", table]
    answer = command("run", "pendulum", *words, "--columns", "bob.position.z, energy.total,pin.velocity")
    assert answer.exit_code == 0, answer.stderr
    head = "time [s],bob.position.z [m],energy.total [J],pin.velocity [rad/s]"
    assert table.read_text().splitlines()[0] == head
    seen = simulated()
    answer = command("run", swing, "--out", table, "--columns", "pin.position, energy.total")
    assert answer.exit_code == 0, answer.stderr
    assert table.read_text().splitlines()[0] == "time [s],pin.position [rad],energy.total [J]"
    seen.clear()
    for words, reason in (
        (["--out", table, "--columns", "pin.positon"], "did you mean pin.position"),
        (["--out", table, "--columns", ","], "names no column"),
        (["--out", tmp_path / "run.npz", "--columns", "pin.position"], "give --out FILE.csv too"),
        (["--columns", "pin.position"], "give --out FILE.csv too"),
    ):
        answer = command("run", swing, *words)
        assert answer.exit_code == 2
        assert reason in answer.stderr
        assert one_paragraph(answer.stderr)
    assert not seen, "refused before the run"


@pytest.mark.parametrize("words", [["--out", "run.xls"], ["--plot", "run.bmp"], ["--out", "no/such/folder/run.npz"]])
def test_files_are_checked_before_the_run(command, swing, simulated, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seen = simulated()
    answer = command("run", swing, *words)
    assert answer.exit_code == 2
    assert one_paragraph(answer.stderr)
    assert not seen


def test_a_column_nobody_recorded(command, swing, simulated, tmp_path):
    pytest.importorskip("matplotlib", reason="plots need the extra plot")
    seen = simulated()
    answer = command("run", swing, "--plot", f"{tmp_path / 'a.png'}=pin.positon")
    assert answer.exit_code == 2
    assert "did you mean pin.position" in answer.stderr
    assert one_paragraph(answer.stderr)
    assert not seen, "refused before the run"
    answer = command("run", swing, "--plot", f"{tmp_path / 'a.png'}=torque on the moon")
    assert "it has energy, drift, pin.position" in answer.stderr
    for good in ("pin.position", "*.velocity", "energy", "energy.total", "drift"):
        assert command("run", swing, "--plot", f"{tmp_path / 'a.png'}={good}").exit_code == 0, good


def test_plots_of_a_file_may_be_one_word(command, swing, simulated, tmp_path):
    pytest.importorskip("matplotlib", reason="plots need the extra plot")
    simulated()
    swing.write_text(MODEL_FILE + "PLOTS = 'energy'\n")
    assert command("run", swing, "--plot", tmp_path / "a.png").exit_code == 0


def test_a_failed_run_keeps_what_it_has(command, swing, simulated, tmp_path):
    simulated(RunError("NaN at step 7", run=recorded("NaN at step 7")))
    out = tmp_path / "run.npz"
    answer = command("run", swing, "--out", out)
    assert answer.exit_code == 1
    assert one_paragraph(answer.stderr)
    assert "NaN at step 7" in answer.stderr
    assert load_run(out).stopped == "NaN at step 7"
    document = json.loads(command("run", swing, "--json").stdout)
    assert document["error"]["message"] == "NaN at step 7"
    assert document["rows"] == 11


def test_a_failed_run_without_rows(command, swing, simulated):
    simulated(RunError("no start found"))
    answer = command("run", swing)
    assert answer.exit_code == 1
    assert answer.stdout == ""
    assert json.loads(command("run", swing, "--json").stdout)["error"]["message"] == "no start found"


def test_an_interrupted_run(command, swing, simulated):
    simulated(recorded("interrupted at t = 0.3 s"))
    answer = command("run", swing)
    assert answer.exit_code == 1
    assert "stopped early: interrupted" in answer.stderr
    simulated(KeyboardInterrupt())
    answer = command("run", swing)
    assert answer.exit_code == 1
    assert one_paragraph(answer.stderr)


def test_wrong_option_values_are_wrong_usage(command, swing, simulated):
    simulated(OptionError("dt must be positive"))
    answer = command("run", swing, "--json")
    assert answer.exit_code == 2
    assert json.loads(answer.stdout)["error"] == {"kind": "OptionError", "message": "dt must be positive"}


def test_mistakes_of_ours_come_without_traceback(command, swing, simulated, monkeypatch):
    monkeypatch.delenv("LINKWORK_TRACEBACK", raising=False)
    simulated(ZeroDivisionError("oh"))
    answer = command("run", swing)
    assert answer.exit_code == 1
    assert one_paragraph(answer.stderr)
    assert "LINKWORK_TRACEBACK" in answer.stderr


def test_progress_appears_only_after_a_moment(monkeypatch, capsys):
    bar = running.Progress("swing", 1.0)
    bar(0.1)
    bar.close()
    assert bar._bar is None
    monkeypatch.setattr(running, "QUIET_SECONDS", 0.0)
    bar = running.Progress("swing", 1.0)
    bar(0.5)
    bar.close()
    assert bar._bar.tasks[0].completed == 0.5
    assert capsys.readouterr().out == ""


# --- with the real thing ----------------------------------------------------------------------------------


@needs_core
def test_gallery_lists_every_piece(command):
    from linkwork import gallery

    answer = command("gallery")
    assert answer.exit_code == 0
    assert [line.split()[0] for line in answer.stdout.splitlines()] == gallery.names()
    listed = json.loads(command("gallery", "--json").stdout)
    assert [piece["name"] for piece in listed] == gallery.names()
    for piece in listed:
        assert piece["title"]
        assert piece["paper"]


@needs_core
def test_gallery_pieces_keep_their_shape():
    from linkwork import gallery

    assert {"pendulum", "car"} <= set(gallery.names())
    for name in gallery.names():
        missing = [word for word in gallery.REQUIRED if not hasattr(gallery.piece(name), word)]
        assert not missing, f"{name} lacks {missing}"
    assert gallery.pendulum is gallery.piece("pendulum")
    with pytest.raises(AttributeError, match="pendulum"):
        gallery.pendulun  # noqa: B018


@needs_core
def test_gallery_describes_a_piece(command):
    answer = command("gallery", "chain")
    assert answer.exit_code == 0
    assert "linkwork run chain" in answer.stdout
    assert command("gallery", "chian").exit_code == 2


@needs_core
def test_a_piece_built_wrongly_speaks_of_itself_not_of_our_lines(command):
    answer = command("run", "chain", "--set", "n=0")
    assert answer.exit_code == 1
    assert answer.stderr.startswith("linkwork: chain: n is 0")
    answer = command("run", "pendulum", "--set", "length=long")
    assert answer.exit_code == 1
    assert answer.stderr.startswith("linkwork: pendulum: TypeError")


@needs_core
def test_run_a_piece(command, tmp_path):
    out = tmp_path / "pendulum.npz"
    answer = command("run", "pendulum", "--until", "0.1", "--json", "--out", out)
    assert answer.exit_code == 0, answer.stderr
    document = json.loads(answer.stdout)
    assert document["time"] == pytest.approx(0.1)
    back = load_run(out)
    assert back.certificate.degrees_of_freedom == document["certificate"]["degrees_of_freedom"]
    assert len(back) == document["rows"]


@needs_core
def test_run_a_file(command, swing):
    answer = command("run", swing, "--until", "0.1")
    assert answer.exit_code == 0, answer.stderr
    assert "recursive" in answer.stdout


@needs_core
@pytest.mark.parametrize(
    "words",
    [["--dt", "-1"], ["--until", "0"], ["--method", "nonsense"], ["--integrator", "nonsense"], ["--every", "0"]],
)
def test_wrong_options_are_refused(command, words):
    answer = command("run", "pendulum", *words)
    assert answer.exit_code == 2, answer.stderr
    assert one_paragraph(answer.stderr)


@needs_core
def test_check(command, swing):
    answer = command("check", swing)
    assert answer.exit_code == 0, answer.stderr
    assert "degree" in answer.stdout
    document = json.loads(command("check", swing, "--json").stdout)
    assert document["model"] == "swing"
    assert document["degrees_of_freedom"] == 1


@needs_core
def test_check_of_a_wrong_model(command, tmp_path):
    (tmp_path / "m.py").write_text(MODEL_FILE.replace("mass=mass", "mass=-mass"))
    answer = command("check", tmp_path / "m.py")
    assert answer.exit_code == 1
    assert one_paragraph(answer.stderr)
    assert "rod" in answer.stderr


@needs_core
def test_json_stays_clean_whatever_the_file_prints(tmp_path):
    chatter = "import os, subprocess, sys\nprint('a')\nos.write(1, b'b')\nsubprocess.run(['echo', 'c'])\n"
    (tmp_path / "m.py").write_text(chatter + "sys.__stdout__.write('d')\n" + MODEL_FILE)
    answer = shell("run", str(tmp_path / "m.py"), "--json")
    assert answer.returncode == 0, answer.stderr
    assert json.loads(answer.stdout)["model"] == "swing"
    assert set("abcd") <= set(answer.stderr)


@needs_core
def test_a_run_loads_only_what_it_needs():
    heavy = "matplotlib scipy.interpolate scipy.optimize pandas"
    code = (
        "import sys; sys.argv = ['linkwork', 'run', 'pendulum', '--until', '0.01', '--json']\n"
        "from linkwork.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        f"print([name for name in '{heavy}'.split() if name in sys.modules], file=sys.stderr)"
    )
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert answer.stderr.splitlines()[-1] == "[]"


INTERRUPTED = """
import pathlib, signal
from linkwork import Model
signal.signal(signal.SIGINT, signal.default_int_handler)  # whatever started the tests
UNTIL = 1e5
model = Model("endless")
rod = model.body("rod", mass=1, inertia=(0.1, 0.1, 0.01), com=(0, 0, -1))
model.revolute("pin", "ground", rod, at=(0, 0, 0), axis=(0, 1, 0))

def push(t):
    if 2.0 < t < 2.01:
        pathlib.Path(__file__).with_name("running").touch()
    return 1.0

model.torque("push", "pin", push)
"""


@needs_core
@pytest.mark.parametrize(
    ("number", "name"),
    [("SIGINT", "run.npz"), ("SIGTERM", "run.npz"), ("SIGHUP", "run.npz"), ("SIGTERM", "run.h5")],
)
def test_interrupting_keeps_what_was_recorded(tmp_path, number, name):
    """By Ctrl-C, by the limit of a queue, by a terminal that is closed, which sends more than one signal."""
    if not hasattr(signal, number):
        pytest.skip(f"this system has no {number}")
    if name.endswith(".h5"):
        pytest.importorskip("h5py")
    running, out, file = tmp_path / "running", tmp_path / name, tmp_path / "endless.py"
    file.write_text(INTERRUPTED)
    shell("run", "pendulum", "--until", "0.01")  # so that no kernel is compiled below
    words = [sys.executable, "-m", "linkwork.cli", "run", str(file), "--every", "1000", "--out", str(out)]
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as process:
        try:
            for _ in range(600):
                if not running.exists():
                    time.sleep(0.1)
            for _ in range(1 if number == "SIGINT" else 3):
                process.send_signal(getattr(signal, number))
            stdout, stderr = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 1, stderr
    assert one_paragraph(stderr.rpartition("...\n")[2])  # kernels may have been announced
    assert "interrupted" in stderr
    assert "STOPPED" in stdout
    assert "interrupted" in str(load_run(out).stopped)


@needs_core
@pytest.mark.parametrize("out", ["run.npz", "run.h5"])
def test_strict_fails_and_names_the_bound(command, swing, tmp_path, out):
    words = ("run", swing, "--dt", "0.05", "--until", "0.5", "--out", tmp_path / out)
    good = command(*words, "--strict")
    assert good.exit_code == 0, good.stderr
    answer = command(*words, "--strict", "--bound", "energy=1e-15")
    assert answer.exit_code == 1
    assert one_paragraph(answer.stderr)
    assert "the energy balance is off by" in answer.stderr
    assert "more than 1e-15" in answer.stderr
    assert "--from" not in answer.stderr  # it reached its end
    assert len(load_run(tmp_path / out)) == 11


@needs_core
@pytest.mark.parametrize(
    ("bound", "words"),
    [("energy", "is not NAME=NUMBER"), ("energy=much", "is not NAME=NUMBER"), ("colour=1", "no bound 'colour'")],
)
def test_wrong_bounds(command, swing, bound, words):
    answer = command("run", swing, "--bound", bound)
    assert answer.exit_code == 2
    assert one_paragraph(answer.stderr)
    assert words in answer.stderr


@needs_core
def test_a_doubtful_run_is_told_in_colour_and_as_data_and_ends_well(command, swing):
    words = ("run", swing, "--dt", "0.1", "--integrator", "semi-implicit", "--until", "2")
    done = CliRunner().invoke(cli.app, [str(word) for word in words], color=True)
    assert done.exit_code == 0
    assert "\x1b[31m\x1b[1mPOOR" in done.stdout
    assert done.stderr.count("warning: ") == 1
    assert "\x1b[33m\x1b[1mwarning: " in done.stderr
    assert "reached t = 2 s, but its numbers are in doubt: the energy balance" in done.stderr
    document = json.loads(command(*words, "--json").stdout)
    assert document["doubts"] == Certificate.from_dict(document["certificate"]).doubts()
    assert document["doubts"][0] in document["warnings"][0]
    assert command(*words, "--strict").exit_code == 1
    healthy = command("run", swing, "--json")
    assert healthy.stderr == ""
    assert (json.loads(healthy.stdout)["doubts"], json.loads(healthy.stdout)["warnings"]) == ([], [])


@needs_core
def test_a_model_that_looks_mistaken_is_hinted_at(command, swing):
    swing.write_text(MODEL_FILE.replace("position=0.3", "position=90"))
    hint = "revolute joint 'pin': position 90 rad is 14.3 turns: is it in degrees? (1.571 rad)"
    coloured = CliRunner().invoke(cli.app, ["check", str(swing)], color=True)
    assert f"\x1b[33mhint: {hint}" in coloured.stdout
    assert (coloured.exit_code, coloured.stderr) == (0, "")
    assert json.loads(command("check", swing, "--json").stdout)["hints"] == [hint]
    done = command("run", swing, "--json")
    assert done.exit_code == 0
    assert done.stderr == f"warning: model 'swing': {hint}\n"
    assert json.loads(done.stdout)["warnings"] == [f"model 'swing': {hint}"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device to print to")
@pytest.mark.parametrize("words", [["--help"], ["gallery", "--json"]], ids=["help", "json"])
def test_output_to_a_full_disk_is_one_sentence(words):
    code = "from linkwork.cli import main; main()"
    with open("/dev/full", "w") as full:
        answer = subprocess.run([sys.executable, "-c", code, *words], stdout=full, stderr=subprocess.PIPE, text=True)
    assert answer.returncode == 1
    assert answer.stderr.startswith("linkwork: cannot print: the disk that the output goes to is full")
    assert len(answer.stderr.splitlines()) == 1


def test_the_tab_key_completes_commands_and_models(tmp_path):
    (tmp_path / "pendant.py").write_text("")
    for words, found in (("linkwork ru", "run"), ("linkwork run pend", "pendant.py pendulum")):
        asked = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" ")), "_LINKWORK_COMPLETE": "complete_bash"}
        command = Path(sys.executable).with_name("linkwork")  # its name says which variable is meant
        done = subprocess.run([command], env=os.environ | asked, capture_output=True, text=True, cwd=tmp_path)
        assert sorted(done.stdout.split()) == found.split(), done.stderr
    assert "complete" in shell("--show-completion", "bash").stdout
