"""The balance of energy is judged part by part: a large flow in one must not hide what is wrong in a small one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw
from linkwork.simulation.results.judging.part_tally import PartTally

METHODS = [
    *("recursive", "component", "absolute", "hybrid", "semi-recursive", "global"),
    *("impulse", "maximal"),
]
each = pytest.mark.parametrize("method", METHODS)


def works() -> lw.Model:
    """A flywheel with 45 kJ beside a double pendulum of 0.2 kg."""
    model = lw.Model("works")
    model.body("flywheel", mass=2e4, inertia=(1.5e3, 1.5e3, 2.5e3))
    model.revolute("shaft", "ground", "flywheel", at=(0, 0, 0), axis=(0, 0, 1), velocity=6.0)
    for k, (name, other) in enumerate((("rod", "ground"), ("bob", "rod"))):
        model.body(name, mass=0.1, inertia=np.full(3, 1e-4), position=(3.05 + 0.1 * k, 0, 0))
        model.revolute(f"pin {k}", other, name, at=(3.0 + 0.1 * k, 0, 0), axis=(0, 1, 0))
    return model


@pytest.mark.filterwarnings("ignore::linkwork.RunWarning")
@each
def test_a_small_mechanism_at_too_large_a_step_beside_a_large_flow(method: str) -> None:
    run = lw.simulate(works(), method=method, dt=0.02, until=6.0)
    certificate = run.certificate
    assert certificate.energy_balance_relative < 1e-2
    assert certificate.energy_part > 1e-2
    assert certificate.energy_part_bodies == ["rod", "bob"]
    told = [doubt for doubt in certificate.doubts() if "the part with 'rod', 'bob'" in doubt]
    assert len(told) == 1
    assert "'rod', 'bob'" in certificate.lines()[1]


@each
def test_parts_that_are_well_are_in_no_doubt(method: str) -> None:
    run = lw.simulate(works(), method=method, dt=5e-4, until=1.0)
    assert run.certificate.energy_part < 5e-3
    assert run.certificate.doubts() == []


def shop(method: str) -> lw.Model:
    """Parts with all that wastes energy or feeds it in: each must get its own, and nothing of the others'."""
    model = lw.Model("shop")
    places = iter(range(20))

    def pendulum(name: str, ground: Any = "ground", axis: tuple[int, int, int] = (0, 1, 0), **options: Any) -> Any:
        x = 2.0 * next(places)
        model.body(name, mass=1.0, inertia=(0.02, 0.02, 0.02), position=(x + 0.3, 0, 0))
        return model.revolute(f"pin of {name}", ground, name, at=(x, 0, 0), axis=axis, **options)

    pendulum("plain")
    pendulum("damped", damping=0.3)
    model.torque("push", pendulum("pushed"), lw.Cosine(2.0, frequency=0.5))
    pendulum("sprung")
    model.spring("spring", "ground", "sprung", at_a=(6, 0, 1), stiffness=40.0, damping=2.0, length=0.5)
    model.motor("drive", pendulum("driven"), position=lw.Cosine(0.4, frequency=0.5, offset=-0.4))
    pendulum("first wheel")
    pendulum("second wheel")
    model.gear("gear", "pin of first wheel", "pin of second wheel", ratio=-2.0)
    shaker = model.moving_ground("shaker", lw.Motion(position=(0, 0, lw.Cosine(0.1, frequency=1.0))))
    pendulum("shaken", shaker)
    pendulum("on the same", shaker)
    model.body("kite", mass=0.5, inertia=(0.02, 0.02, 0.02), position=(0, 5, 0))
    model.free("flight", "ground", "kite", velocity=(0, 0, 3, 1, 2, 3))
    model.force("wind", "kite", lw.Cosine(2.0, frequency=1.0), axis=(0, 1, 0))
    return model


