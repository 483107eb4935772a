"""Linear models and their modes against closed forms, and against differences on the gallery."""

import math

import numpy as np
import pytest

import linkwork as lw
from linkwork.errors import OptionError
from linkwork.simulation.analysis.linear.linear import Linear

pytest.importorskip("numba")
G = 9.81
DOWN = (0, 1, 0)


def hanging_rod(length=1.0, mass=2.0, angle=0.7):
    model = lw.Model("rod")
    inertia = mass * length**2 / 12
    rod = model.body("rod", mass=mass, inertia=(0, inertia, inertia), com=(length / 2, 0, 0))
    model.revolute("pin", model.ground, rod, at=(0, 0, 0), axis=DOWN, position=angle)
    return model


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
def test_a_rod_on_a_hinge(scale):
    """The stiffness is all made by the reaction of the hinge."""
    modes = lw.linearise(hanging_rod(scale, scale**3)).modes()
    assert modes.frequencies == pytest.approx([math.sqrt(1.5 * G / scale) / (2 * math.pi)], rel=1e-9)
    assert modes.damping == pytest.approx([0.0], abs=1e-9)
    assert modes.energy["rod"] == pytest.approx([1.0])


def four_bar(hinges=1, standing=False, crank=0.5, wide=0.8, m=1.5, M=4.0):
    """A parallelogram whose cranks hang, or stand; further hinges beside each pin are redundant."""
    model, sign = lw.Model("parallelogram"), 1.0 if standing else -1.0
    end, inertia = (0, 0, sign * crank), m * crank**2 / 12
    spinning = (inertia, inertia, 0)
    cranks = [
        model.body(f"crank {k}", mass=m, inertia=spinning, com=(0, 0, sign * crank / 2), position=(k * wide, 0, 0))
        for k in (0, 1)
    ]
    coupler = model.body("coupler", mass=M, inertia=(0, 0.1, 0.1), com=(wide / 2, 0, 0), position=end)
    for j in range(hinges):
        along = 0.3 * j
        for k, each in enumerate(cranks):
            place = (k * wide, along, 0)
            model.revolute(f"low {k} {j}", model.ground, each, at=place, axis=DOWN)
            model.revolute(f"high {k} {j}", each, coupler, at=(k * wide, along, sign * crank), axis=DOWN)
    return model


@pytest.mark.parametrize("hinges", [1, 2, 3])
@pytest.mark.parametrize("standing", [False, True])
def test_a_closed_loop_has_the_modes_of_its_one_coordinate(hinges, standing):
    """Redundant hinges change nothing."""
    linear = lw.linearise(four_bar(hinges, standing))
    inertia, weight = 2 * 1.5 * 0.25 / 3 + 4.0 * 0.25, (2 * 1.5 / 2 + 4.0) * 0.5 * G
    square = weight / inertia
    values = np.sort_complex(np.linalg.eigvals(linear.A))
    root = math.sqrt(square)
    wanted = np.array([-root, root]) if standing else np.array([-1j * root, 1j * root])
    assert linear.freedom == 1
    assert np.allclose(values, wanted, rtol=1e-9, atol=1e-9 * root)
    assert linear.redundant == len(linear.constraints) - 2  # a plane loop of three joints leaves one of three turns
    assert linear.modes().stable is not standing


