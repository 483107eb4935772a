"""The replay page in a real browser: what is seen is where the run says it is, and every control does what it says."""

import csv
import io

import numpy as np
import pytest

from linkwork.simulation.results.certificate import Certificate

SIZE = (700, 520)
NO_IMPULSE = {"impulse": [0.0] * 6, "energy": 0.0}
EVENTS = [
    {"time": 1.0, "what": "released", "joint": "pin", "kind": "revolute", "a": "block", "b": "arm", **NO_IMPULSE},
    {"time": 2.0, "what": "attached", "joint": "hold", "kind": "ball", "a": "block", "b": "ball", **NO_IMPULSE}
    | {"position": [-0.35, 0.0, 0.3], "axis": [0.0, 0.0, 1.0]},
]


@pytest.fixture(scope="module")
def page(stay, swing, tmp_path_factory, bundled):
    """One page for many tests. The arm is released at 1 s; at 2 s the ball is attached."""
    file = tmp_path_factory.mktemp("page") / "replay.html"
    loads = {"pin.reaction": np.tile([0, 0, -19.62, 0, 3.0, 0], (401, 1))}
    certificate = Certificate(method="recursive", integrator="rk4", dt=0.01, events=EVENTS)
    swing(certificate=certificate, columns={**swing().columns, **loads}).replay(file)
    return opened(stay, file)


def opened(visit, file):
    """Paused, and drawn plainly: where shadows are not looked at they only take time."""
    page = visit(file.as_uri(), *SIZE)
    page.set_default_timeout(20_000)
    page.evaluate("linkwork.pause(), linkwork.plain(true)")
    return page


@pytest.fixture(autouse=True)
def _as_it_began(request):
    """Each test finds the page paused, at its first view, with nothing selected."""
    if "page" in request.fixturenames:
        page = request.getfixturevalue("page")
        page.evaluate("linkwork.pause(), linkwork.select(), linkwork.selection.showAll(), linkwork.look('home')")
        page.evaluate("linkwork.panel.open(null), linkwork.fit(), linkwork.seek(0)")


def seek(page, t):
    page.evaluate(f"linkwork.seek({t})")


def colour(page, x, y):
    return np.array(page.evaluate(f"linkwork.pixel({x}, {y})"), dtype=float)


def spot(page, name):
    return page.evaluate(f"linkwork.screen('{name}')")


# --- what is seen -----------------------------------------------------------------------------------------------


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


# --- framing ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800)])
def test_all_bodies_fill_what_is_not_covered(page, width, height):
    page.set_viewport_size({"width": width, "height": height})
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
    page.set_viewport_size(dict(zip(("width", "height"), SIZE, strict=True)))


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


# --- parts ------------------------------------------------------------------------------------------------------


def test_clicking_a_body_selects_it_and_the_tree_tells(page):
    page.evaluate("linkwork.panel.open('Parts')")
    page.mouse.click(*spot(page, "ball"))
    assert page.evaluate("linkwork.selection.selected.name") == "ball"
    assert page.text_content("#part h2").startswith("ball")
    assert "1 kg" in page.text_content("#part")
    assert page.text_content(".part.chosen span") == "ball"
    page.click(".part:has-text('arm')")  # and the other way
    assert page.evaluate("linkwork.selection.selected.name") == "arm"
    glow = "linkwork.stage.runs[0].bodies.groups[1].children[0].material.emissive.getHex()"
    assert page.evaluate(glow) > 0
    page.mouse.move(5, 5)  # it glows while it is pointed at, too
    page.keyboard.press("Escape")
    assert page.evaluate(glow) == 0
    assert page.is_hidden("#part")


def test_hide_isolate_and_x_ray(page):
    x, y = spot(page, "ball")
    ball = (x - 10, y - 10)  # the spring ends in its middle
    green = colour(page, *ball)
    page.evaluate("linkwork.select('body', 'ball')")
    page.keyboard.press("h")
    assert np.ptp(colour(page, *ball)) < 12
    page.keyboard.press("a")
    page.keyboard.press("Escape")
    assert colour(page, *ball) == pytest.approx(green, abs=2)
    page.evaluate("linkwork.selection.isolate('arm')")
    seen = "linkwork.stage.runs[0].bodies.groups.map((group) => group.visible)"
    assert page.evaluate(seen) == [False, True, False]
    page.evaluate("linkwork.selection.showAll()")
    page.keyboard.press("x")
    assert colour(page, *ball).sum() > green.sum() + 60  # the bright floor is seen through it
    page.keyboard.press("x")


