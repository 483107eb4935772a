"""`simulate_many`: many runs at once, in threads.

The calling thread builds the models and sets up the simulations, which is plain Python; the threads run the compiled
loops, which hold no lock of Python. So a model is built, checked and warned of where the user asked for it, and equal
set-ups happen once: runs of the same model begin with copies of one simulation.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from queue import Empty
from typing import Any

from linkwork.assembly.laws.law_errors import describe_exception
from linkwork.errors import ModelError, RunError
from linkwork.formulations.implicit.hybrid import Hybrid
from linkwork.model import Model
from linkwork.simulation.many.planned_runs import OF_RECORDING, PlannedRun, planned_runs
from linkwork.simulation.many.run_threads import NotBegun, RunThreads, ThreadedRun
from linkwork.simulation.methods import whole
from linkwork.simulation.recording import TooStiff
from linkwork.simulation.results.judging.bounds import checked_bounds
from linkwork.simulation.results.runs import Runs, warn_of_runs
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.simulation.run import Simulation
from linkwork.simulation.simulate import recording_of, refuse_progress
from linkwork.simulation.stepping.interrupt import Interrupt

LOOK_SECONDS = 0.1  # between two looks at the keyboard
AHEAD = 2  # simulations that are set up or run, for each thread: none shall wait for work


def simulate_many(
    models: Sequence[Model] | Model | Callable[..., Model],
    *,
    until: float,
    parameters: Sequence[Mapping[str, Any]] | None = None,
    cases: Sequence[Mapping[str, Any]] | None = None,
    threads: int | None = None,
    method: Any = "auto",
    record: str | Sequence[str] = "all",
    every: int = 1,
    progress: Callable[[float], None] | None = None,
    ignore: Sequence[str] = (),
    strict: bool | Mapping[str, float] = False,
    **options: Any,
) -> Runs:
    """Run many models, or one model many times, from t = 0 to `until` seconds in several threads.

    Returns the runs in order, each with its certificate, equal to those of `lw.simulate` bit for bit whatever the
    number of `threads` (by default one for each core). `models` is a list of models; or one model with `cases`; or a
    function that builds a model, with the keywords of each call in `parameters`. Each of the `cases` is a dictionary
    with what its run has of its own: "joints" and "velocities" to start from (rad, m, rad/s, m/s; see `sim.reset`),
    "inputs" that are set before the first step, and options such as "until" or "dt" in place of those given here, which
    are those of `lw.simulate`. Lists go side by side.

    A run that fails does not stop the others: `runs.failures` has its error, and a `RunWarning` names it. Ctrl-C ends
    all runs within a second and raises `RunError`, whose `.runs` holds what was recorded. `progress` is called with
    the number of runs that are done, parts of runs counted. Laws that are Python functions run one at a time: compile
    them with `lw.compiled` to gain from threads.

    >>> runs = lw.simulate_many(
    ...     lw.gallery.pendulum.build(),
    ...     cases=[{"joints": {"pin": angle}} for angle in (0.1, 0.2, 0.3)],
    ...     until=1.0,
    ...     dt=0.01,
    ...     method="recursive",
    ...     threads=2,
    ... )
    >>> [round(float(run["pin.position"][0]), 3) for run in runs]
    [0.1, 0.2, 0.3]
    """
    count = _cores() if threads is None else whole("threads", threads)
    refuse_progress(progress)
    common = {"until": until, "method": method, "record": record, "every": every, "ignore": ignore, "strict": strict}
    planned = planned_runs(models, parameters, cases, common | options)
    return _Many(planned, min(count, len(planned)), progress).runs()


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _Many:
    """The calling thread's side: sets up, collects, tells how far the runs are, and ends them."""

    def __init__(self, planned: list[PlannedRun], threads: int, progress: Callable[[float], None] | None) -> None:
        self.planned, self.threads, self.progress = planned, threads, progress
        self.waiting = deque(planned)
        self.under_way: dict[int, ThreadedRun] = {}
        self.found: dict[int, Trajectory | Exception] = {}
        self.starts = _Starts(planned)
        self.stopped = ""  # why no more runs are begun

    def runs(self) -> Runs:
        """All runs; raises where they were stopped from outside."""
        with RunThreads(self.threads) as threads:
            self._next(threads)  # compiles what is to be compiled: Ctrl-C interrupts that as usual
            with Interrupt() as interrupt:
                while self.waiting or self.under_way:
                    if self.waiting and len(self.under_way) < AHEAD * self.threads:
                        self._next(threads)
                        self._collect(threads, wait=0.0)
                    else:
                        self._collect(threads, wait=LOOK_SECONDS)
                    self._tell(interrupt)
                    if self.stopped or interrupt.pressed:
                        self.stopped = self.stopped or "they were interrupted"
                        self.waiting.clear()
                        threads.stop.set()
        if interrupt.pressed:
            self.stopped = self.stopped or "they were interrupted"
        runs = Runs([self.found.get(run.index, NotBegun("it was not begun")) for run in self.planned])
        if self.stopped:
            begun = sum(not isinstance(error, NotBegun) for error in runs.failures.values())
            left = len(runs.failures) - begun
            raise RunError(
                f"{len(runs)} runs were stopped: {self.stopped}; {len(runs.good)} reached their end, {begun} stopped "
                f"on the way and {left} were not begun (error.runs holds all that was recorded).",
                runs=runs,
            )
        warn_of_runs(runs)
        return runs

    def _next(self, threads: RunThreads) -> None:
        """Set up the next run and hand it to the threads; where it cannot begin that is its result."""
        run = self.waiting.popleft()
        try:
            sim = self.starts.simulation(run)
            self._hand_over(run, sim, threads)
        except Exception as error:
            if run.index == 0 and not isinstance(error, (ModelError, RunError)):
                raise  # a wrong call, and nothing is lost
            self.found[run.index] = error

    def _hand_over(self, run: PlannedRun, sim: Simulation, threads: RunThreads) -> None:
        words = run.part(OF_RECORDING)
        bounds = checked_bounds(words.pop("strict"))
        threaded = ThreadedRun(run.index, words["until"], bounds, threads.stop)
        threaded.recording = recording_of(sim, **words, progress=threaded.note)
        if run.index == 0:
            threaded.recording.refuse_size(sum(each.source is run.source for each in self.planned))
        self.under_way[run.index] = threaded
        threads.todo.put(threaded)

    def _collect(self, threads: RunThreads, wait: float) -> None:
        """Take what the threads have done, and wait so many seconds for the first of it."""
        with suppress(Empty):
            while True:
                index, result = threads.done.get(timeout=wait) if wait else threads.done.get_nowait()
                del self.under_way[index]
                wait = 0.0
                if isinstance(result, TooStiff) and not self.stopped:
                    self._again(self.planned[index], str(result), threads)
                else:
                    self.found[index] = NotBegun(str(result)) if isinstance(result, TooStiff) else result

    def _again(self, run: PlannedRun, reason: str, threads: RunThreads) -> None:
        """Begin a run again where the method that was chosen proved wrong."""
        run.options["method"] = Hybrid.name
        try:
            sim = self.starts.simulation(run)
            sim.reason = reason
            self._hand_over(run, sim, threads)
        except Exception as error:
            self.found[run.index] = error

    def _tell(self, interrupt: Interrupt) -> None:
        """Tell how many runs are done, parts of those under way counted."""
        if self.progress is None:
            return
        try:
            self.progress(len(self.found) + sum(run.part for run in list(self.under_way.values())))
        except KeyboardInterrupt:
            interrupt.pressed = True
        except Exception as error:
            self.stopped = (
                f"the function given as progress= failed ({describe_exception(error)}); correct it, or leave it out"
            )