def test_a_slider_crank_against_its_energy():
    """One coordinate: the square of the frequency is V'' / I at the equilibrium."""
    r, l, m, k, free = 0.3, 0.9, 2.0, 400.0, 0.9
    model = lw.Model("slider crank")
    x, y = r * math.cos(0.8), r * math.sin(0.8)
    slope = -math.asin(y / l)
    crank = model.body("crank", mass=1.0, inertia=(0, 0.01, 0.01), com=(r / 2, 0, 0), rotation=turn(0.8))
    rod = model.body(
        "rod", mass=1.2, inertia=(0, 0.08, 0.08), com=(l / 2, 0, 0), position=(x, y, 0), rotation=turn(slope)
    )
    block = model.body("block", mass=m, inertia=(1, 1, 1), position=(x + l * math.cos(slope), 0, 0))
    model.revolute("shaft", model.ground, crank, at=(0, 0, 0), axis=(0, 0, 1))
    model.revolute("elbow", crank, rod, at=(x, y, 0), axis=(0, 0, 1))
    model.revolute("wrist", rod, block, at=(x + l * math.cos(slope), 0, 0), axis=(0, 0, 1))
    model.prismatic("guide", model.ground, block, at=(0, 0, 0), axis=(1, 0, 0))
    model.spring("spring", model.ground, block, at_a=(0, 0, 0), stiffness=k, length=free)
    model.gravity = (0, -G, 0)
    linear = lw.linearise(model)

    def place(a):
        b = -np.arcsin(r * np.sin(a) / l)
        return (
            np.array([r * np.cos(a) / 2, r * np.sin(a) / 2]),
            b,
            np.array([r * np.cos(a) + l * np.cos(b) / 2, r * np.sin(a) + l * np.sin(b) / 2]),
            r * np.cos(a) + l * np.cos(b),
        )

    def rates(a, h=1e-30):
        return [np.imag(each) / h for each in place(a + 1j * h)]

    def inertia(a):
        c, b, d, e = rates(a)
        return c @ c + 0.01 + 1.2 * d @ d + 0.08 * b**2 + m * e**2

    def force(a, h=1e-30):  # dV/da
        c, _, d, e = place(a + 1j * h)
        return np.imag(G * (c[1] + 1.2 * d[1]) + 0.5 * k * (e - free) ** 2) / h

    at = 0.8 + lw.equilibrium(model).positions["shaft"][0]
    assert force(at) == pytest.approx(0.0, abs=1e-7)
    h = 1e-3
    coarse, fine = ((force(at + s) - force(at - s)) / (2 * s) for s in (h, h / 2))
    square = (4 * fine - coarse) / 3 / inertia(at)
    modes = linear.modes()
    assert modes.frequencies == pytest.approx([math.sqrt(square) / (2 * math.pi)], rel=1e-8)


def turn(angle):
    return (math.cos(angle / 2), 0, 0, math.sin(angle / 2))


def two_masses(damping=True, law=None):
    """A wheel on a tyre, a body on a spring and damper: z of both."""
    model = lw.Model("quarter car", gravity=(0, 0, 0))
    wheel = model.body("wheel", mass=40.0, inertia=(1, 1, 1))
    body = model.body("body", mass=300.0, inertia=(1, 1, 1), position=(0, 0, 0.5))
    model.prismatic("hub", model.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1), stiffness=1.6e5)
    own = {"stiffness": 1.8e4, "damping": 1.2e3 if damping else 0.0} if law is None else {}
    joint = model.prismatic("strut", wheel, body, at=(0, 0, 0), axis=(0, 0, 1), **own)
    if law is not None:
        model.torque("spring", joint, law)
    model.force("road", wheel, (0, 0, 0.0))
    return model


M = np.diag([40.0, 300.0])
K = np.array([[1.6e5 + 1.8e4, -1.8e4], [-1.8e4, 1.8e4]])
C = 1.2e3 * np.array([[1.0, -1.0], [-1.0, 1.0]])


def test_a_quarter_car():
    linear = lw.linearise(two_masses(), outputs=["body.position.z", "wheel.position.z"])
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
    found, wanted = np.linalg.eigvals(linear.A), np.linalg.eigvals(A)
    assert np.allclose(np.sort_complex(found), np.sort_complex(wanted), rtol=1e-10)
    modes = linear.modes()
    assert len(modes) == 2
    assert modes.energy["body"][0] > 0.9
    assert modes.energy["wheel"][1] > 0.9
    assert "wheel" in str(modes).splitlines()[-1]


def test_where_a_mode_stores_its_energy():
    """Springs, stiff joints and tyres by their stretches; all of it swings to and fro with the kinetic energy."""
    linear = lw.linearise(two_masses(damping=False))
    modes = linear.modes()
    for k in range(2):
        x = modes.shapes[:, k]
        of_hub, of_strut = 1.6e5 * abs(x[0]) ** 2, 1.8e4 * abs(x[1]) ** 2  # the strut's coordinate is its stretch
        assert modes.strain_energy["hub"][k] == pytest.approx(of_hub / (of_hub + of_strut), rel=1e-9)
    stored = sum(strain.energy(modes.shapes) for strain in linear.strains.values())
    moving = 0.5 * np.real(np.einsum("ik,ij,jk->k", modes.shapes.conj(), linear.M, modes.shapes))
    assert np.allclose(stored, moving * np.abs(modes.eigenvalues) ** 2, rtol=1e-9)


