"""Method global: second order towards recursive in motion and reactions, for every joint, force and ground."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import CLOSING, four_bar, loop_of, pendulum
from linkwork.gallery import andrews, car, chain, double_four_bar, engine, kuka, manipulator, n_four_bar, peaucellier
from measured import momenta
from random_mechanisms import ALL, random_loops, random_tree


def gap(run: lw.Trajectory, exact: lw.Trajectory, model: lw.Model) -> float:
    """Largest difference of the bodies' poses at the times of `run`."""
    stride = round((len(exact) - 1) / (len(run) - 1))
    worst = 0.0
    for body in model.all_bodies():
        x, e = exact[f"{body.path}.position"][::stride], exact[f"{body.path}.rotation"][::stride]
        sign = np.sign(np.sum(e * run[f"{body.path}.rotation"], axis=1))[:, None]
        worst = max(worst, np.abs(run[f"{body.path}.position"] - x).max())
        worst = max(worst, np.abs(sign * run[f"{body.path}.rotation"] - e).max())
    return worst


def load_gap(run: lw.Trajectory, exact: lw.Trajectory, model: lw.Model) -> float:
    """The same for reactions, each measured by the largest of its joint."""
    stride = round((len(exact) - 1) / (len(run) - 1))
    worst = 0.0
    for joint in model.all_joints():
        if joint.kind != "free":
            wanted = exact[f"{joint.path}.reaction"][::stride]
            off = np.abs(run[f"{joint.path}.reaction"] - wanted).max()
            worst = max(worst, off / max(1.0, np.abs(wanted).max()))
    return worst


def converges(
    model: lw.Model, until: float = 0.2, dt: float = 1e-2, loads: bool = True, most: float = 1e-3
) -> list[lw.Trajectory]:
    """Runs at dt and dt / 2, of which the second is four times nearer to recursive; loads too where they are unique."""
    exact = lw.simulate(model, until=until, dt=dt / 4, method="recursive")
    runs = [lw.simulate(model, until=until, method=lw.Global(dt=h, tolerance=1e-10)) for h in (dt, dt / 2)]
    errors = [gap(run, exact, model) for run in runs]
    assert errors[0] < most
    assert errors[1] < 1e-11 or 3.5 < errors[0] / errors[1] < 4.5
    if loads:
        errors = [load_gap(run, exact, model) for run in runs]
        assert errors[1] < 1e-6 or 3.0 < errors[0] / errors[1] < 5.0
    return runs


# --- the same motion and the same loads as recursive


@pytest.mark.parametrize("kind", CLOSING)
def test_a_loop_around_every_joint(kind: str) -> None:
    run = converges(loop_of(kind))[1]
    assert run.certificate.worst_drift_position < 1e-10
    assert run.certificate.worst_drift_velocity < 1e-6


@pytest.mark.parametrize("kind", ALL)
def test_trees_of_every_joint(kind: str) -> None:
    converges(random_tree(1, 3, (kind,)))


@pytest.mark.parametrize("seed", range(4))
def test_random_trees(seed: int) -> None:
    converges(random_tree(seed, 6))


@pytest.mark.parametrize("seed", range(6))
def test_random_loops(seed: int) -> None:
    model = random_loops(seed, 6 + seed % 4, 1 + seed % 3)
    unique = lw.check(model).redundant_rows == 0
    run = converges(model, loads=unique)[1]
    assert run.certificate.worst_drift_position < 1e-10


@pytest.mark.parametrize(
    ("piece", "until", "dt"),
    [(car, 0.3, 4e-3), (chain, 0.2, 4e-3), (manipulator, 0.1, 4e-3), (engine, 0.05, 2e-3), (andrews, 0.01, 4e-5)],
    ids=lambda piece: getattr(piece, "__name__", "").removeprefix("linkwork.gallery."),
)
def test_gallery(piece: Any, until: float, dt: float) -> None:
    """Springs, dampers, driven joints, subsystems; engine and squeezer have redundant rows."""
    converges(piece.build(), until, dt, loads=piece not in (engine, andrews))


def test_in_the_plane_loads_are_unique() -> None:
    """Peaucellier's hinges share out what acts across the plane in many ways, what acts in it in one."""
    model = peaucellier.build()
    exact = lw.simulate(model, until=0.2, dt=2e-3, method="recursive")
    run = lw.simulate(model, until=0.2, method=lw.Global(dt=2e-3, tolerance=1e-10))
    weight = {"ground": np.zeros(6)}
    for joint in model.all_joints():
        found, wanted = run[f"{joint.path}.reaction"], exact[f"{joint.path}.reaction"]
        assert found[:, [0, 1]] == pytest.approx(wanted[:, [0, 1]], abs=1e-4 * np.abs(wanted).max())
        # what the joints do to each body holds its weight
        for body, sign in ((joint.b, 1.0), (joint.a, -1.0)):
            weight[body.path] = weight.get(body.path, np.zeros(6)) + sign * found[-1]
    for body in model.all_bodies():
        assert weight[body.path][2] == pytest.approx(9.81 * body.mass, rel=1e-9)


