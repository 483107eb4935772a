"""Model exchange: rates of states that the host integrates."""

import numpy as np
import pytest

import linkwork as lw
from formats.fmi.fmi_host import ERROR, OK, Slave, Unpacked, need_library
from linkwork.simulation.starts.start import Closure


@pytest.fixture(scope="module", autouse=True)
def library():
    need_library()


@pytest.fixture(params=[2, 3])
def exchange(request, tmp_path):
    """Exports a model for model exchange."""
    made = []

    def export(model):
        given = {"kind": "me", "version": request.param, "parameters": [], "picture": False}
        made.append(Unpacked(lw.export_fmu(model, tmp_path / "m.fmu", integrator="rk4", dt=1e-3, **given)))
        return made[-1]

    yield export
    for each in made:
        each.remove()


def rk4(slave, t, y, h):
    """A step of the host, in the order in which numpy adds."""
    k1 = np.array(slave.rates(t, y))
    k2 = np.array(slave.rates(t + h / 2, y + h / 2 * k1))
    k3 = np.array(slave.rates(t + h / 2, y + h / 2 * k2))
    k4 = np.array(slave.rates(t + h, y + h * k3))
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


def test_a_host_that_integrates_by_itself_gives_our_own_run(exchange):
    model = lw.gallery.manipulator.build()
    fmu = exchange(model)
    slave, sim = Slave(fmu, "me"), lw.Simulation(model, "recursive", integrator="rk4", dt=1e-3)
    assert slave.begin() == OK
    y = np.array(slave.states(sim.moving.nq + sim.moving.nv + 2))
    assert np.array_equal(y[:-2], [*sim.q, *sim.v])
    for n in range(50):
        y = rk4(slave, 1e-3 * n, y, 1e-3)
    sim.step(50)
    assert np.abs(y[:-2] - [*sim.q, *sim.v]).max() < 1e-12
    slave.rates(0.05, y)
    ours = sim["link 1.beam.bar.position.x"]
    assert slave.get("link 1.beam.bar.position.x") == pytest.approx(ours, abs=1e-12)
    assert abs(slave.get("energy.balance")) < 1e-8
    slave.free()


def test_derivatives_are_declared_with_their_states(exchange):
    fmu = exchange(lw.gallery.pendulum.build())
    names = {str(k): name for name, k in fmu.variables.items()}
    states = fmu.facts("der(q[1])")["derivative"]
    at = states if fmu.version == 3 else str(int(states) - 1)
    assert names[at] == "q[1]"
    tag = "ContinuousStateDerivative" if fmu.version == 3 else "Derivatives/Unknown"
    assert len(fmu.root.findall(f"ModelStructure/{tag}")) == 4  # q, v and two accounts
    assert fmu.root.find("CoSimulation") is None


def test_directional_derivatives_of_a_pendulum_are_those_of_its_equation(exchange):
    """(I + m l2) a = T - m g l sin q - c v, all by hand."""
    model = lw.Model("arm")
    arm = model.body("arm", mass=2.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -0.3))
    pin = model.revolute("pin", "ground", arm, at=(0, 0, 0), axis=(0, 1, 0), position=0.4, velocity=1.5, damping=0.7)
    model.torque("drive", pin, 0.0)
    fmu = exchange(model)
    slave, about = Slave(fmu, "me"), 0.1 + 2.0 * 0.3**2
    assert slave.begin(values={"drive": 0.5}) == OK
    kind = fmu.root.find("ModelExchange").attrib
    assert kind["providesDirectionalDerivative" + "s" * (fmu.version == 3)] == "true"
    before = slave.rates(0.0, slave.states(4))
    wanted = {"q[1]": -2.0 * 9.81 * 0.3 * np.cos(0.4) / about, "v[1]": -0.7 / about, "drive": 1.0 / about}
    for name, slope in wanted.items():
        found = slave.derivative(["der(v[1])", "pin.acceleration", "der(q[1])"], {name: 1.0})
        assert found == pytest.approx([slope, slope, float(name == "v[1]")], rel=1e-11, abs=1e-11)
    together = slave.derivative(["der(v[1])"], {"q[1]": 2.0, "v[1]": -3.0, "drive": 0.25})
    assert together == pytest.approx([2 * wanted["q[1]"] - 3 * wanted["v[1]"] + 0.25 * wanted["drive"]], rel=1e-11)
    assert slave.derivative(["arm.velocity.x"], {"v[1]": 1.0, "q[1]": 0.0}) == pytest.approx([0.0], abs=1e-12)
    assert slave.derivative(["der(v[1])"], {"q[1]": 0.0}) == [0.0]
    assert slave.rates(0.0, slave.states(4)) == before  # nothing of this is to be seen
    assert abs(slave.get("energy.balance")) < 1e-12
    assert slave.derivative(["der(v[1])"], {"energy.total": 1.0}) is None
    assert "is no state and no input" in slave.said[-1]
    slave.free()


