"""The stepping side of the live page: what is clicked reaches the simulation, what it does reaches the shared frame."""

import base64
import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.assembly.assemble import assemble
from linkwork.cli import app
from linkwork.simulation.results.certificate import Certificate
from linkwork.simulation.results.scene import scene_of
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.targets import find
from linkwork.viewer.live import live
from linkwork.viewer.live import shared_frame as slot
from linkwork.viewer.live.driver import Driver
from linkwork.viewer.live.live_state import LiveState, methods_for, preview
from linkwork.viewer.live.page_data import page_data
from linkwork.viewer.live.page_process import PageProcess
from linkwork.viewer.live.player import Player
from linkwork.viewer.live.shared_frame import SharedFrame
from linkwork.viewer.live.sliders import sliders
from linkwork.viewer.live.token_proxy import TokenProxy
from linkwork.viewer.staging import Stage

MOMENT = 0.5 * 2.0 * 0.3**2


def flywheel():
    """A flywheel on a torque that is a number, so that it is an input."""
    model = lw.Model("flywheel")
    wheel = model.body("wheel", mass=2.0, shape=lw.Cylinder(0.3, 0.1))
    pin = model.revolute("pin", model.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1))
    model.torque("drive", pin, 0.0)
    return model


def make(method=None, dt=None):
    return lw.Simulation(flywheel(), method or "recursive", dt=dt or 1e-3)


class Nobody:
    """Stands for the page: keeps what it is told."""

    alive = True

    def __init__(self, stage):
        self.frame, self.told = SharedFrame(len(stage.names), len(stage.joints())), []

    def send(self, *words):
        self.told.append(words)


@pytest.fixture
def driver():
    stage = preview(lambda: make())
    sim = make()
    link = Nobody(stage)
    made = Driver(link, make, sim, LiveState(sim, stage))
    made.receive("run", False)
    yield made
    link.frame.close()


def seen(driver):
    driver.show()
    return driver.page.frame.read()


def test_paused_it_stands_and_steps_singly(driver):
    driver.go(time.perf_counter() + 1.0)
    assert seen(driver).head[slot.TIME] == 0.0
    for k in (1, 2, 3):
        driver.receive("single", 1)
        assert seen(driver).head[slot.TIME] == pytest.approx(k * 1e-3)
    assert seen(driver).head[slot.RUNNING] == 0.0


def test_running_it_takes_the_steps_that_are_due(driver):
    driver.receive("run", True)
    start = driver.clock.origin
    for later in (0.0042, 0.0101, 0.0299):
        driver.block = 1000
        driver.go(start + later)
        assert driver.sim.time == pytest.approx(round(later - 5e-4, 3), abs=1e-9)
    driver.receive("speed", 10.0)
    driver.block = 1000
    driver.go(driver.clock.origin + 0.00405)
    assert driver.sim.time == pytest.approx(0.029 + 0.040, abs=1e-9)


def test_an_input_moves_the_wheel_and_reset_brings_it_back(driver):
    driver.receive("input", "drive", 5.0)
    driver.receive("single", 30)
    picture = seen(driver)
    turn = picture.poses[0]
    assert 2 * np.arctan2(turn[6], turn[3]) == pytest.approx(0.5 * 5.0 / MOMENT * 0.03**2, rel=1e-6)
    assert picture.head[slot.ENERGY] == pytest.approx(0.5 * MOMENT * (5.0 / MOMENT * 0.03) ** 2, rel=1e-6)
    assert abs(picture.head[slot.BALANCE]) < 1e-9
    np.testing.assert_allclose(picture.forces[0], [0, 0, 2.0 * 9.81], atol=1e-9)
    driver.receive("reset")
    picture = seen(driver)
    assert picture.head[slot.TIME] == 0.0
    assert driver.sim.inputs["drive"] == 5.0
    np.testing.assert_allclose(picture.poses[0], [0, 0, 0, 1, 0, 0, 0], atol=1e-12)


def test_another_dt_goes_on_and_another_method_begins_anew(driver):
    driver.receive("single", 10)
    driver.receive("dt", 0.005)
    driver.receive("single", 2)
    assert driver.sim.time == pytest.approx(0.02)
    driver.receive("method", "recursive")
    assert driver.sim.time == 0.0
    assert driver.sim.method.dt == 0.005
    assert ("label", "recursive, rk4") in driver.page.told
    driver.receive("method", "no such")
    assert "unknown method" in driver.page.told[-1][1]
    assert driver.sim.method.name == "recursive"


