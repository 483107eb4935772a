"""Reactions of machines with more constraints than they need: what is unique, and least values for the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import four_bar, loop_of
from linkwork.model.joints.joint_kinds import KINDS
from linkwork.simulation.analysis.reactions import SEEN, Stress
from linkwork.simulation.starts.start import Closure, absolute_start, consistent_start
from random_mechanisms import random_loops

G = 9.81


def door(order: tuple[str, ...] = ("lower", "upper")) -> lw.Model:
    """A door of 20 kg on two hinges, 1.6 m apart; `order` in which they are told."""
    model = lw.Model("door")
    leaf = model.body("leaf", mass=20.0, shape=lw.Box((0.8, 0.04, 2.0)), position=(0.4, 0, 0))
    for name in order:
        model.revolute(name, model.ground, leaf, at=(0, 0, -0.8 if name == "lower" else 0.8), axis=(0, 0, 1))
    return model


@pytest.mark.parametrize("method", ["recursive", "absolute"])
@pytest.mark.parametrize("order", [("lower", "upper"), ("upper", "lower")])
def test_a_door_on_two_hinges(order: tuple[str, ...], method: str) -> None:
    """By hand: 2 f^2 + 2 (n / L)^2 is least under L f + 2 n = m g w, so that f = m g w / 5 L and n = 2 m g w / 5."""
    sim = lw.Simulation(door(order), method, dt=1e-3)
    sim.step(10)
    found = sim.reactions()
    assert found.redundant == 5
    for name, sign in (("lower", 1.0), ("upper", -1.0)):
        force, torque, unique, shared = found[name]
        assert force == pytest.approx([sign * 20 * G * 0.4 / 5 / 1.6, 0, 20 * G / 2], abs=1e-9)
        assert torque == pytest.approx([0, -2 * 20 * G * 0.4 / 5, 0], abs=1e-9)
        assert (unique, shared) == ([], list(KINDS["revolute"].carries))
    # the method by itself gave all to one of them
    assert abs(sim["lower.reaction"][2] - sim["upper.reaction"][2]) == pytest.approx(20 * G)


def hung(feet: int) -> lw.Model:
    """A beam hung on parallel cranks, symmetric about its middle, at rest."""
    model = lw.Model("hung")
    model.body("beam", mass=6.0, inertia=(0.1, 1.0, 1.0), position=(0, 0, -1))
    for k, x in enumerate(np.linspace(-1, 1, feet)):
        model.body(f"crank {k}", mass=0.5, inertia=(0.02, 0.02, 0.01), com=(0, 0, -0.5), position=(x, 0, 0))
        model.revolute(f"foot {k}", "ground", f"crank {k}", at=(x, 0, 0), axis=(0, 1, 0))
        model.revolute(f"head {k}", f"crank {k}", "beam", at=(x, 0, -1), axis=(0, 1, 0))
    return model


def test_a_parallelogram_with_a_bar_too_many() -> None:
    """Three cranks carry a third each; of two cranks the forces in the plane are unique, of three they are not."""
    two, three = lw.Simulation(hung(2)).reactions(), lw.Simulation(hung(3)).reactions()
    assert (two.redundant, three.redundant) == (3, 7)
    for name in two:
        assert two[name].unique == ["force x", "force y"]  # z is the axis
        assert two[name].shared == ["force z", "torque x", "torque y"]
    for k in range(3):
        assert three[f"head {k}"].force == pytest.approx([0, 0, 6.0 * G / 3], abs=1e-9)
        assert three[f"foot {k}"].force == pytest.approx([0, 0, 6.0 * G / 3 + 0.5 * G], abs=1e-9)
        assert len(three[f"head {k}"].unique) < 2
    assert three["foot 0"].force == pytest.approx(three["foot 2"].force, abs=1e-9)


def test_an_arm_leaves_no_choice() -> None:
    model = lw.gallery.manipulator.build()
    run = lw.simulate(model, until=0.1, dt=1e-3, method="recursive")
    found = lw.reactions(model, run)
    assert found.unique
    for name in found:
        assert found[name].shared == []
        assert [*found[name].force, *found[name].torque] == run[f"{name}.reaction"][-1].tolist()
    assert lw.check(model).shared_reactions == {}


@pytest.mark.parametrize(
    "make",
    [door, four_bar, lambda: loop_of("prismatic"), lambda: random_loops(1, loops=2), lw.gallery.kuka.build],
    ids=["door", "four-bar", "ring", "random", "kuka"],
)
def test_a_second_route(make: Any) -> None:
    """Every joint a constraint between free bodies: the same states of stress, and the same joints open."""
    model = make()
    system, absolute = lw.assemble(model), lw.assemble(model, absolute=True)
    start = consistent_start(system)
    stress = Stress(system, start.q, start.cut_q)
    y, cut_q = absolute_start(system, start, absolute)
    closure = Closure(absolute)
    closure.cut_q[:] = cut_q
    closure.at(y[: absolute.nq], np.zeros(absolute.nv))
    U, sizes, _ = np.linalg.svd(closure.G)
    mu = U[:, int(np.sum(sizes > 1e-9 * sizes[0])) :]
    assert stress.redundant == mu.shape[1]
    names = [place.name for place in stress.places]
    for place in absolute.cuts:
        rows = slice(*absolute.tables.cuts.cut_row[place.last : place.last + 2])
        wrenches = closure.W[rows].T @ mu[rows]
        part = stress.basis[6 * names.index(place.name) :][:6]
        if place.kind != "free":
            assert (np.linalg.norm(wrenches) > SEEN) == (np.linalg.norm(part) > SEEN)
            assert np.linalg.matrix_rank(wrenches, 1e-9) == np.linalg.matrix_rank(part, 1e-9)


@pytest.mark.parametrize("make", [lw.gallery.car.build, lw.gallery.double_four_bar.build])
def test_the_methods_agree_and_bodies_are_in_balance(make: Any) -> None:
    """Reactions differ from method to method; the least of them do not, and they move every body as it moves."""
    model = make()
    found, ways = [], ("recursive", "absolute", "hybrid")
    for method in ways:
        sim = lw.Simulation(model, method, dt=1e-4)
        sim.step(20)
        found.append(sim.reactions())
        if method == "recursive":
            momentum = balance(sim, found[0])
            assert momentum < 1e-9
    for name in found[0]:
        size = 1.0 + np.abs(found[0][name].force).max()
        assert found[1][name].force == pytest.approx(found[0][name].force, abs=1e-6 * size)
        assert found[2][name].force == pytest.approx(found[0][name].force, abs=1e-3 * size)


def balance(sim: lw.Simulation, found: lw.Reactions) -> float:
    """Change of what the joints give a body together, against what the method's own reactions give, N."""
    worst = 0.0
    joints = {joint.path: joint for joint in sim.system.model.all_joints()}
    for body in sim.system.model.all_bodies():
        force, own = np.zeros(3), np.zeros(3)
        for name, reaction in found.items():
            sign = (joints[name].b is body) - (joints[name].a is body)
            force += sign * reaction.force
            own += sign * sim[f"{name}.reaction"][:3] if joints[name].kind != "free" else 0.0
        worst = max(worst, float(np.abs(force - own).max()) / (1.0 + float(np.abs(own).max())))
    return worst


def test_check_tells() -> None:
    report = lw.check(four_bar())
    assert set(report.shared_reactions) == {"crank", "coupler", "rocker", "foot"}
    assert "force z, torque x, torque y: " in str(report)
    assert lw.check(lw.gallery.pendulum.build()).shared_reactions == {}


def test_refusals() -> None:
    model = door()
    run = lw.simulate(model, until=0.01, dt=1e-3, method="recursive", record="*.position")
    with pytest.raises(lw.OptionError, match=r"has no column 'lower.reaction'"):
        lw.reactions(model, run)
    with pytest.raises(lw.OptionError, match="time must be a finite number"):
        lw.reactions(model, run, float("nan"))
    with pytest.raises(lw.OptionError, match="there is no joint 'lowest' here"):
        lw.Simulation(model).reactions()["lowest"]