@each
def test_each_part_has_its_own_account(method: str) -> None:
    run = lw.simulate(shop(method), method=method, dt=1e-3, until=1.0)
    assert run.certificate.energy_part < (1e-2 if method in ("impulse", "maximal") else 1e-4)
    # none is named where no part is off by more than its falls explain
    assert (run.certificate.energy_part_bodies != []) == (run.certificate.energy_part > 0.0)


both = pytest.mark.parametrize("method", ["impulse", "maximal"])


@both
@pytest.mark.parametrize("apart", [0.5, 0.19])
def test_what_meets_is_one_part_from_then_on(method: str, apart: float) -> None:
    """One ball stops and gives all its energy to the other; where they overlap at first they are moved apart."""
    model, material = lw.Model("billiards"), lw.Material(friction=0.2, restitution=1.0)
    for k in range(2):
        model.body(f"ball {k}", mass=1.0, shape=lw.Sphere(0.1), position=(apart * k, 0, 1), material=material)
        model.free(f"flight {k}", "ground", f"ball {k}", velocity=(2.0 - 2.0 * k, 0, 0, 0, 0, 0))
    model.body("flywheel", mass=1e3, inertia=(50, 50, 50))
    model.revolute("shaft", "ground", "flywheel", at=(0, 0, -5), axis=(0, 0, 1), velocity=2.0)
    run = lw.simulate(model, until=0.5, method=method, dt=1e-3)
    assert run["ball 1.velocity"][-1, 0] > 1.9
    assert run.certificate.energy_part < 1e-2
    assert run.certificate.doubts() == []


def three() -> lw.System:
    """Three parts, of which two have one body."""
    model = lw.Model("three")
    for k, (name, other) in enumerate((("a", "ground"), ("b", "ground"), ("c", "b"), ("d", "ground"))):
        model.body(name, mass=1.0, inertia=(1, 1, 1))
        model.revolute(f"pin {k}", other, name, at=(k, 0, 0), axis=(0, 1, 0))
    return lw.assemble(model)


def rows(*kinetic: tuple[float, float, float]) -> np.ndarray:
    """Accounts of three parts with nothing but kinetic energy, of which all is their own."""
    found = np.zeros((len(kinetic), 3, 6))
    found[:, :, 0] = found[:, :, 5] = kinetic
    return found


def test_parts_are_found_and_told_apart() -> None:
    system = three()
    assert system.tables.tree.accounts == 6
    tally = PartTally(system, 0.0)
    tally.add(np.array([0.0, 1.0]), rows((1e6, 1.0, 2.0), (1e6 + 10.0, 1.2, 2.0)), None, 0.0)
    worst = tally.judge(0.0)["balance"]
    assert worst.bodies == ("b", "c")
    assert worst.relative == pytest.approx(0.2 / 1.2)


def test_energy_that_passes_between_parts_that_have_met_is_nothing() -> None:
    tally, losses = PartTally(three(), 0.0), np.zeros((3, 3))
    tally.add(np.array([0.0]), rows((5.0, 1.0, 2.0)), (np.array([0, 1, 2]), losses), 0.0)
    tally.add(np.array([1.0, 2.0]), rows((5.0, 2.0, 1.0), (5.0, 3.0, 0.0)), (np.array([0, 1, 1]), losses), 0.0)
    assert tally.judge(0.0)["balance"].relative == 0.0
    losses[1, 2] = 0.3
    tally.add(np.array([3.0]), rows((5.0, 3.0, 0.0)), (np.array([0, 1, 1]), losses), 0.0)
    found = tally.judge(0.0)
    assert found["rolling"].relative == pytest.approx(0.1)
    assert found["rolling"].bodies == ("b", "c", "d")
    assert found["seam"].relative == 0.0


def test_another_structure_begins_anew() -> None:
    system = three()
    tally = PartTally(system, 0.0)
    tally.add(np.array([0.0, 1.0]), rows((1.0, 1.0, 1.0), (1.0, 1.5, 1.0)), None, 0.0)
    tally.judge(0.0)
    tally.restart(system)
    tally.add(np.array([1.0, 2.0]), rows((1.0, 9.0, 1.0), (1.0, 9.0, 1.0)), None, 0.0)
    assert tally.judge(0.0)["balance"].relative == pytest.approx(0.5 / 1.5)


