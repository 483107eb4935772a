"""Numbers as text: what they mean, and what they may not be."""

import math
from pathlib import Path

import pytest

import linkwork as lw
from linkwork.formats.model_file.expressions import evaluate

KNOWN = {"rho": 7800.0, "length": 0.5, "L": 4.0}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("rho * length", 3900.0),
        ("pi/2", math.pi / 2),
        ("2*sqrt(L)", 4.0),
        ("-L**2", -16.0),
        ("(1 + 2) * 3 - 4 / 8", 8.5),
        (" 1e-3 ", 1e-3),
        ("max(1, L, 2) + abs(-1)", 5.0),
        ("atan2(1, 1)", math.pi / 4),
        ("radians(180)", math.pi),
        ("-inf", -math.inf),
        ("0.1 + 0.2", 0.1 + 0.2),
    ],
)
def test_what_an_expression_means(text: str, value: float) -> None:
    assert evaluate(text, KNOWN) == value


@pytest.mark.parametrize(
    "text",
    [
        "", "length length", "lenght", "2 ^ 3", "9**9**9**9", "1/0", "(-8)**(1/3)", "sqrt(-1)", "sqrt()", "sqrt(1, 2)",
        "exp(1e9)", "1e308 * 10", "True", "1 if L else 2", "L.real", "L[0]", "lambda: 1", "[1]", "'a'", "print(1)",
        "__import__('os')", "(1).__class__", "1or 2", "x := 1", "1\x00", "*", "sqrt(x=1)", "min()", "1j", "a b",
        "1" * 401, "-" * 300 + "1", "(" * 199 + "1", "1 " + "+ 1" * 130, "inf - inf", "9" * 400,
        "factorial(10)", "sqrt", "é" * 5,
    ],
)  # fmt: skip
def test_what_is_refused(text: str) -> None:
    with pytest.raises(lw.ModelError) as caught:
        evaluate(text, KNOWN)
    assert "\n" not in str(caught.value)


def read(text: str, folder: Path, **options: object) -> lw.Model:
    (folder / "machine.toml").write_text("linkwork = 1\n" + text)
    return lw.read(folder / "machine.toml", **options)[0]


ROD = """
gravity = [0, 0, "-g"]
[parameters]
mass = "rho * length * area"
area = "pi * r**2"
r = 0.01
rho = 7800
length = 0.5
g = 9.81
[[body]]
name = "rod"
mass = "mass"
inertia = ["mass * length**2 / 12", "mass * length**2 / 12", 0]
com = [0, 0, "-length / 2"]
[[joint]]
kind = "revolute"
name = "pin"
a = "ground"
b = "rod"
at = [0, 0, 0]
axis = [0, 1, 0]
limits = ["-inf", "pi"]
"""


def test_parameters_in_any_order(tmp_path: Path) -> None:
    model = read(ROD, tmp_path)
    mass = 7800 * 0.5 * (math.pi * 0.01**2)
    assert model["rod"].mass == mass
    assert model["rod"].com.tolist() == [0.0, 0.0, -0.25]
    assert model["pin"].limits == (-math.inf, math.pi)
    assert model.gravity.tolist() == [0.0, 0.0, -9.81]


def test_given_parameters_replace_those_of_the_file(tmp_path: Path) -> None:
    model = read(ROD, tmp_path, parameters={"length": 2, "r": "0.02 / 2"})
    assert model["rod"].com.tolist() == [0.0, 0.0, -1.0]
    assert model["rod"].mass == 7800 * 2.0 * (math.pi * 0.01**2)


def test_a_plain_file_with_numbers_is_the_same_model(tmp_path: Path) -> None:
    model = read(ROD, tmp_path)
    model.write(tmp_path / "plain.toml")
    assert "rho" not in (tmp_path / "plain.toml").read_text()
    assert lw.read(tmp_path / "plain.toml")[0].bodies.keys() == model.bodies.keys()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('a = "b"\nb = "c"\nc = "a"', "depends on itself"),
        ("sqrt = 3", "has the name of a constant or function"),
        ('"x y" = 3', "cannot stand in an expression"),
        ("a = [1]", "must be one finite number"),
        ("a = true", "must be one finite number"),
        ("a = nan", "must be one finite number"),
        ('a = "2 * q"', "which is no parameter"),
    ],
)
def test_parameters_that_are_refused(line: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(lw.ModelError, match=words):
        read(f"[parameters]\n{line}\n", tmp_path)


def test_a_parameter_that_failed_is_told_once(tmp_path: Path) -> None:
    text = '[parameters]\na = "q"\nb = "a + 1"\n[[body]]\nname = "rod"\nmass = "b"\ninertia = "a"\n'
    with pytest.raises(lw.ModelError, match=r"^machine.toml: line 3: 'q' names 'q'") as caught:
        read(text, tmp_path)
    assert "\n" not in str(caught.value)
