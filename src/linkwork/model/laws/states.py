"""States of laws: each is the speed of a slide of its own, so that every method integrates it. Data only.

The slide has the mass of one kilogram and moves with x / scale; the rate of the state is the force on it. It touches
nothing, has no energy in the ledger and is not drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwork.model.body import Body
from linkwork.model.container import Container
from linkwork.model.forces.force import ForceElement
from linkwork.model.frame import Frame
from linkwork.model.joints.joint import Joint
from linkwork.model.joints.joint_checks import make_joint
from linkwork.model.laws.laws import PythonLaw


@dataclass(frozen=True, eq=False, repr=False)
class StateBody(Body):
    """Carries one state of a law as its speed. Made with the torque or force that the law drives."""

    @property
    def hidden(self) -> bool:
        """It is no body of the mechanism."""
        return True


@dataclass(frozen=True, eq=False, repr=False)
class StateRate(ForceElement):
    """The rate of state number `index` of the law of `of`, as the force in its slide `joint`."""

    joint: Joint
    of: ForceElement
    index: int

    @property
    def in_joint(self) -> Joint | None:
        """That of the law: the states stand still while it does not act."""
        return self.of.in_joint or self.joint

    @property
    def hidden(self) -> bool:
        """It is no force of the mechanism."""
        return True

    @property
    def word(self) -> str:
        """What kind of part it is."""
        return "state"

    @property
    def about(self) -> str:
        """Whose state it is."""
        return f"state of {self.of.path}"


def state_names(name: str, count: int) -> list[str]:
    """Names of the slides of the states of a law.

    >>> state_names("drive", 1), state_names("drive", 2)
    (['drive state'], ['drive state 1', 'drive state 2'])
    """
    return [f"{name} state" if count == 1 else f"{name} state {k + 1}" for k in range(count)]


class StateVerbs(Container):
    """Adds the slides of the states of a law."""

    def _add_states(self, force: ForceElement, law: object) -> None:
        if not isinstance(law, PythonLaw) or not law.start:
            return
        scales = law.scale or ()
        for k, name in enumerate(state_names(force.name, len(law.start))):
            what = self._new("state", name)
            unit, zero = np.eye(3), np.zeros(3)
            unit.flags.writeable = zero.flags.writeable = False
            body = self._keep(self.bodies, StateBody(name, self, 1.0, unit, zero, Frame()))
            options = {"axis": (1.0, 0.0, 0.0), "position": 0.0, "velocity": law.start[k] / scales[k]}
            slide = make_joint(what, "prismatic", name, self, self.ground, body, options, 0.0)
            self._keep(self.joints, slide)
            self.forces[name] = StateRate(name, self, slide, force, k)
