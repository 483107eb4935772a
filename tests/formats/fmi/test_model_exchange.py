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


def test_methods_without_rates_are_refused(tmp_path):
    with pytest.raises(lw.OptionError, match="'hybrid', which has no rates; take 'recursive'"):
        lw.export_fmu(lw.gallery.pendulum.build(), tmp_path / "p.fmu", kind="me", method="hybrid", dt=1e-3)
    with pytest.raises(lw.OptionError, match="semi-implicit"):
        lw.export_fmu(lw.gallery.pendulum.build(), tmp_path / "p.fmu", kind="both", integrator="semi-implicit", dt=1e-3)
