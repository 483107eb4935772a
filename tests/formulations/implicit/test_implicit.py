"""Hybrid, semi-recursive and fully recursive methods on the trapezoidal rule: order, loops, laws, grounds, refusals."""

from __future__ import annotations

import json

import numpy as np
import pytest

import linkwork as lw
from known_mechanisms import four_bar
from linkwork.gallery import andrews, double_four_bar, n_four_bar
from random_mechanisms import random_loops

NEWTON = [lw.Hybrid, lw.SemiRecursive]
EXACT = [  # to rounding, so that the order shows
    lambda dt: lw.Hybrid(dt=dt, tolerance=1e-11),
    lambda dt: lw.SemiRecursive(dt=dt, tolerance=1e-11),
    lambda dt: lw.Recursive(integrator="trapezoidal", dt=dt),
]


def off(run: lw.Trajectory, exact: lw.Trajectory, what: str) -> float:
    """Largest difference of the columns `what`, at the times of `run`, as a part of the largest value."""
    stride = round((run.time[1] - run.time[0]) / (exact.time[1] - exact.time[0]))
    names = [name for name in exact.names if name.endswith(what)]
    worst = max(np.abs(run[name] - exact[name][::stride]).max() for name in names)
    return worst / max(np.abs(exact[name]).max() for name in names)


@pytest.mark.parametrize("method", EXACT, ids=["hybrid", "semi-recursive", "recursive"])
@pytest.mark.parametrize("build", [four_bar, lambda: random_loops(2, 7, 2), lambda: random_loops(5, 6, 2)])
def test_second_order_in_positions_and_reactions(build, method):
    exact = lw.simulate(build(), until=0.2, dt=1e-3, method="recursive", integrator="rk4")
    runs = [lw.simulate(build(), until=0.2, method=method(dt=dt)) for dt in (4e-3, 2e-3)]
    for what, bound in ((".position", 2e-3), (".velocity", 3e-2), (".reaction", 6e-2)):
        errors = [off(run, exact, what) for run in runs]
        assert errors[1] < bound
        assert 3.2 < errors[0] / errors[1] < 5.0 or errors[0] < 1e-5, what  # below that the penalty shows


@pytest.mark.parametrize("method", NEWTON)
def test_iterations_are_told(method):
    run = lw.simulate(four_bar(), until=0.2, method=method(dt=0.01))
    assert run["solver.iterations"][0] == 0
    assert run["solver.iterations"][1:].min() >= 2
    assert run.certificate.evaluations == run["solver.iterations"].sum()
    assert run.certificate.worst_iterations == run["solver.iterations"].max()
    assert 0 < run.certificate.worst_residual < 1e-8
    assert f"{run.certificate.worst_iterations} at most in a step" in str(run.certificate)


@pytest.mark.parametrize("method", NEWTON)
def test_loops_are_closed(method):
    run = lw.simulate(four_bar(), until=1.0, method=method(dt=0.01))
    assert run.drift["position"].max() < 1e-9
    assert run.drift["velocity"].max() < 1e-6


def stiff(law):
    """A rod on a hinge, its tip held by `law`: as a torque in the joint, or as a force on the body."""
    model = lw.Model("stiff")
    rod = model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), com=(0.5, 0, 0))
    model.revolute("pin", model.ground, rod, at=(0, 0, 0), axis=(0, 1, 0), velocity=0.1)
    law(model)
    return model


@lw.compiled
def joint_law(t, position, velocity):
    return -1e6 * position - 1e3 * velocity


@lw.compiled
def body_law(t, position, rotation, velocity, angular_velocity):
    # of the y component of the rotation: a spring of 1e6 N m/rad, with a damper
    return (0.0, -1e6 * 2.0 * rotation[2] * rotation[0] - 1e3 * angular_velocity[1], 0.0)


