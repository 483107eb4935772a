"""Carriers: the functions through which the compiled loop talks to components in other processes.

They are called from inside the loop, where nothing can be raised: what goes wrong is kept as a `Lost`, the numbers
become NaN, the loop stops at the next look, and the run then tells whose fault it was.
"""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from linkwork.assembly.laws.law_functions import CALLBACK, address_of
from linkwork.assembly.partition import message_size
from linkwork.assembly.tables import Floats
from linkwork.errors import ModelError, OptionError
from linkwork.model import Container, Foreign, Model

END, RUN, KEEP, RESTORE, SAMPLE = 0.0, 1.0, 2.0, 3.0, 4.0
COMMAND = 5  # numbers of a command: what, then begin, first, h, steps; or the place of a state and its mark
BEYOND = 1e50  # in SI units: what is larger stays finite in no product of a few
WILD = "sends numbers that are not finite, or beyond all bounds"
MARKS = 1 << 53  # numbers below this are whole ones also as floats


FAILED = "the other side cannot go on: "  # what a transport says before the reason of a component


class Lost(NamedTuple):
    """A component that cannot be reached any more, or has given up: its name and why."""

    part: str
    what: str
    failed: bool = False


def lost(part: str, error: BaseException) -> Lost:
    """Whose connection failed, and whether they have said why."""
    message = str(getattr(error, "message", error)) or type(error).__name__
    if message.startswith(FAILED):
        return Lost(part, message.removeprefix(FAILED).rstrip("."), True)
    return Lost(part, str(error) or type(error).__name__)


def finite(values: Floats) -> bool:
    """Whether all of them are numbers of a size that a mechanism can have.

    >>> finite(np.array([1.0, -2.0])), finite(np.array([1e308])), finite(np.array([np.nan]))
    (True, False, False)
    """
    return bool(np.abs(values).max(initial=0.0) < BEYOND)  # not a number is not less either


def remote_parts(model: Model) -> list[Any]:
    """The components of `model` that live elsewhere, parts before wholes."""
    found: list[Any] = []

    def walk(container: Container) -> None:
        for part in container.subsystems.values():
            walk(part)
        if any(isinstance(body, Foreign) for body in container.grounds.values()):
            found.append(container)

    walk(model)
    return found


@contextmanager
def letting_go(model: Any) -> Iterator[None]:
    """Where a run of `model` is refused its components elsewhere are let go: whoever comes next finds them free."""
    try:
        yield
    except BaseException:
        whole = getattr(model, "model", model)  # of an assembled system
        for remote in remote_parts(whole) if isinstance(whole, Model) else []:
            remote.hang_up()
        raise


