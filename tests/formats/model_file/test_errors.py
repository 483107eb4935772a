"""What is wrong with a file is told at once, each with its line and what to do."""

from collections.abc import Callable
from pathlib import Path

import pytest

import linkwork as lw

HEAD = "linkwork = 1\n"
ROD = HEAD + '[[body]]\nname = "rod"\nmass = 1\ninertia = 0\n'  # lines 1 to 5
PIN = ROD + '[[joint]]\nkind = "revolute"\nname = "pin"\na = "ground"\nb = "rod"\n'  # 6 to 10
PUSH = PIN + 'at = [0, 0, 0]\naxis = [0, 1, 0]\n[[force]]\nkind = "torque"\nname = "push"\ntarget = "pin"\n'  # to 16
SUB = HEAD + '[[subsystem]]\nname = "s"\n'

CASES = {
    "no version": ("", 1, "begin it with linkwork = 1"),
    "another version": ("linkwork = 2", 1, "reads version 1"),
    "unknown key": (HEAD + "gravty = [0, 0, 0]", 2, "did you mean 'gravity'?"),
    "unknown section": (HEAD + '[[bodies]]\nname = "x"', 2, "unknown key 'bodies'; did you mean 'body'?"),
    "single brackets": (HEAD + '[body]\nname = "x"', 2, "write [[body]] above each of them"),
    "no table": (HEAD + "body = [3]", 2, "body: it must be a table, got 3"),
    "no name": (HEAD + "[[body]]\nmass = 1", 2, "name is missing"),
    "no text": (HEAD + "[[body]]\nname = 3\nmass = 1\ninertia = 0", 3, "name: must be a text in quotes, got 3"),
    "synonym": (HEAD + '[[body]]\nname = "a"\nweight = 1\ninertia = 0', 4, "unknown key 'weight'; did you mean"),
    "no number": (HEAD + '[[body]]\nname = "a"\nmass = true\ninertia = 0', 4, "mass: must be a number"),
    "a date": (HEAD + '[[body]]\nname = "a"\nmass = 1979-05-27\ninertia = 0', 4, "mass: must be a number"),
    "a very long name": (PIN[: PIN.rindex('"rod"')] + f'"{"x" * 5000}"\n', 10, "xxx...' in model 'machine'; give"),
    "infinite": (HEAD + '[[body]]\nname = "a"\nmass = 1e400\ninertia = 0', 4, "mass must be one finite number"),
    "unknown shape": (
        HEAD + '[[body]]\nname = "a"\nmass = 1\nshape = {kind = "bxo", size = [1, 2, 3]}', 5, "did you mean 'box'?",
    ),
    "no kind": (HEAD + '[[body]]\nname = "a"\nmass = 1\nshape = {size = [1, 2, 3]}', 5, "its kind is missing"),
    "wrong size": (
        HEAD + '[[body]]\nname = "a"\nmass = 1\n[body.shape]\nkind = "box"\nsize = [1, 2]', 7, "must be 3 numbers",
    ),
    "negative size": (
        HEAD + '[[body]]\nname = "a"\nmass = 1\nshape = {kind = "box", size = [1, -2, 3]}', 5, "must be positive",
    ),
    "deep inside": (
        HEAD + '[[body]]\nname = "a"\nmass = 1\nshape = {kind = "sphere", radius = 1, pose = {positon = [1, 2, 3]}}',
        5, "unknown key 'positon'; did you mean 'position'?",
    ),
    "no place": (PIN, 6, "its place is not known; give at= and axis="),
    "zero axis": (PIN + "at = [0, 0, 0]\naxis = [0, 0, 0]", 12, "axis is zero"),
    "no such body": (PIN.replace("rod", "rode", 1) + "at = [0, 0, 0]\naxis = [0, 0, 1]", 10, "there is no 'rod'"),
    "no flag": (PIN + "at = [0, 0, 0]\naxis = [0, 0, 1]\ncut = 1", 13, "cut: must be true or false, got 1"),
    "no such kind": (PUSH.replace("torque", "torqe") + "law = 1", 14, "did you mean 'torque'"),
    "law without numbers": (PUSH + 'law = {kind = "cosine", amplitude = 1}', 17, "frequency is missing"),
    "law twice": (PUSH + 'law = {times = [0, 1], values = [0, 1], file = "a.csv"}', 17, "file"),
    "no whole number": (PUSH + "law = 1\ncoordinate = 0.5", 18, "coordinate: must be a whole number"),
    "twice": (ROD + '[[body]]\nname = "rod"\nmass = 1\ninertia = 0', 6, "the name is taken by the body 'rod'"),
    "no port": (HEAD + '[ports]\nx = "y"', 3, "there is no 'y'"),
    "release": (HEAD + '[[event]]\nkind = "release"\njoint = "x"\ntime = 1', 4, "there is no 'x'"),
    "inside a subsystem": (SUB + '[[subsystem.body]]\nname = "x"\nmas = 3', 6, "body 'x': unknown key 'mas'"),
    "subsystem with unknown key": (SUB + "bodies = 3", 4, "did you mean 'body'?"),
    "frame twice": (PIN + "frame_a = {along = [0, 0, 1], position = [0, 0, 0]}", 11, "give one of the two"),
    "not TOML": (HEAD + "[[body]\n", 2, "it is not TOML"),
    "key twice": ("a = 1\na = 2", 2, "it is not TOML"),
    "empty road": (
        ROD + '[[force]]\nkind = "tyre"\nname = "t"\nbody = "rod"\nradius = 1\nstiffness = 1\nroad = []', 12, "empty",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "line", "words"), CASES.values(), ids=CASES)
