"""Joints attached and released in motion: momenta are kept, what is lost is what impulses cost, the ledger closes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import four_bar
from known_methods import EXPLICIT, IMPLICIT
from linkwork.simulation.methods import ALL
from measured import body_states, distance, fitted_order, momenta

WAYS: dict[str, dict[str, Any]] = {name: {"method": name, "dt": 5e-3} for name in EXPLICIT}
WAYS["component in joints"] = {"method": "component", "coordinates": "joint", "dt": 5e-3}
WAYS["hybrid"] = {"method": "hybrid", "dt": 1e-3}
WAYS["global"] = {"method": "global", "dt": 1e-3}
WAYS["semi-recursive"] = {"method": "semi-recursive", "dt": 1e-3}
KINDS: dict[str, dict[str, Any]] = {
    "fixed": {},
    "ball": {"at": (0.9, 0.2, 0.1)},
    "revolute": {"at": (0.5, 0, 0), "axis": (1, 1, 0)},
    "universal": {"at": (0.8, 0.1, 0), "axis": ((1, 0, 0), (0, 0, 1))},
    "prismatic": {"axis": (0, 1, 2)},
    "cylindrical": {"at": (0.5, 0.1, 0.2), "axis": (0, 1, 2)},
    "screw": {"at": (0.5, 0.1, 0.2), "axis": (0, 1, 2), "pitch": 0.3},
    "planar": {"at": (0.5, 0.1, 0.2), "axis": (1, 0, 2)},
}


def two_in_flight() -> lw.Model:
    model = lw.Model("two", gravity=(0, 0, 0))
    model.body("a", mass=2.0, inertia=(0.1, 0.2, 0.15), com=(0.1, 0, 0))
    model.body("b", mass=3.0, inertia=(0.3, 0.2, 0.25), position=(2.0, 0.3, 0))
    model.free("throw a", "ground", "a", velocity=(1.0, 0.2, 0, 0.3, 0.1, -0.2))
    model.free("throw b", "ground", "b", velocity=(-1.0, 0, 0.1, 0, 0.5, 0.4))
    return model


def docked(kind: str, way: dict[str, Any]) -> tuple[lw.Model, lw.Trajectory]:
    model = two_in_flight()
    model.attach("a", "b", kind, name="dock", time=0.2137, **KINDS[kind])  # inside a step
    model.release("dock", time=0.4)
    return model, lw.simulate(model, until=0.6, **way)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", ["fixed", "ball"])
def test_momenta_are_kept(kind: str, way: str) -> None:
    model, run = docked(kind, WAYS[way])
    tolerance = 10 * WAYS[way]["dt"] ** 2 if way in IMPLICIT else 1e-10
    assert np.ptp(momenta(run, model), axis=0).max() < tolerance
    assert np.abs(run.energy["balance"]).max() < tolerance
    assert run.energy["impacts"][-1] == run.events[0].energy > 1.0
    assert np.diff(run.energy["impacts"]).min() >= 0.0


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_joint(kind: str) -> None:
    """The impulse is what changes the momenta of each body, and costs half its product with the rates of the gap."""
    model = two_in_flight()
    sim = lw.Simulation(model, "recursive", dt=5e-3)
    sim.step(40)
    before = {body.name: _motion(sim, body) for body in model.all_bodies()}
    change = sim.attach("a", "b", kind, **KINDS[kind])
    p, n = np.split(np.array(change.impulse), 2)
    point = np.array(KINDS[kind].get("at", sim["b.position"]))
    rates = {}
    for name, sign in (("a", -1.0), ("b", 1.0)):
        mass, c, u, spin, w = before[name]
        _, _, u_after, spin_after, _ = _motion(sim, model[name])
        assert mass * (u_after - u) == pytest.approx(sign * p, abs=1e-13)
        assert spin_after - spin == pytest.approx(sign * (n + np.cross(point - c, p)), abs=1e-13)
        rates[name] = np.concatenate([u + np.cross(w, point - c), w])
    assert change.energy == pytest.approx(-0.5 * np.concatenate([p, n]) @ (rates["b"] - rates["a"]), rel=1e-12)
    assert change.energy > 0.01


def _motion(sim: lw.Simulation, body: lw.Body) -> tuple[Any, ...]:
    """Mass; centre of mass, its velocity, angular momentum about it, angular velocity now."""
    R = lw.Frame(rotation=sim[f"{body.path}.rotation"]).matrix
    w = sim[f"{body.path}.angular_velocity"]
    velocity = sim[f"{body.path}.velocity"] + np.cross(w, R @ body.com)
    return body.mass, sim[f"{body.path}.position"] + R @ body.com, velocity, R @ body.inertia @ R.T @ w, w


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_a_joint_that_comes_and_goes(kind: str) -> None:
    _, run = docked(kind, WAYS["recursive"])
    assert np.isfinite(np.hstack([run[name].reshape(len(run), -1) for name in run.names])).all()
    held = (run.time > 0.2137) & (run.time < 0.4 - 1e-9)
    assert not run["dock.reaction"][~held].any()
    assert run["dock.reaction"][held].any(axis=1).all()
    for name in ("dock.velocity", "dock.acceleration"):
        if kind != "fixed":
            assert not run[name][~held].any()
            assert run[name][held].any()
    # balls keep a rotation
    if kind == "ball":
        assert np.linalg.norm(run["dock.position"], axis=1) == pytest.approx(np.ones(len(run)))
    assert run.drift["position"].max() < 1e-14
    assert run.certificate.energy_balance_relative < 1e-9


def test_reduced_mass() -> None:
    """Two bodies that meet centre to centre and stick lose half the reduced mass times the square of their speed."""
    model = lw.Model("two", gravity=(0, 0, 0))
    for name, mass, x, speed in (("a", 2.0, 0.0, 3.0), ("b", 5.0, 1.0, -1.0)):
        model.body(name, mass=mass, inertia=(0.1, 0.2, 0.3), position=(x, 0, 0))
        model.free(f"throw {name}", "ground", name, velocity=(speed, 0, 0, 0, 0, 0))
    model.attach("a", "b", "fixed", when=lambda sim: sim["a.position"][0] > sim["b.position"][0] - 0.2, within=1e-9)
    run = lw.simulate(model, until=0.5, dt=0.01, method="recursive")
    (event,) = run.events
    assert event.joint == "a to b"
    assert event.time == pytest.approx(0.2, abs=1e-9)
    assert event.energy == pytest.approx(0.5 * (2.0 * 5.0 / 7.0) * 4.0**2, rel=1e-13)
    assert event.impulse == pytest.approx([10.0 / 7.0 * 4.0, 0, 0, 0, 0, 0], abs=1e-13)
    assert run["b.velocity"][-1] == pytest.approx([1.0 / 7.0, 0, 0], abs=1e-13)


@pytest.mark.parametrize("way", WAYS)
def test_a_swinging_rod_caught_at_its_end(way: str) -> None:
    """The peg gets I w / L, the pin the rest; all energy of the motion is lost; let go, it swings again."""
    model = lw.Model("rod")
    model.body("rod", mass=1.2, inertia=(0.1, 0.1, 0.01), com=(0, 0, -0.5))
    model.revolute("pin", "ground", "rod", at=(0, 0, 0), axis=(0, 1, 0), position=1.0)
    model.attach("ground", "rod", "ball", name="peg", time=0.3, frame_b=lw.Frame((0, 0, -1.0)))
    model.release("peg", time=0.5)
    run = lw.simulate(model, until=0.7, **WAYS[way])
    step = WAYS[way]["dt"]
    k = round(0.3 / step)
    moment = 0.1 + 1.2 * 0.25
    free = lw.simulate(_without_events(model), until=0.3, **WAYS[way])
    speed, angle = free["pin.velocity"][-1], free["pin.position"][-1]
    event = run.events[0]
    # against the motion of the tip, which is along (-cos, 0, sin) of the angle; along the rod pin and peg share freely
    across = np.array([np.cos(angle), 0, -np.sin(angle)])
    assert across @ event.impulse[:3] == pytest.approx(moment * speed, rel=1e-6)
    assert event.energy == pytest.approx(0.5 * moment * speed**2, rel=1e-6)
    assert abs(run["pin.velocity"][k]) < 1e-9
    assert np.ptp(run["pin.position"][k : round(0.5 / step)]) < 1e-9
    assert run["pin.velocity"][-1] * (run["pin.position"][-1] - angle) > 0
    assert np.abs(run.energy["balance"]).max() < (1e-5 if way in IMPLICIT else 1e-8)


def _without_events(model: lw.Model) -> lw.Model:
    model.events.clear()
    return model


def double_pendulum() -> lw.Model:
    model = lw.Model("double")
    model.body("upper", mass=1.0, inertia=(0.1, 0.1, 0.02), com=(0, 0, -0.5))
    model.body("lower", mass=0.7, inertia=(0.05, 0.06, 0.02), com=(0.1, 0, -0.4), position=(0, 0, -1.0))
    model.revolute("shoulder", "ground", "upper", at=(0, 0, 0), axis=(0, 1, 0), position=1.0, velocity=2.0)
    model.universal("elbow", "upper", "lower", at=(0, 0, -1), axis=((1, 0, 0), (0, 1, 0)), velocity=(0.5, 3.0))
    return model


@pytest.mark.parametrize("way", WAYS)
def test_a_released_limb_flies_on(way: str) -> None:
    """From the release on, the two are a pendulum and a stone with the same motion."""
    model = double_pendulum()
    model.torque("drive", "elbow", 0.4, coordinate=1)
    model.release("elbow", time=0.3)
    run = lw.simulate(model, until=0.6, **WAYS[way])
    k = round(0.3 / WAYS[way]["dt"])
    stone = lw.Model("apart")
    for name in ("upper", "lower"):
        body = model[name]
        stone.body(name, mass=body.mass, inertia=body.inertia, com=body.com)
    pose = [*run["lower.position"][k], *run["lower.rotation"][k]]
    twist = [*run["lower.velocity"][k], *run["lower.angular_velocity"][k]]
    start = {"position": run["shoulder.position"][k], "velocity": run["shoulder.velocity"][k]}
    stone.revolute("shoulder", "ground", "upper", at=(0, 0, 0), axis=(0, 1, 0), **start)
    stone.free("throw", "ground", "lower", position=pose, velocity=twist)
    apart = lw.simulate(stone, until=0.3, **WAYS[way])
    assert distance(run, apart, model) < 1e-9
    assert not run["elbow.reaction"][k:].any()
    assert run["elbow.reaction"][k - 1].any()
    assert np.abs(run.energy["balance"]).max() < (1e-4 if way in IMPLICIT else 1e-7)
    assert run.events[0].energy == 0.0


@pytest.mark.parametrize("joint", ["crank", "coupler", "rocker", "foot"])
def test_any_hinge_of_a_loop_can_be_opened(joint: str) -> None:
    """Of the tree or not: joint coordinates go on as absolute ones do."""
    runs = []
    for way in ("recursive", "absolute", "hybrid"):
        model = four_bar(start={"crank": {"velocity": 3.0}})
        model.release(joint, time=0.2)
        runs.append(lw.simulate(model, until=0.4, **{**WAYS[way], "dt": 1e-3}))
    assert np.abs(body_states(runs[0], model) - body_states(runs[1], model)).max() < 1e-9
    assert np.abs(body_states(runs[0], model) - body_states(runs[2], model)).max() < 2e-4
    for run in runs[:2]:
        assert run.certificate.energy_balance_relative < 1e-9
        assert run.drift["position"].max() < 1e-12


def test_hybrid_tends_to_recursive_at_second_order() -> None:
    def swung(**options: Any) -> lw.Trajectory:
        model = double_pendulum()
        model.attach("ground", "lower", "ball", name="catch", time=0.2, frame_b=lw.Frame((0, 0, -0.8)))
        model.release("catch", time=0.5)
        return lw.simulate(model, until=0.8, **options)

    exact = swung(method="recursive", dt=1e-3)
    assert exact.certificate.energy_balance_relative < 1e-9
    steps = (0.01, 0.005, 0.0025)
    errors = [distance(swung(method="hybrid", dt=dt), exact, double_pendulum()) for dt in steps]
    assert errors[-1] < 1e-3
    assert fitted_order(steps, errors) > 1.8


@pytest.mark.parametrize("way", [way for way in WAYS if "moving grounds" in ALL[WAYS[way]["method"]].supports])
def test_a_box_gripped_by_a_moving_table(way: str) -> None:
    """The table's motion does not give way: it puts in p . u, half of which is lost where the box was at rest."""
    model = lw.Model("table", gravity=(0, 0, 0))
    table = model.moving_ground("table", lw.Motion(position=(lw.Cosine(0.1, frequency=2.0), 0, 0)))
    model.body("box", mass=3.0, inertia=(0.1, 0.1, 0.1))
    model.attach(table, "box", "fixed", name="grip", time=0.1)
    run = lw.simulate(model, until=0.5, **WAYS[way])
    k = round(0.1 / WAYS[way]["dt"])
    speed = -0.1 * 4.0 * np.pi * np.sin(0.4 * np.pi)
    assert run["box.velocity"][k] == pytest.approx([speed, 0, 0], abs=1e-9)
    assert run.events[0].impulse == pytest.approx([3.0 * speed, 0, 0, 0, 0, 0], abs=1e-9)
    assert run.events[0].energy == pytest.approx(1.5 * speed**2, rel=1e-9)
    assert run.energy["work"][k] == pytest.approx(3.0 * speed**2, rel=1e-9)
    assert run.certificate.energy_balance_relative < (4.0 * np.pi * WAYS[way]["dt"]) ** (2 if way in IMPLICIT else 4)


