"""`check` reports what a model is before it runs; the certificate, what a run was."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import CLOSING, four_bar, loop_of, pendulum
from linkwork.simulation.results.columns.observe import Observer
from linkwork.simulation.results.judging.certificate import Certificate
from random_mechanisms import DEGREES, random_loops, random_tree


def test_report_of_a_four_bar() -> None:
    report = lw.check(four_bar())
    assert (report.model, report.bodies, report.joints) == ("four bar", 3, 4)
    assert report.degrees_of_freedom == 1
    assert (report.loops, report.cuts, report.rows) == (1, ["rocker"], 5)
    assert report.redundant_rows == 3
    assert list(report.redundant) == ["rocker"]
    assert len(report.redundant["rocker"]) == 3
    assert report.total_mass == pytest.approx(0.4 + 1.1 + 0.8)
    assert report.floating == []
    assert report.notes == []
    text = str(report)
    for word in ("four bar", "degrees of freedom: 1", "rocker", "2.3 kg", "3 of 5"):
        assert word in text
    assert json.loads(json.dumps(report.as_dict()))["redundant_rows"] == 3


def test_report_follows_a_forced_cut() -> None:
    report = lw.check(four_bar(cut="crank"))
    assert report.cuts == ["crank"]
    assert list(report.redundant) == ["crank"]


@pytest.mark.parametrize("kind", CLOSING)
def test_degrees_of_freedom_of_a_loop(kind: str) -> None:
    report = lw.check(loop_of(kind))
    assert report.degrees_of_freedom == 1 + DEGREES[kind]
    assert report.redundant_rows == 0


@pytest.mark.parametrize("seed", range(6))
def test_counts_of_random_mechanisms(seed: int) -> None:
    tree = random_tree(seed, 6)
    report = lw.check(tree)
    assert report.degrees_of_freedom == sum(joint.nv for joint in tree.all_joints())
    assert report.loops == 0
    loops = random_loops(seed, 8, 2)
    report = lw.check(loops)
    assert report.loops == 2
    # rows that count and degrees that are left make up what the tree had
    freedom = sum(joint.nv for joint in loops.all_joints())
    system = lw.assemble(loops)
    assert system.nv == freedom - sum(place.joint.nv for place in system.cuts)
    assert report.degrees_of_freedom == system.nv - (report.rows - report.redundant_rows)
    # and an independent count of the rank agrees
    from linkwork.simulation.starts.start import Closure

    closure = Closure(system)
    closure.at(system.q_start, system.v_start)
    assert np.linalg.matrix_rank(closure.G, tol=1e-9) == report.rows - report.redundant_rows


def test_free_bodies_and_subsystems_are_named() -> None:
    class Toy(lw.Subsystem):
        def build(self) -> None:
            self.body("stone", mass=0.5, inertia=(0.1, 0.1, 0.1))
            bar = self.body("bar", mass=1.5, inertia=(0.1, 0.1, 0.1), com=(1, 0, 0))
            self.revolute("pin", self.ground, bar, at=(0, 0, 0), axis=(0, 1, 0))

    model = lw.Model("box")
    model.add("left", Toy())
    model.add("right", Toy(), position=(1, 0, 0))
    report = lw.check(model)
    assert report.floating == ["left.stone", "right.stone"]
    assert report.degrees_of_freedom == 2 * (6 + 1)
    assert report.total_mass == 4.0
    assert (report.bodies, report.joints) == (4, 2)
    assert "left.stone" in str(report)


def test_certificate_of_a_good_run() -> None:
    model = four_bar()
    run = lw.simulate(model, until=0.5, dt=1e-3, every=5, method="recursive")
    c = run.certificate
    assert c.complete
    assert (c.method, c.integrator, c.dt, c.until, c.reached) == ("recursive", "rk4", 1e-3, 0.5, run.time[-1])
    assert (c.steps, c.evaluations) == (500, 4 * 500 + 1)
    assert (c.degrees_of_freedom, c.loops) == (1, 1)
    assert (c.rank_min, c.rank_max) == (2, 2)
    assert len(c.redundant_rows) == 3
    assert all(row.startswith("rocker: ") for row in c.redundant_rows)
    assert c.rank_history == [{"time": 0.0, "rank": 2, "redundant": c.redundant_rows}]
    assert (c.rank_changes, c.worst_quaternion) == (0, None)
    assert c.worst_drift_position == np.max(run.drift["position"])
    assert c.final_drift_velocity == run.drift["velocity"][-1]
    assert c.energy_balance_worst == np.max(np.abs(run.energy["balance"]))
    assert c.energy_scale > 0.1
    assert c.ignored == []
    assert c.settings["dt"] == 1e-3
    assert c.settings["rank_tolerance"] == lw.Recursive().rank_tolerance
    assert {"linkwork", "numpy", "kernels", "python"} <= set(c.versions)
    assert c.wall_seconds > 0
    assert len(c.lines()) == 5
    assert Certificate.from_dict(json.loads(json.dumps(c.as_dict()))) == c


def test_balance_is_what_it_says() -> None:
    run = lw.simulate(pendulum(position=1.0, damping=0.1), until=0.5, dt=1e-3)
    e = run.energy
    assert np.array_equal(e["total"], e["kinetic"] + e["potential"] + e["springs"])
    assert np.array_equal(e["balance"], e["total"] - e["total"][0] + e["dissipated"] - e["work"])
    # potential is zero where the mass is at the origin's height
    assert e["potential"] == pytest.approx(-9.81 * np.cos(run["pin.position"]), abs=1e-12)
    assert e["kinetic"] == pytest.approx(0.5 * run["pin.velocity"] ** 2, abs=1e-12)


def test_the_same_model_has_the_same_hash_and_another_has_not() -> None:
    def hash_of(model: lw.Model) -> str:
        return lw.simulate(model, until=0.01, dt=0.01).certificate.model_hash

    assert hash_of(four_bar()) == hash_of(four_bar())
    others = [four_bar(cut="crank"), four_bar((1.0, 0.4, 1.1, 0.81)), four_bar(start={"crank": {"velocity": 1e-3}})]
    assert len({hash_of(model) for model in [four_bar(), *others]}) == 4


def test_ranks_of_methods_that_ask_for_none() -> None:
    """Penalties need no rank: that of the geometry is told, at both ends. Impulses tell theirs from the first step."""
    hybrid = lw.simulate(four_bar(), until=0.1, dt=0.01, method="hybrid").certificate
    assert [(entry["time"], entry["rank"]) for entry in hybrid.rank_history] == [(0.0, 2), (0.1, 2)]
    assert hybrid.rank_history[1]["redundant"] == hybrid.redundant_rows
    assert "rank 2 at start and end, closed by the penalty" in hybrid.lines()[3]
    impulse = lw.simulate(four_bar(), until=0.1, dt=0.01, method="impulse").certificate
    assert (impulse.rank_min, impulse.rank_max, impulse.rank_changes) == (2, 2, 0)
    tree = lw.simulate(pendulum(), until=0.1, dt=0.01, method="recursive").certificate
    assert (tree.rank_min, tree.rank_max, tree.lines()[3]) == (0, 0, "loops    no loop to close; no redundant rows")


def test_quaternions_are_watched() -> None:
    """Kept at unit length by the methods; one that is put out of it is told, and refused by strict runs."""
    model = lw.Model("top")
    top = model.body("top", mass=1.0, inertia=(0.2, 0.2, 0.3), com=(0, 0, 0.1))
    model.ball("tip", "ground", top, at=(0, 0, 0), velocity=(1.0, 0.0, 30.0))
    made = lw.simulate(model, until=0.1, dt=1e-3, method="recursive").certificate
    assert made.worst_quaternion is not None
    assert 0.0 < made.worst_quaternion < 1e-15
    assert made.lines()[2].endswith("; quaternions within 2e-16")
    sim = lw.Simulation(model, "recursive", dt=1e-3)
    sim.state.y[: sim.moving.nq] *= 1.0 + 1e-4
    off = Observer(sim.moving).lengths(sim.stepper.present(), 1)
    assert off[0] == pytest.approx(1e-4)
    assert replace(made, worst_quaternion=float(off[0])).broken() == [
        "the quaternions leave unit length by 0.0001, more than 1e-06"
    ]
