"""The live page in a real browser: what is clicked reaches the simulation, what is seen is where its state says."""

import io
import math
import time

import numpy as np
import pytest

import linkwork as lw
from linkwork.gallery import rover
from linkwork.targets import find
from linkwork.viewer.live import live
from linkwork.viewer.live.player import Player
from linkwork.viewer.replay.replay import view_of
from linkwork.viewer.scene_shapes import matrix

pytest.importorskip("viser", reason="the live page needs the extra view")
Image = pytest.importorskip("PIL.Image", reason="screenshots are read by pillow")

WIDE, HIGH = 620, 340
REAR = (-0.9 * rover.HULL[0] / 2, 0.0, 0.4 * rover.HULL[2])  # of the hull


def arm():
    """A blue arm that a torque can turn about y, and a weight beside it that stands; no gravity."""
    model = lw.Model("arm", gravity=(0, 0, 0))
    bar = model.body("bar", mass=1.0, shape=lw.Box((0.2, 0.1, 1.0)), position=(0, 0, 0.5))
    weight = model.body("weight", mass=1.0, shape=lw.Box((0.2, 0.2, 0.2)), position=(0.9, 0, 0.1))
    pin = model.revolute("pin", model.ground, bar, at=(0, 0, 0), axis=(0, 1, 0))
    model.fixed("foot", model.ground, weight, at=(0.9, 0, 0))
    model.torque("drive", pin, 0.0)
    model.spring("spring", weight, bar, at_a=(0, 0, 0.1), at_b=(0, 0, 0), stiffness=1e-6, length=1.0)
    return model


def make(method=None, dt=None):
    return lw.Simulation(arm(), method or "recursive", dt=dt or 1e-3)


class Shown:
    """A page with who stands behind it; both sides get their turns here, so that nothing depends on the clock."""

    def __init__(self, visit, link, driver, size=(WIDE, HIGH)):
        self.link, self.driver = link, driver
        self.stages = driver.stages if isinstance(driver, Player) else [driver.state.stage]
        driver.receive("run", False)
        self.page = visit(link.address, *size)
        self.until(lambda: self.page.get_by_role("button", name="Run", exact=True).count() == 1)
        self.page.locator("canvas").first.wait_for()
        # the browser draws in software, and the page says so
        self.page.add_style_tag(content=".mantine-Notifications-root { display: none; }")

    def turn(self, times=1):
        """A turn for who stands behind the page; more of them leave the process that serves it time to look."""
        for _ in range(times):
            self._turn()

    def _turn(self):
        for words in self.link.messages():
            self.driver.receive(*words)
        self.driver.go(time.perf_counter())
        self.driver.show()
        self.page.wait_for_timeout(20)

    def until(self, holds, seconds=60.0):
        last = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < last, "it did not come to that"
            self.turn()

    def picture(self):
        """The screenshot as numbers."""
        self.turn()
        return np.asarray(Image.open(io.BytesIO(self.page.screenshot())).convert("RGB"), dtype=float)

    def sees(self, holds):
        """Wait until the picture shows something; a browser without a graphics card may take its time."""
        self.until(lambda: holds(self.picture()))

    def place(self, x):
        """Where a point of the world is on the screen, by the camera that the page begins with."""
        view = view_of(self.stages)
        centre, turn, up = np.array(view["centre"]), math.radians(view["azimuth"]), math.radians(view["elevation"])
        n = np.array([math.cos(up) * math.cos(turn), math.cos(up) * math.sin(turn), math.sin(up)])
        right = np.cross((0, 0, 1), n) / np.linalg.norm(np.cross((0, 0, 1), n))
        d = np.asarray(x) - (centre + 3.4 * view["radius"] * n)
        box = self.page.locator("canvas").first.bounding_box()
        f = box["height"] / 2 / math.tan(math.radians(38) / 2)
        across, high, deep = d @ right, d @ np.cross(n, right), -(d @ n)
        return box["x"] + box["width"] / 2 + f * across / deep, box["y"] + box["height"] / 2 - f * high / deep

    def colour(self, picture, x):
        column, row = (round(value) for value in self.place(x))
        return picture[row - 1 : row + 2, column - 1 : column + 2].mean(axis=(0, 1))

    def near(self, picture, x, across=2):
        """The part of the picture around a point of the world."""
        column, row = (round(value) for value in self.place(x))
        return picture[row - across : row + across + 1, column - across : column + across + 1]

    def tab(self, name):
        self.page.get_by_role("tab", name=name).click()

    def open(self, name):
        """Open a folder of the panel."""
        self.page.get_by_text(name, exact=True).click()


