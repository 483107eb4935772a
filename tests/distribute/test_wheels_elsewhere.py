"""The car of V06 with its wheels served elsewhere: the same motion, the same bits twice, a lost wheel is named."""

from __future__ import annotations

import contextlib
import threading

import numpy as np
import pytest

import linkwork as lw
from linkwork.distribute.server import serve
from linkwork.distribute.socket_transport import pair
from linkwork.gallery import car

TIMEOUT = 300.0  # s; kernels may have to be compiled first


def elsewhere(monkeypatch, threads):
    """The car, each wheel a `Remote` whose owner is a thread of its own."""
    wheel = car.Wheel

    def remote(**parameters):
        ours, theirs = pair(TIMEOUT)
        thread = threading.Thread(target=quietly, args=(lambda: wheel(**parameters), theirs), daemon=True)
        thread.start()
        threads.append(thread)
        return lw.Remote(transport=ours)

    def quietly(make, transport):
        with contextlib.suppress(lw.PeerError, lw.RunError):  # the whole has gone
            serve(make, transport)

    monkeypatch.setattr(car, "Wheel", remote)
    model = car.build()
    monkeypatch.undo()
    return model


def ended(threads):
    for thread in threads:
        thread.join(TIMEOUT)
    return not any(thread.is_alive() for thread in threads)


@pytest.mark.parametrize("integrator", ["rk4", "abm4"])
def test_same_motion_as_in_one_process(monkeypatch, integrator):
    here = lw.simulate(car.build(), until=0.05, method="component", integrator=integrator, dt=1e-3)
    runs, threads = [], []
    for _ in range(2):
        model = elsewhere(monkeypatch, threads)
        runs.append(lw.simulate(model, until=0.05, method="component", integrator=integrator, dt=1e-3))
    assert ended(threads)
    shared = [name for name in runs[0].columns if name in here.columns]
    assert "left axle.reaction" in shared
    assert "left wheel.ring.position" in shared  # a port
    assert not any(name.startswith("left wheel.tyre") for name in runs[0].columns)  # what is inside stays there
    for name in shared:
        assert np.array_equal(runs[0][name], runs[1][name]), name
        if name.endswith(".position"):
            assert np.abs(runs[0][name] - here[name]).max() < 1e-13, name
    assert runs[0].certificate.worst_drift_position < 1e-14
    assert runs[0].certificate.energy_balance_relative < 1e-5  # the work at the ports is in the ledger


def test_a_lost_wheel_is_named(monkeypatch):
    threads = []
    model = elsewhere(monkeypatch, threads)
    sim = lw.Simulation(model, method="component", dt=1e-3)
    sim.step(5)
    model.subsystems["right wheel"].transport.close()
    with pytest.raises(lw.RunError, match="right wheel") as lost:
        sim.step(5)
    assert lost.value.culprit == "right wheel"
    assert ended(threads)


def test_refusals(monkeypatch):
    threads = []
    model = elsewhere(monkeypatch, threads)
    with pytest.raises(lw.OptionError, match="adaptive"):
        lw.simulate(model, until=0.1, method="component", integrator="adaptive", dt=0.01)
    with pytest.raises(lw.OptionError, match="remote components"):
        lw.simulate(model, until=0.1, method="recursive")
    for name in ("left wheel", "right wheel"):
        model.subsystems[name].close()
    assert ended(threads)


def test_verify():
    for component in (car.Damper(), car.Suspension(side="left"), car.Wheel()):
        verdict = lw.verify(component)
        assert verdict.good, str(verdict)
        assert len(verdict.lines()) == 6
