"""Contact and friction against MuJoCo: the rover over its kerb.

MuJoCo's contacts are soft: with what it chooses by itself the wheels slip where ours climb, and its rover is left
behind at the kerb. With friction in circles and contacts as stiff as a step of 1 ms allows it climbs as ours does. On
the stairs beyond, where wheels spin, the two go their own ways.
"""

from __future__ import annotations

import numpy as np
import pytest

import linkwork as lw
from linkwork.bench.impulse import driven, rigid_contacts

mujoco = pytest.importorskip("mujoco", reason="MuJoCo is not installed: pip install mujoco")

pytestmark = pytest.mark.peer


def test_rover_over_the_kerb() -> None:
    model = lw.gallery.rover.build()
    sim = lw.Simulation(model, lw.Impulse(dt=1e-3))
    peer = rigid_contacts(model, 1e-3)
    data = driven(peer, model)
    for _ in range(5):
        sim.step(1000)
        mujoco.mj_step(peer, data, nstep=1000)
        assert np.abs(sim["hull.position"] - data.body("hull").xpos).max() < 0.02  # of 2.9 m
    assert sim["hull.position"][0] > 2.8
