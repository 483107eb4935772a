"""Ctrl-C during a run: noted at once, acted on between two chunks, so that nothing recorded is lost."""

from __future__ import annotations

import signal
import threading
from typing import Any


class Interrupt:
    """While it is entered, the first Ctrl-C only sets `pressed`; a second one interrupts as usual.

    A KeyboardInterrupt that came up inside a law would be lost on its way through compiled code. Only the main thread
    may listen, and only where nobody else does.
    """

    def __init__(self) -> None:
        self.pressed = False
        self._before: Any = None

    def __enter__(self) -> Interrupt:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None

    def _note(self, number: int, frame: Any) -> None:
        if self.pressed:
            signal.default_int_handler(number, frame)
        self.pressed = True
