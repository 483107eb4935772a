"""Inputs that act on nothing by themselves: laws and controllers see them, steps take what was set."""

import pytest

import linkwork as lw


class Motor(lw.Subsystem):
    def build(self):
        rotor = self.body("rotor", mass=1.0, inertia=(0.1, 0.1, 0.1))
        self.revolute("shaft", self.ground, rotor, at=(0, 0, 0), axis=(0, 0, 1))
        self.input("gain", 2.0, unit="N m")
        self.torque("drive", self.joints["shaft"], lw.PythonLaw(lambda t, seen: seen[0], sees=["gain"]))


def two():
    model = lw.Model("two")
    model.add("left", Motor())
    model.add("right", Motor())
    return model


def test_each_law_sees_the_input_beside_it():
    sim = lw.Simulation(two(), "recursive", dt=1e-3)
    sim.inputs["right.gain"] = -3.0
    sim.step()
    assert (sim["left.drive.torque"], sim["right.drive.torque"]) == (2.0, -3.0)
    assert sim["right.gain.value"] == -3.0
    assert sim["left.shaft.velocity"] == pytest.approx(0.02, abs=1e-12)
    assert sim["right.shaft.velocity"] == pytest.approx(-0.03, abs=1e-12)


@pytest.mark.parametrize("method", ["component", "hybrid", "global", "absolute", "impulse"])
def test_by_every_method(method):
    run = lw.simulate(two(), until=0.01, method=method, dt=1e-3)
    assert run["left.shaft.velocity"][-1] == pytest.approx(0.2, abs=1e-8)
    assert (run["left.gain.value"] == 2.0).all()
    assert run.units["left.gain.value"] == "N m"


def test_controllers_see_and_set_inputs():
    model = two()
    model.controller("follow", lambda t, seen: 2.0 * seen[0], every=1e-3, sees=["left.gain"], sets=["right.gain"])
    run = lw.simulate(model, until=0.01, method="recursive", dt=1e-3)
    assert run["right.gain.value"][-1] == 4.0
    assert run["follow.output"][-1] == 4.0


def test_it_is_listed_and_compared():
    model = lw.Model("one")
    model.input("valve", 0.5)
    model.input("voltage", 12.0, unit="V")
    assert repr(model) == "<Model 'one': 2 inputs>"
    assert "input  voltage  12 V" in model.outline()
    other = lw.Model("one")
    other.input("valve", 0.5)
    assert model != other
    other.input("voltage", 12.0, unit="V")
    assert model == other


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"value": "fast"}, "input 'valve': value"),
        ({"value": float("nan")}, "input 'valve': value"),
        ({"unit": 3}, "give a word such as unit='V'"),
        ({"units": "V"}, "did you mean 'unit'"),
    ],
)
def test_wrong_inputs_are_named(options, words):
    with pytest.raises(lw.ModelError, match=words):
        lw.Model("one").input("valve", **options)


def test_a_name_is_given_once():
    model = lw.Model("one")
    model.input("valve")
    with pytest.raises(lw.ModelError, match="the name is taken by the input 'valve'"):
        model.body("valve", mass=1.0, inertia=(1, 1, 1))


def test_its_slider_has_its_unit():
    from linkwork.viewer.live.sliders import sliders

    model = lw.Model("one")
    model.input("voltage", 0.0, unit="V")
    (slider,) = sliders(model, {"voltage": 0.0}, 1.0)
    assert (slider["unit"], slider["low"], slider["high"]) == ("V", -1.0, 1.0)