def test_directional_derivatives_of_a_mechanism_are_its_linear_system(exchange):
    """All columns of the Jacobian of the manipulator, against differences of rates that the host takes itself."""
    model = lw.gallery.manipulator.build()
    fmu = exchange(model)
    slave, sim = Slave(fmu, "me"), lw.Simulation(model, "recursive", integrator="rk4", dt=1e-3)
    assert slave.begin() == OK
    n = sim.moving.nq + sim.moving.nv
    names = [*(f"q[{k + 1}]" for k in range(sim.moving.nq)), *(f"v[{k + 1}]" for k in range(sim.moving.nv))]
    y = np.array(slave.states(n + 2))
    for k, name in enumerate(names):
        found = slave.derivative([f"der({each})" for each in names], {name: 1.0})
        h = 1e-4 * max(1.0, abs(y[k]))
        step = h * np.eye(n + 2)[k]
        theirs = (np.array(slave.rates(0.0, y + step)) - slave.rates(0.0, y - step))[:n] / (2 * h)
        slave.rates(0.0, y)
        assert np.abs(found - theirs).max() < 1e-5 * max(1.0, np.abs(theirs).max())
    slave.free()


def test_co_simulation_has_no_directional_derivatives(tmp_path):
    file = lw.export_fmu(lw.gallery.pendulum.build(), tmp_path / "p.fmu", dt=1e-3, parameters=[], picture=False)
    fmu = Unpacked(file)
    slave = Slave(fmu)
    assert slave.begin() == OK
    assert slave.derivative(["pin.acceleration"], {"pin.position": 1.0}) is None
    assert "in model exchange only" in slave.said[-1]
    slave.free()
    fmu.remove()


def test_numbers_that_are_none_are_not_called_a_lack_of_inertia(exchange):
    model = lw.Model("arm")
    arm, fore = (model.body(name, mass=2.0, inertia=(0.1, 0.2, 0.1), com=(0.3, 0.1, 0)) for name in ("arm", "fore"))
    pin = model.revolute("pin", "ground", arm, at=(0, 0, 0), axis=(0, 1, 0))
    model.revolute("elbow", arm, fore, at=(0.6, 0, 0), axis=(0, 0, 1))
    model.torque("drive", pin, 0.0)
    slave = Slave(exchange(model), "me")
    assert slave.begin() == OK
    y = slave.states(6)
    for k in range(4):
        with pytest.raises(AssertionError, match="grew beyond all bounds; let the host take smaller steps"):
            slave.rates(0.0, [*y[:k], float("nan"), *y[k + 1 :]])
    assert slave.set({"drive": 1e300}) == ERROR
    assert "cannot be 1e+300; give a number below 1e+100" in slave.said[-1]
    slave.rates(0.0, y)
    slave.free()


def test_methods_without_rates_are_refused(tmp_path):
    with pytest.raises(lw.OptionError, match="'hybrid', which has no rates; take 'recursive'"):
        lw.export_fmu(lw.gallery.pendulum.build(), tmp_path / "p.fmu", kind="me", method="hybrid", dt=1e-3)
    with pytest.raises(lw.OptionError, match="semi-implicit"):
        lw.export_fmu(lw.gallery.pendulum.build(), tmp_path / "p.fmu", kind="both", integrator="semi-implicit", dt=1e-3)


# --- what turns


def turntable():
    """A motor of given velocity: its angle is in no pose."""
    model = lw.Model("turntable")
    disc = model.body("disc", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0.1, 0, 0))
    pin = model.revolute("pin", "ground", disc, at=(0, 0, 0), axis=(0, 1, 0), position=0.2)
    model.motor("drive", pin, velocity=lw.Table([0, 1, 2], [40.0, 60.0, 40.0]))
    return model


