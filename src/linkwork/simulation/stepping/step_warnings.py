"""Warnings on the way: steps that linkwork chose and that prove too large, steps that are cut short and leave much."""

from __future__ import annotations

from copy import copy

from linkwork.errors import RunWarning
from linkwork.formulations.samples import ALL_LEFT, STEPS_CUT
from linkwork.simulation.analysis.choice.stiffness import Watch, remedy, told
from linkwork.simulation.results.judging.limits import POOR_IMPULSES
from linkwork.simulation.results.judging.warning import warn
from linkwork.simulation.stepping.stepper import Stepper

CUT_STEPS = 10  # steps cut short that are looked at before anything is said of them


class StepWarnings:
    """Each is given once by a simulation with all its copies; `chosen` says that linkwork chose the method."""

    def __init__(self, stepper: Stepper, chosen: bool, said: set[str]) -> None:
        self.watch = Watch() if chosen else None
        self.of_sweeps = stepper.method.impulses  # whether steps that are cut short are looked at
        self.cut_before = self.left_before = 0.0  # steps cut short, and what they left, at the last look
        self.cut = self.left = 0.0  # of those that were looked at
        self.said = said  # shared with the copies of a simulation, and kept when it begins anew

    def copied(self) -> StepWarnings:
        """The same, for a copy of the simulation: what one of them has warned of the others do not repeat."""
        other = copy(self)
        other.watch = copy(self.watch)
        return other

    def unchecked(self, stepper: Stepper, steps: int) -> int:
        """How many of the next steps, at most so many, come before the next look at their size."""
        return steps if self.watch is None else min(steps, self.watch.left(stepper.steps))

    def check_size(self, stepper: Stepper) -> None:
        """Warn when steps that linkwork chose prove too large on the way."""
        found = None if self.watch is None else self.watch.look(stepper)
        if found is not None:
            self.watch = None
            name = stepper.system.model.name
            self._warn_once("size", f"'{name}': {told(stepper, found)}; {remedy(stepper, found)}")

    def check_sweeps(self, stepper: Stepper) -> None:
        """Warn when steps that were cut short leave much of their impulses; of one alone nothing is said."""
        cut, left = stepper.state.solver_stats[STEPS_CUT], stepper.state.solver_stats[ALL_LEFT]
        if not cut > self.cut_before:
            return
        if self.of_sweeps:
            self.cut += cut - self.cut_before
            self.left += left - self.left_before
        self.cut_before, self.left_before = cut, left
        if self.of_sweeps and self.cut >= CUT_STEPS and self.left > POOR_IMPULSES * stepper.steps:
            self.of_sweeps = False
            self._warn_once(
                "sweeps",
                f"steps of '{stepper.system.model.name}' are cut short by their number of sweeps, {int(cut)} of "
                f"{stepper.steps} by t = {stepper.time:.4g} s, and leave {self.left / self.cut:.2g} of their impulses "
                "unsettled; give more iterations=, and look for drives that contradict each other",
            )

    def _warn_once(self, what: str, message: str) -> None:
        if what not in self.said:
            self.said.add(what)
            warn(message, RunWarning)
