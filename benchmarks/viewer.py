"""What the live page costs the stepping loop: late steps of a 1 kHz run alone, with the page's process, with a browser.

    python benchmarks/viewer.py [--seconds 10] [--bodies 50] [--browser]

A step is late when it ends more than 1 ms after its time. With --browser a headless Chromium looks at the page (by
playwright); it draws in software on the same cores, which no user's does, so its figure is the worst case. Frames are
those that the page's process published and those that the browser drew.
"""

from __future__ import annotations

import argparse
import shutil
import threading
import time
from types import SimpleNamespace
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.viewer import live
from linkwork.viewer.board import Board
from linkwork.viewer.link import Link
from linkwork.viewer.watch import Watch, preview

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--no-first-run",
    "--disable-background-networking",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
]
COUNT_FRAMES = "() => { window.frames_ = 0; const f = () => { window.frames_++; requestAnimationFrame(f); }; f(); }"


def chain(bodies: int) -> lw.Model:
    """Pendulums side by side, so that one body is one picture and the step stays cheap."""
    model = lw.Model(f"{bodies} pendulums")
    for k in range(bodies):
        x = 0.15 * k
        rod = model.body(f"rod {k}", mass=1.0, shape=lw.Capsule(0.03, 0.5), position=(x, 0, -0.25))
        model.revolute(f"pin {k}", model.ground, rod, at=(x, 0, 0), axis=(1, 0, 0), position=0.3 + 0.02 * k)
    return model


class Nobody:
    """Stands for the page, and for its board as well where the loop shall not even write."""

    alive = True

    def __init__(self, things: int, joints: int) -> None:
        self.board = Board(things, joints)

    def words(self) -> list[Any]:
        return []

    def tell(self, *words: Any) -> None: ...

    def close(self) -> None:
        self.board.close()


def measure(make: Any, seconds: float, page: str) -> SimpleNamespace:
    """One run: page is "none" (steps only), "process", or "browser"."""
    stage = preview(lambda: make(None, None))
    sim = make(None, None)
    watch = Watch(sim, stage)
    show = live.staged([stage], ["benchmark"], method="recursive", methods=["recursive"], steps=[1e-3], step=1e-3)
    link: Any = Nobody(len(show["bodies"]), len(show["joints"])) if page == "none" else Link(show)
    driver = live.Driver(link, make, sim, watch)
    if page == "none":
        driver.show = lambda: None  # type: ignore[method-assign]
    frames: list[float] = []
    done, ready = threading.Event(), threading.Event()
    looker = threading.Thread(target=look, args=(link.address, frames, ready, done)) if page == "browser" else None
    if looker is not None:
        looker.start()
        ready.wait(60)
    began = link.board.sequence
    driver.pace = live.Pace(1e-3, 1.0, time.perf_counter())
    live._until(link, driver, seconds)
    published = (link.board.sequence - began) / 2 / seconds
    done.set()
    if looker is not None:
        looker.join()
    link.close()
    late, steps = driver.pace.late, driver.pace.steps
    return SimpleNamespace(late=late, steps=steps, published=published, drawn=float(np.mean(frames or [np.nan])))


def look(address: str, frames: list[float], ready: threading.Event, done: threading.Event) -> None:
    """A browser that looks until it is told."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        page = browser.new_page(viewport={"width": 800, "height": 600})
        page.goto(address)
        page.wait_for_timeout(4000)
        page.evaluate(COUNT_FRAMES)
        ready.set()
        begun = time.perf_counter()
        done.wait()
        frames.append(page.evaluate("() => window.frames_") / (time.perf_counter() - begun))
        browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--bodies", type=int, default=50)
    parser.add_argument("--browser", action="store_true")
    given = parser.parse_args()
    car, row = lw.gallery.car.build(), chain(given.bodies)
    for name, model in (("car", car), (row.name, row)):

        def make(method: Any, dt: Any, model: lw.Model = model) -> lw.Simulation:
            return lw.Simulation(model, "recursive", dt=1e-3)

        for page in ("none", "process", *(["browser"] if given.browser else [])):
            found = measure(make, given.seconds, page)
            print(
                f"{name:14} {page:8} late {found.late:5d} of {found.steps} steps, "
                f"{found.published:5.1f} pictures/s published, {found.drawn:5.1f} drawn"
            )


if __name__ == "__main__":
    main()
