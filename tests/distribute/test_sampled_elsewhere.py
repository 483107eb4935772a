"""Sensors and controllers on both sides of a border: called at their instants, with the bits of one process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.distribute.kept_states import Keep
from linkwork.distribute.transport import PeerError
from linkwork.simulation.stepping.workspaces import ready_components

sys.path.insert(0, str(Path(__file__).parent))
import far_parts
from far_parts import Servo
from processes import Process
from test_remote import listening

OPTIONS: dict[str, Any] = {"method": "component", "dt": 1e-3}


@pytest.fixture(scope="module", autouse=True)
def ready() -> None:
    ready_components()


def machine(part: Any, every: float = 3e-3) -> lw.Model:
    """The block of the servo on a swing of ours, which a controller of ours drives."""
    model = lw.Model("swing")
    servo = model.add("servo", part)
    beam = model.body("beam", mass=2.0, inertia=(0.2, 0.2, 0.2), position=(0, 0, 0.5))
    top = model.revolute("top", model.ground, beam, at=(0, 0, 1.0), axis=(0, 1, 0))
    model.revolute("hook", beam, servo.block, at=(0, 0, 0), axis=(0, 1, 0))
    model.torque("push", top, 0.0)
    model.torque("wind", top, lw.Cosine(4.0, 2.0))
    model.sensor("gyro", beam, kind="gyroscope", rate=500, noise=lw.Normal(0, 0.01))
    model.controller("damp", lambda t, seen: -3.0 * seen[1], every=every, sees=["gyro"], sets=["push"])
    return model


def here() -> lw.Model:
    return machine(Servo())


@pytest.mark.parametrize("integrator", ["rk4", "abm4"])
@pytest.mark.parametrize("every", [2e-3, 1.5e-3])
def test_controllers_on_both_sides_give_the_run_of_one_process(integrator: str, every: float) -> None:
    """Instants of the far controller that lie within steps split them on both sides."""
    wanted = lw.simulate(machine(Servo(every=every)), until=0.1, integrator=integrator, **OPTIONS)
    with listening(lambda: Servo(every=every)) as address:
        run = lw.simulate(machine(lw.Remote(address)), until=0.1, integrator=integrator, **OPTIONS)
    assert np.abs(wanted["servo.hold.output"]).max() > 0.5
    assert np.abs(wanted["damp.output"]).max() > 0.05
    for name in ("top.position", "top.velocity", "hook.position", "damp.output", "gyro.reading", "push.torque"):
        assert np.abs(run[name] - wanted[name]).max() < 1e-13, name


def test_another_process_gives_the_same_bits(process: Callable[..., Process]) -> None:
    far = process(f"{far_parts.__file__}:Servo")
    one, two = (lw.simulate(machine(lw.Remote(far.address, timeout=20)), until=0.1, **OPTIONS) for _ in range(2))
    assert all(np.array_equal(one[name], two[name]) for name in one.names if not name.startswith("solver"))
    wanted = lw.simulate(here(), until=0.1, **OPTIONS)
    assert np.abs(one["top.position"] - wanted["top.position"]).max() < 1e-13


@pytest.mark.parametrize("integrator", ["rk4", "abm4"])
def test_a_saved_state_goes_on_to_the_last_bit(integrator: str, tmp_path: Path) -> None:
    """Memory, delayed readings and what is held come back on both sides."""
    with listening(Servo, keep=Keep(str(tmp_path / "servo"))) as address:
        sim = lw.Simulation(machine(lw.Remote(address)), integrator=integrator, **OPTIONS)
        sim.step(31)
        sim.save(tmp_path / "whole.npz")
        sim.step(40)
        wanted = np.concatenate([sim.state.y, sim.state.cut_q])
        sim.close()
        again = lw.Simulation(machine(lw.Remote(address)), resume=tmp_path / "whole.npz")
        again.step(40)
        assert np.array_equal(np.concatenate([again.state.y, again.state.cut_q]), wanted)
        again.close()


def test_a_controller_that_fails_elsewhere_is_named() -> None:
    with (
        listening(lambda: Servo(fails=0.05)) as address,
        pytest.raises(lw.RunError, match=r"component 'servo': controller '.*hold' failed at t = 0.052 s") as caught,
    ):
        lw.simulate(machine(lw.Remote(address)), until=0.1, **OPTIONS)
    assert caught.value.run.time[-1] == pytest.approx(0.052)


@pytest.mark.parametrize("far", [False, True])
def test_a_component_with_a_controller_is_verified(far: bool) -> None:
    if not far:
        assert lw.verify(Servo()).good
        return
    with listening(Servo) as address:
        assert lw.verify(lw.Remote(address)).good


def test_a_law_that_sees_the_last_step_is_not_served() -> None:
    class Rubbing(lw.Subsystem):
        def build(self) -> None:
            block = self.body("block", mass=3.0, inertia=(0.1, 0.1, 0.1))
            rod = self.body("rod", mass=0.5, inertia=(0.02, 0.02, 0.005), com=(0, 0, -0.2))
            pin = self.revolute("pin", block, rod, at=(0, 0, 0), axis=(0, 1, 0))
            self.torque("rub", pin, lw.PythonLaw(lambda t, seen: -0.01 * seen[0], sees=["pin.reaction.fz"]))
            self.port("block", block)

    with listening(Rubbing) as address, pytest.raises(PeerError, match=r"sees '.*pin.reaction' of the last step"):
        lw.Remote(address)
