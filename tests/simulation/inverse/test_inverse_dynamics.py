"""Inverse dynamics through closed loops."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import four_bar, loop_of
from linkwork import gallery
from linkwork.simulation.inverse.loop_forces import LoopForces
from linkwork.simulation.starts.start import consistent_start

MODELS = {
    "four bar": lambda: four_bar(start={"crank": {"velocity": 2.0}}),
    "double four bar": gallery.double_four_bar.build,
    "andrews": gallery.andrews.build,
    "ring": lambda: loop_of("universal"),
}


@pytest.mark.parametrize("name", MODELS)
def test_forces_give_the_accelerations_through_the_loops(name: str) -> None:
    system = lw.assemble(MODELS[name]())
    start = consistent_start(system)
    q, v = start.q, start.v
    rng = np.random.default_rng(3)
    pushed = rng.normal(size=system.nv) * 0.01
    a = lw.forward_dynamics(system, q, v, pushed)
    tau = lw.inverse_dynamics(system, q, v, a)
    again = lw.forward_dynamics(system, q, v, tau)
    assert again == pytest.approx(a, abs=1e-8 * np.abs(a).max())
    # no joint forces that give this motion are smaller
    units = LoopForces(system).dof
    assert np.linalg.norm(units * tau) <= np.linalg.norm(units * pushed) * (1 + 1e-9)
    # what it does by itself needs none
    free = lw.inverse_dynamics(system, q, v, lw.forward_dynamics(system, q, v))
    opened = lw.inverse_dynamics(system, q, v, lw.forward_dynamics(system, q, v), loops="open")
    assert np.abs(free).max() <= 1e-9 * max(1.0, np.abs(opened).max())
    assert np.abs(opened).max() > 0.0


def test_in_chosen_joints_they_are_unique() -> None:
    system = lw.assemble(gallery.andrews.build(torque=0.0))
    start = consistent_start(system)
    tau = np.zeros(system.nv)
    tau[system.joint_names.index("O")] = 0.033
    a = lw.forward_dynamics(system, start.q, start.v, tau)
    assert lw.inverse_dynamics(system, start.q, start.v, a, at=["O"]) == pytest.approx(tau, abs=1e-12)


def test_of_a_tree_chosen_joints_must_do() -> None:
    system = lw.assemble(gallery.puma.arm())
    q, v, a = np.zeros(6), np.ones(6), np.ones(6)
    assert lw.inverse_dynamics(system, q, v, a, at=system.joint_names) == pytest.approx(
        lw.inverse_dynamics(system, q, v, a), abs=1e-12
    )
    with pytest.raises(lw.OptionError, match=f"they do not move '{system.joint_names[1]}'; name further joints"):
        lw.inverse_dynamics(system, q, v, a, at=[name for name in system.joint_names if name != system.joint_names[1]])


def test_accelerations_that_open_the_loops_are_told() -> None:
    system = lw.assemble(four_bar())
    start = consistent_start(system)
    a = lw.forward_dynamics(system, start.q, start.v)
    with pytest.warns(lw.RunWarning, match="would open its loops"):
        lw.inverse_dynamics(system, start.q, start.v, a + [1.0, 0.0, 0.0])


def test_refusals() -> None:
    system = lw.assemble(four_bar())
    zero = np.zeros(3)
    with pytest.raises(lw.OptionError, match="no tree joint 'cranc' that moves; did you mean 'crank'"):
        lw.inverse_dynamics(system, zero, zero, zero, at=["cranc"])
    with pytest.raises(lw.OptionError, match="names no joint"):
        lw.inverse_dynamics(system, zero, zero, zero, at=[])
    with pytest.raises(lw.OptionError, match="loops must be 'closed' or 'open'"):
        lw.inverse_dynamics(system, zero, zero, zero, loops="cut")
    with pytest.raises(lw.OptionError, match="leave it out"):
        lw.inverse_dynamics(system, zero, zero, zero, at=["crank"], loops="open")
