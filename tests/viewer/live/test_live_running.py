"""The live page while the run goes on: vehicles stay in the picture, sticks drive, late visitors see the past."""

import contextlib
import json
import time

import numpy as np
import pytest

import linkwork as lw
from linkwork.cli.running import options_of
from linkwork.targets import find
from linkwork.viewer.live import live
from shown_page import HIGH, WIDE, Running, Shown, make

MIDDLE = "(({ bodies, frame }) => linkwork.view.screen(bodies.middle(frame.poses)))(linkwork.stage.runs[0])"


def gallery(name):
    target = find(name, viewing=True)

    def build(method=None, dt=None):
        options = options_of(target, {"method": method, "dt": dt})
        options.pop("every", None)
        return lw.Simulation(target.model, **options)

    return target, build


@contextlib.contextmanager
def opened(name, ends=True):
    target, build = gallery(name)
    until = target.until if ends else None
    link, driver = live.open_simulation(build, keys=target.keys, stay=target.stay, until=until)
    with link:
        driver.go(time.perf_counter() + 10.0)  # nobody is there
        assert driver.sim.time == 0.0
        yield link, driver, target


def inside(bounds):
    left, top, right, bottom = bounds
    return -1 < left < right < WIDE + 1 and -1 < top < bottom < HIGH + 1


def test_iltis_stays_where_it_is_in_the_picture_while_it_drives(visit, until):
    """Twenty shots of what was drawn last, without stopping it: nothing is placed or drawn for the test."""
    seen = "linkwork.stage.runs[0].frame"
    with opened("iltis", ends=False) as (link, driver, _), Running(link, driver):
        page = visit(link.address, WIDE, HIGH)
        page.evaluate("linkwork.plain(true)")
        assert page.evaluate("linkwork.source.runs[0].tyres.length") == 4
        until(page, "linkwork.playing && linkwork.time > 0")
        shots, drawn, last = [], [], time.monotonic() + 90.0
        while len(shots) < 20:
            assert time.monotonic() < last, shots
            count, shot = page.evaluate(f"[linkwork.drawn, [...{MIDDLE}, {seen}.t, {seen}.poses[0]]]")
            if count not in drawn:
                drawn.append(count)
                shots.append(shot)
        across, down, times, driven = np.array(shots).T
        assert (np.diff(times) > 0.0).all()
        assert np.ptp(driven) > 1.0  # m
        assert max(np.ptp(across), np.ptp(down)) < 5.0
        assert inside(page.evaluate("linkwork.bounds()"))
        assert driver.running
        assert page.errors == []


@pytest.mark.parametrize("name", ["rover", "car"])
def test_vehicles_stay_in_the_picture_for_their_whole_run(stay, name):
    """The run begins when somebody looks. Shots until its end: all bodies inside, the middle where it was."""
    with opened(name) as (link, driver, target):
        there = Shown(stay, link, driver)
        assert driver.sim.time < 0.5
        driver.receive("run", False)
        assert there.ask("linkwork.following") == (name == "rover")  # what drives away is followed
        middles = []
        for k in range(8):
            driver.receive("single", max(1, round(target.until / 8 / driver.dt)))
            there.shows(driver.sim.time)
            assert inside(there.ask("linkwork.bounds()")), f"shot {k}"
            middles.append(there.ask(MIDDLE))
        if name == "rover":
            assert np.ptp(np.array(middles)[1:], axis=0).max() < 5.0
        assert there.page.errors == []


PAD = """(axes) => { const buttons = Array.from({ length: 17 }, () => ({ pressed: false, value: 0 }));
    const pad = { id: "fake", connected: true, axes, buttons };
    Object.defineProperty(navigator, "getGamepads", { configurable: true, value: () => [pad] }); }"""


