"""A component that an FMU carries: served by a thread of this process, over the messages of components elsewhere.

The whole sees no difference to `lw.Remote`: the same verbs, the same reports, the same forces. An FMU computes in the
coordinates that it was exported in; where it stands elsewhere, its messages are turned and moved.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from linkwork.assembly.partition import message_size
from linkwork.assembly.tables import Floats
from linkwork.distribute.remote import Remote, read
from linkwork.distribute.server import REFUSED, Component, ComponentRun, Session
from linkwork.distribute.thread_transport import thread_pair
from linkwork.distribute.transport import PeerError, Transport
from linkwork.distribute.verify import response_checks
from linkwork.errors import ModelError, OptionError, RunError
from linkwork.formats.fmi.imported.border_calls import BorderCalls
from linkwork.formats.fmi.imported.fmu_calls import FMUFailure
from linkwork.formats.fmi.imported.fmu_description import ImportedDescription
from linkwork.formats.fmi.imported.fmu_file import unpacked
from linkwork.formats.fmi.imported.fmu_trial import try_start
from linkwork.formats.fmi.standard import BORDER_FORMAT
from linkwork.formulations.component.remote_border import PORT
from linkwork.model import Frame, Subsystem
from linkwork.simulation.stepping.remote_links import KEEP, Border

TIMEOUT = 60.0  # s that a stage may take
SAME = ("integrator", "stabilize", "rank_tolerance")  # of the method: as exported


class FMUComponent(Remote):
    """The component of an FMU, standing where a subsystem would: connect joints to its ports.

    Made by `model.add("left", lw.FMU("left.fmu"))`. Only method "component" supports it.
    """

    def __init__(self, path: Path, description: ImportedDescription, digest: str, binary: str) -> None:
        Subsystem.__init__(self)
        self._served = ServedFMU(path, description, digest, binary)
        self._dial = str(path)
        try:
            self._begin()
        except PeerError as error:
            raise ModelError(f"{error.peer} {error.message}") from None

    def _connect(self) -> Transport:
        here, there = thread_pair(TIMEOUT, names=("the whole", f"FMU '{self._served.file}'"))
        session = Session(self._served, there)
        threading.Thread(target=_run, args=(session,), daemon=True).start()
        return here

    def prepare(self, method: Any, gravity: Any) -> None:
        """As those elsewhere, once its binary has been tried."""
        self._served.ready()
        try:
            super().prepare(method, gravity)
        except PeerError as error:
            raise OptionError(f"component '{self.path}': {error.message.removeprefix(REFUSED)}") from None

    def handed_over(self, place: int, mark: int) -> Any:
        """The state that was just kept."""
        _, state = self._served.states.pop(place)
        return np.frombuffer(state, dtype=np.uint8)

    def take_back(self, place: int, mark: int, state: Any) -> None:
        """The state from the file."""
        if state is not None:
            self._served.states[place] = (mark, np.asarray(state, dtype=np.uint8).tobytes())

    @property
    def remedy(self) -> str:
        """What to do where it cannot go back to a state."""
        return "go on with the FMU that the state was taken of, or run from the start"


def _run(session: Session) -> None:
    with suppress(PeerError, RunError, ModelError, OptionError):  # the whole is told as well
        session.run()


class ServedFMU(Component):
    """An FMU as what a session serves; each run has an instance of its own.

    It `keeps` states in memory, for a whole in the same process, which puts them into its file.
    """

    def __init__(
        self, path: Path, description: ImportedDescription, digest: str, binary: str, *, keeps: bool = True
    ) -> None:
        self.path, self.fmu, self.digest, self.binary, self.keeps = path, description, digest, binary, keeps
        self.file = description.file
        self.states: dict[int, tuple[int, bytes]] = {}  # by their places: their marks, and what the FMU wrote
        try:
            self.facts: dict[str, Any] = read(description.border)
            self.ports = [str(port["name"]) for port in self.facts["ports"]]
            self.gravity = np.array(self.facts["gravity"], dtype=float).reshape(3)
            self.bound = str(self.facts["bound"])
            whole = all(name in self.facts for name in SAME)
        except (ValueError, KeyError, TypeError):
            whole = False
        if not whole or self.facts.get("format") != BORDER_FORMAT:
            raise ModelError(f"FMU '{self.file}': its border is of another linkwork; export it again with this one")

    def ready(self) -> Path:
        """The folder that it was unpacked to; its first start happens in a child process."""
        folder = unpacked(self.path, self.digest, self.binary)
        try_start(self.fmu, self.digest, folder, {}, f"FMU '{self.file}'")
        return folder

    def checked(self) -> dict[str, tuple[bool, str]]:
        """What its first report must be by itself."""
        found: list[Floats] = []

        class Listening(Border):
            def exchange(self) -> None:
                found.append(self._up.copy())
                self._down[:] = 0.0

        facts = {name: self.facts[name] for name in (*SAME, "dt", "gravity")}
        run = self.prepare({**facts, "position": (0, 0, 0), "rotation": (1, 0, 0, 0)})(Listening(None))
        try:
            run.settle()
        finally:
            run.close()
        return response_checks(found[0], len(self.ports))

    def description(self) -> dict[str, Any]:
        """Its ports."""
        return {**{name: self.facts[name] for name in ("component", "ports")}, "keeps": self.keeps}

    def prepare(self, question: dict[str, Any]) -> Callable[[Border], ComponentRun]:
        """An instance for a run, placed and stepped as the whole says."""
        for name in SAME:
            if question[name] != self.facts[name]:
                raise OptionError(
                    f"FMU '{self.file}' was exported with {name}={self.facts[name]!r} and is asked for "
                    f"{question[name]!r}; run with {name}={self.facts[name]!r}, or export it again"
                )
        place = Frame(question["position"], question["rotation"])
        moved = place.position.any() or not np.array_equal(place.matrix, np.eye(3))
        if moved and self.bound:
            raise OptionError(
                f"FMU '{self.file}' cannot be moved, as {self.bound}; add it without position= and rotation=, and let "
                "its owner export it in its place"
            )
        gravity = np.array(question["gravity"], dtype=float)
        return lambda border: FMURun(self, place if moved else None, gravity, float(question["dt"]), border)


class FMURun(ComponentRun):
    """An instance of the FMU. `place` is where its coordinates are in the world of the whole; None: at its origin."""

    def __init__(self, served: ServedFMU, place: Frame | None, gravity: Floats, dt: float, border: Border) -> None:
        self.served, self.place, self.dt, self.border = served, place, dt, border
        count = len(served.ports)
        self.up, self.down = np.zeros(message_size(count)), np.zeros(6 * count)
        self.calls: BorderCalls | None = None
        if place is not None:
            gravity = place.matrix.T @ gravity
            self.turn = np.kron(np.eye(2 * count), place.matrix)
        pairs = zip("xyz", gravity, served.gravity, strict=True)
        self.changed = {f"gravity.{axis}": float(g) for axis, g, given in pairs if g != given}
        border.take(self.up, self.down)

    def settle(self) -> None:
        """Make the instance, and evaluate its start."""
        served, boxes = self.served, (self.up, self.down)
        try:
            self.calls = BorderCalls(served.fmu, served.ready(), "component", served.ports, boxes, self._stage)
            self.calls.start(self.changed)
        except FMUFailure as error:
            raise RunError(f"FMU '{served.file}': {error}") from None
        self.advance(0.0, -1, self.dt, 1)

    def advance(self, begin: float, first: int, h: float, steps: int) -> None:
        """By the loop of the FMU."""
        assert self.calls is not None
        try:
            self.calls.advance(begin, first, h, steps)
        except FMUFailure as error:
            if not self.border.lost:
                raise RunError(str(error)) from None

    def _stage(self) -> None:
        """A stage of its step: report, and wait for forces; both in the coordinates of the whole."""
        if self.place is None:
            self.border.exchange()
            return
        count, Q = len(self.served.ports), self.place.matrix
        ports = self.up[1 : 1 + PORT * count].reshape(count, PORT)
        ports[:, :9] = (Q @ ports[:, :9].reshape(count, 3, 3)).reshape(count, 9)
        ports[:, 9:12] = ports[:, 9:12] @ Q.T + self.place.position
        for k in range(12, PORT, 3):  # velocities and r
            ports[:, k : k + 3] = ports[:, k : k + 3] @ Q.T
        D = self.up[1 + PORT * count :].reshape(6 * count, 6 * count)
        D[:] = self.turn @ D @ self.turn.T
        self.border.exchange()
        self.down[:] = self.turn.T @ self.down

    def obey(self, command: Floats) -> str:
        """States are kept in memory: the whole puts them into its own file."""
        assert self.calls is not None
        if not self.served.keeps:
            return "it keeps no states"
        place, mark = int(command[1]), int(command[2])
        try:
            if command[0] == KEEP:
                self.served.states[place] = (mark, self.calls.state())
                return ""
            found = self.served.states.pop(place, None)
            if found is None or found[0] != mark:
                return "its state is not in that file"
            self.calls.put_back(found[1])
        except FMUFailure as error:
            return str(error)
        return ""

    def close(self) -> None:
        """Free the instance."""
        if self.calls is not None:
            self.calls.free()
            self.calls = None
