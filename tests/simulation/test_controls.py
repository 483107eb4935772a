"""Sampled controllers and sensors."""

import math

import numpy as np
import pytest

import linkwork as lw


def arm(every=1e-3, controller=None, **options):
    model = lw.Model("arm")
    rod = model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5))
    pin = model.revolute("pin", "ground", rod, at=(0, 0, 0), axis=(0, 1, 0), position=0.5)
    model.torque("drive", pin, 0.0)
    if controller is not None:
        model.controller("pd", controller, every=every, sets=["drive"], **options)
    return model


def hold(t, seen):
    return -40.0 * seen[0] - 6.0 * seen[1]


SEEN = ["pin.position", "pin.velocity"]


def by_hand(every, dt, steps, method="recursive"):
    """The same control in a loop of Python."""
    sim = lw.Simulation(arm(), method, dt=dt)
    count, places = round(every / dt), []
    for k in range(steps):
        if k % count == 0:
            sim.inputs["drive"] = hold(sim.time, (sim["pin.position"], sim["pin.velocity"]))
        sim.step()
        places.append(sim["pin.position"])
    return np.array(places)


@pytest.mark.parametrize("method", ["recursive", "absolute", "component", "hybrid", "global", "impulse"])
@pytest.mark.parametrize("every", [1e-3, 3e-3])
def test_a_controller_is_a_loop_in_python_to_the_last_bit(method, every):
    run = lw.simulate(arm(every, hold, sees=SEEN), until=0.03, dt=1e-3, method=method)
    assert (run["pin.position"][1:] == by_hand(every, 1e-3, 30, method)).all()


def test_steps_are_split_where_an_instant_lies_within_one():
    times = []

    def note(t, seen):
        times.append(t)
        return hold(t, seen)

    run = lw.simulate(arm(1.5e-3, note, sees=SEEN), until=0.03, dt=1e-3, method="recursive")
    assert times == pytest.approx(np.arange(20 + 1) * 1.5e-3, abs=1e-15)
    fine = by_hand(1.5e-3, 0.5e-3, 60)
    assert run["pin.position"][-1] == pytest.approx(fine[-1], abs=1e-9)


def test_stepping_by_hand_and_runs_are_the_same():
    model = arm(2e-3, hold, sees=SEEN)
    run = lw.simulate(model, until=0.05, dt=1e-3, method="recursive")
    one, many = (lw.Simulation(model, "recursive", dt=1e-3) for _ in range(2))
    many.step(50)
    for _ in range(50):
        one.step()
    assert one["pin.position"] == many["pin.position"] == run["pin.position"][-1]
    assert one["pd.output"] == many["pd.output"]


def test_memory_is_saved_and_copied(tmp_path):
    def integral(t, seen, memory):
        memory[0] += seen[0]
        memory[1] += 1.0
        return -40.0 * seen[0] - 6.0 * seen[1] - 0.5 * memory[0]

    model = arm(1e-3, integral, sees=SEEN, memory=[0.0, 0.0])
    sim = lw.Simulation(model, "recursive", dt=1e-3)
    sim.step(30)
    sim.save(tmp_path / "here.npz")
    other = sim.copy()
    sim.step(20)
    again = lw.Simulation(model, resume=tmp_path / "here.npz")
    again.step(20)
    other.step(20)
    run = lw.simulate(model, until=0.05, dt=1e-3, method="recursive")
    assert sim["pin.position"] == again["pin.position"] == other["pin.position"] == run["pin.position"][-1]
    sim.reset()
    sim.step(50)
    assert sim["pin.position"] == run["pin.position"][-1]


def test_a_compiled_controller_gives_the_same():
    compiled = lw.compiled(hold)
    ours, theirs = (
        lw.simulate(arm(1e-3, each, sees=SEEN), until=0.02, dt=1e-3, method="recursive")["pin.position"]
        for each in (hold, compiled)
    )
    assert np.abs(ours - theirs).max() < 1e-15


def test_the_columns_show_what_acted():
    run = lw.simulate(arm(5e-3, hold, sees=SEEN), until=0.02, dt=1e-3, method="recursive")
    assert (run["pd.output"] == run["drive.torque"]).all()
    held = run["pd.output"][1:].reshape(4, 5)
    assert (held == held[:, :1]).all()
    assert len(set(held[:, 0])) == 4
    assert run["pd.output"][0] == -40.0 * 0.5
    assert run.certificate.energy_balance_relative < 1e-9


