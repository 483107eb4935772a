"""The motor against the matrix exponential, with a gear, fed in every way."""

import numpy as np
import pytest
from scipy.linalg import expm

import linkwork as lw

R, L, K, J = 0.5, 2e-3, 0.1, 0.1  # ohm, H, N m/A, kg m2
NUMBERS = {"resistance": R, "inductance": L, "constant": K}


def drive(**options):
    model = lw.Model("drive")
    wheel = model.body("wheel", mass=1.0, inertia=(J, J, J))
    shaft = model.revolute("shaft", model.ground, wheel, at=(0, 0, 0), axis=(0, 1, 0))
    model.torque("motor", shaft, lw.parts.dc_motor(shaft, **{**NUMBERS, **options}))
    return model


def exact(time, voltage, ratio=1.0, current=0.0):
    """Current and speed."""
    A = np.array([[-R / L, -K * ratio / L, voltage / L], [K * ratio / J, 0, 0], [0, 0, 0]])
    return (expm(A * time) @ [current, 0, 1])[:2]


@pytest.mark.parametrize(
    ("options", "tolerance"),
    [({}, 1e-7), ({"ratio": 12.0}, 1e-6), ({"current": -8.0, "ratio": -3.0}, 1e-7)],
)
def test_current_and_speed_are_those_of_the_matrix_exponential(options, tolerance):
    run = lw.simulate(drive(voltage=24.0, **options), until=0.02, method="recursive", dt=1e-4)
    i, w = exact(0.02, 24.0, **options)
    assert run["motor.state"][-1] == pytest.approx(i, abs=tolerance)
    assert run["shaft.velocity"][-1] == pytest.approx(w, abs=tolerance)
    ratio = options.get("ratio", 1.0)
    assert run["motor.torque"] == pytest.approx(ratio * K * run["motor.state"], abs=1e-12)


def test_energy_of_voltage_goes_into_copper_coil_and_wheel():
    run = lw.simulate(drive(voltage=24.0, ratio=4.0), until=0.05, method="recursive", dt=1e-4)
    i, w = run["motor.state"], run["shaft.velocity"]
    given, lost = np.trapezoid(24.0 * i, run.time), np.trapezoid(R * i**2, run.time)
    kept = 0.5 * L * i[-1] ** 2 + 0.5 * J * w[-1] ** 2
    assert given == pytest.approx(lost + kept, rel=1e-4)


@pytest.mark.parametrize(
    "voltage",
    [
        lw.Table((0, 1), (24, 24)),
        lw.compiled(lambda t: 24.0),
    ],
    ids=lambda law: type(law).__name__,
)
def test_the_voltage_may_be_a_law_of_time(voltage):
    run = lw.simulate(drive(voltage=voltage), until=0.01, method="recursive", dt=1e-4)
    assert run["motor.state"][-1] == pytest.approx(exact(0.01, 24.0)[0], abs=1e-7)


@pytest.mark.parametrize(
    "law",
    [
        lw.Table((0.1, 0.2, 0.5), (1.0, 3.0, -2.0)),
        lw.Table((0.1, 0.2, 0.5), (1.0, 3.0, -2.0), "cubic"),
        lw.Step(5.0, at=0.1, before=1.0, rise=0.3),
        lw.Step(5.0, at=0.1),
        lw.Cosine(2.0, frequency=3.0, phase=0.4, offset=1.0),
    ],
    ids=lambda law: f"{type(law).__name__} {getattr(law, 'kind', '')}",
)
def test_laws_of_time_are_followed_exactly(law):
    from linkwork.model.laws.laws import law_value
    from linkwork.parts.signals import signal

    columns, present = signal(law, 0, "test", "voltage")
    assert columns == []
    for t in (0.0, 0.1, 0.13, 0.2, 0.31, 0.4, 0.5, 0.9):
        assert present(t, np.zeros(1)) == pytest.approx(law_value(law, t), abs=1e-12)


def test_the_voltage_may_be_an_input_or_another_column():
    model = drive(voltage="supply")
    model.input("supply", 6.0, unit="V")
    sim = lw.Simulation(model, "recursive", dt=1e-4)
    sim.step(100)
    assert sim["motor.state"] == pytest.approx(exact(0.01, 6.0)[0], abs=1e-7)
    sim.inputs["supply"] = 24.0
    sim.step(1)
    assert sim["supply.value"] == 24.0
    run = lw.simulate(model, until=0.01, method="hybrid", dt=1e-4)
    assert (run["supply.value"] == 6.0).all()
    assert run.units["supply.value"] == "V"


def test_a_motor_with_a_time_constant_of_a_tenth_of_the_step_is_stable_when_implicit():
    model = drive(inductance=5e-5, voltage=24.0)
    for method in ("hybrid", "semi-recursive", "global"):
        run = lw.simulate(model, until=0.2, method=method, dt=1e-3)
        slow = 24.0 / R * np.exp(-(K**2) / (R * J) * 0.2)  # without inductance
        assert run["motor.state"][-1] == pytest.approx(slow, rel=1e-3)
    with pytest.raises(lw.RunError, match="state 'motor state', which settles within 0.0001 s"):
        lw.simulate(model, until=0.2, method="recursive", dt=1e-3)


def test_equal_numbers_give_the_same_law():
    assert lw.parts.dc_motor("shaft", **NUMBERS, voltage=24.0) == lw.parts.dc_motor("shaft", **NUMBERS, voltage=24)
    table = ([0, 1], [0, 24])
    assert lw.parts.dc_motor("a", **NUMBERS, voltage=table) == lw.parts.dc_motor("a", **NUMBERS, voltage=table)
    assert lw.parts.dc_motor("a", **NUMBERS) != lw.parts.dc_motor("a", **{**NUMBERS, "resistance": 1.0})
    assert drive(voltage=24.0) == drive(voltage=24.0)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"inductance": 0.0}, "dc_motor: inductance is 0 .*must be positive"),
        ({"voltage": (1.0, 2.0, 3.0)}, "dc_motor: voltage must follow one number over time"),
        ({"voltage": ""}, "dc_motor: voltage is an empty name"),
        ({"resistence": 1.0}, "did you mean 'resistance'"),
    ],
)
def test_wrong_numbers_are_named(options, words):
    with pytest.raises((lw.ModelError, lw.OptionError), match=words):
        drive(**options)


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(lw.ModelError, match="torque 'motor': its law sees 'supply', which is no column"):
        lw.Simulation(drive(voltage="supply"))