# --- time -------------------------------------------------------------------------------------------------------


def test_the_time_bar_scrubs_and_marks_events(page):
    page.evaluate("linkwork.play()")
    bar = page.locator("#bar").bounding_box()
    page.mouse.click(bar["x"] + 0.5 * bar["width"], bar["y"] + bar["height"] / 2)
    assert page.evaluate("linkwork.time") == pytest.approx(2.0, abs=0.05)
    assert page.evaluate("linkwork.playing") is False  # scrubbing pauses
    t = page.evaluate("linkwork.time")
    assert page.evaluate("linkwork.poses().ball[2]") == pytest.approx(0.6 + 0.3 * np.sin(3 * t), abs=1e-3)
    assert page.locator(".mark").count() == 2
    page.locator(".mark").first.click()
    assert page.evaluate("linkwork.time") == 1.0


def test_play_pause_step_speed_and_loop(page, until):
    page.click("#play")
    until(page, "linkwork.time > 0.2")
    page.click("#play")
    stopped = page.evaluate("linkwork.time")
    page.wait_for_timeout(150)
    assert page.evaluate("linkwork.time") == stopped
    seek(page, 1.003)
    for button, reached in (("#forth", 1.01), ("#forth", 1.02), ("#back", 1.01), ("#back", 1.0)):
        page.click(button)
        assert page.evaluate("linkwork.time") == pytest.approx(reached, abs=1e-9)
    page.select_option("#speed", "10")
    seek(page, 3.9)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Space")
    until(page, "linkwork.time < 3.5")  # round again
    page.uncheck("#loop")
    until(page, "!linkwork.playing")
    assert page.evaluate("linkwork.time") == 4.0
    page.check("#loop")
    page.select_option("#speed", "1")


# --- plots ------------------------------------------------------------------------------------------------------


def test_the_cursor_of_a_plot_moves_the_time(page):
    page.evaluate("linkwork.panel.open('Plots'), linkwork.draw()")
    chart = page.locator(".u-over").first.bounding_box()
    y = chart["y"] + chart["height"] / 2
    page.mouse.move(chart["x"] + 0.25 * chart["width"], y)
    page.mouse.down()
    times = []
    for part in (0.25, 0.5, 0.75):
        page.mouse.move(chart["x"] + part * chart["width"], y)
        times.append(page.evaluate("linkwork.time"))
    page.mouse.up()
    assert times == pytest.approx([1.0, 2.0, 3.0], abs=0.02)
    page.evaluate("linkwork.draw()")
    height = page.evaluate("linkwork.stage.runs[0].bodies.groups[2].position.z")
    assert height == pytest.approx(0.6 + 0.3 * np.sin(3 * times[-1]), abs=1e-3)


def test_a_column_is_found_by_part_of_its_name_and_exported(page, swing):
    page.evaluate("linkwork.panel.open('Plots')")
    page.check("#fresh")
    page.fill("#search", "ball pos z")
    assert page.locator(".found button").first.text_content() == "ball.position (all)"
    page.locator(".found button:text-is('ball.position.z')").click()
    plot = "linkwork.plots.plots[linkwork.plots.plots.length - 1]"
    assert page.evaluate(f"{plot}.curves.map((curve) => curve.name)") == ["ball.position.z"]
    with page.expect_download() as found:
        page.locator(".plot").last.locator("text=csv").click()
    rows = list(csv.reader(io.StringIO(found.value.path().read_text())))
    assert rows[0] == ["time [s]", "ball.position.z [m]"]
    table = np.array(rows[1:], dtype=float)
    np.testing.assert_allclose(table[:, 1], 0.6 + 0.3 * np.sin(3 * table[:, 0]), atol=1e-5)
    # two curves that lie over each other are told apart
    page.evaluate(f"{plot}.curves.push({{...{plot}.curves[0], name: 'again'}}), {plot}.draw()")
    assert page.evaluate(f"{plot}.chart.series.slice(1).map((one) => !!one.dash)") == [False, True]
    # over another column
    page.evaluate(f"{plot}.curves.pop(), {plot}.over = 'ball.position.x', {plot}.draw()")
    assert page.evaluate(f"{plot}.chart.mode") == 2
    page.evaluate(f"linkwork.plots.remove({plot})")
    page.uncheck("#fresh")


