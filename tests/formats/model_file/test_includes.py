"""Subsystems inline, from files and by class; tables from csv files; what files may not do."""

from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from linkwork import gallery

HEAD = "linkwork = 1\n"
WHEEL = HEAD + (
    'name = "wheel"\n[parameters]\nradius = 0.3\nmass = "100 * radius"\n[[body]]\nname = "rim"\nmass = "mass"\n'
    'shape = {kind = "cylinder", radius = "radius", length = 0.1}\n[ports]\nhub = "rim"\n'
)
CART = HEAD + (
    '[parameters]\nr = 0.25\n[[subsystem]]\nname = "left"\nfile = "wheel.toml"\nparameters = {radius = 0.25}\n'
    'position = [0, 0.6, 0]\n[[subsystem]]\nname = "right"\nfile = "wheel.toml"\nposition = [0, -0.6, 0]\n'
    '[[joint]]\nkind = "revolute"\nname = "axle"\na = "ground"\nb = "left.hub"\nat = [0, 0.6, 0]\naxis = [0, 1, 0]\n'
)


def put(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        (folder / f"{name}.toml").write_text(text)
    return folder / "machine.toml"


def test_included_files(tmp_path: Path) -> None:
    model, receipt = lw.read(put(tmp_path, machine=CART, wheel=WHEEL))
    assert model["left.rim"].mass == 25.0
    assert model["right.rim"].mass == 30.0
    assert model["axle"].b is model["left.hub"]
    assert model["left"].placement.position.tolist() == [0, 0.6, 0]
    assert "body 'rim' (wheel.toml, line 6)" in receipt.details()


def test_an_inline_subsystem_sees_the_parameters_around_it(tmp_path: Path) -> None:
    text = HEAD + (
        '[parameters]\nm = 2\nk = 3\n[[subsystem]]\nname = "s"\n[subsystem.parameters]\nm = "k + 4"\n'
        '[[subsystem.body]]\nname = "b"\nmass = "m * k"\ninertia = 0\n[[body]]\nname = "c"\nmass = "m"\ninertia = 0\n'
    )
    model = lw.read(put(tmp_path, machine=text))[0]
    assert (model["s.b"].mass, model["c"].mass) == (21.0, 2.0)


def test_components_by_class(tmp_path: Path) -> None:
    text = HEAD + (
        '[parameters]\nk = 100\n[[subsystem]]\nname = "damper"\n'
        'component = "linkwork.gallery.friction_damper:FrictionDamper"\n'
        'parameters = {friction = "2 * k"}\nposition = [0, 0, 1]\n'
    )
    model = lw.read(put(tmp_path, machine=text))[0]
    made = lw.Model("machine")
    made.add("damper", gallery.piece("friction_damper").FrictionDamper(friction=200.0), position=(0, 0, 1))
    assert model == made


def test_components_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_own_parts.py").write_text(
        "import linkwork as lw\nclass Ball(lw.Subsystem):\n    def build(self, *, mass=1.0):\n"
        "        self.body('ball', mass=mass, inertia=0)\n"
        "@lw.compiled\ndef rising(t):\n    return t\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    text = HEAD + (
        '[[subsystem]]\nname = "s"\ncomponent = "my_own_parts:Ball"\nparameters = {mass = 3}\n'
        '[[force]]\nkind = "force"\nname = "push"\nbody = "s.ball"\naxis = [0, 0, 1]\n'
        'law = {compiled = "my_own_parts:rising"}\n'
    )
    path = put(tmp_path, machine=text)
    with pytest.raises(lw.ModelError, match="the module 'my_own_parts' is not allowed to files"):
        lw.read(path)
    model = lw.read(path, modules=["my_own_parts"])[0]
    assert model["s.ball"].mass == 3.0
    model.write(tmp_path / "again.toml", modules=["my_own_parts"])
    assert lw.read(tmp_path / "again.toml", modules=["my_own_parts"])[0] == model


