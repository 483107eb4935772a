"""`view`: a simulation, or recorded runs, moving in a browser. Stepping happens here, the page has its own process.

Poses go over through shared memory and words come back through a pipe, so that the page can never hold up a step.
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

from linkwork.errors import ModelError, OptionError, RunError
from linkwork.simulation.methods import positive
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.simulation.run import Simulation
from linkwork.viewer.colours import rgb
from linkwork.viewer.live import shared_frame as board
from linkwork.viewer.live.link import Link
from linkwork.viewer.live.live_state import Watch, able, preview, short
from linkwork.viewer.live.pace import Pace
from linkwork.viewer.live.sliders import sliders
from linkwork.viewer.replay.replay import TINTS, speed_to_watch, view_of
from linkwork.viewer.staging import Stage, holds, matrix

FRAME = 1.0 / 60.0  # s between two pictures
STRENGTH = 50.0  # m/s2: who drags can lift five times all there is
TURN = 5e-3  # s of computing between two looks at the clock and the keyboard
STEPS_TO_CHOOSE = tuple(round(a * 10.0**b, 12) for b in range(-6, -1) for a in (1, 2, 5))  # s

Make = Callable[[str | None, float | None], Simulation]


def staged(stages: Sequence[Stage], labels: Sequence[str], **more: Any) -> dict[str, Any]:
    """What the page has to know of one run, or of several over each other, each then in a colour of its own."""
    show: dict[str, Any] = {"bodies": [], "marks": [], "springs": [], "joints": [], "labels": list(labels)}
    for stage, label, tint in zip(stages, labels, TINTS, strict=False):
        first = len(show["bodies"])
        for body in stage.bodies():
            if len(stages) > 1:
                body = {**body, "name": f"{label}: {body['name']}", "colour": rgb(tint, 0.2).tolist()}
            show["bodies"].append({**body, "faint": first > 0})
        for kind, ends in (("marks", ("body",)), ("springs", ("a", "b")), ("joints", ("body",))):
            for thing in getattr(stage, kind)():
                moved = {end: thing[end] + first if thing[end] >= 0 else -1 for end in ends}
                show[kind].append({**thing, **moved})
    show["roads"] = stages[0].roads()
    return {
        "title": stages[0].run.model_name,
        "view": view_of(list(stages)),
        "weight": 0.0,
        "inputs": [],
        "columns": {},
        "plots": [],
        "methods": [],
        "steps": [],
        "span": None,
        "speed": 1.0,
        "keys": {},
        "stay": [],
        "changing": [],
        **show,
        **more,
    }


def view_simulation(
    make: Make,
    sim: Simulation | None = None,
    *,
    plots: Sequence[str] = (),
    keys: Mapping[str, Mapping[str, float]] | None = None,
    stay: Sequence[str] = (),
    until: float | None = None,
    seconds: float | None = None,
    **place: Any,
) -> None:
    """Show a simulation in real time until Ctrl-C, or for so many `seconds`.

    `make(method, dt)` makes it, also anew with another method; `sim` is one that has begun. `plots` are columns that
    are plotted from the start. `keys` say what a key sets inputs to while it is held; those in `stay` stay. `until` (s)
    is how long a motion is worth watching: one that is over in milliseconds is slowed down. `place`: host, port, token,
    cert, key, say, browser.
    """
    link, driver = opened(make, sim, plots=plots, keys=keys, stay=stay, until=until, **place)
    with link:
        _until(link, driver, seconds)


def opened(
    make: Make,
    sim: Simulation | None = None,
    *,
    plots: Sequence[str] = (),
    keys: Mapping[str, Mapping[str, float]] | None = None,
    stay: Sequence[str] = (),
    until: float | None = None,
    **place: Any,
) -> tuple[Link, Driver]:
    """The page of a simulation, and who drives it; see `view_simulation`."""
    stage = preview(lambda: make(None, None))
    sim = make(None, None) if sim is None else sim
    watch = Watch(sim, stage)
    model = sim.system.model
    choices = watch.choices()
    for key, named in (keys or {}).items():
        for name in named:
            if name not in sim.inputs:
                raise OptionError(f"key {key} sets '{name}', which is no input of '{model.name}'; correct KEYS")
    gravity = float(np.linalg.norm(model.gravity)) or 9.81
    show = staged(
        [stage],
        [_told(sim)],
        weight=sum(body.mass for body in model.all_bodies()) * gravity,
        inputs=sliders(model, dict(sim.inputs), stage.size, keys),
        columns=choices,
        plots=[name for name in plots if name in choices][:2] or ["energy.total"],
        methods=able(sim, sim.ignored),
        method=sim.method.name,
        steps=sorted({*STEPS_TO_CHOOSE, sim.method.dt}),
        step=sim.method.dt,
        keys={key: dict(inputs) for key, inputs in (keys or {}).items()},
        stay=list(stay),
        changing=[joint["name"] for joint in stage.joints()],
        speed=1.0 if until is None else min(1.0, speed_to_watch(until)),
    )
    show["view"]["digits"] = int(np.clip(math.ceil(-math.log10(sim.method.dt) - 1e-9), 3, 6))
    link = _open(show, **place)
    driver = Driver(link, make, sim, watch)
    driver.hear("speed", show["speed"])
    return link, driver


def view_run(
    *runs: Trajectory, seconds: float | None = None, labels: Sequence[str] | None = None, **place: Any
) -> None:
    """Show recorded runs with a time bar until Ctrl-C, or for so many `seconds`; several over each other."""
    if not 1 <= len(runs) <= len(TINTS):
        raise OptionError(f"the page shows one to {len(TINTS)} runs over each other, not {len(runs)}; give fewer")
    link, player = opened_runs(runs, labels, **place)
    with link:
        _until(link, player, seconds)


def opened_runs(runs: Sequence[Trajectory], labels: Sequence[str] | None = None, **place: Any) -> tuple[Link, Player]:
    """The page of recorded runs, and who plays them; see `view_run`."""
    stages = [Stage(run) for run in runs]
    names = list(labels) if labels is not None else _labels(runs)
    player = Player(stages)
    first = runs[0]
    columns = {name: ([""], "J") for name in ("energy.total", "energy.balance") if name in first}
    for name in first.names:
        parts = first.components(name)
        columns[name] = ([label.removeprefix(name).lstrip(".") for label, _, _ in parts], short(first.unit(name)))
    player.speed = speed_to_watch(player.span[1] - player.span[0])
    show = staged(stages, names, span=player.span, columns=columns, plots=list(columns)[:1], speed=player.speed)
    player.link = _open(show, **place)
    return player.link, player


def _labels(runs: Sequence[Trajectory]) -> list[str]:
    """Methods of the runs, numbered where they are the same."""
    words = [run.certificate.method or "run" for run in runs]
    return [word if words.count(word) == 1 else f"{word} {k + 1}" for k, word in enumerate(words)]


def _told(sim: Simulation) -> str:
    return f"{sim.method.name}, {sim.method.integrator}"


def _open(
    show: dict[str, Any],
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    token: str | None = None,
    cert: str | None = None,
    key: str | None = None,
    say: Callable[[str], None] = print,
    browser: bool = True,
) -> Link:
    """The page, its address said, and shown where there is a screen."""
    link = Link(show, host, port, token, cert, key)
    say(link.address)
    if browser:
        open_browser(link.address)
    return link


def open_browser(address: str) -> bool:
    """Open the browser where there is a screen for it; over SSH the address is enough."""
    screen = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if not screen or os.environ.get("SSH_CONNECTION"):
        return False
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False


def _until(link: Any, shown: Any, seconds: float | None) -> None:
    """Go on until the page's process ends, or for so many seconds."""
    last = None if seconds is None else time.perf_counter() + seconds
    picture = 0.0
    while link.alive and (last is None or time.perf_counter() < last):
        wake = shown.go(time.perf_counter())
        # pictures are taken after a step, when there is the most time until the next one
        if time.perf_counter() >= picture:
            for words in link.words():
                shown.hear(*words)
            shown.show()
            picture = max(picture, time.perf_counter() - FRAME) + FRAME
        time.sleep(max(0.0, (wake if wake - time.perf_counter() < FRAME else picture) - time.perf_counter()))