def test_hints_of_modes():
    """Two equal carts on equal springs between walls: what is alike in both does not show in their distance."""
    model = lw.Model("carts", gravity=(0, 0, 0))
    carts = [model.body(f"cart {k}", mass=2.0, inertia=(1, 1, 1), position=(k, 0, 0)) for k in range(3)]
    for k, cart in enumerate(carts):
        spring = {} if k == 2 else {"stiffness": 50.0}
        model.prismatic(f"rail {k}", model.ground, cart, at=(k, 0, 0), axis=(1, 0, 0), **spring)
    model.spring("between", carts[0], carts[1], stiffness=30.0, length=1.0)
    model.force("push", carts[0], (0, 0, 0.0))
    model.torque("pull", "rail 0", 0.0)
    modes = lw.linearise(model, at="start", inputs="pull", outputs="between.length").modes()
    assert modes.hints == [
        "mode 1 is undetermined: nothing brings rail 2 back; hold it by a spring or a joint unless it is meant to move "
        "freely",
        "mode 1 is not observable: it does not show in between.length",
        "mode 1 is not controllable: nothing of pull moves it",
        "mode 2 is not observable: it does not show in between.length",
    ]
    assert modes.as_dict()["hints"] == modes.hints


def test_a_defective_mode_is_told():
    """Critically damped: two roots in one."""
    model = lw.Model("door", gravity=(0, 0, 0))
    door = model.body("door", mass=2.0, inertia=(1, 1, 1))
    model.revolute("hinge", model.ground, door, at=(0, 0, 0), axis=(0, 0, 1), stiffness=9.0, damping=6.0)
    modes = lw.linearise(model).modes()
    told = {hint.partition(" times")[2] for hint in modes.hints}
    assert told == {" as much, so that it is defective, or nearly so"}


def test_every_kind_stores_energy():
    model = lw.Model("springs", gravity=(0, 0, 0))
    block = model.body("block", mass=2.0, inertia=(0.1, 0.2, 0.3))
    arm = model.body("arm", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0.2, 0, 0))
    model.bushing("mount", model.ground, block, at=(0.1, 0, 0), stiffness=(2e3, 3e3, 4e3, 500, 500, 500))
    pin = model.revolute("pin", block, arm, at=(0, 0, 0), axis=(0, 1, 0), stiffness=7.0)
    model.torsion_spring("coil", pin, stiffness=11.0)
    model.spring("spring", model.ground, arm, at_a=(1, 0, 1), at_b=(0.4, 0, 0), stiffness=90.0, length=1.36**0.5)
    linear = lw.linearise(model, at="start")
    modes = linear.modes()
    stored = sum(strain.energy(modes.shapes) for strain in linear.strains.values())
    wanted = 0.5 * np.real(np.einsum("ik,ij,jk->k", modes.shapes.conj(), linear.K, modes.shapes))
    assert list(modes.strain_energy) == ["mount, shifted", "mount, turned", "coil", "spring", "pin"]
    assert np.allclose(stored, wanted, rtol=1e-9)
    assert modes.strained(7)


@pytest.mark.parametrize("kind", ["compiled", "python"])
def test_laws_of_the_user_have_slopes(kind):
    def strut(t, z, rate):
        return -1.8e4 * z - 1.2e3 * rate + 5e4 * math.sin(t) * z**3

    law = lw.compiled(strut) if kind == "compiled" else lw.PythonLaw(strut)
    modes = lw.linearise(two_masses(law=law)).modes()
    wanted = lw.linearise(two_masses()).modes()
    assert np.allclose(modes.eigenvalues, wanted.eigenvalues, rtol=1e-12 if kind == "compiled" else 1e-9)


def test_a_law_that_jumps_is_told():
    law = lw.PythonLaw(lambda t, z, rate: -1.8e4 * z - 50.0 * np.sign(z))
    with pytest.warns(lw.ModelWarning, match="law of .*'spring' has no certain slope"):
        lw.linearise(two_masses(law=law), at="start")