@pytest.mark.parametrize("method", NEWTON)
@pytest.mark.parametrize(
    "law",
    [lambda model: model.torque("hold", "pin", joint_law), lambda model: model.torque("hold", "rod", body_law)],
    ids=["coordinate", "body"],
)
def test_stiff_laws_of_the_user_are_differenced(law, method):
    """With K and C in the tangent matrix Newton's iteration takes few rounds; without them it would not converge."""
    run = lw.simulate(stiff(law), until=0.5, method=method(dt=0.01))
    assert run.certificate.evaluations / run.certificate.steps < 4
    assert run.certificate.refused_steps == 0
    # at rest in the end where the torque holds the weight: 1 kg at 0.5 m on 1e6 N m/rad
    assert run["pin.position"][-1] == pytest.approx(0.5 * 9.81 / 1e6, rel=1e-3)


@pytest.mark.parametrize("method", NEWTON)
def test_moving_ground_and_its_work(method):
    """A four-bar's crank on a shaken ground: as by recursive, the work of the ground in the ledger (Phi_t of (35))."""

    def build():
        model = lw.Model("shaken")
        # starts at rest at the model's pose: the shift and the turn are zero at first
        shift = lw.Cosine(0.1, frequency=2.0, offset=-0.1)
        shake = lw.Motion(position=(shift, 0, 0), axis=(0, 1, 0), angle=lw.Cosine(0.2, frequency=1.0, offset=-0.2))
        table = model.moving_ground("table", shake)
        a = model.body("a", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0.5, 0, 0), position=(0.1, 0, 0))
        b = model.body("b", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0.0, 0, -0.5), position=(1.1, 0, 0))
        model.revolute("first", table, a, at=(0.1, 0, 0), axis=(0, 1, 0))
        model.revolute("second", a, b, at=(1.1, 0, 0), axis=(0, 1, 0))
        model.spring("cord", model.ground, b, at_a=(1.5, 0, -2.0), stiffness=50.0, damping=1.0, length=1.0)
        model.prismatic(
            "slot",
            model.ground,
            model.body("block", mass=0.5, shape=lw.Sphere(0.1), position=(1.1, 0, -1)),
            at=(1.1, 0, -1),
            axis=(1, 0, 0),
        )
        model.revolute("third", b, "block", at=(1.1, 0, -1), axis=(0, 1, 0))
        return model

    exact = lw.simulate(build(), until=0.4, dt=1e-3, method="recursive")
    runs = [lw.simulate(build(), until=0.4, method=method(dt=dt)) for dt in (4e-3, 2e-3)]
    errors = [off(run, exact, ".position") for run in runs]
    assert errors[1] < 1e-3
    assert 3.2 < errors[0] / errors[1] < 5.0
    work = [np.abs(run["energy.work"] - exact["energy.work"][:: round(run.time[1] / 1e-3)]).max() for run in runs]
    assert np.ptp(exact["energy.work"]) > 1.0
    assert work[1] < 0.02
    assert 3.0 < work[0] / work[1] < 5.5


def test_coordinates_change_when_they_turn_bad():
    """A crank that turns all the way round drives a slider: the slider's place is no choice at dead centre."""
    wanted = lw.simulate(slider_crank(), until=2.0, dt=2e-3, method="recursive")
    run = lw.simulate(slider_crank(), until=2.0, method=lw.SemiRecursive(dt=2e-3))
    assert np.ptp(run["crank pin.position"]) > 4 * np.pi
    assert run.drift["position"].max() < 1e-12
    assert off(run, wanted, ".position") < 1e-3


def slider_crank(mass=1.0):
    model = lw.Model("slider crank")
    bodies = {  # mass, inertia, centre of mass, position, of which the masses are to be multiplied
        "crank": (5.0, (0.5, 0.5, 0.5), (0, 0, 0), (0, 0, 0)),
        "rod": (0.5, (0.01, 0.1, 0.1), (0.5, 0, 0), (0.3, 0, 0)),
        "slider": (0.5, (0.1, 0.1, 0.1), (0, 0, 0), (1.3, 0, 0)),
    }
    for name, (m, inertia, com, position) in bodies.items():
        model.body(name, mass=mass * m, inertia=tuple(mass * i for i in inertia), com=com, position=position)
    crank, rod, slider = bodies
    model.prismatic("guide", model.ground, slider, at=(1.3, 0, 0), axis=(1, 0, 0))
    model.revolute("wrist", slider, rod, at=(1.3, 0, 0), axis=(0, 1, 0))
    model.revolute("crank pin", model.ground, crank, at=(0, 0, 0), axis=(0, 1, 0), velocity=8.0)
    model.revolute("big end", rod, crank, at=(0.3, 0, 0), axis=(0, 1, 0))
    return model


