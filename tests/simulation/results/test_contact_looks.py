"""Contacts that a run keeps for its replay: where, how hard, how often; and that looking changes nothing."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.simulation.interaction.contacts import Pressing
from linkwork.simulation.results.scene import contact_looks
from linkwork.simulation.results.scene.contact_looks import contacts_seen


def block(kerb=False):
    """A block of 3 kg on a plane, or on a kerb that is fixed to the ground."""
    model = lw.Model("block")
    model.plane("floor")
    low = 0.0
    if kerb:
        stone = model.body("kerb", mass=50, shape=lw.Box((2, 2, 0.2)), position=(0, 0, 0.1), material=lw.Material())
        model.fixed("bed", model.ground, stone)
        low = 0.2
    shape = lw.Box((0.4, 0.2, 0.1))
    model.body("block", mass=3.0, shape=shape, position=(0, 0, low + 0.05), material=lw.Material())
    return model


@pytest.mark.parametrize("kerb", [False, True])
@pytest.mark.parametrize("method", ["impulse", "maximal"])
def test_a_block_stands_on_its_corners(kerb, method):
    run = lw.simulate(block(kerb), until=0.5, method=method, dt=0.005)
    seen = contacts_seen(run.scene)
    assert len(seen.time) == 101  # a short run is looked at after every step
    np.testing.assert_allclose(np.diff(seen.time), 0.005, rtol=1e-6)
    last = seen.rows[len(seen.rows) - seen.count[-1] :]
    mine = last[np.abs(last[:, 2] - (0.2 if kerb else 0.0)) < 1e-3]
    np.testing.assert_allclose(np.abs(mine[:, :2]), [(0.2, 0.1)] * 4, atol=1e-4)
    assert mine[:, 5].sum() == pytest.approx(3.0 * 9.81, rel=1e-3)  # on the block, upwards
    assert (mine[:, 6] == 1.0).all()


def test_two_blocks_press_on_each_other_but_only_one_stands():
    model = block()
    model.body("upper", mass=1.0, shape=lw.Box((0.2, 0.2, 0.1)), position=(0, 0, 0.15), material=lw.Material())
    sim = lw.Simulation(model, "impulse", dt=0.005)
    sim.step(20)
    rows = Pressing(sim).rows()
    stands = rows[:, 6] == 1.0
    assert 0 < stands.sum() < len(rows)
    assert rows[stands, 5].sum() == pytest.approx(4.0 * 9.81, rel=1e-3)
    assert np.abs(rows[~stands, 5]).sum() == pytest.approx(1.0 * 9.81, rel=1e-3)
    named = sim.contacts()
    np.testing.assert_allclose(np.abs(rows[:, 3:6]), np.abs(named.forces), atol=1e-9)
    np.testing.assert_array_equal(rows[:, :3], named.points)


def test_looking_changes_no_bit_of_the_run(monkeypatch, tmp_path):
    run = lw.simulate(block(), until=0.3, method="impulse", dt=0.001)
    run.save(tmp_path / "run.npz")
    assert lw.load_run(tmp_path / "run.npz") == run
    monkeypatch.setattr(contact_looks.ContactLooks, "left", lambda self, sim: 10**9)
    monkeypatch.setattr(contact_looks.ContactLooks, "look", lambda self, sim: None)
    other = lw.simulate(block(), until=0.3, method="impulse", dt=0.001)
    assert contacts_seen(other.scene) is None
    for name in run.columns:
        assert run[name].tobytes() == other[name].tobytes(), name


def test_a_long_run_keeps_every_other_look(monkeypatch):
    monkeypatch.setattr(contact_looks, "MOST", 40)
    seen = contacts_seen(lw.simulate(block(), until=1.0, method="impulse", dt=0.005).scene)
    assert 20 <= len(seen.time) <= 40
    assert np.ptp(np.diff(seen.time)) < 1e-9
    monkeypatch.setattr(contact_looks, "MOST_CONTACTS", 50)
    seen = contacts_seen(lw.simulate(block(), until=1.0, method="impulse", dt=0.005).scene)
    assert len(seen.rows) <= 50


def test_what_cannot_touch_keeps_none(tmp_path):
    run = lw.simulate(lw.gallery.pendulum.build(), until=0.1, method="recursive", dt=0.01)
    assert "contacts" not in run.scene
    assert run.scene["gravity"] == pytest.approx([0, 0, -9.81], abs=0.01)