def test_columns_that_are_watched(driver):
    driver.receive("watch", ["pin.velocity", "energy.kinetic", "wheel.position"])
    driver.receive("input", "drive", 1.0)
    driver.receive("single", 100)
    picture = seen(driver)
    assert picture.head[slot.PLOTTED_COUNT] == 5
    speed = 0.1 / MOMENT
    np.testing.assert_allclose(picture.plotted[:5], [speed, 0.5 * MOMENT * speed**2, 0, 0, 0], atol=1e-9)
    assert driver.state.choices()["wheel.position"] == (["x", "y", "z"], "m")
    assert driver.state.choices()["pin.velocity"] == ([""], "rad/s")


def test_joints_are_released_and_attached(driver):
    driver.receive("release", "pin")
    driver.receive("single", 100)
    picture = seen(driver)
    assert picture.poses[0, 2] == pytest.approx(-0.5 * 9.81 * 0.1**2, rel=1e-6)
    np.testing.assert_allclose(picture.forces[0], 0.0)
    assert driver.page.told[-1] == ("joints", ["pin"], [], [])
    driver.receive("attach", "ground", "wheel", "ball")
    height = seen(driver).poses[0, 2]
    driver.receive("single", 100)
    picture = seen(driver)
    assert picture.poses[0, 2] == pytest.approx(height, abs=1e-9)
    np.testing.assert_allclose(picture.forces[1], [0, 0, 2.0 * 9.81], atol=1e-6)  # in the room for attached ones
    word, gone, marks, joints = driver.page.told[-1]
    assert (word, gone, [mark["joint"] for mark in marks]) == ("joints", ["pin"], [joints[0]["name"]])
    assert marks[0]["shape"]["kind"] == "sphere"
    assert marks[0]["body"] == joints[0]["body"] == -1  # the ground carries it
    np.testing.assert_allclose(joints[0]["at"], [0, 0, height], atol=1e-9)
    driver.receive("release", "no such joint")
    assert driver.page.told[-1][0] == "note"


@pytest.mark.parametrize("method", ["recursive", "impulse"])
def test_a_body_is_pulled_by_a_spring(method):
    """A ball is grabbed at its top and pulled upwards."""
    model = lw.Model("ball", gravity=(0, 0, 0))
    model.body("ball", mass=2.0, shape=lw.Sphere(0.1), position=(1, 0, 0))

    def ball(other, dt):
        return lw.Simulation(model, method, dt=0.005)

    stage = preview(lambda: ball(None, None))
    sim = ball(None, None)
    link = Nobody(stage)
    pulled = Driver(link, ball, sim, LiveState(sim, stage))
    pulled.receive("grab", "ball", (1, 0, 0.1), (1, 0, 0.1))
    for height in np.linspace(0.1, 0.5, 20):
        pulled.receive("pull", "ball", (1, 0, height))
        pulled.receive("single", 5)
    pulled.receive("single", 400)
    np.testing.assert_allclose(sim["ball.position"], (1, 0, 0.4), atol=1e-3)
    pulled.receive("drop", "ball")
    before = sim["ball.velocity"]
    pulled.receive("single", 10)
    np.testing.assert_allclose(sim["ball.velocity"], before, atol=1e-9)  # nothing holds it any more
    assert link.told == []
    link.frame.close()


def test_a_run_that_fails_says_so_and_can_be_reset():
    model = lw.Model("bad")
    ball = model.body("ball", mass=1.0, shape=lw.Sphere(0.1))
    model.force("push", ball, lambda t: (0, 0, 1.0 if t < 0.01 else float("nan")))

    def bad(method, dt):
        return lw.Simulation(model, "recursive", dt=1e-3)

    stage = preview(lambda: bad(None, None))
    sim = bad(None, None)
    link = Nobody(stage)
    driver = Driver(link, bad, sim, LiveState(sim, stage))
    driver.receive("single", 50)
    assert "law of force 'push'" in link.told[-1][1]
    driver.receive("reset")
    assert driver.sim.time == 0.0
    link.frame.close()