def test_a_sleeping_top():
    """Upright and fast: the slow and the fast turn of its axis, seen in the axes of the top, which spin."""
    A, C_, m, h, spin = 0.02, 0.01, 1.5, 0.1, 400.0
    model = lw.Model("top")
    top = model.body("top", mass=m, inertia=(A - m * h**2 / 4, A - m * h**2 / 4, C_), com=(0, 0, h))
    model.ball("tip", model.ground, top, at=(0, 0, 0), velocity=(0, 0, spin))
    about = A - m * h**2 / 4 + m * h**2
    linear = lw.linearise(model, at="start")
    root = math.sqrt((C_ * spin) ** 2 - 4 * about * m * G * h)
    turns = [(C_ * spin + sign * root) / (2 * about) - spin for sign in (-1, 1)]
    found = np.linalg.eigvals(linear.A)
    swinging = np.sort(np.abs(found.imag))[-4:]
    assert np.allclose(swinging, np.sort(np.abs(np.repeat(turns, 2))), rtol=1e-9)
    assert np.abs(found.real).max() < 1e-5 * spin


def top(spin, A=0.02, C=0.01, m=1.5, h=0.1):
    model = lw.Model("top")
    side = A - m * h**2
    body = model.body("top", mass=m, inertia=(side, side, C), com=(0, 0, h))
    model.ball("tip", model.ground, body, at=(0, 0, 0), velocity=(0, 0, spin))
    return model


def test_a_top_falls_asleep_at_its_speed():
    """Upright it is stable where (C w)^2 > 4 A m g h."""
    locus = lw.root_locus(top, {"spin": np.linspace(20.0, 60.0, 81)})
    border = math.sqrt(4 * 0.02 * 1.5 * G * 0.1) / 0.01
    assert min(abs(value - border) for value, _ in locus.crossings) < 0.5
    assert not locus.stable[locus.values < border - 0.5].any()
    assert locus.stable[locus.values > border + 0.5].all()
    assert "spin" in str(locus)


def rotor(speed, m=2.0, a=0.02, c=0.05, k=3e4, distance=0.3):
    """A disc in the middle between two springs of its shaft: it whirls by tilting, forward and backward."""
    model = lw.Model("rotor", gravity=(0, 0, 0))
    inner = model.body("frame", mass=0.0, inertia=0.0)
    gimbal = model.body("gimbal", mass=0.0, inertia=0.0)
    disc = model.body("disc", mass=m, inertia=(a, a, c))
    stiffness = k * distance**2
    model.revolute("tilt x", model.ground, inner, at=(0, 0, 0), axis=(1, 0, 0), stiffness=stiffness)
    model.revolute("tilt y", inner, gimbal, at=(0, 0, 0), axis=(0, 1, 0), stiffness=stiffness)
    model.revolute("shaft", gimbal, disc, at=(0, 0, 0), axis=(0, 0, 1), velocity=speed)
    return model


def test_whirl_over_speed():
    """Campbell's diagram of a disc that tilts: w = +-c s / 2a + sqrt((c s / 2a)^2 + k / a)."""
    a, c, stiffness = 0.02, 0.04, 3e4 * 0.3**2
    for speed in (0.0, 50.0, 200.0, 800.0):
        modes = lw.linearise(rotor(speed, c=c), at="start").modes()
        half = c * speed / (2 * a)
        root = math.sqrt(half**2 + stiffness / a)
        wanted = np.sort([root - half, root + half]) / (2 * math.pi)
        assert np.allclose(np.sort(modes.frequencies[~modes.rigid]), wanted, rtol=1e-8)


