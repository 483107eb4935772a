"""FMUs stepped with a run: the order of the coupling, loops both ways, states, instances."""

import gc
import zipfile
from xml.etree import ElementTree

import numpy as np
import pytest

import linkwork as lw
from formats.fmi.fmi_host import need_library
from formats.fmi.imported.small_fmus import VARIABLES, small_fmu
from linkwork.formats.fmi.imported import fmu_instance

fmpy = pytest.importorskip("fmpy", reason='fmpy is not installed (pip install "linkwork[fmi]")')

LOOP = {"u": "rail.position", "v": "rail.velocity", "force": "push"}


def cart(stiffness=0.0, damping=0.0):
    model = lw.Model("cart", gravity=(0, 0, 0))
    body = model.body("cart", mass=2.0, inertia=(0.1, 0.1, 0.1))
    given = {"stiffness": stiffness, "damping": damping}
    rail = model.prismatic("rail", "ground", body, at=(0, 0, 0), axis=(1, 0, 0), position=0.3, **given)
    model.torque("push", rail, 0.0)
    return model


def looped(file, every=0.01, **options):
    model = cart()
    model.add("pd", lw.FMU(file, every=every, **options), connect=LOOP)
    return model


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return small_fmu(tmp_path_factory.mktemp("fmu") / "small.fmu")


def test_an_fmu_and_another_writer_of_one_input_are_refused(small):
    model = looped(small)
    model.add("second", lw.FMU(small, every=0.02), connect=LOOP)
    with pytest.raises(lw.ModelError, match="FMU 'pd' and FMU 'second' both set input 'push'"):
        lw.Simulation(model, "recursive", dt=0.01)
    model = looped(small)
    model.controller("hold", lambda t, seen: 0.0, every=0.01, sets=["push"])
    with pytest.raises(lw.ModelError, match="FMU 'pd' and controller 'hold' both set input 'push'"):
        lw.Simulation(model, "recursive", dt=0.01)


def order_of(errors):
    return np.log2(np.abs(np.array(errors[:-1]) / errors[1:]))


@pytest.mark.parametrize(("hold", "order"), [("zero", 1.0), ("linear", 2.0)])
@pytest.mark.parametrize("kind", ["cs", "me"])
def test_the_error_of_a_loop_falls_with_the_order_of_the_hold(small, hold, order, kind):
    exact = lw.simulate(cart(10.0, 1.0), until=1.0, dt=1e-3, every=10, method="recursive")["rail.position"]
    errors = []
    for every in (0.02, 0.01):
        run = lw.simulate(looped(small, every, hold=hold, kind=kind), until=1.0, dt=0.01, method="recursive")
        errors.append(np.abs(run["rail.position"] - exact).max())
    assert order_of(errors) == pytest.approx(order, abs=0.1)
    assert errors[-1] < 0.01


def test_a_smaller_interval_has_smaller_jumps_in_the_certificate(small):
    coarse, fine = (
        lw.simulate(looped(small, every), until=1.0, dt=0.01, method="recursive").certificate for every in (0.04, 0.01)
    )
    assert coarse.coupling["pd"] == pytest.approx(4 * fine.coupling["pd"], rel=0.2)
    (first, second) = coarse.notes
    assert "jumps by up to" in first
    assert first.endswith("take a smaller every=")
    assert "'target', 'on' are not connected" in second
    assert "smaller every" in str(coarse)
    assert type(coarse).from_dict(coarse.as_dict()) == coarse


def test_a_controller_as_an_fmu_is_the_controller_in_python(small):
    model = cart()
    law = lambda t, seen: -10.0 * seen[0] - seen[1]  # noqa: E731
    model.controller("pd", law, every=0.01, sees=["rail.position", "rail.velocity"], sets=["push"])
    ours = lw.simulate(model, until=0.5, dt=0.005, method="recursive")
    theirs = lw.simulate(looped(small), until=0.5, dt=0.005, method="recursive")
    assert np.abs(ours["rail.position"] - theirs["rail.position"]).max() < 1e-14


