"""FMUs that carry a component with its border: coupled in linkwork they give the trajectory of the whole model."""

import logging
import sys
import threading
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

import linkwork as lw
from formats.fmi.fmi_host import Unpacked, need_library
from linkwork.distribute.server import serve
from linkwork.distribute.socket_transport import pair
from linkwork.formats.fmi.imported.border_calls import BorderCalls
from linkwork.gallery import car, coupled_car

sys.path.insert(0, str(Path(__file__).parents[2] / "distribute"))
from far_parts import Arm, Failing, Tyred
from test_remote import MACHINES, differences, here, loop_across, on_the_ground

pytest.importorskip("fmpy", reason="fmpy is not installed (pip install fmpy)")
SAME = 1e-10
DT = 1e-3


@pytest.fixture(scope="module", autouse=True)
def library():
    need_library()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("components")


@pytest.fixture(scope="module")
def parts(folder):
    return coupled_car.exported(folder)


@pytest.fixture(scope="module")
def arm(folder):
    return lw.export_fmu(Arm(), folder / "arm.fmu", dt=DT)


@pytest.fixture
def freed(monkeypatch):
    """Instances that were made, and those that were freed."""
    counts = {"made": 0, "freed": 0}
    make, free = BorderCalls.__init__, BorderCalls.free

    def counted(self, *given):
        make(self, *given)
        counts["made"] += 1

    def released(self):
        counts["freed"] += 1
        free(self)

    monkeypatch.setattr(BorderCalls, "__init__", counted)
    monkeypatch.setattr(BorderCalls, "free", released)
    before = set(threading.enumerate())
    yield counts
    for thread in set(threading.enumerate()) - before:
        thread.join(10)
    assert counts["made"] == counts["freed"]


# --- exact


def test_the_car_of_three_fmus_is_the_whole_car(parts, freed):
    """Body and two corners, from three files: joints between ports of FMUs alone, and loops through all of them."""
    run = coupled_car.exact(parts, 0.1)
    wanted = lw.simulate(car.build(), until=0.1, method="component", dt=DT)
    pairs = {
        "body.body": "car body",
        "left.bar": "left suspension.beam.bar",
        "left.cylinder": "left suspension.damper.cylinder",
        "right.bar": "right suspension.beam.bar",
    }
    for port, body in pairs.items():
        for quantity in ("position", "velocity", "angular_velocity"):
            assert np.abs(run[f"{port}.{quantity}"] - wanted[f"{body}.{quantity}"]).max() < SAME
    for joint in ("left arm", "left top", "right arm"):
        size = np.abs(wanted[f"{joint}.reaction"]).max()
        assert np.abs(run[f"{joint}.reaction"] - wanted[f"{joint}.reaction"]).max() < SAME * size
    assert np.abs(wanted["car body.position"][-1] - wanted["car body.position"][0]).max() > 1e-3  # it moves
    assert freed["made"] == 3


def test_steps_may_be_of_any_length(parts):
    """They were exported with steps of 0.1 ms; the whole decides."""
    run, wanted = (
        lw.simulate(coupled_car.assembled(part), until=0.02, method="component", dt=5e-4)
        for part in (lambda name: lw.FMU(parts[name]), coupled_car.component)
    )
    assert np.abs(run["body.body.position"] - wanted["body.body.position"]).max() < SAME


@pytest.mark.parametrize("integrator", ["rk4", "abm4"])
def test_local_parts_and_an_fmu_in_a_loop(integrator, folder):
    """Gravity is that of the whole; abm4 remembers steps on both sides."""
    file = lw.export_fmu(Arm(), folder / f"arm {integrator}.fmu", integrator=integrator, dt=DT)
    options = {"until": 0.05, "method": "component", "integrator": integrator, "dt": DT}
    run = lw.simulate(loop_across(lambda _, __: lw.FMU(file)), **options)
    assert differences(run, lw.simulate(loop_across(here), **options)) < SAME


def test_turned_and_moved_with_springs_at_ports(arm, folder):
    """Two owners; one component is turned and moved, its messages with it. Springs, a moving ground, a bushing."""
    files = {"first": arm, "second": lw.export_fmu(Arm(mass=0.7), folder / "second.fmu", dt=DT)}
    options = {"until": 0.05, "method": "component", "dt": DT}
    run = lw.simulate(on_the_ground(lambda name, _: lw.FMU(files[name])), **options)
    assert differences(run, lw.simulate(on_the_ground(here), **options)) < SAME


