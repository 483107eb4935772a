"""What laws and controllers see of the last step, and circles in what they see."""

import numpy as np
import pytest

import linkwork as lw

SEEN = ["pin.reaction", "pin.acceleration", "coil.torque", "pin.reaction.fz"]


def pendulum(law, sees=SEEN):
    model = lw.Model("pendulum")
    rod = model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5))
    pin = model.revolute("pin", "ground", rod, at=(0, 0, 1), axis=(1, 0, 0), position=0.4, velocity=-0.3)
    model.torsion_spring("coil", pin, stiffness=2.0)
    model.torque("look", pin, lw.PythonLaw(law, sees=sees))
    return model


@pytest.mark.parametrize(
    "method", ["recursive", "absolute", "component", "hybrid", "semi-recursive", "global", "impulse"]
)
def test_a_law_sees_what_the_last_step_left(method):
    """Reactions, accelerations and the torques of springs, as the row at the beginning of the step has them."""
    seen = []

    def look(t, numbers):
        seen.append((t, np.array(numbers)))
        return 0.0

    run = lw.simulate(pendulum(look), until=0.01, dt=1e-3, method=method)
    rows = np.column_stack([run[name] for name in SEEN])
    within = [(t, numbers) for t, numbers in seen if t > 0.0]
    assert len(within) >= 10
    for t, numbers in within:
        k = int(np.floor(t / 1e-3 + 1e-6))  # the row before: a stage at the end of a step has its own row behind it
        assert min(np.abs(numbers - rows[j]).max() for j in (max(k - 1, 0), k)) == 0.0


def sledge():
    snow = lw.Material(friction=0.0)
    model = lw.Model("sledge")
    model.plane("snow", material=snow)
    runner = model.body("runner", mass=5.0, shape=lw.Box((0.5, 0.3, 0.1)), position=(0, 0, 0.05), material=snow)
    model.free("glide", "ground", runner, velocity=(2.0, 0, 0, 0, 0, 0))
    drag = lw.compiled(sees=["runner.contact_force.z"])(lambda t, seen: (-0.3 * seen[0], 0.0, 0.0))
    model.force("drag", runner, drag, at=(0, 0, -0.05))
    return model


@pytest.mark.parametrize("method", ["impulse", "maximal"])
def test_a_law_that_sees_the_contact_force_brakes_as_friction_does(method):
    """A drag of 0.3 N where N is the force from the ground: the speed falls by 0.3 g."""
    run = lw.simulate(sledge(), until=0.5, dt=1e-3, method=method)
    fall = (run["runner.velocity"][100, 0] - run["runner.velocity"][-1, 0]) / (run.time[-1] - run.time[100])
    assert fall == pytest.approx(0.3 * 9.81, rel=1e-6)
    assert np.allclose(run["drag.force"][100:, 0], -0.3 * 5.0 * 9.81, rtol=1e-6)


def test_a_law_that_sees_a_reaction_is_a_friction_bearing(tmp_path):
    """Torque -mu r |force| sign(v) of a bearing, and the same bits by steps, by a copy and from a file."""

    @lw.compiled(sees=["pin.reaction.fy", "pin.reaction.fz", "pin.velocity"])
    def bearing(t, seen):
        load = (seen[0] ** 2 + seen[1] ** 2) ** 0.5
        return -0.02 * load * np.tanh(seen[2] / 1e-3)

    def built():
        model = lw.Model("bearing")
        rod = model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5))
        model.torque("rub", model.revolute("pin", "ground", rod, at=(0, 0, 0), axis=(1, 0, 0), position=0.4), bearing)
        return model

    run = lw.simulate(built(), until=0.2, dt=1e-3, method="recursive")
    force, speed = run["pin.reaction"][:, 1:3], run["pin.velocity"]
    wanted = -0.02 * np.linalg.norm(force, axis=1) * np.tanh(speed / 1e-3)
    assert np.abs(run["rub.torque"][20:] - wanted[20:]).max() < 1e-3 * np.abs(wanted).max()  # a step late
    assert run.certificate.energy_balance_relative < 1e-3
    sim = lw.Simulation(built(), "recursive", dt=1e-3)
    sim.step(100)
    sim.save(tmp_path / "here.npz")
    twin, again = sim.copy(), lw.Simulation(built(), resume=tmp_path / "here.npz")
    for _ in range(100):
        sim.step()
    twin.step(100)
    again.step(100)
    assert run["pin.position"][-1] == sim["pin.position"] == twin["pin.position"] == again["pin.position"]