@pytest.fixture(scope="module")
def opened(stay):
    link, driver = live.open_simulation(make, keys={"M": {"drive": 1.5}})
    with link:
        yield Shown(stay, link, driver)


@pytest.fixture
def there(opened):
    """The page of the arm, upright and at rest, some steps after its start: how many differs, to know what is shown."""
    opened.driver.receive("run", False)
    opened.driver.sim.inputs["drive"] = 0.0
    opened.driver.receive("reset")
    opened.count = getattr(opened, "count", 0) + 1
    opened.driver.receive("single", opened.count)
    opened.turn()  # a page that lags may still say this time of an earlier run
    opened.tab("Drive")
    opened.until(lambda: f"time {opened.count / 1000:.3f} s" in opened.page.inner_text("body"))
    return opened


def blue(colour):
    red, _, b = colour
    return b > red + 25


def test_it_asks_no_other_host_and_shows_bodies_where_they_are(there):
    there.sees(lambda picture: blue(there.colour(picture, (0, 0, 0.8))))
    there.driver.sim.inputs["drive"] = 5.0
    there.driver.receive("single", 500)
    angle = float(there.driver.sim["pin.position"])
    assert angle > 0.5
    tip = np.array([math.sin(angle), 0, math.cos(angle)])
    there.sees(lambda picture: blue(there.colour(picture, 0.8 * tip)) and not blue(there.colour(picture, (0, 0, 0.8))))
    assert all("//127.0.0.1:" in address or address.startswith(("blob:", "data:")) for address in there.page.asked)
    assert there.page.errors == []


def yellow(colour):
    red, _, b = colour
    return red > b + 25


def red(part):
    return (part[..., 0] - part[..., 1]).max() > 25  # a slow browser draws coarsely


def test_sliders_keys_and_buttons_reach_the_simulation(there):
    page, driver = there.page, there.driver
    step = 4.0 / 200  # from -2 to 2 N m
    # (by the mouse: the arrows on the keyboard would also turn the camera)
    track = page.locator(".mantine-Slider-trackContainer").first.bounding_box()
    page.mouse.click(track["x"] + 0.75 * track["width"], track["y"] + track["height"] / 2)
    there.until(lambda: driver.sim.inputs["drive"] == pytest.approx(1.0, abs=3 * step))
    page.get_by_role("button", name="Step", exact=True).click()
    there.until(lambda: driver.sim.steps == there.count + 1)
    page.mouse.click(30, 30)  # away from the slider
    page.keyboard.press("m")
    there.until(lambda: driver.sim.inputs["drive"] == 1.5)  # while it is held
    there.until(lambda: driver.sim.inputs["drive"] == 0.0)
    page.keyboard.press("k")  # less
    there.until(lambda: driver.sim.inputs["drive"] == pytest.approx(-10 * step))
    page.keyboard.press("x")
    there.until(lambda: driver.sim.inputs["drive"] == 0.0)
    page.get_by_role("button", name="Run", exact=True).click()
    there.until(lambda: driver.sim.time > 0.05)
    page.get_by_role("button", name="Pause", exact=True).click()
    there.until(lambda: not driver.running)
    stopped = driver.sim.time
    for _ in range(10):
        there.turn()
    assert driver.sim.time == stopped
    there.until(lambda: f"time {stopped:.3f} s" in page.inner_text("body"))
    page.keyboard.press("r")
    there.until(lambda: driver.sim.time == 0.0)


