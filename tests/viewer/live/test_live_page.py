"""The live page in a real browser: what is done there reaches the simulation, what is seen is where its state says."""

import contextlib
import os
import signal
import sys
import time

import numpy as np
import pytest

import linkwork as lw
from linkwork.viewer.live import live
from shown_page import Shown, make


@pytest.fixture(scope="module")
def opened(stay):
    link, driver = live.open_simulation(make, keys={"M": {"drive": 1.5}, "B": {"brake": -0.5}})
    with link:
        yield Shown(stay, link, driver)


@pytest.fixture
def there(opened):
    """The page of the arm, upright and at rest, some steps after its start."""
    driver = opened.driver
    driver.receive("run", False)
    for name in ("drive", "brake"):
        driver.sim.inputs[name] = 0.0
    driver.receive("reset")
    opened.count = getattr(opened, "count", 0) + 1
    driver.receive("single", opened.count)
    opened.shows(opened.count / 1000)
    return opened


def blue(colour):
    red, _, b = colour
    return b > red + 25


def tip(there, far=0.8):
    angle = float(there.driver.sim["pin.position"])
    return np.array([far * np.sin(angle), 0.0, far * np.cos(angle)])


def test_it_has_a_name_asks_no_other_host_and_shows_bodies_where_they_are(there):
    page = there.page
    assert page.title().startswith("arm")
    assert page.get_attribute("link[rel=icon]", "href").startswith("data:image/svg+xml")
    assert page.get_attribute("#trust", "data-light") == "good"
    assert blue(there.colour((0, -0.05, 0.8)))
    there.driver.sim.inputs["drive"] = 5.0
    there.driver.receive("single", 300)
    there.shows(there.driver.sim.time)
    assert 0.5 < float(there.driver.sim["pin.position"]) < 1.3
    assert blue(there.colour(tip(there)))
    assert not blue(there.colour((0, -0.05, 0.8)))
    assert all("//127.0.0.1:" in address or address.startswith(("blob:", "data:")) for address in page.asked)
    assert page.errors == []


def test_keys_are_down_and_up_and_two_of_them_both_act(there):
    page, inputs = there.page, there.driver.sim.inputs
    page.keyboard.down("m")
    page.keyboard.down("b")
    there.until(lambda: (inputs["drive"], inputs["brake"]) == (1.5, -0.5))
    there.sees("linkwork.source.inputs.drive === 1.5")
    page.keyboard.up("m")
    there.until(lambda: inputs["drive"] == 0.0)
    assert inputs["brake"] == -0.5
    # the message leaves the browser while the event is handled: nothing is waited for
    sent = """() => { const said = [], { line } = linkwork.source, plain = line.send;
        line.send = (words) => { said.push(words); plain.call(line, words); };
        window.dispatchEvent(new KeyboardEvent("keyup", { key: "b" })); line.send = plain; return said; }"""
    assert there.ask(sent) == [["key", "B", False]]
    there.until(lambda: inputs["brake"] == 0.0)
    page.keyboard.up("b")
    page.keyboard.down("m")
    there.until(lambda: inputs["drive"] == 1.5)
    there.ask("window.dispatchEvent(new Event('blur'))")  # another window: no key-up will come from there
    there.until(lambda: inputs["drive"] == 0.0)
    page.keyboard.up("m")


def test_the_past_is_shown_as_it_was_and_a_branch_goes_on_from_there(there):
    driver = there.driver
    driver.sim.inputs["drive"] = 0.3
    driver.receive("speed", 10.0)
    driver.receive("run", True)
    there.until(lambda: driver.sim.time > 6.0)
    driver.receive("run", False)
    driver.receive("speed", 1.0)
    end = driver.sim.time
    there.shows(end)
    there.ask(f"linkwork.seek({end - 5.0})")
    times = np.array(there.ask("Array.from(linkwork.source.times())"))
    for t in times[np.searchsorted(times, end - 5.0) : -3 : 7][:5]:
        there.ask(f"linkwork.seek({t})")
        found = np.array(list(there.ask("linkwork.poses()").values()))
        np.testing.assert_allclose(found, there.frames[t], rtol=0, atol=1e-6)
    assert there.ask("!document.getElementById('now').hidden")
    there.ask("linkwork.play()")  # from here on, another way
    there.until(lambda: driver.running and t < driver.sim.time < t + 1.0)
    driver.receive("rewind", float(t))
    there.shows(driver.sim.time)
    assert driver.sim.time == pytest.approx(t)
    np.testing.assert_allclose(there.frames[driver.sim.time], there.frames[t], rtol=0, atol=1e-6)
    assert there.ask("linkwork.source.end") == pytest.approx(t)  # what came after it is no more
    driver.sim.inputs["drive"] = -3.0
    driver.receive("single", 300)
    there.shows(driver.sim.time)
    assert there.ask("linkwork.source.following")
    late, steps = there.driver.clock.late, there.driver.clock.steps
    assert late <= steps
    there.sees(f"document.getElementById('pace').textContent === 'paused · late steps {late} of {steps}'")


