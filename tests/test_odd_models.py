"""Odd but legal models: nothing to move, nothing to hold, two grounds, no gravity, extreme sizes, foreign names."""

from __future__ import annotations

import math

import numpy as np
import pytest

import linkwork as lw

ROUND = (0.1, 0.1, 0.1)
INTEGRATORS = ["semi-implicit", "rk2", "rk4", "abm4", "adaptive"]


def finite(run: lw.Trajectory) -> lw.Trajectory:
    """The run, once it is sure that nothing in it is NaN or infinite."""
    tables = {**run.columns, **run.energy, **run.drift, "time": run.time}
    assert [name for name, values in tables.items() if not np.isfinite(values).all()] == []
    assert run.stopped is None
    return run


def run(model: lw.Model, **options) -> lw.Trajectory:
    return finite(lw.simulate(model, **({"until": 0.1, "dt": 0.01} | options)))


def stone(**options) -> lw.Model:
    model = lw.Model("stone", **options)
    model.body("stone", mass=2.0, inertia=(0.1, 0.2, 0.25))
    return model


def sign() -> lw.Model:
    model = lw.Model("sign")
    model.body("sign", mass=2.0, inertia=ROUND, com=(0.5, 0, 0), position=(0, 0, 1))
    model.fixed("bracket", "ground", "sign")
    return model


def truss() -> lw.Model:
    """Two bars on two feet with one top: nothing can move."""
    model = lw.Model("truss")
    foot, end = lw.Frame(), lw.Frame((1, 0, 0))
    for name in ("left", "right"):
        model.body(name, mass=1.0, inertia=ROUND, com=(0.5, 0, 0))
    model.revolute("left foot", "ground", "left", frame_a=foot, frame_b=foot, position=1.047)
    model.revolute("right foot", "ground", "right", frame_a=end, frame_b=foot, position=2.094)
    model.revolute("top", "left", "right", frame_a=end, frame_b=end)
    return model


def pendulum(mass: float, length: float = 1.0) -> lw.Model:
    model = lw.Model("pendulum")
    model.body("rod", mass=mass, inertia=(0.1 * mass * length**2,) * 3, com=(0, 0, -length))
    model.revolute("pin", "ground", "rod", at=(0, 0, 0), axis=(0, 1, 0), position=0.5)
    return model


def four_bar(masses: tuple[float, float, float]) -> lw.Model:
    model = lw.Model("four bar")
    for name, mass in zip("abc", masses, strict=True):
        model.body(name, mass=mass, inertia=(0.1 * mass,) * 3, com=(0.5, 0, 0))
    for name, first, second, x, y in (
        ("p1", "ground", "a", 0, 0),
        ("p2", "a", "b", 1, 0),
        ("p3", "b", "c", 2, 1),
        ("p4", "ground", "c", 2, 0),
    ):
        frames = {"frame_a": lw.Frame((x, 0, 0)), "frame_b": lw.Frame((y, 0, 0))}
        start = {"position": math.pi / 2, "velocity": 1.0} if name == "p1" else {}
        model.revolute(name, first, second, **frames, **start)
    return model


def test_a_body_alone_falls():
    report = lw.check(stone())
    assert report.degrees_of_freedom == 6
    assert report.floating == ["stone"]
    fall = run(stone())
    assert fall["stone.position"][-1] == pytest.approx([0, 0, -9.81 * 0.1**2 / 2], abs=1e-14)


def test_without_gravity_it_stays():
    still = run(stone(gravity=(0, 0, 0)))
    assert np.abs(still["stone.position"]).max() == 0.0
    assert still.certificate.energy_balance_worst == 0.0


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_body_that_only_hangs(integrator):
    assert lw.check(sign()).degrees_of_freedom == 0
    hanging = run(sign(), integrator=integrator)
    assert hanging["sign.position"][-1].tolist() == [0, 0, 1]
    # the bracket carries the weight, with its lever
    assert hanging["bracket.reaction"][-1] == pytest.approx([0, 0, 2 * 9.81, 0, -2 * 9.81 * 0.5, 0], abs=1e-12)


def test_nothing_to_move_in_numbers():
    system = lw.assemble(sign())
    assert (system.nq, system.nv) == (0, 0)
    assert lw.forward_dynamics(system, [], []).shape == (0,)
    assert lw.inverse_dynamics(system, [], [], []).shape == (0,)
    assert lw.mass_matrix(system, []).shape == (0, 0)
    assert lw.jacobian(system, [], "sign").shape == (6, 0)
    assert lw.forward_kinematics(system, [])["sign"][0].tolist() == [0, 0, 1]
    sim = lw.Simulation(sign(), dt=0.01)
    sim.step(7)
    assert sim.time == pytest.approx(0.07)


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_a_truss_stands(integrator):
    report = lw.check(truss())
    assert report.degrees_of_freedom == 0
    assert report.notes, "the rounded start positions were moved a little"
    standing = run(truss(), integrator=integrator)
    assert standing.drift["position"].max() < 1e-12
    assert np.ptp(standing["left foot.position"]) < 1e-12
    assert standing["left foot.position"][0] == pytest.approx(math.pi / 3)


