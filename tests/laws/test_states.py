"""States of laws against the matrix exponential, by every method: a motor with inductance turns a flywheel."""

import functools

import numpy as np
import pytest
from scipy.linalg import expm

import linkwork as lw

R, K, U, J = 0.5, 0.1, 24.0, 0.1  # ohm, N m/A, V, kg m2
ORDER = {"recursive": 4, "absolute": 4, "component": 4, "hybrid": 2, "semi-recursive": 2, "global": 2} | dict.fromkeys(
    ("impulse", "maximal"), 1
)


@functools.cache  # compiled once
def drive(L, scale=None):
    @lw.compiled_state(start=[0.0], sees=["shaft.velocity"], scale=scale)
    def motor(t, x, seen, dx):
        dx[0] = (U - R * x[0] - K * seen[0]) / L
        return K * x[0]

    return motor


def flywheel(law, gravity=(0, 0, -9.81), rotation=(1, 0, 0, 0)):
    class Drive(lw.Subsystem):
        def build(self):
            wheel = self.body("wheel", mass=1.0, inertia=(J, J, J))
            self.torque("drive", self.revolute("shaft", self.ground, wheel, at=(0, 0, 0), axis=(0, 1, 0)), law)

    model = lw.Model("flywheel", gravity=gravity)
    model.add("unit", Drive(), rotation=rotation)
    return model


def exact(L, time):
    A = np.array([[-R / L, -K / L, U / L], [K / J, 0, 0], [0, 0, 0]])
    return (expm(A * time) @ [0, 0, 1])[:2]


def error(method, dt, L=2e-3, until=0.02, law=None):
    run = lw.simulate(flywheel(law or drive(L)), until=until, method=method, dt=dt)
    x, w = exact(L, until)
    return abs(run["unit.drive.state"][-1] - x), abs(run["unit.shaft.velocity"][-1] - w), run


@pytest.mark.parametrize("method", ORDER)
def test_every_method_integrates_states_to_its_order(method):
    coarse, fine = (error(method, dt)[0] for dt in (4e-4, 2e-4))
    assert abs(np.log2(coarse / fine) - ORDER[method]) < 0.35


@pytest.mark.parametrize("method", ["recursive", "hybrid", "maximal"])
def test_the_ledger_does_not_count_states(method):
    *_, run = error(method, 1e-4)
    w = run["unit.shaft.velocity"]
    assert np.allclose(run.energy["kinetic"], 0.5 * J * w**2, rtol=1e-9, atol=1e-15)
    work = np.trapezoid(run["unit.drive.torque"] * w, run.time)
    assert abs(run.energy["work"][-1] - work) < 2e-4 * work + (2e-4 if method == "maximal" else 0.0)


@pytest.mark.parametrize("method", ["hybrid", "semi-recursive", "global"])
def test_stiff_states_are_stable_at_large_steps(method):
    """The current settles within 0.1 ms; steps are ten times that."""
    off_x, off_w, run = error(method, 1e-3, L=5e-5, until=0.5)
    assert off_w < 2e-3
    assert off_x < 5e-4
    assert run.solver["iterations"].max() <= 6


def test_explicit_steps_that_are_too_large_name_the_state():
    with pytest.raises(lw.RunError, match=r"too large for state 'unit.drive state', which settles within 0.0001 s"):
        error("recursive", 1e-3, L=5e-5, until=0.5)


def test_gravity_and_the_pose_of_a_subsystem_do_not_move_states():
    model = flywheel(drive(2e-3), gravity=(3.0, -2.0, 9.0), rotation=(0.4, -0.2, 0.7, 0.5))
    run = lw.simulate(model, until=0.02, method="recursive", dt=1e-4)
    assert run["unit.drive.state"][-1] == pytest.approx(exact(2e-3, 0.02)[0], abs=1e-7)


def test_the_scale_of_a_state_changes_nothing_but_rounding():
    plain, scaled = (error("recursive", 1e-4, law=drive(2e-3, scale)) for scale in (None, (1e5,)))
    assert plain[2]["unit.drive.state"] == pytest.approx(scaled[2]["unit.drive.state"], rel=1e-11, abs=1e-12)


def test_a_python_law_with_states_gives_the_same():
    def motor(t, x, seen, dx):
        dx[0] = (U - R * x[0] - K * seen[0]) / 2e-3
        return K * x[0]

    law = lw.PythonLaw(motor, sees=["shaft.velocity"], start=[0.0])
    ours, theirs = error("recursive", 1e-4, law=law)[2], error("recursive", 1e-4)[2]
    assert np.abs(ours["unit.drive.state"] - theirs["unit.drive.state"]).max() < 1e-12


def test_two_states_of_one_law_and_laws_that_see_them():
    """An oscillator x'' = -w2 x in a law, seen by another law as a force."""

    @lw.compiled_state(start=[1.0, 0.0])
    def oscillator(t, x, seen, dx):
        dx[0], dx[1] = x[1], -25.0 * x[0]
        return 0.0

    @lw.compiled(sees=["swing.state.0"])
    def follow(t, seen):
        return seen[0]

    model = lw.Model("two")
    cart = model.body("cart", mass=1.0, inertia=(1, 1, 1))
    rail = model.prismatic("rail", "ground", cart, axis=(1, 0, 0))
    model.torque("swing", rail, oscillator)
    model.torque("push", rail, follow)
    run = lw.simulate(model, until=2.0, method="recursive", dt=1e-3)
    assert run["swing.state"][-1] == pytest.approx((np.cos(10.0), -5 * np.sin(10.0)), abs=1e-8)
    assert run["rail.position"][-1] == pytest.approx((1 - np.cos(10.0)) / 25, abs=1e-8)