def geared():
    """A wheel that turns three times as fast as the other, and backwards."""
    model = lw.Model("geared")
    wheels = [model.body(name, mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0.02, 0, 0)) for name in ("a", "b")]
    pins = [
        model.revolute(f"{name} pin", "ground", wheel, at=(k, 0, 0), axis=(0, 1, 0), velocity=v)
        for k, (name, wheel, v) in enumerate(zip("ab", wheels, (30.0, None), strict=True))
    ]
    model.gear("teeth", *pins, ratio=-3)
    return model


def crank():
    """A spring in the joint that closes a loop, wound up by its turns."""
    model = lw.Model("crank")
    crank = model.body("crank", mass=1.0, inertia=(0.01, 0.01, 0.01), position=(0.1, 0, 0))
    rod = model.body("rod", mass=1.0, inertia=(0.03, 0.03, 0.03), position=(0.5, 0, 0))
    slide = model.body("slide", mass=2.0, inertia=(0.01, 0.01, 0.01), position=(0.8, 0, 0))
    model.prismatic("bore", "ground", slide, at=(0.8, 0, 0), axis=(1, 0, 0))
    model.revolute("pin", slide, rod, at=(0.8, 0, 0), axis=(0, 1, 0), position=0.3)
    model.revolute("crank pin", rod, crank, at=(0.2, 0, 0), axis=(0, 1, 0))
    model.revolute("main", "ground", crank, at=(0, 0, 0), axis=(0, 1, 0), stiffness=0.5, velocity=30.0)
    return model


def driven_cam():
    return lw.gallery.cam_valve.build()


@pytest.mark.parametrize("method", ["recursive", "absolute", "component"])
@pytest.mark.parametrize("build", [turntable, geared, crank, driven_cam])
def test_turns_belong_to_the_state(build, method, tmp_path):
    """Angles go on over many turns, as in our own run; outputs are the same in whatever order a host asks for them."""
    dt, steps = (1e-4, 400) if build is driven_cam else (1e-3, 400)
    given = {"method": method, "integrator": "rk4", "dt": dt}
    fmu = Unpacked(lw.export_fmu(build(), tmp_path / "m.fmu", kind="me", parameters=[], picture=False, **given))
    slave, run = Slave(fmu, "me"), lw.simulate(build(), until=steps * dt, **given)
    assert slave.begin() == OK
    columns = [name for name in run.columns if name.endswith(".position") and run[name].ndim == 1]
    columns += [name for name in run.columns if name.endswith((".effort", ".torque"))]
    outputs = [*columns, "drift.position"]
    y = np.array(slave.states(sum(name.startswith("der(") for name in fmu.variables)))
    path, seen = [], []
    for n in range(steps + 1):
        slave.rates(n * dt, y)
        path.append(y)
        seen.append(slave.get(*outputs))
        y = rk4(slave, n * dt, y, dt)
    seen = np.array(seen)
    most = max(np.abs(run[name]).max() for name in columns if name.endswith(".position"))
    assert most > 2 * np.pi or (build is driven_cam and most > 5.0)
    for k, name in enumerate(columns):
        assert np.abs(seen[:, k] - run[name]).max() < 1e-3 * max(1.0, np.abs(run[name]).max()), name
    assert abs(slave.get("energy.balance")) < 1e-3 * max(1.0, run.energy["kinetic"].max())
    for n in np.random.default_rng(1).permutation(steps + 1)[:40]:
        slave.rates(n * dt, path[n])
        assert np.abs(slave.get(*outputs) - seen[n]).max() <= 1e-9 * max(1.0, np.abs(seen[n]).max())
    slave.free()
    fmu.remove()


def test_open_loops_are_told_of_the_states_that_the_host_has(exchange):
    """Coarse steps of the host open a loop: `drift.position` is the gap of its states, and they read as it set them."""
    model = crank()
    fmu = exchange(model)
    slave, system = Slave(fmu, "me"), lw.assemble(model)
    assert slave.begin() == OK
    y = np.array(slave.states(sum(name.startswith("der(") for name in fmu.variables)))
    for n in range(40):
        y = rk4(slave, 1e-2 * n, y, 1e-2)
    slave.rates(0.4, y)
    assert slave.get("q[1]", "q[2]") == y[:2].tolist()
    closure = Closure(system)
    closure.at(y[: system.nq], y[system.nq : system.nq + system.nv])
    gap = float(np.linalg.norm(closure.g))
    assert gap > 1e-4
    assert slave.get("drift.position") == pytest.approx(gap, rel=1e-9)
    slave.free()


