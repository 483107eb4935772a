"""The replay page in a real browser: what is seen is where the run says it is."""

import numpy as np
import pytest

from linkwork.simulation.results.certificate import Certificate


@pytest.fixture
def shown(visit, swing, tmp_path):
    def open_page(*runs):
        runs[0].replay(tmp_path / "replay.html", *runs[1:])
        page = visit((tmp_path / "replay.html").as_uri())
        page.evaluate("linkwork.pause()")
        return page

    return open_page


def seek(page, t):
    page.evaluate(f"linkwork.seek({t})")


def colour(page, x, y):
    return np.array(page.evaluate(f"linkwork.pixel({x}, {y})"), dtype=float)


def test_it_opens_from_disk_and_asks_no_host(shown, swing):
    page = shown(swing())
    page.click("#picture")
    page.wait_for_timeout(100)
    assert page.errors == []
    assert all(address.startswith(("file:", "blob:")) for address in page.asked)
    assert page.text_content("#title") == "swing </script> & <b>"


def test_bodies_are_where_the_run_says(shown, swing):
    run = swing()
    page = shown(run)
    for t in (0.0, 1.0, 1.005, 3.987, 4.0):
        seek(page, t)
        pose = page.evaluate("linkwork.poses().arm")
        for k in range(3):
            assert pose[k] == pytest.approx(np.interp(t, run.time, run["arm.position"][:, k]), abs=1e-6)
        for k in range(4):
            assert pose[3 + k] == pytest.approx(np.interp(t, run.time, run["arm.rotation"][:, k]), abs=1e-5)


def test_the_picture_shows_them_there(shown, swing):
    page = shown(swing())
    seek(page, 0.52)  # the ball is at its highest point, the arm far to the right
    ball, arm = (page.evaluate(f"linkwork.screen('{name}')") for name in ("ball", "arm"))
    red, green, blue = colour(page, *ball)  # the third body is green
    assert green > 1.2 * red
    assert green > 1.1 * blue
    red, green, blue = colour(page, *arm)  # the second is orange
    assert red > green > 1.3 * blue
    seek(page, 1.57)  # the ball at its lowest point
    lower = page.evaluate("linkwork.screen('ball')")
    assert lower[1] > ball[1] + 100  # rows count downwards; 0.6 m at this size
    assert abs(lower[0] - ball[0]) < 40
    assert np.ptp(colour(page, *ball)) < 12  # grey or white: it has gone from there
    red, green, blue = colour(page, *lower)
    assert green > 1.2 * red


def test_pins_come_and_go_with_their_joints(shown, swing):
    """The pin of the arm is released at 1 s; at 2 s a ball joint takes the ball, on the block."""
    none = {"impulse": [0.0] * 6, "energy": 0.0}
    events = [
        {"time": 1.0, "what": "released", "joint": "pin", "kind": "revolute", "a": "block", "b": "arm", **none},
        {"time": 2.0, "what": "attached", "joint": "hold", "kind": "ball", "a": "block", "b": "ball", **none}
        | {"position": [-0.35, 0.0, 0.3], "axis": [0.0, 0.0, 1.0]},
    ]
    page = shown(swing(certificate=Certificate(method="recursive", events=events)))
    shown_at = {}
    for t in (0.5, 1.0, 1.5, 2.5):
        seek(page, t)
        shown_at[t] = page.evaluate(
            "linkwork.runs[0].things(linkwork.runs[0].at(linkwork.time), true, linkwork.time)"
            ".filter((thing) => linkwork.runs[0].pins.some((pin) => pin.corners === thing.corners)).length"
        )
    assert shown_at == {0.5: 1, 1.0: 0, 1.5: 0, 2.5: 1}
    there = page.evaluate("linkwork.screenOf([-0.35, 0, 0.4])")  # the block stands 0.1 m high
    assert colour(page, *there).max() < 120
    seek(page, 1.5)
    assert colour(page, *there).min() > 150


def test_the_time_bar_scrubs(shown, swing):
    page = shown(swing())
    page.evaluate("linkwork.play()")
    bar = page.locator("#bar").bounding_box()
    page.mouse.click(bar["x"] + 0.5 * bar["width"], bar["y"] + bar["height"] / 2)
    assert page.evaluate("linkwork.time") == pytest.approx(2.0, abs=0.05)
    assert page.text_content("#play") == "Play"  # scrubbing pauses
    t = page.evaluate("linkwork.time")
    assert page.evaluate("linkwork.poses().ball[2]") == pytest.approx(0.6 + 0.3 * np.sin(3 * t), abs=1e-3)


def test_play_pause_step_speed_and_loop(shown, swing, until):
    page = shown(swing())
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
    page.keyboard.press("Space")
    until(page, "linkwork.time < 3.5")  # round again
    page.uncheck("#loop")
    until(page, "!linkwork.playing")
    assert page.evaluate("linkwork.time") == 4.0


def test_the_camera_turns_zooms_and_returns(shown, swing, until):
    page = shown(swing())
    seek(page, 0.52)
    first = page.evaluate("linkwork.screen('ball')")
    page.mouse.move(400, 200)
    page.mouse.down()
    page.mouse.move(560, 200, steps=4)
    page.mouse.up()
    turned = page.evaluate("linkwork.screen('ball')")
    assert np.hypot(*np.subtract(turned, first)) > 30
    page.mouse.wheel(0, -400)
    until(page, f"Math.hypot(...linkwork.screen('ball').map((x, i) => x - {turned}[i])) > 5")
    page.click("#home")
    assert page.evaluate("linkwork.screen('ball')") == pytest.approx(first, abs=0.5)


def test_two_runs_over_each_other(shown, swing):
    page = shown(swing(), swing(np.pi / 2, certificate=swing().certificate))
    seek(page, 0.52)
    assert page.locator("#legend li").count() == 2
    first, second = (page.evaluate(f"linkwork.screen('ball', {k})") for k in (0, 1))
    assert np.hypot(*np.subtract(first, second)) > 60
    red, _, blue = colour(page, *first)  # the first run is blue, the second orange and seen through
    assert blue > 1.3 * red
    red, _, blue = colour(page, *second)
    assert red > 1.2 * blue


def test_a_trail_is_the_way_of_the_centre(shown, swing):
    page = shown(swing())
    seek(page, 1.047)
    x, y = page.evaluate("linkwork.screen('ball')")
    seek(page, 0.52)  # the ball is away

    def redness():
        return max(red - blue for red, _, blue in (colour(page, x + dx, y) for dx in (-1, 0, 1)))

    assert redness() < 5
    page.select_option("#trail", "ball")
    assert redness() > 40  # a line one point wide, smoothed