# --- forces and grounds


def shaken() -> lw.Model:
    model = lw.Model("shaken")
    wave = lw.Motion(
        position=(lw.Cosine(0.1, frequency=1.0), 0, lw.Cosine(0.05, frequency=2.0)),
        axis=(0, 1, 0),
        angle=lw.Cosine(0.3, frequency=0.7),
    )
    table = model.moving_ground("table", wave)
    arm = model.body("arm", mass=1.0, inertia=(0.1, 0.2, 0.15), com=(0.1, 0, -0.5))
    tip = model.body("tip", mass=2.0, inertia=(0.1, 0.2, 0.15), com=(0, 0.1, -0.5), position=(0, 0, -1))
    cart = model.body("cart", mass=0.5, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0))
    model.revolute("hinge", table, arm, at=(0, 0, 0), axis=(0, 1, 0))
    model.universal("cross", arm, tip, at=(0, 0, -1), axis=((1, 0, 0), (0, 1, 0)))
    model.prismatic("rail", table, cart, at=(0.5, 0, 0), axis=(1, 0, 0.3))
    model.spring("cord", table, cart, stiffness=100, damping=1, length=0.5)
    model.spring("band", cart, tip, stiffness=50, damping=1, length=0.5)
    return model


def test_moving_grounds() -> None:
    """Given nodes move, and what they put in is in the ledger."""
    runs = converges(shaken(), until=0.4, most=2e-3)
    assert np.ptp(runs[1].energy["work"]) > 1.0
    balance = [run.certificate.energy_balance_worst for run in runs]
    assert 3.0 < balance[0] / balance[1] < 5.0


def held(t, x, e, v, w):
    return (0.0, 0.0, -200.0 * x[2] - 5.0 * v[2])


def straightened(t, x, e, v, w):
    return (-30.0 * e[1] - w[0], -30.0 * e[2] - w[1], -30.0 * e[3] - w[2])


def pushed() -> lw.Model:
    """All that can push: coils, dampers, laws of joints, laws told of their body, forces in body axes, a gyroscope."""
    model = lw.Model("pushed")
    arm = model.body("arm", mass=1.0, inertia=(0.1, 0.2, 0.15), com=(0.1, 0, -0.5))
    tip = model.body("tip", mass=2.0, inertia=(0.1, 0.2, 0.15), com=(0, 0.1, -0.5), position=(0, 0, -1))
    disc = model.body("disc", mass=1.0, inertia=(0.1, 0.2, 0.25), position=(1, 0, 0))
    model.revolute("hinge", model.ground, arm, at=(0, 0, 0), axis=(0, 1, 0), damping=0.3, stiffness=5)
    model.ball("socket", arm, tip, at=(0, 0, -1), damping=0.2)
    model.torsion_spring("coil", "hinge", stiffness=3, damping=0.1, angle=0.4)
    model.torque("drive", "hinge", lw.Cosine(2.0, frequency=2.0))
    model.torque("servo", "hinge", lambda t, q, v: -20 * q - 2 * v)
    model.force("hold", disc, held, at=(0.1, 0, 0))
    model.torque("straighten", disc, straightened)
    model.force("jet", tip, (1.0, 2.0, 3.0), at=(0, 0, 0.1), frame="body")
    model.gyroscope("top", arm, axis=(1, 0, 0), momentum=0.3)
    model.distance("string", disc, tip, at_a=(0, 0.1, 0), at_b=(0, 0, -0.6))
    return model


def test_forces() -> None:
    runs = converges(pushed(), until=0.3)
    balance = [run.certificate.energy_balance_worst for run in runs]
    assert 3.0 < balance[0] / balance[1] < 5.0


def block(**joint: Any) -> lw.Model:
    model = lw.Model("block")
    model.body("block", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.3))
    model.prismatic("guide", "ground", "block", axis=(0, 0, 1), at=(0, 0, 0.3), **joint)
    return model


def stiff_law(t, x, e, v, w):
    return (0.0, 0.0, -1e8 * (x[2] - 0.3) - 1e4 * v[2])


def stiff_servo(t, q, v):
    return -1e8 * q - 1e4 * v