def test_what_tells_of_the_way_is_no_output_of_model_exchange(tmp_path):
    """Outputs of model exchange are functions of the state: no counts, and nothing that is the worst so far."""
    model, found = crank(), {}
    for kind in ("me", "both", "cs"):
        fmu = Unpacked(lw.export_fmu(model, tmp_path / "m.fmu", kind=kind, parameters=[], picture=False, dt=1e-3))
        of_way = ("certificate.steps", "certificate.evaluations", "certificate.worst_balance")
        found[kind] = [fmu.facts(name)["causality"] for name in of_way if name in fmu.variables]
        assert fmu.facts("certificate.rank")["causality"] == fmu.facts("energy.balance")["causality"] == "output"
        fmu.remove()
    assert found == {"me": [], "both": ["local"] * 3, "cs": ["output"] * 3}


def turning():
    """A hinge and an arm on it that turn several times, a body that tumbles, and one in a loop that turns with both."""
    model = lw.Model("turning", gravity=(0, 0, 0))
    link = {"shape": lw.Box((1, 0.1, 0.1)), "mass": 1.0}
    model.body("wheel", position=(0.5, 0, 0), **link)
    model.body("arm", position=(1.5, 0, 0), **link)
    model.revolute("shaft", "ground", "wheel", at=(0, 0, 0), axis=(0, 0.6, 0.8), velocity=9.0)
    model.revolute("elbow", "wheel", "arm", at=(1, 0, 0), axis=(0.6, 0, 0.8), velocity=-14.0)
    model.body("stone", shape=lw.Box((1, 2, 3)), mass=6e3, position=(5, 0, 0))
    model.free("throw", "ground", "stone", velocity=(0, 0, 0, 0.1, 12.0, 0.2))
    for name, place in (("crank", (10.0, 0, 0.15)), ("rod", (10.5, 0, 0.15)), ("slider", (11.0, 0, 0))):
        model.body(name, position=place, **link)
    model.revolute("pin", "ground", "crank", at=(10, 0, 0), axis=(0, 1, 0), velocity=-13.0)
    model.revolute("near", "crank", "rod", at=(10, 0, 0.3), axis=(0, 1, 0))
    model.revolute("far", "rod", "slider", at=(11, 0, 0), axis=(0, 1, 0))
    model.prismatic("rail", "ground", "slider", at=(11, 0, 0), axis=(1, 0, 0))
    return model


def test_quaternions_have_the_sign_of_our_own_run_at_all_times(exchange):
    """A whole turn leads to the other sign: they are products along the chain of joints, not of the pose alone."""
    model = turning()
    fmu = exchange(model)
    bodies, until = ("wheel", "arm", "stone", "crank", "rod", "slider"), 1.5
    ours = lw.simulate(model, until=until, method="recursive", integrator="rk4", dt=1e-3)
    signs = [np.sign(ours[f"{body}.rotation"][:, 0]) for body in bodies]
    assert sum(len(np.flatnonzero(np.diff(each))) for each in signs) > 8
    slave = Slave(fmu, "me")
    assert slave.begin() == OK
    y, path = np.array(slave.states(sum(name.startswith("der(") for name in fmu.variables))), []
    names = {body: [f"{body}.rotation.{axis}" for axis in "wxyz"] for body in bodies}
    for n in range(round(until / 1e-3) + 1):
        slave.rates(1e-3 * n, y)
        path.append(y)
        for body in bodies:
            assert np.abs(slave.get(*names[body]) - ours[f"{body}.rotation"][n]).max() < 1e-6, (body, n)
        y = rk4(slave, 1e-3 * n, y, 1e-3)
    for n in np.random.default_rng(1).permutation(len(path))[:200]:  # a host may go back, or look at any state
        slave.rates(1e-3 * n, path[n])
        for body in bodies:
            assert np.abs(slave.get(*names[body]) - ours[f"{body}.rotation"][n]).max() < 1e-6, (body, n)
    slave.free()
