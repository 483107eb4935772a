"""The PUMA: its arm is the published one, it follows its plan, and the ledger closes over pinning and releasing."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import puma

QN = np.array([0, np.pi / 4, np.pi, 0, np.pi / 4, 0])
ANGLES = [f"{link.joint}.position" for link in puma.LINKS]


@pytest.fixture(scope="module")
def plan():
    return puma.plan(lw.assemble(puma.arm()))


@pytest.fixture(scope="module")
def exact():
    return lw.simulate(puma.build(), until=puma.UNTIL, method="recursive", dt=2e-3)


@pytest.fixture(scope="module")
def run():
    return lw.simulate(puma.build(), until=puma.UNTIL, **puma.METHOD)


def test_the_arm_is_the_published_one():
    """Torques and inertias printed in the Robotics Toolbox; tests/papers/test_puma.py has more of them."""
    system = lw.assemble(puma.arm(friction=0.0))
    zero = np.zeros(6)
    assert lw.inverse_dynamics(system, QN, zero, zero) == pytest.approx([0, 31.6399, 6.0351, 0, 0.0283, 0], abs=5.1e-5)
    assert np.diag(lw.mass_matrix(system, QN)) == pytest.approx(
        [3.6594, 4.4137, 0.9378, 0.1925, 0.1713, 0.1941], abs=5.1e-5
    )
    # friction with it, at a rate of 1 rad/s
    moving = lw.inverse_dynamics(lw.assemble(puma.arm()), QN, np.ones(6), zero)
    still = lw.inverse_dynamics(system, QN, np.ones(6), zero)
    assert moving - still == pytest.approx([link.gear**2 * link.friction for link in puma.LINKS])


def test_structure_while_pinned():
    sim = lw.Simulation(puma.build(), **puma.METHOD)
    sim.step(199)
    assert sim.attached == []
    sim.step(1)
    assert sim.attached == ["pin"]
    assert len(sim.moving.cuts) == 1
    assert sim.moving.nv - np.linalg.matrix_rank(puma.tip_rows(lw.assemble(puma.arm()), sim.q)) == 3
    sim.step(400)
    assert sim.attached == []


def test_it_follows_the_plan(exact, plan):
    """Where only the spline between the torques is in the way."""
    stride = round(puma.STEP / 2e-3)
    found = np.column_stack([exact[name][::stride] for name in ANGLES])
    assert np.abs(found - plan.q).max() < 2e-6
    held = (plan.time >= puma.PINNED) & (plan.time < puma.RELEASED)
    assert np.abs(exact["pin.reaction"][::stride][held, :3] - plan.pin[held]).max() < 1e-3
    assert not exact["pin.reaction"][::stride][~held].any()
    assert puma.error(exact) < 1e-3


def test_the_wrist_alone_moves_the_arm(plan, exact):
    alone = (plan.time > puma.PINNED + 0.5) & (plan.time < puma.RELEASED - 0.5)
    assert not plan.torque[alone, :3].any()
    assert np.abs(plan.torque[alone, 4]).min() > 1.0
    # no torque jumps
    assert np.abs(np.diff(plan.torque, axis=0)).max() < 4.0
    # the arm moves, and the tip does not
    held = (exact.time >= puma.PINNED) & (exact.time <= puma.RELEASED)
    assert np.ptp(exact["elbow.position"][held]) > 0.2
    tip = np.array(
        [
            lw.Frame(x, e).point(puma.TIP)
            for x, e in zip(exact["hand.position"][held], exact["hand.rotation"][held], strict=True)
        ]
    )
    assert np.abs(tip - puma.PIN).max() < 1e-6
    assert np.ptp(tip, axis=0).max() < 1e-12


def test_rest_at_the_ends_of_the_phases(exact):
    for time in (puma.PINNED, puma.RELEASED, puma.UNTIL):
        k = round(time / 2e-3)
        assert max(abs(exact[name.replace("position", "velocity")][k]) for name in ANGLES) < 1e-5


def test_hybrid_as_recursive(exact, run):
    for name in ANGLES:
        assert np.abs(run[name] - exact[name][::5]).max() < 2e-4
    assert np.abs(run["pin.reaction"] - exact["pin.reaction"][::5]).max() < 0.2


@pytest.mark.parametrize("which", ["exact", "run"])
def test_ledger(which, request):
    made = request.getfixturevalue(which)
    assert [(event.what, round(event.time, 9)) for event in made.events] == [("attached", 2.0), ("released", 6.0)]
    assert 0.0 <= made.energy["impacts"][-1] < 1e-7  # it is at rest when it is pinned
    assert made.energy["impacts"][-1] == made.events[0].energy
    assert made.energy["dissipated"][-1] > 10.0
    assert made.certificate.energy_balance_relative < (1e-9 if which == "exact" else 1e-4)


def test_pinned_in_full_motion():
    """The pin comes a second too early: the blow is in the ledger, and both methods feel the same."""
    runs = []
    for options in ({"method": "recursive", "dt": 1e-3}, {"method": "hybrid", "dt": 1e-3}):
        model = puma.build()
        model.events.clear()
        model.attach(model.ground, "hand", "ball", name="peg", time=1.0, frame_b=lw.Frame(puma.TIP))
        runs.append(lw.simulate(model, until=1.2, **options))
    for made in runs:
        assert made.energy["impacts"][-1] == pytest.approx(runs[0].events[0].energy, rel=1e-5)
        assert made.energy["impacts"][-1] > 1.0
        assert made.events[0].impulse == pytest.approx(runs[0].events[0].impulse, rel=1e-3, abs=1e-5)
    assert runs[0].certificate.energy_balance_relative < 1e-9
    assert runs[1].certificate.energy_balance_relative < 1e-4
    assert np.abs(runs[1]["hand.position"] - runs[0]["hand.position"]).max() < 1e-5