@pytest.mark.parametrize("name", ["four-bar", "carts", "door"])
def test_grounded_halves_with_a_redundant_joint(name, folder):
    """Each file holds what the other holds too: rounding in their responses is no response."""
    machine, names = MACHINES[name]
    files = {}

    def part(at, make):
        files[at] = lw.export_fmu(make(), folder / f"{name} {at}.fmu", dt=DT)
        return lw.FMU(files[at])

    options = {"until": 0.1, "method": "component", "dt": DT}
    run, wanted = (lw.simulate(machine(each), **options) for each in (part, here))
    assert sorted(files) == sorted(names)
    assert differences(run, wanted) < SAME
    joints = machine(here).joints
    assert run.certificate.redundant_rows == [
        row for row in wanted.certificate.redundant_rows if row.partition(":")[0] in joints
    ]


def test_a_subsystem_of_a_model_stands_where_it_stands(folder):
    """Exported out of a model, and put back without a position; the road under its tyre stays where it is."""

    def model(part, **place):
        found = lw.Model("cart", gravity=(0, 0, -9.0))
        cart = found.body("cart", mass=20.0, inertia=(1, 1, 1), position=(0, 0, 0.29))
        found.planar("guide", found.ground, cart, at=(0, 0, 0.29), axis=(0, 1, 0))
        wheel = found.add("wheel", part, **place)
        found.fixed("strut", cart, wheel.hub, at=(0.5, 0.2, 0.29))
        return found

    place = {"position": (0.5, 0.2, 0)}
    whole = model(Tyred(), **place)
    file = lw.export_fmu(whole["wheel"], folder / "wheel.fmu", dt=DT)
    options = {"until": 0.05, "method": "component", "dt": DT}
    run = lw.simulate(model(lw.FMU(file)), **options)
    assert differences(run, lw.simulate(whole, **options)) < SAME
    with pytest.raises(
        lw.OptionError, match=r"component 'wheel': .* cannot be moved, as tyre 'tyre' stands on the road"
    ):
        lw.simulate(model(lw.FMU(file), position=(0, 0, 0.1)), **options)


def test_the_same_protocol_over_a_wire(arm):
    """An FMU served as a subsystem is, and met by `lw.Remote`."""
    there, mine = pair(20)
    thread = threading.Thread(target=lambda: serve(lw.FMU(arm).served(), there), daemon=True)
    thread.start()
    options = {"until": 0.02, "method": "component", "dt": DT}
    run = lw.simulate(loop_across(lambda _, __: lw.Remote(transport=mine)), **options)
    thread.join(10)
    assert not thread.is_alive()
    assert differences(run, lw.simulate(loop_across(here), **options)) < SAME


def test_its_border_is_verified(arm):
    verdict = lw.verify(lw.FMU(arm))
    assert verdict.good
    assert {"states", "symmetry of D", "D not negative"} <= set(verdict.checks)


# --- states


def test_a_run_is_saved_and_resumed_to_the_last_bit(arm, tmp_path, freed):
    def simulation(**given):
        return lw.Simulation(loop_across(lambda _, __: lw.FMU(arm)), "component", dt=DT, **given)

    sim = simulation()
    sim.step(20)
    sim.save(tmp_path / "half.npz")
    sim.step(20)
    again = simulation(resume=tmp_path / "half.npz")
    again.step(20)
    assert np.array_equal(again.state.y, sim.state.y)
    assert np.array_equal(again["arm.far.position"], sim["arm.far.position"])
    sim.close()
    again.close()


def test_states_of_other_fmus_are_refused(arm, folder, tmp_path, freed):
    sim = lw.Simulation(loop_across(lambda _, __: lw.FMU(arm)), "component", dt=DT)
    sim.save(tmp_path / "start.npz")
    sim.close()
    other = lw.export_fmu(Arm(mass=1.5), folder / "heavy.fmu", dt=DT)
    with pytest.raises(lw.OptionError, match="go on with the FMU that the state was taken of"):
        lw.Simulation(loop_across(lambda _, __: lw.FMU(other)), resume=tmp_path / "start.npz")


# --- refusals


def test_refused_runs_free_their_instances(arm, freed):
    model = loop_across(lambda _, __: lw.FMU(arm))
    with pytest.raises(lw.OptionError, match="run with integrator='rk4', or export it again"):
        lw.simulate(model, until=0.01, method="component", integrator="rk2", dt=DT)
    with pytest.raises(lw.OptionError, match="adaptive"):
        lw.simulate(model, until=0.01, method="component", integrator="adaptive")
    with pytest.raises(lw.OptionError, match="remote components"):
        lw.simulate(model, until=0.01, method="recursive")
    assert freed["made"] == freed["freed"]
    assert lw.simulate(model, until=0.01, method="component", dt=DT).certificate.complete
    assert freed["made"] == 1