def test_our_plant_in_fmpy_and_their_controller_in_ours_are_one_loop(small, tmp_path):
    """The plant as an FMU in a loop of fmpy, the controller as an FMU in linkwork: the same motion."""
    need_library()
    every, count = 0.01, 50
    given = {"dt": 0.005, "method": "recursive", "integrator": "rk4"}
    plant = lw.export_fmu(cart(), tmp_path / "plant.fmu", picture=False, parameters=[], **given)
    facts = fmpy.read_model_description(str(plant))
    place = {each.name: each.valueReference for each in facts.modelVariables}
    slave = fmpy.instantiate_fmu(fmpy.extract(str(plant)), facts, "CoSimulation")
    slave.setupExperiment(startTime=0.0)
    slave.enterInitializationMode()
    slave.exitInitializationMode()
    for k in range(count):
        x, v = slave.getReal([place["rail.position"], place["rail.velocity"]])
        slave.setReal([place["push"]], [-10.0 * x - v])
        slave.doStep(k * every, every)
    (theirs,) = slave.getReal([place["rail.position"]])
    slave.terminate()
    slave.freeInstance()
    ours = lw.simulate(looped(small), until=every * count, **given)["rail.position"][-1]
    assert theirs == pytest.approx(ours, abs=1e-12)


def test_plant_as_an_fmu_and_controller_as_an_fmu_agree_to_the_order_of_the_interval(small, tmp_path):
    """Our plant in an FMU with the controller in linkwork, and the reverse: the difference falls with the interval."""
    need_library()
    given = {"dt": 0.005, "method": "recursive", "integrator": "rk4"}
    plant = lw.export_fmu(cart(), tmp_path / "plant.fmu", picture=False, parameters=[], **given)
    exact = lw.simulate(cart(10.0, 1.0), until=1.0, dt=1e-3, every=20, method="recursive")["rail.position"][-1]
    ends = []
    for every in (0.02, 0.01):
        model = lw.Model("control room")
        model.body("table", mass=1.0, inertia=(1, 1, 1))
        for name in ("place", "speed", "command"):
            model.input(name, 0.3 if name == "place" else 0.0)
        connect = {"rail.position": "place", "rail.velocity": "speed", "push": "command"}
        model.add("plant", lw.FMU(plant, every=every), connect=connect)
        law = lambda t, seen: -10.0 * seen[0] - seen[1]  # noqa: E731
        model.controller("pd", law, every=every, sees=["place", "speed"], sets=["command"])
        sim = lw.Simulation(model, **given)
        sim.step(200)
        ours = sim.inputs["place"]
        theirs = lw.simulate(looped(small, every), until=1.0, **given)["rail.position"][-1]
        ends.append((ours, theirs))
    for k in (0, 1):  # each is off by the order of the interval
        assert order_of([ends[0][k] - exact, ends[1][k] - exact]) == pytest.approx(1.0, abs=0.25)
    apart = [ours - theirs for ours, theirs in ends]
    assert abs(apart[1]) < 0.6 * abs(apart[0]) or max(map(abs, apart)) < 1e-9


def rotor(position):
    model = lw.Model("rotor", gravity=(0, 0, 0))
    wheel = model.body("wheel", mass=1.0, inertia=(0.05, 0.05, 0.05))
    shaft = model.revolute("shaft", "ground", wheel, at=(0, 0, 0), axis=(0, 0, 1), position=position, stiffness=1.0)
    model.torque("drive", shaft, 0.0)
    return model


@pytest.mark.parametrize(("version", "kind"), [(2, "cs"), (2, "me"), (3, "cs"), (3, "me")])
def test_an_exported_rotor_on_a_spring_to_ours(version, kind, tmp_path):
    """Two rotors with a spring of 1 N m/rad between them: torque on each is the angle of the other, less its own."""
    need_library()
    given = {"dt": 1e-3, "method": "recursive", "integrator": "rk4"}
    file = tmp_path / "rotor.fmu"
    lw.export_fmu(rotor(0.0), file, kind=kind, version=version, picture=False, parameters=[], **given)
    errors = {"zero": [], "linear": []}
    for hold, found in errors.items():
        for every in (0.01, 0.005):
            model = rotor(0.3)
            fmu = lw.FMU(file, every=every, hold=hold, substeps=4)
            model.add("other", fmu, connect={"drive": "shaft.position", "shaft.position": "drive"})
            run = lw.simulate(model, until=1.0, **given)
            exact = 0.15 + 0.15 * np.cos(np.sqrt(2.0 / 0.05) * run.time)
            found.append(np.abs(run["shaft.position"] - exact).max())
    assert order_of(errors["zero"]) == pytest.approx(1.0, abs=0.15)
    assert order_of(errors["linear"]) == pytest.approx(2.0, abs=0.15)