def test_frequency_response_of_a_mass():
    model = lw.Model("mass", gravity=(0, 0, 0))
    body = model.body("body", mass=3.0, inertia=(1, 1, 1))
    slide = model.prismatic("rail", model.ground, body, at=(0, 0, 0), axis=(1, 0, 0), stiffness=1200.0, damping=9.0)
    model.torque("push", slide, 0.0)
    linear = lw.linearise(model, inputs="push", outputs=["rail.position", "body.velocity.x", "rail.acceleration"])
    hertz = np.linspace(0.1, 10, 1000)
    response = linear.frequency_response(hertz)
    s = 2j * np.pi * hertz
    wanted = 1.0 / (3.0 * s**2 + 9.0 * s + 1200.0)
    assert np.allclose(response.values[:, 0, 0], wanted, rtol=1e-10)
    assert np.allclose(response.values[:, 1, 0], s * wanted, rtol=1e-10)
    assert np.allclose(response.values[:, 2, 0], s**2 * wanted, rtol=1e-10)
    assert response.units == ["m", "m/s", "m/s^2"]
    assert response.peak()[0] == pytest.approx(math.sqrt(400 - 4.5) / (2 * math.pi), rel=1e-2)
    space = linear.to_scipy()
    assert np.allclose(space.B, linear.B)


@pytest.mark.parametrize("name", ["double_four_bar", "car", "iltis", "toggle_press", "n_four_bar"])
def test_gallery_at_rest_against_differences(name):
    """At an equilibrium eigenvalues do not depend on the coordinates: those of central differences are the same."""
    model = getattr(lw.gallery, name).build()
    linear, rest = lw.linearise(model), lw.equilibrium(model)
    system = lw.assemble(model)
    other = Linear(system, rest.q, np.zeros(system.nv))
    found, wanted = np.linalg.eigvals(linear.A), other.eigenvalues
    assert found.size == wanted.size
    far = np.abs(found[:, None] - wanted).min(axis=1).max()
    assert far < 2e-4 * np.abs(wanted).max()  # a double root has half of the digits of the differences


@pytest.mark.parametrize("name", ["double_four_bar", "peaucellier", "engine", "puma"])
def test_a_moving_mechanism_against_its_own_motion(name):
    """Accelerations of the independent joints where these are moved by hand, and the loops close behind them."""
    sim = lw.Simulation(getattr(lw.gallery, name).build(), method="recursive", dt=1e-4)
    linear = lw.linearise(sim)
    joints = [state.removesuffix(".position") for state in linear.states[: linear.freedom]]
    here = np.array([[sim[f"{joint}.{what}"] for joint in joints] for what in ("position", "velocity")])

    def accelerations(x):
        near = sim.copy()
        p, v = here + x.reshape(2, -1)
        near.reset(joints=dict(zip(joints, p, strict=True)), velocities=dict(zip(joints, v, strict=True)))
        return np.array([near[f"{joint}.acceleration"] for joint in joints])

    for k in range(2 * linear.freedom):
        way = np.zeros(2 * linear.freedom)
        way[k] = 1.0
        coarse, fine = ((accelerations(s * way) - accelerations(-s * way)) / (2 * s) for s in (2e-3, 1e-3))
        wanted, found = (4 * fine - coarse) / 3, linear.A[linear.freedom :, k]
        assert np.abs(found - wanted).max() < 1e-6 * max(1.0, np.abs(linear.A).max())


def test_a_motor_by_velocity_in_the_middle_of_a_run():
    """What it has turned so far is where it is: the rest has the linear model that it has at the start."""

    def turntable():
        model = lw.Model("arm on a turntable", gravity=(0, 0, 0))
        table = model.body("table", mass=1.0, inertia=(1, 1, 1))
        arm = model.body("arm", mass=2.0, inertia=(0.1, 0.1, 0.1), com=(0.3, 0, 0))
        shaft = model.revolute("shaft", model.ground, table, at=(0, 0, 0), axis=(0, 0, 1))
        model.motor("drive", shaft, velocity=9.0)
        model.revolute("pin", table, arm, at=(0.2, 0, 0), axis=(0, 0, 1), stiffness=50.0, velocity=0.0)
        return model

    sim = lw.Simulation(turntable(), method="recursive", dt=1e-3)
    sim.step(200)
    found, wanted = lw.linearise(sim), lw.linearise(turntable(), at="start")
    assert abs(sim["pin.position"]) < 1e-9  # the arm turns with the table
    assert np.allclose(found.A, wanted.A, rtol=1e-9, atol=1e-9)
    assert np.allclose(np.linalg.eigvals(lw.linearise(sim, at="steady").A), np.linalg.eigvals(wanted.A), rtol=1e-9)


