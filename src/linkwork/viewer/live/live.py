"""`view`: a simulation, or recorded runs, moving in a browser. Stepping happens here, the page has its own process.

Poses reach the page through shared memory, clicks come back through a pipe: the page cannot delay a step. Recorded runs
are the page of a replay, served.
"""

from __future__ import annotations

import math
import os
import sys
import time
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from linkwork.assembly.assemble import assemble
from linkwork.errors import ModelError, OptionError, RunError
from linkwork.simulation.interaction.posing import Posing
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.simulation.run import Simulation
from linkwork.viewer.live.driver import Driver, Make
from linkwork.viewer.live.live_state import LiveState, method_label, methods_for, preview
from linkwork.viewer.live.on_time import OnTime
from linkwork.viewer.live.page_data import names_of, page_data
from linkwork.viewer.live.page_process import PageProcess
from linkwork.viewer.live.sliders import pose_sliders, sliders
from linkwork.viewer.page_text import page_text
from linkwork.viewer.replay.replay import TINTS, speed_to_watch
from linkwork.viewer.replay.replay import page as replay_page

FRAME = 1.0 / 60.0  # s between two pictures
HEARD = 0.005  # s: what is done on the page waits no longer while the run goes on
QUICK = ("input", "key", "grab", "pull", "drop", "watch", "speed")  # messages that take no time
ALIVE = 0.1  # s between two looks whether the page is still there
STEPS_TO_CHOOSE = tuple(round(a * 10.0**b, 12) for b in range(-6, -1) for a in (1, 2, 5))  # s


def view_simulation(
    make: Make,
    sim: Simulation | None = None,
    *,
    plots: Sequence[str] = (),
    keys: Mapping[str, Mapping[str, float]] | None = None,
    stay: Sequence[str] = (),
    until: float | None = None,
    kinematic: bool = False,
    seconds: float | None = None,
    say: Callable[[str], None] = print,
    browser: bool = True,
    **place: Any,
) -> None:
    """Show a simulation in real time until Ctrl-C, or for so many `seconds`.

    `make(method, dt)` makes it, also anew with another method; `sim` is one that has begun. `plots` are columns that
    are plotted from the start. `keys` say what a key sets inputs to while it is held; those in `stay` stay. It begins
    when somebody looks. `until` (s) is how long a motion is worth watching: it pauses there, and one that is over in
    milliseconds is slowed down. With `kinematic` it stands at first and sliders move its joints. `say` gets the
    address; `place`: host, port, token, cert, key.
    """
    page, driver = open_simulation(
        make, sim, plots=plots, keys=keys, stay=stay, until=until, kinematic=kinematic, **place
    )
    with page:
        _announce(page, say, browser)
        step_until(page, driver, seconds)


def open_simulation(
    make: Make,
    sim: Simulation | None = None,
    *,
    plots: Sequence[str] = (),
    keys: Mapping[str, Mapping[str, float]] | None = None,
    stay: Sequence[str] = (),
    until: float | None = None,
    kinematic: bool = False,
    **place: Any,
) -> tuple[PageProcess, Driver]:
    """The page of a simulation and its driver; see `view_simulation`."""
    stage = preview(lambda: make(None, None), until)
    sim = make(None, None) if sim is None else sim
    state = LiveState(sim, stage)
    model = sim.system.model
    choices = state.choices()
    for key, named in (keys or {}).items():
        for name in named:
            if name not in sim.inputs:
                raise OptionError(f"key {key} sets '{name}', which is no input of '{model.name}'; correct KEYS")
    gravity = float(np.linalg.norm(model.gravity)) or 9.81
    coordinates = pose_sliders(Posing(assemble(model.built)), stage.size)
    kinematic = kinematic and bool(coordinates)
    show = page_data(
        stage,
        method_label(sim),
        choices,
        weight=sum(body.mass for body in model.all_bodies()) * gravity,
        until=until,
        inputs=sliders(model, dict(sim.inputs), stage.size, keys),
        plots=[name for name in plots if name in choices][:2] or ["energy.total"],
        methods=methods_for(sim, sim.ignored),
        method=sim.method.name,
        steps=sorted({*STEPS_TO_CHOOSE, sim.method.dt}),
        step=sim.method.dt,
        keys={key: dict(inputs) for key, inputs in (keys or {}).items()},
        stay=list(stay),
        changing=[joint["name"] for joint in stage.joints()],
        coordinates=coordinates,
        kinematic=kinematic,
        speed=1.0 if until is None else min(1.0, speed_to_watch(until)),
    )
    show["runs"][0]["shared"] = shared_reactions(sim)
    show["view"]["digits"] = int(np.clip(math.ceil(-math.log10(sim.method.dt) - 1e-9), 3, 6))
    page = PageProcess(
        {"/": document(page_text(show, connect="'self'"))},
        names_of(show),
        len(stage.names),
        len(stage.joints()),
        **place,
    )
    driver = Driver(page, make, sim, state, keys=keys, stay=stay, until=until, waits=True)
    driver.receive("speed", show["speed"])
    driver.receive("kinematic", kinematic)
    return page, driver


