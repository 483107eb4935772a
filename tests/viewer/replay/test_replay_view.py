"""The camera of the replay page: all bodies in the part that nothing covers, views, following."""

import numpy as np
import pytest

from replayed_page import resize, seek, spot


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800)])
def test_all_bodies_fill_what_is_not_covered(page, width, height):
    resize(page, width, height)
    for tab in ("null", "'Parts'", "'Plots'"):
        page.evaluate(f"linkwork.panel.open({tab}), linkwork.fit()")
        free = page.evaluate("linkwork.view.free")
        if width < 600:
            assert free["width"] * free["height"] > 0.6 * width * height
        extent = []
        for t in np.linspace(0, 4, 5):
            seek(page, t)
            left, top, right, bottom = page.evaluate("linkwork.bounds()")
            assert left > free["x"]
            assert right < free["x"] + free["width"]
            assert top > free["y"]
            assert bottom < free["y"] + free["height"]
            extent.append((left, top, right, bottom))
        extent = np.array(extent)
        wide, high = extent[:, 2].max() - extent[:, 0].min(), extent[:, 3].max() - extent[:, 1].min()
        assert max(wide / free["width"], high / free["height"]) > 0.7
        assert (
            wide * high / (free["width"] * free["height"]) > 0.4
            or min(wide / free["width"], high / free["height"]) > 0.3
        )


def test_the_camera_turns_zooms_and_returns(page, until):
    seek(page, 0.52)
    first = spot(page, "ball")
    page.mouse.move(350, 150)
    page.mouse.down()
    page.mouse.move(510, 150, steps=4)
    page.mouse.up()
    turned = spot(page, "ball")
    assert np.hypot(*np.subtract(turned, first)) > 30
    page.mouse.wheel(0, -400)
    until(page, f"Math.hypot(...linkwork.screen('ball').map((x, i) => x - {turned}[i])) > 5")
    page.click("#home")
    assert spot(page, "ball") == pytest.approx(first, abs=0.5)


def test_views_and_parallel_projection(page):
    page.keyboard.press("1")  # front: x to the right, z up
    origin, x, z = (page.evaluate(f"linkwork.screenOf({p})") for p in ([0, 0, 0], [0.2, 0, 0], [0, 0, 0.2]))
    assert x[0] > origin[0] + 10
    assert x[1] == pytest.approx(origin[1], abs=1)
    assert z[1] < origin[1] - 10
    page.keyboard.press("o")
    near, far = ([page.evaluate(f"linkwork.screenOf([{x}, {y}, 0])")[0] for x in (0, 0.2)] for y in (-1, 1))
    assert near[1] - near[0] == pytest.approx(far[1] - far[0], abs=0.1)  # as wide near by as far away
    page.keyboard.press("2")  # top: y up
    origin, y = (page.evaluate(f"linkwork.screenOf({p})") for p in ([0, 0, 0], [0, 0.2, 0]))
    assert y[1] < origin[1] - 10
    page.keyboard.press("o")


def test_following_begins_without_a_jump(page):
    seek(page, 0.3)
    before = spot(page, "ball")
    page.evaluate("linkwork.follow(true), linkwork.draw()")
    assert spot(page, "ball") == pytest.approx(before, abs=0.01)
    middle = "linkwork.view.screen(linkwork.stage.runs[0].bodies.middle(linkwork.stage.runs[0].frame.poses))"
    at = page.evaluate(middle)
    for t in (0.4, 0.5, 0.9):
        seek(page, t)
        assert page.evaluate(f"linkwork.draw(), {middle}") == pytest.approx(at, abs=0.5)
    page.evaluate("linkwork.follow(false)")