def test_sliders_know_units_and_ends():
    model = flywheel()
    arm = model.body("arm", mass=1.0, shape=lw.Box((0.4, 0.05, 0.05)), position=(1, 0, 0))
    hinge = model.revolute("hinge", model.ground, arm, at=(1, 0, 0), axis=(0, 1, 0), limits=(-0.5, 1.5))
    block = model.body("block", mass=1.0, shape=lw.Box((0.1, 0.1, 0.1)), position=(2, 0, 0))
    slide = model.prismatic("slide", model.ground, block, at=(2, 0, 0), axis=(1, 0, 0))
    model.motor("servo", hinge, position=0.0)
    model.motor("belt", slide, velocity=0.25)
    model.force("wind", arm, 3.0, axis=(1, 0, 0))
    made = {each["name"]: each for each in sliders(model, {"drive": 0, "servo": 0, "belt": 0.25, "wind": 3.0}, 0.8)}
    assert (made["servo"]["unit"], made["servo"]["low"], made["servo"]["high"]) == ("rad", -0.5, 1.5)
    assert (made["belt"]["unit"], made["belt"]["low"], made["belt"]["high"]) == ("m/s", -0.5, 0.5)
    assert (made["wind"]["unit"], made["wind"]["high"]) == ("N", 6.0)
    assert made["drive"]["unit"] == "N m"
    assert made["drive"]["high"] == 5.0  # a quarter of 39 N at 0.8 m is 7.8 N m
    (wider,) = sliders(flywheel(), {"drive": 0}, 0.3, {"M": {"drive": -30.0}})
    assert (wider["low"], wider["high"]) == (-30.0, 1.0)


def test_methods_that_can():
    assert "recursive" in methods_for(make())
    model = flywheel()
    model.motor("motor", model["pin"], velocity=1.0)
    assert set(methods_for(lw.Simulation(model, "recursive", ignore=["motors"]))) == {"impulse", "maximal"}


def test_a_preview_is_as_large_as_the_motion():
    """The pendulum starts at x = -1 and swings over to +1."""
    stage = preview(lambda: lw.Simulation(lw.gallery.pendulum.build(), "recursive", dt=1e-3))
    assert stage.low[0] < -0.99
    assert stage.high[0] > 0.9


# --- recorded runs ----------------------------------------------------------------------------------------


def test_the_player_plays_loops_and_steps(swing):
    run = swing()
    player = Player([Stage(run)])
    player.page = Nobody(player.stages[0])
    player.go(10.0)
    player.go(11.0)
    player.show()
    picture = player.page.frame.read()
    assert picture.head[slot.TIME] == pytest.approx(1.0)
    np.testing.assert_allclose(picture.poses[1, :3], run["arm.position"][100], atol=1e-12)
    player.receive("single", 1)
    assert player.time == pytest.approx(1.01)
    player.receive("single", -1)
    player.receive("single", -1)
    assert player.time == pytest.approx(0.99)
    player.receive("speed", 2.0)
    player.receive("run", True)
    player.go(12.0)
    player.go(12.5)
    assert player.time == pytest.approx(0.99 + 2.0 + 1.0)
    player.go(13.0)
    assert player.time < 0.01  # round again
    player.receive("loop", False)
    player.go(20.0)
    assert player.time == 4.0
    assert not player.running
    player.receive("time", 2.5)
    assert player.time == 2.5
    player.page.frame.close()


def test_two_runs_are_one_picture(swing):
    stages = [Stage(swing()), Stage(swing(1.0))]
    show = page_data(stages, ["one", "other"])
    assert [body["name"] for body in show["bodies"]][3:] == ["other: block", "other: arm", "other: ball"]
    assert show["pins"][1]["body"] == show["pins"][0]["body"] + 3
    assert show["bodies"][0]["colour"] != show["bodies"][3]["colour"]
    player = Player(stages)
    player.page = Nobody(stages[0])
    player.page.frame.close()
    player.page.frame = SharedFrame(6, len(show["joints"]))
    player.receive("time", 1.0)
    player.show()
    poses = player.page.frame.read().poses
    np.testing.assert_allclose(poses[[2, 5], 2], [0.6 + 0.3 * np.sin(3.0), 0.6 + 0.3 * np.sin(4.0)], atol=1e-9)
    player.page.frame.close()


def test_five_runs_are_too_many(swing):
    with pytest.raises(lw.OptionError, match="one to 4 runs"):
        live.view_run(*[swing()] * 5)


# --- the page's process -----------------------------------------------------------------------------------


def spoken(address, path="/", *lines, name="localhost"):
    host, port = address.removeprefix("http://").partition("/")[0].split(":")
    with socket.create_connection((host, int(port)), timeout=10) as line:
        asked = "\r\n".join([f"GET {path} HTTP/1.1", f"Host: {name}", "Connection: close", *lines])
        line.sendall(f"{asked}\r\n\r\n".encode())
        return line.recv(400).decode("latin-1")