def test_more_joints_than_needed() -> None:
    """A second weld beside the first gets no impulse, and the loads are shared; a weld against a hinge stops it."""
    model = lw.Model("welded")
    model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), com=(0, 0, -0.5))
    model.revolute("pin", "ground", "rod", at=(0, 0, 0), axis=(0, 1, 0), position=1.0)
    model.attach("ground", "rod", "fixed", name="first", time=0.2)
    model.attach("ground", "rod", "fixed", name="second", time=0.3)
    run = lw.simulate(model, until=0.4, dt=0.01, method="recursive")
    first, second = run.events
    assert first.energy > 0.1
    assert second.energy < 1e-25
    weight = run["pin.reaction"] + run["first.reaction"] + run["second.reaction"]
    assert weight[-1, :3] == pytest.approx([0, 0, 9.81], abs=1e-9)
    assert run["second.reaction"][-1].any()


def test_springs_in_joints_come_and_go() -> None:
    """A joint with a tensioned spring brings its energy along, and a torque in it acts while it holds."""
    model = lw.Model("door", gravity=(0, 0, 0))
    model.body("door", mass=1.0, inertia=(0.1, 0.1, 0.2))
    hinge = model.attach(
        "ground", "door", "revolute", name="hinge", time=0.1, at=(0.3, 0, 0), axis=(0, 0, 1), stiffness=8.0, rest=0.5
    )
    model.torque("motor", hinge, 0.7)
    model.torsion_spring("closer", hinge, stiffness=2.0, damping=0.3)
    model.release(hinge, time=0.5)
    run = lw.simulate(model, until=0.6, dt=1e-3, method="recursive")
    k, end = 100, 500
    assert run.energy["springs"][k] == pytest.approx(0.5 * 8.0 * 0.5**2)
    assert run.energy["work"][k] == pytest.approx(1.0)
    moment = 0.2 + 0.3**2
    assert run["hinge.acceleration"][k] == pytest.approx((8.0 * 0.5 + 0.7) / moment)
    assert not run.energy["springs"][end:].any()
    assert run.energy["dissipated"][end] > 1e-3
    assert np.abs(run.energy["balance"]).max() < 1e-9
    assert np.ptp(run["door.velocity"][end:], axis=0).max() < 1e-12


def test_a_chain_closed_and_opened_again() -> None:
    """Loops that are there already take part in the impulse; all methods agree."""
    states = []
    for way in WAYS.values():
        model = four_bar(start={"crank": {"velocity": 3.0}})
        model.body("hammer", mass=0.5, inertia=(0.01, 0.02, 0.01), position=(0.2, 0.0, 1.5))
        model.free("fall", "ground", "hammer", velocity=(0, 0, -1, 0, 2, 0))
        model.attach("coupler bar", "hammer", "ball", name="hook", time=0.15, at=(0.3, 0, 0.5))
        model.release("hook", time=0.3)
        run = lw.simulate(model, until=0.4, **way)
        assert np.abs(run.energy["balance"]).max() < (1e-6 if way["method"] in EXPLICIT else 2e-3)
        assert run.events[0].energy > 0.1
        states.append(body_states(run, model)[-1])
    for state, way in zip(states, WAYS.values(), strict=True):
        assert np.abs(state - states[0]).max() < (1e-6 if way["method"] in EXPLICIT else 1e-3)
