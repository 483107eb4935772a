"""Joints that come apart: a run stops at them by name, a smaller opening is POOR."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw


def four_bar(length: float = 1.0, speed: float = 0.0) -> lw.Model:
    model = lw.Model("four bar")
    points = np.array([(0, 0, 0), (0, 0, 1.0), (2.0, 0, 1.5), (2.5, 0, 0)]) * length
    before: Any = "ground"
    for k in range(3):
        turning = float(np.sum((points[k + 1] - points[k]) ** 2)) / 12.0
        body = model.body(
            f"bar {k}", mass=1.0, inertia=(turning,) * 3, position=tuple(0.5 * (points[k] + points[k + 1]))
        )
        given = {"velocity": speed} if k == 0 else {}
        model.revolute(f"pin {k}", before, body, at=tuple(points[k]), axis=(0, 1, 0), **given)
        before = body
    model.revolute("pin 3", before, "ground", at=tuple(points[3]), axis=(0, 1, 0))
    return model


LOOSE: dict[str, Any] = {
    "recursive": {"method": "recursive", "stabilize": False},
    "absolute": {"method": "absolute", "stabilization": None},
    "component": {"method": "component", "stabilize": False},
    "component in joints": {"method": "component", "coordinates": "joint", "stabilize": False},
}


@pytest.mark.parametrize("name", LOOSE)
@pytest.mark.parametrize("length", [1e-3, 1.0, 1e3])
def test_a_drift_is_poor_and_then_the_joint_is_torn(name: str, length: float) -> None:
    """Nothing holds the positions, and the steps are coarse: a good run first, a poor one, then one that stops."""
    time = length**0.5
    options = {"integrator": "rk2", **LOOSE[name]}
    good = lw.simulate(four_bar(length), until=0.3 * time, dt=5e-3 * time, **options)
    assert good.certificate.doubts() == []
    with pytest.warns(lw.RunWarning, match="the loops drift"):
        poor = lw.simulate(four_bar(length), until=2.5 * time, dt=0.05 * time, **options)
    assert 1e-3 < poor.certificate.drift_relative < 0.1
    assert any("drift" in doubt and "stabiliz" in doubt for doubt in poor.certificate.doubts())
    assert "POOR" in poor.certificate.lines()[2]
    with pytest.raises(lw.RunError, match="was torn apart: its ends are .* from where they belong") as caught:
        lw.simulate(four_bar(length), until=100.0 * time, dt=0.2 * time, **options)
    assert str(caught.value.culprit).startswith("pin")
    assert len(caught.value.run) > 2
    assert caught.value.run.certificate.drift_relative < 0.3


def test_more_rounds_that_close_joints_are_advised_and_help() -> None:
    """A double four-bar at a step of 10 ms comes through its singular positions with them."""
    assert "position_iterations=6" in lw.Maximal(dt=0.01).torn_remedy
    assert "position_iterations" not in lw.Maximal(dt=0.01, position_iterations=6).torn_remedy
    run = lw.simulate(lw.gallery.double_four_bar.build(), until=10.0, method=lw.Maximal(dt=0.01, position_iterations=6))
    assert run.certificate.complete