def test_switches_forces_trails_and_plots(there):
    page, driver = there.page, there.driver
    there.tab("Show")
    there.open("Trails")
    page.get_by_role("button", name="Follow it").wait_for()
    page.locator('input[type="text"]:visible').last.fill("0.5")  # z of the point: the tip of the bar
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Follow it").click()
    there.sees(lambda picture: blue(there.colour(picture, (0, 0, 0.9))))
    there.turn(50)  # the trail begins where the point is once the click has been heard
    driver.sim.inputs["drive"] = 5.0
    angles = []
    for _ in range(20):
        driver.receive("single", 20)
        there.turn(4)
        angles.append(float(driver.sim["pin.position"]))
    angle = angles[-1]
    assert angle > 1.0
    tip = 0.8 * np.array([math.sin(angle), 0, math.cos(angle)])
    there.sees(lambda picture: blue(there.colour(picture, tip)))
    ways = [np.array([math.sin(a), 0, math.cos(a)]) for a in angles[6:14:2]]
    there.sees(lambda picture: all(red(there.near(picture, way)) for way in ways))
    assert not any(red(there.near(there.picture(), 0.9 * way)) for way in ways)
    page.get_by_role("button", name="Clear trails").click()
    there.sees(lambda picture: not any(red(there.near(picture, way)) for way in ways))
    there.open("Trails")
    page.get_by_label("bodies").uncheck()
    there.sees(lambda picture: not blue(there.colour(picture, tip)))
    # the pin holds the arm by a force towards the pin: an arrow as long as the panel says
    force = driver.sim["pin.reaction"][:3]
    assert np.linalg.norm(force) > 5.0
    view = view_of([driver.state.stage])
    middle = 0.5 * (0.35 * view["radius"] / (2.0 * 9.81)) * force
    assert not red(there.near(there.picture(), middle))
    page.get_by_label("reactions").check()
    there.sees(lambda picture: red(there.near(picture, middle)))
    page.get_by_label("bodies").check()
    page.get_by_label("reactions").uncheck()
    there.tab("Plots")
    there.until(lambda: page.locator(".uplot canvas").count() == 1)
    assert "energy.total [J]" in page.inner_text("body")


def test_joints_are_released_and_attached(there):
    """A pin that is released is no longer drawn, one that is attached is; the simulation has it so as well."""
    page, driver = there.page, there.driver
    there.tab("Show")
    for name in ("bodies", "springs"):
        page.get_by_label(name).uncheck()

    def pinned(picture, x):
        return there.near(picture, x).mean(axis=2).min() < 140

    there.sees(lambda picture: pinned(picture, (0, 0, 0)) and not pinned(picture, (0, 0, 0.5)))
    there.tab("Drive")
    there.open("Joints")
    page.get_by_role("button", name="Release").click()
    there.sees(lambda picture: not pinned(picture, (0, 0, 0)))
    assert [change.joint for change in driver.sim.changes] == ["pin"]
    page.get_by_label("by a joint").click()
    page.get_by_role("option", name="ball").click()
    page.get_by_role("button", name="Attach").click()  # the bar, where it is, to the ground
    there.sees(lambda picture: pinned(picture, (0, 0, 0.5)))
    assert driver.sim.attached == [driver.sim.changes[-1].joint]
    driver.sim.drag("bar", (0.2, 0, 0.5), max_force=5.0)
    driver.receive("single", 50)
    np.testing.assert_allclose(driver.sim["bar.position"], (0, 0, 0.5), atol=1e-9)  # it holds
    there.open("Joints")
    driver.receive("reset")
    there.sees(lambda picture: pinned(picture, (0, 0, 0)) and not pinned(picture, (0, 0, 0.5)))
    there.tab("Show")
    for name in ("bodies", "springs"):
        page.get_by_label(name).check()


def test_a_body_is_dragged_with_the_mouse(there):
    """It is held where the mouse went down, and follows the mouse as far as its joint lets it."""
    page, driver = there.page, there.driver

    def upright(seen):
        found = [blue(there.colour(seen, (x, -0.05, 0.9))) for x in (-0.22, -0.03, 0.03, 0.22)]
        return found == [False, True, True, False]

    there.sees(upright)  # the browser has drawn the start
    x, y = there.place((0, 0, 0.7))
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(1, 6):
        page.mouse.move(x + 8 * k, y)
        there.turn()
    there.until(lambda: "bar" in driver.held)
    held = driver.held["bar"] + (0, 0, 0.5)
    assert there.place(held) == pytest.approx((x, y), abs=2.0)
    assert held[2] == pytest.approx(0.7, abs=0.03)
    there.until(lambda: there.place(driver.sim.stepper.drags["bar"].to) == pytest.approx((x + 40, y), abs=4.0))
    goal = driver.sim.stepper.drags["bar"].to
    driver.receive("single", 1500)
    # the angle at which the held point is nearest to the goal, in the plane in which the bar swings
    wanted = math.atan2(goal[0], goal[2]) - math.atan2(held[0], held[2])
    assert wanted > 0.15
    assert driver.sim["pin.position"] == pytest.approx(wanted, abs=0.02)
    page.mouse.up()
    there.until(lambda: driver.held == {})
    assert driver.sim.stepper.drags == {}


ASK = """address => new Promise(done => {
    const line = new WebSocket(address); line.onopen = () => done("open"); line.onerror = () => done("refused"); })"""