def socket_asked(address, name, *lines):
    """The answer to who wants a socket of the page that it asked for by this name."""
    key = base64.b64encode(bytes(16)).decode()
    upgrade = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", f"Sec-WebSocket-Key: {key}")
    host, port = address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as line:
        asked = "\r\n".join(["GET / HTTP/1.1", f"Host: {name}:{port}", *upgrade, *lines])
        line.sendall(f"{asked}\r\n\r\n".encode())
        return line.recv(400).decode("latin-1").split()[1]


def listening_ports(process):
    """Of a process, by what Linux tells."""
    sockets = set()
    for file in Path(f"/proc/{process}/fd").iterdir():
        with contextlib.suppress(OSError):
            sockets.add(os.readlink(file))
    rows = [line.split() for line in Path(f"/proc/{process}/net/tcp").read_text().splitlines()[1:]]
    return {int(row[1].split(":")[1], 16) for row in rows if row[3] == "0A" and f"socket:[{row[9]}]" in sockets}


def test_the_page_has_its_own_process_that_ends_with_the_run(swing):
    pytest.importorskip("viser", reason="the live page needs the extra view")
    stage = Stage(swing())
    link = PageProcess(page_data([stage], [""], span=(0.0, 4.0)))
    try:
        assert link.address.startswith("http://127.0.0.1:")
        assert "200 OK" in spoken(link.address)
        link.frame.write({slot.TIME: 1.0}, stage.poses([0])[0])
        port = link.address.rpartition(":")[2]
        assert socket_asked(link.address, "127.0.0.1", f"Origin: http://127.0.0.1:{port}") == "101"
        assert socket_asked(link.address, "localhost") == "101"  # no browser
        # pages of others, of a file, of another port; and a name that was made to point here
        for origin in ("http://evil.example", "null", "http://127.0.0.1:1", f"http://evil.example:{port}"):
            assert socket_asked(link.address, "127.0.0.1", f"Origin: {origin}") == "403"
        assert socket_asked(link.address, "evil.example", f"Origin: http://evil.example:{port}") == "403"
        assert "403" in spoken(link.address, name=f"evil.example:{port}")
        assert "403" in spoken(link.address, "/", "Host: localhost")  # twice
        assert link.alive
    finally:
        link.close()
    assert not link.alive


def test_another_host_needs_the_token(swing):
    pytest.importorskip("viser", reason="the live page needs the extra view")
    link = PageProcess(page_data([Stage(swing())], [""], span=(0.0, 4.0)), host="0.0.0.0")
    try:
        address, _, token = link.address.partition("/?token=")
        assert len(token) > 16
        here = address.replace("0.0.0.0", "127.0.0.1")
        assert "403" in spoken(here)
        assert "403" in spoken(here, "/?token=wrong")
        assert "403" in spoken(here, "/", "Cookie: linkwork=wrong")
        welcome = spoken(here, f"/?token={token}")
        assert "303" in welcome
        assert f"Set-Cookie: linkwork={token}; HttpOnly; SameSite=Strict" in welcome
        cookie = f"Cookie: linkwork={token}"
        assert "200 OK" in spoken(here, "/", cookie)
        port = here.rpartition(":")[2]
        assert socket_asked(here, "myhost", cookie, f"Origin: http://myhost:{port}") == "101"
        assert socket_asked(here, "myhost", cookie, "Origin: http://myhost:1") == "403"
        if sys.platform == "linux":  # the page behind the gate is for the gate alone
            (inner,) = listening_ports(link.process.pid) - {int(port)}
            assert "403" in spoken(f"http://127.0.0.1:{inner}")
    finally:
        link.close()


def test_a_token_that_can_be_guessed_is_refused(swing):
    for token in ("abc", "with a space", "two\r\nlines"):
        with pytest.raises(lw.OptionError, match="hard to guess"):
            PageProcess(page_data([Stage(swing())], [""]), host="0.0.0.0", token=token)


def test_the_gate_takes_the_next_free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert port < TokenProxy("127.0.0.1", port, 1, "a token", "a key").port <= port + 20


