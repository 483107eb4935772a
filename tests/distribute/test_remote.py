"""Components elsewhere: remote = local, whatever crosses the border, and errors that name the component."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.distribute.listen import listen
from linkwork.distribute.remote import PROTOCOL
from linkwork.distribute.server import serve
from linkwork.distribute.socket_transport import pair
from linkwork.distribute.substitute import substitute
from linkwork.distribute.transport import PeerError
from linkwork.formulations.component.remote_border import PORT
from linkwork.gallery import car
from linkwork.simulation.stepping import remote_links
from linkwork.simulation.stepping.remote_links import Border
from linkwork.simulation.stepping.workspaces import ready_components

sys.path.insert(0, str(Path(__file__).parent))
import far_parts
from far_parts import Arm, Carriage, Exploding, Failing, Half, Leaf, Parallelogram, Portless, Spinning, Tyred
from processes import Process

Make = Callable[[], lw.Subsystem]
Part = Callable[[str, Make], Any]
Machine = Callable[[Part], lw.Model]

SAME = 1e-12  # m, rad and their rates, for motions of the size of 1
DT = 1e-3


class Served:
    """Threads that serve components over `pair()`, and what they ended with."""

    def __init__(self) -> None:
        self.threads: list[threading.Thread] = []
        self.errors: list[BaseException] = []

    def transport(self, make: Make, *, timeout: float = 60.0, wrap: Callable[[Any], Any] = lambda t: t) -> Any:
        here, there = pair(timeout)

        def work() -> None:
            try:
                serve(make, wrap(there))
            except BaseException as error:
                self.errors.append(error)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        self.threads.append(thread)
        return here

    def remote(self, make: Make, **options: Any) -> lw.Remote:
        return lw.Remote(transport=self.transport(make, **options))

    def part(self, *names: str) -> Part:
        """Parts with these names live elsewhere, the others here."""
        return lambda name, make: self.remote(make) if name in names else make()

    def ended(self, seconds: float = 10.0) -> bool:
        for thread in self.threads:
            thread.join(seconds)
        return not any(thread.is_alive() for thread in self.threads)


@contextmanager
def listening(make: Make, **options: Any) -> Iterator[str]:
    """An address at which a thread serves one whole after the other."""
    listener, done = listen(0, timeout=20), threading.Event()

    def work() -> None:
        while not done.is_set():
            if listener.wait(0.02):
                with suppress(PeerError, lw.RunError):
                    serve(make, listener.accept(), **options)

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield listener.address
    finally:
        done.set()
        thread.join(10)
        listener.close()
    assert not thread.is_alive()


@pytest.fixture(scope="module")
def ready() -> None:
    """Kernels are compiled before anybody has to answer in time."""
    ready_components()


@pytest.fixture
def served(ready: None) -> Iterator[Served]:
    before = set(threading.enumerate())
    serving = Served()
    yield serving
    assert serving.ended(), "a serving thread is left behind"
    assert {thread for thread in threading.enumerate() if thread not in before} == set()


def here(_: str, make: Make) -> Any:
    return make()


def differences(run: lw.Trajectory, wanted: lw.Trajectory) -> float:
    """Largest difference of all columns that both have, relative to the largest entry of each (at least 1)."""
    shared = [name for name in run.names if name in wanted.names]
    assert len(shared) > 5
    assert np.array_equal(run.time, wanted.time)
    worst = 0.0
    for name in shared:
        # forces and accelerations are larger than the motion by the stiffness of springs
        size = max(1.0, float(np.max(np.abs(wanted[name]))))
        if name.endswith((".reaction", ".acceleration")):
            kin = [other for other in shared if other.endswith(name.rpartition(".")[2])]
            size = max(size, *(float(np.max(np.abs(wanted[other]))) for other in kin))
        worst = max(worst, float(np.max(np.abs(run[name] - wanted[name]))) / size)
    return worst


def same_bits(run: lw.Trajectory, other: lw.Trajectory) -> bool:
    return all(np.array_equal(run[name], other[name]) for name in run.names) and run.names == other.names


# ---- machines whose parts may be anywhere ----------------------------------------------------------------------------


def small_car(part: Part) -> lw.Model:
    """The car of the gallery, its wheels made by `part`."""
    model = car.build()
    for side in ("left", "right"):
        made = part(f"{side} wheel", car.Wheel)
        if isinstance(made, lw.Remote):
            substitute(model, f"{side} wheel", made)
    return model


def loop_across(part: Part, *, kind: str = "revolute", hang: str = "ball") -> lw.Model:
    """An arm that carries a trolley at both of its ends: a loop that runs through two levels."""
    model = lw.Model("loop across", gravity=(0.5, 0.3, -9.0))
    trolley = model.body("trolley", mass=4.0, inertia=(0.3, 0.3, 0.3), position=(0.75, 0, 1))
    model.prismatic("rail", model.ground, trolley, at=(0.75, 0, 1), axis=(1, 0, 0), damping=1.0)
    arm = model.add("arm", part("arm", lambda: Arm(kind=kind)))
    for k, (port, x) in enumerate(((arm.near, 0.0), (arm.far, 1.5))):
        link = model.body(f"link {k}", mass=0.5, inertia=(0.01, 0.01, 0.01), position=(x, 0, 0.5))
        model.universal(f"shoulder {k}", trolley, link, at=(x, 0, 1), axis=((1, 0, 0), (0, 1, 0)))
        getattr(model, hang)(f"wrist {k}", link, port, at=(x, 0, 0), **({} if hang == "ball" else {"axis": (0, 1, 0)}))
    return model


def on_the_ground(part: Part) -> lw.Model:
    """Joints between a foreign port and the ground, a moving ground, and another foreign port; springs, a bushing."""
    model = lw.Model("on the ground", gravity=(0.2, 0.4, -9.5))
    table = model.moving_ground("table", lw.Motion(position=(0, lw.Cosine(0.02, 2.0, offset=-0.02), 0)))
    first = model.add("first", part("first", Arm), position=(0, 0, 1), rotation=(0.8, 0, 0.6, 0))
    second = model.add("second", part("second", lambda: Arm(mass=0.7)), position=(3, 0.2, 0.4))
    world = lw.Frame((0, 0, 1), (0.8, 0, 0.6, 0))
    model.ball("hook", model.ground, first.near, at=world.point((0, 0, 0)))
    model.ball("clamp", table, second.far, at=(4.5, 0.2, 0.4))
    model.spring("rope", first.far, second.near, at_b=(-0.2, 0, 0), stiffness=60.0, damping=2.0, length=1.0)
    model.spring("tie", model.ground, first.far, at_a=(2, 1, 0), stiffness=30.0, damping=0.5, length=1.0)
    bridge = model.body("bridge", mass=0.4, inertia=(0.02, 0.02, 0.02), position=(2.4, 0, 0))
    model.universal("fork", second.near, bridge, at=(2.6, 0.1, 0.2), axis=((1, 0, 0), (0, 1, 0)))
    model.bushing("mount", first.far, bridge, at=(2.2, 0, 0), stiffness=(20, 30, 25, 2, 3, 1), damping=np.full(6, 0.1))
    model.force("wind", bridge, (0.0, 1.5, 0.0))
    model.torque("drive", model.joints["fork"], 0.4)
    return model


def port_to_port(part: Part) -> lw.Model:
    """Two components joined directly, one of them held by its own ground, the other with loops inside."""
    model = lw.Model("port to port")
    frame = model.add("frame", part("frame", Parallelogram), position=(0, 0, 1))
    block = model.add("block", part("block", Carriage), position=(1.2, 0.3, 1.5), rotation=(0.9, 0.1, 0.3, 0.2))
    arm = model.add("arm", part("arm", lambda: Arm(kind="ball")), position=(0.2, 0, 1.5))
    model.ball("left", frame.coupler, arm.near, at=(0.25, 0, 1.5))
    model.ball("right", arm.far, block.block, at=(1.4, 0.2, 1.5))
    return model


def nested(part: Part) -> lw.Model:
    """Components elsewhere inside subsystems that are here, side by side, with bodies of their own at the border."""
    model = lw.Model("nested", gravity=(0, 1.0, -9.0))
    ends = []
    for k in range(2):
        axle = model.add(f"axle {k}", lw.Subsystem(), position=(0, 2.0 * k, 0), rotation=(0.8, 0, 0, 0.6))
        hub = axle.body("hub", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(-0.2, 0, 0))
        arm = axle.add("arm", part(f"arm {k}", Arm))
        axle.revolute("flange", hub, arm.near, at=(0, 0, 0), axis=(1, 0, 0))
        axle.port("hub", hub)
        axle.port("far", arm.far)
        world = axle.placement
        model.ball(f"mount {k}", model.ground, hub, at=world.point((-0.2, 0, 0.1)))
        ends.append((axle, world.point((1.5, 0, 0))))
    bar = model.body("bar", mass=1.0, inertia=(0.2, 0.02, 0.2), position=(ends[0][1] + ends[1][1]) / 2)
    for k, (axle, at) in enumerate(ends):
        model.ball(f"end {k}", bar, axle.far, at=at)
    return model


def held_twice(part: Part) -> lw.Model:
    """The whole holds once more what the component holds already, along an axis that is no axis of the world."""
    model = lw.Model("held twice")
    held = model.add("held", part("held", Carriage))
    model.prismatic("again", model.ground, held.block, at=(0, 0, 0), axis=(0.6, 0, 0.8))
    rod = model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0, 0, -0.5))
    model.revolute("pin", held.block, rod, at=(0, 0, 0), axis=(0.6, 0.64, 0.48))
    return model


def held_fast(part: Part) -> lw.Model:
    """A component that cannot move at all: its D is nothing."""
    model = lw.Model("held fast")
    held = model.add("held", part("held", lambda: Carriage(kind="fixed")))
    rod = model.body("rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=(0.3, 0, -0.5))
    model.revolute("pin", held.block, rod, at=(0, 0, 0), axis=(0.6, 0.64, 0.48))
    model.fixed("weld", model.ground, held.block, at=(0.1, 0.2, 0.3))
    return model


def four_bar(part: Part) -> lw.Model:
    """Two grounded halves whose common joint holds three times what they hold already."""
    model = lw.Model("four-bar")
    turn = (0.8, 0.36, -0.24, 0.42)
    left = model.add("left", part("left", lambda: Half(coupler=True)), position=(0.1, 0.2, 0.3), rotation=turn)
    world = lw.Frame((0.1, 0.2, 0.3), turn)
    right = model.add("right", part("right", Half), position=world.point((1, 0, 0)), rotation=turn)
    model.revolute("knee", left.coupler, right.crank, at=world.point((1, 0, 0.5)), axis=world.direction((0, 1, 0)))
    return model


def carts(part: Part) -> lw.Model:
    """Two blocks on parallel rails, welded together: one row of six holds what moves."""
    model = lw.Model("carts")
    first = model.add("first", part("first", Carriage))
    second = model.add("second", part("second", Carriage), position=(0.3, 1.0, 0))
    model.fixed("weld", first.block, second.block, at=(0.15, 0.5, 0))
    return model


def door(part: Part) -> lw.Model:
    """The halves of a door, bolted together: each has redundant hinges, and cannot slide where its origin is."""
    model = lw.Model("door", gravity=(2.0, 1.0, -9.0))
    lower = model.add("lower", part("lower", Leaf))
    upper = model.add("upper", part("upper", lambda: Leaf(mass=1.0)), position=(0, 0, 1.2))
    model.fixed("bolt", lower.leaf, upper.leaf, at=(0, 0, 1.1))
    return model


def cranked(part: Part) -> lw.Model:
    """A rocker driven by a wheel that turns already when it is met: the loop starts as fast as its owner has it."""
    model = lw.Model("cranked")
    wheel = model.add("wheel", part("wheel", Spinning), position=(0.1, 0.2, 1), rotation=(0.8, 0.6, 0, 0))
    coupler = model.body("coupler", mass=0.7, inertia=(0.06, 0.05, 0.02), position=(0.1, 1.0, 1.25))
    rocker = model.body("rocker", mass=1.0, inertia=(0.06, 0.05, 0.02), position=(0.1, 1.5, 1.0))
    pin = model.revolute("pin", wheel.wheel, coupler, at=(0.1, 0.5, 1), axis=(1, 0, 0))
    model.revolute("knee", coupler, rocker, at=(0.1, 1.5, 1.5), axis=(1, 0, 0))
    model.revolute("foot", model.ground, rocker, at=(0.1, 1.5, 0.5), axis=(1, 0, 0))
    model.torque("brake", pin, lambda t, position, velocity: -0.2 * velocity)
    return model


MACHINES: dict[str, tuple[Machine, tuple[str, ...]]] = {
    "wheels": (small_car, ("left wheel", "right wheel")),
    "one wheel": (small_car, ("right wheel",)),
    "loop across": (loop_across, ("arm",)),
    "loop across, balls": (lambda part: loop_across(part, kind="ball"), ("arm",)),
    "loop across, universal": (lambda part: loop_across(part, kind="universal"), ("arm",)),
    "on the ground": (on_the_ground, ("first", "second")),
    "on the ground, one": (on_the_ground, ("second",)),
    "port to port": (port_to_port, ("frame", "block", "arm")),
    "port to port, two": (port_to_port, ("frame", "arm")),
    "nested": (nested, ("arm 0", "arm 1")),
    "held twice": (held_twice, ("held",)),
    "held fast": (held_fast, ("held",)),
    "cranked": (cranked, ("wheel",)),
    "four-bar": (four_bar, ("left", "right")),
    "carts": (carts, ("first", "second")),
    "door": (door, ("lower", "upper")),
    "door, one": (door, ("upper",)),
}


# ---- remote = local --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MACHINES)
def test_remote_is_local(name: str, served: Served) -> None:
    machine, names = MACHINES[name]
    run = lw.simulate(machine(served.part(*names)), until=0.1, dt=DT, method="component")
    wanted = lw.simulate(machine(here), until=0.1, dt=DT, method="component")
    assert differences(run, wanted) < SAME
    assert served.ended()
    assert served.errors == []
    # what is known here is accounted for here: the energy that comes in through the ports is work
    assert abs(run.energy["balance"][-1]) < 1e-6 * run.certificate.energy_scale + 10 * abs(wanted.energy["balance"][-1])
    assert run.certificate.worst_drift_position < 1e-12
    again = lw.simulate(machine(served.part(*names)), until=0.1, dt=DT, method="component")
    assert same_bits(run, again)


@pytest.mark.parametrize(("name", "rank"), [("four-bar", 2), ("carts", 1), ("door", 1)])
def test_redundant_rows_at_ports_are_counted(name: str, rank: int, served: Served) -> None:
    """As in the whole, for the joints that are here."""
    machine, names = MACHINES[name]
    certificate = lw.simulate(machine(served.part(*names)), until=0.01, dt=DT, method="component").certificate
    wanted = lw.simulate(machine(here), until=0.01, dt=DT, method="component").certificate
    joints = machine(here).joints
    assert certificate.rank_min == certificate.rank_max == rank
    assert certificate.redundant_rows == [row for row in wanted.redundant_rows if row.partition(":")[0] in joints]
    assert certificate.redundant_rows


@pytest.mark.parametrize("integrator", ["semi-implicit", "rk2", "rk4", "abm4"])
def test_every_integrator_with_fixed_steps(integrator: str, served: Served) -> None:
    options: dict[str, Any] = {"until": 0.05, "dt": DT, "method": "component", "integrator": integrator}
    run = lw.simulate(on_the_ground(served.part("first", "second")), **options)
    assert differences(run, lw.simulate(on_the_ground(here), **options)) < SAME


def test_without_stabilisation(served: Served) -> None:
    options: dict[str, Any] = {"until": 0.05, "dt": DT, "method": "component", "stabilize": False}
    run = lw.simulate(loop_across(served.part("arm")), **options)
    assert differences(run, lw.simulate(loop_across(here), **options)) < SAME


def test_the_adaptive_integrator_is_refused_and_nothing_is_spent(served: Served) -> None:
    model = loop_across(served.part("arm"))
    with pytest.raises(lw.OptionError, match=r"'arm'.*adaptive.*fixed step"):
        lw.simulate(model, until=0.01, dt=DT, method="component", integrator="adaptive")
    lw.simulate(model, until=0.01, dt=DT, method="component")


def test_joint_coordinates_and_other_methods_are_refused(served: Served) -> None:
    model = loop_across(served.part("arm"))
    with pytest.raises(lw.OptionError, match=r"arm.*coordinates='absolute'"):
        lw.simulate(model, until=0.01, method="component", coordinates="joint")
    for method in ("absolute", "recursive"):
        with pytest.raises(lw.OptionError, match=r"remote components.*'component'"):
            lw.simulate(model, until=0.01, method=method)
    lw.simulate(model, until=0.01, dt=DT, method="component")


@pytest.mark.parametrize("integrator", ["rk4", "abm4"])
def test_stepping_with_changing_inputs(integrator: str, served: Served) -> None:
    states = []
    for part in (served.part("first", "second"), here):
        sim = lw.Simulation(on_the_ground(part), lw.Components(dt=DT, integrator=integrator))
        for k in range(6):
            sim.inputs["drive"] = 2.0 * (-1) ** k
            sim.step(7)
        states.append(dict(zip(sim.moving.body_names, sim.q.reshape(-1, 7).copy(), strict=True)))
        assert sim.steps == 42
        sim.close()
    assert np.max(np.abs(states[0]["bridge"] - states[1]["bridge"])) < SAME


def test_moved_placement(served: Served) -> None:
    """The same machine somewhere else, turned: the same motion, seen from there."""
    runs = []
    place = lw.Frame((3.0, -2.0, 1.0), (0.5, -0.1, 0.7, 0.3))
    for where in (lw.Frame(), place):
        model = lw.Model("moved", gravity=where.direction((0, 0, -9.81)))
        arm = model.add("arm", served.remote(Arm), position=where.position, rotation=where.rotation)
        model.ball("hook", model.ground, arm.near, at=where.point((0, 0, 0)))
        rod = model.body(
            "rod", mass=1.0, inertia=(0.1, 0.1, 0.01), position=where.point((1.5, 0, -0.5)), rotation=where.rotation
        )
        model.ball("hang", arm.far, rod, at=where.point((1.5, 0, 0)))
        runs.append(lw.simulate(model, until=0.1, dt=DT, method="component"))
    back = np.array([place.inverse().point(x) for x in runs[1]["rod.position"]])
    assert np.max(np.abs(back - runs[0]["rod.position"])) < 1e-12


def test_a_transport_serves_one_run(served: Served) -> None:
    model = loop_across(served.part("arm"))
    lw.simulate(model, until=0.01, dt=DT, method="component")
    with pytest.raises(lw.OptionError, match=r"'arm' came over a transport that serves once; make a new Remote"):
        lw.simulate(model, until=0.01, dt=DT, method="component")


# ---- another process -------------------------------------------------------------------------------------------------


FAR = far_parts.__file__ or ""


SAME_BITS = """
import sys
import numpy as np
import linkwork as lw
import test_remote as t