class Driver:
    """A simulation that keeps step with the clock and does as it is told."""

    def __init__(self, link: Any, make: Make, sim: Simulation, watch: Watch) -> None:
        self.link, self.make, self.sim, self.watch = link, make, sim, watch
        self.running, self.speed, self.dt = True, 1.0, sim.method.dt
        self.method: str | None = None  # another than the one it began with
        self.pace = Pace(self.dt, self.speed, time.perf_counter())
        self.block = 1  # steps in one turn
        self.fresh = True  # something to show
        self.held: dict[str, Any] = {}  # points by which bodies are dragged, m, in their frames
        masses = sum(body.mass for body in sim.system.model.all_bodies())
        self.strength = STRENGTH * masses  # N, of who drags

    # --- stepping -----------------------------------------------------------------------------------------

    def go(self, now: float) -> float:
        """Take the steps that are due; returns when to come again."""
        if not self.running:
            return now + 1.0
        due = min(self.pace.due(now), self.block)
        if due:
            if not self._step(due):
                return now + 1.0
            end = time.perf_counter()
            self.pace.done(due, end)
            self.block = max(1, min(4 * self.block, int(due * TURN / max(end - now, 1e-7))))
            self.fresh = True
        return self.pace.wake(now)

    def _step(self, count: int) -> bool:
        try:
            self.sim.step(count, self.dt)
        except RunError as error:
            self.running = False
            self.link.tell("note", f"{error} Reset begins anew.")
            self.fresh = True
            return False
        return True

    def show(self) -> None:
        """Put the present state on the board, if it is a new one."""
        if not self.fresh:
            return
        self.fresh = False
        self.watch.look()
        if self.watch.rearranged:
            self.link.tell("joints", *self.watch.changes())
        contacts = self.watch.contacts()
        head = self.watch.head() | {
            board.FACTOR: self.pace.factor if self.running else 0.0,
            board.RUNNING: float(self.running),
            board.LATE: float(self.pace.late),
            board.STEPS: float(self.sim.steps),
            board.MEETING: float(len(contacts)),
        }
        self.link.board.write(head, self.watch.poses(), self.watch.forces(), contacts, self.watch.plotted())

    # --- words --------------------------------------------------------------------------------------------

    def hear(self, word: str, *facts: Any) -> None:
        """Do what was clicked; what cannot be done is said on the page."""
        self.fresh = True
        try:
            getattr(self, f"_{word}")(*facts)
        except (ModelError, OptionError, RunError) as error:
            self.link.tell("note", str(error))

    def _run(self, running: bool) -> None:
        self.running = running
        self.pace.begin(self.dt, self.speed, time.perf_counter())

    def _single(self, count: int = 1) -> None:
        self.running = False
        if count > 0:
            self._step(count)

    def _speed(self, speed: float) -> None:
        self.speed = positive("speed", speed, "")
        self.pace.begin(self.dt, self.speed, time.perf_counter())

    def _input(self, name: str, value: float) -> None:
        self.sim.inputs[name] = value

    def _watch(self, columns: list[str]) -> None:
        self.watch.columns = columns

    def _dt(self, dt: float) -> None:
        self.dt = positive("dt", dt, "seconds")
        self.pace.begin(self.dt, self.speed, time.perf_counter())

    def _method(self, name: str) -> None:
        self.link.tell("note", f"preparing {name} ...")
        self._anew(name)
        self.method = name
        self.link.tell("label", _told(self.sim))
        self.link.tell("note", "")

    def _reset(self) -> None:
        self._anew(self.method)
        self.link.tell("note", "")

    def _anew(self, method: str | None) -> None:
        inputs = dict(self.sim.inputs)
        made = self.make(method, self.dt)
        self.sim.close()
        made.inputs.update({name: value for name, value in inputs.items() if name in made.inputs})
        columns, self.sim = self.watch.columns, made
        self.held.clear()
        self.watch = Watch(made, self.watch.stage)
        self.watch.columns = columns
        self.pace = Pace(self.dt, self.speed, time.perf_counter())

    def _release(self, joint: str) -> None:
        change = self.sim.release(joint)
        self.link.tell("note", f"'{change.joint}' was released at t = {change.time:.4g} s")

    def _grab(self, body: str, point: Any, goal: Any) -> None:
        """Pull the point of the body that was seen there."""
        place, turn = self.sim[f"{body}.position"], self.sim[f"{body}.rotation"]
        self.held[body] = matrix(turn).T @ (np.asarray(point) - place)
        self._pull(body, goal)

    def _pull(self, body: str, goal: Any) -> None:
        if body in self.held:
            self.sim.drag(body, goal, at=self.held[body], max_force=self.strength)

    def _drop(self, body: str) -> None:
        if self.held.pop(body, None) is not None:
            self.sim.drag(body, None)

    def _attach(self, a: str, b: str, kind: str) -> None:
        options: dict[str, Any] = {}
        if kind != "fixed":
            options["at"] = tuple(self.sim[f"{b}.position"])
        change = self.sim.attach(a, b, kind, **options)
        self.link.tell("note", f"'{change.joint}' was attached at t = {change.time:.4g} s; {change.energy:.3g} J lost")


