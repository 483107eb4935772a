"""Joints attached and released between steps, by hand or as the model plans it."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwork.assembly.tables import Floats
from linkwork.errors import ModelError, OptionError
from linkwork.formulations.samples import make_samples
from linkwork.mechanics.accounts import SUPPLIED
from linkwork.model import Altered, Joint, attached_joint, attached_name
from linkwork.model.checked import shown
from linkwork.model.container import find_body, find_joint, find_parts
from linkwork.model.control.event import releasable
from linkwork.simulation.methods import refuse_unsupported
from linkwork.simulation.results.columns.observe import Observer
from linkwork.simulation.starts.driven import Jolt
from linkwork.simulation.stepping.failures import failure_of
from linkwork.simulation.stepping.lag import lag_applied
from linkwork.simulation.stepping.stepper import Stepper
from linkwork.simulation.structure.events import Change
from linkwork.simulation.structure.transfer import Moment, assembled_like, changed, impulse_at, met, seen, struck


def joint_place(joint: Joint) -> tuple[tuple[float, ...], tuple[float, ...], tuple[float, ...]]:
    """Where an attached joint is, in the frame of its body a: position, m, and axis; and its frame in b."""
    assert joint.frame_a is not None
    assert joint.frame_b is not None
    return (
        tuple(map(float, joint.frame_a.position)),
        tuple(joint.frame_a.matrix[:, 2].tolist()),
        (*joint.frame_b.position.tolist(), *joint.frame_b.rotation.tolist()),
    )


class Structure:
    """The joints that came and went since the start of a stepper, which goes on with others after each change."""

    def __init__(self, stepper: Stepper) -> None:
        self.stepper = stepper
        self.begin()

    def begin(self) -> None:
        """As the model is built: nothing was attached or released."""
        self.attached: dict[str, Joint] = {}
        self.released: dict[str, Joint] = {}
        self.changes: list[Change] = []
        self.impacts = 0.0  # energy that changes have cost, J

    def note_jolts(self, jolts: list[Jolt], time: float) -> None:
        """Note what motors did to the start, which the start values know already."""
        for place, impulse, energy in jolts:
            assert place.joint is not None
            ends = place.joint.a.path, place.joint.b.path
            self.changes.append(Change(time, "jolted", place.name, place.kind, *ends, tuple(impulse.tolist()), energy))
            self._feed(energy)

    def _feed(self, energy: float) -> None:
        """Book work of the whole, J."""
        moving = self.stepper.moving
        self.stepper.state.y[moving.nq + moving.nv + SUPPLIED] += energy

    def copied(self, stepper: Stepper) -> Structure:
        """The same changes, of another stepper in the same state."""
        other = Structure(stepper)
        other.attached, other.released = dict(self.attached), dict(self.released)
        other.changes, other.impacts = list(self.changes), self.impacts
        return other

    def holds(self, joint: str) -> bool:
        """Whether there is such a joint now."""
        moving = self.stepper.moving
        return joint in {place.name for place in moving.joints + moving.cuts}

    def attach(self, a: Any, b: Any, kind: str, name: str | None, options: Any) -> Change:
        """Join b to a by a joint of a kind; see `Simulation.attach`."""
        model = self.stepper.system.model
        word = "attached joint"
        body_a, body_b = find_body(model, a, word), find_body(model, b, word)
        called = attached_name(model, body_a, body_b, name)
        return self.attach_joint(attached_joint(model, body_a, body_b, kind, called, options))

    def attach_joint(self, words: Joint) -> Change:
        """Attach a joint as it is said, where its bodies are now."""
        name, model = words.path, self.stepper.system.model
        if name in self.attached:
            raise ModelError(f"attached joint '{name}': it is attached already; release it, or give another name=")
        taken = next(iter(find_parts(model, name)), None)
        planned = any(event.joint is taken for event in model.all_events())
        if taken is not None and not planned:
            raise ModelError(
                f"attached joint '{name}': the name is taken by the {taken.word} '{taken.path}'; give another name="
            )
        joint = met(self._moment(), words)
        return self._restructure("attached", joint, {**self.attached, name: joint}, self.released)

    def release(self, joint: Joint | str) -> Change:
        """Release a joint, attached or of the model; see `Simulation.release`."""
        name = joint.path if isinstance(joint, Joint) else joint
        if not isinstance(name, str):
            raise ModelError(f"release: {shown(joint)} is not a joint; give a joint or its name")
        if name in self.released:
            raise ModelError(f"release: joint '{name}' was released before; release another one")
        if name not in self.attached:
            held = releasable(find_joint(self.stepper.system.model, name, "release"))
            if not self.holds(held.path):
                raise ModelError(f"release: joint '{held.path}' is not attached now; attach it first")
            return self._restructure("released", held, self.attached, {**self.released, held.path: held})
        held = self.attached[name]
        left = {key: each for key, each in self.attached.items() if each is not held}
        return self._restructure("released", held, left, self.released)

    def restore(self, model: Altered, y: Floats, cut_q: Floats) -> None:
        """Stand in a structure that a state was taken in; y and cut_q are of that state."""
        moving = self.stepper.moving
        system = assembled_like(model, moving)
        nq, nv = system.nq, system.nv
        if y.size == nq + nv + system.tables.tree.accounts and cut_q.size == system.cut_start.size:
            self.stepper.switch_system(system, y[:nq].copy(), y[nq : nq + nv].copy(), cut_q.copy())

    def _moment(self) -> Moment:
        stepper = self.stepper
        return seen(stepper.moving, stepper.time, *stepper.place()[:3])

    def _restructure(self, what: str, joint: Joint, attached: dict[str, Joint], released: dict[str, Joint]) -> Change:
        """Go on with other joints; where that fails everything stays as it was."""
        stepper = self.stepper
        if stepper.remote_links is not None or stepper.border is not None:
            raise OptionError(
                f"joint '{joint.path}' cannot be {what} while components live elsewhere; keep all parts in one process"
            )
        moment = changed(self._moment(), list(attached.values()), list(released.values()))
        refuse_unsupported(moment.system, stepper.method, stepper.ignored)
        impulse, lost, work = np.zeros(6), 0.0, 0.0
        if what == "attached":
            strike = struck(moment, joint.path)
            impulse, lost, work = impulse_at(moment, joint.path, strike.rows), strike.lost, strike.work
            moment = moment._replace(v=strike.v)
        kept, stored = stepper.kept(), self._stored()
        try:
            self._go_on(moment, work - stored)
        except BaseException:
            stepper.go_back(kept)
            raise
        self.attached, self.released = attached, released
        self.impacts += lost
        facts = (stepper.time, what, joint.path, joint.kind, joint.a.path, joint.b.path, tuple(impulse.tolist()), lost)
        self.changes.append(Change(*facts, *joint_place(joint)) if what == "attached" else Change(*facts))
        return self.changes[-1]

    def _go_on(self, moment: Moment, work: float) -> None:
        """Tables, memory and state of a moment; `work` and what is then in the springs was put in."""
        stepper, old = self.stepper, self.stepper.workspace
        stepper.switch_system(moment.system, moment.q, moment.v, moment.cut_q)
        stepper.method.keep_contacts(stepper.workspace, old)
        # springs in joints come and go with what they hold
        self._feed(work + self._stored())
        with lag_applied(stepper, None):
            _, _, status = stepper.run(stepper.time, -1, 1, 1, make_samples(stepper.state, 1))
        if status != 0:
            raise failure_of(stepper, status)

    def _stored(self) -> float:
        """Energy in the springs now, J."""
        stepper = self.stepper
        _, accounts = Observer(stepper.moving, tables=stepper.tables).look(stepper.present(), 1)
        return float(accounts["springs"][0])
