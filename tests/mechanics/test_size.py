"""The size of a model: what openings of its joints are compared with."""

from __future__ import annotations

import pytest

import linkwork as lw
from linkwork.mechanics.size import size_of


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("absolute", [False, True])
def test_of_a_double_pendulum(scale: float, absolute: bool) -> None:
    """The longer of two rods, wherever the mechanism stands and in either set of coordinates."""
    model = lw.Model("double")
    far = 500.0 * scale
    upper = model.body("upper", mass=1.0, inertia=(1e-3, 1e-3, 1e-3), position=(far + 0.5 * scale, 0, 0))
    lower = model.body("lower", mass=1.0, inertia=(1e-3, 1e-3, 1e-3), position=(far + 2.5 * scale, 0, 0))
    model.revolute("shoulder", "ground", upper, at=(far, 0, 0), axis=(0, 1, 0))
    model.revolute("elbow", upper, lower, at=(far + 1.5 * scale, 0, 0), axis=(0, 1, 0))
    assert size_of(lw.assemble(model, absolute=absolute).tables) == pytest.approx(1.5 * scale)


def test_of_a_rod_between_points_and_of_a_wheel() -> None:
    model = lw.Model("bob on a rod")
    bob = model.body("bob", mass=1.0, inertia=0, position=(3.0, 0, 0))
    model.distance("rod", model.ground, bob, length=3.0)
    assert size_of(lw.assemble(model).tables) == pytest.approx(3.0)
    model = lw.Model("wheel")
    wheel = model.body("wheel", mass=2.0, inertia=(0.5, 0.5, 1.0), position=(7.0, 0, 0))
    model.revolute("axle", model.ground, wheel, at=(7.0, 0, 0), axis=(0, 0, 1))
    assert size_of(lw.assemble(model).tables) == pytest.approx((2.0 / 4.0) ** 0.5)  # its radius of gyration
