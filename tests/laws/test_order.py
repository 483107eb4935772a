"""Order of convergence, fitted: 1, 2, 4, 4, and the adaptive integrator's promise."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import loop_of
from known_methods import EXPLICIT
from measured import body_states, distance, fitted_order
from random_mechanisms import random_tree

UNTIL = 0.24


def swinging(which: str) -> lw.Model:
    """An open tree with ball joints, both ways round; a closed loop with two balls, of which one is its cut."""
    if which == "tree":
        return random_tree(3, 5, ("ball", "revolute", "universal", "ball"), gravity=(0, 0, -9.81))
    return loop_of("ball", seed=2)


@cache
def exact(which: str, until: float) -> lw.Trajectory:
    """Steps of 60 microseconds: twenty times finer than what is compared with it, 20^4 times closer."""
    steps = round(until / 6e-5)
    return lw.simulate(swinging(which), until=until, dt=until / steps, every=steps)


def error(which: str, until: float = UNTIL, **options: Any) -> float:
    """Of poses and velocities at the end."""
    model = swinging(which)
    return distance(lw.simulate(model, until=until, **options), exact(which, until), model)


@pytest.mark.parametrize("which", ["tree", "loop"])
@pytest.mark.parametrize("method", EXPLICIT)
@pytest.mark.parametrize("integrator", ["semi-implicit", "rk2", "rk4", "abm4"])
def test_fitted_order(integrator: str, method: str, which: str) -> None:
    order = EXPLICIT[method].orders[integrator]
    steps = [UNTIL / n for n in (40, 80, 160)]
    errors = [error(which, dt=dt, integrator=integrator, method=method) for dt in steps]
    # three steps, each half the last: the next term of the error still shows by some hundredths
    assert fitted_order(steps, errors) == pytest.approx(order, abs=0.15)


@pytest.mark.parametrize("integrator", ["semi-implicit", "rk2", "rk4", "abm4"])
def test_the_ledger_has_the_same_order(integrator: str) -> None:
    """With a damper and a driven joint the accounts close as fast as the motion converges."""
    errors = []
    steps = [UNTIL / n for n in (40, 80, 160)]
    for dt in steps:
        model = random_tree(3, 4, ("revolute", "universal", "ball"), gravity=(0, 0, -9.81))
        name = next(name for name, joint in model.joints.items() if joint.kind == "revolute")
        model.torsion_spring("coil", name, stiffness=5.0, damping=0.5)
        model.torque("drive", name, lw.Cosine(3.0, frequency=2.0))
        run = lw.simulate(model, until=UNTIL, dt=dt, integrator=integrator)
        errors.append(run.certificate.energy_balance_worst)
    # energy may do better than the motion: an even order errs first along it, not across
    assert fitted_order(steps, errors) > lw.Recursive.orders[integrator] - 0.2


@pytest.mark.parametrize("which", ["tree", "loop"])
@pytest.mark.parametrize("method", EXPLICIT)
def test_adaptive_meets_its_tolerance(method: str, which: str) -> None:
    """Errors of the steps within the tolerance add up; the rows are far apart, so it is the tolerance that decides."""
    evaluations = []
    until = 0.96
    for rtol in (1e-5, 1e-7, 1e-9):
        model = swinging(which)
        options = {"integrator": "adaptive", "rtol": rtol, "atol": rtol, "dt": until, "method": method}
        run = lw.simulate(model, until=until, **options)
        steps = run.certificate.evaluations / 6
        size = float(np.max(np.abs(body_states(run, model))))
        assert distance(run, exact(which, until), model) < steps * rtol * size
        evaluations.append(run.certificate.evaluations)
    # order 5: the cost grows with the fifth root of the accuracy, a little less as the first steps cost the same
    assert 0.1 < np.log(evaluations[2] / evaluations[0]) / np.log(1e4) < 0.22


def test_adaptive_rows_lie_on_the_motion() -> None:
    """Rows ten times as dense only cut the steps: the motion in them is the same within the tolerance."""
    model = swinging("tree")
    runs = [lw.simulate(model, until=UNTIL, dt=dt, integrator="adaptive", rtol=1e-8) for dt in (UNTIL / 2, UNTIL / 20)]
    assert np.max(np.abs(runs[0].time - runs[1].time[::10])) < 1e-15
    assert np.max(np.abs(body_states(runs[0], model) - body_states(runs[1], model)[::10])) < 1e-6
