"""Ctrl-C during a run: noted at once, acted on between two chunks, so that nothing recorded is lost."""

from __future__ import annotations

# the functions under those of `signal`, which make enums of all they touch: a single step would take twice as long
import _signal  # type: ignore[import-not-found]
import threading
from typing import Any, ClassVar


class Interrupt:
    """While it is entered, the first Ctrl-C only sets `pressed`; a second one interrupts as usual.

    A KeyboardInterrupt that came up inside a law would be lost on its way through compiled code. Only the main thread
    may listen, and only where nobody else does. Look at `pressed` once more after leaving: Ctrl-C may come as late as
    that. Other signals are those of the caller, who may press `present` instead of raising.
    """

    present: ClassVar[Interrupt | None] = None  # that of the main thread, while it is entered

    def __init__(self) -> None:
        self.pressed = False
        self._listening = False

    def __enter__(self) -> Interrupt:
        if threading.current_thread() is threading.main_thread():
            Interrupt.present = self
            if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
                _signal.signal(_signal.SIGINT, self._note)
                self._listening = True
        return self

    def __exit__(self, *_: object) -> None:
        if Interrupt.present is self:
            Interrupt.present = None
        if self._listening:
            _signal.signal(_signal.SIGINT, _signal.default_int_handler)
            self._listening = False

    def _note(self, number: int, frame: Any) -> None:
        if self.pressed:
            _signal.default_int_handler(number, frame)
        self.pressed = True
