"""`Pose`: where the joints and bodies of a model are, found by `lw.reach`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats
from linkwork.model import Frame
from linkwork.simulation.analysis.dynamics import forward_kinematics

Coordinates = float | Floats  # one number, or several


@dataclass(frozen=True, eq=False, repr=False)
class Pose(Mapping[str, Coordinates]):
    """Where a mechanism is: coordinates of the joints by name (rad, m), and the frames of its `bodies` by name.

    `pose["pin"]` is a number, or an array where the joint has several; joints that close loops are there too. `error`
    is what is left of targets and loops, in rad or as a fraction of the model's size; `iterations` are those of the
    search. Give it to `lw.simulate(model, start=pose)`, `sim.reset(joints=pose)` or `near=pose`.

    >>> pose = lw.reach(lw.gallery.pendulum.build(), {"bob": (0.6, 0, -0.8)})
    >>> list(pose), round(np.sin(pose["pin"]), 12).item(), round(pose.bodies["bob"].position[2].item(), 12)
    (['pin'], -0.6, -0.8)
    """

    model: str  # its name
    q: Floats  # of the tree joints
    cut_q: Floats = field(repr=False)  # of the joints that close loops
    positions: dict[str, Coordinates]
    bodies: dict[str, Frame]
    error: float
    iterations: int

    def __getitem__(self, joint: Any) -> Coordinates:
        return self.positions[getattr(joint, "path", joint)]

    def __iter__(self) -> Iterator[str]:
        return iter(self.positions)

    def __len__(self) -> int:
        return len(self.positions)

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __repr__(self) -> str:
        return (
            f"<Pose of '{self.model}': {len(self.positions)} joints, {self.iterations} iterations, "
            f"error {self.error:.1e}>"
        )


def pose_of(system: System, q: Floats, cut_q: Floats, time: float, error: float, iterations: int) -> Pose:
    """The pose of a system at coordinates that close its loops."""
    positions: dict[str, Coordinates] = {}
    for places, numbers in ((system.joints, q), (system.cuts, cut_q)):
        for place in places:
            values = numbers[place.q].copy()
            if values.size:
                values.flags.writeable = False
                positions[place.name] = float(values[0]) if values.size == 1 else values
    frames = {name: Frame(x, e) for name, (x, e) in forward_kinematics(system, q, time=time).items()}
    return Pose(system.model.name, q.copy(), cut_q.copy(), positions, frames, error, iterations)