def test_two_pages_and_one_that_is_closed(there, browser):
    """What one clicks the other shows; closing a page does not stop the run. A page of somebody else gets no socket."""
    other = browser.new_page(viewport={"width": 400, "height": 300})
    line = there.link.address.replace("http", "ws")
    assert other.evaluate(ASK, line) == "refused"
    other.goto(there.link.address)
    assert other.evaluate(ASK, line) == "open"
    there.until(lambda: other.get_by_role("button", name="Run", exact=True).count() == 1)
    other.get_by_role("button", name="Run", exact=True).click()
    there.until(lambda: there.page.get_by_role("button", name="Pause", exact=True).count() == 1)
    other.close()
    then = there.driver.sim.time
    there.until(lambda: there.driver.sim.time > then + 0.1)
    assert there.link.alive


def test_a_picture_is_a_file(there):
    there.tab("Show")
    with there.page.expect_download() as waiting:
        there.page.get_by_role("button", name="Picture").click()
    file = waiting.value
    assert file.suggested_filename == f"arm_{there.count / 1000:.3f}_s.png"
    seen = np.asarray(Image.open(file.path()).convert("RGB"), dtype=float)
    box = there.page.locator("canvas").first.bounding_box()
    column, row = there.place((0, 0, 0.8))
    assert blue(seen[round(row - box["y"]), round(column - box["x"])])


@pytest.mark.long
def test_two_runs_over_each_other_are_scrubbed_also_behind_a_token(visit, swing):
    """The balls of the runs go up and down apart from each other: one is blue, the other orange and shines through."""
    runs = [swing(), swing(1.0)]
    link, player = live.open_runs(runs, token="long_enough")
    with link:
        there = Shown(visit, link, player, (620, 400))
        page = there.page
        assert "token" not in page.url
        player.receive("time", 1.0)
        one, other = (run["ball.position"][100] for run in runs)
        assert abs(one[2] - other[2]) > 0.2
        there.sees(lambda picture: blue(there.colour(picture, one)) and yellow(there.colour(picture, other)))
        slider = page.get_by_role("slider").first
        slider.focus()
        page.keyboard.press("End")
        there.until(lambda: player.time == 4.0)
        page.keyboard.press("ArrowLeft")
        there.until(lambda: player.time == pytest.approx(4.0 - 0.004))
        page.get_by_role("button", name="Start", exact=True).click()
        there.until(lambda: player.time == 0.0)
        page.get_by_role("button", name="Forward", exact=True).click()
        there.until(lambda: player.time == pytest.approx(0.01))
        page.get_by_role("button", name="Back", exact=True).click()
        there.until(lambda: player.time == pytest.approx(0.0))
        page.get_by_role("button", name="Run", exact=True).click()
        there.until(lambda: player.time > 0.5)


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "key", "column", "body", "point"),
    [
        ("gripper", "l", "turn.velocity", "forearm", (0, 0, 0)),
        ("rover", "i", "middle left axle.velocity", "hull", REAR),
    ],
)
def test_the_keyboard_drives(visit, name, key, column, body, point):
    """While a key is held the motors turn as it says, and the picture shows where that leads; then they stand."""
    target = find(name, {"speed": 0.0} if name == "rover" else {}, viewing=True)

    def made(method, dt):
        return lw.Simulation(target.model, "impulse", dt=5e-3)

    link, driver = live.open_simulation(made, keys=target.keys, stay=target.stay)
    with link:
        there = Shown(visit, link, driver)
        wanted = target.keys[key.upper()]

        def place():
            return driver.sim[f"{body}.position"] + matrix(driver.sim[f"{body}.rotation"]) @ point

        def held():
            there.page.keyboard.down(key)  # again and again, as keyboards do
            return all(driver.sim.inputs[word] == value for word, value in wanted.items())

        def coloured(picture, x):
            return np.ptp(there.colour(picture, x)) > 40

        before = place()
        there.sees(lambda picture: coloured(picture, before))
        there.page.mouse.click(30, 30)
        there.until(held)
        driver.receive("single", 100)
        (speed,) = {value for word, value in wanted.items() if word.startswith(column.split()[0].split(".")[0])}
        assert float(driver.sim[column]) == pytest.approx(speed, rel=0.05)
        there.page.keyboard.up(key)
        there.until(lambda: not any(driver.sim.inputs[word] for word in wanted))
        driver.receive("single", 150)
        assert float(driver.sim[column]) == pytest.approx(0.0, abs=0.05 * abs(speed))
        after = place()
        there.sees(lambda picture: coloured(picture, after) and not coloured(picture, before))