def test_sticks_reach_the_simulation_and_let_go_when_their_page_is_closed(browser, until):
    link, driver = live.open_simulation(make, keys={"I": {"drive": 2.0}, "K": {"drive": -2.0}})
    with link, Running(link, driver):
        page = browser.new_page(viewport={"width": 300, "height": 200})
        page.goto(link.address)
        until(page, "Boolean(window.linkwork)")
        inputs = driver.sim.inputs
        for axes, value in (([0, -1, 0, 0], 2.0), ([0, 0.575, 0, 0], -1.0), ([0, 0, 0, 0], 0.0), ([0, 1, 0, 0], -2.0)):
            page.evaluate(PAD, axes)
            until(page, f"Math.abs(linkwork.source.inputs.drive - {value}) < 1e-6")
            assert inputs["drive"] == pytest.approx(value)
        page.close()
        last = time.monotonic() + 20
        while inputs["drive"] != 0.0:
            assert time.monotonic() < last
            time.sleep(0.01)


def test_who_comes_later_sees_what_was_before(stay, browser):
    link, driver = live.open_simulation(make)
    with link:
        there = Shown(stay, link, driver, (300, 200))
        driver.sim.inputs["drive"] = 0.3
        driver.receive("run", False)
        for _ in range(12):  # a second and more by the clock of the server, two by that of the run
            driver.receive("single", 200)
            there.shows(driver.sim.time)
            there.page.wait_for_timeout(110)
        context = browser.new_context(viewport={"width": 300, "height": 200})
        late = context.new_page()
        late.goto(link.address)
        there.until(lambda: late.evaluate("Boolean(window.linkwork)"))
        end = driver.sim.time
        there.until(lambda: late.evaluate("linkwork.source.end") == pytest.approx(end))
        times = late.evaluate("Array.from(linkwork.source.times())")
        assert times[0] < 0.5
        assert len(times) >= 10
        for t in times[1:-1:3]:
            late.evaluate(f"linkwork.seek({t})")
            found = np.array(list(late.evaluate("linkwork.poses()").values()))
            np.testing.assert_allclose(found, there.frames[t], rtol=0, atol=1e-6)
        late.evaluate(f"linkwork.seek({times[4]}), linkwork.play()")  # and goes on from there
        there.until(lambda: driver.running and times[4] < driver.sim.time < end)
        context.close()


def test_the_memory_of_a_page_stays_as_it_is(stay, until):
    """Five minutes of frames at once, after the first minute has filled the history."""
    link, driver = live.open_simulation(make)
    with link:
        there = Shown(stay, link, driver, (300, 200))
        driver.receive("run", False)
        there.sees("linkwork.source.history.count > 0")
        page = there.page
        page.evaluate("linkwork.plain(true), linkwork.panel.open('Plots'), linkwork.marks.set('com', true)")
        page.evaluate(
            """window.feed = (count) => {
                const { history, line } = linkwork.source, { newest } = history;
                const sample = window.sample ||= newest.poses.buffer.slice(0);
                for (let k = 0; k < count; k++) {
                    window.fed = (window.fed || newest.t) + 1 / 60;
                    const data = sample.slice(0);
                    new Float64Array(data, 32, 16)[1] = window.fed;
                    line.heard.frame(data);
                    if (k % 50 === 0) line.heard.words(["watched", k + count, ["bar.position"]]);
                    if (k % 150 === 0) linkwork.draw();
                }
            }"""
        )
        client = page.context.new_cdp_session(page)

        def used():
            client.send("HeapProfiler.collectGarbage")
            found = client.send("Runtime.getHeapUsage")
            return found["usedSize"] + found.get("backingStorageSize", 0)

        page.evaluate("feed(4200)")
        before = used()
        for _ in range(3):
            page.evaluate("feed(6000)")
        assert page.evaluate("linkwork.source.history.count") == 3600
        assert page.evaluate("linkwork.source.watched.size") < 100
        assert used() - before < 400_000, json.dumps([before, used()])  # a frame more for each would be 18 MB
        assert page.errors == []
