"""A joint attached to what lies still: it stays so, whatever lies on what."""

from __future__ import annotations

from typing import Any

import pytest

import linkwork as lw

both = pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal], ids=["impulse", "maximal"])
SIDE, DT = 0.2, 5e-3


def stack(kind: Any, boxes: int, ratio: float) -> lw.Simulation:
    """Boxes on each other at rest, the uppermost `ratio` times as heavy as the lowest."""
    model, material = lw.Model("stack"), lw.Material(friction=0.5)
    model.plane("floor", material=material)
    for k in range(boxes):
        mass, place = 8.0 * ratio ** (k / (boxes - 1)), (0, 0, SIDE * (k + 0.5))
        model.body(f"box {k}", shape=lw.Box((SIDE,) * 3), mass=mass, position=place, material=material)
    sim = lw.Simulation(model, kind(dt=DT))
    sim.step(200)
    return sim


@both
@pytest.mark.filterwarnings("ignore:.*density")
@pytest.mark.parametrize("ratio", [1.0, 30.0, 1000.0])
@pytest.mark.parametrize(
    ("a", "b", "joint"),
    [
        ("ground", "box 0", "fixed"),
        ("ground", "box 2", "fixed"),
        ("box 0", "box 1", "fixed"),
        ("ground", "box 0", "ball"),
        ("ground", "box 2", "ball"),
    ],
)
def test_nothing_falls(kind: Any, ratio: float, a: str, b: str, joint: str) -> None:
    """Contacts keep their impulses: a heavy box on a light one fell by 0.04 m/s in a step when they were lost."""
    sim = stack(kind, 3, ratio)
    before = [sim[f"box {k}.position"][2] for k in range(3)]
    sim.attach(a, b, joint, **({} if joint == "fixed" else {"at": (0.05, 0.02, 0.13)}))
    for _ in range(40):
        sim.step()
        assert max(abs(sim[f"box {k}.velocity"]).max() for k in range(3)) < 1e-3 * 9.81 * DT
    assert [sim[f"box {k}.position"][2] for k in range(3)] == pytest.approx(before, abs=1e-6)


@both
def test_and_nothing_does_when_it_is_released(kind: Any) -> None:
    sim = stack(kind, 3, 100.0)
    sim.attach("box 1", "box 2", "fixed", name="glue")
    sim.step(40)
    sim.release("glue")
    sim.step(40)
    assert max(abs(sim[f"box {k}.velocity"]).max() for k in range(3)) < 1e-3 * 9.81 * DT
    assert sim["box 2.position"][2] == pytest.approx(2.5 * SIDE, abs=2e-4)