@pytest.mark.parametrize("stiffness", [1e8, 1e13])
def test_a_slow_swing_beside_a_stiff_spring_is_no_rigid_motion(stiffness):
    """0.6 Hz beside a spring of 1e4 and 3e6 rad/s: slow is not rigid."""
    model = hanging_rod(angle=math.pi / 2)  # straight down
    block = model.body("block", mass=1.0, inertia=(1, 1, 1), position=(5, 0, 0))
    model.prismatic("rail", model.ground, block, at=(5, 0, 0), axis=(1, 0, 0), stiffness=stiffness)
    modes = lw.linearise(model, at="start").modes()
    assert not modes.rigid.any()
    assert modes.frequencies[0] == pytest.approx(math.sqrt(1.5 * G) / (2 * math.pi), rel=1e-6)


@pytest.mark.parametrize("damping", [0.0, 2.0])
def test_every_rigid_motion_is_counted(damping):
    """Two blocks that slide freely have two, with dampers too, and beside a stiff spring."""
    model = lw.Model("blocks", gravity=(0, 0, 0))
    for k in range(3):
        block = model.body(f"block {k}", mass=1.0 + k, inertia=(1, 1, 1), position=(0, k, 0))
        spring = {"stiffness": 1e9} if k == 2 else {"damping": damping}
        model.prismatic(f"rail {k}", model.ground, block, at=(0, k, 0), axis=(1, 0, 0), **spring)
    modes = lw.linearise(model).modes()
    assert modes.rigid.sum() == 2
    assert len(modes) == (5 if damping else 3)
    assert modes.energy["block 0"][:2].sum() == pytest.approx(1.0)
    assert modes.energy["block 1"][:2].sum() == pytest.approx(1.0)


def test_saved_matrices_come_back(tmp_path):
    linear = lw.linearise(hanging_rod())
    linear.save(tmp_path / "rod.npz")
    with np.load(tmp_path / "rod.npz") as kept:
        assert np.array_equal(kept["A"], linear.A)
        assert kept["states"].tolist() == ["pin.position", "pin.velocity"]
    from scipy.io import loadmat

    linear.save(tmp_path / "rod.mat")
    assert np.array_equal(loadmat(tmp_path / "rod.mat")["A"], linear.A)


def test_what_cannot_be_linearised_says_why():
    model = hanging_rod()
    with pytest.raises(OptionError, match=r"'push' is no input of 'rod'.*there is none"):
        lw.linearise(model, inputs="push")
    with pytest.raises(OptionError, match="at= must be 'equilibrium', 'start', 'steady'"):
        lw.linearise(model, at="rest")
    with pytest.raises(OptionError, match="inputs and outputs"):
        lw.linearise(model).frequency_response([1.0])
    sim = lw.Simulation(model, method="recursive", dt=1e-3)
    with pytest.raises(OptionError, match="present state, or about a steady motion near it"):
        lw.linearise(sim, at="start")
    model.torque("push", "pin", 0.0)
    model.controller("brake", lambda t, seen: -seen[0], every=0.01, sees=["pin.velocity"], sets=["push"])
    with pytest.raises(
        OptionError, match="has the controller 'brake', which cannot be linearised; leave it out, or let lw.floquet"
    ):
        lw.linearise(model, at="start")
    rough = lw.Model("rough")
    body = rough.body("body", mass=1.0, inertia=(1, 1, 1), com=(0, 0, -1))
    rough.revolute("pin", rough.ground, body, at=(0, 0, 0), axis=DOWN, friction=0.1)
    with pytest.raises(OptionError, match=r"has friction, which cannot be linearised; leave that out"):
        lw.linearise(rough)


def test_noise_of_free_spins_does_not_get_into_other_modes():
    modes = lw.linearise(lw.gallery.car.build()).modes()
    assert modes.rigid.sum() == 2  # both wheels spin freely
    swinging = np.flatnonzero(modes.frequencies > 0.1)
    assert len(swinging) == 3
    for k in swinging:  # all are symmetric or antimetric
        assert modes.energy["left wheel.ring"][k] == pytest.approx(modes.energy["right wheel.ring"][k], rel=1e-6)
    assert modes.energy["car body"][swinging[0]] > 0.95
