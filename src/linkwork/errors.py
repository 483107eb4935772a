"""The errors (a wrong model, a wrong option, a run that stopped) and the two warnings of linkwork."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class ModelError(ValueError):
    """The model is wrong. The message names the part and says what to do.

    >>> raise ModelError("body 'crank': mass must be positive; give mass= in kilograms")
    Traceback (most recent call last):
    ...
    linkwork.errors.ModelError: body 'crank': mass must be positive; give mass= in kilograms
    """


class OptionError(ValueError):
    """An option of a run, a method or a result is wrong or unknown. The message says what is valid."""


class RunError(RuntimeError):
    """A run stopped before its end. The samples so far are kept.

    `run` is the trajectory so far, `time` (s) and `step` are those of the stop, `culprit` names the joint or body, and
    `state` is the last good state. `save_state(file)` writes it, and `resume=file` continues from it. `runs` are those
    of `lw.simulate_many` so far, where it was interrupted.
    """

    def __init__(
        self,
        message: str,
        *,
        run: Any = None,
        runs: Any = None,
        time: float | None = None,
        step: int | None = None,
        culprit: str | None = None,
        state: Any = None,
        save_state: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(message)
        self.run = run
        self.runs = runs
        self.time = time
        self.step = step
        self.culprit = culprit
        self.state = state
        self._save_state = save_state

    @property
    def has_state(self) -> bool:
        """True if there is a last good state to save."""
        return self._save_state is not None

    def save_state(self, file: str) -> None:
        """Write the last good state to `file` (.npz)."""
        if self._save_state is None:
            raise OptionError("this run has no state to keep; start it again")
        self._save_state(file)


class ModelWarning(UserWarning):
    """Something in the model looks like a mistake, such as lengths in millimetres. The run starts anyway."""


class RunWarning(UserWarning):
    """A run reached its end, but its numbers are in doubt. The message says why, and what to try.

    >>> import warnings
    >>> warnings.simplefilter("ignore", lw.RunWarning)  # if you are sure
    """