def test_copies_and_resumed_runs_go_on_to_the_bit(small, tmp_path):
    for kind in ("cs", "me"):
        model = looped(small, start={"rate": 3.0}, kind=kind, hold="linear")
        sim = lw.Simulation(model, "recursive", dt=0.005)
        sim.step(31)
        twin = sim.copy()
        sim.save(tmp_path / "state.npz")
        again = lw.Simulation(model, "recursive", dt=0.005, resume=tmp_path / "state.npz")
        other = lw.Simulation(model, lw.Absolute(dt=0.005), resume=tmp_path / "state.npz")
        for each in (sim, twin, again, other):
            each.step(40)
        assert sim["rail.position"] == twin["rail.position"] == again["rail.position"]
        assert other["rail.position"] == pytest.approx(float(sim["rail.position"]), abs=1e-6)
        end = float(sim["rail.position"])
        sim.reset()
        sim.step(71)
        assert float(sim["rail.position"]) == end
        for each in (sim, twin, again, other):
            each.close()
        with pytest.raises(lw.ModelError, match="was closed"):
            sim.step(2)


def test_an_fmu_that_cannot_write_states_is_not_copied_or_saved(tmp_path):
    file = small_fmu(tmp_path / "f.fmu", can="")
    sim = lw.Simulation(looped(file), "recursive", dt=0.005)
    with pytest.raises(lw.OptionError, match=r"cannot be copied, as FMU 'pd' cannot write its state"):
        sim.copy()
    with pytest.raises(lw.OptionError, match=r"as FMU 'pd' cannot write its state"):
        sim.save(tmp_path / "state.npz")
    sim.step(10)
    end = float(sim["rail.position"])
    sim.reset()
    sim.step(10)
    assert float(sim["rail.position"]) == end


def test_a_state_of_another_fmu_is_refused(small, tmp_path):
    sim = lw.Simulation(looped(small), "recursive", dt=0.005)
    sim.save(tmp_path / "state.npz")
    other = small_fmu(tmp_path / "f.fmu", "TOKEN=other", guid="other")
    model = cart()
    model.add("pd", lw.FMU(other, every=0.01), connect=LOOP)
    with pytest.raises(lw.OptionError, match="a state of another FMU than FMU 'pd'"):
        lw.Simulation(model, "recursive", dt=0.005, resume=tmp_path / "state.npz")


def test_an_fmu_of_which_a_process_has_one_instance(tmp_path):
    file = small_fmu(tmp_path / "f.fmu", can='canBeInstantiatedOnlyOncePerProcess="true"')
    model = looped(file)
    sim = lw.Simulation(model, "recursive", dt=0.005)
    with pytest.raises(lw.ModelError, match="one instance of this FMU"):
        lw.Simulation(model, "recursive", dt=0.005)
    sim.close()
    lw.Simulation(model, "recursive", dt=0.005)  # nobody keeps it
    lw.Simulation(model, "recursive", dt=0.005).step(3)


def test_instances_are_freed_with_their_simulations(small, monkeypatch):
    gc.collect()  # those of other tests
    freed = []
    free = fmu_instance.FMUCalls.free
    monkeypatch.setattr(fmu_instance.FMUCalls, "free", lambda calls: (freed.append(calls), free(calls)))
    sim = lw.Simulation(looped(small), "recursive", dt=0.005)
    assert freed == []
    del sim
    gc.collect()
    assert len(freed) == 1
    lw.simulate(looped(small), until=0.1, dt=0.005, method="recursive")
    assert len(freed) >= 2