@each
def test_events_change_no_account(method: str) -> None:
    """A joint that is attached on the way joins two parts."""
    model = lw.Model("catch")
    for k in range(2):
        model.body(f"bob {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(k + 0.3, 0, 0))
        model.revolute(f"pin {k}", "ground", f"bob {k}", at=(k, 0, 0), axis=(0, 1, 0), damping=0.1)
    model.body("third", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(1.5, 0, 0))
    model.free("flight", "ground", "third")
    model.attach("bob 1", "third", "fixed", name="glue", time=0.3)
    run = lw.simulate(model, until=1.0, method=method, dt=1e-3)
    assert run.events[0].joint == "glue"
    assert run.certificate.energy_part < 5e-3


@both
def test_a_body_thrown_up_is_in_no_doubt(method: str) -> None:
    """Velocities are half a step ahead: on the way down as much of weight times way is missing as was up."""
    model = lw.Model("thrown")
    for k in range(2):
        model.body(f"stone {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(k, 0, 0))
        model.free(f"flight {k}", "ground", f"stone {k}", velocity=(0, 0, 1.0, 0, 0, 0))
    run = lw.simulate(model, until=0.204, method=method, dt=4e-3)
    assert run.certificate.energy_part < 5e-3
    assert run.certificate.doubts() == []


def two_rods() -> lw.Model:
    """A double pendulum that starts level."""
    model, before = lw.Model("two rods"), "ground"
    for k in range(2):
        model.body(f"rod {k}", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0.5 * k + 0.25, 0, 0))
        model.revolute(f"pin {k}", before, f"rod {k}", at=(0.5 * k, 0, 0), axis=(0, 1, 0))
        before = f"rod {k}"
    return model


@both
def test_the_energy_that_is_judged_is_of_one_moment(method: str) -> None:
    """So what is left of its balance is of second order in the step, though velocities are behind positions."""
    left = [lw.simulate(two_rods(), until=1.0, method=method, dt=dt).certificate.energy_left for dt in (2e-3, 1e-3)]
    assert left[0] > 3.0 * left[1] > 0.0


@both
def test_what_is_thrown_keeps_its_energy_exactly(method: str) -> None:
    model = lw.Model("thrown")
    model.body("stone", mass=1.0, inertia=(0.1, 0.2, 0.3), com=(0.1, 0, 0.2))
    model.free("flight", "ground", "stone", velocity=(1.0, 0, 3.0, 0.1, 0.2, 0.3))
    certificate = lw.simulate(model, until=0.6, method=method, dt=0.05).certificate
    assert certificate.energy_offset > 0.05 * certificate.energy_scale
    assert certificate.energy_left < 1e-3 * certificate.energy_scale


def test_what_joints_hold_together_falls_down_and_gains_nothing() -> None:
    """Two capsules with a hinge, thrown with a spin: a blow changes at what rates the forces of the tree are taken."""
    half, material = np.sqrt(0.5), lw.Material(restitution=0.0)
    for seed in range(8):
        model, rng = lw.Model("arm"), np.random.default_rng(seed)
        model.plane("floor", material=material)
        for k, name in enumerate(("a", "b")):
            place = {"position": (0.5 * k, 0, 0.5), "rotation": (half, 0, half, 0)}
            model.body(name, mass=1.0, shape=lw.Capsule(0.05, 0.4), material=material, **place)
        model.free("throw", "ground", "a", velocity=(0, 0, -1.0, *(4.0 * rng.normal(size=3))))
        model.revolute("pin", "a", "b", at=(0.25, 0, 0.5), axis=(0, 1, 0), velocity=5.0 * rng.normal())
        run = lw.simulate(model, until=1.0, method="impulse", dt=2e-3)
        assert abs(run.energy["balance"][-1]) < 5e-3 * run.certificate.energy_scale
