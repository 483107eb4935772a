"""What was written reads back equal: the same model, the same hash, the same bits in a run."""

from pathlib import Path

import numpy as np
import pytest

import linkwork as lw
from case_choice import rest_long
from linkwork import gallery
from linkwork.model import KINDS
from linkwork.simulation.results.judging.run_certificate import model_hash
from random_hierarchies import random_hierarchy
from random_models import random_model


def again(model: lw.Model, folder: Path, ending: str = "toml") -> lw.Model:
    model.write(folder / f"machine.{ending}")
    return lw.read(folder / f"machine.{ending}")[0]


CONTROLLED = ["excavator", "furuta"]  # by controllers, sensors and laws with states, which files do not hold


@pytest.mark.parametrize("name", CONTROLLED)
def test_what_is_controlled_is_refused_and_the_rest_is_written(name: str, tmp_path: Path) -> None:
    model = gallery.piece(name).build()
    with pytest.raises(lw.ModelError, match="cannot be written: controller "):
        model.write(tmp_path / "machine.toml")
    lost = model.write(tmp_path / "machine.toml", lossy=True).lost
    kinds = {line.what.split()[0] for line in lost}
    assert {"controller", "input", "torque"} <= kinds <= {"controller", "sensor", "input", "torque"}
    other = lw.read(tmp_path / "machine.toml")[0]
    assert list(other.bodies) == [body.name for body in model.bodies.values() if not body.hidden]


@pytest.mark.parametrize("name", [name for name in gallery.names() if name not in CONTROLLED])
def test_every_piece_of_the_gallery(name: str, tmp_path: Path) -> None:
    piece = gallery.piece(name)
    model = piece.build()
    wanted = model_hash(lw.assemble(model))
    for ending in ("toml", "json"):
        other = again(model, tmp_path, ending)
        assert other == model
        assert model_hash(lw.assemble(other)) == wanted
    states = []
    for each in (model, other):
        options = {key: value for key, value in piece.METHOD.items() if key not in ("every", "start")}
        sim = lw.Simulation(each, **options)
        sim.step(3)
        states.append((sim.state.t.tobytes(), sim.state.y.tobytes()))
    assert states[0] == states[1]


@pytest.mark.parametrize("first", rest_long(range(0, 200, 20), (0, 20)))
def test_random_models_of_every_verb(first: int, tmp_path: Path) -> None:
    for seed in range(first, first + 20):
        model = random_model(seed)
        assert again(model, tmp_path, "json" if seed % 4 == 0 else "toml") == model, seed


def test_random_hierarchies_keep_their_hash(tmp_path: Path) -> None:
    for seed in range(30):
        model = random_hierarchy(seed, 5, parts=3, loops=1, moving=seed % 2 == 0).build()
        other = again(model, tmp_path)
        assert other == model, seed
        assert model_hash(lw.assemble(other)) == model_hash(lw.assemble(model)), seed


def test_the_generator_uses_every_verb() -> None:
    made = set()
    for seed in range(60):
        for container in random_model(seed).walk():
            tables = (container.grounds, container.bodies, container.joints, container.forces, container.drives)
            for table in (*tables, container.colliders, container.visuals):
                made |= {type(part).__name__ for part in table.values()}
            made |= {joint.kind for joint in container.joints.values()} | {"attach" for _ in container.events}
    wanted = {"Spring", "TorsionSpring", "Torque", "Force", "Bushing", "Tyre", "Gyroscope", "Motor", "Gear", "Rack"}
    wanted |= {"Differential", "Cam", "Repeater", "Collider", "Visual", "Ground", "attach", "Rotor", *KINDS}
    assert wanted <= made


def test_bits_that_a_shorter_text_would_lose(tmp_path: Path) -> None:
    model = lw.Model("bits", gravity=(0.1 + 0.2, -0.0, 5e-324))
    rod = model.body("rod", mass=1 / 3, inertia=(0.1, 0.1 + 2e-17, 0.2 / 3), com=(1e-300, -0.0, 2**-0.5))
    model.revolute("pin", "ground", rod, at=(0, 0, 0), axis=(1, 2, 3), limits=(None, 1 / 7))
    other = again(model, tmp_path)
    for one, two in ((model, other), (rod, other["rod"])):
        for name in ("gravity",) if one is model else ("inertia", "com"):
            assert np.asarray(getattr(one, name)).tobytes() == np.asarray(getattr(two, name)).tobytes()
    assert other["pin"].limits == (-np.inf, 1 / 7)


def test_names_that_others_have_too(tmp_path: Path) -> None:
    model = lw.Model("names")
    inner = lw.Subsystem()
    inner.body("b", mass=1.0, inertia=0)
    model.add("a", inner)
    model.body("a.b", mass=2.0, inertia=0)
    arm = model.body("arm", mass=3.0, inertia=0)
    model.fixed("arm", inner["b"], arm)
    model.ball("a.b", "body:'a.b'", arm, at=(0, 0, 0))
    model.torque("t", model.joints["a.b"], 1.0)
    other = again(model, tmp_path)
    assert other == model
    assert other.joints["arm"].a.mass == 1.0
    assert other.joints["a.b"].a.mass == 2.0


