"""`view`: a simulation, or a recorded run, moving in a browser. Stepping happens here, the page has its own process.

Poses go over through shared memory and words come back through a pipe, so that the page can never hold up a step.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import time
from collections.abc import Callable
from importlib.util import find_spec
from multiprocessing.shared_memory import SharedMemory
from typing import Any

import numpy as np

from linkwork.errors import OptionError, RunError
from linkwork.model import Ground
from linkwork.simulation.certificate import Certificate
from linkwork.simulation.observe import Observer
from linkwork.simulation.run import Simulation
from linkwork.simulation.scene import ground_at, scene_of
from linkwork.simulation.trajectory import Trajectory
from linkwork.viewer import panel
from linkwork.viewer.panel import HEAD
from linkwork.viewer.replay import view_of
from linkwork.viewer.staging import Stage

MISSING = 'the live page needs viser: pip install "linkwork[view]"'
BUSY = 0.8  # of a frame may go into steps; what cannot be done in it is late, and is not made up for


class Link:
    """The page in its process: `publish` shows poses, `words` are what was clicked since the last look."""

    def __init__(self, show: dict[str, Any], host: str, port: int) -> None:
        if find_spec("viser") is None:
            raise OptionError(MISSING)
        if host not in ("127.0.0.1", "localhost", "::1"):
            raise OptionError(
                f"the page is served on this machine only, not on {host}; use ssh -L to see it from another"
            )
        spawn = multiprocessing.get_context("spawn")
        size = HEAD + 7 * len(show["bodies"])
        self.memory = SharedMemory(create=True, size=8 * size)
        self.board = np.ndarray(size, dtype=np.float64, buffer=self.memory.buf)
        self.board[:] = 0.0
        self.pipe, theirs = spawn.Pipe()
        self.process = spawn.Process(
            target=panel.serve, args=(show, self.memory.name, theirs, host, port), daemon=True, name="linkwork page"
        )
        try:
            self.process.start()
            theirs.close()
            word, fact = self.pipe.recv() if self.pipe.poll(60.0) else ("failed", "the page did not start within 60 s")
        except EOFError:
            word, fact = "failed", "the process of the page ended at once"
        except BaseException:
            self.close()
            raise
        if word != "ready":
            self.close()
            raise RunError(str(fact))
        self.address = f"http://{host}:{fact}"

    @property
    def alive(self) -> bool:
        return self.process.is_alive()

    def publish(self, head: dict[int, float], poses: Any) -> None:
        self.board[HEAD:] = np.asarray(poses).reshape(-1)
        for place, value in head.items():
            self.board[place] = value
        self.board[panel.SEQUENCE] += 1.0

    def words(self) -> list[tuple[Any, ...]]:
        found = []
        try:
            while self.pipe.poll():
                found.append(self.pipe.recv())
        except (EOFError, OSError):
            pass
        return found

    def close(self) -> None:
        """End the page's process and give the memory back."""
        with contextlib.suppress(OSError):
            self.pipe.send("end")
        self.process.join(3.0)
        if self.process.is_alive():
            self.process.terminate()
            self.process.join(3.0)
        del self.board
        self.memory.close()
        self.memory.unlink()


def staged(stage: Stage, label: str, **more: Any) -> dict[str, Any]:
    """What the page has to know of a stage."""
    return {
        "title": stage.run.model_name,
        "label": label,
        "view": view_of([stage]),
        "bodies": stage.bodies(),
        "marks": stage.marks(),
        "springs": stage.springs(),
        "inputs": {},
        "span": None,
        "speed": "1",
        **more,
    }


def view_simulation(
    make: Callable[[], Simulation],
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    say: Callable[[str], None] = print,
    seconds: float | None = None,
) -> None:
    """Show a simulation that runs in real time until Ctrl-C, or for so many `seconds`; `make` makes it, also anew."""
    sim = make()
    watch = _Watch(sim)
    made = sim.method
    label = f"{made.name}, {made.integrator}, dt = {made.dt:g} s"
    link = Link(staged(watch.stage, label, inputs=dict(sim.inputs)), host, port)
    try:
        say(link.address)
        _drive(link, make, sim, watch, say, seconds)
    except KeyboardInterrupt:
        pass
    finally:
        link.close()


