"""Parts and time of the replay page: what is selected, hidden, scrubbed and played; plots of it."""

import csv
import io

import numpy as np
import pytest

from replayed_page import colour, seek, spot


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


def test_forces_that_are_not_drawn_are_in_the_tree_with_their_numbers(page):
    page.evaluate("linkwork.panel.open('Parts')")
    rows = page.evaluate("[...linkwork.tree.rows.values()].map(({ kind, name }) => `${kind} ${name}`)")
    assert rows == ["body block", "body arm", "body ball", "joint foot", "joint pin", "joint hold"] + [
        "spring spring",
        "force motor",
    ]
    seek(page, 1.0)
    page.click(".part:has-text('motor')")
    page.evaluate("linkwork.draw()")
    words = page.text_content("#part")
    assert words.startswith("motorforce")
    assert "2 N m" in words
    page.click("#part .chip:has-text('torque')")
    plot = "linkwork.plots.plots[linkwork.plots.plots.length - 1]"
    assert page.evaluate(f"{plot}.curves.map((curve) => [curve.name, curve.unit])") == [["motor.torque", "N m"]]
    page.evaluate(f"linkwork.plots.remove({plot})")


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
