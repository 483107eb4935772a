"""A consistent start: given values are held, others follow on the same branch, contradictions are refused by name."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import CLOSING, again, four_bar, loop_of
from random_mechanisms import random_loops

GAP = 1e-11  # m or rad: what counts as closed


def values(sim: lw.Simulation) -> dict[str, float]:
    """Start positions of one-coordinate joints, cut or not."""
    found = {place.name: sim.start.q[place.q] for place in sim.system.joints}
    found |= {place.name: sim.start.cut_q[place.q] for place in sim.system.cuts}
    return {name: float(value[0]) for name, value in found.items() if value.size == 1}


def rates(sim: lw.Simulation) -> dict[str, float]:
    """Start velocities of one-coordinate joints, cut or not."""
    run_rates = {place.name: sim.start.v[place.v] for place in sim.system.joints}
    run_rates |= {place.name: sim.state.cut_rate[place.v] for place in sim.system.cuts}
    return {name: float(value[0]) for name, value in run_rates.items() if value.size == 1}


def started(**start: dict[str, Any]) -> lw.Simulation:
    return lw.Simulation(four_bar(start=start), dt=1e-3)


def refused(model: lw.Model, *words: str) -> str:
    with pytest.raises(lw.ModelError) as caught:
        lw.Simulation(model)
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message, message
    return message


@pytest.mark.parametrize("hinge", ["crank", "coupler", "rocker", "foot"])
def test_a_given_value_is_held_and_the_others_follow(hinge: str) -> None:
    """Also where the hinge is the one that closes the loop."""
    exact = values(started(crank={"position": 0.4}))
    found = values(started(**{hinge: {"position": exact[hinge]}}))
    assert found[hinge] == pytest.approx(exact[hinge], abs=GAP)
    assert found == pytest.approx(exact, abs=100 * GAP)
    assert "rocker" in started().system.cut_names


def test_nothing_given_nothing_moves() -> None:
    sim = started()
    assert sim.start.q == pytest.approx(np.zeros(3), abs=GAP)
    assert sim.start.v == pytest.approx(np.zeros(3), abs=1e-15)
    assert sim.start.moved == []


@pytest.mark.parametrize("branch", [1.0, -1.0])
def test_the_branch_is_kept(branch: float) -> None:
    """The rocker's end stays above, or below, the diagonal from the crank's tip to the foot."""
    for turned in (-0.8, -0.3, 0.5, 1.1):
        model = four_bar(start={"crank": {"position": turned}}, branch=branch)
        run = lw.simulate(model, until=1e-3, dt=1e-3)
        tip = run["coupler bar.position"][0]
        w, _, y, _ = run["rocker bar.rotation"][0]
        x, z = w * w - y * y, -2 * w * y  # where the rocker's own x points, turned about y
        far = np.array([1.0, 0, 0]) + 0.8 * np.array([x, 0, z])
        diagonal = np.array([1.0, 0, 0]) - tip
        side = diagonal[0] * (far - tip)[2] - diagonal[2] * (far - tip)[0]
        assert side * branch > 0
        assert np.linalg.norm(far - tip) == pytest.approx(1.1, abs=1e-10)


@pytest.mark.parametrize("kind", [kind for kind in CLOSING if kind != "fixed"])
def test_start_values_taken_over_from_a_run(kind: str) -> None:
    """All positions and velocities of a run's last row, given to every joint, tree and cut, start the run again."""
    model = loop_of(kind)
    first = lw.simulate(model, until=0.2, dt=2e-3)
    start = {
        name: {"position": first[f"{name}.position"][-1], "velocity": first[f"{name}.velocity"][-1]}
        for name in model.joints
        if f"{name}.position" in first
    }
    for cut in ("joint 0", "joint 3"):
        second = lw.simulate(again(model, cuts=(cut,), start=start), until=2e-3, dt=2e-3)
        # values of the cut were measured before the last correction: off by the drift of one step
        for name in first.names:
            size = np.max(np.abs(first[name]), initial=1.0)
            assert np.max(np.abs(second[name][0] - first[name][-1])) < 1e-6 * size, name
        assert second.certificate.worst_drift_position < 1e-12


def test_start_velocities_follow_too() -> None:
    exact = rates(started(crank={"position": 0.4, "velocity": 2.0}))
    for hinge in ("crank", "coupler", "rocker", "foot"):
        sim = started(
            **{"crank": {"position": 0.4}, hinge: {"velocity": exact[hinge]}}
            | ({"crank": {"position": 0.4, "velocity": exact["crank"]}} if hinge == "crank" else {})
        )
        assert rates(sim) == pytest.approx(exact, rel=1e-10)
    # and they are rates of the positions: differences along the one motion there is
    h = 1e-5
    ahead, back = (values(started(crank={"position": 0.4 + s * h})) for s in (1, -1))
    for name, rate in exact.items():
        assert (ahead[name] - back[name]) / (2 * h) * 2.0 == pytest.approx(rate, abs=1e-6)


def test_moving_grounds_set_the_others_in_motion() -> None:
    model = four_bar()
    table = model.moving_ground("table", lw.Motion(position=(lw.Cosine(0.1, frequency=1.0, phase=-np.pi / 2), 0, 0)))
    model.body("slider", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1))
    model.prismatic("rail", "ground", "slider", axis=(1, 0, 0))
    model.ball("a", table, "rod", at=(0, 1, 0))
    model.ball("b", "rod", "slider", at=(0.5, 1, 0))
    run = lw.simulate(model, until=1e-3, dt=1e-3)
    # at the start the table goes at 0.1 * 2 pi m/s, and the rod passes that on along its own line, x
    assert run["rail.velocity"][0] == pytest.approx(0.1 * 2 * np.pi, rel=1e-10)
    assert run.drift["velocity"][0] < 1e-12


