"""What an FMU holds, how its variables are described, and what is refused."""

import subprocess
import sys
import warnings
import zipfile

import pytest

import linkwork as lw
from formats.fmi.fmi_host import OK, Slave, Unpacked, need_library
from linkwork.formats.fmi.units import exponents


@pytest.fixture(scope="module", autouse=True)
def library():
    need_library()


def pendulum():
    return lw.gallery.pendulum.build()


def driven_arm(law):
    model = lw.Model("arm")
    arm = model.body("arm", mass=2.0, inertia=(0.1, 0.1, 0.1), com=(0.3, 0, 0))
    pin = model.revolute("pin", "ground", arm, at=(0, 0, 0), axis=(0, 1, 0))
    model.torque("drive", pin, law)
    return model


@pytest.mark.parametrize(
    ("unit", "found"),
    [
        ("N m/rad", {"kg": 1, "m": 2, "s": -2, "rad": -1}),
        ("m/s^2", {"m": 1, "s": -2}),
        ("N s/m", {"kg": 1, "s": -1}),
        ("1", {}),
    ],
)
def test_units_in_base_units(unit, found):
    assert exponents(unit) == found


def test_an_archive_has_all_that_belongs_to_it(tmp_path):
    file = lw.export_fmu(pendulum(), tmp_path / "my pendulum.fmu", version=3, dt=1e-3)
    with zipfile.ZipFile(file) as archive:
        names = archive.namelist()
        page = archive.read("documentation/index.html").decode()
    assert "modelDescription.xml" in names
    assert "binaries/x86_64-linux/my_pendulum.so" in names or not sys.platform.startswith("linux")
    for name in ("resources/model.bin", "sources/fmi2.c", "sources/model.h", "sources/buildDescription.xml"):
        assert name in names
    for name in ("terminalsAndIcons/terminalsAndIcons.xml", "terminalsAndIcons/icon.png"):
        assert name in names
    assert "pin.position" in page


def test_outputs_and_parameters_are_chosen_by_patterns(tmp_path):
    given = {"outputs": ["bob.position.*", "pin.velocity"], "parameters": "*.mass", "dt": 1e-3, "picture": False}
    fmu = Unpacked(lw.export_fmu(pendulum(), tmp_path / "p.fmu", **given))
    ours = [name for name in fmu.variables if not name.startswith(("energy", "drift", "certificate"))]
    assert ours == ["bob.mass", "pin.velocity", "bob.position.x", "bob.position.y", "bob.position.z"]
    assert fmu.facts("bob.mass") | {"start": "1.0", "causality": "parameter", "unit": "kg"} == fmu.facts("bob.mass")
    assert fmu.facts("bob.position.x")["unit"] == "m"
    assert fmu.root.get("variableNamingConvention") == "structured"
    fmu.remove()


def test_equal_models_are_equal_files_but_for_the_date(tmp_path):
    files = [lw.export_fmu(pendulum(), tmp_path / f"{k}" / "p.fmu", dt=1e-3, picture=False) for k in mkdirs(tmp_path)]
    first, second = (zipfile.ZipFile(file) for file in files)
    assert first.namelist() == second.namelist()
    for name in first.namelist():
        if name != "modelDescription.xml":
            assert first.read(name) == second.read(name), name


def mkdirs(folder):
    for k in range(2):
        (folder / str(k)).mkdir()
        yield k


@pytest.mark.parametrize(
    ("words", "options"),
    [
        (["kind must be 'cs', 'me' or 'both'"], {"kind": "so"}),
        (["version must be 2 or 3"], {"version": 1}),
        (["outputs='pin.posit' fits nothing", "'pin.position'"], {"outputs": ["pin.posit"]}),
        (["inputs='motor' fits nothing", "has none"], {"inputs": ["motor"]}),
        (["parameters='bob.weight' fits nothing", "'bob.mass'"], {"parameters": ["bob.weight"]}),
        (["no system 'amiga'", "'win32-x86_64'"], {"systems": ["amiga"]}),
        (["no level 'x86-64-v9'", "give one of"], {"levels": ["x86-64-v9"]}),
        (["has no option", "steps"], {"steps": 3}),
    ],
)
def test_wrong_options_are_refused_in_one_sentence(words, options, tmp_path):
    with pytest.raises(lw.OptionError) as caught:
        lw.export_fmu(pendulum(), tmp_path / "p.fmu", **options)
    for word in words:
        assert word in str(caught.value)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "p.fmu").exists()


def test_laws_in_python_are_refused_by_name(tmp_path):
    with pytest.raises(lw.OptionError, match="the law of torque 'drive' runs in Python, which an FMU has not; put @lw"):
        lw.export_fmu(driven_arm(lambda t: 2.0 * t), tmp_path / "a.fmu", dt=1e-3)