def test_welds_in_a_ring():
    model = lw.Model("ring")
    for name in ("a", "b"):
        model.body(name, mass=1.0, inertia=0)
    for name, ends in {"one": ("ground", "a"), "two": ("a", "b"), "three": ("ground", "b")}.items():
        model.fixed(name, *ends)
    assert lw.check(model).redundant_rows == 6
    assert "rank 0 throughout; 6 redundant rows" in str(run(model).certificate)


def test_two_grounds():
    model = lw.Model("two grounds")
    table = model.moving_ground("table", lw.Motion(position=(lw.Cosine(0.01, 5.0), 0, 0)), position=(1, 0, 0))
    for name, ground in (("box", table), ("puck", model.ground)):
        model.body(name, mass=1.0, inertia=ROUND)
        model.prismatic(f"rail of {name}", ground, name, axis=(1, 0, 0), stiffness=100.0)
    both = run(model, dt=1e-3)
    assert lw.check(model).degrees_of_freedom == 2
    assert np.ptp(both["box.position"][:, 0]) > 1e-3
    assert np.ptp(both["puck.position"][:, 0]) < 1e-15
    assert both.certificate.energy_balance_relative < 1e-6


def test_only_a_moving_ground_moves():
    model = lw.Model("ship")
    deck = model.moving_ground("deck", lw.Motion(position=(0, 0, lambda t: 0.1 * math.sin(t))))
    model.body("crate", mass=3.0, inertia=ROUND)
    model.fixed("lashing", deck, "crate")
    assert lw.check(model).degrees_of_freedom == 0
    heave = run(model, until=1.0)
    assert heave["crate.position"][:, 2] == pytest.approx(0.1 * np.sin(heave.time), abs=1e-12)
    assert heave["lashing.reaction"][5:, 2] == pytest.approx(3 * (9.81 - 0.1 * np.sin(heave.time[5:])), abs=1e-6)


def test_two_hundred_bodies():
    model = lw.Model("long chain")
    before = model.ground
    for k in range(200):
        link = model.body(f"link {k}", mass=1.0, inertia=ROUND, com=(0.5, 0, 0))
        at_end = lw.Frame((1.0 if k else 0.0, 0, 0))
        model.ball(f"joint {k}", before, link, frame_a=at_end, frame_b=lw.Frame())
        before = link
    assert lw.check(model).degrees_of_freedom == 600
    assert run(model, until=0.02, dt=1e-3, record="link 199.*").certificate.energy_balance_relative < 1e-9


def test_an_ideal_rod_swings_but_does_not_spin():
    def rod(kind: str, **options) -> lw.Model:
        model = lw.Model("rod")
        model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.0), com=(0, 0, -0.5))
        getattr(model, kind)("pin", "ground", "rod", at=(0, 0, 0), **options)
        return model

    assert run(rod("revolute", axis=(0, 1, 0), velocity=1.0)).certificate.energy_balance_relative < 1e-6
    assert run(rod("universal", axis=((1, 0, 0), (0, 1, 0)), velocity=(1.0, 0.5))).stopped is None
    for spins in (rod("revolute", axis=(0, 0, 1)), rod("ball")):
        with pytest.raises(lw.ModelError, match="'pin': body 'rod' beyond it has no inertia"):
            lw.check(spins)


@pytest.mark.parametrize("mass", [1e-6, 1e6])
def test_the_mass_of_a_pendulum_does_not_matter(mass):
    swing, usual = run(pendulum(mass)), run(pendulum(1.0))
    assert swing["pin.position"] == pytest.approx(usual["pin.position"], rel=1e-12)
    assert swing.certificate.energy_balance_relative < 1e-7


@pytest.mark.parametrize("length", [1e-3, 1e3])
def test_small_and_large_pendulums_are_alike(length):
    """Time goes with the root of the length."""
    step = 0.01 * math.sqrt(length)
    swing, usual = run(pendulum(1.0, length), until=10 * step, dt=step), run(pendulum(1.0))
    assert swing["pin.position"] == pytest.approx(usual["pin.position"], rel=1e-9)


@pytest.mark.parametrize("masses", [(1e-6, 1e-6, 1e-6), (1e6, 1e6, 1e6), (1e6, 1e-6, 1e6), (1e-6, 1e6, 1e-6)])
def test_loops_of_light_and_heavy_links(masses):
    turned = run(four_bar(masses), dt=1e-3)
    assert turned.drift["position"].max() < 1e-9
    assert turned.certificate.energy_balance_relative < 1e-8


def test_names_in_any_language(tmp_path):
    model = lw.Model("Schwingprüfstand № 7")
    model.body("linker Träger", mass=1.0, inertia=ROUND, com=(0, 0, -1))
    model.revolute("关节 [1]", "ground", "linker Träger", at=(0, 0, 0), axis=(0, 1, 0), position=0.3)
    swing = run(model, record=["关节 [1].position", "*Träger.*"])
    assert swing["关节 [1].position"][0] == 0.3
    assert lw.check(model).lines()[0] == "Schwingprüfstand № 7: 1 body, 1 joint, 1 kg"
    swing.save(tmp_path / "läuft.npz")
    assert lw.load_run(tmp_path / "läuft.npz") == swing
    swing.save(tmp_path / "läuft.csv")
    assert "关节 [1].position [rad]" in (tmp_path / "läuft.csv").read_text(encoding="utf-8").splitlines()[0]