def test_rounded_values_are_moved_and_told() -> None:
    """Written down with three digits, start values do not fit exactly: they move by as much, and the report says so."""
    exact = values(started(crank={"position": 0.4}))
    for given in (("crank", "coupler"), ("crank", "foot"), ("crank", "coupler", "foot"), ("crank", "rocker")):
        start = {name: {"position": round(exact[name], 3)} for name in given}
        sim = started(**start)
        found = values(sim)
        for name in given:
            assert abs(found[name] - exact[name]) < 3e-3
        assert set(sim.start.moved) <= set(given)
        assert "crank" in sim.start.moved
        note = lw.check(four_bar(start=start)).notes[0]
        assert "rounded" in note
        assert "crank" in note


def test_rounded_velocities_are_moved_and_told() -> None:
    exact = rates(started(crank={"position": 0.4, "velocity": 2.0}))
    start = {"crank": {"position": 0.4, "velocity": 2.0}, "foot": {"velocity": round(exact["foot"], 3)}}
    sim = started(**start)
    for name, rate in rates(sim).items():
        assert abs(rate - exact[name]) < 3e-3
    assert any("velocity" in name for name in sim.start.moved)


def test_contradictory_positions_are_refused_by_name() -> None:
    refused(four_bar(start={"crank": {"position": 0.5}, "foot": {"position": -0.9}}), "'crank'", "'foot'", "contradict")
    refused(four_bar(start={"crank": {"position": 0.5}, "rocker": {"position": -0.9}}), "'crank'", "'rocker'")


def test_contradictory_velocities_are_refused_by_name() -> None:
    for other in ("foot", "rocker"):
        start = {"crank": {"position": 0.5, "velocity": 2.0}, other: {"velocity": -7.0}}
        refused(four_bar(start=start), "velocit", "'crank'", f"'{other}'")


def test_a_value_out_of_reach_is_refused() -> None:
    """A rocker goes to and fro within limits of geometry."""
    refused(four_bar(start={"foot": {"position": 2.5}}), "'foot'")
    refused(four_bar(start={"rocker": {"position": 3.0}}), "'rocker'")


def test_a_loop_that_cannot_close_is_refused_with_its_gap() -> None:
    """Two rods of half a metre between feet three metres apart: two metres stay open, whatever they do."""
    model = lw.Model("too short")
    for name in ("left", "right"):
        model.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1))
    y = lw.Frame.along((0, 1, 0), (0, 0, 0))
    far = lw.Frame.along((0, 1, 0), (0.5, 0, 0))
    model.revolute("left foot", "ground", "left", frame_a=y, frame_b=y)
    model.revolute("right foot", "ground", "right", frame_a=lw.Frame.along((0, 1, 0), (3, 0, 0)), frame_b=y)
    model.revolute("top", "left", "right", frame_a=far, frame_b=far)
    message = refused(model, "'top'", "'left foot'", "close")
    gap = float(re.search(r"([\d.]+) m", message)[1])
    assert 2.0 <= gap < 2.1  # where the search gave up, near the smallest gap


def test_a_loop_with_crossed_axes_is_refused_in_radians() -> None:
    model = lw.Model("crossed")
    model.body("bar", mass=1.0, inertia=(0.1, 0.1, 0.1))
    x, z = lw.Frame.along((1, 0, 0), (0, 0, 0)), lw.Frame()
    model.prismatic("rail", "ground", "bar", frame_a=z, frame_b=z)
    model.prismatic("other", "ground", "bar", frame_a=x, frame_b=z)
    assert "rad" in refused(model, "'other'", "'rail'")


@pytest.mark.parametrize("start", [{"position": 1.0}, {}])
def test_far_from_closed_is_closed(start: dict[str, Any]) -> None:
    """Said with local frames, the four-bar starts stretched out along a line, and still finds its way.

    Without an angle it is flat, where no hinge can be seen to close the gap.
    """
    model = lw.Model("stretched")
    y = lw.Frame.along((0, -1, 0), (0, 0, 0))
    lengths = {"crank": 0.4, "coupler": 1.1, "rocker": 0.8}
    for name, length in lengths.items():
        model.body(name, mass=length, inertia=(0.01, length / 10, length / 10), com=(length / 2, 0, 0))
    end = {name: lw.Frame.along((0, -1, 0), (length, 0, 0)) for name, length in lengths.items()}
    model.revolute("a", "ground", "crank", frame_a=y, frame_b=y, **start)
    model.revolute("b", "crank", "coupler", frame_a=end["crank"], frame_b=y)
    model.revolute("c", "coupler", "rocker", frame_a=end["coupler"], frame_b=end["rocker"])
    model.revolute("d", "ground", "rocker", frame_a=lw.Frame.along((0, -1, 0), (1, 0, 0)), frame_b=y)
    run = lw.simulate(model, until=0.5, dt=1e-3)
    assert run.certificate.worst_drift_position < 1e-12
    if start:
        assert run["a.position"][0] == 1.0
    # the same start every time
    again_run = lw.simulate(model, until=1e-3, dt=1e-3)
    assert again_run["a.position"][0] == run["a.position"][0]


@pytest.mark.parametrize("seed", range(8))
def test_random_loops_start_closed_and_at_rest(seed: int) -> None:
    model = random_loops(seed, 8, 2)
    run = lw.simulate(model, until=1e-3, dt=1e-3)
    assert run.drift["position"][0] < 1e-11
    assert run.energy["kinetic"][0] == 0.0
