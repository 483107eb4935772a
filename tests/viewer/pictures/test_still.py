"""Still pictures: a model, a run, other views."""

import numpy as np
import pytest

import linkwork as lw
from linkwork import gallery
from linkwork.viewer.pictures.still import still

pytest.importorskip("matplotlib")
matplotlib_image = pytest.importorskip("matplotlib.image")


def ink(file):
    """How much of a picture is not white."""
    return float(np.mean(matplotlib_image.imread(file)[..., :3].min(axis=-1) < 0.97))


def test_model_at_its_start(tmp_path):
    file = tmp_path / "pendulum.png"
    still(gallery.pendulum.build(), file=file)
    assert 0.01 < ink(file) < 0.5


def test_run_with_ghosts_and_trace(tmp_path):
    model = gallery.chain.build(n=2)
    run = lw.simulate(model, until=0.3, dt=1e-2)
    plain, full = tmp_path / "plain.png", tmp_path / "full.png"
    still(run, model=model, time=0.3, file=plain, size=(3, 2))
    still(run, model=model, time=0.3, ghosts=(0.0, 0.15), trace=["link 2"], file=full, size=(3, 2))
    assert ink(full) > ink(plain)


@pytest.mark.parametrize("view", ["front", "top", "side", (-50, 25), None])
def test_views(view, tmp_path):
    file = tmp_path / "car.png"
    still(gallery.car.build(), view=view, floor=0.0, size=(3, 2), file=file)
    assert ink(file) > 0.01


def test_bodies_without_shapes_and_moving_grounds(tmp_path):
    model = lw.Model("shaken")
    table = model.moving_ground("table", lw.Motion(position=(lw.Cosine(0.2, frequency=1.0), 0, 0)))
    bob = model.body("bob", mass=1.0, inertia=(0.1, 0.1, 0.1), com=(0, 0, -1))
    model.ball("pin", table, bob, at=(0.2, 0, 0))
    model.spring("cord", table, bob, at_a=(0.5, 0, 0), at_b=(0, 0, -0.5), stiffness=1.0)
    file = tmp_path / "shaken.png"
    still(model, time=0.2, dt=1e-2, file=file, size=(3, 2))
    assert ink(file) > 0.005


@pytest.mark.parametrize("view", ["front", (-60, 20)])
def test_roads_and_rods(view, tmp_path):
    """A strip, or a line, under the tyres; a rod between its ends."""
    inks = []
    for extra in (False, True):
        model = lw.Model("trailer")
        wheel = model.body(
            "wheel", mass=5.0, shape=lw.Cylinder(0.3, 0.1, pose=lw.Frame.along((0, 1, 0))), position=(0, 0, 0.3)
        )
        hook = model.body("hook", mass=1.0, shape=lw.Sphere(0.05), position=(-1, 0, 0.4))
        model.free("flight", model.ground, wheel)
        model.tyre("tyre", wheel, radius=0.3, stiffness=1e5, road=lw.Kerb(0.1, at=0.4))
        if extra:
            model.distance("bar", wheel, hook)
        file = tmp_path / f"{extra}.png"
        still(model, view=view, file=file, size=(3, 2))
        inks.append(ink(file))
    assert inks[1] > inks[0] > 0.005


def test_what_stands_on_the_ground_is_drawn_and_hides_what_is_behind(tmp_path):
    coloured = {}
    for y in (-1.0, 1.0):  # before the ball, and behind it
        model = lw.Model("yard")
        model.body("ball", mass=1.0, shape=lw.Sphere(0.5), position=(0, 0, 0.5))
        model.collider("kerb", "ground", lw.Box((2.0, 0.2, 0.5), pose=lw.Frame((0, y, 0.25))))
        model.plane("slope", normal=(-0.1, 0, 1))
        file = tmp_path / "yard.png"
        still(model, view="front", size=(3, 2), file=file)
        seen = matplotlib_image.imread(file)[..., :3]
        colour = np.ptp(seen, axis=-1) > 0.15
        coloured[y] = np.count_nonzero(colour)
        assert np.count_nonzero(~colour & (seen.min(axis=-1) < 0.97)) > 0.05 * colour.size  # the kerb
    assert coloured[-1.0] == pytest.approx(0.5 * coloured[1.0], rel=0.05)


def test_refusals(tmp_path):
    model = gallery.pendulum.build()
    run = lw.simulate(model, until=0.1, dt=1e-2)
    with pytest.raises(lw.OptionError, match="model="):
        still(run)
    with pytest.raises(lw.OptionError, match="no pose at 5 s"):
        still(run, model=model, time=5.0)
    with pytest.raises(lw.OptionError, match="unknown view 'below'"):
        still(model, view="below")
    with pytest.raises(lw.OptionError, match="Model or a run"):
        still("pendulum")


def test_bushings_are_rings(tmp_path):
    """A body on a bushing has a ring and hatched ground at its point, which a body without has not."""
    files = []
    for mounted in (False, True):
        model = lw.Model("mounted")
        body = model.body("body", mass=1.0, shape=lw.Box((0.4, 0.1, 0.1)))
        if mounted:
            model.bushing("mount", model.ground, body, at=(0, 0, -0.2), stiffness=np.full(6, 1e3))
        files.append(tmp_path / f"{mounted}.png")
        still(model, file=files[-1], size=(3, 2), view="front")
    grey = [np.isclose(matplotlib_image.imread(file)[..., :3], 0x9A / 255, atol=0.01).all(axis=-1) for file in files]
    assert grey[1].sum() > 20
    assert grey[0].sum() < 5