def test_a_ball_bounces_in_model_exchange(tmp_path):
    """Events of states are found within the steps: the height after three bounces is that of the formula."""
    file = small_fmu(tmp_path / "ball.fmu", "MODEL=1", states=2)
    model = cart()
    model.torque("height", "rail", 0.0)
    fmu = lw.FMU(file, every=0.01, kind="me", substeps=4)
    model.add("ball", fmu, connect={"force": "height", "whole": "push"})
    run = lw.simulate(model, until=1.2, dt=0.01, method="recursive")
    falls, speed = np.sqrt(2.0 / 9.81), np.sqrt(2.0 * 9.81)
    hits = [falls, falls + 2 * 0.5 * speed / 9.81, falls + 2 * (0.5 + 0.25) * speed / 9.81]
    bounces = sum(t < 1.2 for t in hits)
    since = 1.2 - hits[bounces - 1]
    height = 0.5**bounces * speed * since - 4.905 * since**2
    # a row shows what was held before its instant: the last but one is that of the run's end
    assert run["ball.output"][-1] == pytest.approx([height, bounces], abs=0.05)
    sim = lw.Simulation(model, "recursive", dt=0.01)
    sim.step(120)
    assert sim.inputs["height"] == pytest.approx(height, abs=1e-9)
    assert sim.inputs["push"] == bounces


def exchanged(file, every=0.1, **options):
    """A cart with an FMU of model exchange that pushes it."""
    model = cart()
    model.torque("shown", "rail", 0.0)
    model.add("part", lw.FMU(file, every=every, kind="me", **options), connect={"force": "shown"})
    return model


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.7, 1.0 / 3.0])
def test_planned_events_are_neither_missed_nor_repeated(tmp_path, rate):
    """The FMU counts by division: at some planned instants rounding tells it that the instant is still to come."""
    file = small_fmu(tmp_path / "stair.fmu", "MODEL=2")
    sim = lw.Simulation(exchanged(file, every=rate, substeps=3, start={"rate": rate}), "recursive", dt=rate)
    shown = []
    for _ in range(100):
        sim.step()
        shown.append(sim.inputs["shown"])
    assert shown == list(range(1, 101))


@pytest.mark.parametrize("rate", [0.0, 4.0])
def test_events_without_end_are_bounded_and_told(tmp_path, rate):
    """x' = -10 sign(x) + rate slides along 0 from t = 1 / (10 - rate) on; no event is lost before, and none hangs."""
    file, calls = small_fmu(tmp_path / "slide.fmu", "MODEL=3", indicators=1), []
    sim = lw.Simulation(exchanged(file, every=0.01, start={"rate": rate}), "recursive", dt=0.01)
    (instance,) = sim.controls.elements.values()
    sim.step()
    exchange = instance.exchange
    update = exchange._update
    exchange._update = lambda: (calls.append(1), update())
    places = [(sim.step(), float(exchange.x.numbers[0]))[1] for _ in range(100)]
    exact = np.maximum(0.0, 1.0 - (10.0 - rate) * 0.01 * np.arange(2, 102))
    assert np.abs(places - exact).max() < 2 * 14.0 * 1e-3 / 20  # a part of a substep, forth and back
    assert len(calls) < 100 * (10 * 20 + 2) + 50
    (note,) = [note for note in instance.notes() if "without end" in note]
    assert f"from t = {1.0 / (10.0 - rate):.2f}"[:-1] in note
    run = lw.simulate(exchanged(file, every=0.01, start={"rate": rate}), until=0.3, dt=0.01, method="recursive")
    assert any("without end" in note for note in run.certificate.notes)


def test_events_that_slide_are_the_same_after_a_saved_state(tmp_path):
    file = small_fmu(tmp_path / "slide.fmu", "MODEL=3", indicators=1)
    sim = lw.Simulation(exchanged(file, every=0.01, start={"rate": 4.0}), "recursive", dt=0.01)
    sim.step(25)
    sim.save(tmp_path / "here.npz")
    again = lw.Simulation(exchanged(file, every=0.01, start={"rate": 4.0}), resume=tmp_path / "here.npz")
    for each in (sim, again):
        each.step(20)
    one, other = ((*each.controls.elements.values(),)[0] for each in (sim, again))
    assert np.array_equal(one.exchange.x.numbers, other.exchange.x.numbers)
    assert one.notes() == other.notes()


@pytest.mark.parametrize("kind", ["cs", "me"])
def test_an_fmu_that_asks_to_end_is_told(tmp_path, kind):
    """In FMI 2 by a discarded step, and a status that says why; in model exchange at an event."""
    model = cart()
    file = small_fmu(tmp_path / "end.fmu", "MODEL=4")
    model.add("part", lw.FMU(file, every=0.01, kind=kind, start={"rate": 0.095}), connect=LOOP)
    with pytest.raises(lw.RunError, match=r"FMU 'part' failed at t = 0\.1 s: it asked to end the run"):
        lw.simulate(model, until=1.0, dt=0.01, method="recursive")


