"""Warnings on the way: steps that linkwork chose and that prove too large, steps that are cut short and leave much."""

from __future__ import annotations

from copy import copy

from linkwork.errors import RunWarning
from linkwork.formulations.samples import STEPS_CUT
from linkwork.simulation.analysis.stiffness import Watch, remedy, told
from linkwork.simulation.results.certificate import POOR_IMPULSES
from linkwork.simulation.results.unsettled import Unsettled
from linkwork.simulation.results.warning import warn
from linkwork.simulation.stepper import Stepper

CUT_STEPS = 10  # steps cut short that are looked at before anything is said of them


class StepWarnings:
    """Each is given once since the start of a simulation; `chosen` says that linkwork chose the method."""

    def __init__(self, stepper: Stepper, chosen: bool) -> None:
        method, grounds = stepper.method, stepper.moving.tables.tree.grounds
        self.watch = Watch() if chosen else None
        self.unsettled = Unsettled(method.epsilon, grounds) if method.impulses else None
        self.cut_before = 0.0  # of the steps cut short, those that were looked at

    def copied(self) -> StepWarnings:
        """The same, for a copy of the simulation."""
        other = copy(self)
        other.watch, other.unsettled = copy(self.watch), copy(self.unsettled)
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
            warn(f"'{name}': {told(stepper, found)}; {remedy(stepper, found)}", RunWarning)

    def check_sweeps(self, stepper: Stepper) -> None:
        """Warn when steps that were cut short leave much of their impulses; of one alone nothing is said."""
        cut = stepper.state.effort[STEPS_CUT]
        if not cut > self.cut_before:
            return
        self.cut_before = cut
        if self.unsettled is None:
            return
        self.unsettled.add(stepper.present(), 1, stepper.h)
        left, share = self.unsettled.among_cut, cut / max(stepper.steps, 1)
        if self.unsettled.cut >= CUT_STEPS and left * share > POOR_IMPULSES:
            self.unsettled = None
            warn(
                f"steps of '{stepper.system.model.name}' are cut short by their number of sweeps, {int(cut)} of "
                f"{stepper.steps} by t = {stepper.time:.4g} s, and leave {left:.2g} of their impulses unsettled; give "
                "more iterations=, and look for drives that contradict each other",
                RunWarning,
            )