class Player:
    """Recorded runs with a time bar."""

    def __init__(self, stages: Sequence[Stage]) -> None:
        self.stages = list(stages)
        self.link: Any = None
        begin = min(float(stage.run.time[0]) for stage in stages)
        end = max(float(stage.run.time[-1]) for stage in stages)
        self.span = (begin, max(end, begin + 1e-9))
        self.time, self.running, self.speed, self.loop = begin, True, 1.0, True
        self.joints = {id(stage): stage.joints() for stage in stages}
        self.columns: list[str] = []
        self.last: float | None = None
        self.fresh = True

    def rows(self) -> list[int]:
        """The row of each run at the present time."""
        return [
            int(np.searchsorted(stage.run.time, self.time - 1e-9).clip(0, len(stage.run) - 1)) for stage in self.stages
        ]

    def go(self, now: float) -> float:
        """Move on with the clock; returns when to come again."""
        passed = 0.0 if self.last is None else now - self.last
        self.last = now
        if self.running:
            self.fresh = True
            self.time += self.speed * passed
            if self.time > self.span[1]:
                self.time = self.span[0] if self.loop else self.span[1]
                self.running = self.loop
        return now + FRAME

    def show(self) -> None:
        """Put the rows of this time on the board, if they are others."""
        if not self.fresh:
            return
        self.fresh = False
        rows = self.rows()
        run, row = self.stages[0].run, rows[0]
        head = {board.TIME: self.time, board.RUNNING: float(self.running)}
        for place, column in (
            (board.ENERGY, "energy.total"),
            (board.BALANCE, "energy.balance"),
            (board.DRIFT, "drift.position"),
        ):
            head[place] = float(run[column][row]) if column in run else 0.0
        poses = np.concatenate([stage.poses([k])[0] for stage, k in zip(self.stages, rows, strict=True)])
        forces: list[Any] = []
        for stage, k in zip(self.stages, rows, strict=True):
            for joint in self.joints[id(stage)]:
                column = f"{joint['name']}.reaction"
                there = column in stage.run and holds(joint["span"], self.time)
                forces.append(np.nan_to_num(stage.run[column][k, :3]) if there else np.zeros(3))
        plotted = [value for name in self.columns for value in np.nan_to_num(run[name][row]).reshape(-1)]
        self.link.board.write(head, poses, forces or None, None, plotted[: board.PLOTTED])

    def hear(self, word: str, *facts: Any) -> None:
        """Do what was clicked."""
        self.fresh = True
        run, row = self.stages[0].run, self.rows()[0]
        if word == "run":
            self.running = bool(facts[0])
            if self.running and self.time >= self.span[1]:
                self.time = self.span[0]
        elif word == "speed":
            self.speed = float(facts[0])
        elif word == "loop":
            self.loop = bool(facts[0])
        elif word == "watch":
            self.columns = list(facts[0])
        elif word == "reset":
            self.time = self.span[0]
        elif word == "single":
            self.running = False
            self.time = float(run.time[min(max(row + int(facts[0]), 0), len(run) - 1)])
        elif word == "time":
            self.running, self.time = False, float(np.clip(facts[0], *self.span))
