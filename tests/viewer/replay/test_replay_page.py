"""The replay page in a real browser: what is seen is where the run says it is."""

import numpy as np
import pytest


@pytest.fixture(scope="module")
def shown(stay, swing, tmp_path_factory, bundled):
    """One page for many tests, paused, drawn with shadows."""
    file = tmp_path_factory.mktemp("page") / "replay.html"
    swing().replay(file)
    page = stay(file.as_uri(), 900, 640)
    page.set_default_timeout(8_000)
    page.evaluate("linkwork.pause(), linkwork.plain(false)")
    return page


def seek(page, t):
    page.evaluate(f"linkwork.seek({t})")


def colour(page, x, y):
    return np.array(page.evaluate(f"linkwork.pixel({x}, {y})"), dtype=float)


def test_it_opens_from_disk_and_asks_no_host(shown):
    assert shown.errors == []
    assert all(address.startswith(("file:", "blob:", "data:")) for address in shown.asked)
    assert shown.text_content("#title") == "swing </script> & <b>"


def test_bodies_are_where_the_run_says(shown, swing):
    run = swing()
    for t in (0.0, 1.0, 1.005, 3.987, 4.0):
        seek(shown, t)
        pose = shown.evaluate("linkwork.poses().arm")
        for k in range(3):
            assert pose[k] == pytest.approx(np.interp(t, run.time, run["arm.position"][:, k]), abs=1e-6)
        for k in range(4):
            assert pose[3 + k] == pytest.approx(np.interp(t, run.time, run["arm.rotation"][:, k]), abs=1e-5)


def test_the_picture_shows_them_there(shown):
    seek(shown, 0.52)  # the ball is at its highest point, the arm far to the right
    ball, arm = (shown.evaluate(f"linkwork.screen('{name}')") for name in ("ball", "arm"))
    red, green, blue = colour(shown, *ball)  # the third body is green
    assert green > 1.2 * red
    assert green > 1.1 * blue
    red, green, blue = colour(shown, *arm)  # the second is orange
    assert red > green > 1.3 * blue
    seek(shown, 1.57)  # the ball at its lowest point
    lower = shown.evaluate("linkwork.screen('ball')")
    assert lower[1] > ball[1] + 100  # rows count downwards; 0.6 m at this size
    assert abs(lower[0] - ball[0]) < 40
    assert np.ptp(colour(shown, *ball)) < 12  # grey or white: it has gone from there
    red, green, blue = colour(shown, *lower)
    assert green > 1.2 * red