def test_a_body_is_dragged_with_a_line_that_shows_its_force(there):
    """It is held where the mouse went down, and follows the mouse as far as its joint lets it."""
    page, driver = there.page, there.driver
    x, y = there.place((0, -0.05, 0.7))
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 6):
        page.mouse.move(x + 12 * k, y)
        there.turn()
    there.until(lambda: "bar" in driver.held)
    held = driver.held["bar"] + (0, 0, 0.5)
    assert there.place(held) == pytest.approx([x, y], abs=2.0)
    there.until(lambda: there.place(driver.sim.stepper.drags["bar"].to) == pytest.approx([x + 60, y], abs=3.0))
    driver.receive("single", 5)
    there.shows(driver.sim.time)
    red, _, b = there.ask(f"linkwork.pixel({x + 56}, {y})")
    assert red > b + 60  # the line
    force = there.ask("Math.hypot(...linkwork.source.newest.drags.slice(7, 10))")
    assert force > 1.0
    there.sees(f"document.querySelector('.force').textContent === `${{Number(({force}).toPrecision(3))}} N`")
    driver.receive("single", 1500)
    goal = driver.sim.stepper.drags["bar"].to
    wanted = np.arctan2(goal[0], goal[2]) - np.arctan2(held[0], held[2])
    assert wanted > 0.15
    assert driver.sim["pin.position"] == pytest.approx(wanted, abs=0.02)
    page.mouse.up()
    there.until(lambda: driver.held == {})
    there.sees("document.querySelector('.force').hidden")
    assert there.ask("linkwork.view.controls.enabled")


def test_joints_are_released_and_attached_and_errors_are_told(there):
    driver = there.driver
    marks = "linkwork.stage.runs[0].joints.marks.map((mark) => mark.name).includes('pin')"
    assert there.ask(marks)
    there.do("release", "pin")
    there.sees(f"!{marks}")
    assert [change.joint for change in driver.sim.changes] == ["pin"]
    there.sees("document.querySelector('.toast')?.textContent.includes(\"'pin' was released\")")
    there.sees("[...linkwork.live.joints.joint.options].map((option) => option.value).join() === 'foot'")
    there.sees("linkwork.draw(), document.querySelector('.mark')?.title.startsWith('pin released at 0.0')")
    there.ask("document.getElementById('attach').click()")  # the bar to the ground, fixed
    there.until(lambda: len(driver.sim.attached) == 1)
    there.do("release", "no such joint")
    there.sees("document.querySelector('.toast.error')?.textContent.includes('no such joint')")
    there.do("reset")
    there.sees(marks)
    there.sees("linkwork.draw(), !document.querySelector('.mark')")
    there.do("method", "impulse")
    there.until(lambda: driver.sim.method.name == "impulse")
    there.sees("document.getElementById('facts').textContent.startsWith('impulse')")
    there.do("method", "recursive")
    there.do("dt", 0.002)
    there.until(lambda: (driver.sim.method.name, driver.dt) == ("recursive", 0.002))
    there.do("dt", 0.001)
    there.until(lambda: driver.dt == 0.001)


def test_trails_and_plots_grow_and_a_zoom_stays(there):
    there.ask("linkwork.panel.open('Plots'), linkwork.plots.add('bar.position', true), linkwork.marks.trail('bar')")
    plot = "linkwork.plots.plots[linkwork.plots.plots.length - 1]"
    count = "linkwork.marks.trails.get('bar').lines[0].geometry.attributes.position.count"
    there.driver.sim.inputs["drive"] = 1.0
    for _ in range(3):
        there.driver.receive("single", 20)
        there.shows(there.driver.sim.time)
    there.sees(f"linkwork.draw(), {count} === linkwork.source.history.count")
    there.sees(f"linkwork.draw(), {plot}.chart?.data[0].length === linkwork.source.history.count")
    end = there.driver.sim.time
    there.ask(f"{plot}.chart.setScale('x', {{ min: 0.01, max: 0.02 }}), {plot}.zoomed = true")
    there.driver.receive("single", 20)
    there.sees(f"linkwork.draw(), {plot}.chart.data[0].at(-1) > {end + 0.01}")
    assert there.ask(f"[{plot}.chart.scales.x.min, {plot}.chart.scales.x.max]") == [0.01, 0.02]
    there.ask(f"linkwork.marks.clearTrails(), linkwork.plots.remove({plot}), linkwork.panel.open(null)")