def test_compiled_laws_go_into_the_fmu(tmp_path):
    @lw.compiled
    def brake(t, position, velocity):
        return -3.0 * velocity if position > 0.2 else 0.1 * t

    model = driven_arm(brake)
    fmu = Unpacked(lw.export_fmu(model, tmp_path / "a.fmu", dt=1e-3, picture=False, parameters=[]))
    slave, sim = Slave(fmu), lw.Simulation(model, "recursive", dt=1e-3)
    assert slave.begin() == OK, slave.said
    slave.step(0.5)
    sim.step(500)
    assert sim["pin.position"] > 0.2
    assert slave.get("pin.position", "drive.torque") == pytest.approx(
        [sim["pin.position"], sim["drive.torque"]], abs=1e-12
    )
    slave.free()
    fmu.remove()


def test_laws_that_need_more_than_numbers_are_refused_by_name(tmp_path):
    import numpy as np

    @lw.compiled
    def strange(t):
        return np.sort(np.array([t, 1.0, 2.0 - t]))[0]

    with pytest.raises(lw.OptionError, match="the compiled law of torque 'drive' needs '.*' of Python's runtime"):
        lw.export_fmu(driven_arm(strange), tmp_path / "a.fmu", dt=1e-3, picture=False, parameters=[])


def test_events_are_refused_by_name(tmp_path):
    model = lw.gallery.double_four_bar.build()
    model.release(model["right pin 2"], time=0.5)
    with pytest.raises(lw.OptionError, match="an FMU has no events"):
        lw.export_fmu(model, tmp_path / "d.fmu", dt=1e-3)


def test_laws_with_states_and_laws_that_see_other_parts_go_into_the_fmu(tmp_path):
    @lw.compiled_state(start=[0.1], sees=["pin.position", "pin.velocity"])
    def lagging(t, x, seen, dx):
        dx[0] = 20.0 * (-3.0 * seen[0] - 0.2 * seen[1] - x[0])
        return x[0]

    model = driven_arm(lagging)
    fmu = Unpacked(lw.export_fmu(model, tmp_path / "a.fmu", integrator="rk4", dt=1e-3, picture=False, parameters=[]))
    slave, sim = Slave(fmu), lw.Simulation(model, "recursive", integrator="rk4", dt=1e-3)
    assert slave.begin() == OK, slave.said
    slave.step(0.5)
    sim.step(500)
    names = ("pin.position", "drive.torque")
    assert slave.get(*names) == pytest.approx([sim[name] for name in names], abs=1e-12)
    assert abs(sim["drive.torque"]) > 0.1
    slave.free()
    fmu.remove()


def test_what_is_sampled_is_refused_by_name(tmp_path):
    model = driven_arm(0.0)
    model.controller("hold", lambda t, seen: (-seen[0],), every=1e-2, sees=["pin.position"], sets=["drive"])
    with pytest.raises(lw.OptionError, match="controller 'hold' is sampled, which an FMU leaves to its host; remove"):
        lw.export_fmu(model, tmp_path / "a.fmu", dt=1e-3)


def test_motors_and_gears_run(tmp_path):
    model = lw.Model("drive")
    wheels = [model.body(f"wheel {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(k, 0, 0)) for k in range(2)]
    pins = [model.revolute(f"pin {k}", "ground", wheels[k], at=(k, 0, 0), axis=(0, 1, 0)) for k in range(2)]
    model.gear("gear", pins[0], pins[1], ratio=-2.0)
    model.motor("motor", pins[0], velocity=3.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fmu = Unpacked(lw.export_fmu(model, tmp_path / "d.fmu", method="hybrid", dt=1e-3, picture=False))
        sim = lw.Simulation(model, "hybrid", dt=1e-3)
    slave = Slave(fmu)
    assert slave.begin() == OK, slave.said
    slave.step(0.2)
    sim.step(200)
    names = ("pin 0.position", "pin 1.position", "motor.torque")
    assert slave.get(*names) == [sim[name] for name in names]
    slave.free()
    fmu.remove()


def test_the_command_writes_an_fmu(tmp_path):
    file = tmp_path / "p.fmu"
    given = ["--fmi", "3", "--kind", "both", "--output", "pin.*", "--no-picture"]
    done = subprocess.run(
        [sys.executable, "-m", "linkwork", "export", "pendulum", str(file), *given], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"written {file}")
    fmu = Unpacked(file)
    assert fmu.version == 3
    assert "pin.position" in fmu.variables
    assert "bob.position.x" not in fmu.variables
    fmu.remove()


def test_an_unpacked_fmu_without_its_parts_says_what_is_missing(tmp_path):
    fmu = Unpacked(lw.export_fmu(pendulum(), tmp_path / "p.fmu", dt=1e-3, picture=False, parameters=[]))
    (kernels,) = fmu.binary.parent.glob("linkwork_kernels*")
    kernels.rename(kernels.with_suffix(".away"))
    slave = Slave(fmu)
    assert not slave.instance
    assert "the library of kernels beside the binary of 'it' is missing" in slave.said[0]
    kernels.with_suffix(".away").rename(kernels)
    (fmu.resources / "model.bin").write_bytes(b"nothing")
    slave = Slave(fmu)
    assert not slave.instance
    assert "model.bin of 'it' cannot be read; unpack the FMU again" in slave.said[0]
    fmu.remove()