def bob(start, speed, size=1.0):
    """A bob at `start` on a rod of length `size` to the ground, thrown with `speed`, both in units of the pendulum."""
    model = lw.Model("bob on a rod")
    model.body("bob", mass=1.0, shape=lw.Sphere(0.1 * size), position=tuple(size * x for x in start))
    model.free("fly", "ground", "bob", velocity=(*(size**0.5 * x for x in speed), 0, 0, 0))
    model.distance("rod", "ground", "bob", length=size)
    return model


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize(
    ("start", "speed"),
    [
        ((1, 0, 0), (0, 0, 0)),  # swings through the lowest place, where x is no choice any more
        ((0, 1, 0), (2, 0, 0)),  # about the vertical too: every direction is once the worst
        ((0.48, 0.64, 0.6), (0, 0, 0)),
        ((0, 0, -1), (7.2, 0, 0)),  # all the way round
    ],
)
def test_one_loop_row_changes_its_coordinate(start, speed, size):
    """Full swings of a bob on a rod: the only pivot is a direction cosine, to be seen beside the best one."""
    root = size**0.5
    exact = lw.simulate(bob(start, speed, size), until=2.0 * root, dt=5e-4 * root, method="recursive", every=8)
    errors = []
    for dt in (4e-3, 2e-3):
        every = round(4e-3 / dt)
        run = lw.simulate(bob(start, speed, size), until=2.0 * root, method=lw.SemiRecursive(dt=dt * root), every=every)
        errors.append(np.abs(run["bob.position"] - exact["bob.position"]).max() / size)
        assert run.drift["position"].max() < 1e-13 * size
    assert np.ptp(exact["bob.position"], axis=0).max() > 1.3 * size
    assert errors[1] < 2e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.2)


def gimbal():
    """A top on a ball joint whose outer ring cannot turn about the vertical: of the ring's rows one moves."""
    model = lw.Model("gimbal")
    model.body("top", mass=1.0, inertia=(0.02, 0.03, 0.01), com=(0.05, 0.02, 0.1))
    model.ball("point", "ground", "top", at=(0, 0, 0), velocity=(4.0, 1.0, 0))
    model.universal("ring", "ground", "top", at=(0, 0, 0), axis=((1, 0, 0), (0, 1, 0)), cut=True)
    return model


def dumbbell():
    """Two bobs on one rod, thrown and turning about an axis aslant, so that no direction stays good."""
    model = lw.Model("dumbbell", gravity=(0, 0, 0))
    for name, side in (("one", 1.0), ("other", -1.0)):
        model.body(name, mass=2.0 + side, shape=lw.Sphere(0.1), position=(0.5 * side, 0, 0))
        model.free(f"fly {name}", "ground", name, velocity=(0, 3.0 * side, 2.0 * side + 0.5, 0, 0, 0))
    model.distance("rod", "one", "other", length=1.0)
    return model


@pytest.mark.parametrize("build", [gimbal, dumbbell])
def test_other_loops_of_one_row(build):
    exact = lw.simulate(build(), until=2.0, dt=5e-4, method="recursive", every=8)
    runs = [
        lw.simulate(build(), until=2.0, method=lw.SemiRecursive(dt=dt), every=round(4e-3 / dt)) for dt in (4e-3, 2e-3)
    ]
    errors = [max(off(run, exact, what) for what in (".position", ".rotation")) for run in runs]
    assert errors[1] < 5e-3
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.3)


