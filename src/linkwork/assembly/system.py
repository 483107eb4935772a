"""The assembled system: constant tables for the kernels, names for people."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from linkwork.assembly.elements.coupling_tables import Coupled
from linkwork.assembly.laws.law_functions import Faults
from linkwork.assembly.massless import Carried
from linkwork.assembly.tables import Floats, Tables
from linkwork.model import Body, Joint, Model, Motor


@dataclass(frozen=True)
class JointPlace:
    """Where a joint went: a tree joint owns links and places in q and v, a cut owns rows and measures."""

    joint: Joint | None  # None for the free joint of a body that nothing holds
    name: str
    kind: str
    is_cut: bool
    q: slice  # in q, or among the cut coordinates
    v: slice  # in v, or among the cut rates
    links: tuple[int, ...]  # links of its motions, in the order of its coordinates
    last: int  # the link it moves (or, for a cut, the number of the cut)
    backward: bool
    frame_b: tuple[Floats, Floats]  # joint frame b in the link that carries b: rotation (3, 3), origin (3,)
    link_b: int
    body: str = ""  # that nothing holds, where there is no joint


@dataclass(frozen=True, eq=False)
class System:
    """A model turned into numbers, made by `assemble`.

    `joint_names` are the joints of the tree, depth first as declared; q and v are laid out in that order.
    `cut_names` are the joints that close loops. `body_names` follow the tree.

    >>> system = lw.assemble(lw.gallery.pendulum.build())
    >>> system.nq, system.nv, system.joint_names
    (1, 1, ['pin'])
    """

    model: Model
    tables: Tables
    joints: list[JointPlace]  # of the tree
    cuts: list[JointPlace]
    coupled: list[Coupled]  # couplings, and with `driven` the motors that hold rigidly, in the order of their rows
    driven: bool
    body_names: list[str]
    ground_names: list[str]
    link_names: list[str]  # the joint that each link belongs to
    floating: list[str]
    q_start: Floats
    v_start: Floats
    cut_start: Floats  # start values of the cut coordinates
    q_given: Any  # (nv,) bool: the user gave a start position of this dof's joint
    v_given: Any
    cut_q_given: Any  # (rate of a cut,) bool
    cut_v_start: Floats
    cut_v_given: Any
    features: frozenset[str]
    absolute: bool  # every body free, every joint a cut
    foreign: dict[str, int]  # links of the border bodies of components that live elsewhere
    inputs: dict[str, int]  # rows of the constant laws that may be set during a run, by the name of their force
    held: dict[str, slice]  # where the numbers of sensors and of `late` stand in `laws.input_law`
    late: dict[str, str]  # columns that laws see as the last step left them, and whose law it is
    force_rows: dict[str, tuple[str, int]]  # table ("spring", "coil", "drive", …) and row of every force that acts now
    faults: Faults = field(repr=False)  # filled by Python laws that raise
    alive: Any = field(repr=False, default=None)  # compiled laws
    centres: dict[str, Any] = field(default_factory=dict)  # of mass, of bodies that inertia is lent to (massless.py)
    carried: list[Carried] = field(default_factory=list)  # what welds carry of that
    fills: bool = False  # whether bodies that lack inertia get next to none
    filled: list[str] = field(default_factory=list)  # those bodies

    def centre(self, body: Body) -> Any:
        """Centre of mass of a body as these tables have it, in the body frame, m."""
        return self.centres.get(body.path, body.com)

    @property
    def nq(self) -> int:
        """Number of joint coordinates of the tree (a quaternion counts four)."""
        return int(self.q_start.size)

    @property
    def nv(self) -> int:
        """Number of joint velocities of the tree."""
        return int(self.v_start.size)

    @property
    def rows(self) -> int:
        """Number of rows of cuts and couplings, redundant ones included."""
        return int(self.tables.cuts.row_kind.size)

    @property
    def motors(self) -> list[Motor]:
        """The motors whose joints hold now, in the order of the tables."""
        held = {place.name for place in (*self.joints, *self.cuts)}
        return [drive for drive in self.model.all_drives() if isinstance(drive, Motor) and drive.joint.path in held]

    @property
    def joint_names(self) -> list[str]:
        """Names of the tree joints in the order of q and v."""
        return [place.name for place in self.joints]

    @property
    def cut_names(self) -> list[str]:
        """Names of the joints that close loops."""
        return [place.name for place in self.cuts]

    def dof_name(self, k: int) -> str:
        """Name of the joint to which dof k belongs."""
        return self.link_names[int(self.tables.tree.dof_link[k])]

    def row_name(self, r: int) -> str:
        """Name of the cut joint, or of the coupling, to which row r belongs."""
        cuts = self.tables.cuts
        if self.first_coupled <= r < self.rows:
            return self.coupled[r - self.first_coupled].part.path
        for place in self.cuts:
            if cuts.cut_row[place.last] <= r < cuts.cut_row[place.last + 1]:
                return place.name
        raise IndexError(r)

    @property
    def loose(self) -> Any:
        """(row,) bool: couplings with play, which hold nothing until their teeth meet."""
        found = np.zeros(self.rows, dtype=bool)
        found[self.first_coupled :] = self.tables.cuts.coupling_play > 0.0
        return found

    @property
    def first_coupled(self) -> int:
        """The first row of a coupling."""
        return self.rows - len(self.coupled)

    def __repr__(self) -> str:
        return (
            f"<System '{self.model.name}': {len(self.body_names)} bodies, {len(self.joints)} tree joints, "
            f"{len(self.cuts)} cuts, nq {self.nq}, nv {self.nv}>"
        )
