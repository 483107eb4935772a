"""The fast path of `Simulation.step`: a few steps with nothing to do around the compiled loop.

An ordinary call looks for planned events, steps that prove too large, drags, components elsewhere, a lag of velocities
and Ctrl-C. That takes several times as long as a step of a small model. Which of this can come up is decided here, once
and for some steps ahead. Whatever changes the structure, the start or the length of the steps ends a fast path.

Ctrl-C is left to Python, which raises before or after the compiled loop; so no law in Python may run inside the loop.
Where the exception hides how the loop ended, the clock of the state tells (`Stepper.count_steps`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from linkwork.formulations.samples import STEPS_CUT
from linkwork.model import PythonLaw
from linkwork.simulation.stepping.failures import failure_of
from linkwork.simulation.stepping.stepper import MARK_STEPS, Stepper

if TYPE_CHECKING:
    from linkwork.simulation.run import Simulation

NEVER = 2**62  # steps after which a row is kept
SHORT = 1e-3  # s: longer steps have time for everything, and Ctrl-C waits for few of them


class FastPath:
    """Takes steps of the length of the method, as long as nothing else is due."""

    def __init__(self, sim: Simulation) -> None:
        self.stepper, self.events, self.step_warnings = sim.stepper, sim.events, sim.step_warnings
        self.controls = sim.controls
        stepper = sim.stepper
        self.inputs, self.workspace, self.h = stepper.inputs, stepper.workspace, stepper.h
        self.loop, self.forget = stepper.bound_loop(), stepper.method.forget
        self.turns, self.cut_q = stepper.state.cut_q.copy(), stepper.state.cut_q
        self.has_cuts = self.cut_q.size > 0
        # read as plain floats
        self.t = memoryview(stepper.state.t)
        self.effort = memoryview(stepper.state.solver_stats)
        self.free_until = stepper.steps  # steps up to this number need no look

    def fits(self) -> bool:
        """Whether the simulation is still the one that this was made for."""
        return self.workspace is self.stepper.workspace and self.h == self.stepper.h

    def step(self, steps: int) -> bool:
        """Take so many steps, as `Simulation.step` does; False where that needs the ordinary way, and nothing is done.

        Raises `RunError` where a step fails.
        """
        stepper = self.stepper
        if type(steps) is not int or steps < 1:
            return False
        if stepper.busy or self.workspace is not stepper.workspace or self.h != stepper.h:
            return False
        stepper.busy = True
        try:
            first = stepper.steps
            if first + steps > self.free_until and not self._look(first + steps):
                return False
            if self.inputs.changed:
                self._refresh()
            if self.has_cuts:
                self.turns[:] = self.cut_q
            done, _, status = self.loop(stepper.origin, first, self.h, steps, NEVER)
            stepper.steps = first + done
        except BaseException:
            stepper.count_steps(self.turns)
            raise
        finally:
            stepper.busy = False
        if status != 0:
            failed = failure_of(stepper, status)
            stepper.take_back(self.turns)
            raise failed
        if self.controls.active:
            self.controls.happen()
            self.free_until = stepper.steps + self.events.quiet(MARK_STEPS + 1)
        if self.effort[STEPS_CUT] > self.step_warnings.cut_before:
            self.step_warnings.check_sweeps(stepper)
        return True

    def _look(self, last: int) -> bool:
        """Whether nothing is due up to the step numbered `last`; keeps a state to look back at now and then."""
        stepper, watch = self.stepper, self.step_warnings.watch
        stepper.mark()
        self.free_until = stepper.steps + self.events.quiet(MARK_STEPS + 1)
        if watch is not None:
            self.free_until = min(self.free_until, watch.next - 1)
        return last <= self.free_until

    def _refresh(self) -> None:
        """`Stepper.refresh`, without components elsewhere."""
        self.inputs.changed = False
        try:
            self.forget(self.workspace)
            self.loop(self.t[0], -1, self.h, 1, 1)
        except BaseException:
            self.inputs.changed = True
            raise


def fast_path(sim: Simulation, took: float) -> FastPath | None:
    """A fast path from here on, after a step of the ordinary way that `took` so many seconds; None where none can be.

    The adaptive integrator pauses within long steps, and a method in Python is interrupted anywhere.
    """
    stepper, method = sim.stepper, sim.stepper.method
    plain = method.loop is not None and method.integrator != "adaptive" and stepper.h == method.dt
    alone = stepper.remote_links is None and stepper.border is None and stepper.pulls is None
    quiet = took < SHORT and sim.events.quiet(1) > 0
    return FastPath(sim) if plain and alone and quiet and not _python_laws(stepper) else None


def _python_laws(stepper: Stepper) -> bool:
    laws = (kept[0] for kept in stepper.moving.alive.values())
    return any(isinstance(law, PythonLaw) and not law.compiled for law in laws)
