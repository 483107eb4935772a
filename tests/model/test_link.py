"""Rods between two points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_rod_reaches_from_point_to_point(scale: float) -> None:
    p, q = scale * np.array([1.0, 2.0, 3.0]), scale * np.array([1.0, 5.0, 7.0])
    model = lw.Model("rod")
    rod = model.link("rod", p, q, mass=0.5)
    assert rod.reference is not None
    assert rod.reference.position == pytest.approx((p + q) / 2)
    assert rod.reference.point((0, 0, scale * 2.5)) == pytest.approx(q)
    assert rod.reference.point((0, 0, -scale * 2.5)) == pytest.approx(p)
    assert rod.com.tolist() == [0, 0, 0]
    # a solid round bar: m (l^2 / 12 + r^2 / 4) across, m r^2 / 2 along
    length, radius = 5.0 * scale, 0.1 * scale
    across, along = 0.5 * (length**2 / 12 + radius**2 / 4), 0.5 * radius**2 / 2
    assert rod.inertia == pytest.approx(np.diag([across, across, along]), rel=1e-12, abs=1e-15 * scale**2)


def test_density_radius_and_subsystems() -> None:
    class Arm(lw.Subsystem):
        def build(self) -> None:
            self.port("rod", self.link("rod", (0, 0, 0), (2, 0, 0), density=1000.0, radius=0.1))

    model = lw.Model("arms")
    arm = model.add("arm", Arm(), position=(0, 0, 5))
    assert arm.rod.mass == pytest.approx(1000.0 * np.pi * 0.01 * 2.0)
    model.fixed("weld", model.ground, arm.rod)
    run = lw.simulate(model, until=0.01, dt=1e-3, method="recursive")
    assert run["arm.rod.position"][0] == pytest.approx([1, 0, 5])


@pytest.mark.parametrize("method", ["recursive", "absolute"])
def test_a_thin_rod_swings_as_a_slender_one(method: str) -> None:
    """w^2 = m g (l / 2) / (m l^2 / 3) about its end."""
    model = lw.Model("pendulum")
    rod = model.link("rod", (0, 0, 0), (0, 0, -1.0), mass=2.0, radius=1e-6)
    model.revolute("pin", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0), position=1e-3)
    run = lw.simulate(model, until=1.0, dt=1e-3, method=method)
    w = np.sqrt(1.5 * 9.81)
    assert run["pin.position"] == pytest.approx(1e-3 * np.cos(w * run.time), abs=1e-8)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (((1, 1, 1), (1, 1, 1)), {"mass": 1.0}, "p and q are at one place"),
        (((0, 0, 0), (1, 1)), {"mass": 1.0}, "q"),
        (((0, 0, 0), (1, 1, 1)), {}, "mass"),
        (((0, 0, 0), (1, 1, 1)), {"mass": 1.0, "radius": 0.0}, "radius"),
        (((0, 0, 0), (1, 1, 1)), {"mass": 1.0, "radus": 0.1}, "radius"),
    ],
)
def test_refusals(arguments: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(lw.ModelError, match=f"body 'rod'.*{message}"):
        lw.Model("m").link("rod", *arguments, **options)