def test_a_smaller_step_brings_what_is_late_nearer():
    """A law that sees the acceleration adds mass: the error falls with the first power of the step."""

    def built():
        model = lw.Model("cart", gravity=(0, 0, 0))
        cart = model.body("cart", mass=2.0, inertia=(1, 1, 1))
        rail = model.prismatic("rail", "ground", cart, axis=(1, 0, 0), position=0.1, stiffness=50.0)
        model.torque("added", rail, lw.compiled(sees=["rail.acceleration"])(lambda t, seen: -0.5 * seen[0]))
        return model

    errors = []
    for dt in (2e-3, 1e-3):
        run = lw.simulate(built(), until=0.5, dt=dt, method="recursive")
        errors.append(np.abs(run["rail.position"] - 0.1 * np.cos(np.sqrt(50.0 / 2.5) * run.time)).max())
    assert np.log2(errors[0] / errors[1]) == pytest.approx(1.0, abs=0.15)


def test_a_law_sees_the_output_of_a_controller_at_once():
    model = pendulum(lambda t, seen: 3.0 * seen[0], ["pd.output"])
    model.torque("drive", "pin", 0.0)
    model.controller("pd", lambda t, seen: 1.0 + t, every=1e-3, sets=["drive"])
    run = lw.simulate(model, until=5e-3, dt=1e-3, method="recursive")
    assert np.array_equal(run["look.torque"], 3.0 * run["pd.output"])


def test_across_subsystems_by_signals_of_signals():
    class Arm(lw.Subsystem):
        def build(self):
            rod = self.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5))
            self.revolute("pin", self.ground, rod, at=(0, 0, 0), axis=(0, 1, 0), position=0.5)
            self.signal("load", "pin.reaction.fz")

    model = lw.Model("two")
    model.add("left", Arm())
    model.add("right", Arm(), position=(1, 0, 0))
    model.signal("weight", "left.load")
    model.torque("answer", "right.pin", lw.PythonLaw(lambda t, seen: 0.1 * seen[0], sees=["weight"]))
    model.input("shown")
    model.controller("copy", lambda t, seen: seen[0], every=1e-3, sees=["weight"], sets=["shown"])
    run = lw.simulate(model, until=5e-3, dt=1e-3, method="recursive")
    load = run["left.pin.reaction"][:, 2]
    assert np.array_equal(run["answer.torque"][1:], 0.1 * load[:-1])
    assert np.array_equal(run["shown.value"][1:], load[:-1])


# --- circles


def test_signals_that_lead_back_to_themselves_are_named():
    model = pendulum(lambda t, seen: 0.0, ["first"])
    model.signal("first", "second")
    model.signal("second", "first")
    with pytest.raises(lw.ModelError, match="'first' -> 'second' -> 'first': it leads back to itself"):
        lw.Simulation(model, "recursive", dt=1e-3)


LOOP = "'look' sees 'other.torque' and the law of 'other' sees 'look.power'"


@pytest.mark.parametrize(("other", "words"), [("other.torque", LOOP), ("look.torque", "'look' sees 'look.torque', so")])
def test_laws_that_see_the_forces_of_each_other_are_named(other, words):
    model = pendulum(lambda t, seen: seen[0], [other])
    model.torque("other", "pin", lw.PythonLaw(lambda t, seen: seen[0], sees=["look.power"]))
    with pytest.raises(lw.ModelError, match=f"algebraic circle: the law of {words}"):
        lw.Simulation(model, "recursive", dt=1e-3)


def two_controllers(first, second):
    model = pendulum(lambda t, seen: 0.0, ["pin.position"])
    model.input("a")
    model.input("b")
    model.controller("one", lambda t, seen: seen[0] + 1.0, every=1e-3, sees=[first], sets=["a"])
    model.controller("two", lambda t, seen: 2.0 * t if second == "pin.position" else seen[0], every=1e-3,
                     sees=[second], sets=["b"])  # fmt: skip
    return model


def test_controllers_are_called_after_those_that_they_see():
    run = lw.simulate(two_controllers("two.output", "pin.position"), until=5e-3, dt=1e-3, method="recursive")
    assert np.array_equal(run["one.output"], run["two.output"] + 1.0)


@pytest.mark.parametrize(("first", "second"), [("two.output", "one.output"), ("b", "a"), ("b", "one.output")])
def test_controllers_that_see_each_other_are_named(first, second):
    with pytest.raises(
        lw.ModelError, match=r"circle: controller 'one' sees '.*' and controller 'two' sees '.*'.*one con"
    ):
        lw.Simulation(two_controllers(first, second), "recursive", dt=1e-3)


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(lw.ModelError, match="torque 'look': its law sees 'rod.contact_force', but there is no column"):
        lw.Simulation(pendulum(lambda t, seen: 0.0, ["rod.contact_force"]), "recursive", dt=1e-3)
    with pytest.raises(lw.ModelError, match="its law sees 'pin.colour', which is no column of the model"):
        lw.Simulation(pendulum(lambda t, seen: 0.0, ["pin.colour"]), "recursive", dt=1e-3)
