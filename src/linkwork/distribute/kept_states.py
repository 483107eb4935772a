"""The folder in which the owner of a component keeps its states, so that a run that lost it can go on later.

The whole names a state by two numbers that it drew: its place, which gives the file, and its mark, which says of which
moment it is. A place may be used again, a mark is not; so a whole never goes on with a state of another moment.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from linkwork.errors import ModelError, OptionError
from linkwork.model.checked import shown
from linkwork.simulation.run import Simulation
from linkwork.simulation.stepping.remote_links import KEEP, MARKS
from linkwork.simulation.storage.files import write_arrays
from linkwork.simulation.structure.snapshot import put_back, read_state, refuse_forgetful, state_arrays

MOST = 1000  # states in a folder: a whole elsewhere must not fill the disk of the owner


class Keep:
    """States of a component in `folder`, each in a file of its own.

    >>> import tempfile
    >>> Keep(tempfile.mkdtemp()).states()
    []
    """

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise OptionError(f"cannot keep states in {shown(folder)} ({why}); give a folder") from error

    def states(self) -> list[Path]:
        """The files of all states."""
        return sorted(self.folder.glob("state-*.npz"))

    def obey(self, sim: Simulation, command: Any) -> str:
        """Keep the present state, or go back to one; why that cannot be, in words, or nothing."""
        place, mark = float(command[1]), float(command[2])
        if not all(0.0 <= number < MARKS and number.is_integer() for number in (place, mark)):
            return "the order cannot be understood; install the same linkwork on both sides"
        file = self.folder / f"state-{int(place):014x}.npz"
        try:
            if command[0] == KEEP:
                return self._keep(sim, file, int(mark))
            return self._restore(sim, file, int(mark))
        except (ModelError, OptionError) as error:
            return str(error)

    def _keep(self, sim: Simulation, file: Path, mark: int) -> str:
        if not file.exists() and len(self.states()) >= MOST:
            return f"it has kept {MOST} states already, and its owner must remove some first"
        refuse_forgetful(sim)
        write_arrays(file, state_arrays(sim, mark=mark))
        return ""

    def _restore(self, sim: Simulation, file: Path, mark: int) -> str:
        if not file.is_file():
            return "it has kept no such state"
        facts, arrays = read_state(file)
        if facts.get("mark") != mark:
            return "it has kept a later state in that place"
        put_back(sim, facts, arrays, file.name)
        return ""
