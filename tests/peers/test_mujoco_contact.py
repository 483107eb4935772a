"""Contact and friction against MuJoCo: the rover over its kerb, a coin on its edge.

MuJoCo's contacts are soft: with what it chooses by itself the wheels slip where ours climb, and its rover is left
behind at the kerb. With friction in circles and contacts as stiff as a step of 1 ms allows it climbs as ours does. On
the stairs beyond, where wheels spin, the two go their own ways.
"""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from known_shapes import rolling_coin
from linkwork.bench.peers.mujoco_run import rigid_contacts

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install mujoco")

pytestmark = pytest.mark.peer


def test_rover_over_the_kerb() -> None:
    model = lw.gallery.rover.build()
    sim = lw.Simulation(model, lw.Impulse(dt=1e-3))
    peer = rigid_contacts(model, 1e-3)
    peer.set_speeds(model)
    for _ in range(5):
        sim.step(1000)
        peer.step(1000)
        assert np.abs(sim["hull.position"] - peer.position("hull")).max() < 0.02  # of 2.9 m
    assert sim["hull.position"][0] > 2.8


COIN = """
<mujoco>
  <option timestep="0.001" integrator="implicitfast" cone="elliptic" impratio="10"/>
  <default><geom solref="0.004 1" solimp="0.99 0.999 0.0001" friction="2 0 0"/></default>
  <worldbody>
    <geom type="box" size="4 4 0.1" pos="0 0 -0.1"/>
    <body name="coin"><freejoint/><geom type="cylinder" size="0.2 0.01" mass="1"/></body>
  </worldbody>
</mujoco>
"""


def test_a_coin_rolls_on_its_edge() -> None:
    """A second on a box. Both are of first order: the motion without steps follows from two runs of each."""
    model = rolling_coin(lw.Box((8, 8, 0.2), pose=lw.Frame((0, 0, -0.1))))
    ours, theirs = [], []
    for dt in (1e-3, 5e-4):
        run = lw.simulate(model, until=1.0, method="impulse", dt=dt)
        ours.append(run["coin.position"][-1])
        peer = mujoco.MjModel.from_xml_string(COIN)
        peer.opt.timestep = dt
        data = mujoco.MjData(peer)
        data.qpos[:3], data.qpos[3:] = run["coin.position"][0], run["coin.rotation"][0]
        data.qvel[:3], data.qvel[5] = run["coin.velocity"][0], 12.0  # about its own axis
        mujoco.mj_step(peer, data, nstep=round(1.0 / dt))
        theirs.append(data.body("coin").xpos.copy())
    assert 2 * ours[1] - ours[0] == pytest.approx(2 * theirs[1] - theirs[0], abs=1e-3)  # of 2.3 m


def resisting_ball(shape: lw.Ellipsoid | lw.Sphere, height: float, **resists: float) -> lw.Model:
    """A body on a plane, the material of both."""
    model = lw.Model("ball")
    model.plane("floor", material=lw.Material(friction=0.8))
    made_of = lw.Material(friction=0.8, **resists)
    model.body("ball", shape=shape, mass=2.0, position=(0, 0, height), material=made_of)
    return model


@pytest.mark.parametrize(("speed", "spin"), [(0.3, 0.0), (0.0, 6.0)], ids=["rolling", "turning"])
def test_rolling_and_turning_friction(speed: float, spin: float) -> None:
    """condim 6: a ball rolls out, or spins on the spot; MuJoCo's creeps a little where ours stands still."""
    model = resisting_ball(lw.Sphere(0.1), 0.1, rolling=0.002, torsional=0.004)
    peer = rigid_contacts(model, 1e-3)
    peer.data.qvel[:] = (speed, 0, 0, 0, speed / 0.1, spin)
    model.free("loose", "ground", "ball", velocity=(speed, 0, 0, 0, speed / 0.1, spin))
    sim = lw.Simulation(model, lw.Impulse(dt=1e-3))
    for _ in range(4):
        sim.step(100)
        peer.step(100)
        assert sim["ball.position"][0] == pytest.approx(peer.position("ball")[0], rel=0.02, abs=1e-4)
        assert sim["ball.angular_velocity"] == pytest.approx(peer.data.qvel[3:], rel=0.02, abs=0.06)


def test_a_rocking_ellipsoid() -> None:
    """One second of small rocking on a plane."""
    model = resisting_ball(lw.Ellipsoid((0.2, 0.1, 0.1)), 0.1)
    tilt = 0.05
    height = float(np.hypot(0.2 * np.sin(tilt), 0.1 * np.cos(tilt)))
    peer = rigid_contacts(model, 5e-4)
    peer.data.qpos[:] = (0, 0, height, np.cos(tilt / 2), 0, np.sin(tilt / 2), 0)
    model.free("loose", "ground", "ball", position=peer.data.qpos.copy())
    sim = lw.Simulation(model, lw.Impulse(dt=5e-4))
    for _ in range(10):
        sim.step(200)
        peer.step(200)
        assert sim["ball.rotation"][2] == pytest.approx(peer.data.qpos[5], abs=0.1 * np.sin(tilt / 2))
