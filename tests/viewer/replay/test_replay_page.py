"""The replay page in a real browser: what is seen is where the run says it is, in light and dark, alone and beside."""

import numpy as np
import pytest

from replayed_page import colour, opened, seek, spot


def test_it_opens_from_disk_and_asks_no_host(page):
    assert page.errors == []
    assert all(address.startswith(("file:", "blob:", "data:")) for address in page.asked)
    assert page.text_content("#title") == "swing </script> & <b>"
    assert page.title() == "swing </script> & <b> · linkwork"


def test_bodies_are_where_the_run_says(page, swing):
    run = swing()
    for t in (0.0, 1.0, 1.005, 3.987, 4.0):
        seek(page, t)
        pose = page.evaluate("linkwork.poses().arm")
        for k in range(3):
            assert pose[k] == pytest.approx(np.interp(t, run.time, run["arm.position"][:, k]), abs=1e-6)
        for k in range(4):
            assert pose[3 + k] == pytest.approx(np.interp(t, run.time, run["arm.rotation"][:, k]), abs=1e-5)


def test_the_picture_shows_them_there(page):
    seek(page, 0.52)  # the ball is at its highest point, the arm far to the right
    ball, arm = spot(page, "ball"), spot(page, "arm")
    red, green, blue = colour(page, *ball)  # the third body is green
    assert green > 1.2 * red
    assert green > 1.1 * blue
    red, green, blue = colour(page, *arm)  # the second is orange
    assert red > green > 1.3 * blue
    seek(page, 1.57)  # the ball at its lowest point
    lower = spot(page, "ball")
    assert lower[1] > ball[1] + 70  # rows count downwards; 0.6 m at this size
    assert abs(lower[0] - ball[0]) < 40
    assert np.ptp(colour(page, *ball)) < 12  # grey or white: it has gone from there
    red, green, blue = colour(page, *lower)
    assert green > 1.2 * red


def test_pins_come_and_go_with_their_joints(page):
    shown_at = {}
    for t in (0.5, 1.0, 1.5, 2.5):
        seek(page, t)
        marks = "linkwork.stage.runs[0].joints.marks.filter((mark) => mark.group.visible).map((mark) => mark.name)"
        shown_at[t] = page.evaluate(f"linkwork.draw(), {marks}")
    assert shown_at == {0.5: ["pin"], 1.0: [], 1.5: [], 2.5: ["hold"]}
    there = page.evaluate("linkwork.screenOf([-0.35, 0, 0.4])")  # the block stands 0.1 m high
    seek(page, 2.5)
    assert colour(page, *there).max() < 120
    seek(page, 1.5)
    assert colour(page, *there).min() > 150


def test_blocks_throw_shadows(page):
    """Seen from above, the floor beside the block is darker away from the light than towards it."""
    page.evaluate("linkwork.look('top')")
    sun = page.evaluate("linkwork.stage.from.toArray()")
    away = -np.array(sun[:2]) / np.hypot(*sun[:2])
    edge = min(0.2 / abs(away[0]), 0.15 / abs(away[1]))
    shaded, clear = (
        page.evaluate(f"linkwork.screenOf({[*(side * (edge + 0.07) * away).tolist(), 0.0]})") for side in (1.0, -1.0)
    )
    assert colour(page, *shaded).sum() > 0.95 * colour(page, *clear).sum()  # the plain mode has none
    page.evaluate("linkwork.plain(false)")
    dark, bright = page.evaluate(f"linkwork.pixels([{shaded}, {clear}])")
    page.evaluate("linkwork.plain(true)")
    assert sum(dark) < 0.9 * sum(bright)


def test_the_dark_page_is_dark(page, until):
    page.emulate_media(color_scheme="dark")
    until(page, "document.documentElement.dataset.theme === 'dark'")
    corner = colour(page, 690, 8) / 255
    linear = np.where(corner <= 0.04045, corner / 12.92, ((corner + 0.055) / 1.055) ** 2.4)
    assert linear @ (0.2126, 0.7152, 0.0722) < 0.1
    page.emulate_media(color_scheme="light")
    until(page, "document.documentElement.dataset.theme === 'light'")
    assert colour(page, 690, 8).min() > 230


def test_two_runs_over_each_other_and_side_by_side(visit, swing, tmp_path, bundled):
    swing().replay(tmp_path / "two.html", swing(np.pi / 2))
    page = opened(visit, tmp_path / "two.html")
    seek(page, 0.52)
    assert page.locator("#legend li").count() == 2
    first, second = (page.evaluate(f"linkwork.screen('ball', {k})") for k in (0, 1))
    assert np.hypot(*np.subtract(first, second)) > 60
    red, _, blue = colour(page, *first)  # the first run is blue, the second orange and seen through
    assert blue > 1.3 * red
    red, _, blue = colour(page, *second)
    assert red > 1.1 * blue
    page.evaluate("linkwork.beside = true, linkwork.resized()")
    first, second = (page.evaluate(f"linkwork.screen('ball', {k})") for k in (0, 1))
    quarter = page.evaluate("linkwork.view.free.width") / 4
    red, _, blue = colour(page, first[0] - quarter, first[1])
    assert blue > 1.3 * red
    red, _, blue = colour(page, second[0] + quarter, second[1])
    assert red > 1.1 * blue
    assert page.errors == []
