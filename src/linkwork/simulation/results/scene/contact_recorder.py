"""Notes the contacts of every row that a run keeps."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from linkwork.contact.contact_cache import FEATURES_PER_PAIR
from linkwork.errors import OptionError, RunWarning
from linkwork.mechanics.forces.laws import law_scratch
from linkwork.mechanics.tree.entry_points import place, poses
from linkwork.mechanics.tree.workspace import tree_work
from linkwork.model import Frame
from linkwork.simulation.results.judging.warning import warn
from linkwork.simulation.results.scene.contact_log import ContactLog

if TYPE_CHECKING:
    from linkwork.simulation.run import Simulation

MOST = 5_000_000  # contacts that are noted, about 800 MB


class ContactRecorder:
    """Collects the contacts of a simulation; `note` is called after every row."""

    def __init__(self, sim: Simulation) -> None:
        self.sim = sim
        if "contact" not in sim.method.supports or "contact" in sim.ignored:
            raise OptionError(
                f"contacts=True: method '{sim.method.name}' has no contacts; take method='impulse' or 'maximal'"
            )
        bodies = dict.fromkeys(collider.body.path for collider in sim.system.model.all_colliders())
        self.names = tuple(bodies)
        self.number = {name: k for k, name in enumerate(self.names)}
        self.blocks: list[tuple[Any, ...]] = []
        self.count = 0
        self._known: Any = None

    def note(self, row: int) -> None:
        """The contacts of the step that ended now, in this row."""
        sim, contacts = self.sim, self.sim.method.contact_table(self.sim.workspace)
        n = int(contacts.count[0])
        held = np.flatnonzero(contacts.impulse[:n, 0] > 0.0)
        if held.size == 0:
            return
        if self.count + held.size > MOST:
            if self.count <= MOST:
                told = f"the run of '{sim.system.model.name}' has more than {MOST:.0e} contacts"
                warn(f"{told}; those after t = {sim.time:.6g} s are not noted; give a larger every=", RunWarning)
            self.count = MOST + 1
            return
        if self._known is not sim.moving:
            self._find()
        normal, tangent, p = contacts.normal[held], contacts.tangent[held], contacts.impulse[held]
        h = sim.method.last_step(sim.workspace)
        force = (p[:, :1] * normal + p[:, 1:2] * tangent + p[:, 2:] * np.cross(normal, tangent)) / h
        first, second = np.divmod(contacts.id[held] // FEATURES_PER_PAIR - 1, len(self._owner))
        point, depth, area = (each[held].copy() for each in (contacts.point, contacts.depth, contacts.area))
        self._place()
        inside = [self._inside(owner, point) for owner in (self._owner[first], self._owner[second])]
        rows = np.full(held.size, row, dtype=np.int64)
        self.blocks.append((rows, self._owner[first], self._owner[second], point, *inside, normal, force, depth, area))
        self.count += held.size

    def _find(self) -> None:
        """Bodies of colliders, and numbers of bodies, in the present structure."""
        system = self._known = self.sim.moving
        self._owner = np.array([self.number[c.body.path] for c in system.model.all_colliders()], dtype=np.int64)
        places = {name: k for k, name in enumerate(system.body_names)}
        self._body = [places.get(name, -1) for name in self.names]
        self._work = tree_work(system.tables)
        self._given = (law_scratch(system.tables.laws), np.zeros(4))
        self._out = np.zeros((len(system.body_names), 7))

    def _place(self) -> None:
        """Poses of the bodies before the last step, where its contacts were found."""
        stepper, system = self.sim.stepper, self._known
        y, nq, nv = stepper.state.last, system.nq, system.nv
        place(stepper.tables, self._work, (stepper.time - stepper.h, *self._given), y[:nq], y[nq : nq + nv])
        poses(system.tables.tree, self._work, self._out)

    def _inside(self, owner: Any, point: Any) -> Any:
        """Points in the frames of their bodies."""
        found = point.copy()
        for number in np.unique(owner):
            body = self._body[number]
            if body >= 0:
                pose, which = Frame(self._out[body, :3], self._out[body, 3:]), owner == number
                found[which] = (point[which] - pose.position) @ pose.matrix
        return found

    def log(self, time: Any) -> ContactLog:
        """All that was noted; `time` of the rows."""
        if not self.blocks:
            none = np.zeros((0, 3))
            whole = np.zeros(0, dtype=np.int64)
            alone = (np.zeros(0), np.zeros(0))
            return ContactLog(time, self.names, whole, whole, whole, none, none, none, none, none, *alone)
        return ContactLog(time, self.names, *(np.concatenate(each) for each in zip(*self.blocks, strict=True)))