def _drive(
    link: Link, make: Callable[[], Simulation], sim: Simulation, watch: _Watch, say: Any, seconds: float | None
) -> None:
    running, speed, factor, single = True, 1.0, 1.0, False
    frame = 1.0 / panel.FRAMES_PER_SECOND
    begun = last = time.perf_counter()
    behind, shown = 0.0, 0  # simulated seconds that are due; frames
    while link.alive and (seconds is None or time.perf_counter() - begun < seconds):
        words = link.words()
        for word, *facts in words:
            if word == "run":
                running = bool(facts[0])
            elif word == "step":
                running, single = False, True
            elif word == "speed":
                speed = float(facts[0])
            elif word == "input":
                sim.inputs[facts[0]] = facts[1]
            elif word == "reset":
                inputs = dict(sim.inputs)
                sim.close()
                sim = make()
                sim.inputs.update(inputs)
                watch, behind = _Watch(sim), 0.0
        now = time.perf_counter()
        passed, last = now - last, now
        dt = sim.method.dt
        try:
            if running:
                behind += speed * passed
                start = sim.time
                while behind >= dt and time.perf_counter() - now < BUSY * frame:
                    count = max(1, min(int(behind / dt), 32))
                    sim.step(count)
                    behind -= count * dt
                if behind > dt and time.perf_counter() - now >= BUSY * frame:
                    behind = 0.0  # slower than the clock: go on from here
                factor += 0.05 * ((sim.time - start) / max(passed, 1e-9) - factor)
            elif single:
                sim.step()
        except RunError as error:
            say(str(error))
            running, shown = False, 0
        single = False
        if running or words or shown == 0:
            shown += 1
            link.publish({**watch.head(sim), panel.FACTOR: factor, panel.RUNNING: float(running)}, watch.poses(sim))
        time.sleep(max(0.0, frame - (time.perf_counter() - now)))


class _Watch:
    """Poses and accounts of a simulation at its present state."""

    def __init__(self, sim: Simulation) -> None:
        model = sim.system.model
        self.observer = Observer(sim.moving, "all", sim.tables)
        columns, accounts = self.observer.look(sim._present(), 1)
        poses = {name: values for name, values in columns.items() if name.endswith((".position", ".rotation"))}
        run = Trajectory(
            [sim.time], poses, {}, certificate=Certificate(method=""), model_name=model.name, scene=scene_of(model)
        )
        self.stage = Stage(run)
        grounds = {ground.path: ground for ground in model.all_grounds()}
        self.grounds: dict[str, Ground] = {
            name: grounds[name] for name in self.stage.movers if grounds[name].motion is not None
        }
        self.first = self._total(accounts)
        self.columns, self.accounts = columns, accounts

    @staticmethod
    def _total(accounts: dict[str, Any]) -> float:
        return float(accounts["kinetic"][0] + accounts["potential"][0] + accounts["springs"][0])

    def head(self, sim: Simulation) -> dict[int, float]:
        """Look at the present; time, energy, its balance and the drift."""
        if self.observer.system is not sim.moving:
            self.observer = self.observer.again(sim.moving, sim.tables)
        self.columns, self.accounts = self.observer.look(sim._present(), 1)
        total = self._total(self.accounts)
        lost = float(self.accounts["dissipated"][0]) + sim.impacts
        return {
            panel.TIME: sim.time,
            panel.ENERGY: total,
            panel.BALANCE: total - self.first + lost - float(self.accounts["work"][0]),
            panel.DRIFT: float(self.accounts["drift position"][0]),
        }

    def poses(self, sim: Simulation) -> Any:
        """Poses as last looked at, in the order of the stage."""
        found = []
        for name in self.stage.names:
            if name in self.grounds:
                pose = ground_at(self.grounds[name], sim.time)
                found.append((*pose.position, *pose.rotation))
            else:
                found.append((*self.columns[f"{name}.position"][0], *self.columns[f"{name}.rotation"][0]))
        return np.array(found)


def view_run(
    run: Trajectory,
    *,
    host: str = "127.0.0.1",
    port: int = 0,
    say: Callable[[str], None] = print,
    seconds: float | None = None,
) -> None:
    """Show a recorded run with a time bar until Ctrl-C, or for so many `seconds`."""
    stage = Stage(run)
    span = (float(run.time[0]), max(float(run.time[-1]), float(run.time[0]) + 1e-9))
    link = Link(staged(stage, "replay", span=span), host, port)
    t, running, speed = span[0], True, 1.0
    frame = 1.0 / panel.FRAMES_PER_SECOND
    begun = last = time.perf_counter()
    try:
        say(link.address)
        while link.alive and (seconds is None or time.perf_counter() - begun < seconds):
            now = time.perf_counter()
            passed, last = now - last, now
            row = int(np.searchsorted(run.time, t - 1e-12).clip(0, len(run) - 1))
            for word, *facts in link.words():
                if word == "run":
                    running = bool(facts[0])
                elif word == "speed":
                    speed = float(facts[0])
                elif word == "reset":
                    t = span[0]
                elif word == "step":
                    running, t = False, float(run.time[min(row + 1, len(run) - 1)])
                elif word == "time":
                    running, t = False, float(facts[0])
            if running:
                t += speed * passed
                if t > span[1]:
                    t = span[0]
            row = int(np.searchsorted(run.time, t - 1e-12).clip(0, len(run) - 1))
            head = {panel.TIME: float(run.time[row]), panel.RUNNING: float(running)}
            for place, column in (
                (panel.ENERGY, "energy.total"),
                (panel.BALANCE, "energy.balance"),
                (panel.DRIFT, "drift.position"),
            ):
                head[place] = float(run[column][row]) if column in run else 0.0
            link.publish(head, stage.poses([row])[0])
            time.sleep(max(0.0, frame - (time.perf_counter() - now)))
    except KeyboardInterrupt:
        pass
    finally:
        link.close()