def test_the_command_prints_the_address_and_ends_its_page():
    pytest.importorskip("viser", reason="the live page needs the extra view")
    command = [sys.executable, "-m", "linkwork.cli", "view", "pendulum", "--method", "recursive", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        address = process.stdout.readline().strip()
        assert "200 OK" in spoken(address), process.stderr.read()
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
        assert process.stderr.read() == ""
    with pytest.raises(OSError):
        spoken(address)


def test_a_script_needs_no_guard(tmp_path):
    pytest.importorskip("viser", reason="the live page needs the extra view")
    script = tmp_path / "script.py"
    script.write_text(
        "import linkwork as lw\n"
        "sim = lw.Simulation(lw.gallery.pendulum.build(), 'recursive', dt=1e-3)\n"
        "sim.step(100)\n"
        "sim.view(port=0, seconds=0.5)\n"
        "print(sim.time > 0.1)\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    address, moved = done.stdout.split()
    assert address.startswith("http://127.0.0.1:")
    assert moved == "True"


def test_the_page_ends_when_the_run_is_killed():
    pytest.importorskip("viser", reason="the live page needs the extra view")
    command = [sys.executable, "-m", "linkwork.cli", "view", "pendulum", "--method", "recursive", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        address = process.stdout.readline().strip()
        assert "200 OK" in spoken(address)
        os.kill(process.pid, signal.SIGKILL)
    last = time.monotonic() + 20
    while time.monotonic() < last:
        try:
            spoken(address)
        except OSError:
            return
        time.sleep(0.1)
    raise AssertionError("the page is still there")


def test_without_viser_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for command in (["view", "pendulum"], ["run", "pendulum", "--view"]):
        done = CliRunner().invoke(app, command)
        assert done.exit_code == 1
        assert 'pip install "linkwork[view]"' in done.stderr
        assert done.stderr.count("\n") == 1


def test_wrong_words_on_the_command_line(tmp_path, swing):
    swing().save(tmp_path / "run.npz")
    for words, said in (
        (["view", str(tmp_path / "run.npz"), "pendulum"], "saved runs are laid over saved runs only"),
        (["view", "pendulum", "car"], "one model is shown at a time"),
        (["run", "pendulum", "--view", "--json"], "give one of them"),
    ):
        done = CliRunner().invoke(app, words)
        assert done.exit_code == 2
        assert said in done.stderr


@pytest.mark.parametrize(
    ("keys", "said"),
    [('{"w": {"a": 1}}', "KEYS must"), ('{"W": {"a": 1}}', "move the camera"), ('{"I": {"a": 1}}', "no input of 'm'")],
)
def test_keys_of_a_file_are_checked(tmp_path, keys, said):
    text = "import linkwork as lw\nmodel = lw.Model('m')\nmodel.body('b', mass=1.0, inertia=(1, 1, 1))\n"
    (tmp_path / "m.py").write_text(f"{text}KEYS = {keys}\n")
    done = CliRunner().invoke(app, ["view", str(tmp_path / "m.py"), "--method", "recursive"])
    assert done.exit_code in (1, 2)
    assert said in done.stderr


def test_the_gripper_is_driven_by_hand():
    target = find("gripper", viewing=True)
    assert {name for inputs in target.keys.values() for name in inputs} == set(assemble(target.model).inputs)
    assert find("gripper", {"manual": False}, viewing=True).keys == {}
    assert assemble(find("gripper").model).inputs == {}

    def gripper(method, dt):
        return lw.Simulation(target.model, "impulse", dt=2e-3)

    stage = preview(lambda: gripper(None, None))
    sim = gripper(None, None)
    link = Nobody(stage)
    hand = Driver(link, gripper, sim, LiveState(sim, stage))
    turn = sim["turn.position"]
    hand.receive("input", "turn motor", 0.5)
    hand.receive("single", 100)
    assert sim["turn.position"] - turn == pytest.approx(0.1, abs=0.0021)  # two steps: its torque has a bound
    assert sim["elbow.velocity"] == pytest.approx(0.0, abs=1e-3)  # the others hold
    link.frame.close()


def test_a_run_of_nothing_is_refused():
    model = flywheel()
    run = Trajectory([], {}, {}, certificate=Certificate(method=""), model_name="m", scene=scene_of(model))
    with pytest.raises(lw.OptionError, match="no samples"):
        live.view_run(run)


def test_a_simulation_that_starts_at_rest_starts_there_again(monkeypatch):
    """Reset, and another method, on the page of sim.view()."""
    model = lw.Model("scales")
    pan = model.body("pan", mass=2.0, inertia=0)
    model.prismatic("guide", "ground", pan, at=(0, 0, 0), axis=(0, 0, 1), stiffness=981.0)
    sim = lw.Simulation(model, "recursive", dt=1e-3, start="equilibrium")
    made = []
    monkeypatch.setattr(live, "view_simulation", lambda make, *_, **__: made.append(make))
    sim.view()
    for again in (made[0](None, None), made[0]("hybrid", 0.01)):
        assert again["guide.position"] == pytest.approx(-0.02, abs=1e-9)