def test_a_module_that_is_not_allowed_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "trap_of_files.py").write_text(f"open({str(tmp_path / 'sprung')!r}, 'w')\n")
    monkeypatch.syspath_prepend(tmp_path)
    for place in (
        "trap_of_files:x",
        "linkwork.gallery.../trap_of_files:x",
        "linkwork.gallery.:x",
        "os:system",
        "os",
        ":",
    ):
        text = HEAD + f'[[subsystem]]\nname = "s"\ncomponent = "{place}"\n'
        with pytest.raises(lw.ModelError):
            lw.read(put(tmp_path, machine=text))
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    ("component", "words"),
    [
        ('"linkwork.gallery.car:Whel"', "did you mean 'Wheel'?"),
        ('"linkwork.gallery.car:build"', "is no component"),
        ('"linkwork.gallery.car:lw"', "has no 'lw'|is no component|not allowed"),
        ('"linkwork.gallery.nothing:X"', "cannot be imported"),
        ('"linkwork.gallery.car:Wheel"\nparameters = {stifness = 3}', "did you mean 'stiffness'?"),
        ('"linkwork.gallery.car:Wheel"\nparameters = {stiffness = "soft"}', "must be one finite number"),
        ('"linkwork.gallery.kuka:Arm"\nparameters = {casting = 1, axis = 2, hold = 3}', "cannot be built with these"),
    ],
)
def test_components_that_are_wrong(component: str, words: str, tmp_path: Path) -> None:
    text = HEAD + f'[[subsystem]]\nname = "s"\ncomponent = {component}\n'
    with pytest.raises(lw.ModelError, match=words) as caught:
        lw.read(put(tmp_path, machine=text))
    assert str(caught.value).startswith("machine.toml: line 2: ")


def test_errors_of_included_files_name_them(tmp_path: Path) -> None:
    path = put(tmp_path, machine=CART, wheel=WHEEL.replace("length = 0.1", "lenght = 0.1"))
    with pytest.raises(lw.ModelError, match=r"^machine.toml: wheel.toml: line 9: .*'lenght'; did you mean 'length'\?$"):
        lw.read(path)


def test_parameters_of_included_files(tmp_path: Path) -> None:
    path = put(tmp_path, machine=CART.replace("radius = 0.25", "radios = 1"), wheel=WHEEL)
    with pytest.raises(lw.ModelError, match="'wheel.toml' has no parameter 'radios'; did you mean 'radius'"):
        lw.read(path)


def test_includes_that_never_end(tmp_path: Path) -> None:
    inner = '[[subsystem]]\nname = "{}"\nfile = "{}.toml"\n'
    circle = put(tmp_path, machine=HEAD + inner.format("s", "b"), b=HEAD + inner.format("s", "machine"))
    with pytest.raises(lw.ModelError, match="the file 'machine.toml' includes itself"):
        lw.read(circle)
    many = {f"f{k}": HEAD + inner.format("a", f"f{k + 1}") + inner.format("b", f"f{k + 1}") for k in range(30)}
    path = put(tmp_path, **many, f30=HEAD, machine=HEAD + inner.format("s", "f0"))
    with pytest.raises(lw.ModelError, match="more than 500 files are included"):
        lw.read(path)


@pytest.mark.parametrize("name", ["../secret.toml", "/etc/passwd", "a/../../secret.toml", "link.toml", "\\u0000", ""])
def test_paths_out_of_the_folder(name: str, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "secret.toml").write_text(WHEEL)
    (inner / "link.toml").symlink_to(tmp_path / "secret.toml")
    path = put(inner, machine=HEAD + f'[[subsystem]]\nname = "s"\nfile = "{name}"\n')
    with pytest.raises(lw.ModelError, match="lies outside the folder|cannot be the name of a file"):
        lw.read(path)
    if name == "../secret.toml":
        assert lw.read(path, allow=[tmp_path])[0]["s.rim"].mass == 30.0


