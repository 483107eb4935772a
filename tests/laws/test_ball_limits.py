"""Cones and dry friction of ball joints: a pendulum stays within its cone, and friction stops a spin after I w / T."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import linkwork as lw

G = 9.81
both = pytest.mark.parametrize("kind", [lw.Impulse, lw.Maximal], ids=lambda kind: kind.name)


def swing(q: Any) -> Any:
    """Angle between the two z axes."""
    return 2.0 * np.arctan2(np.hypot(q[:, 1], q[:, 2]), np.hypot(q[:, 0], q[:, 3]))


def twist(q: Any) -> Any:
    """What is left of the turn after the swing."""
    return np.remainder(2.0 * np.arctan2(q[:, 3], q[:, 0]) + math.pi, 2.0 * math.pi) - math.pi


def turn(q: Any) -> Any:
    """Angle of the whole turn."""
    return 2.0 * np.arctan2(np.linalg.norm(q[:, 1:], axis=1), np.abs(q[:, 0]))


def pendulum(inertia: Any = (0.02, 0.03, 0.01), gravity: float = G, **options: Any) -> lw.Model:
    """2 kg that hang 1 m below a ball joint, whose axis points down."""
    model = lw.Model("pendulum", gravity=(0, 0, -gravity))
    bob = model.body("bob", mass=2.0, inertia=inertia, com=(0, 0, -1.0))
    model.ball("ball", "ground", bob, at=(0, 0, 0), axis=(0, 0, -1), **options)
    return model


@both
def test_a_pendulum_stays_within_its_cone(kind: Any) -> None:
    """Thrown against the cone, it slides around it and swings back: 1e-6 rad.

    No energy comes from the cone: what is gained is that of the steps, of first order in dt, and the same without it.
    """
    gains = []
    for dt in (2e-3, 1e-3):
        run = lw.simulate(pendulum(limits=lw.Cone(0.5), velocity=(2, 3, 1)), until=5.0, method=kind(dt=dt))
        assert 0.4999 < swing(run["ball.position"]).max() < 0.5 + 1e-6
        assert run["ball.stop_force.swing"].min() < -50.0
        assert run["ball.stop_force"].max() == 0.0
        gains.append((run.energy["total"].max() - run.energy["total"][0]) / run.energy["kinetic"][0])
        free = lw.simulate(pendulum(velocity=(2, 3, 1)), until=5.0, method=kind(dt=dt))
        assert gains[-1] < 1.1 * (free.energy["total"].max() - free.energy["total"][0]) / free.energy["kinetic"][0]
    assert gains[1] < 0.55 * gains[0]


@both
def test_sliding_along_the_cone_keeps_the_energy(kind: Any) -> None:
    """Without gravity, on the cone and along it: it goes on for ever. The energy may err by the order of the step."""
    start = (math.cos(0.25), math.sin(0.25), 0, 0)
    errors = []
    for dt in (2e-3, 1e-3):
        model = pendulum((0.02, 0.02, 0.01), 0.0, limits=lw.Cone(0.5), position=start, velocity=(0, 3.0, 0))
        run = lw.simulate(model, until=5.0, method=kind(dt=dt))
        angles = swing(run["ball.position"])
        assert abs(angles - 0.5).max() < 1e-6
        errors.append(abs(run.energy["total"] / run.energy["total"][0] - 1.0).max())
    assert errors[1] < 2e-5
    assert errors[1] < 0.6 * errors[0]


@both
def test_the_torque_of_a_cone_is_that_of_the_weight(kind: Any) -> None:
    """Leaning on a cone of 0.5 rad about an axis 30 degrees off the vertical: m g l sin of what is left."""
    model = lw.Model("lean")
    bob = model.body("bob", mass=2.0, inertia=(0.02, 0.02, 0.01), com=(0, 0, -1.0))
    tilted = (-math.sin(1.2), 0, -math.cos(1.2))
    model.ball("ball", "ground", bob, frame_a=lw.Frame.along(tilted), frame_b=lw.Frame.along((0, 0, -1)),
               limits=lw.Cone(0.5), position=(1, 0, 0, 0), damping=3.0)  # fmt: skip
    run = lw.simulate(model, until=12.0, method=kind(dt=2e-3))
    assert swing(run["ball.position"])[-1] == pytest.approx(0.5, abs=1e-6)
    assert run["ball.stop_force"][-1] == pytest.approx([-2.0 * G * math.sin(1.2 - 0.5), 0, 0], rel=1e-5)


@both
def test_twist_is_kept(kind: Any) -> None:
    limits = lw.Cone(0.5, twist=(-0.1, 0.3))
    run = lw.simulate(pendulum(limits=limits, velocity=(1, 2, 4)), until=5.0, method=kind(dt=1e-3))
    q = run["ball.position"]
    assert swing(q).max() < 0.5 + 1e-6
    assert 0.2999 < twist(q).max() < 0.3 + 1e-6
    assert twist(q).min() > -0.1 - 1e-6
    assert run["ball.stop_force.twist"].min() < -1.0


@both
def test_a_whole_turn_is_kept(kind: Any) -> None:
    """Of a body that is as heavy about all axes; a slender one, whose spin about its own axis a blow changes by far
    more than its swing, is beyond its bound by less than 1e-3 rad for some steps after the blow.
    """
    limits = lw.Cone(turn=0.4)
    run = lw.simulate(pendulum((1, 1, 2), limits=limits, velocity=(1, 2, 4)), until=5.0, method=kind(dt=1e-3))
    assert 0.3999 < turn(run["ball.position"]).max() < 0.4 + 1e-5
    assert run["ball.stop_force.turn"].min() < -1.0
    assert run.energy["total"].max() < run.energy["total"][0] + 2e-3 * run.energy["kinetic"][0]
    run = lw.simulate(pendulum(limits=limits, velocity=(1, 2, 4)), until=5.0, method=kind(dt=1e-3))
    assert 0.3999 < turn(run["ball.position"]).max() < 0.4 + 1e-3


@both
def test_a_cone_of_a_joint_that_closes_a_loop(kind: Any) -> None:
    """A swing on two ropes of rods; the ball that closes it has a cone and friction."""
    model = lw.Model("swing")
    for name, place, com in (("left", (0, 0, 0), (0, 0, -0.5)), ("right", (1, 0, 0), (0, 0, -0.5))):
        model.body(name, mass=1.0, inertia=(0.01, 0.01, 0.01), com=com, position=place)
    model.body("seat", mass=1.0, inertia=(0.01, 0.1, 0.1), com=(0.5, 0, 0), position=(0, 0, -1))
    model.ball("p1", "ground", "left", at=(0, 0, 0), velocity=(0, 3, 0), friction=0.1)
    model.ball("p2", "ground", "right", at=(1, 0, 0))
    model.ball("p3", "left", "seat", at=(0, 0, -1))
    cone = lw.Cone(0.3, twist=0.25)
    model.ball("p4", "right", "seat", at=(1, 0, -1), axis=(0, 0, -1), limits=cone, cut=True, friction=0.05)
    run = lw.simulate(model, until=5.0, method=kind(dt=1e-3))
    assert 0.2999 < swing(run["p4.position"]).max() < 0.3 + 1e-6
    assert run["p4.stop_force.swing"].min() < -10.0
    assert np.diff(run.energy["total"]).max() < 1e-6


@both
def test_a_universal_joint_has_a_cone(kind: Any) -> None:
    model = lw.Model("cardan")
    bob = model.body("bob", mass=1.0, inertia=(0.01, 0.02, 0.01), com=(0, 0, -1))
    axes = ((1, 0, 0), (0, 1, 0))
    model.universal("cross", "ground", bob, at=(0, 0, 0), axis=axes, limits=lw.Cone(0.5), velocity=(2, 3))
    run = lw.simulate(model, until=3.0, method=kind(dt=1e-3))
    first, second = run["cross.position"].T
    assert 0.4999 < np.arccos(np.cos(first) * np.cos(second)).max() < 0.5 + 1e-6


@both
def test_friction_stops_a_spin(kind: Any) -> None:
    """|w| = 3 rad/s about an odd axis stops after I w / T = 0.5 s: the torque has one length in every direction."""
    model = lw.Model("spin", gravity=(0, 0, 0))
    body = model.body("body", mass=1.0, inertia=(0.05, 0.05, 0.05))
    model.ball("ball", "ground", body, at=(0, 0, 0), friction=0.3, velocity=(1, 2, 2))
    run = lw.simulate(model, until=0.7, method=kind(dt=1e-3))
    speed = np.linalg.norm(run["ball.velocity"], axis=1)
    np.testing.assert_allclose(speed[:500], 3.0 - 6.0 * run.time[:500], atol=1e-9)
    assert speed[501:].max() < 1e-12
    assert run.energy["dissipated"][-1] == pytest.approx(0.5 * 0.05 * 9.0, rel=1e-9)


@both
@pytest.mark.parametrize("friction", [3.0, 2.8])
def test_friction_holds_up_to_its_torque(kind: Any, friction: float) -> None:
    """m g l sin 0.3 = 2.899 N m: held by 3 N m; by 2.8 N m it begins to move with what is left."""
    model = lw.Model("held")
    body = model.body("body", mass=1.0, inertia=(0.01, 0.01, 0.01), com=(0, 0, -1.0))
    start = (math.cos(0.15), math.sin(0.15) * 0.6, math.sin(0.15) * 0.8, 0)
    model.ball("ball", "ground", body, at=(0, 0, 0), friction=friction, position=start)
    run = lw.simulate(model, until=0.5, method=kind(dt=1e-3))
    if friction == 3.0:
        assert np.abs(run["ball.velocity"]).max() < 1e-12
    else:
        rate = np.linalg.norm(run["ball.acceleration"][1])
        assert rate == pytest.approx((G * math.sin(0.3) - 2.8) / 1.01, rel=1e-9)


@both
def test_friction_in_a_chain_of_balls_gains_nothing(kind: Any) -> None:
    """Dry friction of three balls takes energy in every step, and the ledger closes."""
    model = lw.Model("chain")
    for k in range(3):
        model.body(f"link {k}", mass=1.0, inertia=(0.1, 0.1, 0.05), com=(0, 0, -0.5), position=(0, 0, -k))
        before = "ground" if k == 0 else f"link {k - 1}"
        start: dict[str, Any] = {"friction": 0.5, "velocity": (1.0 - k, 0.5 * k, 1.0)}
        model.ball(f"ball {k}", before, f"link {k}", at=(0, 0, -k), **start)
    run = lw.simulate(model, until=10.0, method=kind(dt=1e-3))
    assert np.diff(run.energy["total"]).max() < 1e-6
    lost = run.energy["total"][0] - run.energy["total"][-1]
    assert run.energy["dissipated"][-1] == pytest.approx(lost, rel=5e-3)


def test_friction_of_a_ball_is_known_to_inverse_dynamics() -> None:
    """A spin that friction alone slows down needs no torque."""
    model = lw.Model("spin", gravity=(0, 0, 0))
    body = model.body("body", mass=1.0, inertia=(0.05, 0.05, 0.05))
    model.ball("ball", "ground", body, at=(0, 0, 0), friction=0.3, velocity=(1, 2, 2))
    run = lw.simulate(model, until=0.2, method="impulse", dt=1e-3)
    found = lw.required_forces(model, run, at=["ball"])
    assert np.abs(found["ball.effort"][1:]).max() < 1e-9


def test_wrong_cones_are_refused(refused: Any) -> None:
    with refused("Cone", "swing"):
        lw.Cone()
    with refused("Cone", "pi"):
        lw.Cone(4.0)
    with refused("Cone", "twist"):
        lw.Cone(twist=(0.3, 0.1))
    with refused("ball", "lw.Cone"):
        pendulum(limits=(-0.5, 0.5))
    with refused("ball", "swing of 0.6", "limits="):
        pendulum(limits=lw.Cone(0.5), position=(math.cos(0.3), math.sin(0.3), 0, 0))
    model = lw.Model("hinge")
    body = model.body("body", mass=1.0, inertia=(1, 1, 1))
    with refused("hinge", "revolute", "cone"):
        model.revolute("hinge", "ground", body, at=(0, 0, 0), axis=(0, 0, 1), limits=lw.Cone(0.5))


@pytest.mark.parametrize("ending", ["toml", "json"])
def test_cones_go_to_files_and_back(tmp_path: Any, ending: str) -> None:
    model = pendulum(limits=lw.Cone(0.5, twist=(-0.1, None)), friction=0.2)
    other = model.body("other", mass=1.0, inertia=(1, 1, 1))
    model.ball("second", "bob", other, at=(0, 0, -1), limits=lw.Cone(turn=0.7))
    model.write(tmp_path / f"model.{ending}")
    again, _ = lw.read(tmp_path / f"model.{ending}")
    assert again.content() == model.content()
