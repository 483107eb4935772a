"""Modes on the page: a list, the chosen one swings, and the page moves bodies as the table of a film has them."""

import numpy as np
import pytest

import linkwork as lw
from linkwork.viewer.mode_shapes import ROWS, ModeShapes
from replayed_page import opened


def double_pendulum(**start):
    model = lw.Model("double pendulum")
    upper = model.body(
        "upper", mass=1.0, inertia=(0.1, 0.1, 0.01), shape=lw.Box((0.05, 0.05, 1.0)), position=(0, 0, -0.5)
    )
    lower = model.body(
        "lower", mass=1.0, inertia=(0.1, 0.1, 0.01), shape=lw.Box((0.04, 0.04, 1.0)), position=(0, 0, -1.5)
    )
    model.revolute("shoulder", "ground", upper, at=(0, 0, 0), axis=(0, 1, 0), **start)
    model.revolute("elbow", upper, lower, at=(0, 0, -1), axis=(0, 1, 0))
    return model


@pytest.fixture(scope="module")
def modes():
    return lw.linearise(double_pendulum()).modes()


def test_a_swing_keeps_bodies_at_their_joints_to_second_order(modes):
    for k in (1, 2):
        run = modes.motion(k)
        assert len(run) == ROWS
        assert run.time[-1] == 2.0
        upper, lower = (lw.Frame(run[f"{name}.position"][5], run[f"{name}.rotation"][5]) for name in ("upper", "lower"))
        turn = 2.0 * np.arcsin(np.abs(np.stack([upper.rotation[2], lower.rotation[2]])).max())
        assert 0.02 < turn < 0.31  # it is seen
        assert np.linalg.norm(upper.point((0, 0, 0.5))) < 0.6 * turn**2
        assert np.linalg.norm(upper.point((0, 0, -0.5)) - lower.point((0, 0, 0.5))) < 0.8 * turn**2
    same = [np.sign(modes.motion(k)["upper.rotation"][0, 2] * modes.motion(k)["lower.rotation"][0, 2]) for k in (1, 2)]
    assert same == [1.0, -1.0]  # together, and against each other


def test_the_shapes_have_the_ratio_of_the_modes(modes):
    shapes = ModeShapes(modes)
    for k in (0, 1):
        shape = shapes.shape(k)
        ratio = shape["lower"][4] / shape["upper"][4]
        joints = modes.motions[:, k]
        assert ratio == pytest.approx((joints[0] + joints[1]) / joints[0], rel=1e-9)


def test_files_are_told_apart_and_numbers_are_checked(modes, tmp_path):
    modes.to_csv(tmp_path / "modes.csv")
    head, first, *_ = (tmp_path / "modes.csv").read_text().splitlines()
    assert head.startswith("mode,frequency [Hz],natural frequency [Hz],damping,decay time [s],rigid,upper energy")
    assert float(first.split(",")[1]) == pytest.approx(modes.frequencies[0])
    with pytest.raises(lw.OptionError, match="numbered from 1 to 2, not 3"):
        modes.motion(3)
    other = lw.simulate(lw.gallery.pendulum.build(), until=0.1, method="recursive", dt=0.01)
    with pytest.raises(lw.OptionError, match="another model"):
        other.replay(tmp_path / "page.html", modes=modes)


@pytest.mark.usefixtures("bundled")
def test_the_page_swings_as_the_film_does(modes, lodge, tmp_path):
    modes.replay(tmp_path / "modes.html", 2)
    page = opened(lodge, tmp_path / "modes.html")
    assert page.evaluate("linkwork.modes.chosen") == 1
    assert page.is_hidden("#time")
    assert page.locator(".mode").count() == 2
    assert "Hz" in page.locator(".mode").first.inner_text()
    run = modes.motion(2)
    for row in (0, 7, 23):
        page.evaluate(f"linkwork.modes.advance = () => {{}}, linkwork.modes.phase = {2 * np.pi * row / (ROWS - 1)}")
        found = page.evaluate("Array.from(linkwork.modes.frame(0).poses)")
        for k, name in enumerate(("upper", "lower")):
            np.testing.assert_allclose(found[7 * k : 7 * k + 3], run[f"{name}.position"][row], atol=1e-5)
            sign = np.sign(found[7 * k + 3] * run[f"{name}.rotation"][row, 0])
            np.testing.assert_allclose(found[7 * k + 3 : 7 * k + 7], sign * run[f"{name}.rotation"][row], atol=1e-5)
    page.locator(".mode").first.click()
    assert page.evaluate("linkwork.modes.chosen") == 0


@pytest.mark.usefixtures("bundled")
def test_a_replay_may_have_modes_beside_its_run(modes, lodge, tmp_path):
    run = lw.simulate(double_pendulum(position=0.3), until=0.5, method="recursive", dt=0.01)
    run.replay(tmp_path / "run.html", modes=modes)
    page = opened(lodge, tmp_path / "run.html")
    page.evaluate("linkwork.pause(), linkwork.seek(0.3)")
    before = page.evaluate("linkwork.poses()")
    page.evaluate("linkwork.panel.open('Modes')")
    page.locator(".mode").nth(1).click()
    assert page.evaluate("linkwork.modes.swinging")
    page.click("#unswing")
    assert not page.evaluate("linkwork.modes.swinging")
    assert page.evaluate("linkwork.poses()") == before