# --- what else is drawn -----------------------------------------------------------------------------------------


def test_a_trail_is_the_way_of_the_centre(page):
    seek(page, 1.047)
    x, y = spot(page, "ball")
    seek(page, 0.52)  # the ball is away

    def redness():
        near = page.evaluate(f"linkwork.pixels([-1, 0, 1].map((d) => [{x} + d, {y}]))")
        return max(red - blue for red, _, blue in near)

    assert redness() < 12
    page.evaluate("linkwork.panel.open('Show'), linkwork.panel.open(null)")
    page.evaluate("linkwork.marks.trail('ball')")
    assert redness() > 40  # a line one point wide, smoothed
    page.evaluate("linkwork.marks.clearTrails()")


def test_forces_are_arrows_to_scale(page):
    page.evaluate("linkwork.panel.open('Show')")
    page.check("#forces")
    page.check("#torques")
    page.evaluate("linkwork.draw()")
    legend = page.evaluate("linkwork.arrows.legend()")
    assert [one["text"] for one in legend] == ["10 N", "3 N m"]
    assert page.text_content("#scale").split() == ["10", "N", "3", "N", "m"]
    kinds = "linkwork.source.runs[0].joints.findIndex((joint) => joint.name === 'pin')"
    arrow = page.evaluate(
        f"linkwork.arrows.made.force[{kinds}].children[1].getWorldPosition(linkwork.view.target.clone())"
    )
    pin = page.evaluate(f"linkwork.stage.runs[0].bodies.world(0, linkwork.source.runs[0].joints[{kinds}].at)")
    assert arrow["z"] - pin["z"] == pytest.approx(-19.62 * legend[0]["length"] / 10, rel=1e-3)  # the load points down
    assert arrow["x"] == pytest.approx(pin["x"], abs=1e-6)
    page.uncheck("#forces")
    page.uncheck("#torques")
    page.evaluate("linkwork.draw()")
    assert page.is_hidden("#scale")


def test_centres_of_mass_and_the_trust_badge(page):
    page.evaluate("linkwork.marks.set('com', true), linkwork.draw()")
    whole = page.evaluate("linkwork.marks.made.com.children[3].position.toArray()")  # of three bodies of 1 kg
    places = page.evaluate("Object.values(linkwork.poses()).map((pose) => pose.slice(0, 3))")
    np.testing.assert_allclose(whole, np.mean(places, axis=0), atol=1e-6)
    page.evaluate("linkwork.marks.set('com', false)")
    assert page.text_content("#trust") == "good"
    page.click("#trust")
    assert "can be trusted" in page.text_content("#reasons h2")
    assert page.locator("#reasons .spark polyline").count() == 1
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("?")
    assert page.is_visible("#help")
    page.keyboard.press("Escape")


def test_controls_have_names_and_are_large_enough_for_fingers(page):
    page.set_viewport_size({"width": 390, "height": 844})
    page.evaluate("linkwork.panel.open('Parts')")
    for box in page.evaluate(
        "[...document.querySelectorAll('#dock button, .part, .eye')].filter((one) => one.offsetParent)"
        ".map((one) => [one.textContent + (one.ariaLabel || one.title), one.offsetWidth, one.offsetHeight])"
    ):
        assert box[0]
        if "left:" not in box[0]:
            assert min(box[1:]) >= 44 or box[0].startswith(("pin", "hold")), box
    page.set_viewport_size(dict(zip(("width", "height"), SIZE, strict=True)))


# --- several runs -----------------------------------------------------------------------------------------------


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
