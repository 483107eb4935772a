"""The three ways linkwork says no: a wrong model, a wrong option, a run that failed; and two ways it warns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class ModelError(ValueError):
    """The model is wrong; the message names the part and says what to do.

    >>> raise ModelError("body 'crank': mass must be positive; give mass= in kilograms")
    Traceback (most recent call last):
    ...
    linkwork.errors.ModelError: body 'crank': mass must be positive; give mass= in kilograms
    """


class OptionError(ValueError):
    """An option of a run, a method or a result is wrong or unknown; the message says what may be given."""


class RunError(RuntimeError):
    """A run stopped before its end; it keeps what was recorded.

    `run` is the trajectory so far, `time` (seconds) and `step` say when, `culprit` names the joint or body,
    and `state` is the last good state, which `save_state(file)` writes for a start with `resume=file`.
    """

    def __init__(
        self,
        message: str,
        *,
        run: Any = None,
        time: float | None = None,
        step: int | None = None,
        culprit: str | None = None,
        state: Any = None,
        save_state: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(message)
        self.run = run
        self.time = time
        self.step = step
        self.culprit = culprit
        self.state = state
        self._save_state = save_state

    @property
    def has_state(self) -> bool:
        """True where there is a last good state to save."""
        return self._save_state is not None

    def save_state(self, file: str) -> None:
        """Write the last good state to `file` (.npz)."""
        if self._save_state is None:
            raise OptionError("this run has no state to keep; start it again")
        self._save_state(file)


class ModelWarning(UserWarning):
    """Something in the model looks like a mistake, such as lengths in millimetres; it runs all the same."""


class RunWarning(UserWarning):
    """A run reached its end, but its numbers should not be trusted as they are; the message says why, and what to try.

    >>> import warnings
    >>> warnings.simplefilter("ignore", lw.RunWarning)  # for those who know
    """