serving = t.Served()
far = lw.Remote(sys.argv[1], timeout=60)
models = [t.loop_across(lambda _, __: far), t.loop_across(serving.part("arm")), t.loop_across(t.here)]
models.insert(1, models[0])
runs = [lw.simulate(model, until=0.05, dt=1e-3, method="component") for model in models]
assert t.same_bits(runs[0], runs[1]), "a second run connects again and gives the same"
assert t.same_bits(runs[0], runs[2]), "in another process and in this one"
assert t.differences(runs[0], runs[3]) < t.SAME
assert serving.ended() and not serving.errors
"""


def test_another_process_gives_the_same_bits(process: Callable[..., Process], ready: None) -> None:
    """Both ends load the kernels that were kept; the process that has compiled them may round differently."""
    far = process(f"{FAR}:Arm", "--runs", "2")
    folders = [str(Path(__file__).parent), str(Path(__file__).parents[1]), *sys.path]
    whole = subprocess.run(
        [sys.executable, "-c", SAME_BITS, far.address],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert whole.returncode == 0, whole.stderr
    assert far.end() == (0, "")


def test_wheels_in_two_processes(process: Callable[..., Process], ready: None) -> None:
    far = {side: process("car:Wheel", "--runs", "1") for side in ("left", "right")}
    model = small_car(lambda name, _: lw.Remote(far[name.split()[0]].address, timeout=60))
    options: dict[str, Any] = {"until": 0.05, "dt": DT, "method": "component"}
    assert differences(lw.simulate(model, **options), lw.simulate(small_car(here), **options)) < SAME
    assert [each.end()[0] for each in far.values()] == [0, 0]


def test_a_process_that_is_killed(process: Callable[..., Process], ready: None) -> None:
    far = process(f"{FAR}:Arm", "--runs", "1")
    model = loop_across(lambda _, __: lw.Remote(far.address, timeout=60))
    killed: list[float] = []

    def told(moment: float) -> None:
        if moment > 0.02 and not killed:
            killed.append(time.monotonic())
            os.kill(far.process.pid, signal.SIGKILL)
            far.process.wait()

    with pytest.raises(lw.RunError, match=r"component 'arm' was lost \(.*closed the connection") as caught:
        lw.simulate(model, until=60.0, dt=DT, method="component", progress=told)
    assert time.monotonic() - killed[0] < 5.0
    check_kept(caught.value, "arm")


def test_a_whole_that_ends_leaves_the_server_serving(process: Callable[..., Process], ready: None) -> None:
    """The connection breaks in the middle of a run; the next whole is served as if nothing had been."""
    far = process(f"{FAR}:Arm", "--runs", "2")
    sim = lw.Simulation(loop_across(lambda _, __: lw.Remote(far.address, timeout=60)), lw.Components(dt=DT))
    sim.step(3)
    assert sim.stepper.remote_links is not None
    sim.stepper.remote_links.remotes[0].transport.close()  # no farewell
    with pytest.raises(lw.RunError, match=r"'arm'.*closed on this side"):
        sim.step(3)
    lw.simulate(loop_across(lambda _, __: lw.Remote(far.address, timeout=60)), until=0.01, dt=DT, method="component")
    code, err = far.end()
    assert code == 0
    assert "Traceback" not in err


# ---- what goes wrong -------------------------------------------------------------------------------------------------


def check_kept(error: lw.RunError, component: str) -> None:
    """The error names the component, and has what was recorded until then."""
    assert error.culprit == component
    assert error.run is not None
    assert len(error.run.time) > 1
    assert np.isfinite(error.run["trolley.position"]).all()
    assert f"{len(error.run.time)} samples" in str(error)
    assert str(error).count("\n") == 0


def with_part(make: Callable[[], Any]) -> lw.Model:
    """A trolley with something hanging on it."""
    model = lw.Model("trolley")
    trolley = model.body("trolley", mass=1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 1))
    model.prismatic("rail", model.ground, trolley, at=(0, 0, 1), axis=(1, 0, 0))
    part = model.add("thing", make())
    model.ball("hook", trolley, part.block, at=(0, 0, 0.5))
    return model


@pytest.mark.parametrize("how", ["nan", "inf", "raise"])
def test_a_law_that_fails_inside(how: str, served: Served) -> None:
    model = with_part(lambda: served.remote(lambda: Failing(how=how)))
    words = {"nan": "returned nan", "inf": "returned inf", "raise": "ZeroDivisionError: deep inside"}[how]
    with pytest.raises(lw.RunError, match=rf"component 'thing' failed.*push.*{words}") as caught:
        lw.simulate(model, until=1.0, dt=DT, method="component")
    check_kept(caught.value, "thing")
    assert caught.value.run is not None
    assert caught.value.run.time[-1] == pytest.approx(0.02)


def test_a_component_that_blows_up(served: Served) -> None:
    model = with_part(lambda: served.remote(Exploding))
    with pytest.raises(lw.RunError, match=r"component 'thing' failed \(joint 'hook' was torn apart") as caught:
        lw.simulate(model, until=1.0, dt=DT, method="component")
    assert caught.value.culprit == "thing"
    assert caught.value.run is not None
    assert np.abs(caught.value.run["trolley.position"]).max() <= 1.0  # no row of what came after


def test_a_whole_that_blows_up_blames_nobody_else(served: Served) -> None:
    def law(t: float) -> float:
        return float("nan") if t > 0.02 else 0.0

    model = with_part(lambda: served.remote(Carriage))
    model.force("gust", model.bodies["trolley"], law, axis=(1, 0, 0))
    with pytest.raises(lw.RunError, match=r"the law of force 'gust' failed") as caught:
        lw.simulate(model, until=1.0, dt=DT, method="component")
    check_kept(caught.value, "force 'gust'")
    assert served.ended()


def test_a_component_that_is_slow(served: Served) -> None:
    model = with_part(lambda: served.remote(lambda: Failing(how="sleep", seconds=3.0), timeout=0.5))
    begin = time.monotonic()
    with pytest.raises(lw.RunError, match=r"component 'thing' was lost \(.*did not answer within 0.5 s") as caught:
        lw.simulate(model, until=1.0, dt=DT, method="component")
    assert time.monotonic() - begin < 2.5
    check_kept(caught.value, "thing")


class Dying:
    """A transport that breaks after so many messages."""

    def __init__(self, transport: Any, messages: int) -> None:
        self._transport, self._left = transport, messages

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def send(self, values: Any) -> None:
        self._left -= 1
        if self._left == 0:
            self._transport.close()
        self._transport.send(values)


@pytest.mark.parametrize("messages", [1, 2, 5, 200])
def test_a_component_that_dies(messages: int, served: Served) -> None:
    """At the first message, between two, in the middle of a step: always told, whatever the moment."""
    make = lambda: served.remote(Carriage, wrap=lambda t: Dying(t, messages))  # noqa: E731
    with pytest.raises(lw.RunError, match=r"component 'thing' was lost \(.*has closed the connection") as caught:
        lw.simulate(with_part(make), until=1.0, dt=DT, method="component")
    if messages > 20:
        check_kept(caught.value, "thing")
    assert caught.value.culprit == "thing"


def test_one_of_two_dies_and_the_other_is_let_go(served: Served) -> None:
    remotes = {
        "first": lambda make: served.remote(make),
        "second": lambda make: served.remote(make, wrap=lambda t: Dying(t, 100)),
    }
    with pytest.raises(lw.RunError, match=r"component 'second' was lost"):
        lw.simulate(on_the_ground(lambda name, make: remotes[name](make)), until=1.0, dt=DT, method="component")
    assert served.ended(2.0)


def answer_once(transport: Any, answers: list[dict[str, Any]]) -> None:
    for answer in answers:
        transport.receive_text()
        transport.send_text(json.dumps(answer))


def test_another_protocol() -> None:
    whole, part = pair(5.0)
    thread = threading.Thread(target=answer_once, args=(part, [{"protocol": PROTOCOL + 1, "ports": []}]))
    thread.start()
    with pytest.raises(PeerError, match=rf"speaks protocol {PROTOCOL + 1} and this side {PROTOCOL}"):
        lw.Remote(transport=whole)
    thread.join(5)
    assert not thread.is_alive()


def test_a_whole_of_another_protocol(served: Served) -> None:
    whole = served.transport(Arm)
    whole.send_text(json.dumps({"protocol": PROTOCOL + 1, "verb": "describe"}))
    assert f"speaks protocol {PROTOCOL}" in json.loads(whole.receive_text())["error"]
    whole.close()


@pytest.mark.parametrize("text", ["", "no json", "[]", "{}", '{"protocol": null}', '{"protocol": 1, "verb": "dance"}'])
def test_nonsense_from_a_whole_ends_the_connection_in_order(text: str, served: Served) -> None:
    whole = served.transport(Arm)
    whole.send_text(text)
    assert "error" in json.loads(whole.receive_text())
    whole.close()
    assert served.ended()
    assert served.errors == []


@pytest.mark.parametrize(
    "answer",
    [
        "no json",
        "[]",
        '{"protocol": 1}',
        '{"protocol": 1, "ports": []}',
        '{"protocol": 1, "ports": [{"name": "x"}]}',
        '{"protocol": 1, "ports": [{"name": "x", "position": [0, 0, 0], "rotation": [0, 0, 0, 0], "at": 0}]}',
    ],
)
def test_nonsense_from_a_component_is_told(answer: str) -> None:
    whole, part = pair(5.0)
    part.send_text(answer)
    with pytest.raises(PeerError, match="part: "):
        lw.Remote(transport=whole)
    part.close()


@pytest.mark.parametrize(("make", "words"), [(Portless, "has no port"), (lambda: 1 / 0, "ZeroDivisionError")])
def test_components_that_cannot_be_served(make: Any, words: str, served: Served) -> None:
    with pytest.raises(PeerError, match=words):
        served.remote(make)


def test_nobody_there() -> None:
    begin = time.monotonic()
    with pytest.raises(PeerError, match="no server is listening there"):
        lw.Remote("127.0.0.1:1", timeout=0.3)
    assert time.monotonic() - begin < 2.0


def test_nobody_there_on_the_command_line(tmp_path: Path) -> None:
    file = tmp_path / "lonely.py"
    file.write_text(
        'import linkwork as lw\nmodel = lw.Model("lonely")\n'
        'part = model.add("part", lw.Remote("127.0.0.1:1", timeout=0.2))\n'
    )
    found = CliRunner().invoke(app, ["run", str(file), "--method", "component", "--until", "1"])
    assert found.exit_code == 1
    assert "127.0.0.1:1: no server is listening there" in found.stderr
    assert "mistake" not in found.stderr


def test_a_listener_that_says_nothing() -> None:
    listener = listen(0, timeout=5)
    with pytest.raises(PeerError, match=r"did not greet within 0.3 s"):
        lw.Remote(listener.address, timeout=0.3)
    listener.close()


def test_a_start_that_cannot_be_lets_the_component_go(served: Served) -> None:
    """The whole fails before its first step."""
    model = with_part(lambda: served.remote(Carriage))
    model.force("gust", model.bodies["trolley"], lambda t, *_: float("nan"), axis=(1, 0, 0))
    with pytest.raises((lw.RunError, lw.ModelError)):
        lw.simulate(model, until=1.0, dt=DT, method="component")
    for remote in (part for part in model.subsystems.values() if isinstance(part, lw.Remote)):
        remote.close()
    assert served.ended(3.0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"method": "recursive"},
        {"method": "component", "integrator": "adaptive"},
        {"method": "component", "every": 1000},
        {"method": "component", "strict": {"colour": 1.0}},
        {"method": "component", "start": "somewhere"},
    ],
    ids=lambda wrong: next(reversed(wrong)),
)
def test_a_refused_run_lets_go_of_its_component(wrong: dict[str, Any], ready: None) -> None:
    """The server is free for whoever comes next, while the model of the refused run still lives."""
    with listening(Arm) as address:
        model = loop_across(lambda _, __: lw.Remote(address, timeout=5))
        with pytest.raises(lw.OptionError):
            lw.simulate(model, until=0.01, **({"dt": DT} | wrong))
        for after in (loop_across(lambda _, __: lw.Remote(address, timeout=5)), model):
            lw.simulate(after, until=0.01, dt=DT, method="component")


def test_a_model_with_a_component_elsewhere_is_checked(served: Served) -> None:
    """Without a run: what is here is told, what is elsewhere is not guessed; the run may follow."""
    model = loop_across(served.part("arm"))
    report = lw.check(model)
    assert (report.bodies, report.degrees_of_freedom, report.loops, report.redundant) == (3, None, None, {})
    assert "degrees of freedom and loops: unknown" in str(report)
    assert "component 'arm' lives elsewhere, its mass is not counted; its ports are near, far" in str(report)
    lw.simulate(model, until=0.01, dt=DT, method="component")


def test_a_wrong_model_with_a_component_elsewhere_is_refused_by_check(served: Served) -> None:
    model = loop_across(served.part("arm"))
    model.distance("too short", model.bodies["trolley"], model.subsystems["arm"].ports["near"], length=1e-3)
    with pytest.raises(lw.ModelError):
        lw.check(model)
    model.subsystems["arm"].close()  # type: ignore[attr-defined]


# ---- verify ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "component",
    [
        car.Damper(),
        car.Wheel(),
        car.Suspension(side="left"),
        Arm(),
        Arm(kind="ball"),
        Carriage(),
        Parallelogram(),
        Spinning(),
        Tyred(),
    ],
    ids=lambda component: type(component).__name__,
)
def test_good_components_are_found_good(component: lw.Subsystem, ready: None) -> None:
    verdict = lw.verify(component)
    assert verdict.good, str(verdict)
    assert verdict.ports == sorted(component.ports, key=verdict.ports.index)
    assert len(verdict.lines()) == 6


def test_a_component_that_cannot_move_is_good(ready: None) -> None:
    assert lw.verify(Carriage(kind="fixed")).good


def test_verify_over_the_wire(process: Callable[..., Process], ready: None) -> None:
    """Through nothing but its port; the same Remote then runs."""
    far = process(f"{FAR}:Arm", "--runs", "5")
    remote = lw.Remote(far.address, timeout=60)
    verdict = lw.verify(remote)
    assert verdict.good, str(verdict)
    assert verdict.component == "Arm"
    lw.simulate(loop_across(lambda _, __: remote), until=0.01, dt=DT, method="component")
    assert far.end() == (0, "")


def tampered(change: Callable[[Any, int], None]) -> Callable[[Border], None]:
    """The carrier of a component that lies: `change` gets D and the number of ports before it is sent."""
    honest = Border.exchange

    def exchange(self: Border) -> None:
        ports = self._down.size // 6
        change(self._up[1 + PORT * ports :].reshape(6 * ports, 6 * ports), ports)
        honest(self)

    return exchange


def skewed(D: Any, _: int) -> None:
    D[0, 1] += 0.01 * D[0, 0]


def negative(D: Any, _: int) -> None:
    D -= 1.5 * np.max(np.linalg.eigvalsh(D)) * np.eye(len(D))


def doubled(D: Any, _: int) -> None:
    D *= 2.0


def leaning(D: Any, _: int) -> None:
    D[2, 2] *= 1.001  # along z of the world, however the component is turned


def unlimited(D: Any, _: int) -> None:
    D[0, 0] = np.inf


@pytest.mark.parametrize(
    ("change", "wrong"),
    [
        (skewed, {"symmetry of D", "D not negative", "same in any place"}),
        (negative, {"D not negative", "power at the ports"}),
        (doubled, {"power at the ports"}),
        (leaning, {"power at the ports", "same in any place"}),
        (unlimited, {"numbers", "D not negative", "symmetry of D", "power at the ports", "same in any place"}),
    ],
)
def test_bad_components_are_found_out(
    change: Callable[[Any, int], None], wrong: set[str], monkeypatch: pytest.MonkeyPatch, ready: None
) -> None:
    monkeypatch.setattr(Border, "exchange", tampered(change))
    monkeypatch.setattr(remote_links, "finite", lambda values: True)
    with np.errstate(invalid="ignore"):
        verdict = lw.verify(Arm())
    assert not verdict.good
    found = {what for what, (holds, _) in verdict.checks.items() if not holds}
    assert found
    assert found <= wrong
    assert "NOT good" in str(verdict)


def test_a_component_without_ports_cannot_be_verified(served: Served) -> None:
    with pytest.raises(PeerError, match="has no port"):
        lw.verify(Portless())


def test_a_remote_over_a_transport_cannot_be_verified_again(served: Served) -> None:
    remote = served.remote(Arm)
    with pytest.raises(lw.OptionError, match="serves once"):
        lw.verify(remote)