def test_long_numbers_stand_beside_the_file(tmp_path: Path) -> None:
    model = lw.Model("beside")
    rod = model.body("rod", mass=1.0, shape=lw.Hull(np.random.default_rng(1).normal(size=(200, 3))))
    times = np.linspace(0, 1, 300)
    model.force("push", rod, lw.Table(times, np.sin(np.outer(times, (1, 2, 3))), "cubic"))
    assert again(model, tmp_path) == model
    assert sorted(each.name for each in (tmp_path / "machine_files").iterdir()) == ["push table.csv", "rod points.csv"]
    assert len((tmp_path / "machine.toml").read_text()) < 500


def test_meshes_are_copied_or_referred_to(tmp_path: Path) -> None:
    corners = lw.Hull([(0, 0, 0), (0.1, 0, 0), (0, 0.3, 0), (0, 0, 0.7)]).triangles
    elsewhere, here = tmp_path / "elsewhere", tmp_path / "here"
    for folder, text in ((elsewhere, "part.obj"), (here, "inner/part.obj")):
        (folder / text).parent.mkdir(parents=True)
        lines = [f"v {x} {y} {z}" for x, y, z in corners.reshape(-1, 3).tolist()]
        faces = [f"f {3 * k + 1} {3 * k + 2} {3 * k + 3}" for k in range(len(corners))]
        (folder / text).write_text("\n".join([*lines, *faces]))
    model = lw.Model("meshes")
    model.body("copied", density=1.0, shape=lw.Mesh(elsewhere / "part.obj", scale=(0.1, 0.2, 0.3)))
    model.body("referred", density=1.0, shape=lw.Mesh(here / "inner" / "part.obj", scale=0.001))
    model.body("in memory", density=1.0, shape=lw.Mesh(triangles=corners / 3, concavity=0.1))
    assert again(model, here) == model
    text = (here / "machine.toml").read_text()
    assert 'file = "machine_files/part.obj"' in text
    assert 'file = "inner/part.obj"' in text
    assert 'file = "machine_files/in memory mesh.obj"' in text


def test_files_beside_others_are_left_alone(tmp_path: Path) -> None:
    corners = lw.Hull([(0, 0, 0), (0.1, 0, 0), (0, 0.3, 0), (0, 0, 0.7)]).triangles

    def model(size: float) -> lw.Model:
        made = lw.Model("meshes")
        body = made.body("part", density=1000.0, shape=lw.Mesh(triangles=size * corners))
        made.revolute("pin", "ground", body, at=(0, 0, 0), axis=(0, 1, 0))
        return made

    for first, second in (("a.toml", "b.toml"), ("c.toml", "c.json"), ("a.urdf", "b.urdf"), ("a.mjcf", "b.mjcf")):
        if first.endswith("mjcf"):
            pytest.importorskip("mujoco", minversion="4")
        model(1.0).write(tmp_path / first)
        before, _ = lw.read(tmp_path / first)
        model(2.0).write(tmp_path / second)
        assert lw.read(tmp_path / first)[0] == before, second
    # a mesh from the folder, under a new name, beside one that would take its place
    again = model(2.0)
    again.body("other", density=1000.0, shape=lw.Mesh(tmp_path / "a_files" / "part mesh.obj"))
    again.write(tmp_path / "a.toml")
    assert lw.read(tmp_path / "a.toml")[0] == again


def test_json_and_toml_say_the_same(tmp_path: Path) -> None:
    import json
    import tomllib

    model = gallery.piece("car").build()
    model.write(tmp_path / "car.toml")
    model.write(tmp_path / "car.json")
    text = (tmp_path / "car.json").read_text()
    assert "car.json_files/" in text  # each has its own folder of meshes
    text = text.replace("car.json_files/", "car_files/")
    assert json.loads(text) == tomllib.loads((tmp_path / "car.toml").read_text())


def test_python_functions_are_refused_by_name(tmp_path: Path) -> None:
    model = lw.Model("functions")
    rod = model.body("rod", mass=1.0, inertia=0)
    pin = model.ball("pin", "ground", rod, at=(0, 0, 0))
    model.force("wind", rod, lambda t: (t, 0, 0))
    model.release(pin, when=lambda sim: True)
    with pytest.raises(lw.ModelError, match=r"force 'wind': it follows a Python function.*release of joint 'pin'"):
        model.write(tmp_path / "machine.toml")
    assert not (tmp_path / "machine.toml").exists()
    receipt = model.write(tmp_path / "machine.toml", lossy=True)
    assert [line.what for line in receipt.lost] == ["force 'wind'", "release of joint 'pin'"]
    assert not lw.read(tmp_path / "machine.toml")[0].forces