def test_a_controller_in_a_subsystem_sees_its_own_joint_first():
    class Arm(lw.Subsystem):
        def build(self, *, gain=1.0):
            rod = self.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5))
            pin = self.revolute("pin", self.ground, rod, at=(0, 0, 0), axis=(0, 1, 0), position=0.5)
            self.torque("drive", pin, 0.0)
            self.controller("p", lambda t, seen: -gain * seen[0], every=1e-3, sees=["pin.position"], sets=["drive"])

    model = lw.Model("two arms")
    model.add("left", Arm(gain=1.0))
    model.add("right", Arm(gain=3.0), position=(1, 0, 0))
    run = lw.simulate(model, until=2e-3, dt=1e-3, method="recursive")
    assert run["left.p.output"][0] == -0.5
    assert run["right.p.output"][0] == -1.5


# --- sensors


def pendulum(kind, at=(0.1, 0.0, -0.7), velocity=2.0, **options):
    model = lw.Model("pendulum")
    rod = model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5))
    model.revolute("pin", "ground", rod, at=(0, 0, 0), axis=(0, 1, 0), position=0.5, velocity=velocity)
    place = {"at": at} if kind in ("accelerometer", "gyroscope") else {}
    target = "pin" if kind in ("encoder", "tachometer", "load cell") else "rod"
    model.sensor("it", target, kind=kind, rate=1000, **place, **options)
    return lw.simulate(model, until=0.05, dt=1e-3, method="recursive")


def test_an_accelerometer_shows_the_specific_force():
    run, at = pendulum("accelerometer"), np.array([0.1, 0.0, -0.7])
    for k in (0, 20, 50):
        a, w, wd = (run[f"pin.{word}"][k] for word in ("position", "velocity", "acceleration"))
        c, s = math.cos(a), math.sin(a)
        up = np.array([-s, 0.0, c]) * 9.81  # in the axes of the rod, turned by a about y
        turning = np.cross([0, wd, 0], at) + np.cross([0, w, 0], np.cross([0, w, 0], at))
        # a reading taken at the end of a step shows in the next row
        if k < 50:
            assert run["it.reading"][k + (k > 0)] == pytest.approx(up + turning, abs=1e-9)


def test_the_other_sensors_show_columns():
    gyroscope, encoder, cell = pendulum("gyroscope"), pendulum("encoder"), pendulum("load cell")
    assert gyroscope["it.reading"][-1] == pytest.approx((0, gyroscope["pin.velocity"][-2], 0), abs=1e-12)
    assert encoder["it.reading"][-1] == encoder["pin.position"][-2]
    assert cell["it.reading"][-1] == pytest.approx(cell["pin.reaction"][-2], abs=1e-12)
    assert (pendulum("position")["it.reading"][-1] == 0).all()


def test_delay_resolution_and_noise():
    plain, late = pendulum("encoder")["it.reading"], pendulum("encoder", delay=3e-3)["it.reading"]
    assert (late[4:] == plain[1:-3]).all()
    coarse = pendulum("encoder", resolution=0.01)["it.reading"]
    assert np.allclose(coarse, np.round(plain, 2), atol=1e-12)
    noisy = pendulum("encoder", noise=lw.Normal(0.1, 0.02))["it.reading"] - plain
    again = pendulum("encoder", noise=lw.Normal(0.1, 0.02))["it.reading"] - plain
    other = pendulum("encoder", noise=lw.Normal(0.1, 0.02, seed=1))["it.reading"] - plain
    assert (noisy == again).all()
    assert not np.allclose(noisy, other)
    assert abs(noisy.mean() - 0.1) < 0.01
    assert 0.012 < noisy.std() < 0.03


def test_noise_is_normal():
    from linkwork.model.control.controller import noise_numbers

    numbers = np.array([noise_numbers(lw.Normal(0, 1), "imu", k, 3) for k in range(4000)])
    assert np.abs(numbers.mean(axis=0)).max() < 0.05
    assert np.abs(np.cov(numbers.T) - np.eye(3)).max() < 0.06
    assert abs((np.abs(numbers) > 1.959964).mean() - 0.05) < 0.006