class _Starts:
    """Simulations at their start. Those of one model with the same options are copies of one."""

    def __init__(self, planned: list[PlannedRun]) -> None:
        self.left = Counter(map(self._key, planned))
        self.ready: dict[Any, Simulation] = {}

    def simulation(self, run: PlannedRun) -> Simulation:
        """The simulation of a run, at the start that its case asks for."""
        key = self._key(run)
        self.left[key] -= 1
        if self.left[key] <= 0:  # the last one needs no copy
            sim = self.ready.pop(key, None) or self._new(run)
        else:
            if key not in self.ready:
                self.ready[key] = self._new(run)
            sim = self.ready[key].copy()
        self._place(sim, run.options)
        return sim

    def _key(self, run: PlannedRun) -> Any:
        """Runs with equal keys begin alike; what is named by its id is kept by the runs."""
        if run.parameters:
            return run.index
        return id(run.source), *((name, id(value)) for name, value in sorted(run.of_set_up().items()))

    def _new(self, run: PlannedRun) -> Simulation:
        return Simulation(run.model(), **run.of_set_up())

    def _place(self, sim: Simulation, options: Mapping[str, Any]) -> None:
        """Start values and inputs of a case, noted in the certificate."""
        joints, velocities, inputs = (options.get(name) for name in ("joints", "velocities", "inputs"))
        if joints or velocities:
            sim.reset(joints=joints or None, velocities=velocities or None)
        if inputs:
            sim.inputs.update(inputs)
            sim.stepper.refresh()  # also the first row shows them
        words = {"started at": joints, "started with": velocities, "was set to": inputs}
        told = [f"'{name}' {word} {value}" for word, values in words.items() for name, value in (values or {}).items()]
        sim.notes = [*sim.notes, *told]