def test_a_component_that_fails_is_named(folder, freed):
    class Weak(lw.Subsystem):
        def build(self):
            block = self.body("block", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0))
            inner = self.body("inner", mass=1e-3, inertia=(1e-6, 1e-6, 1e-6), position=(0.1, 0, 0))
            self.prismatic("slot", block, inner, at=(0.1, 0, 0), axis=(1, 0, 0))
            self.spring("needle", block, inner, stiffness=1e9, damping=1e3, length=0.11)
            self.port("block", block)

    model = lw.Model("bench")
    part = model.add("weak", lw.FMU(lw.export_fmu(Weak(), folder / "weak.fmu", dt=DT)))
    model.prismatic("rail", model.ground, part.block, at=(0, 0, 0), axis=(1, 0, 0))
    with pytest.raises(lw.RunError, match="component 'weak' failed"):
        lw.simulate(model, until=0.1, method="component", dt=DT)


def test_what_cannot_be_exported_as_a_component(folder):
    class Portless(lw.Subsystem):
        def build(self):
            self.body("block", mass=1.0, inertia=(0.1, 0.1, 0.1))

    for part, options, reason in (
        (Arm(), {"version": 2}, "needs FMI 3"),
        (Arm(), {"kind": "me"}, "for co-simulation"),
        (Arm(), {"method": "recursive"}, "by method 'component'"),
        (Arm(), {"coordinates": "joint"}, "in absolute coordinates"),
        (Arm(), {"integrator": "adaptive"}, "a fixed step"),
        (Arm(), {"parameters": ["*.mass"]}, "for whole models"),
        (Arm(), {"start": "equilibrium"}, "for whole models"),
        (loop_across(here), {"position": (0, 0, 1)}, "for a subsystem"),
        (Failing(), {}, "compiled"),
    ):
        with pytest.raises(lw.OptionError, match=reason):
            lw.export_fmu(part, folder / "none.fmu", **options)
    with pytest.raises(lw.ModelError, match="has no port"):
        lw.export_fmu(Portless(), folder / "none.fmu")


class Gripper(lw.Subsystem):
    """A palm with a jaw, and surfaces of a material of its own."""

    def build(self):
        rubber = lw.Material(friction=0.9)
        palm = self.body("palm", mass=1.0, shape=lw.Box((0.1, 0.1, 0.05)), material=rubber)
        jaw = self.body("jaw", mass=0.2, inertia=(0.001, 0.001, 0.001), position=(0, 0, -0.1))
        self.revolute("knuckle", palm, jaw, at=(0, 0, -0.05), axis=(0, 1, 0))
        self.port("wrist", palm)


def held(gripper, position=None, velocity=None):
    """An arm with a gripper, which hangs down where its shoulder is at 0."""
    model = lw.Model("arm")
    arm = model.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, -0.25))
    start = {"position": position, "velocity": velocity}
    model.revolute("shoulder", "ground", arm, at=(0, 0, 0), axis=(0, 1, 0), **start)
    grip = model.add("grip", gripper, position=(0, 0, -0.5))
    model.fixed("mount", arm, grip.wrist, at=(0, 0, -0.5))
    return model


def test_what_is_beyond_the_border_is_named_where_a_start_does_not_fit_it(folder):
    """A component elsewhere stands where it was put, and starts as its own joints do."""
    file = lw.export_fmu(Gripper(), folder / "gripper.fmu", dt=DT)
    runs = [lw.simulate(held(part), until=0.01, method="component", dt=DT) for part in (Gripper(), lw.FMU(file))]
    assert np.abs(runs[0]["shoulder.position"] - runs[1]["shoulder.position"]).max() < SAME
    with pytest.raises(lw.ModelError, match=r"component 'grip' starts where position= and rotation= .* put it"):
        lw.simulate(held(lw.FMU(file), position=0.5), until=0.01, method="component", dt=DT)
    with pytest.raises(lw.ModelError, match="component 'grip' starts with the velocities of its own joints"):
        lw.simulate(held(lw.FMU(file), velocity=1.0), until=0.01, method="component", dt=DT)


def test_a_material_of_a_component_does_not_keep_its_gravity(folder):
    """Surfaces that a method has nothing touch are no part of what it computes with."""
    fmu = Unpacked(lw.export_fmu(Gripper(), folder / "gripper.fmu", dt=DT))
    assert [fmu.facts(f"gravity.{axis}")["causality"] for axis in "xyz"] == ["parameter"] * 3
    fmu.remove()


def test_options_of_co_simulation_are_not_ignored(arm):
    model = lw.Model("bench")
    with pytest.raises(lw.ModelError, match="every= is for co-simulation"):
        model.add("arm", lw.FMU(arm, every=5e-3))
    with pytest.raises(lw.ModelError, match="connect="):
        model.add("arm", lw.FMU(arm), connect={})


# --- an ordinary FMU elsewhere