def test_states_start_again_to_the_last_bit(tmp_path):
    whole = lw.Simulation(flywheel(drive(2e-3)), "recursive", dt=1e-4)
    whole.step(50)
    whole.save(tmp_path / "here.npz")
    whole.step(50)
    again = lw.Simulation(flywheel(drive(2e-3)), resume=tmp_path / "here.npz")
    again.step(50)
    assert again["unit.drive.state"] == whole["unit.drive.state"]


def test_laws_see_joints_bodies_and_inputs():
    seen_by_law = []

    def look(t, seen):
        seen_by_law.append(np.array(seen))
        return 0.0

    names = ["pin.position", "pin.velocity", "rod.position", "rod.rotation", "rod.velocity.y", "brake"]
    model = lw.Model("pendulum")
    rod = model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5))
    pin = model.revolute("pin", "ground", rod, at=(0, 0, 1), axis=(1, 0, 0), position=0.4, velocity=-0.3)
    model.torque("brake", pin, 2.5)
    model.torque("look", pin, lw.PythonLaw(look, sees=names))
    sim = lw.Simulation(model, "recursive", dt=1e-3)
    sim.step(3)
    sim["look.torque"]
    told = np.concatenate([np.atleast_1d(sim[name]) for name in names[:-1]])
    assert np.allclose(seen_by_law[-1][:-1], told, atol=1e-15)
    assert seen_by_law[-1][-1] == 2.5


@lw.compiled
def own_joint(t, position, velocity):
    return -9.0 * position - velocity


@lw.compiled(sees=["pin.position", "pin.velocity"])
def seen_joint(t, seen):
    return -9.0 * seen[0] - seen[1]


@pytest.mark.parametrize("method", ORDER)
def test_a_law_that_sees_its_own_joint_is_a_law_of_that_joint(method):
    def arm(law):
        model = lw.Model("arm")
        rod = model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5))
        model.torque("hold", model.revolute("pin", "ground", rod, at=(0, 0, 0), axis=(0, 1, 0), position=0.4), law)
        return lw.simulate(model, until=0.1, method=method, dt=1e-3)["pin.position"]

    assert np.abs(arm(own_joint) - arm(seen_joint)).max() < 1e-10


@pytest.mark.parametrize("states", [1, 2])
def test_a_law_with_states_is_compiled_once(states):
    """Tried at the start and called in the loop with arrays of the same kind; not again for the same law elsewhere."""

    @lw.compiled_state(start=[1.0] * states, sees=["shaft.velocity"])
    def law(t, x, seen, dx):
        for k in range(len(x)):
            dx[k] = -x[k] - seen[0]
        return x[0]

    for _ in range(2):
        lw.Simulation(flywheel(law), "recursive", dt=1e-4).step()
    assert len(law.function.signatures) == 1


def hot_brake(own: bool) -> lw.Model:
    """A flywheel and a brake whose pads get hot: by a law that brakes, or that sees the power of a damper."""
    heat, cooling = 50.0, 0.5  # J/K, W/K

    @lw.compiled_state(start=[20.0], sees=["wheel shaft.velocity"])
    def brake(t, x, seen, dx):  # type: ignore[no-untyped-def]
        torque = 0.3 * (1.0 - 0.004 * (x[0] - 20.0)) * seen[0]
        dx[0] = (torque * seen[0] - cooling * (x[0] - 20.0)) / heat
        return -torque

    @lw.compiled_state(start=[20.0], sees=["damper.power"])
    def pads(t, x, seen, dx):  # type: ignore[no-untyped-def]
        dx[0] = (-seen[0] - cooling * (x[0] - 20.0)) / heat
        return 0.0

    model = lw.Model("brake")
    wheel = model.rotor("wheel", inertia=0.5, on="ground", axis=(0, 0, 1), velocity=40.0)
    if not own:
        model.torsion_spring("damper", wheel, damping=0.3)
    model.torque("brake", wheel.shaft, brake if own else pads)
    return model


@pytest.mark.parametrize("method", ["recursive", "absolute", "component", "hybrid", "global", "impulse", "maximal"])
def test_what_a_brake_takes_is_heat(method: str) -> None:
    """All of the kinetic energy is in the pads, or went from them to the air; one step late where a column is seen."""
    for own in (True, False):
        run = lw.simulate(hot_brake(own), until=2.0, dt=1e-3, method=method)
        warm = run["brake.state"] - 20.0
        heat = 50.0 * warm[-1] + 0.5 * np.trapezoid(warm, run.time)
        lost = run.energy["kinetic"][0] - run.energy["kinetic"][-1]
        exact = own and method in ("recursive", "absolute", "component")
        assert heat == pytest.approx(lost, rel=1e-8 if exact else 2e-3)
