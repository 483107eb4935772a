"""Energy balance part by part: a large flow through one part of a model must not hide what is wrong in a small one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from linkwork.assembly.system import System
from linkwork.assembly.tables import Floats, Ints

BOOKED_LATE = 22.5  # steps: what laws feed in is booked half a step late, which tells in parts that meet sooner
ROUNDED = 1e-10  # of the energy that is stored, or that reactions could move: less is lost among rounding errors
# what `Observer.accounts` has of each part, J
KINETIC, POTENTIAL, SPRINGS, DISSIPATED, FED, OWN = range(6)


LOSSES = ("apart", "rolling", "seam")  # what contacts take that they should not, as bounds are called


class Worst(NamedTuple):
    """What is worst of a part."""

    relative: float = 0.0  # of what moved in it
    bodies: tuple[str, ...] = ()


class Group(NamedTuple):
    """What is known of parts that have met, each as an array over the groups, J."""

    began: Floats
    worst: Floats
    least: Floats  # (group, account)
    most: Floats


class PartTally:
    """Balances of all parts, block by block. Parts that contacts press together are judged as one from then on."""

    def __init__(self, system: System, step: float) -> None:
        """`step` (s) where velocities are behind positions, else 0."""
        self.step = step
        self.found = {name: Worst() for name in ("balance", *LOSSES)}
        self.restart(system)

    def restart(self, system: System) -> None:
        """Begin anew with the parts of another structure; what was found stays."""
        part = system.tables.tree.link_part
        hidden = {body.path for body in system.model.all_bodies() if body.hidden}
        places = zip(system.body_names, system.tables.tree.body_link, strict=True)
        self.members: list[list[str]] = [[] for _ in range(system.tables.tree.accounts // 2)]
        for name, link in places:
            if name not in hidden:
                self.members[int(part[link])].append(name)
        self.root: Ints = np.zeros(0, dtype=np.int64)
        self.groups: Group | None = None
        self.losses: Floats | None = None  # (3, part) J
        self.time = self.since = 0.0  # of the last row, and of the first since parts have met

    def add(self, time: Floats, accounts: Floats, met: tuple[Ints, Floats] | None, nothing: float) -> None:
        """Take in rows: accounts (row, part, account); `met` is what `Method.met_parts` says.

        The potential energy is that of the moment at which bodies have these velocities. Energies below `nothing` (J)
        are none.
        """
        if accounts.shape[1] < 2:
            return
        root = np.arange(accounts.shape[1]) if met is None else roots(met[0])
        if self.groups is not None and not np.array_equal(root, self.root):
            if self.time - self.since >= BOOKED_LATE * self.step:
                self.judge(nothing)
            self._merge(root)
        self.root = root
        self.losses = None if met is None else met[1].copy()
        rows = summed(accounts, root)
        total = rows[:, :, : SPRINGS + 1].sum(axis=2) + rows[:, :, DISSIPATED] - rows[:, :, FED]
        least, most = rows.min(axis=0), rows.max(axis=0)
        known = self.groups
        if known is None:
            self.since = float(time[0])
            began, worst = total[0], np.zeros(total.shape[1])
        else:
            began, worst = known.began, known.worst
            least, most = np.minimum(least, known.least), np.maximum(most, known.most)
        worst = np.maximum(worst, np.abs(total - began).max(axis=0))
        self.groups, self.time = Group(began, worst, least, most), float(time[-1])

    def judge(self, nothing: float) -> dict[str, Worst]:
        """The worst that was found so far: of the balance, and of what contacts took that they should not."""
        g = self.groups
        if g is None or g.began.size < 2:  # one part is the whole
            return self.found
        moved = (g.most - g.least)[:, :OWN].max(axis=1)
        stored = np.maximum(np.abs(g.least), np.abs(g.most))[:, : SPRINGS + 1].max(axis=1)
        scale = np.maximum(np.maximum(moved, g.most[:, OWN]), np.maximum(nothing, ROUNDED * stored))
        self._note("balance", g.worst, scale)
        if self.losses is not None:
            for name, losses in zip(LOSSES, summed(self.losses[:, :, None], self.root)[:, :, 0], strict=True):
                self._note(name, losses, scale)
        return self.found

    def _note(self, name: str, energies: Floats, scale: Floats) -> None:
        """Keep the worst of these energies, beside what moved in each group."""
        of_all = np.divide(energies, scale, out=np.where(energies > 0.0, np.inf, 0.0), where=scale > 0.0)
        k = int(np.argmax(of_all))
        if of_all[k] > self.found[name].relative:
            first = np.unique(self.root)[k]
            names = [body for part in np.flatnonzero(self.root == first) for body in self.members[part]]
            self.found[name] = Worst(float(of_all[k]), tuple(names))

    def _merge(self, root: Ints) -> None:
        """Groups that have met become one."""
        assert self.groups is not None
        of = root[np.unique(self.root)]  # the new root of each old group
        kept = {name: joined(values, of) for name, values in self.groups._asdict().items()}
        self.since = self.time
        self.groups = Group(**kept)._replace(worst=np.zeros(len(kept["began"])))


def joined(values: Floats, root: Ints) -> Floats:
    """Sums over the first axis of what has the same root."""
    found: Floats = summed(values.reshape(1, len(values), -1), root)[0]
    return found.reshape(-1, *values.shape[1:])


def roots(parent: Ints) -> Ints:
    """Of each part the one that stands for all that it has met.

    >>> roots(np.array([0, 0, 1, 3])).tolist()
    [0, 0, 0, 3]
    """
    found = parent.copy()
    while not np.array_equal(above := found[found], found):
        found = above
    return found


def summed(values: Floats, root: Ints) -> Floats:
    """Sums over the second axis of what has the same root.

    >>> summed(np.array([[[1.0], [2.0], [4.0]]]), np.array([0, 1, 0])).tolist()
    [[[5.0], [2.0]]]
    """
    if len(np.unique(root)) == len(root):
        return values[:, np.argsort(root)]
    order = np.argsort(root, kind="stable")
    _, first = np.unique(root[order], return_index=True)
    found: Floats = np.add.reduceat(values[:, order], first, axis=1)
    return found