def test_terminals_hold_the_border(parts):
    with zipfile.ZipFile(parts["left"]) as archive:
        described = ElementTree.fromstring(archive.read("modelDescription.xml"))
        root = ElementTree.fromstring(archive.read("terminalsAndIcons/terminalsAndIcons.xml"))
    variables = {each.get("name"): each for each in described.find("ModelVariables")}
    (border,) = (each for each in root.find("Terminals") if each.get("terminalKind") == "org.linkwork.border")
    assert all(each.get("variableName") in variables for each in border.iter("TerminalMemberVariable"))
    members = {each.get("memberName") for each in border.findall("TerminalMemberVariable")}
    assert members == {"D", "gap", "order"}
    ports = {each.get("name"): each for each in border.findall("Terminal")}
    assert list(ports) == ["bar", "cylinder"]
    wanted = {"force.x", "torque.z", "position.x", "rotation.w", "velocity.y", "angular_velocity.z", "r"}
    assert wanted <= {each.get("memberName") for each in ports["bar"]}
    assert [each.get("start") for each in variables["border.D"].findall("Dimension")] == ["12", "12"]
    assert variables["bar.force.x"].get("causality") == "input"
    assert variables["cylinder.velocity.z"].get("causality") == "output"


def test_checkers_have_no_complaint(parts, caplog):
    """Model description and terminals against the schemas of FMI, and the rules of another checker."""
    etree = pytest.importorskip("lxml.etree", reason="lxml comes with fmpy")
    import fmpy

    schema = etree.XMLSchema(etree.parse(Path(fmpy.__file__).parent / "schema/fmi3/fmi3TerminalsAndIcons.xsd"))
    with zipfile.ZipFile(parts["left"]) as archive:
        schema.assertValid(etree.fromstring(archive.read("terminalsAndIcons/terminalsAndIcons.xml")))
    pytest.importorskip("fmu_manipulation_toolbox", reason="fmu-manipulation-toolbox is not installed")
    from fmu_manipulation_toolbox.checker import get_checkers
    from fmu_manipulation_toolbox.operations import FMU

    with caplog.at_level(logging.INFO, logger="fmu_manipulation_toolbox"):
        fmu = FMU(str(parts["left"]))
        for checker in get_checkers():
            fmu.apply_operation(checker())
    said = [record for record in caplog.records if record.name.startswith("fmu_manipulation_toolbox")]
    assert [record.getMessage() for record in said if record.levelno > logging.INFO] == []
    assert any("seems to be compliant" in record.getMessage() for record in said)


def test_fmpy_finds_nothing_wrong_and_steps_it(folder):
    """A wheel by itself, with a push at its port: the same as our own run with that force."""
    import fmpy
    from fmpy.validation import validate_fmu

    file = lw.export_fmu(car.Wheel(), folder / "pushed wheel.fmu", dt=DT)
    assert validate_fmu(str(file)) == []
    found = fmpy.simulate_fmu(
        str(file), stop_time=0.05, output_interval=DT, start_values={"ring.force.z": -200.0, "ring.torque.x": 3.0}
    )
    model = lw.Model("wheel")
    wheel = model.add("wheel", car.Wheel())
    model.force("push", wheel.ring, (0, 0, -200.0))
    model.torque("spin", wheel.ring, (3.0, 0, 0))
    run = lw.simulate(model, until=0.05, method="component", dt=DT)
    assert np.abs(found["ring.position.z"] - run["wheel.ring.position"][:, 2]).max() < 1e-12
    spin = run["wheel.ring.angular_velocity"][:, 0]
    assert np.abs(found["ring.angular_velocity.x"] - spin).max() < 1e-12 * spin.max()


def test_ordinary_co_simulation_of_the_car_is_only_near(parts):
    """By fmpy, with stiff springs for the hinges: within millimetres, where the exact coupling has nothing to lose."""
    found, wanted = coupled_car.co_simulated(parts, 0.1), coupled_car.whole(0.1)
    error = np.abs(found["body.body"] - wanted["body.body.position"]).max()
    assert 1e-4 < error < 1e-2
    exact = np.abs(coupled_car.exact(parts, 0.1)["body.body.position"] - wanted["body.body.position"]).max()
    assert exact < 1e-9 * error


def test_connected_in_linkwork_it_is_stepped(folder):
    """With connect= it is an ordinary FMU here too."""
    file = lw.export_fmu(car.Wheel(), folder / "stepped wheel.fmu", dt=DT)
    model = lw.Model("bench")
    block = model.body("block", mass=2.0, inertia=(1, 1, 1))
    rail = model.prismatic("rail", model.ground, block, at=(0, 0, 0), axis=(0, 0, 1))
    model.torque("push", rail, 0.0)
    model.add("wheel", lw.FMU(file), connect={"ring.force.z": "rail.velocity", "ring.velocity.z": "push"})
    assert "stepped every 0.001 s" in lw.simulate(model, until=0.01, dt=DT).certificate.notes[0]
