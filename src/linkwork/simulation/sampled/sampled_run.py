"""Steps with samples of controllers between them, as fast as Python allows: rows go to one buffer, and nothing else is
looked at on the way.
"""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, Any

from linkwork._kernels.kernel import Call
from linkwork.formulations.samples import Samples
from linkwork.simulation.stepping.lag import apply_lag
from linkwork.simulation.structure.events import SAME

if TYPE_CHECKING:
    from linkwork.simulation.run import Simulation


MANY = 10_000  # calls after which it is worth a fraction of a second to have all of them in compiled code


class SampledRun:
    """Takes steps and calls what is sampled after some of them; `kept` rows are in the buffer, also after an error."""

    def __init__(self, sim: Simulation, buffer: Samples) -> None:
        self.controls, self.stepper, self.buffer = sim.controls, sim.stepper, buffer
        stepper = sim.stepper
        self.loop = stepper.method.bind(stepper.tables, stepper.workspace, stepper.state, buffer)
        self.workspace = stepper.workspace
        self.kept = 0
        self._compiled: Any = None

    def fits(self, buffer: Samples) -> bool:
        """Whether it was made for this buffer and the present structure."""
        return self.buffer is buffer and self.workspace is self.stepper.workspace

    def go(self, steps: int, every: int) -> tuple[int, int]:
        """Take at most so many steps, and keep every so many: steps done and a status.

        Fewer are done where the next sample falls within a step.
        """
        stepper, controls = self.stepper, self.controls
        state, inputs, h, origin, loop = stepper.state, stepper.inputs, stepper.h, stepper.origin, self.loop
        done = self.kept = 0
        apply_lag(stepper, h)
        stepper.mark()
        stepper.busy = True
        try:
            if controls.calls > MANY and self._compiled is None:
                self._compiled = _compiled(self) or False
            if self._compiled:
                return self._compiled.go(steps, every)  # type: ignore[no-any-return]
            while done < steps:
                # as controls.quiet: there is always a next instant here
                count = min(steps - done, floor((controls.next - (origin + stepper.steps * h)) / h + SAME))
                if count <= 0:
                    break
                if inputs.changed:  # accelerations anew; the row that this writes is written over
                    inputs.changed = False
                    stepper.forget()
                    loop(float(state.t[0]), -1, h, 1, 1)
                more, kept, status = loop(origin, stepper.steps, h, count, every)
                done += more
                stepper.steps += more
                self.kept += kept
                state.row[0] = self.kept
                if status != 0:
                    return done, status
                controls.happen()
                controls.calls += 1
            return done, 0
        finally:
            state.row[0] = 0
            stepper.busy = False


def _compiled(run: SampledRun) -> Any:
    """Controllers in compiled code; None where one of them, or the loop, is not compiled."""
    if not all(hasattr(getattr(item.part, "function", None), "py_func") for item in run.controls.items):
        return None
    if not isinstance(run.loop, Call):  # a loop in Python
        return None
    from linkwork.simulation.sampled.compiled_sampling import compiled_sampling  # here: it needs numba

    return compiled_sampling(run)


def can_sample(sim: Simulation) -> bool:
    """Whether steps of a simulation may be taken so: the adaptive integrator pauses within long ones."""
    stepper, method = sim.stepper, sim.stepper.method
    alone = stepper.remote_links is None and stepper.border is None and stepper.pulls is None
    alone = alone and not sim.controls.late.any
    return bool(sim.controls.items) and method.loop is not None and method.integrator != "adaptive" and alone
