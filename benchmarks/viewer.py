"""What the live page costs the stepping loop: late steps of a 1 kHz run alone, and with the page looked at.

    python benchmarks/viewer.py [--seconds 5] [--repeats 5] [--bodies 50] [--browser]

A step is late when it ends more than 1 ms after its time. Modes, interleaved: "none" only steps; "process" has the page
in its process, with nobody looking; "client" has somebody who takes every message and draws nothing, as a browser with
a graphics card hardly burdens the cores; with --browser also a headless Chromium (by playwright), which draws in
software on the same cores, so that its figure is the worst case. Printed are the median and the range over the repeats,
the pictures that went out in a second, and those that arrived; of the browser those that it drew. On a machine with
other work, run it by `chrt -R -f 10 python benchmarks/viewer.py`: the steps then have the right of way, the page has
not.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import threading
import time
from types import SimpleNamespace
from typing import Any

import numpy as np

import linkwork as lw
from linkwork.gallery.catalogue import FLAGS
from linkwork.viewer.live import live
from linkwork.viewer.live.driver import Driver
from linkwork.viewer.live.live_state import LiveState, preview
from linkwork.viewer.live.page_data import names_of, page_data
from linkwork.viewer.live.page_process import PageProcess
from linkwork.viewer.live.shared_frame import SharedFrame
from linkwork.viewer.live.step_clock import StepClock
from linkwork.viewer.page_text import page_text

# takes every frame and draws nothing
CLIENT = """
import sys, time
from websockets.sync.client import connect
address, seconds = sys.argv[1], float(sys.argv[2])
with connect(address + "/live", max_size=None) as line:
    begun, count, told = time.perf_counter() + 1.5, 0, False
    while time.perf_counter() - begun < seconds:
        if not told and time.perf_counter() > begun:
            print("ready", flush=True)
            told, count = True, 0
        try:
            count += isinstance(line.recv(timeout=0.2), bytes)
        except TimeoutError:
            pass
print(count / seconds)
"""


def row_of(bodies: int) -> lw.Model:
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
        self.frame = SharedFrame(things, joints)

    def messages(self) -> list[Any]:
        return []

    def send(self, *words: Any) -> None: ...

    def close(self) -> None:
        self.frame.close()


def measure(make: Any, seconds: float, page: str) -> SimpleNamespace:
    """One run in one of the modes."""
    stage = preview(lambda: make(None, None))
    sim = make(None, None)
    state = LiveState(sim, stage)
    show = page_data(stage, "benchmark", state.choices(), method="recursive", methods=["recursive"], step=1e-3)
    size = len(stage.names), len(stage.joints())
    documents = {"/": live.document(page_text(show, connect="'self'"))}
    link: Any = Nobody(*size) if page == "none" else PageProcess(documents, names_of(show), *size)
    driver = Driver(link, make, sim, state)
    if page == "none":
        driver.show = lambda: None  # type: ignore[method-assign]
    frames: list[float] = []
    done, ready = threading.Event(), threading.Event()
    looker: Any = None
    if page == "browser":
        looker = threading.Thread(target=look, args=(link.address, frames, ready, done))
        looker.start()
        ready.wait(60)
    elif page == "client":
        command = [sys.executable, "-c", CLIENT, link.address.replace("http", "ws"), str(seconds)]
        # a browser is no child of the one who steps: it has a session of its own, by which Linux shares time
        looker = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)
        assert looker.stdout.readline().strip() == "ready"
    began = link.frame.sequence
    driver.clock = StepClock(1e-3, 1.0, time.perf_counter())
    live.step_until(link, driver, seconds)
    published = (link.frame.sequence - began) / 2 / seconds
    done.set()
    if page == "browser":
        looker.join()
    elif page == "client":
        frames.append(float(looker.communicate()[0]))
    link.close()
    late, steps = driver.clock.late, driver.clock.steps
    return SimpleNamespace(late=late, steps=steps, published=published, drawn=(frames or [np.nan])[0])


def look(address: str, frames: list[float], ready: threading.Event, done: threading.Event) -> None:
    """A browser that looks until it is told."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=list(FLAGS))
        page = browser.new_page(viewport={"width": 800, "height": 600})
        page.goto(address)
        page.wait_for_timeout(4000)
        ready.set()
        page.wait_for_timeout(300)
        begun, first = time.perf_counter(), page.evaluate("linkwork.drawn")
        done.wait()
        frames.append((page.evaluate("linkwork.drawn") - first) / (time.perf_counter() - begun))
        browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--bodies", type=int, default=50)
    parser.add_argument("--browser", action="store_true")
    given = parser.parse_args()
    modes = ["none", "process", "client", *(["browser"] if given.browser else [])]
    for model in (lw.gallery.car.build(), row_of(given.bodies)):

        def make(method: Any, dt: Any, model: lw.Model = model) -> lw.Simulation:
            return lw.Simulation(model, "recursive", dt=1e-3)

        found: dict[str, list[SimpleNamespace]] = {mode: [] for mode in modes}
        for _ in range(given.repeats):
            for mode in modes:
                found[mode].append(measure(make, given.seconds, mode))
        for mode, runs in found.items():
            late = sorted(1e3 * run.late / run.steps for run in runs)
            span = f"{late[0]:.1f} to {late[-1]:.1f}"
            print(
                f"{model.name:14} {mode:8} late {np.median(late):6.1f} in a thousand ({span}), "
                f"{np.median([run.published for run in runs]):5.1f} pictures/s out, "
                f"{np.median([run.drawn for run in runs]):5.1f} seen"
            )


if __name__ == "__main__":
    main()
