"""The live page: what is clicked reaches the simulation, and what it does reaches the page."""

import socket

import numpy as np
import pytest
from typer.testing import CliRunner

import linkwork as lw
from linkwork.cli import app
from linkwork.viewer import live, panel


def motor():
    """A flywheel on a torque that is a number, so that it is an input."""
    model = lw.Model("flywheel")
    wheel = model.body("wheel", mass=2.0, shape=lw.Cylinder(0.3, 0.1))
    pin = model.revolute("pin", model.ground, wheel, at=(0, 0, 0), axis=(0, 0, 1))
    model.torque("drive", pin, 0.0)
    return lw.Simulation(model, "recursive", dt=1e-3)


class Scripted:
    """Stands for the page: says something in each frame and keeps what it is shown."""

    def __init__(self, *script):
        self.script, self.seen = list(script), []

    @property
    def alive(self):
        return bool(self.script)

    def words(self):
        return self.script.pop(0)

    def publish(self, head, poses):
        self.seen.append((head, np.array(poses)))


def driven(*script):
    link, said = Scripted(*script), []
    sim = motor()
    live._drive(link, motor, sim, live._Watch(sim), said.append, None)
    assert said == []
    return link.seen


def test_paused_it_stands_and_steps_singly():
    seen = driven([("run", False)], [], [("step",)], [], [("step",)])
    assert [head[panel.TIME] for head, _ in seen] == pytest.approx([0.0, 1e-3, 2e-3])
    assert all(head[panel.RUNNING] == 0.0 for head, _ in seen)


def test_running_it_keeps_to_the_clock():
    seen = driven(*([[]] * 20))
    times = [head[panel.TIME] for head, _ in seen]
    assert len(seen) == 20
    assert np.all(np.diff(times) >= 0.0)
    assert times[-1] > 0.0


def test_an_input_moves_the_wheel_and_reset_brings_it_back():
    first = [("run", False), ("input", "drive", 5.0)]
    seen = driven(first, *([[("step",)]] * 30), [("reset",)])
    turned = seen[30][1][0]
    moment = 0.5 * 2.0 * 0.3**2
    angle = 0.5 * 5.0 / moment * 0.03**2
    assert 2 * np.arctan2(turned[6], turned[3]) == pytest.approx(angle, rel=1e-6)
    assert seen[30][0][panel.ENERGY] == pytest.approx(0.5 * moment * (5.0 / moment * 0.03) ** 2, rel=1e-6)
    assert abs(seen[30][0][panel.BALANCE]) < 1e-9
    head, poses = seen[31]
    assert head[panel.TIME] == 0.0
    np.testing.assert_allclose(poses[0], [0, 0, 0, 1, 0, 0, 0], atol=1e-12)


def test_only_this_machine_is_served(swing):
    show = live.staged(live.Stage(swing()), "")
    with pytest.raises(lw.OptionError, match="on this machine only"):
        live.Link(show, "0.0.0.0", 0)


def test_the_page_has_its_own_process_that_ends_with_the_run(swing):
    pytest.importorskip("viser", reason="the live page needs the extra view")
    stage = live.Stage(swing())
    link = live.Link(live.staged(stage, "", span=(0.0, 4.0)), "127.0.0.1", 0)
    try:
        host, port = link.address.removeprefix("http://").split(":")
        assert host == "127.0.0.1"
        with socket.create_connection((host, int(port)), timeout=10) as spoken:
            spoken.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert b"200 OK" in spoken.recv(200)
        link.publish({panel.TIME: 1.0}, stage.poses([0])[0])
        assert link.alive
    finally:
        link.close()
    assert not link.alive


def test_without_viser_one_line_says_what_to_install(monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    done = CliRunner().invoke(app, ["view", "pendulum"])
    assert done.exit_code == 1
    assert 'pip install "linkwork[view]"' in done.stderr
    assert done.stderr.count("\n") == 1