def test_an_error_and_its_line(text: str, line: int, words: str, tmp_path: Path, refused: Callable) -> None:
    (tmp_path / "machine.toml").write_text(text)
    with pytest.raises(lw.ModelError) as caught:
        lw.read(tmp_path / "machine.toml")
    message = str(caught.value)
    assert message.startswith("machine.toml: line "), message
    assert "\n" not in message
    assert f"machine.toml: line {line}: " in message, message
    assert words in message


def test_all_errors_at_once(tmp_path: Path) -> None:
    (tmp_path / "machine.toml").write_text(
        HEAD
        + '[[body]]\nname = "rod"\nmas = -1\ninertia = "x y"\n'
        + '[[body]]\nname = "bob"\nmass = -1\ninertia = 0\n'
        + '[[joint]]\nkind = "ball"\nname = "pin"\na = "ground"\nb = "rod"\nat = [0, 0, 0]\n'  # rod is reported already
        + '[[joint]]\nkind = "ball"\nname = "pin 2"\na = "grund"\nb = "ground"\nat = [0, 0, 0]\n'
        + '[[force]]\nkind = "torque"\nname = "push"\ntarget = "pin"\nlaw = {kind = "cosin"}\n'
    )
    with pytest.raises(lw.ModelError) as caught:
        lw.read(tmp_path / "machine.toml")
    first, *rest = str(caught.value).split("\n")
    assert first == "machine.toml: 5 errors"
    assert [each.split(":")[0] for each in rest] == ["  line 4", "  line 5", "  line 8", "  line 19", "  line 26"]


def test_lines_of_json(tmp_path: Path) -> None:
    (tmp_path / "machine.json").write_text(
        '{"linkwork": 1,\n "body": [\n  {"name": "a", "mass": 1, "inertia": 0},\n'
        '  {"name": "b",\n   "mas": 1,\n   "inertia": [1, 1,\n "q"]}]}'
    )
    with pytest.raises(lw.ModelError, match=r"line 5: body 'b': unknown key 'mas'(.|\n)*line 6: body 'b': inertia"):
        lw.read(tmp_path / "machine.json")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: it is not JSON"),
        ("[1]", "no model"),
        ('{"linkwork": 1,\n}', "line 2: it is not JSON"),
        ('{"linkwork": 1,\n "name": "a",\n "name": "b"}', "line 3: the key 'name' is given twice"),
        ('{"linkwork": 1,\n "gravity": [0, 0, NaN]}', "line 2: NaN is no number of JSON"),
        ("[" * 100_000, "too deep inside each other"),
    ],
)
def test_files_that_are_not_json(text: str, words: str, tmp_path: Path, refused: Callable) -> None:
    (tmp_path / "machine.json").write_text(text)
    with refused("machine.json", words):
        lw.read(tmp_path / "machine.json")


def test_options_that_are_wrong(tmp_path: Path) -> None:
    (tmp_path / "machine.toml").write_text(HEAD + "[parameters]\nlength = 1\n")
    for options, words in (
        ({"parameters": {"lenght": 1}}, "has no parameter 'lenght'; did you mean 'length'?"),
        ({"parameters": {"length": "a"}}, "which is no parameter"),
        ({"parameters": 3}, "give a dict"),
        ({"modules": "os"}, "give a list of names"),
        ({"modles": []}, "did you mean 'modules'?"),
    ):
        with pytest.raises(lw.OptionError) as caught:
            lw.read(tmp_path / "machine.toml", **options)
        assert words in str(caught.value)