def test_laws_and_controllers_see_sensors():
    @lw.compiled(sees=["encoder"])
    def damped(t, seen):
        return -3.0 * seen[0]

    model = arm(1e-3, lambda t, seen: 2.0 * seen[0], sees=["encoder"])
    model.sensor("encoder", "pin", kind="encoder", rate=1000)
    model.torque("brake", "pin", damped)
    run = lw.simulate(model, until=5e-3, dt=1e-3, method="recursive")
    assert run["brake.torque"][-1] == pytest.approx(-3.0 * run["pin.position"][-2], abs=1e-12)
    assert run["pd.output"][-1] == pytest.approx(2.0 * run["pin.position"][-2], abs=1e-12)


# --- what is wrong


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"sees": ["elbow.position"]}, "controller 'pd': there is no column 'elbow.position'"),
        ({"sees": SEEN, "sets": ["motor"]}, "controller 'pd': there is no input 'motor'"),
        ({"sees": SEEN, "sets": []}, "it sets nothing"),
        ({"sees": SEEN, "every": 0}, "every is 0 but must be positive"),
        ({"sees": SEEN, "memory": [1.0]}, r"has 2 parameters; write it as one of \(t, seen, memory\)"),
    ],
)
def test_wrong_controllers_are_named(options, words):
    def started():
        model = arm()
        model.controller("pd", hold, **{"every": 1e-3, "sets": ["drive"], **options})
        return lw.Simulation(model, "recursive", dt=1e-3)

    with pytest.raises(lw.ModelError, match=words):
        started()


@pytest.mark.parametrize("sets", [["drive"], ["drive", "drive"], ["spare", "drive"]])
def test_an_input_has_one_writer(sets):
    """Of two that are called at the same instant the last one would win, by the order of two lines."""

    def pushed(first, second):
        model = arm(1e-3, hold, sees=SEEN) if first else arm()
        model.input("spare", 0.0)
        if second:
            model.controller("other", lambda t, seen: (0.0,) * len(sets), every=2e-3, sees=SEEN, sets=sets)
        return model

    both = "controller 'pd' and controller 'other' both set input 'drive'"
    for check in (lw.check, lambda model: lw.Simulation(model, "recursive", dt=1e-3)):
        with pytest.raises(lw.ModelError, match=f"{both}, which can hold one number; remove one of them"):
            check(pushed(True, True))
    if sets.count("drive") == 2:
        with pytest.raises(lw.ModelError, match="controller 'other' sets twice input 'drive'"):
            lw.check(pushed(False, True))
    else:
        lw.check(pushed(False, True))


def test_an_input_of_a_subsystem_has_one_writer():
    """The names that writers use may differ: what counts is the input that they mean."""

    class Part(lw.Subsystem):
        def build(self):
            body = self.body("body", mass=1.0, inertia=(0.1, 0.1, 0.1))
            pin = self.revolute("pin", self.ground, body, at=(0, 0, 0), axis=(0, 1, 0))
            self.torque("drive", pin, 0.0)
            self.controller("inner", lambda t, seen: 1.0, every=1e-3, sets=["drive"])

    model = lw.Model("two")
    model.add("part", Part())
    model.controller("outer", lambda t, seen: 2.0, every=1e-3, sets=["part.drive"])
    with pytest.raises(
        lw.ModelError, match="controller 'outer' and controller 'part.inner' both set input 'part.drive'"
    ):
        lw.check(model)


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (lambda t, seen: 1 / 0, "controller 'pd' failed at t = 0 s .*ZeroDivisionError"),
        (lambda t, seen: (1.0, 2.0), "but sets 1 inputs; return one number for each"),
        (lambda t, seen: math.nan, "input 'drive' must be a finite number"),
        (lambda t, seen: 1e300, r"input 'drive' is 1e\+300, too large to compute with; set less than 1e\+100"),
        (lambda t, seen: None, "but sets 1 inputs"),
    ],
)
def test_what_a_controller_may_not_return(result, words):
    with pytest.raises(lw.ModelError, match=words):
        lw.Simulation(arm(1e-3, result, sees=SEEN), "recursive", dt=1e-3)