@pytest.mark.parametrize("how", ["spring", "coil", "servo", "law"])
def test_stiffness_with_a_large_step(how: str) -> None:
    """A mass on 1e8 N/m and a damper, said in four ways: at steps of 10 ms it swings about where it would rest."""
    model = block(stiffness=1e8, damping=1e4) if how == "coil" else block()
    if how == "spring":
        model.spring("spring", "ground", "block", stiffness=1e8, damping=1e4, length=0.3)
    elif how == "servo":
        model.torque("servo", "guide", stiff_servo)
    elif how == "law":
        model.force("law", "block", stiff_law)
    run = lw.simulate(model, until=0.5, method="global", dt=0.01)
    assert np.abs(run["guide.position"]).max() < 2.1 * 9.81e-8
    assert np.mean(run["guide.position"][10:]) == pytest.approx(-9.81e-8, rel=0.05)
    assert run.certificate.evaluations / run.certificate.steps < 4.0


def test_a_wheel_on_its_tyre() -> None:
    """It rolls and slips sideways: load, side force and aligning torque, whose slopes are found by differences."""
    model = lw.Model("wheel")
    wheel = model.body("wheel", mass=300.0, inertia=(6.0, 10.0, 6.0), position=(0, 0, 0.298))
    speed = (5.0, 0.3, 0, 0, 5.0 / 0.3, 0)
    model.free("flight", "ground", wheel, position=(0, 0, 0.298, 1, 0, 0, 0), velocity=speed)
    model.tyre("tyre", wheel, radius=0.3, stiffness=2e5, damping=2e3, axis=(0, 1, 0), side=lw.Calspan())
    run = converges(model, until=0.2, dt=4e-3)[1]
    assert run["tyre.load"].max() > 300 * 9.81
    assert np.abs(run["wheel.velocity"][-1, 1]) < 0.1
    # where the side force would throw an explicit step about: 24 kN s/m on 30 kg
    light = lw.Model("light")
    wheel = light.body("wheel", mass=30.0, inertia=(0.6, 1.0, 0.6), position=(0, 0, 0.298))
    light.planar("steer", "ground", wheel, axis=(1, 0, 0), at=(0, 0, 0.298), velocity=(0.3, 0, 0))
    light.tyre("tyre", wheel, radius=0.3, stiffness=2e5, damping=2e3, axis=(0, 1, 0), side=lw.Calspan())
    run = lw.simulate(light, until=0.5, method="global", dt=1e-2)
    assert np.abs(run["wheel.velocity"][-1]).max() < 1e-2


# --- redundant rows, singular positions


def bricard() -> lw.Model:
    """Five bars and the ground along the edges of a cube, six hinges, each across its two bars: it moves though the
    count of rows says it cannot."""
    corners = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
    axes = [(0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0)]
    model = lw.Model("bricard")
    bodies: list[Any] = [model.ground]
    for k in range(5):
        p, q = np.array(corners[k], float), np.array(corners[k + 1], float)
        inertia = (np.eye(3) - np.outer(q - p, q - p)) / 12 + 1e-4 * np.eye(3)
        bodies.append(model.body(f"bar {k}", mass=1.0, inertia=inertia, position=(p + q) / 2))
    bodies.append(model.ground)
    for k in range(6):
        model.revolute(f"hinge {k}", bodies[k], bodies[k + 1], at=corners[k], axis=axes[k])
    return model


def test_bricard() -> None:
    model = bricard()
    report = lw.check(model)
    assert (report.degrees_of_freedom, report.redundant_rows) == (1, 1)
    run = converges(model, until=0.5, dt=5e-3, loads=False)[1]
    assert run.certificate.energy_balance_relative < 1e-3
    assert run.certificate.worst_drift_position < 1e-10
    # reactions do not creep along what is redundant
    long = lw.simulate(model, until=5.0, method="global", dt=5e-3)
    peaks = [np.abs(long[f"hinge {k}.reaction"]).max() for k in range(6)]
    first = [np.abs(run[f"hinge {k}.reaction"]).max() for k in range(6)]
    assert max(peaks) < 10 * max(first)


def test_a_hundred_redundant_rows() -> None:
    run = converges(kuka.build(), until=0.02, dt=2e-3, loads=False)[1]
    assert len(run.certificate.redundant_rows) == 109


def test_singular_positions_with_a_tight_tolerance() -> None:
    """Near the singular positions multipliers settle slowly; with few iterations such steps are halved, held harder."""
    model = n_four_bar.build(n=10)
    sim = lw.Simulation(model, method=lw.Global(dt=2.5e-3, tolerance=1e-9, iterations=4))
    sim.step(1600)
    assert sim.state.count[2] > 0
    reference = lw.simulate(model, until=4.0, dt=2.5e-3, method="recursive", every=1600)
    assert sim["crank 0.rotation"] == pytest.approx(reference["crank 0.rotation"][-1], abs=2e-3)


