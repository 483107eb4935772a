"""Commands on model files: the receipt on stderr, options of readers, conversion, exit codes."""

import json

import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork import cli

ARM = """<sdf version="1.7"><model name="arm">
<link name="rod"><pose>0 0 -0.5 0 0 0</pose>
<inertial><mass>1</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></inertial>
<collision name="tip"><geometry><sphere><radius>0.05</radius></sphere></geometry></collision></link>
<joint name="pin" type="revolute"><pose>0 0 0.5 0 0 0</pose><parent>world</parent><child>rod</child>
<axis><xyz>0 1 0</xyz></axis></joint>
{more}
</model></sdf>
"""


@pytest.fixture
def command():
    runner = CliRunner()
    return lambda *words: runner.invoke(cli.app, [str(word) for word in words])


@pytest.fixture
def arm(tmp_path):
    def write(more=""):
        path = tmp_path / "arm.sdf"
        path.write_text(ARM.format(more=more))
        return path

    return write


def test_check_and_run_take_a_model_file(command, arm):
    answer = command("check", arm(), "--json")
    assert answer.exit_code == 0
    assert json.loads(answer.stdout)["model"] == "arm"
    assert "arm.sdf: " in answer.stderr
    assert "understood" in answer.stderr
    answer = command("run", arm(), "--json")
    assert answer.exit_code == 0
    assert json.loads(answer.stdout)["time"] == pytest.approx(1.0)


def test_compare_takes_a_model_file(command, arm):
    answer = command(
        "compare", arm(), "--until", 0.1, "--method", "recursive", "--method", "absolute", "--read", "contact=false"
    )
    assert answer.exit_code == 0, answer.stderr
    assert "arm.sdf: " in answer.stderr


def test_the_whole_receipt(command, arm):
    short, whole = (command("check", arm(), *more).stderr for more in ((), ("--receipt",)))
    assert "joint 'pin'" not in short
    assert "joint 'pin' (line 5)" in whole


def test_what_is_lost_is_refused_unless_strict_is_false(command, arm):
    file = arm('<joint name="odd" type="elastic"><parent>world</parent><child>rod</child></joint>')
    answer = command("check", file)
    assert answer.exit_code == 1
    assert answer.stderr.count("\n") == 1
    assert "odd" in answer.stderr
    assert "--read strict=false" in answer.stderr
    answer = command("check", file, "--read", "strict=false")
    assert answer.exit_code == 0, answer.stderr
    assert "odd" in answer.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("check", "{arm}", "--read", "bas=floating"), "unknown option bas=; did you mean 'base'?"),
        (("check", "{arm}", "--read", "base"), "--read takes NAME=VALUE"),
        (("check", "{arm}", "--set", "mass=2"), "has no parameters that --set could change"),
        (("check", "pendulum", "--read", "base=floating"), "leave --read out"),
        (("check", "nowhere.urdf"), "there is no file nowhere.urdf"),
        (("convert", "{arm}", "arm.sdf"), "unknown suffix '.sdf'; known are .urdf"),
    ],
)
def test_wrong_usage(command, arm, words, said):
    answer = command(*(word.replace("{arm}", str(arm())) for word in words))
    assert answer.exit_code == 2
    assert said in answer.stderr
    assert answer.stderr.count("\n") == 1


def test_a_damaged_file_is_one_line(command, tmp_path):
    (tmp_path / "half.sdf").write_text("<sdf version='1.7'><model name='a'>")
    answer = command("run", tmp_path / "half.sdf")
    assert answer.exit_code == 1
    assert "half.sdf" in answer.stderr
    assert answer.stderr.count("\n") == 1


def test_convert_prints_both_receipts_and_the_file_reads_back(command, arm, tmp_path):
    answer = command("convert", arm(), tmp_path / "arm.toml")
    assert answer.exit_code == 0, answer.stderr
    assert "arm.sdf: " in answer.stdout
    assert "arm.toml: " in answer.stdout
    assert f"written {tmp_path / 'arm.toml'}" in answer.stdout
    assert lw.read(tmp_path / "arm.toml")[0] == lw.read(arm())[0]
    answer = command("convert", tmp_path / "arm.toml", tmp_path / "arm.toml")
    assert answer.exit_code == 2
    assert "is the file that is read" in answer.stderr


def test_convert_refuses_what_a_format_cannot_say(command, tmp_path):
    answer = command("convert", "double_four_bar", tmp_path / "bars.urdf")
    assert answer.exit_code == 1
    assert "closes a loop" in answer.stderr
    assert answer.stderr.strip().endswith("--lossy writes the rest and lists this")
    assert not (tmp_path / "bars.urdf").exists()
    answer = command("convert", "double_four_bar", tmp_path / "bars.urdf", "--lossy")
    assert answer.exit_code == 0
    assert "closes a loop" in answer.stdout


def test_set_changes_parameters_of_a_model_file(command, tmp_path):
    (tmp_path / "stone.toml").write_text(
        'linkwork = 1\nname = "stone"\n[parameters]\nsize = 1.0\n[[body]]\nname = "stone"\n'
        'mass = "3 * size"\ninertia = [1.0, 1.0, 1.0]\n'
    )
    assert "3 kg" in command("check", tmp_path / "stone.toml").stdout
    assert "6 kg" in command("check", tmp_path / "stone.toml", "--set", "size=2").stdout
    answer = command("check", tmp_path / "stone.toml", "--set", "sise=2")
    assert answer.exit_code in (1, 2)
    assert "size" in answer.stderr