def shared_reactions(sim: Simulation) -> list[str]:
    """Names of joints whose reactions other joints could carry instead; all, where that cannot be told.

    >>> shared_reactions(lw.Simulation(lw.gallery.pendulum.build(), "recursive"))
    []
    >>> len(shared_reactions(lw.Simulation(lw.gallery.double_four_bar.build(), "recursive")))
    7
    """
    try:
        found = sim.reactions()
    except (ModelError, OptionError, RunError):
        return [joint.path for joint in sim.system.model.all_joints()]
    return [name for name, reaction in found.items() if reaction.shared]


def document(text: str) -> tuple[str, bytes]:
    """A page as `PageProcess` takes it."""
    return "text/html; charset=utf-8", text.encode()


def view_run(
    *runs: Trajectory,
    seconds: float | None = None,
    labels: Sequence[str] | None = None,
    say: Callable[[str], None] = print,
    browser: bool = True,
    **place: Any,
) -> None:
    """Show recorded runs on the page of a replay until Ctrl-C, or for so many `seconds`; several over each other."""
    if not 1 <= len(runs) <= len(TINTS):
        raise OptionError(f"the page shows one to {len(TINTS)} runs over each other, not {len(runs)}; give fewer")
    view_page(replay_page(runs, labels=labels), seconds=seconds, say=say, browser=browser, **place)


def view_page(
    text: str,
    seconds: float | None = None,
    say: Callable[[str], None] = print,
    browser: bool = True,
    **place: Any,
) -> None:
    """Show a page that has all its data until Ctrl-C, or for so many `seconds`."""
    with PageProcess({"/": document(text)}, **place) as page:
        _announce(page, say, browser)
        wait_until(page, seconds)


def _announce(page: PageProcess, say: Callable[[str], None], browser: bool) -> None:
    """Print the address of the page, and open a browser where there is a screen."""
    say(page.address)
    if browser:
        open_browser(page.address)


def open_browser(address: str) -> bool:
    """Open the browser where there is a screen for it; over SSH the address is enough."""
    screen = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if not screen or os.environ.get("SSH_CONNECTION"):
        return False
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False


def step_until(page: Any, shown: Any, seconds: float | None) -> None:
    """Go on until the page's process ends, or for so many seconds."""
    last = None if seconds is None else time.perf_counter() + seconds
    picture = looked = 0.0
    with OnTime() as on_time:
        while last is None or time.perf_counter() < last:
            now = time.perf_counter()
            if now - looked > ALIVE:
                if not page.alive:
                    break
                looked = now
            wake = shown.go(now)
            for message in page.messages():
                if message[0] not in QUICK:
                    on_time.calm()
                shown.receive(*message)
            # pictures are taken after a step, when there is the most time until the next one
            if time.perf_counter() >= picture:
                shown.show()
                picture = max(picture, time.perf_counter() - FRAME) + FRAME
            on_time.look(time.perf_counter())
            now = time.perf_counter()
            time.sleep(max(0.0, min(wake - now, HEARD) if wake - now < 2 * FRAME else picture - now))


def wait_until(page: Any, seconds: float | None) -> None:
    """Wait until the page's process ends, or for so many seconds."""
    last = None if seconds is None else time.perf_counter() + seconds
    while page.alive and (last is None or time.perf_counter() < last):
        page.messages()
        time.sleep(0.1 if last is None else max(0.0, min(0.1, last - time.perf_counter())))
