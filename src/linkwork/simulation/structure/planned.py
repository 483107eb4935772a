"""Events that a model plans: steps in which joints are attached or released, split where that happens in between."""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from linkwork.assembly.laws.law_errors import describe_exception
from linkwork.errors import ModelError, OptionError
from linkwork.model import Event, Model
from linkwork.model.control.when import Occasion, When
from linkwork.simulation.sampled.controls import Controls
from linkwork.simulation.stepping.lag import apply_lag
from linkwork.simulation.stepping.remote_links import remote_parts
from linkwork.simulation.stepping.stepper import Stepper
from linkwork.simulation.structure.changing import Structure
from linkwork.simulation.structure.events import SAME, Change, Schedule, Snapshot, holds
from linkwork.simulation.structure.excursions import Excursions, risen

if TYPE_CHECKING:
    from linkwork.simulation.run import Simulation


def refuse_events_elsewhere(model: Model, border: Any) -> None:
    """Components in several processes cannot have their structure changed."""
    event = next(model.all_events(), None)
    if event is not None and (border is not None or remote_parts(model)):
        raise OptionError(
            f"model '{model.name}' plans the {event.told}, which cannot happen while components live "
            "elsewhere; keep all parts in one process, or remove the event"
        )


class PlannedEvents:
    """The events to come of a simulation. Their conditions are asked of the simulation, which each verb is given."""

    def __init__(
        self, stepper: Stepper, structure: Structure, controls: Controls, schedule: Schedule | None = None
    ) -> None:
        self.stepper, self.structure, self.controls = stepper, structure, controls
        self.schedule = Schedule(()) if schedule is None else schedule
        self.stopped: Occasion | None = None  # the one that ended the run
        self.excursions = Excursions()

    def plan(self, events: Iterable[Event]) -> None:
        """These are to come, and no others."""
        self.schedule, self.stopped, self.excursions = Schedule(events), None, Excursions()

    def watch(self, event: Occasion) -> None:
        """One more that is to come."""
        self.schedule.watched.append(event)

    def copied(self, stepper: Stepper, structure: Structure, controls: Controls) -> PlannedEvents:
        """The same plan for another stepper."""
        return PlannedEvents(stepper, structure, controls, self.schedule.copied())

    def quiet(self, steps: int) -> int:
        """How many of the next steps, at most so many, are sure to end before anything happens.

        What is sampled at the end of the last of them is called by `controls.happen`.
        """
        stepper = self.stepper
        now, h = stepper.time_after(), stepper.h
        return self.schedule.quiet(now, h, self.controls.quiet(now, h, steps), self._awake)

    def unplanned(self, steps: int) -> int:
        """The same without a look at what is sampled."""
        return self.schedule.quiet(self.stepper.time_after(), self.stepper.h, steps, self._awake)

    def _awake(self, event: Event) -> bool:
        """A condition is looked at while there is something to release."""
        return isinstance(event, Occasion) or event.joint is not None or self.structure.holds(event.path)

    def happen(self, sim: Simulation, now: float, watched: bool = True, sampled: bool = True) -> None:
        """Do what is due at this instant; conditions that are only looked at after whole steps unless `watched`.

        What is `sampled` is called last; at the end of a step by those who keep its row first.
        """
        due = self.schedule.take_timed(now, self.stepper.h)
        resting = list(self.schedule.resting)
        self.schedule.wake(lambda event: not holds(event, sim))
        self.excursions.forget(event for event in resting if event not in self.schedule.resting)
        for event in list(self.schedule.watched):
            if (watched or event.within is not None) and self._awake(event) and holds(event, sim):
                self.schedule.take(event)
                due.append(event)
        if due:
            self.excursions.forget(list(self.excursions.past))
        for event in due:
            if isinstance(event, Occasion):
                self._act(sim, event, now)
            elif event.joint is None:
                self.structure.release(event.path)
            else:
                self.structure.attach_joint(event.joint)
        if sampled:
            self.controls.happen()

    def _act(self, sim: Simulation, event: Occasion, now: float) -> None:
        self.structure.changes.append(Change(now, "happened", event.path, "", "", "", (), 0.0))
        if event.action == "stop":
            self.stopped = event
            return
        try:
            event.action(sim)
        except (ModelError, OptionError):
            raise
        except Exception as error:
            raise ModelError(
                f"the action of the {event.told} failed at t = {now:.6g} s ({describe_exception(error)}); correct it"
            ) from error

    def step(self, sim: Simulation) -> int:
        """One step with what happens in it, at its end, or in between where it is then split. Returns a status."""
        stepper, schedule = self.stepper, self.schedule
        dt = stepper.h
        here, end = stepper.time_after(), stepper.time_after(1)
        while here < end:
            stepper.here = here
            goal = min(schedule.next_time(end, dt), self.controls.next_time(end, dt))
            apply_lag(stepper, dt if goal - here >= dt * (1.0 - SAME) else goal - here)
            located = [event for event in schedule.watched if event.within is not None and self._awake(event)]
            resting = [event for event in schedule.resting if event.within is not None]
            looks = bool(located or resting)
            if looks and stepper.inputs.changed:  # the state to go back to is that with the new inputs
                stepper.refresh()
            before = Snapshot(stepper.state, stepper.workspace) if looks else None
            self.excursions.begin((*located, *resting), sim, here)
            status = self._go(here, goal)
            if status == 0 and before is not None:
                goal, status = self._first(sim, here, goal, (located, resting), before)
            if status != 0:
                return status
            whole_step = goal >= end - SAME * dt
            here = end if whole_step else goal
            self.happen(sim, goal, watched=whole_step, sampled=not whole_step)
            if self.stopped is not None and not whole_step:  # the clock goes on from here
                stepper.origin, stepper.here = stepper.time - stepper.steps * dt, None
                return 0
        stepper.steps, stepper.here = stepper.steps + 1, None
        return 0

    def _go(self, here: float, goal: float) -> int:
        """From one instant to another within a step. Returns a status."""
        stepper = self.stepper
        if stepper.inputs.changed:
            stepper.refresh()
        if goal - here >= stepper.h * (1.0 - SAME):  # the whole step, to the same bits as any other
            return stepper.run(stepper.origin, stepper.steps, 1, stepper.steps + 2, stepper.spare)[2]
        stepper.forget()
        status = stepper.run(here, 0, 1, 2, stepper.spare, goal - here)[2]
        stepper.forget()
        return status

    def _first(
        self, sim: Simulation, here: float, goal: float, events: tuple[list[Event], list[Event]], before: Snapshot
    ) -> tuple[float, int]:
        """Go back to where a condition has come true on the way to the goal, at which the simulation stands.

        `events` are those that are watched, and those that rest until their conditions are false.
        """
        watched, resting = events
        if any(holds(event, sim) for event in watched):
            return self._locate(sim, here, goal, watched, before)
        turning = [(event, 1.0) for event in self.excursions.turning(watched, sim, goal)]
        still = [event for event in resting if holds(event, sim)]
        turning += [(event, -1.0) for event in self.excursions.turning(still, sim, goal, -1.0)]
        for event, side in turning:
            finest = max(event.within or 0.0, SAME * (goal - here))
            high = risen(partial(self._margin, sim, event, side, before, here), here, goal, finest)
            if high is not None and side > 0.0:
                return self._locate(sim, here, high, watched, before)
            before.restore()
            goal = goal if high is None else high
            if (status := self._go(here, goal)) != 0 or high is not None:
                return goal, status
        return goal, 0

    def _margin(self, sim: Simulation, event: Event, side: float, before: Snapshot, here: float, there: float) -> float:
        """The margin of a condition on columns at an instant of the step; not a number where that is not reached."""
        assert isinstance(event.when, When)
        before.restore()
        return side * event.when.margin(sim) if self._go(here, there) == 0 else math.nan

    def _locate(
        self, sim: Simulation, here: float, goal: float, events: list[Event], before: Snapshot
    ) -> tuple[float, int]:
        """The first instant, to within the finest of `within`, at which one of the conditions holds; goes there."""
        low, high = here, goal
        while high - low > min(event.within or 0.0 for event in events) and low < 0.5 * (low + high) < high:
            middle = 0.5 * (low + high)
            before.restore()
            status = self._go(here, middle)
            if status != 0:
                return middle, status
            if any(holds(event, sim) for event in events):
                high = middle
            else:
                low = middle
        before.restore()
        return high, self._go(here, high)