def test_tables_from_csv_files(tmp_path: Path) -> None:
    times = np.linspace(0, 1, 5)
    (tmp_path / "push.csv").write_text("time, force\n" + "".join(f"{t!r},{t * t!r}\n" for t in times.tolist()))
    (tmp_path / "wind.csv").write_text("".join(f"{t!r};{t!r};0;1\n" for t in times.tolist()))
    (tmp_path / "corners.csv").write_text("0,0,0\n1,0,0\n0,1,0\n0,0,1\n")
    text = HEAD + (
        '[[body]]\nname = "rod"\nmass = 1\nshape = {kind = "hull", points = {file = "corners.csv"}}\n'
        '[[force]]\nkind = "force"\nname = "push"\nbody = "rod"\naxis = [0, 0, 1]\n'
        'law = {file = "push.csv", kind = "cubic"}\n'
        '[[force]]\nkind = "force"\nname = "wind"\nbody = "rod"\nlaw = {file = "wind.csv"}\n'
    )
    model = lw.read(put(tmp_path, machine=text))[0]
    assert model["push"].law == lw.Table(times, times**2, "cubic")
    assert model["wind"].law.values.tolist() == [[t, 0.0, 1.0] for t in times.tolist()]
    assert len(model["rod"].shape.points) == 4


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "holds no numbers"),
        ("time,force\n", "holds no numbers"),
        ("0,1\n1,x\n", "line 2: 'x' is no finite number"),
        ("0,1\n1\n", "line 2 has 1 numbers and others have 2"),
        ("0,1\n1,nan\n", "is no finite number"),
        ("0,1,2\n1,2,3\n", "it has 3 columns"),
        ("1,1\n0,2\n", "times must increase"),
        ("\xff\xfe", "UTF-8"),
    ],
)
def test_csv_files_that_are_wrong(content: str, words: str, tmp_path: Path) -> None:
    (tmp_path / "push.csv").write_bytes(content.encode("latin-1"))
    text = HEAD + (
        '[[body]]\nname = "rod"\nmass = 1\ninertia = 0\n'
        '[[force]]\nkind = "force"\nname = "push"\nbody = "rod"\naxis = [0, 0, 1]\nlaw = {file = "push.csv"}\n'
    )
    with pytest.raises(lw.ModelError, match=words) as caught:
        lw.read(put(tmp_path, machine=text))
    assert str(caught.value).startswith("machine.toml: line 11: force 'push': ")


def test_files_that_are_too_large_or_too_deep(tmp_path: Path) -> None:
    huge = tmp_path / "huge.toml"
    with huge.open("wb") as stream:
        stream.truncate(9 * 1024 * 1024)
    for text, words in (
        (None, "more than the 8 MB"),
        (HEAD + "a = " + "[" * 5000, "too deep inside each other"),
        (HEAD + ".".join("a" * 100_000) + " = 1", "a key has too many parts"),
        (HEAD + "mass = " + "9" * 5000, "it is not TOML"),
        (HEAD + "[[subsystem]]\n" + "".join(f"[[{'.'.join(['subsystem'] * k)}]]\nname = 's'\n" for k in range(2, 60)),
         "more than 40 subsystems stand inside each other"),
    ):  # fmt: skip
        path = huge if text is None else put(tmp_path, machine=text)
        with pytest.raises(lw.ModelError, match=words):
            lw.read(path)


def test_too_many_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("linkwork.formats.model_file.building.MOST_PARTS", 10)
    bodies = "".join(f'[[body]]\nname = "b{k}"\nmass = 1\ninertia = 0\n' for k in range(11))
    with pytest.raises(lw.ModelError, match="line 42: .* more than 10 parts"):
        lw.read(put(tmp_path, machine=HEAD + bodies))


def test_the_gravity_of_an_included_file_is_told(tmp_path: Path) -> None:
    wheel = WHEEL.replace("[parameters]", "gravity = [0, 0, -1]\n[parameters]")
    model, receipt = lw.read(put(tmp_path, machine=CART, wheel=wheel))
    assert model.gravity.tolist() == [0.0, 0.0, -9.81]
    assert [str(line) for line in receipt.ignored][:1] == [
        "gravity (wheel.toml, line 3): the gravity is that of the whole model"
    ]
