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


def test_side_by_side_each_run_has_its_arrows_its_shadow_and_the_colour_of_its_curves(visit, swing, tmp_path, bundled):
    runs = []
    for start, load in ((0.0, 5.0), (np.pi / 2, 20.0)):
        columns = {**swing(start).columns, "pin.reaction": np.tile([0, 0, -load, 0, 0, 0], (401, 1))}
        runs.append(swing(start, columns=columns))
    runs[0].replay(tmp_path / "two.html", runs[1], labels=["one", "two"])
    page = opened(visit, tmp_path / "two.html")
    page.evaluate("linkwork.panel.open('Show')")
    page.check("#forces")
    shown = "linkwork.arrows.roots.map((root) => root.visible)"
    page.evaluate("linkwork.draw()")
    assert page.evaluate(shown) == [True, False]
    casts = "linkwork.stage.runs[1].bodies.groups.flatMap((group) => group.children).every((part) => part.castShadow)"
    assert not page.evaluate(casts)
    page.evaluate("linkwork.beside = true, linkwork.resized(), linkwork.draw()")
    assert page.evaluate("linkwork.arrows.made.map(({ force }) => force.filter((one) => one.visible).length)") == [1, 1]
    assert page.evaluate(casts)
    lengths = page.evaluate(
        "linkwork.arrows.made.map(({ force }) => Math.max(...force.map((one) => one.children[1].position.z)))"
    )
    assert lengths[1] == pytest.approx(4 * lengths[0], rel=1e-3)  # one scale for both
    page.evaluate("linkwork.panel.open('Plots'), linkwork.plots.add('ball.position.z', true)")
    chips = (
        page.locator(".plot")
        .last.locator(".curve i")
        .evaluate_all("all => all.map((i) => getComputedStyle(i).backgroundColor)")
    )
    legend = page.locator("#legend i").evaluate_all("all => all.map((i) => getComputedStyle(i).backgroundColor)")
    assert chips == legend


def test_a_portrait_of_what_travels_has_it_in_the_picture(visit, swing, tmp_path, bundled):
    far = swing()
    way = np.linspace(0.0, 30.0, len(far))[:, None] * np.array([1.0, 0.0, 0.0])
    moved = {
        name: values + way if name.endswith(".position") and values.ndim == 2 and values.shape[1] == 3 else values
        for name, values in far.columns.items()
    }
    swing(columns=moved).replay(tmp_path / "far.html")
    page = opened(visit, tmp_path / "far.html")
    assert page.evaluate("linkwork.following")
    page.evaluate("linkwork.portrait(linkwork.source.end)")
    left, top, right, bottom = page.evaluate("linkwork.bounds()")
    assert 0 < left < right < 700
    assert 0 < top < bottom < 520