def test_a_controller_that_fails_on_the_way_keeps_the_rows():
    def late(t, seen):
        return hold(t, seen) if t < 0.0095 else 1 / 0

    with pytest.raises(lw.RunError, match="controller 'pd' failed at t = 0.01 s") as caught:
        lw.simulate(arm(1e-3, late, sees=SEEN), until=1.0, dt=1e-3, method="recursive")
    assert len(caught.value.run.time) == 11


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kind": "acelerometer"}, "did you mean 'accelerometer'"),
        ({"kind": "encoder"}, "no sensor of a body"),
        ({"kind": "gyroscope", "delay": 1.5e-3}, "delay is 1.5 periods"),
        ({"kind": "gyroscope", "rate": -1}, "rate is -1 but must be positive"),
        ({"kind": "gyroscope", "noise": 0.1}, "give noise=lw.Normal"),
    ],
)
def test_wrong_sensors_are_named(options, words):
    with pytest.raises(lw.ModelError, match=words):
        arm().sensor("imu", "rod", **{"rate": 1000, **options})


def test_a_controller_sees_signals_of_subsystems():
    class Motor(lw.Subsystem):
        def build(self):
            rotor = self.body("rotor", mass=1.0, inertia=(0.1, 0.1, 0.1))
            shaft = self.revolute("shaft", self.ground, rotor, at=(0, 0, 0), axis=(0, 0, 1), velocity=3.0)
            self.torque("drive", shaft, 0.0)
            self.signal("speed", "shaft.velocity")

    model = lw.Model("drive")
    model.add("left", Motor())
    model.controller("brake", lambda t, seen: -seen[0], every=1e-3, sees=["left.speed"], sets=["left.drive"])
    assert lw.Simulation(model, "recursive", dt=1e-3)["brake.output"] == -3.0


def test_what_carries_states_is_not_listed():
    @lw.compiled_state(start=[1.0])
    def law(t, x, seen, dx):
        dx[0] = -x[0]
        return x[0]

    model = arm()
    model.torque("more", "pin", law)
    assert repr(model) == "<Model 'arm': 1 body, 1 joint, 2 forces>"
    assert "state" not in model.outline()
    report = lw.check(model)
    assert (report.bodies, report.joints, report.degrees_of_freedom, report.total_mass) == (1, 1, 1, 1.0)
    assert "laws with states of their own: 1 in all" in str(report)
    assert (report.law_states, report.position_freedoms, report.notes) == (1, 1, [])
    with pytest.raises(lw.OptionError, match="has a law with states"):
        lw.equilibrium(model)
    run = lw.simulate(model, until=0.01, dt=1e-3, method="recursive")
    assert [body["name"] for body in run.scene["bodies"]] == ["rod"]
    assert "more.state" in run.columns


def test_files_refuse_what_is_sampled(tmp_path):
    model = arm(1e-3, hold, sees=SEEN)
    model.sensor("encoder", "pin", kind="encoder", rate=1000)
    with pytest.raises(lw.ModelError, match="cannot be written: controller 'pd'.*; sensor 'encoder'"):
        model.write(tmp_path / "arm.toml")
    lost = model.write(tmp_path / "arm.toml", lossy=True).lost
    assert [line.what for line in lost] == ["controller 'pd'", "sensor 'encoder'"]


@pytest.mark.parametrize("ending", ["toml", "urdf"])
def test_files_have_no_slides_of_states(tmp_path, ending):
    """A law with a state is refused; the rest is written without what carries the state, and the model stays whole."""

    def law(t, x, seen, dx):
        dx[0] = -x[0]
        return x[0] + seen[0]

    def built():
        model = arm()
        model.input("offset", 2.0, unit="N m")
        model.torque("more", "pin", lw.PythonLaw(law, sees=["offset"], start=[1.0]))
        return model

    model, file = built(), tmp_path / f"arm.{ending}"
    with pytest.raises(lw.ModelError, match="input 'offset'.*; torque 'more'"):
        model.write(file)
    lost = model.write(file, lossy=True).lost
    assert [line.what for line in lost][:2] == ["input 'offset'", "torque 'more'"]
    assert "state" not in file.read_text(encoding="utf-8")
    assert list(lw.read(file)[0].bodies) == ["rod"]
    assert model == built()
    assert "more.state" in lw.simulate(model, until=0.01, dt=1e-3, method="recursive").columns


def test_an_equilibrium_says_what_it_leaves_out():
    model = arm(1e-3, hold, sees=SEEN)
    with pytest.warns(lw.ModelWarning, match="found without the controller 'pd' and the like"):
        assert abs(lw.equilibrium(model).positions["pin"][0]) < 1e-6


