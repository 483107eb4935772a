"""Exported gallery pieces in a C host and in a host by ctypes: the same numbers as our own run."""

import subprocess
import warnings

import numpy as np
import pytest

import linkwork as lw
from formats.fmi.fmi_host import ERROR, OK, Slave, Unpacked, need_library
from linkwork._kernels import cpu
from linkwork._kernels.targets import linker
from linkwork.simulation.results.columns.components import component_labels

PIECES = ("pendulum", "car", "manipulator", "gripper", "iltis")
COLUMNS = 12  # of each piece that are compared
SAME = 1e-12


@pytest.fixture(scope="module", autouse=True)
def library():
    need_library()


@pytest.fixture(scope="module")
def host(tmp_path_factory, library):
    """The C host, compiled."""
    from pathlib import Path

    file = tmp_path_factory.mktemp("host") / "host"
    source = Path(__file__).parent / "host.c"
    done = subprocess.run(
        [*linker(cpu.system_name()), "-O2", "-o", file, source, "-ldl"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return file


def options_of(piece):
    return {name: value for name, value in getattr(lw.gallery, piece).METHOD.items() if name != "every"}


@pytest.fixture
def exported(tmp_path):
    """Exports a model, and unpacks it."""
    made = []

    def export(model, **options):
        file = lw.export_fmu(model, tmp_path / f"m{len(made)}.fmu", **{"picture": False, "parameters": [], **options})
        made.append(Unpacked(file))
        made[-1].size = file.stat().st_size
        return made[-1]

    yield export
    for each in made:
        each.remove()


def numbers_of(run, label):
    """A column or the component of one."""
    for column, values in run.columns.items():
        for k, (name, _) in enumerate(component_labels(column, run.unit(column), values.shape[1:])):
            if name == label:
                return values.reshape(len(values), -1)[:, k]
    raise KeyError(label)


@pytest.mark.parametrize("piece", PIECES)
def test_a_piece_in_a_c_host_runs_as_our_own_run(piece, host, exported):
    options = options_of(piece)
    every, count = 5, 20
    model = getattr(lw.gallery, piece).build()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = lw.simulate(model, until=every * count * options["dt"], every=every, **options)
        fmu = exported(model, **options)
    columns = [
        name for name in fmu.variables if "." in name and not name.startswith(("certificate", "energy", "drift"))
    ]
    columns = [name for name in columns if not name.startswith("solver")][:: max(1, len(fmu.variables) // COLUMNS)]
    names = [*columns, "energy.total", "energy.balance", "drift.position"]
    references = [str(fmu.variables[name]) for name in names]
    place = [fmu.binary, fmu.token, fmu.resources.as_uri(), repr(every * options["dt"]), str(count), "2"]
    done = subprocess.run([host, *place, *references], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = np.array([[float.fromhex(word) for word in line.split()] for line in done.stdout.splitlines()])
    assert found.shape == (2 * (count + 1), len(names))
    assert np.array_equal(found[0::2], found[1::2])  # two instances side by side
    for k, name in enumerate(columns):
        ours = numbers_of(run, name)
        assert np.abs(found[0::2, k] - ours).max() <= SAME * max(1.0, np.abs(ours).max()), name
    scale = max(1.0, np.abs(run.energy["total"]).max())
    assert np.abs(found[0::2, -3] - run.energy["total"]).max() <= SAME * scale
    assert np.abs(found[0::2, -2] - run.energy["balance"]).max() <= SAME * scale
    assert np.abs(found[0::2, -1] - run.drift["position"]).max() <= SAME
    assert fmu.size < 2_000_000


@pytest.mark.parametrize("version", [2, 3])
def test_inputs_act_as_those_of_a_simulation(version, exported):
    model = lw.Model("arm")
    arm = model.body("arm", mass=2.0, inertia=(0.1, 0.1, 0.1), com=(0.3, 0, 0))
    pin = model.revolute("pin", "ground", arm, at=(0, 0, 0), axis=(0, 1, 0))
    model.torque("drive", pin, 0.0)
    fmu = exported(model, version=version, integrator="abm4", dt=1e-3)
    slave, sim = Slave(fmu), lw.Simulation(model, "recursive", integrator="abm4", dt=1e-3)
    assert fmu.facts("drive")["causality"] == "input"
    assert fmu.facts("drive")["unit"] == "N m"
    assert slave.begin(values={"drive": 1.5}) == OK
    sim.inputs["drive"] = 1.5
    for k in range(40):
        torque = np.sin(0.3 * k)
        assert slave.step(4e-3) == OK, slave.said
        sim.step(4)
        assert slave.get("pin.position", "pin.velocity", "pin.acceleration", "arm.position.z") == [
            *(sim["pin.position"], sim["pin.velocity"], sim["pin.acceleration"], sim["arm.position.z"])
        ]
        slave.set({"drive": torque})
        sim.inputs["drive"] = torque
    assert version == 2 or slave.get("time") == sim.time
    slave.free()


def test_a_communication_step_that_is_no_multiple_of_dt_is_split(exported):
    model = lw.gallery.pendulum.build()
    fmu = exported(model, integrator="rk4", dt=1e-3)
    slave, sim = Slave(fmu), lw.Simulation(model, "recursive", integrator="rk4", dt=1e-3)
    slave.begin()
    for _ in range(10):
        assert slave.step(2.5e-3) == OK
        sim.step(3, dt=2.5e-3 / 3)
    assert slave.step(1e-3) == OK
    sim.step(1)
    assert slave.get("pin.position") == pytest.approx(sim["pin.position"], abs=1e-14)
    assert slave.get("certificate.steps") == 31
    slave.free()


def test_clocks_that_round_otherwise_stay_together(exported):
    dt = 1e-3 / 3
    fmu = exported(lw.gallery.pendulum.build(), integrator="rk4", dt=dt, version=3)
    slave = Slave(fmu)
    slave.begin()
    rounded = round(dt, 9)  # as a host has it that counts nanoseconds
    for k in range(20_000):
        slave.time = k * rounded
        assert slave.step(rounded) == OK, slave.said
    assert abs(slave.get("time") - 20_000 * rounded) < 2e-5 * dt
    exact = lw.Simulation(lw.gallery.pendulum.build(), "recursive", integrator="rk4", dt=rounded)
    exact.step(20_000)
    assert slave.get("pin.position") == pytest.approx(exact["pin.position"], abs=1e-7)
    slave.free()


def test_methods_with_impulses_refuse_to_split_a_step(exported):
    fmu = exported(lw.gallery.gripper.build(), method="impulse", dt=1e-3, outputs=["block.position"])
    slave = Slave(fmu)
    assert slave.begin() == OK
    assert slave.step(1.5e-3) == ERROR
    assert "no multiple of dt = 0.001 s" in slave.said[-1]
    slave.free()


@pytest.mark.parametrize("method", ["absolute", "component", "semi-recursive", "global", "maximal"])
def test_every_method_runs_in_an_fmu(method, exported):
    model = lw.gallery.double_four_bar.build()
    fmu = exported(model, method=method, dt=1e-3, outputs=["*.position"])
    slave, sim = Slave(fmu), lw.Simulation(model, method, dt=1e-3)
    assert slave.begin() == OK, slave.said
    for _ in range(10):
        assert slave.step(1e-2) == OK, slave.said
    sim.step(100)
    assert slave.get("coupler 1.position.x") == pytest.approx(sim["coupler 1.position.x"], abs=SAME)
    slave.free()


def test_a_run_that_fails_says_why(exported):
    model = lw.Model("stiff")
    block = model.body("block", mass=1e-3, inertia=(1, 1, 1))
    slide = model.prismatic("slide", "ground", block, axis=(0, 0, 1), position=0.1)
    model.spring("coil", "ground", block, stiffness=1e7, length=0.5)
    assert slide.nq == 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fmu = exported(model, integrator="rk4", dt=1e-2)
    slave = Slave(fmu)
    slave.begin()
    statuses = [slave.step(1e-2) for _ in range(200)]
    assert statuses[-1] == ERROR
    assert "the run of 'stiff' stopped at t = " in slave.said[0]
    assert "'slide' grew beyond all bounds; export with a smaller dt" in slave.said[0]
    slave.free()


def test_calls_in_the_wrong_order_are_refused(exported):
    fmu = exported(lw.gallery.pendulum.build(), dt=1e-3)
    slave = Slave(fmu)
    slave.time = 0.0
    assert slave.step(1e-3) == ERROR
    assert "before its initialisation" in slave.said[-1]
    slave.begin()
    slave.time = 0.5
    assert slave.step(1e-3) == ERROR
    assert "let steps follow each other" in slave.said[-1]
    slave.free()


def test_another_token_is_refused(exported):
    fmu = exported(lw.gallery.pendulum.build(), dt=1e-3)
    slave = Slave(fmu, token="{other}")
    assert not slave.instance
    assert "belongs to another FMU" in slave.said[0]


def test_start_times_other_than_zero_reach_the_laws(exported):
    model = lw.Model("swing")
    arm = model.body("arm", mass=2.0, inertia=(0.1, 0.1, 0.1), com=(0.3, 0, 0))
    pin = model.revolute("pin", "ground", arm, at=(0, 0, 0), axis=(0, 1, 0))
    model.torque("drive", pin, lw.Cosine(2.0, 1.0))
    fmu = exported(model, integrator="rk4", dt=1e-3)
    slave, sim = Slave(fmu), lw.Simulation(model, "recursive", integrator="rk4", dt=1e-3)
    slave.begin(start=0.25)
    sim.reset(time=0.25)
    for _ in range(20):
        assert slave.step(1e-2) == OK
        sim.step(10)
    assert slave.get("pin.position") == sim["pin.position"]
    slave.free()