def test_plots_of_columns_that_only_the_server_has_begin_when_numbers_come(there):
    """Curves that lie over each other at first, all zero, are told apart when they part; a reaction has two units."""
    there.ask("linkwork.panel.open('Plots'), linkwork.plots.add('pin.velocity', true)")
    plot = "linkwork.plots.plots[linkwork.plots.plots.length - 1]"
    there.driver.sim.inputs["drive"] = 1.0
    for _ in range(3):
        there.driver.receive("single", 20)
        there.shows(there.driver.sim.time)
    speed = float(there.driver.sim["pin.velocity"])
    there.sees(f"linkwork.draw(), Math.abs({plot}.chart?.data[1]?.at(-1) / {speed} - 1) < 1e-6")
    there.ask(f"linkwork.plots.remove({plot}), linkwork.plots.add('bar.velocity', true)")
    there.driver.sim.inputs["drive"] = -20.0
    there.driver.receive("single", 20)
    there.shows(there.driver.sim.time)
    there.sees(f"linkwork.draw(), {plot}.same?.join() === '0,1,2'")
    assert there.ask(f"{plot}.chips.textContent.includes('=')") is False
    before = there.ask("linkwork.plots.plots.length")
    there.ask(f"linkwork.plots.remove({plot}), linkwork.plots.add('foot.reaction', true)")
    assert there.ask("linkwork.plots.plots.length") == before + 1
    units = there.ask("linkwork.plots.plots.slice(-2).map((each) => each.curves[0].unit)")
    assert units == ["N", "N m"]
    there.ask(f"linkwork.plots.remove({plot}), linkwork.plots.remove({plot}), linkwork.panel.open(null)")


def test_torques_and_what_is_unique_are_told(there):
    """The bar turns on one pin that nothing shares; its torque is about x and z only, as the pin turns freely."""
    there.ask("linkwork.panel.open('Parts'), linkwork.select('joint', 'foot')")
    there.driver.receive("single", 1)
    there.shows(there.driver.sim.time)
    words = there.ask("document.getElementById('part').textContent")
    assert "unique" in words
    assert "not be unique" not in words
    assert "N m" in words
    assert there.ask("linkwork.source.newest.forces.length % 6") == 0
    there.ask("linkwork.select(), linkwork.panel.open(null)")


def test_columns_that_are_watched_grow(there):
    there.ask("linkwork.source.watch(['pin.velocity', 'bar.position', 'energy.kinetic'])")
    there.until(lambda: "pin.velocity" in there.driver.state.columns)
    there.driver.sim.inputs["drive"] = 1.0
    for _ in range(5):
        there.driver.receive("single", 20)
        there.shows(there.driver.sim.time)
    series = there.ask(
        "(({ t, values }) => [Array.from(t), Array.from(values[0])])(linkwork.source.series('pin.velocity'))"
    )
    assert series[0][-1] == pytest.approx(there.driver.sim.time)
    assert series[1][-1] == pytest.approx(float(there.driver.sim["pin.velocity"]), rel=1e-6)
    assert len(series[0]) >= 5
    assert len(there.ask("linkwork.source.series('bar.position').values")) == 3
    there.ask("linkwork.source.watch([])")


ASK = """address => new Promise(done => {
    const line = new WebSocket(address); line.onopen = () => done("open"); line.onerror = () => done("refused"); })"""


def test_two_pages_and_one_that_is_closed(there, browser):
    """What one does the other shows; closing a page does not stop the run. A page of somebody else gets no socket."""
    other = browser.new_page(viewport={"width": 300, "height": 200})
    line = there.link.address.replace("http", "ws") + "/live"
    assert other.evaluate(ASK, line) == "refused"
    other.goto(there.link.address)
    there.until(lambda: other.evaluate("Boolean(window.linkwork)"))
    assert not there.driver.running  # who comes later changes nothing
    other.evaluate("linkwork.play()")
    there.sees("linkwork.playing")
    other.close()
    then = there.driver.sim.time
    there.until(lambda: there.driver.sim.time > then + 0.1)


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals that stop a process")
def test_a_banner_when_the_server_is_gone_until_it_is_back(there, visit):
    """First it only stands still; then it ends, and another one comes in its place."""
    shown, hidden = ("!document.getElementById('banner').hidden", "document.getElementById('banner').hidden")
    assert there.ask(hidden)
    # by the clock of the machine, which the page has too: how long this test takes to look is not measured
    there.ask(
        "new MutationObserver(() => { window.gone ||= Date.now(); })"
        ".observe(document.getElementById('banner'), { attributes: true })"
    )
    os.kill(there.link.process.pid, signal.SIGSTOP)
    try:
        begun = time.time()
        there.sees(shown)
    finally:
        os.kill(there.link.process.pid, signal.SIGCONT)
    assert 0.5 < there.ask("window.gone / 1000") - begun < 2.0
    there.sees(hidden)
    link, driver = live.open_simulation(make)
    port = int(link.address.rpartition(":")[2])
    with link:
        second = Shown(visit, link, driver, (300, 200))
        run = second.ask("linkwork.source.run")
        begun = time.monotonic()
    page = second.page
    while not page.evaluate(shown):
        page.wait_for_timeout(50)
    assert time.monotonic() - begun < 2.0 + 3.0  # of them three at most until the process has ended
    assert "the run has ended" in page.inner_text("#banner")
    link, driver = live.open_simulation(make, port=port)
    with link:
        assert int(link.address.rpartition(":")[2]) == port
        second.link, second.driver = link, driver

        def anew():
            with contextlib.suppress(Exception):  # it is just loading
                return page.evaluate("window.linkwork && linkwork.source.run") not in (None, run)

        second.until(anew)
        second.until(lambda: driver.sim.time > 0.0)
        assert page.evaluate(hidden)