def test_sensors_stay_right_when_joints_come_and_go():
    """A joint that is attached changes the order of bodies and laws; readings are kept, and are of the right body."""

    @lw.compiled(sees=["gyro.y"])
    def brake(t, seen):
        return -0.1 * seen[0]

    model = lw.Model("catch")
    links = []
    for k, velocity in enumerate((1.0, -2.0, 3.0)):
        rod = model.body(f"rod {k}", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.5), position=(k, 0, 0))
        links.append(model.revolute(f"pin {k}", "ground", rod, at=(k, 0, 0), axis=(0, 1, 0), velocity=velocity))
    model.torque("drive", links[0], 0.0)
    model.torque("brake", links[2], brake)
    model.sensor("gyro", "rod 2", kind="gyroscope", rate=500)
    model.controller("hold", lambda t, seen: -seen[0], every=1e-3, sees=["pin 0.velocity"], sets=["drive"])
    model.release("pin 1", time=0.0105)
    model.attach("rod 0", "rod 1", "fixed", name="weld", time=0.0125)
    run = lw.simulate(model, until=0.02, dt=1e-3, method="recursive")
    speed, read = run["pin 2.velocity"], run["gyro.reading"]
    assert np.abs(read[:, [0, 2]]).max() < 1e-14
    for k in range(3, 21):  # sampled at even milliseconds; a sample shows in the row after it
        assert read[k, 1] == pytest.approx(speed[2 * ((k - 1) // 2)], abs=1e-12)
    assert np.allclose(run["brake.torque"], -0.1 * read[:, 1], atol=1e-12)
    assert (run["hold.output"][1:] == -run["pin 0.velocity"][:-1]).all()


def test_a_controller_whose_input_ended_is_named():
    model = arm(1e-3, hold, sees=SEEN)
    model.release("pin", time=0.0105)
    with pytest.raises(lw.RunError, match="controller 'pd' at t = 0.011 s: input 'drive' ended") as caught:
        lw.simulate(model, until=0.02, dt=1e-3, method="recursive")
    assert len(caught.value.run.time) == 12


# --- compiled controllers without a way through Python


@lw.compiled
def integral(t, seen, memory):
    memory[0] += seen[0]
    return -40.0 * seen[0] - 6.0 * seen[1] - 0.5 * memory[0] + 0.1 * seen[2]


@lw.compiled
def two(t, seen):
    return (0.1 * seen[0], 0.2 * seen[1])


@pytest.mark.parametrize("method", ["recursive", "hybrid", "impulse"])
@pytest.mark.parametrize("every", [1e-3, 3e-3, 1.5e-3])
def test_compiled_controllers_in_compiled_code_give_the_same_bits(method, every, monkeypatch):
    """One with a memory that sees a joint and a pose, and one that sets two inputs."""
    model = arm(every, integral, sees=[*SEEN, "rod.angular_velocity"], memory=[0.0])
    model.torque("more", "pin", 0.0)
    model.input("shown")
    model.controller("two", two, every=2e-3, sees=SEEN, sets=["more", "shown"])
    runs = []
    for many in (10**9, -1):
        monkeypatch.setattr("linkwork.simulation.sampled.sampled_run.MANY", many)
        runs.append(lw.simulate(model, until=0.05, dt=1e-3, method=method, every=2))
    python, ours = runs
    for name in ("pin.position", "pin.velocity", "pd.output", "two.output", "shown.value"):
        assert np.array_equal(python[name], ours[name])


@pytest.mark.parametrize(
    ("late", "words"),
    [
        (lambda t, seen: -seen[0] if t < 0.0095 else seen[7], "controller 'pd' failed at t = 0.01 s"),
        (lambda t, seen: -seen[0] if t < 0.0095 else math.nan, "input 'drive' must be a finite number"),
        (lambda t, seen: -seen[0] if t < 0.0095 else 1e300, "input 'drive' is 1e.300, too large to compute with"),
    ],
)
def test_a_compiled_controller_that_fails_is_named_there_too(late, words, monkeypatch):
    monkeypatch.setattr("linkwork.simulation.sampled.sampled_run.MANY", -1)
    model = arm(1e-3, lw.compiled(late), sees=SEEN)
    with pytest.raises(lw.RunError, match=words) as caught:
        lw.simulate(model, until=1.0, dt=1e-3, method="recursive")
    assert len(caught.value.run.time) == 11