@pytest.mark.parametrize("method", ["hybrid", "global"])
def test_the_penalty_is_chosen_from_the_model_and_told(method):
    light, heavy = (
        lw.simulate(slider_crank(mass), until=0.05, dt=5e-3, method=method).certificate for mass in (1.0, 2.0**20)
    )
    assert light.settings["penalty"] is None
    assert np.allclose(heavy.settings["penalties"], 2.0**20 * np.array(light.settings["penalties"]), rtol=1e-6)
    assert "closed by the penalty, chosen" in str(light)
    json.dumps(light.as_dict())
    given = lw.simulate(slider_crank(), until=0.05, dt=5e-3, method=method, penalty=1e12).certificate
    assert given.settings["penalty"] == 1e12
    assert "penalties" not in given.settings


@pytest.mark.parametrize("dt", [0.01, 0.03, 0.05])
def test_semi_recursive_refuses_the_singular_position(dt):
    """CD03 Table 1, "no convergent": the double four-bar lies flat for the first time at 0.716 s."""
    with pytest.raises(lw.RunError, match="singular position: the loop of joint 'right pin") as stop:
        lw.simulate(double_four_bar.build(), until=10.0, method=lw.SemiRecursive(dt=dt))
    assert "method='hybrid'" in str(stop.value)
    assert stop.value.time <= 0.7165 < stop.value.time + dt + 1e-9
    assert len(stop.value.run) == stop.value.step + 1


def test_forty_windows_keep_their_energy():
    """N = 40 at dt 0.01: the energy strays by less than 0.25 J through the singular positions (issue of A02)."""
    run = lw.simulate(n_four_bar.build(n=40), until=10.0, method=lw.Hybrid(dt=0.01), record=["coupler 1.position"])
    assert np.abs(run["energy.total"] - run["energy.total"][0]).max() < 0.25
    assert run.drift["position"].max() < 1e-8


def test_trapezoidal_rule_says_when_it_does_not_converge():
    model = stiff(lambda model: model.torsion_spring("hold", "pin", stiffness=1e6, damping=1e3))
    with pytest.raises(lw.RunError, match="steps of 0.01 s are too large for torsion spring 'hold'.*hybrid"):
        lw.simulate(model, until=1.0, method=lw.Recursive(integrator="trapezoidal", dt=0.01))


def test_andrews_by_semi_recursive():
    run = lw.simulate(andrews.build(), until=0.01, method=lw.SemiRecursive(dt=2e-5, tolerance=1e-11), every=500)
    assert andrews.angles(run)[-1, 0] == pytest.approx(2.1601131315, abs=1e-3)


@pytest.mark.parametrize("kind", ["planar", "universal", "cylindrical"])
@pytest.mark.parametrize("method", ["hybrid", "semi-recursive"])
def test_joints_walked_backwards(method, kind):
    """Their dofs have numbers against the order of the links: all of the mass matrix is there nevertheless."""
    model = lw.Model("backwards", gravity=(1, -3, -9))
    numbers = {"inertia": (0.1, 0.12, 0.13), "com": (0.1, 0.05, -0.02)}
    inner = model.body("inner", mass=1.0, position=(0, 0.1, 0), **numbers)
    outer = model.body("outer", mass=2.0, position=(0.3, 0.1, 0), **numbers)
    model.free("fall", model.ground, inner, velocity=(0, 0, 0, 1, 2, 3))
    axis = ((0, 0, 1), (1, 0, 0)) if kind == "universal" else (0, 0, 1)
    getattr(model, kind)("joint", outer, inner, at=(0.2, 0, 0), axis=axis)
    exact = lw.simulate(model, until=0.3, dt=1e-3, method="recursive")
    errors = []
    for dt in (2e-3, 1e-3):
        run = lw.simulate(model, until=0.3, dt=dt, method=method, tolerance=1e-11)
        errors.append(np.abs(run["outer.position"] - exact["outer.position"][:: round(dt / 1e-3)]).max())
    assert errors[1] < 2e-5
    assert errors[0] / errors[1] == pytest.approx(4.0, abs=0.5)
