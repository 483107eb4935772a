"""`view`: a simulation, or recorded runs, moving in a browser. Stepping happens here, the page has its own process.

Poses reach the page through shared memory, clicks come back through a pipe: the page cannot delay a step.
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
from linkwork.errors import OptionError
from linkwork.simulation.interaction.posing import Posing
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.simulation.run import Simulation
from linkwork.viewer.live.driver import Driver, Make, method_label
from linkwork.viewer.live.live_state import LiveState, methods_for, preview, short_units
from linkwork.viewer.live.page_data import page_data
from linkwork.viewer.live.page_process import PageProcess
from linkwork.viewer.live.player import FRAME, Player
from linkwork.viewer.live.sliders import pose_sliders, sliders
from linkwork.viewer.replay.replay import TINTS, speed_to_watch
from linkwork.viewer.staging import Stage

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
    are plotted from the start. `keys` say what a key sets inputs to while it is held; those in `stay` stay. `until` (s)
    is how long a motion is worth watching: one that is over in milliseconds is slowed down. With `kinematic` it stands
    at first and sliders move its joints. `say` gets the address; `place`: host, port, token, cert, key.
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
    stage = preview(lambda: make(None, None))
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
        [stage],
        [method_label(sim)],
        weight=sum(body.mass for body in model.all_bodies()) * gravity,
        inputs=sliders(model, dict(sim.inputs), stage.size, keys),
        columns=choices,
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
    show["view"]["digits"] = int(np.clip(math.ceil(-math.log10(sim.method.dt) - 1e-9), 3, 6))
    page = PageProcess(show, **place)
    driver = Driver(page, make, sim, state)
    driver.receive("speed", show["speed"])
    driver.receive("kinematic", kinematic)
    return page, driver


def view_run(
    *runs: Trajectory,
    seconds: float | None = None,
    labels: Sequence[str] | None = None,
    say: Callable[[str], None] = print,
    browser: bool = True,
    **place: Any,
) -> None:
    """Show recorded runs with a time bar until Ctrl-C, or for so many `seconds`; several over each other."""
    if not 1 <= len(runs) <= len(TINTS):
        raise OptionError(f"the page shows one to {len(TINTS)} runs over each other, not {len(runs)}; give fewer")
    page, player = open_runs(runs, labels, **place)
    with page:
        _announce(page, say, browser)
        step_until(page, player, seconds)


def open_runs(
    runs: Sequence[Trajectory], labels: Sequence[str] | None = None, **place: Any
) -> tuple[PageProcess, Player]:
    """The page of recorded runs and their player; see `view_run`."""
    stages = [Stage(run) for run in runs]
    names = list(labels) if labels is not None else _labels(runs)
    player = Player(stages)
    first = runs[0]
    columns = {name: ([""], "J") for name in ("energy.total", "energy.balance") if name in first}
    for name in first.names:
        parts = first.components(name)
        columns[name] = ([label.removeprefix(name).lstrip(".") for label, _, _ in parts], short_units(first.unit(name)))
    player.speed = speed_to_watch(player.span[1] - player.span[0])
    show = page_data(stages, names, span=player.span, columns=columns, plots=list(columns)[:1], speed=player.speed)
    player.page = PageProcess(show, **place)
    return player.page, player


def _labels(runs: Sequence[Trajectory]) -> list[str]:
    """Methods of the runs, numbered where they are the same."""
    words = [run.certificate.method or "run" for run in runs]
    return [word if words.count(word) == 1 else f"{word} {k + 1}" for k, word in enumerate(words)]


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
    picture = 0.0
    while page.alive and (last is None or time.perf_counter() < last):
        wake = shown.go(time.perf_counter())
        # pictures are taken after a step, when there is the most time until the next one
        if time.perf_counter() >= picture:
            for message in page.messages():
                shown.receive(*message)
            shown.show()
            picture = max(picture, time.perf_counter() - FRAME) + FRAME
        time.sleep(max(0.0, (wake if wake - time.perf_counter() < FRAME else picture) - time.perf_counter()))