def test_forty_windows() -> None:
    """IFToMM A02 with N = 40, its measure: how far the energy strays in 10 s. Second order, at seven times hybrid's."""
    errors = []
    for dt in (0.01, 0.005):
        run = lw.simulate(n_four_bar.build(), until=10.0, method="global", dt=dt, every=2, record=["crank 0.*"])
        errors.append(np.abs(run.energy["total"] - run.energy["total"][0]).max())
    assert 1.0 < errors[0] < 2.0
    assert 3.0 < errors[0] / errors[1] < 6.0


# --- laws


def test_a_free_body_keeps_its_momenta() -> None:
    model = lw.Model("stone", gravity=(0, 0, 0))
    model.body("stone", mass=2.0, inertia=(0.3, 0.2, 0.12), com=(0.1, 0.2, -0.1))
    model.free("throw", "ground", "stone", velocity=(1.0, 2.0, 3.0, 1.0, -2.0, 3.0))
    off = []
    for dt in (1e-2, 5e-3):
        run = lw.simulate(model, until=1.0, method="global", dt=dt)
        found = momenta(run, model)
        assert np.ptp(found[:, :3], axis=0).max() < 1e-9
        off.append(np.ptp(found[:, 3:], axis=0).max())
    assert 3.0 < off[0] / off[1] < 5.0


def test_what_is_recorded_does_not_touch_the_motion() -> None:
    model = random_loops(3, 8, 2)
    model.spring("cord", "ground", "body 1", stiffness=10.0, damping=0.5)
    every = lw.simulate(model, until=0.21, method="global", dt=5e-3)
    thin = lw.simulate(model, until=0.21, method="global", dt=5e-3, every=7, record=["body 2.*", "joint 3.reaction"])
    for name in thin.names:
        assert thin[name].tobytes() == every[name][::7].tobytes(), name


def test_point_masses() -> None:
    """A bob needs no inertia of its own here: its pin gives it a direction, not a turn."""
    model = pendulum(position=1.0)
    exact = lw.simulate(model, until=1.0, dt=1e-3, method="recursive")
    run = lw.simulate(model, until=1.0, dt=1e-3, method="global")
    assert run["pin.position"] == pytest.approx(exact["pin.position"], abs=1e-5)
    assert run["pin.reaction"] == pytest.approx(exact["pin.reaction"], abs=1e-3)


def test_inputs_take_effect_with_the_next_step() -> None:
    model = four_bar()
    model.torque("drive", "crank", 0.0)
    sim, other = lw.Simulation(model, "global", dt=2e-3), lw.Simulation(model, "recursive", dt=2e-3)
    for each in (sim, other):
        each.step(50)
        each.inputs["drive"] = 4.0
        each.step(50)
    assert sim["crank.position"] == pytest.approx(other["crank.position"], abs=2e-5)
    assert sim["crank.velocity"] == pytest.approx(other["crank.velocity"], abs=2e-4)


@pytest.mark.parametrize("away", [0.0, 0.1])
def test_reactions_beside_an_exactly_flat_disc(away: float) -> None:
    """No mass goes with a vector along its axis: rounding must not decide what holds that."""
    model = lw.Model("disc")
    arm = model.body("arm", mass=1.0, inertia=(0.01, 0.01, 0.01), com=(0, 0, -1))
    model.revolute("pin", "ground", arm, at=(0, 0, 0), axis=(0, 1, 0), velocity=1.0)
    disc = model.body("disc", mass=0.5, inertia=(0.005, 0.005, 0.01))
    model.revolute("shaft", arm, disc, frame_a=lw.Frame.along((1, 0, 0), (away, 0, -1)), velocity=20.0)
    runs = [lw.simulate(model, until=0.1, dt=1e-3, method=method) for method in ("global", "recursive")]
    for name in ("pin.reaction", "shaft.reaction"):
        assert runs[0][name] == pytest.approx(runs[1][name], abs=1e-4)


# --- refusals


def test_what_moves_no_mass_is_refused_by_name() -> None:
    model = lw.Model("ghost")
    model.body("ghost", mass=1.0, inertia=0.0)
    with pytest.raises(lw.ModelError, match=r"'ghost'.*inertia"):
        lw.simulate(model, until=0.1, method="global")


def test_a_step_that_does_not_converge() -> None:
    model = double_four_bar.build()
    with pytest.raises(
        lw.RunError, match=r"did not converge, .*with body '.*' moving most; try a dt smaller"
    ) as caught:
        lw.simulate(model, until=1.0, method=lw.Global(dt=0.1, iterations=1))
    assert caught.value.run.time[-1] == 0.0