def test_a_compiled_law_that_no_module_has_is_refused(tmp_path: Path) -> None:
    @lw.compiled
    def hidden(t):
        return t

    model = lw.Model("hidden")
    model.force("push", model.body("rod", mass=1.0, inertia=0), hidden, axis=(0, 0, 1))
    with pytest.raises(lw.ModelError, match=r"force 'push': its law '.*hidden' is in a module that is not allowed"):
        model.write(tmp_path / "machine.toml")
    with pytest.raises(lw.ModelError, match=r"force 'push': its law cannot be found again"):
        model.write(tmp_path / "machine.toml", modules=[__name__])


def test_laws_that_see_columns_are_kept_and_those_with_states_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "laws_of_a_module.py").write_text(
        "import linkwork as lw\n@lw.compiled(sees=['pin.velocity'])\ndef brake(t, seen):\n    return -seen[0]\n"
        "@lw.compiled_state(start=[0.0])\ndef lag(t, x, seen, dx):\n    dx[0] = 1.0 - x[0]\n    return x[0]\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    import laws_of_a_module

    model = lw.Model("seen")
    pin = model.revolute("pin", "ground", model.body("rod", mass=1.0, inertia=0), at=(0, 0, 0), axis=(0, 1, 0))
    model.torque("brake", pin, laws_of_a_module.brake)
    path = tmp_path / "machine.toml"
    model.write(path, modules=["laws_of_a_module"])
    assert lw.read(path, modules=["laws_of_a_module"])[0] == model
    model.torque("lag", pin, laws_of_a_module.lag)
    with pytest.raises(lw.ModelError, match="torque 'lag': laws with states, and those that see them, are not written"):
        model.write(path, modules=["laws_of_a_module"])
    model.write(path, modules=["laws_of_a_module"], lossy=True)
    assert list(lw.read(path, modules=["laws_of_a_module"])[0].bodies) == ["rod"]


def test_laws_keep_their_numbers(tmp_path: Path) -> None:
    gallery.piece("friction_damper").build(friction=1.25).write(tmp_path / "machine.toml")
    told = 'law = {compiled = "linkwork.gallery.friction_damper:rubbing", parameters = {friction = 1.25, creep = 0.001}'
    assert told in (tmp_path / "machine.toml").read_text()
    law = lw.read(tmp_path / "machine.toml")[0]["left damper.friction"].law
    assert law.function is gallery.piece("friction_damper").rubbing(1.25, 1e-3)


def test_a_subsystem_from_a_file_can_be_built_again(tmp_path: Path) -> None:
    other = again(gallery.piece("friction_damper").build(), tmp_path)
    damper = other["left damper"]
    twin = type(damper)(**damper.parameters)
    assert [each.name for each in twin.bodies.values()] == [each.name for each in damper.bodies.values()]
    assert twin.tube.mass == damper.tube.mass


def test_remote_components_are_refused(tmp_path: Path) -> None:
    from linkwork.model import Foreign, Frame
    from linkwork.model.body import ground

    model = lw.Model("remote")
    plain = ground("rim", model, None, Frame())
    model.grounds["rim"] = Foreign(plain.name, model, 0.0, plain.inertia, plain.com, Frame())
    with pytest.raises(lw.ModelError, match="foreign 'rim': it belongs to a component elsewhere"):
        model.write(tmp_path / "machine.toml")


def test_a_rotor_written_by_hand_and_by_us(tmp_path: Path) -> None:
    """By hand in one table; we write its body and its shaft, which say it to the last bit."""
    (tmp_path / "drive.toml").write_text(
        """
linkwork = 1
[[body]]
name = "arm"
mass = 1.0
inertia = [0.1, 0.1, 0.1]
[[joint]]
kind = "revolute"
name = "hip"
a = "ground"
b = "arm"
at = [0, 0, 0]
axis = [0, 1, 1]
[[rotor]]
name = "motor"
inertia = 2e-4
on = "hip"
ratio = 50.0
[[rotor]]
name = "disc"
inertia = 0.1
on = "motor"
stiffness = 3.0
"""
    )
    model = lw.read(tmp_path / "drive.toml")[0]
    assert (model["motor"].inertia[2, 2], model["motor gear"].terms[1].factor) == (2e-4, -50.0)
    assert again(model, tmp_path) == model
    text = (tmp_path / "machine.toml").read_text()
    (tmp_path / "lone.toml").write_text(text.replace('name = "disc shaft"', 'name = "other"'))
    lone = lw.read(tmp_path / "lone.toml")[0]
    with pytest.raises(lw.ModelError, match="rotor 'disc': no revolute joint 'disc shaft' goes to it"):
        lone["disc"].shaft  # noqa: B018
    (tmp_path / "mass.toml").write_text(text.replace("rotor = 0.1", "rotor = 0.1\nmass = 1.0"))
    with pytest.raises(lw.ModelError, match="rotor 'disc': it has no mass"):
        lw.read(tmp_path / "mass.toml")
