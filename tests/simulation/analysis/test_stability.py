"""The steps that explicit integrators can take: what is said of them, against what they do."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.simulation.analysis.choice.stability import growth, step_that_does, too_large

INTEGRATORS = ("semi-implicit", "rk2", "rk4", "abm4")


def swing(stiffness: float, damping: float) -> lw.Model:
    model = lw.Model("swing", gravity=(0, 0, 0))
    model.body("block", mass=1.0, inertia=(1, 1, 1))
    rail = {"stiffness": stiffness, "damping": damping, "position": 1e-3, "velocity": 1e-3}
    model.prismatic("rail", "ground", "block", axis=(1, 0, 0), **rail)
    return model


@pytest.mark.filterwarnings("ignore::linkwork.errors.RunWarning")
@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("way", [1j, -0.6 + 0.8j, -1.0])
def test_the_growth_is_that_of_the_steps(integrator: str, way: Any) -> None:
    """On both sides of the limit of 1 % a step: a swing, one that is damped, and a damper."""
    sizes = np.linspace(0.05, 4.0, 400)
    limit = float(sizes[np.argmax(growth(integrator, sizes * way) > 1.01)])
    assert 0.4 < limit < 3.0
    for part in (0.9, 1.1):
        z = part * limit * way
        stiffness, damping = (abs(z) ** 2, -2 * z.real) if z.imag else (0.0, -z.real)
        run = lw.simulate(swing(stiffness, damping), until=400.0, method="recursive", integrator=integrator, dt=1.0)
        size = np.abs(run["rail.velocity"])
        measured = (size[380:].max() / size[80:101].max()) ** (1 / 300)
        assert measured == pytest.approx(growth(integrator, z), abs=5e-3), (z, part)


def test_the_limits_of_the_books() -> None:
    assert growth("rk4", 2.0j * math.sqrt(2.0)) == pytest.approx(1.0)
    assert growth("rk4", -2.785294) == pytest.approx(1.0, abs=1e-6)
    assert growth("rk2", -2.0) == pytest.approx(1.0)
    assert growth("semi-implicit", 1.999j) == pytest.approx(1.0)
    assert growth("semi-implicit", -2.0) == pytest.approx(1.0)
    assert growth("trapezoidal", 2.0j) == pytest.approx(1.0)


def test_what_grows_by_itself_is_not_stiff() -> None:
    assert not too_large("rk4", [3.0, 0.5 + 1.0j, -1.0, 0.0], 1.0).any()
    assert too_large("rk4", [3.0, 3.0j, -3.0], 1.0).tolist() == [False, True, True]
    assert not too_large("adaptive", [1e6j], 1.0).any()


@pytest.mark.parametrize("integrator", [*INTEGRATORS, "trapezoidal"])
@pytest.mark.parametrize("value", [1j, -1.0, -0.6 + 0.8j])
@pytest.mark.parametrize("size", [1e-6, 1.0, 1e9])
def test_a_step_that_does(integrator: str, value: complex, size: float) -> None:
    step = step_that_does(integrator, [size * value])
    assert not too_large(integrator, [size * value], step).any()
    assert too_large(integrator, [size * value], 5.0 * step).any()
    assert f"{step:.0e}" == f"{step:.5e}".replace(".00000", "")


@pytest.mark.parametrize("integrator", [*INTEGRATORS, "trapezoidal"])
@pytest.mark.parametrize("size", [1e60, 1e160, 1e300])
def test_the_fastest_numbers_do_not_overflow(integrator: str, size: float) -> None:
    """A state that has blown up: its modes are too fast for any step, not undefined."""
    assert too_large(integrator, [1j * size, -size, (-0.6 + 0.8j) * size], 0.1).all()
    assert 0.0 < step_that_does(integrator, [1j * size]) < 4.0 / size
