"""Model exchange: rates of states that the host integrates."""

import numpy as np
import pytest

import linkwork as lw
from formats.fmi.fmi_host import OK, Slave, Unpacked, need_library


@pytest.fixture(scope="module", autouse=True)
def library():
    need_library()


@pytest.fixture(params=[2, 3])
def exchange(request, tmp_path):
    """Exports a model for model exchange."""
    made = []

    def export(model):
        given = {"kind": "me", "version": request.param, "parameters": [], "picture": False}
        made.append(Unpacked(lw.export_fmu(model, tmp_path / "m.fmu", integrator="rk4", dt=1e-3, **given)))
        return made[-1]

    yield export
    for each in made:
        each.remove()


def rk4(slave, t, y, h):
    """A step of the host, in the order in which numpy adds."""
    k1 = np.array(slave.rates(t, y))
    k2 = np.array(slave.rates(t + h / 2, y + h / 2 * k1))
    k3 = np.array(slave.rates(t + h / 2, y + h / 2 * k2))
    k4 = np.array(slave.rates(t + h, y + h * k3))
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def test_a_host_that_integrates_by_itself_gives_our_own_run(exchange):
    model = lw.gallery.manipulator.build()
    fmu = exchange(model)
    slave, sim = Slave(fmu, "me"), lw.Simulation(model, "recursive", integrator="rk4", dt=1e-3)
    assert slave.begin() == OK
    y = np.array(slave.states(sim.moving.nq + sim.moving.nv + 2))
    assert np.array_equal(y[:-2], [*sim.q, *sim.v])
    for n in range(50):
        y = rk4(slave, 1e-3 * n, y, 1e-3)
    sim.step(50)
    assert np.abs(y[:-2] - [*sim.q, *sim.v]).max() < 1e-12
    slave.rates(0.05, y)
    ours = sim["link 1.beam.bar.position.x"]
    assert slave.get("link 1.beam.bar.position.x") == pytest.approx(ours, abs=1e-12)
    assert abs(slave.get("energy.balance")) < 1e-8
    slave.free()


def test_derivatives_are_declared_with_their_states(exchange):
    fmu = exchange(lw.gallery.pendulum.build())
    names = {str(k): name for name, k in fmu.variables.items()}
    states = fmu.facts("der(q[1])")["derivative"]
    at = states if fmu.version == 3 else str(int(states) - 1)
    assert names[at] == "q[1]"
    tag = "ContinuousStateDerivative" if fmu.version == 3 else "Derivatives/Unknown"
    assert len(fmu.root.findall(f"ModelStructure/{tag}")) == 4  # q, v and two accounts
    assert fmu.root.find("CoSimulation") is None


def test_directional_derivatives_of_a_pendulum_are_those_of_its_equation(exchange):
    """(I + m l2) a = T - m g l sin q - c v, all by hand."""
    model = lw.Model("arm")
    arm = model.body("arm", mass=2.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.3))
    pin = model.revolute("pin", "ground", arm, at=(0, 0, 0), axis=(0, 1, 0), position=0.4, velocity=1.5, damping=0.7)
    model.torque("drive", pin, 0.0)
    fmu = exchange(model)
    slave, about = Slave(fmu, "me"), 0.1 + 2.0 * 0.3**2
    assert slave.begin(values={"drive": 0.5}) == OK
    kind = fmu.root.find("ModelExchange").attrib
    assert kind["providesDirectionalDerivative" + "s" * (fmu.version == 3)] == "true"
    before = slave.rates(0.0, slave.states(4))
    wanted = {"q[1]": -2.0 * 9.81 * 0.3 * np.cos(0.4) / about, "v[1]": -0.7 / about, "drive": 1.0 / about}
    for name, slope in wanted.items():
        found = slave.derivative(["der(v[1])", "pin.acceleration", "der(q[1])"], {name: 1.0})
        assert found == pytest.approx([slope, slope, float(name == "v[1]")], rel=1e-11, abs=1e-11)
    together = slave.derivative(["der(v[1])"], {"q[1]": 2.0, "v[1]": -3.0, "drive": 0.25})
    assert together == pytest.approx([2 * wanted["q[1]"] - 3 * wanted["v[1]"] + 0.25 * wanted["drive"]], rel=1e-11)
    assert slave.derivative(["arm.velocity.x"], {"v[1]": 1.0, "q[1]": 0.0}) == pytest.approx([0.0], abs=1e-12)
    assert slave.derivative(["der(v[1])"], {"q[1]": 0.0}) == [0.0]
    assert slave.rates(0.0, slave.states(4)) == before  # nothing of this is to be seen
    assert slave.get("certificate.worst_balance") < 1e-12
    assert slave.derivative(["der(v[1])"], {"energy.total": 1.0}) is None
    assert "is no state and no input" in slave.said[-1]
    slave.free()


def test_directional_derivatives_of_a_mechanism_are_its_linear_system(exchange):
    """All columns of the Jacobian of the manipulator, against differences of rates that the host takes itself."""
    model = lw.gallery.manipulator.build()
    fmu = exchange(model)
    slave, sim = Slave(fmu, "me"), lw.Simulation(model, "recursive", integrator="rk4", dt=1e-3)
    assert slave.begin() == OK
    n = sim.moving.nq + sim.moving.nv
    names = [*(f"q[{k + 1}]" for k in range(sim.moving.nq)), *(f"v[{k + 1}]" for k in range(sim.moving.nv))]
    y = np.array(slave.states(n + 2))
    for k, name in enumerate(names):
        found = slave.derivative([f"der({each})" for each in names], {name: 1.0})
        h = 1e-4 * max(1.0, abs(y[k]))
        step = h * np.eye(n + 2)[k]
        theirs = (np.array(slave.rates(0.0, y + step)) - slave.rates(0.0, y - step))[:n] / (2 * h)
        slave.rates(0.0, y)
        assert np.abs(found - theirs).max() < 1e-5 * max(1.0, np.abs(theirs).max())
    slave.free()


def test_co_simulation_has_no_directional_derivatives(tmp_path):
    file = lw.export_fmu(lw.gallery.pendulum.build(), tmp_path / "p.fmu", dt=1e-3, parameters=[], picture=False)
    fmu = Unpacked(file)
    slave = Slave(fmu)
    assert slave.begin() == OK
    assert slave.derivative(["pin.acceleration"], {"pin.position": 1.0}) is None
    assert "in model exchange only" in slave.said[-1]
    slave.free()
    fmu.remove()


def test_methods_without_rates_are_refused(tmp_path):
    with pytest.raises(lw.OptionError, match="'hybrid', which has no rates; take 'recursive'"):
        lw.export_fmu(lw.gallery.pendulum.build(), tmp_path / "p.fmu", kind="me", method="hybrid", dt=1e-3)
    with pytest.raises(lw.OptionError, match="semi-implicit"):
        lw.export_fmu(lw.gallery.pendulum.build(), tmp_path / "p.fmu", kind="both", integrator="semi-implicit", dt=1e-3)