class RemoteLinks:
    """The side of the whole: fetches the reports of all parts elsewhere, gives them their forces."""

    def __init__(self, remotes: list[Any], parts: Any, remote_border: Any) -> None:
        self.remotes = remotes
        self.lost: list[Lost] = []
        self.spoilt = False  # numbers of this side are not finite any more: its own fault, and nobody is asked again
        places = [k for k in range(len(parts.D)) if parts.remote[k] >= 0]
        self.boxes: list[tuple[Floats, Floats]] = []
        for k in places:
            ports = int(parts.border_start[k + 1] - parts.border_start[k])
            first, r = int(parts.remote[k]), int(parts.r[k])
            self.boxes.append(
                (remote_border.inbox[first : first + message_size(ports)], remote_border.outbox[r : r + 6 * ports])
            )
        self._places: dict[tuple[str, int], int] = {}  # of states that take turns
        self._alive = (CALLBACK(self._fetch), CALLBACK(self._give))
        self.remote_border = remote_border._replace(fetch=address_of(self._alive[0]), give=address_of(self._alive[1]))

    def _fetch(self, _t: float, _outbox: Any, _inbox: Any) -> None:
        for remote, (inbox, _) in zip(self.remotes, self.boxes, strict=True):
            if not self.lost and not self.spoilt:
                self._try(remote, remote.transport.receive, inbox)
                if not self.lost and not finite(inbox):
                    self.lost.append(Lost(remote.path, f"it {WILD}", True))
            if self.lost or self.spoilt:
                inbox[:] = math.nan

    def _give(self, _t: float, _outbox: Any, _inbox: Any) -> None:
        if self.spoilt or self.lost:
            return
        for remote, (_, outbox) in zip(self.remotes, self.boxes, strict=True):
            self.spoilt = self.spoilt or not finite(outbox)
            if not self.lost:
                self._try(remote, remote.transport.send, outbox)

    def command(self, what: float, begin: float, first: int, h: float, steps: int) -> None:
        """Tell every part what loop comes next."""
        message = np.array([what, begin, float(first), h, float(steps)])
        for remote in self.remotes:
            if not self.lost:
                self._try(remote, remote.transport.send, message)

    def states(self, kept: dict[str, list[int]]) -> dict[str, Any]:
        """What parts kept that have no folder of their own: it goes to the file of the whole."""
        found = {f"elsewhere.{remote.path}": remote.handed_over(*kept[remote.path]) for remote in self.remotes}
        return {name: state for name, state in found.items() if state is not None}

    def keep(self, turn: int | None = None) -> dict[str, list[int]]:
        """Every part keeps its present state: where, and the mark of this moment. Those of a `turn` replace each other.

        A part that was lost is in `lost`; one that cannot keep its state raises `OptionError`.
        """
        kept = {}
        for remote in self.remotes:
            place = secrets.randbelow(MARKS)
            if turn is not None:
                place = self._places.setdefault((remote.path, turn), place)
            kept[remote.path] = [place, secrets.randbelow(MARKS)]
            refused = self._order(remote, KEEP, *kept[remote.path])
            if refused:
                raise OptionError(f"component '{remote.path}' cannot keep its state ({refused}); ask its owner")
        return kept

    def restore(self, kept: dict[str, Any], arrays: dict[str, Any], file: Any) -> None:
        """Every part goes back to the state that it kept when the one in `file`, with these arrays, was taken."""
        for remote in self.remotes:
            if remote.path not in kept:
                raise OptionError(f"{file} knows of no state of component '{remote.path}'; run from the start")
            remote.take_back(*kept[remote.path], arrays.get(f"elsewhere.{remote.path}"))
            refused = self._order(remote, RESTORE, *kept[remote.path])
            if refused:
                raise OptionError(f"component '{remote.path}' cannot go on from {file} ({refused}); {remote.remedy}")

    def sample(self, remote: Any) -> bool:
        """A part calls its sensors and controllers that are due now; whether that changed anything in it."""
        if self.lost:
            return False
        try:
            refused, changed = remote.sample(np.array([SAMPLE, 0.0, 0.0, 0.0, 0.0]))
        except BaseException as error:
            self.lost.append(lost(remote.path, error))
            return False
        if refused:
            raise ModelError(f"component '{remote.path}': {refused}")
        return bool(changed)

    def _order(self, remote: Any, what: float, place: int, mark: int) -> str:
        """Give an order; what the part says against it."""
        if self.lost:
            return ""
        try:
            return str(remote.order(np.array([what, float(place), float(mark), 0.0, 0.0])))
        except BaseException as error:
            self.lost.append(lost(remote.path, error))
            return ""

    def _try(self, remote: Any, verb: Any, values: Floats) -> None:
        try:
            verb(values)
        except BaseException as error:
            self.lost.append(lost(remote.path, error))

    def close(self) -> None:
        """End the parts' loops and the connections."""
        if not self.lost and not self.spoilt:
            self.command(END, 0.0, 0, 0.0, 0)
        for remote in self.remotes:
            remote.close()


class Border:
    """The side of a part: reports its border and waits for the forces there; `begun` is called before it first does."""

    def __init__(self, transport: Any) -> None:
        self.transport = transport
        self.begun: Callable[[], None] | None = None
        self.lost: list[Lost] = []
        self.spoilt = False  # numbers of this side are not finite any more; the whole is told why, instead of them

    def connect(self, remote_border: Any) -> Any:
        """`remote_border` with the address of the carrier."""
        self.take(remote_border.up, remote_border.down)
        self._alive = CALLBACK(lambda _t, _up, _down: self.exchange())
        return remote_border._replace(exchange=address_of(self._alive))

    def take(self, up: Floats, down: Floats) -> None:
        """The memory of the reports, and that of the forces."""
        self._up, self._down = up, down

    def exchange(self) -> None:
        """Send the report and wait for the forces; they are not finite where that fails."""
        if self.begun is not None:
            self.begun()
            self.begun = None
        self.spoilt = self.spoilt or not finite(self._up)
        if not self.lost and not self.spoilt:
            try:
                self.transport.send(self._up)
                self.transport.receive(self._down)
                if not finite(self._down):
                    self.lost.append(Lost("the whole", f"it {WILD}", True))
                    self.transport.send_failure(f"the whole {WILD}")
            except BaseException as error:
                self.lost.append(lost("the whole", error))
        if self.lost or self.spoilt:
            self._down[:] = math.nan
