"""Our couplings in MuJoCo's words: gears are told, what has no counterpart is refused by name."""

import pytest

import linkwork as lw
from linkwork.formats.mjcf.peer_text import mjcf


def wheels() -> lw.Model:
    model = lw.Model("wheels")
    for k in range(3):
        wheel = model.body(f"wheel {k}", mass=1.0, inertia=(1, 1, 1))
        model.revolute(f"axle {k}", "ground", wheel, at=(0, 0, 0), axis=(0, 0, 1))
    return model


def test_a_gear_is_a_constraint_between_joints() -> None:
    model = wheels()
    model.gear("mesh", "axle 0", "axle 1", ratio=-2.0)
    assert '<joint joint1="axle 1" joint2="axle 0" polycoef="0 -2.0 0 0 0"/>' in mjcf(model, 1e-3)


def test_what_it_cannot_say_is_refused() -> None:
    model = wheels()
    model.differential("bevels", "axle 0", "axle 1", "axle 2")
    with pytest.raises(lw.ModelError, match="differential 'bevels' has no counterpart in MJCF"):
        mjcf(model, 1e-3)
