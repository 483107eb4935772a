"""An arm to step and its live page in a browser, for several tests of the page."""

import threading
import time

import numpy as np

import linkwork as lw
from linkwork.viewer.live import live

WIDE, HIGH = 620, 400


def arm():
    """A blue arm that a torque can turn about y, and a weight beside it that stands; no gravity."""
    model = lw.Model("arm", gravity=(0, 0, 0))
    bar = model.body("bar", mass=1.0, shape=lw.Box((0.2, 0.1, 1.0)), position=(0, 0, 0.5))
    weight = model.body("weight", mass=1.0, shape=lw.Box((0.2, 0.2, 0.2)), position=(0.9, 0, 0.1))
    pin = model.revolute("pin", model.ground, bar, at=(0, 0, 0), axis=(0, 1, 0))
    model.fixed("foot", model.ground, weight, at=(0.9, 0, 0))
    model.torque("drive", pin, 0.0)
    model.torque("brake", pin, 0.0)
    return model


def make(method=None, dt=None):
    return lw.Simulation(arm(), method or "recursive", dt=dt or 1e-3)


class Shown:
    """A page with who stands behind it; both sides get their turns here, so that nothing depends on the clock."""

    def __init__(self, visit, link, driver, size=(WIDE, HIGH)):
        self.link, self.driver = link, driver
        self.frames = {}  # poses of every frame that was written, by their time
        write = link.frame.write

        def kept(head, poses, *more):
            self.frames[head[1]] = np.array(poses)
            write(head, poses, *more)

        link.frame.write = kept
        self.page = visit(link.address, *size)
        self.until(lambda: self.page.evaluate("Boolean(window.linkwork)") and not driver.waits)
        self.page.evaluate("linkwork.plain(true)")  # shadows are not looked at, and take time

    def turn(self):
        for words in self.link.messages():
            self.driver.receive(*words)
        self.driver.go(time.perf_counter())
        self.driver.show()
        self.page.wait_for_timeout(10)

    def until(self, holds, seconds=20.0):
        last = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < last, "it did not come to that"
            self.turn()

    def ask(self, expression):
        return self.page.evaluate(expression)

    def sees(self, expression):
        """Wait until something holds in the page."""
        self.until(lambda: self.ask(expression))

    def shows(self, t):
        """Wait until the page shows a time."""
        self.sees(f"Math.abs(linkwork.time - {t}) < 1e-9")

    def place(self, x):
        return self.ask(f"linkwork.screenOf({list(map(float, x))})")

    def colour(self, x):
        return self.ask(f"linkwork.pixel(...linkwork.screenOf({list(map(float, x))}))")

    def do(self, *words):
        """As if it had been clicked."""
        self.ask(f"linkwork.source.send(...{list(words)!r})".replace("True", "true").replace("False", "false"))


class Running:
    """Steps by the clock in a thread of its own, as `linkwork view` does, while the page is looked at."""

    def __init__(self, link, driver):
        self.alive, self.messages = True, link.messages
        self.thread = threading.Thread(target=live.step_until, args=(self, driver, 120.0))

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.alive = False
        self.thread.join()