def test_other_names_of_a_variable_of_fmi_3(tmp_path):
    """An alias stands for its variable."""
    need_library()
    model = cart()
    file = lw.export_fmu(model, tmp_path / "cart.fmu", version=3, dt=1e-3, parameters=[], picture=False)
    renamed = tmp_path / "renamed.fmu"
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(renamed, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            if name == "modelDescription.xml":
                root = ElementTree.fromstring(content)
                (place,) = (each for each in root.iter("Float64") if each.get("name") == "rail.position")
                ElementTree.SubElement(place, "Alias", name="where it is")
                content = ElementTree.tostring(root)
            new.writestr(name, content)
    for name in ("rail.position", "where it is"):
        model = cart()
        model.torque("shown", "rail", 0.0)
        model.add("part", lw.FMU(renamed, every=0.01), connect={name: "shown"})
        assert lw.Simulation(model, "recursive", dt=0.01).inputs["shown"] == 0.3


def test_start_values_and_types_of_variables(small):
    model = cart()
    model.input("switch")
    model.torque("second", "rail", 0.0)
    fmu = lw.FMU(small, every=0.01, start={"gain": 2, "target": 1.5, "on": True, "text": "any"})
    given = {"u": "rail.position", "on": "switch", "force": ["push", "second"]}
    model.add("pd", fmu, connect=given)
    sim = lw.Simulation(model, "recursive", dt=0.005)
    assert sim.inputs["push"] == 0.0  # the switch is 0, which is false
    sim.inputs["switch"] = 1.0
    sim.step(2)
    assert sim.inputs["push"] == sim.inputs["second"] == pytest.approx(2 * (1.5 - float(sim["rail.position"])))


def test_variables_inside_an_fmu_can_be_read(small, tmp_path):
    """Some FMUs have no outputs, only local variables, such as the height of a ball."""
    inside = VARIABLES.replace('causality="output" variability="continuous"', 'variability="continuous"')
    assert inside != VARIABLES
    runs = [
        lw.simulate(looped(file), until=0.1, dt=0.005, method="recursive")["pd.output"]
        for file in (small, small_fmu(tmp_path / "inside.fmu", variables=inside))
    ]
    assert np.array_equal(*runs)


def test_an_fmu_in_a_subsystem_and_in_the_outline(small):
    class Unit(lw.Subsystem):
        def build(self):
            body = self.body("cart", mass=2.0, inertia=(0.1, 0.1, 0.1))
            rail = self.prismatic("rail", self.ground, body, at=(0, 0, 0), axis=(1, 0, 0), position=0.3)
            self.torque("push", rail, 0.0)
            self.add("pd", lw.FMU(small, every=0.01), connect=LOOP)

    model = lw.Model("two", gravity=(0, 0, 0))
    model.add("left", Unit())
    model.add("right", Unit(), position=(0, 1, 0))
    run = lw.simulate(model, until=0.3, dt=0.005, method="recursive")
    alone = lw.simulate(looped(small), until=0.3, dt=0.005, method="recursive")
    assert run["left.rail.position"] == pytest.approx(alone["rail.position"], abs=1e-14)
    assert set(run.certificate.coupling) == {"left.pd", "right.pd"}
    assert repr(model.left.pd) == "<FMU 'left.pd'>"
    assert "sets push" in model.outline()
    assert "2 FMUs" in repr(model)
    assert lw.FMU(small, every=0.01) == lw.FMU(str(small), every=0.01) != lw.FMU(small, every=0.02)


def test_an_input_of_the_model_leads_from_one_fmu_to_another(small):
    model = cart()
    model.input("middle")
    model.add("first", lw.FMU(small, every=0.01, start={"target": 2.0}), connect={"force": "middle"})
    model.add("second", lw.FMU(small, every=0.02), connect={"u": "middle", "force": "push"})
    sim = lw.Simulation(model, "recursive", dt=0.005)
    assert sim.inputs["middle"] == pytest.approx(20.0)
    assert sim.inputs["push"] == pytest.approx(-200.0)
