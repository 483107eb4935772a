"""Dynamics that are bound once: the same numbers as those that are checked, through loops too."""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.simulation.analysis.dynamics import Accelerations
from linkwork.simulation.starts.start import consistent_start


@pytest.fixture(params=["puma", "car", "double_four_bar", "humanoid"])
def system(request: pytest.FixtureRequest) -> lw.System:
    return lw.assemble(_built(request.param))


def _built(name: str) -> lw.Model:
    return getattr(lw.gallery, name).build()


def state(system: lw.System, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    if system.rows:
        start = consistent_start(system)
        return start.q, start.v, rng.uniform(-1, 1, system.nv)
    q = lw.integrate(system, system.q_start, rng.uniform(-1, 1, system.nv), 0.1)
    return q, rng.uniform(-1, 1, system.nv), rng.uniform(-1, 1, system.nv)


def test_same_as_the_checked_functions(system: lw.System) -> None:
    bound, body = lw.dynamics(system), system.body_names[-1]
    for seed in range(3):  # one after the other, in the same memory
        q, v, a = state(system, seed)
        assert bound.forward(q, v, a).tolist() == lw.forward_dynamics(system, q, v, a).tolist()
        assert bound.forward(q, v).tolist() == lw.forward_dynamics(system, q, v).tolist()
        assert bound.inverse(q, v, a).tolist() == lw.inverse_dynamics(system, q, v, a, loops="open").tolist()
        assert bound.mass(q).tolist() == lw.mass_matrix(system, q).tolist()
        assert (
            bound.jacobian(q, body, (0.1, 0.2, 0.3)).tolist() == lw.jacobian(system, q, body, (0.1, 0.2, 0.3)).tolist()
        )
        for row, (x, e) in zip(bound.poses(q), lw.forward_kinematics(system, q).values(), strict=True):
            assert row.tolist() == [*x, *e]


def test_equations_of_motion_hold(system: lw.System) -> None:
    """M a + inverse(q, v, 0) = inverse(q, v, a), and where there are no loops forward(inverse(a)) = a."""
    bound = lw.dynamics(system)
    q, v, a = state(system, 7)
    tau, rest = bound.inverse(q, v, a).copy(), bound.inverse(q, v, np.zeros(system.nv)).copy()
    largest = np.abs(tau).max()
    assert np.abs(bound.mass(q) @ a + rest - tau).max() < 1e-12 * largest
    if not system.rows:
        assert np.abs(bound.forward(q, v, tau) - a).max() < 1e-9


def test_accelerations_are_those_of_fresh_memory(system: lw.System) -> None:
    bound = lw.dynamics(system)
    for seed in range(3):
        q, v, tau = state(system, seed)
        fresh = Accelerations(system, tau).at(q, v)
        assert fresh is not None
        assert bound.forward(q, v, tau).tolist() == fresh.tolist()


def test_answers_are_views_and_checked_ones_are_not() -> None:
    system = lw.assemble(_built("puma"))
    bound, (q, v, a) = lw.dynamics(system), state(system, 1)
    first = bound.inverse(q, v, a)
    assert first is bound.inverse(q, v, 2 * a)
    kept = lw.inverse_dynamics(system, q, v, a)
    before = kept.copy()
    lw.inverse_dynamics(system, q, v, 2 * a)
    assert kept.tolist() == before.tolist()


def test_time_reaches_the_laws() -> None:
    model = lw.Model("arm", gravity=(0, 0, 0))
    arm = model.body("arm", mass=1.0, inertia=(1, 1, 1))
    model.torque("push", model.revolute("pin", "ground", arm, at=(0, 0, 0), axis=(0, 0, 1)), lw.Cosine(2.0, 1.0))
    bound = lw.dynamics(lw.assemble(model))
    nothing = np.zeros(1)
    for time, wanted in ((0.0, 2.0), (0.5, -2.0), (0.125, 2.0 * np.cos(0.25 * np.pi))):
        assert bound.forward(nothing, nothing, time=time) == pytest.approx([wanted])
        assert bound.inverse(nothing, nothing, nothing, time=time) == pytest.approx([-wanted])


def test_what_has_no_accelerations_is_nan() -> None:
    model = lw.Model("nothing")
    model.revolute("pin", "ground", model.body("arm", mass=0.0, inertia=0), at=(0, 0, 0), axis=(0, 0, 1))
    try:
        system = lw.assemble(model)
    except lw.ModelError:
        pytest.skip("such a model is refused before")
    assert np.isnan(lw.dynamics(system).forward(np.zeros(1), np.zeros(1))).all()
    with pytest.raises(lw.RunError, match="moves nothing that has inertia"):
        lw.forward_dynamics(system, [0.0], [0.0])


def test_only_systems() -> None:
    with pytest.raises(lw.OptionError, match=r"is not an assembled system; give lw.assemble\(model\)"):
        lw.dynamics(_built("puma"))  # type: ignore[arg-type]