def test_bodies_are_dragged_in_kinematic_mode_and_loops_follow(visit):
    def bars(method=None, dt=None):
        return lw.Simulation(lw.gallery.double_four_bar.build(), method or "recursive", dt=dt or 1e-3)

    link, driver = live.open_simulation(bars, kinematic=True)
    with link:
        there = Shown(visit, link, driver)
        there.sees("linkwork.source.kinematic && linkwork.source.newest.head.kinematic === 1")
        before = driver.kinematic.poses()
        body = driver.state.stage.names[1]
        x, y = there.ask(f"linkwork.screen('{body}')")
        there.page.mouse.move(x, y)
        there.page.mouse.down()
        for k in range(1, 9):
            there.page.mouse.move(x + 5 * k, y)
            there.turn()
        there.until(lambda: driver.held and not driver.kinematic.pulls)
        name = next(iter(driver.held))
        there.turn()
        after = driver.kinematic.poses()
        assert np.abs(after - before).max(axis=1).min() > 1e-3  # all bodies of the loops have moved
        assert driver.kinematic.posing.system.model.name
        k = driver.state.stage.index[name]
        there.until(
            lambda: np.allclose(
                there.ask(f"Array.from(linkwork.source.newest.poses.slice({7 * k}, {7 * k + 7}))"),
                driver.kinematic.poses()[k],
                atol=1e-6,
            )
        )
        there.page.mouse.up()
        there.until(lambda: driver.held == {})
        there.do("pose", 0, float(driver.kinematic.posing.values()[0]) + 0.05)
        there.until(lambda: driver.kinematic.asked == {} and driver.kinematic.moved)
        there.ask("linkwork.play()")
        there.until(lambda: driver.running and driver.sim.time > 0.0)
        assert driver.kinematic is None
        assert there.page.errors == []


def test_the_scale_of_arrows_goes_by_what_moves_and_stays_while_the_run_stands(there):
    page, driver = there.page, there.driver
    driver.sim.inputs["drive"] = 5.0
    for _ in range(4):
        driver.receive("single", 100)
        there.shows(driver.sim.time)
    page.evaluate("linkwork.arrows.set('force', true)")
    most = page.evaluate("linkwork.arrows.most.force")
    joints = "linkwork.source.runs[0].joints.findIndex((joint) => joint.name === 'pin')"
    largest = page.evaluate(
        f"(() => {{ const {{ history }} = linkwork.source, k = {joints}; return Math.max(...Array.from("
        "{ length: history.count }, (_, i) => Math.hypot(...history.at(i).forces.subarray(6 * k, 6 * k + 3)))); })()"
    )
    assert 0 < most <= largest
    for _ in range(5):
        page.evaluate("linkwork.arrows.looked.at = -1e9, linkwork.draw()")
    assert page.evaluate("linkwork.arrows.most.force") == most
    page.evaluate("linkwork.arrows.set('force', false)")


def test_what_travels_out_of_a_live_picture_is_followed(there):
    page = there.page
    page.evaluate("linkwork.chose = false, linkwork.view.touched = false, linkwork.follow(false)")
    gone = "linkwork.stage.runs[0].bodies.middle = () => linkwork.view.target.clone().add({ x: 9, y: 0, z: 0 })"
    page.evaluate(f"linkwork.kept = linkwork.stage.runs[0].bodies.middle, {gone}, linkwork.arrange(), 1")
    assert page.evaluate("linkwork.following")
    page.evaluate("linkwork.stage.runs[0].bodies.middle = linkwork.kept, linkwork.follow(false), linkwork.look('home')")
    page.evaluate(f"linkwork.chose = true, {gone}, linkwork.arrange(), 1")
    assert not page.evaluate("linkwork.following")  # the visitor chose
    page.evaluate("linkwork.chose = false, linkwork.stage.runs[0].bodies.middle = linkwork.kept, linkwork.fit(), 1")
