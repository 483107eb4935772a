"""`simulate`: a run from its start to its end."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from linkwork.errors import OptionError, RunWarning
from linkwork.formulations.implicit.hybrid import Hybrid
from linkwork.model import Model
from linkwork.model.checked import shown
from linkwork.model.control.when import LOCATED, Occasion, When
from linkwork.simulation.methods import positive, whole
from linkwork.simulation.recording import Recording, TooStiff
from linkwork.simulation.results.judging.bounds import checked_bounds, refuse_poor
from linkwork.simulation.results.judging.warning import warn, warn_of_doubts
from linkwork.simulation.results.scene.contact_recorder import ContactRecorder
from linkwork.simulation.results.trajectory import Trajectory
from linkwork.simulation.run import Simulation
from linkwork.simulation.stepping.remote_links import letting_go

if TYPE_CHECKING:
    from linkwork.simulation.storage.stream import Stream

MOST_STEPS = 2.0**53  # more cannot be counted


def simulate(
    model: Model,
    *,
    until: float | When,
    method: Any = "auto",
    record: str | Sequence[str] = "all",
    every: int = 1,
    progress: Callable[[float], None] | None = None,
    ignore: Sequence[str] = (),
    strict: bool | Mapping[str, float] = False,
    contacts: bool = False,
    **options: Any,
) -> Trajectory:
    """Run `model` from t = 0 to `until` seconds and return its `Trajectory`.

    `method` is "auto", a name or a method object; further options (dt, integrator, rtol, …) are those of the method.
    `record` chooses columns ("all", or patterns such as "pin.*"), `every` records every Nth step. `progress` is called
    with the time reached. `start="equilibrium"` begins where the model's forces balance (see `lw.equilibrium`),
    `start=pose` at a pose of `lw.reach`. `resume` continues from a state in a file (see `lw.Simulation`); `until`
    counts from the first start. An `lw.When` as `until` ends the run when its condition comes true. `strict` raises if
    the certificate exceeds bounds: those of `Certificate.broken`, or {"energy": 1e-6, "drift": 1e-9}. A run that fails
    raises `RunError`, whose `.run` holds what was recorded; one that reaches its end with numbers in doubt
    (`Certificate.doubts`) is returned with a `RunWarning` that says why, and what to try. Events that the model plans
    (`model.attach`, `model.release`, `model.when`) happen on the way; `run.events` lists them. With `contacts=True` all
    contact points of every row are kept (`run.contacts`, `run.pressure`), which takes time and memory.

    >>> run = lw.simulate(lw.gallery.pendulum.build(), until=1.0, method="recursive", dt=0.01)
    >>> run["pin.position"].shape
    (101,)
    """
    with letting_go(model):
        bounds = checked_bounds(strict)
    _, run = recorded(model, until, method, record, every, progress, ignore, options, contacts=contacts)
    assert run is not None
    refuse_poor(run.certificate, bounds, run.model_name, run)
    warn_of_doubts(run.certificate, run.model_name)
    if isinstance(until, When) and not any(event.joint == "until" for event in run.events):
        told = f"the run of '{run.model_name}' ended at t = {run.time[-1]:.6g} s"
        warn(f"{told}: {until.text!r} did not come true; give a later latest=", RunWarning)
    return run


def recorded(
    model: Model,
    until: float | When,
    method: Any,
    record: str | Sequence[str],
    every: int,
    progress: Callable[[float], None] | None,
    ignore: Sequence[str],
    options: dict[str, Any],
    stream: Stream | None = None,
    contacts: bool = False,
) -> tuple[Recording, Trajectory | None]:
    """The run, with its rows unless they are in `stream`; begun again where the method that was chosen proves wrong."""
    reason = ""
    for chosen in (method, Hybrid.name):
        with letting_go(model):
            sim, record_it = recording(model, until, chosen, record, every, progress, ignore, options, stream)
        sim.reason = reason or sim.reason
        try:
            if contacts:
                record_it.contacts = ContactRecorder(sim)
            return record_it, record_it.run()
        except TooStiff as found:
            reason = str(found)
            if stream is not None:
                stream.begin_again()
        finally:
            sim.close()
    raise AssertionError  # the second is not asked whether it suits


def recording(
    model: Model,
    until: float | When,
    method: Any,
    record: str | Sequence[str],
    every: int,
    progress: Callable[[float], None] | None,
    ignore: Sequence[str],
    options: dict[str, Any],
    stream: Stream | None = None,
) -> tuple[Simulation, Recording]:
    """A simulation with all that a run from its start to `until` needs, checked."""
    end_of(until)
    every = whole("every", every)
    refuse_progress(progress)
    sim = Simulation(model, method, ignore=ignore, **options)
    try:
        return sim, recording_of(sim, until, record, every, progress, stream)
    except BaseException:
        sim.close()
        raise


def recording_of(
    sim: Simulation,
    until: float | When,
    record: str | Sequence[str],
    every: int,
    progress: Callable[[float], None] | None,
    stream: Stream | None = None,
) -> Recording:
    """What a run of this simulation to `until` needs, checked; its steps end exactly there."""
    condition, until, every = until if isinstance(until, When) else None, end_of(until), whole("every", every)
    stepper = sim.stepper
    span = until - stepper.origin
    steps = count_steps(span, stepper.h)
    if sim.steps >= steps:
        raise OptionError(f"until = {until:g} s is not after the start at t = {sim.time:g} s; give a later until=")
    if every > steps:
        raise OptionError(f"every={every} would keep no row after the first of {steps} steps; give a smaller every=")
    if abs(steps * stepper.h - span) > 1e-6 * stepper.h:
        stepper.set_method_step(span / steps)  # the next smaller dt that divides it
    if condition is not None:
        sim.events.watch(Occasion("until", sim.system.model, None, None, condition, LOCATED))
    return Recording(sim, steps, until, record, every, progress, stream)


def end_of(until: float | When) -> float:
    """When a run ends at the latest, s."""
    if not isinstance(until, When):
        return positive("until", until, "seconds")
    if until.latest == math.inf:
        raise OptionError(f"until = {until} may never come; give lw.When({until.text!r}, latest=...) in seconds")
    return until.latest


def refuse_progress(progress: object) -> None:
    """Raise for what cannot be told how far a run is."""
    if progress is not None and not callable(progress):
        raise OptionError(
            f"progress must be a function of the time reached, not {shown(progress)}; give one, or leave it out"
        )


def count_steps(until: float, dt: float) -> int:
    """Steps of dt, or of a little less, that end at `until`."""
    ratio = until / dt
    if ratio < 1.0 - 1e-6:
        raise OptionError(f"until = {until:g} s is less than one step of dt = {dt:g} s; give a smaller dt=")
    if ratio > MOST_STEPS:
        raise OptionError(f"until = {until:g} s would take {ratio:.1e} steps of dt = {dt:g} s; give a larger dt=")
    return math.ceil(ratio - 1e-6)
